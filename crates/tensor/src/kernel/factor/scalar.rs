//! The element types of factorizations.

use crate::Element;
use faer::traits::{ComplexField, RealField};
use num_complex::Complex;

/// An element of a matrix that can be factorized: real or complex.
pub(super) trait FactorScalar: Element + ComplexField<Real: FactorReal> + Copy {
    /// `x / |x|`, for an `x` that is neither 0 nor NaN.
    fn direction(self) -> Self;
}

/// A real element, and the type of singular values and of eigenvalues of Hermitian matrices.
pub(super) trait FactorReal: Element + RealField + PartialOrd + Copy {
    /// Returns the power of two by which a matrix is scaled before squares of its elements are summed; `None` if
    /// its largest absolute value is not so extreme that they would overflow or underflow.
    fn scale_for(max_abs: Self) -> Option<Self>;
    /// Returns the power of two that scales `max_abs` to about `2^exponent`; `None` if it is 0.
    fn scale_to(exponent: f64, max_abs: Self) -> Option<Self>;
    fn ln(self) -> Self;
    fn hypot(self, other: Self) -> Self;
    fn over(self, other: Self) -> Self;
    /// Sums of squares below this are computed again from scaled elements, since squares may have underflown.
    fn small_square() -> Self;
    fn to_f64(self) -> f64;
}

macro_rules! reals {
    ($($type:ident $unscaled:literal $most:literal $small:literal)*) => {$(
        impl FactorScalar for $type {
            fn direction(self) -> $type {
                self.signum()
            }
        }

        impl FactorScalar for Complex<$type> {
            fn direction(self) -> Complex<$type> {
                // Divides by the larger part first, so that `hypot` neither underflows nor overflows.
                let greater = self.re.abs().max(self.im.abs());
                let scaled = Complex::new(self.re / greater, self.im / greater);
                scaled / scaled.re.hypot(scaled.im)
            }
        }

        impl FactorReal for $type {
            fn scale_for(max_abs: $type) -> Option<$type> {
                let exponent = max_abs.log2();
                // 0 and values that are not finite are not scaled.
                let is_extreme = exponent.is_finite() && exponent.abs() > $unscaled;
                is_extreme.then(|| <$type>::exp2(-exponent.floor().clamp(-$most, $most)))
            }

            fn scale_to(exponent: f64, max_abs: $type) -> Option<$type> {
                let distance = (exponent as $type - max_abs.log2()).ceil();
                distance.is_finite().then(|| <$type>::exp2(distance.clamp(-$most, $most)))
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

            #[inline(always)]
            fn small_square() -> $type {
                $small
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.into()
            }
        }
    )*};
}

// The largest exponent that needs no scaling, the largest exponent of a scale, and the square of the smallest number
// that needs none.
reals!(f32 30.0 120.0 8e-19 f64 300.0 1000.0 2e-181);
