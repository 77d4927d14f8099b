//! What elements can do once they are in a register.
//!
//! These traits are for the types that are calculated in: `f32` and not `f16`. Integer arithmetic
//! wraps around, as it does in NumPy and PyTorch.

use num_complex::Complex;
use std::fmt::Debug;

/// A value of any kind.
pub trait Scalar: Copy + PartialEq + Default + Debug + Send + Sync + 'static {
    /// Whether it counts as true: whether it is not zero.
    fn is_true(self) -> bool;
}

/// A value that can be added and multiplied.
pub trait Number: Scalar {
    const ZERO: Self;
    const ONE: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn negative(self) -> Self;
    /// The value to the power of another. A negative power of an integer is 0 here; operations
    /// refuse it before they begin.
    fn power(self, exponent: Self) -> Self;
}

/// A value that has an order. A NaN is neither smaller nor greater than anything.
pub trait Comparable: Scalar + PartialOrd {
    /// The smallest value: what the maximum of nothing would be.
    const LOWEST: Self;
    /// The greatest value: what the minimum of nothing would be.
    const HIGHEST: Self;
    /// Whether it is a NaN.
    fn is_nan(self) -> bool;
    /// The smaller of two; a NaN if one of them is.
    fn smaller(self, other: Self) -> Self;
    /// The greater of two; a NaN if one of them is.
    fn greater(self, other: Self) -> Self;
    /// The distance from zero; the least signed integer stays as it is.
    fn magnitude(self) -> Self;
}

/// An integer.
pub trait Integer: Number + Comparable {}

