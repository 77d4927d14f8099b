//! Reference implementations of scalar operations, to compare the kernels with.

use super::TestElement;
use belvedere::{Complex, bf16, f16};

/// Wrapping arithmetic on one pair of elements.
pub(crate) trait ReferenceArithmetic: TestElement {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn negated(self) -> Self;
}

/// Minimum and maximum of one pair of elements.
pub(crate) trait ReferenceOrder: TestElement + PartialOrd {
    fn is_nan(self) -> bool;

    /// Returns the smaller value, or NaN if one of them is.
    fn least(self, other: Self) -> Self {
        match (self.is_nan(), other.is_nan()) {
            (true, _) => self,
            (_, true) => other,
            _ if other < self => other,
            _ => self,
        }
    }

    /// Returns the greater value, or NaN if one of them is.
    fn most(self, other: Self) -> Self {
        match (self.is_nan(), other.is_nan()) {
            (true, _) => self,
            (_, true) => other,
            _ if other > self => other,
            _ => self,
        }
    }
}

/// Returns whether a value counts as true.
pub(crate) fn is_nonzero<T: TestElement>(x: T) -> bool {
    x != T::default()
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl ReferenceArithmetic for $type {
            fn plus(self, other: $type) -> $type {
                self.wrapping_add(other)
            }

            fn minus(self, other: $type) -> $type {
                self.wrapping_sub(other)
            }

            fn times(self, other: $type) -> $type {
                self.wrapping_mul(other)
            }

            fn negated(self) -> $type {
                (0 as $type).wrapping_sub(self)
            }
        }

        impl ReferenceOrder for $type {
            fn is_nan(self) -> bool {
                false
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

/// 16-bit floats are computed in single precision.
macro_rules! floats {
    ($($type:ty: $up:expr, $down:expr;)*) => {$(
        impl ReferenceArithmetic for $type {
            fn plus(self, other: $type) -> $type {
                $down($up(self) + $up(other))
            }

            fn minus(self, other: $type) -> $type {
                $down($up(self) - $up(other))
            }

            fn times(self, other: $type) -> $type {
                $down($up(self) * $up(other))
            }

            fn negated(self) -> $type {
                $down(-$up(self))
            }
        }

        impl ReferenceOrder for $type {
            fn is_nan(self) -> bool {
                <$type>::is_nan(self)
            }
        }
    )*};
}

floats!(
    f16: f16::to_f32, f16::from_f32;
    bf16: bf16::to_f32, bf16::from_f32;
    f32: f32::from, f32::from;
    f64: f64::from, f64::from;
);

macro_rules! complexes {
    ($($type:ty)*) => {$(
        impl ReferenceArithmetic for Complex<$type> {
            fn plus(self, other: Self) -> Self {
                Complex::new(self.re + other.re, self.im + other.im)
            }

            fn minus(self, other: Self) -> Self {
                Complex::new(self.re - other.re, self.im - other.im)
            }

            fn times(self, other: Self) -> Self {
                let re = self.re * other.re - self.im * other.im;
                Complex::new(re, self.re * other.im + self.im * other.re)
            }

            fn negated(self) -> Self {
                Complex::new(-self.re, -self.im)
            }
        }
    )*};
}

complexes!(f32 f64);
