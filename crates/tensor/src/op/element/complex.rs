//! Complex numbers and their parts. `real` and `imag` are views: tensor/shape.rs has them.

use crate::kernel::body::Body;
use crate::kernel::cast::cast;
use crate::op::elementwise::UnaryOp;
use crate::op::operand::{Operand, Target};
use crate::{Complex, DType, Error, Tensor};
use std::panic::Location;

unary! {
    /// The angle of a complex number, from -π to π; of real numbers 0, or π for those with a minus.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![Complex::new(0.0, 2.0)];
    /// assert_eq!(x.angle()?.to_vec::<f64>()?, [std::f64::consts::FRAC_PI_2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ANGLE: angle, angle_into = Field by angle_body
}

/// The angle of a complex number is real, so it has bodies of its own.
fn angle_body(dtype: DType) -> Option<Body<'static, 2>> {
    match dtype {
        DType::Complex64 => Some(Body::unary_calls(|x: Complex<f32>| x.arg())),
        DType::Complex128 => Some(Body::unary_calls(|x: Complex<f64>| x.arg())),
        real => body!(Float calls |x| T::ZERO.atan2(x))(real),
    }
}

const CONJ: UnaryOp = operation!("conj", Any by conj_body);

fn conj_body(dtype: DType) -> Option<Body<'static, 2>> {
    Some(match dtype {
        DType::Complex64 => Body::unary(|x: Complex<f32>| x.conj()),
        DType::Complex128 => Body::unary(|x: Complex<f64>| x.conj()),
        real => cast(real, real),
    })
}

impl Tensor {
    /// The complex conjugate: the same number with the other sign of its imaginary part. Real numbers
    /// are their own.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![Complex::new(1.0, 2.0)];
    /// assert_eq!(x.conj()?.to_vec::<Complex<f64>>()?, [Complex::new(1.0, -2.0)]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// The result is new if the type is complex, and this tensor if not.
    #[track_caller]
    pub fn conj(&self) -> Result<Tensor, Error> {
        if self.dtype().is_complex() { CONJ.compute([self.into()]) } else { Ok(self.clone()) }
    }
}

/// Writes [`Tensor::conj`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// Copies `x` first if the two share elements, and do not lie by the same strides.
#[track_caller]
pub fn conj_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    CONJ.compute_into([x.into()], out.into(), Location::caller())
}