/// A floating-point number, real or complex.
pub trait Field: Number {
    fn over(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn tanh(self) -> Self;
}

/// A real floating-point number.
pub trait Float: Field + Comparable {
    fn of(value: f64) -> Self;
    fn double(self) -> f64;
    fn exp_m1(self) -> Self;
    fn ln_1p(self) -> Self;
    fn erf(self) -> Self;
}

macro_rules! integers {
    ($($type:ty: $magnitude:expr),*) => {$(
        impl Scalar for $type {
            #[inline(always)]
            fn is_true(self) -> bool {
                self != 0
            }
        }

        impl Number for $type {
            const ZERO: $type = 0;
            const ONE: $type = 1;

            #[inline(always)]
            fn plus(self, other: $type) -> $type {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: $type) -> $type {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn times(self, other: $type) -> $type {
                self.wrapping_mul(other)
            }

            #[inline(always)]
            fn negative(self) -> $type {
                self.wrapping_neg()
            }

            #[inline(always)]
            fn power(self, exponent: $type) -> $type {
                match u64::try_from(exponent) {
                    Ok(exponent) => wrapping_power(self, exponent, <$type>::wrapping_mul),
                    Err(_) => 0,
                }
            }
        }

        impl Comparable for $type {
            const LOWEST: $type = <$type>::MIN;
            const HIGHEST: $type = <$type>::MAX;

            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }

            #[inline(always)]
            fn smaller(self, other: $type) -> $type {
                if other < self { other } else { self }
            }

            #[inline(always)]
            fn greater(self, other: $type) -> $type {
                if other > self { other } else { self }
            }

            #[inline(always)]
            fn magnitude(self) -> $type {
                $magnitude(self)
            }
        }

        impl Integer for $type {}
    )*};
}

integers!(
    i8: i8::wrapping_abs, i16: i16::wrapping_abs, i32: i32::wrapping_abs, i64: i64::wrapping_abs,
    u8: |x| x, u16: |x| x, u32: |x| x, u64: |x| x
);

/// A power by repeated squaring, in wrapping arithmetic.
#[inline(always)]
fn wrapping_power<T: Number>(base: T, exponent: u64, times: impl Fn(T, T) -> T) -> T {
    let (mut result, mut base, mut exponent) = (T::ONE, base, exponent);
    while exponent != 0 {
        if exponent & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    result
}

macro_rules! floats {
    ($($type:ty: $erf:path),*) => {$(
        impl Scalar for $type {
            #[inline(always)]
            fn is_true(self) -> bool {
                self != 0.0
            }
        }

        impl Number for $type {
            const ZERO: $type = 0.0;
            const ONE: $type = 1.0;

            #[inline(always)]
            fn plus(self, other: $type) -> $type {
                self + other
            }

            #[inline(always)]
            fn minus(self, other: $type) -> $type {
                self - other
            }

            #[inline(always)]
            fn times(self, other: $type) -> $type {
                self * other
            }

            #[inline(always)]
            fn negative(self) -> $type {
                -self
            }

            #[inline(always)]
            fn power(self, exponent: $type) -> $type {
                self.powf(exponent)
            }
        }

        impl Comparable for $type {
            const LOWEST: $type = <$type>::NEG_INFINITY;
            const HIGHEST: $type = <$type>::INFINITY;

            #[inline(always)]
            fn is_nan(self) -> bool {
                self != self
            }

            #[inline(always)]
            fn smaller(self, other: $type) -> $type {
                if self < other || self != self { self } else { other }
            }

            #[inline(always)]
            fn greater(self, other: $type) -> $type {
                if self > other || self != self { self } else { other }
            }

            #[inline(always)]
            fn magnitude(self) -> $type {
                self.abs()
            }
        }

        impl Field for $type {
            #[inline(always)]
            fn over(self, other: $type) -> $type {
                self / other
            }

            #[inline(always)]
            fn sqrt(self) -> $type {
                <$type>::sqrt(self)
            }

            #[inline(always)]
            fn exp(self) -> $type {
                <$type>::exp(self)
            }

            #[inline(always)]
            fn ln(self) -> $type {
                <$type>::ln(self)
            }

            #[inline(always)]
            fn tanh(self) -> $type {
                <$type>::tanh(self)
            }
        }

        impl Float for $type {
            #[inline(always)]
            fn of(value: f64) -> $type {
                value as $type
            }

            #[inline(always)]
            fn double(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            fn exp_m1(self) -> $type {
                <$type>::exp_m1(self)
            }

            #[inline(always)]
            fn ln_1p(self) -> $type {
                <$type>::ln_1p(self)
            }

            #[inline(always)]
            fn erf(self) -> $type {
                $erf(self)
            }
        }
    )*};
}

floats!(f32: libm::erff, f64: libm::erf);

macro_rules! complexes {
    ($($type:ty),*) => {$(
        impl Scalar for Complex<$type> {
            #[inline(always)]
            fn is_true(self) -> bool {
                self.re != 0.0 || self.im != 0.0
            }
        }

        impl Number for Complex<$type> {
            const ZERO: Complex<$type> = Complex::new(0.0, 0.0);
            const ONE: Complex<$type> = Complex::new(1.0, 0.0);

            #[inline(always)]
            fn plus(self, other: Complex<$type>) -> Complex<$type> {
                self + other
            }

            #[inline(always)]
            fn minus(self, other: Complex<$type>) -> Complex<$type> {
                self - other
            }

            #[inline(always)]
            fn times(self, other: Complex<$type>) -> Complex<$type> {
                self * other
            }

            #[inline(always)]
            fn negative(self) -> Complex<$type> {
                -self
            }

            #[inline(always)]
            fn power(self, exponent: Complex<$type>) -> Complex<$type> {
                match (exponent == Self::ZERO, self == Self::ZERO) {
                    (true, _) => Self::ONE,
                    (false, true) if exponent.re > 0.0 => Self::ZERO,
                    _ => self.powc(exponent),
                }
            }
        }

        impl Field for Complex<$type> {
            #[inline(always)]
            fn over(self, other: Complex<$type>) -> Complex<$type> {
                quotient(self, other)
            }

            #[inline(always)]
            fn sqrt(self) -> Complex<$type> {
                Complex::sqrt(self)
            }

            #[inline(always)]
            fn exp(self) -> Complex<$type> {
                Complex::exp(self)
            }

            #[inline(always)]
            fn ln(self) -> Complex<$type> {
                let norm = self.norm();
                // Near one the logarithm is small, and the error of the norm would be all there is.
                let re = if norm > 0.5 && norm < 2.0 {
                    let (x, y) = (self.re.abs(), self.im.abs());
                    let (x, y) = if x > y { (x, y) } else { (y, x) };
                    ((x - 1.0) * (x + 1.0) + y * y).ln_1p() / 2.0
                } else {
                    norm.ln()
                };
                Complex::new(re, self.arg())
            }

            #[inline(always)]
            fn tanh(self) -> Complex<$type> {
                let Complex { re: x, im: y } = self;
                if x.abs() > 22.0 {
                    // As far from the poles as this, one is as near as there is.
                    let im = if x.is_infinite() { 0.0 } else { 4.0 * y.sin() * y.cos() * (-2.0 * x.abs()).exp() };
                    return Complex::new((1.0 as $type).copysign(x), im);
                }
                // Kahan's formula. `num_complex` has the quotient of two sums, which loses digits near
                // the poles, where the divisor cancels.
                let (t, s) = (y.tan(), x.sinh());
                let beta = 1.0 + t * t;
                let divisor = 1.0 + beta * s * s;
                Complex::new(beta * (1.0 + s * s).sqrt() * s / divisor, t / divisor)
            }
        }
    )*};
}

complexes!(f32, f64);

/// A complex quotient by Smith's method: the larger part of the divisor is divided by first, so that
/// nothing overflows on the way that is representable in the end.
#[inline(always)]
fn quotient<T: Float>(x: Complex<T>, y: Complex<T>) -> Complex<T> {
    if y.re.magnitude() >= y.im.magnitude() {
        if y.re == T::ZERO && y.im == T::ZERO {
            return Complex::new(x.re.over(y.re), x.im.over(y.re));
        }
        let ratio = y.im.over(y.re);
        let scale = T::ONE.over(y.re.plus(y.im.times(ratio)));
        let re = x.re.plus(x.im.times(ratio)).times(scale);
        let im = x.im.minus(x.re.times(ratio)).times(scale);
        Complex::new(re, im)
    } else {
        let ratio = y.re.over(y.im);
        let scale = T::ONE.over(y.re.times(ratio).plus(y.im));
        let re = x.re.times(ratio).plus(x.im).times(scale);
        let im = x.im.times(ratio).minus(x.re).times(scale);
        Complex::new(re, im)
    }
}
