//! Arithmetic of real floating-point numbers.

use super::math::{MulAdd, double, single};
use super::scalar::{Comparable, Field, Float, Number, Real, Scalar};

/// Functions of one number that a module or a type has under the same name; `<M>` if they take an FMA.
macro_rules! delegate {
    ($type:ty, $module:ident: $($function:ident)*) => {$(
        #[inline(always)]
        fn $function(self) -> $type {
            $module::$function(self)
        }
    )*};
    ($type:ty, $module:ident<M>: $($function:ident)*) => {$(
        #[inline(always)]
        fn $function<M: MulAdd>(self) -> $type {
            $module::$function::<M>(self)
        }
    )*};
}

/// Implements the traits for a float type, with the functions of a module.
macro_rules! floats {
    ($($type:ident: $module:ident;)*) => {$(
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
                // The Array API requires the quotient here; NumPy returns NaN, and -1 for quotients just below
                // zero.
                if divisor == 0.0 || self.is_infinite() || divisor.is_infinite() {
                    return self / divisor;
                }
                // The remainder is exact; dividend minus remainder is rounded once.
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
            delegate!($type, $type: sqrt);
            delegate!($type, $module<M>: exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh);

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
        }

        impl Float for $type {
            delegate!($type, $type: floor ceil trunc);
            delegate!($type, $module<M>: sin_fast cos_fast tan_fast ln_1p_of_fraction cbrt erf logistic softplus swish gelu gelu_tanh);
            delegate!($type, $module: erfc);

            #[inline(always)]
            fn in_fast_range(self) -> bool {
                $module::in_fast_range(self)
            }

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
            fn hypot<M: MulAdd>(self, other: $type) -> $type {
                $module::hypot::<M>(self, other)
            }

            #[inline(always)]
            fn atan2<M: MulAdd>(self, x: $type) -> $type {
                $module::atan2::<M>(self, x)
            }
        }
    )*};
}

floats! {
    f32: single;
    f64: double;
}
