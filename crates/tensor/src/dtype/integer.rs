//! Arithmetic of integers.

use super::scalar::{Comparable, Integer, Number, Real, Scalar};

/// Implements the traits for an integer type, given the unsigned type of its size and its magnitude.
macro_rules! integers {
    ($($type:ty, $unsigned:ty: $magnitude:expr;)*) => {$(
        impl Scalar for $type {
            #[inline(always)]
            fn is_true(self) -> bool {
                self != 0
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }

            #[inline(always)]
            fn is_infinite(self) -> bool {
                false
            }

            #[inline(always)]
            fn is_finite(self) -> bool {
                true
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
            fn times_plus(self, factor: $type, summand: $type) -> $type {
                self.wrapping_mul(factor).wrapping_add(summand)
            }

            #[inline(always)]
            fn negative(self) -> $type {
                self.wrapping_neg()
            }

            #[inline(always)]
            fn sign(self) -> $type {
                (self > Self::ZERO) as $type - (self < Self::ZERO) as $type
            }
        }

        impl Comparable for $type {
            const LOWEST: $type = <$type>::MIN;
            const HIGHEST: $type = <$type>::MAX;

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

        impl Real for $type {
            #[inline(always)]
            fn floor_divide(self, divisor: $type) -> $type {
                if divisor == 0 {
                    return 0;
                }
                let rest = self.wrapping_rem(divisor);
                let is_above = rest != 0 && (rest < Self::ZERO) != (divisor < Self::ZERO);
                self.wrapping_div(divisor).wrapping_sub(is_above as $type)
            }

            #[inline(always)]
            fn remainder(self, divisor: $type) -> $type {
                let rest = self.fmod(divisor);
                let is_above = rest != 0 && (rest < Self::ZERO) != (divisor < Self::ZERO);
                if is_above { rest.wrapping_add(divisor) } else { rest }
            }

            #[inline(always)]
            fn fmod(self, divisor: $type) -> $type {
                if divisor == 0 { 0 } else { self.wrapping_rem(divisor) }
            }
        }

        impl Integer for $type {
            #[inline(always)]
            fn and(self, other: $type) -> $type {
                self & other
            }

            #[inline(always)]
            fn or(self, other: $type) -> $type {
                self | other
            }

            #[inline(always)]
            fn xor(self, other: $type) -> $type {
                self ^ other
            }

            #[inline(always)]
            fn invert(self) -> $type {
                !self
            }

            #[inline(always)]
            fn shift_left(self, count: $type) -> $type {
                // As an unsigned number, a negative count is too large.
                let is_within = (count as $unsigned) < <$type>::BITS as $unsigned;
                if is_within { self.wrapping_shl(count as u32) } else { 0 }
            }

            #[inline(always)]
            fn shift_right(self, count: $type) -> $type {
                let last = <$type>::BITS as $unsigned - 1;
                let is_within = (count as $unsigned) <= last;
                let signs = if self < Self::ZERO { !0 } else { 0 };
                if is_within { self.wrapping_shr(count as u32) } else { signs }
            }

            #[inline(always)]
            fn gcd(self, other: $type) -> $type {
                let (mut a, mut b) = (self.magnitude() as $unsigned, other.magnitude() as $unsigned);
                while b != 0 {
                    (a, b) = (b, a % b);
                }
                a as $type
            }

            #[inline(always)]
            fn lcm(self, other: $type) -> $type {
                let divisor = self.gcd(other) as $unsigned;
                let (a, b) = (self.magnitude() as $unsigned, other.magnitude() as $unsigned);
                a.checked_div(divisor).unwrap_or(0).wrapping_mul(b) as $type
            }
        }
    )*};
}

integers! {
    i8, u8: i8::wrapping_abs;
    i16, u16: i16::wrapping_abs;
    i32, u32: i32::wrapping_abs;
    i64, u64: i64::wrapping_abs;
    u8, u8: |x| x;
    u16, u16: |x| x;
    u32, u32: |x| x;
    u64, u64: |x| x;
}
