//! What elements of matrices can do.

use crate::{DType, Element};
use faer::traits::{ComplexField, RealField};
use num_complex::Complex;

/// An element of a matrix.
pub(super) trait Number: Element + ComplexField<Real: Real> + Copy {}

/// A real one.
pub(super) trait Real: Element + RealField + PartialOrd + Copy {
    /// The type of complex numbers with such parts.
    const COMPLEX: DType;
    fn ln(self) -> Self;
    fn hypot(self, other: Self) -> Self;
    fn over(self, other: Self) -> Self;
}

macro_rules! reals {
    ($($type:ident $complex:ident)*) => {$(
        impl Number for $type {}
        impl Number for Complex<$type> {}

        impl Real for $type {
            const COMPLEX: DType = DType::$complex;

            fn ln(self) -> $type {
                self.ln()
            }

            fn hypot(self, other: $type) -> $type {
                self.hypot(other)
            }

            fn over(self, other: $type) -> $type {
                self / other
            }
        }
    )*};
}

reals!(f32 Complex64 f64 Complex128);
