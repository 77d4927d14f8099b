//! What elements of matrices can do.

use crate::{DType, Element};
use faer::traits::{ComplexField, RealField};
use num_complex::Complex;

/// An element of a matrix.
pub(super) trait Number: Element + ComplexField<Real: Real> + Copy {
    /// The number of size 1 in its direction. It must neither be 0 nor a NaN.
    fn direction(self) -> Self;
}

/// A real one.
pub(super) trait Real: Element + RealField + PartialOrd + Copy {
    /// The type of complex numbers with such parts.
    const COMPLEX: DType;
    /// The power of two by which a matrix is multiplied before squares of its elements are summed, if its
    /// greatest element asks for one.
    fn factor(greatest: Self) -> Option<Self>;
    fn ln(self) -> Self;
    fn hypot(self, other: Self) -> Self;
    fn over(self, other: Self) -> Self;
}

macro_rules! reals {
    ($($type:ident $complex:ident $comfort:literal $most:literal)*) => {$(
        impl Number for $type {
            fn direction(self) -> $type {
                self.signum()
            }
        }

        impl Number for Complex<$type> {
            fn direction(self) -> Complex<$type> {
                // The greater part is 1 first, so that the size is neither 0 nor infinite.
                let greater = self.re.abs().max(self.im.abs());
                let scaled = Complex::new(self.re / greater, self.im / greater);
                scaled / scaled.re.hypot(scaled.im)
            }
        }

        impl Real for $type {
            const COMPLEX: DType = DType::$complex;

            fn factor(greatest: $type) -> Option<$type> {
                let exponent = greatest.log2();
                // Neither 0 nor what is not finite gets better.
                let asks = exponent.is_finite() && exponent.abs() > $comfort;
                asks.then(|| <$type>::exp2(-exponent.floor().clamp(-$most, $most)))
            }

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

// Exponents up to which nothing is lost, and of the greatest factor.
reals!(f32 Complex64 30.0 120.0 f64 Complex128 300.0 1000.0);
