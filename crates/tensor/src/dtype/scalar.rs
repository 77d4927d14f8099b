//! What elements can do once they are in a register.
//!
//! These traits are for the types that are calculated in: `f32` and not `f16`. Integer arithmetic
//! wraps around, as it does in NumPy and PyTorch. The files beside this one implement them: integer.rs,
//! float.rs, complex.rs.

use super::math::MulAdd;
use std::fmt::Debug;

/// A value of any kind.
pub trait Scalar: Copy + PartialEq + Default + Debug + Send + Sync + 'static {
    /// Whether it counts as true: whether it is not zero.
    fn is_true(self) -> bool;
    /// Whether it is a NaN, or has a part that is.
    fn is_nan(self) -> bool;
    /// Whether it is an infinity, or has a part that is.
    fn is_infinite(self) -> bool;
    /// Whether it is neither.
    fn is_finite(self) -> bool;
}

/// A value that can be added and multiplied.
pub trait Number: Scalar {
    const ZERO: Self;
    const ONE: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// The product plus a third number: rounded once for real numbers.
    fn times_plus(self, factor: Self, summand: Self) -> Self;
    fn negative(self) -> Self;
    /// The value to the power of another. A negative power of an integer is 0 here; operations
    /// refuse it before they begin.
    fn power(self, exponent: Self) -> Self;
    /// The direction from zero: a number of size 1, or zero, or a NaN.
    fn sign(self) -> Self;
}

/// A value that has an order. A NaN is neither smaller nor greater than anything.
pub trait Comparable: Scalar + PartialOrd {
    /// The smallest value: what the maximum of nothing would be.
    const LOWEST: Self;
    /// The greatest value: what the minimum of nothing would be.
    const HIGHEST: Self;
    /// The smaller of two; a NaN if one of them is.
    fn smaller(self, other: Self) -> Self;
    /// The greater of two; a NaN if one of them is.
    fn greater(self, other: Self) -> Self;
    /// The distance from zero; the least signed integer stays as it is.
    fn magnitude(self) -> Self;
}

/// A number that has an order.
pub trait Real: Number + Comparable {
    /// The quotient rounded down; 0 for an integer divided by 0.
    fn floor_divide(self, divisor: Self) -> Self;
    /// What is left of that division, with the sign of the divisor; 0 for an integer divided by 0.
    fn remainder(self, divisor: Self) -> Self;
    /// What is left of a division rounded towards zero, with the sign of the dividend.
    fn fmod(self, divisor: Self) -> Self;
}

/// An integer.
pub trait Integer: Real {
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn invert(self) -> Self;
    /// Moved by so many bits; a count that is negative or too large leaves none of them.
    fn shift_left(self, count: Self) -> Self;
    /// The same to the right, where copies of the sign come in.
    fn shift_right(self, count: Self) -> Self;
    /// The greatest common divisor; 0 of two zeros.
    fn gcd(self, other: Self) -> Self;
    /// The least common multiple; 0 if one is 0.
    fn lcm(self, other: Self) -> Self;
}

/// A floating-point number, real or complex.
pub trait Field: Number {
    fn over(self, other: Self) -> Self;
    fn reciprocal(self) -> Self;
    /// The distance from zero.
    fn norm(self) -> f64;
    /// The nearest whole number, the even one of two; of complex numbers, part by part.
    fn round(self) -> Self;
    fn sqrt(self) -> Self;
    fn exp<M: MulAdd>(self) -> Self;
    fn exp2<M: MulAdd>(self) -> Self;
    fn exp_m1(self) -> Self;
    fn ln<M: MulAdd>(self) -> Self;
    fn ln_1p<M: MulAdd>(self) -> Self;
    fn log2(self) -> Self;
    fn log10(self) -> Self;
    /// Whether `sin_near` and its kin are for the number: whether it is small enough.
    fn is_near(self) -> bool;
    fn sin_near(self) -> Self;
    fn cos_near(self) -> Self;
    fn tan_near(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn tan(self) -> Self;
    fn asin(self) -> Self;
    fn acos(self) -> Self;
    fn atan(self) -> Self;
    fn sinh(self) -> Self;
    fn cosh(self) -> Self;
    fn tanh(self) -> Self;
    fn asinh(self) -> Self;
    fn acosh(self) -> Self;
    fn atanh(self) -> Self;
}

/// A real floating-point number.
pub trait Float: Field + Real {
    fn of(value: f64) -> Self;
    fn double(self) -> f64;
    /// Whether the sign is negative: also that of a zero or a NaN.
    fn has_minus(self) -> bool;
    /// The same size with the sign of another.
    fn copysign(self, sign: Self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn hypot(self, other: Self) -> Self;
    fn atan2(self, x: Self) -> Self;
    fn cbrt(self) -> Self;
    fn erf<M: MulAdd>(self) -> Self;
    fn erfc(self) -> Self;
    /// `1 / (1 + exp(-x))`.
    fn logistic<M: MulAdd>(self) -> Self;
    /// `log(1 + exp(x))`.
    fn softplus<M: MulAdd>(self) -> Self;
    /// `x / (1 + exp(-x))`.
    fn swish<M: MulAdd>(self) -> Self;
    /// `x` times the share of a normal distribution below it.
    fn gelu<M: MulAdd>(self) -> Self;
    /// The same, by an estimate with a hyperbolic tangent.
    fn gelu_tanh(self) -> Self;
}
