//! Arithmetic on single values: traits for the types that elements are computed in.
//!
//! Half-precision floats are computed in `f32`, so they have no implementations. Integer arithmetic wraps around, as it
//! does in NumPy and PyTorch. The implementations are in integer.rs, float.rs and complex.rs.

use super::math::MulAdd;
use std::fmt::Debug;

/// A value of any dtype.
pub trait Scalar: Copy + PartialEq + Default + Debug + Send + Sync + 'static {
    /// Whether it is not zero.
    fn is_true(self) -> bool;
    /// Whether it is a NaN, or has a part that is.
    fn is_nan(self) -> bool;
    /// Whether it is an infinity, or has a part that is.
    fn is_infinite(self) -> bool;
    /// Whether it is neither NaN nor infinite.
    fn is_finite(self) -> bool;
}

/// A value that can be added and multiplied.
pub trait Number: Scalar {
    const ZERO: Self;
    const ONE: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// Returns `self · factor + summand`, rounded once for real numbers.
    fn times_plus(self, factor: Self, summand: Self) -> Self;
    fn negative(self) -> Self;
    /// Returns `x / |x|`; zero for zero; a NaN for a NaN, and for a complex number with two infinite parts.
    fn sign(self) -> Self;
}

/// A value of an ordered type. Comparisons with a NaN are false.
pub trait Comparable: Scalar + PartialOrd {
    /// The smallest value: the identity of the maximum.
    const LOWEST: Self;
    /// The greatest value: the identity of the minimum.
    const HIGHEST: Self;
    /// Returns the smaller of two; a NaN if one of them is.
    fn smaller(self, other: Self) -> Self;
    /// Returns the greater of two; a NaN if one of them is.
    fn greater(self, other: Self) -> Self;
    /// Returns the absolute value; that of the least signed integer is itself.
    fn magnitude(self) -> Self;
}

/// A real number: an integer or a real floating-point number.
pub trait Real: Number + Comparable {
    /// Returns the quotient rounded down; 0 for an integer divided by 0.
    fn floor_divide(self, divisor: Self) -> Self;
    /// Returns the remainder of that division, with the sign of the divisor; 0 for an integer divided by 0.
    fn remainder(self, divisor: Self) -> Self;
    /// Returns the remainder of a division rounded towards zero, with the sign of the dividend.
    fn fmod(self, divisor: Self) -> Self;
}

/// An integer.
pub(crate) trait Integer: Real {
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn invert(self) -> Self;
    /// Shifts left; the result is 0 if the count is negative or at least the number of bits.
    fn shift_left(self, count: Self) -> Self;
    /// Shifts right arithmetically; all bits are the sign if the count is negative or at least the number of bits.
    fn shift_right(self, count: Self) -> Self;
    /// Returns the greatest common divisor; 0 of two zeros.
    fn gcd(self, other: Self) -> Self;
    /// Returns the least common multiple; 0 if one is 0.
    fn lcm(self, other: Self) -> Self;
}

/// A floating-point number, real or complex.
pub trait Field: Number {
    fn over(self, other: Self) -> Self;
    fn reciprocal(self) -> Self;
    /// Returns the absolute value.
    fn norm(self) -> f64;
    /// Rounds to the nearest integer, ties to even; of complex numbers, part by part.
    fn round(self) -> Self;
    fn sqrt(self) -> Self;
    fn exp<M: MulAdd>(self) -> Self;
    fn exp2<M: MulAdd>(self) -> Self;
    fn exp_m1<M: MulAdd>(self) -> Self;
    fn ln<M: MulAdd>(self) -> Self;
    fn ln_1p<M: MulAdd>(self) -> Self;
    fn log2<M: MulAdd>(self) -> Self;
    fn log10<M: MulAdd>(self) -> Self;
    fn sin<M: MulAdd>(self) -> Self;
    fn cos<M: MulAdd>(self) -> Self;
    fn tan<M: MulAdd>(self) -> Self;
    fn asin<M: MulAdd>(self) -> Self;
    fn acos<M: MulAdd>(self) -> Self;
    fn atan<M: MulAdd>(self) -> Self;
    fn sinh<M: MulAdd>(self) -> Self;
    fn cosh<M: MulAdd>(self) -> Self;
    fn tanh<M: MulAdd>(self) -> Self;
    fn asinh<M: MulAdd>(self) -> Self;
    fn acosh<M: MulAdd>(self) -> Self;
    fn atanh<M: MulAdd>(self) -> Self;
}

/// A real floating-point number.
pub trait Float: Field + Real {
    fn of(value: f64) -> Self;
    fn double(self) -> f64;
    /// Whether the sign bit is set, also of a zero or a NaN.
    fn has_minus(self) -> bool;
    /// Whether `sin_fast`, `cos_fast` and `tan_fast` are accurate for the number.
    fn in_fast_range(self) -> bool;
    fn sin_fast<M: MulAdd>(self) -> Self;
    fn cos_fast<M: MulAdd>(self) -> Self;
    fn tan_fast<M: MulAdd>(self) -> Self;
    /// Returns the magnitude with the sign of another number.
    fn copysign(self, sign: Self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn hypot<M: MulAdd>(self, other: Self) -> Self;
    fn atan2<M: MulAdd>(self, x: Self) -> Self;
    /// `log(1 + x)` for a number between 0 and 1. Not for a NaN.
    fn ln_1p_of_fraction<M: MulAdd>(self) -> Self;
    fn cbrt<M: MulAdd>(self) -> Self;
    fn erf<M: MulAdd>(self) -> Self;
    fn erfc(self) -> Self;
    /// `1 / (1 + exp(-x))`.
    fn logistic<M: MulAdd>(self) -> Self;
    /// `log(1 + exp(x))`.
    fn softplus<M: MulAdd>(self) -> Self;
    /// `x / (1 + exp(-x))`.
    fn swish<M: MulAdd>(self) -> Self;
    /// `x Φ(x)` with the cumulative distribution function `Φ` of the normal distribution.
    fn gelu<M: MulAdd>(self) -> Self;
    /// The tanh approximation of `gelu`.
    fn gelu_tanh<M: MulAdd>(self) -> Self;
}
