//! Functions of complex numbers. `real` and `imag` are views, in `tensor/reinterpret.rs`.

use crate::kernel::body::Body;
use crate::kernel::cast::cast;
use crate::kernel::complex_loop::conjugate;
use crate::op::elementwise::UnaryOp;
use crate::op::operand::{Operand, Target};
use crate::trace::Call;
use crate::{Complex, DType, Error, Tensor};

unary! {
    /// Computes the argument (phase angle) of complex numbers, from -π to π; for real numbers, 0 or π by their sign.
    example(tensor![Complex::new(0.0, 2.0)] => f64 [std::f64::consts::FRAC_PI_2])
    ANGLE: angle, angle_into = Field by angle_body
}

/// Returns the body of `angle`, whose result is real for complex elements.
fn angle_body(dtype: DType) -> Option<Body<'static, 2>> {
    match dtype {
        DType::Complex64 => Some(Body::unary_calls(|x: Complex<f32>| x.arg())),
        DType::Complex128 => Some(Body::unary_calls(|x: Complex<f64>| x.arg())),
        real => body!(Float fused |x| T::ZERO.atan2::<M>(x))(real),
    }
}

const CONJ: UnaryOp = operation!("conj", Any by conj_body);

fn conj_body(dtype: DType) -> Option<Body<'static, 2>> {
    Some(match dtype {
        DType::Complex64 => conjugate(),
        DType::Complex128 => Body::unary(|x: Complex<f64>| x.conj()),
        real => cast(real, real),
    })
}

impl Tensor {
    /// Returns the complex conjugate; real elements stay unchanged.
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
    /// Allocates the result if the dtype is complex; otherwise returns this tensor.
    #[track_caller]
    pub fn conj(&self) -> Result<Tensor, Error> {
        if self.dtype().is_complex() { CONJ.compute([self.into()]) } else { Ok(self.clone()) }
    }
}

/// Writes [`Tensor::conj`] of `x` to `out`, which may be `x` itself.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![Complex::new(1.0, 2.0)];
/// belvedere::conj_into(&x, &x)?;
/// assert_eq!(x.to_vec::<Complex<f64>>()?, [Complex::new(1.0, -2.0)]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// Those of the method; and if `out` has another shape, cannot hold the dtype, or cannot be written to.
///
/// # Memory
/// Copies `x` first if it overlaps `out` with other strides.
#[track_caller]
pub fn conj_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    CONJ.compute_into([x.into()], out.into(), Call::new(CONJ.name))
}
