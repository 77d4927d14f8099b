//! What complex numbers can do. The functions themselves are in complex_math.rs, for `f64`;
//! `complex64` calculates as `complex128`, which is half the code and has all digits right.

use super::complex_math as math;
use super::math::MulAdd;
use super::scalar::{Field, Float, Number, Scalar};
use num_complex::Complex;

/// Functions of one number, by way of double precision.
macro_rules! functions {
    ($type:ty, M: $($function:ident)*) => {$(
        #[inline(always)]
        fn $function<M: MulAdd>(self) -> Complex<$type> {
            narrow(math::$function(wide(self)))
        }
    )*};
    ($type:ty: $($function:ident)*) => {$(
        #[inline(always)]
        fn $function(self) -> Complex<$type> {
            narrow(math::$function(wide(self)))
        }
    )*};
}

macro_rules! complexes {
    ($($type:ty)*) => {$(
        impl Scalar for Complex<$type> {
            #[inline(always)]
            fn is_true(self) -> bool {
                self.re != 0.0 || self.im != 0.0
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
            fn times_plus(self, factor: Complex<$type>, summand: Complex<$type>) -> Complex<$type> {
                self * factor + summand
            }

            #[inline(always)]
            fn negative(self) -> Complex<$type> {
                -self
            }

            #[inline(always)]
            fn power(self, exponent: Complex<$type>) -> Complex<$type> {
                narrow(math::power(wide(self), wide(exponent)))
            }

            #[inline(always)]
            fn sign(self) -> Complex<$type> {
                narrow(math::sign(wide(self)))
            }
        }

        impl Field for Complex<$type> {
            functions!($type: reciprocal sqrt exp_m1 log2 log10 sin cos tan asin acos atan sinh cosh
                tanh asinh acosh atanh);
            functions!($type, M: exp exp2 ln ln_1p);

            /// No complex number is: there is one way for all of them.
            #[inline(always)]
            fn is_near(self) -> bool {
                false
            }

            #[inline(always)]
            fn sin_near(self) -> Complex<$type> {
                Field::sin(self)
            }

            #[inline(always)]
            fn cos_near(self) -> Complex<$type> {
                Field::cos(self)
            }

            #[inline(always)]
            fn tan_near(self) -> Complex<$type> {
                Field::tan(self)
            }

            #[inline(always)]
            fn over(self, other: Complex<$type>) -> Complex<$type> {
                quotient(self, other)
            }

            #[inline(always)]
            fn norm(self) -> f64 {
                wide(self).norm()
            }

            #[inline(always)]
            fn round(self) -> Complex<$type> {
                Complex::new(Field::round(self.re), Field::round(self.im))
            }
        }
    )*};
}

complexes!(f32 f64);

#[inline(always)]
fn wide<T: Float>(z: Complex<T>) -> Complex<f64> {
    Complex::new(z.re.double(), z.im.double())
}

#[inline(always)]
fn narrow<T: Float>(z: Complex<f64>) -> Complex<T> {
    Complex::new(T::of(z.re), T::of(z.im))
}

/// A complex quotient by Smith's method: the larger part of the divisor is divided by first, so that
/// nothing overflows on the way that is representable in the end.
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
