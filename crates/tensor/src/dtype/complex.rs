//! Arithmetic of complex numbers.
//!
//! The functions are in complex_math.rs, for `f64`; those of `complex64` are computed as `complex128`, which is half
//! the code and accurate to the last digit.

use super::complex_math as math;
use super::math::MulAdd;
use super::scalar::{Field, Float, Number, Scalar};
use num_complex::Complex;

/// Functions of one number, computed in double precision; `<M>` if they take an FMA, which is not used.
macro_rules! functions {
    (<M> $($function:ident)*) => {$(
        #[inline(always)]
        fn $function<M: MulAdd>(self) -> Complex<T> {
            narrow(math::$function(wide(self)))
        }
    )*};
    ($($function:ident)*) => {$(
        #[inline(always)]
        fn $function(self) -> Complex<T> {
            narrow(math::$function(wide(self)))
        }
    )*};
}

impl<T: Float> Scalar for Complex<T> {
    #[inline(always)]
    fn is_true(self) -> bool {
        self.re.is_true() || self.im.is_true()
    }

    #[inline(always)]
    fn is_nan(self) -> bool {
        self.re.is_nan() || self.im.is_nan()
    }

    #[inline(always)]
    fn is_infinite(self) -> bool {
        self.re.is_infinite() || self.im.is_infinite()
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }
}

impl<T: Float> Number for Complex<T> {
    const ZERO: Complex<T> = Complex::new(T::ZERO, T::ZERO);
    const ONE: Complex<T> = Complex::new(T::ONE, T::ZERO);

    #[inline(always)]
    fn plus(self, other: Complex<T>) -> Complex<T> {
        Complex::new(self.re.plus(other.re), self.im.plus(other.im))
    }

    #[inline(always)]
    fn minus(self, other: Complex<T>) -> Complex<T> {
        Complex::new(self.re.minus(other.re), self.im.minus(other.im))
    }

    #[inline(always)]
    fn times(self, other: Complex<T>) -> Complex<T> {
        let re = self.re.times(other.re).minus(self.im.times(other.im));
        let im = self.re.times(other.im).plus(self.im.times(other.re));
        Complex::new(re, im)
    }

    #[inline(always)]
    fn times_plus(self, factor: Complex<T>, summand: Complex<T>) -> Complex<T> {
        self.times(factor).plus(summand)
    }

    #[inline(always)]
    fn negative(self) -> Complex<T> {
        Complex::new(self.re.negative(), self.im.negative())
    }

    #[inline(always)]
    fn sign(self) -> Complex<T> {
        narrow(math::sign(wide(self)))
    }
}

impl<T: Float> Field for Complex<T> {
    functions!(reciprocal sqrt);
    functions!(<M> exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh
        atanh);

    #[inline(always)]
    fn over(self, other: Complex<T>) -> Complex<T> {
        quotient(self, other)
    }

    #[inline(always)]
    fn norm(self) -> f64 {
        wide(self).norm()
    }

    #[inline(always)]
    fn round(self) -> Complex<T> {
        Complex::new(Field::round(self.re), Field::round(self.im))
    }
}

/// Returns a power.
#[inline(always)]
pub(crate) fn complex_power<T: Float>(base: Complex<T>, exponent: Complex<T>) -> Complex<T> {
    narrow(math::power(wide(base), wide(exponent)))
}

#[inline(always)]
fn wide<T: Float>(z: Complex<T>) -> Complex<f64> {
    Complex::new(z.re.double(), z.im.double())
}

#[inline(always)]
fn narrow<T: Float>(z: Complex<f64>) -> Complex<T> {
    Complex::new(T::of(z.re), T::of(z.im))
}

/// Returns a complex quotient by Smith's method: it divides by the larger part of the divisor first, so that no
/// intermediate result overflows if the quotient does not.
#[inline(always)]
pub(super) fn quotient<T: Float>(x: Complex<T>, y: Complex<T>) -> Complex<T> {
    if y.re.magnitude() >= y.im.magnitude() {
        if y.re == T::ZERO && y.im == T::ZERO {
            let zero = y.re.magnitude();
            return Complex::new(x.re.over(zero), x.im.over(zero));
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
