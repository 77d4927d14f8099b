//! What real floating-point numbers can do.

use super::scalar::{Comparable, Field, Float, Number, Real, Scalar};

/// Functions of one number that the standard library has under the same name.
macro_rules! standard {
    ($type:ty: $($function:ident)*) => {$(
        #[inline(always)]
        fn $function(self) -> $type {
            <$type>::$function(self)
        }
    )*};
}

/// Implements the traits for a float type. The functions behind the colon are from `libm`: the standard
/// library has no error function, and its inverse hyperbolic functions lose digits near their zeros.
macro_rules! floats {
    ($($type:ty: $erf:path, $erfc:path, $asinh:path, $acosh:path, $atanh:path;)*) => {$(
        impl Scalar for $type {
            #[inline(always)]
            fn is_true(self) -> bool {
                self != 0.0
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                self != self
            }

            #[inline(always)]
            fn is_infinite(self) -> bool {
                <$type>::is_infinite(self)
            }

            #[inline(always)]
            fn is_finite(self) -> bool {
                <$type>::is_finite(self)
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
            fn times_plus(self, factor: $type, summand: $type) -> $type {
                self.mul_add(factor, summand)
            }

            #[inline(always)]
            fn negative(self) -> $type {
                -self
            }

            #[inline(always)]
            fn power(self, exponent: $type) -> $type {
                self.powf(exponent)
            }

            #[inline(always)]
            fn sign(self) -> $type {
                let sign = (self > 0.0) as u8 as $type - (self < 0.0) as u8 as $type;
                if self != self { self } else { sign }
            }
        }

        impl Comparable for $type {
            const LOWEST: $type = <$type>::NEG_INFINITY;
            const HIGHEST: $type = <$type>::INFINITY;

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

        impl Real for $type {
            #[inline(always)]
            fn floor_divide(self, divisor: $type) -> $type {
                // The standard takes the quotient itself here; NumPy has NaN, and -1 for what is
                // just below zero.
                if divisor == 0.0 || self.is_infinite() || divisor.is_infinite() {
                    return self / divisor;
                }
                // What is left over is exact; so is the dividend without it, but for one rounding.
                let rest = self % divisor;
                let is_above = rest != 0.0 && (rest < 0.0) != (divisor < 0.0);
                let quotient = (self - rest) / divisor - is_above as u8 as $type;
                match quotient == 0.0 {
                    true => (0.0 as $type).copysign(self / divisor),
                    false => quotient.round(),
                }
            }

            #[inline(always)]
            fn remainder(self, divisor: $type) -> $type {
                let rest = self % divisor;
                match rest == 0.0 {
                    true => (0.0 as $type).copysign(divisor),
                    false if (rest < 0.0) != (divisor < 0.0) => rest + divisor,
                    false => rest,
                }
            }

            #[inline(always)]
            fn fmod(self, divisor: $type) -> $type {
                self % divisor
            }
        }

        impl Field for $type {
            standard!($type: sqrt exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan asin acos atan
                sinh cosh tanh);

            #[inline(always)]
            fn over(self, other: $type) -> $type {
                self / other
            }

            #[inline(always)]
            fn reciprocal(self) -> $type {
                1.0 / self
            }

            #[inline(always)]
            fn norm(self) -> f64 {
                self.abs() as f64
            }

            #[inline(always)]
            fn round(self) -> $type {
                self.round_ties_even()
            }

            #[inline(always)]
            fn asinh(self) -> $type {
                $asinh(self)
            }

            #[inline(always)]
            fn acosh(self) -> $type {
                // Theirs is not defined below one.
                if self < 1.0 { <$type>::NAN } else { $acosh(self) }
            }

            #[inline(always)]
            fn atanh(self) -> $type {
                $atanh(self)
            }
        }

        impl Float for $type {
            standard!($type: floor ceil trunc cbrt);

            #[inline(always)]
            fn of(value: f64) -> $type {
                value as $type
            }

            #[inline(always)]
            fn double(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            fn has_minus(self) -> bool {
                self.is_sign_negative()
            }

            #[inline(always)]
            fn copysign(self, sign: $type) -> $type {
                <$type>::copysign(self, sign)
            }

            #[inline(always)]
            fn hypot(self, other: $type) -> $type {
                <$type>::hypot(self, other)
            }

            #[inline(always)]
            fn atan2(self, x: $type) -> $type {
                <$type>::atan2(self, x)
            }

            #[inline(always)]
            fn erf(self) -> $type {
                $erf(self)
            }

            #[inline(always)]
            fn erfc(self) -> $type {
                $erfc(self)
            }
        }
    )*};
}

floats! {
    f32: libm::erff, libm::erfcf, libm::asinhf, libm::acoshf, libm::atanhf;
    f64: libm::erf, libm::erfc, libm::asinh, libm::acosh, libm::atanh;
}
