//! Discrete Fourier transforms.
//!
//! Names and arguments are those of the Array API standard. `n` is the number of points of a transform: the input is
//! padded with zeros or truncated. Without it, `n` is the length of the axis. `float32`, `float16` and `bfloat16` give
//! `complex64`; `float64`, integers and `bool` give `complex128`.
//!
//! Inputs may have any strides and are never copied as a whole: they are loaded lane by lane. Plans are cached, since
//! computing a plan takes longer than a transform; [`forget_plans`] frees them.
//!
//! Transforms need the feature `fft`, which is on by default.

mod frequency;
mod many;

pub use frequency::{fftfreq, fftshift, ifftshift, rfftfreq};
pub use many::{fft2, fftn, ifft2, ifftn, irfft2, irfftn, rfft2, rfftn};

use crate::feature::Feature;
use crate::kernel::fft::{self as kernel, FftKind, Transform};
use crate::op::execute::{InputIsOutput, compute_into, compute_new};
use crate::trace::{Call, composite};
use crate::{DType, Error, Layout, Tensor};

/// The normalization: which of a transform and its inverse divides by the number of points.
///
/// ```
/// use belvedere::fft::Norm;
///
/// assert_eq!("ortho".parse::<Norm>()?, Norm::Ortho);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Norm {
    /// The inverse divides by `n`.
    #[default]
    Backward,
    /// Both divide by `sqrt(n)`.
    Ortho,
    /// The forward transform divides by `n`.
    Forward,
}

impl Norm {
    /// Returns the factor of the results of a transform of `n` points.
    fn scale(self, n: usize, is_inverse: bool) -> f64 {
        match (self, is_inverse) {
            (Norm::Backward, false) | (Norm::Forward, true) => 1.0,
            (Norm::Ortho, _) => 1.0 / (n as f64).sqrt(),
            (Norm::Backward, true) | (Norm::Forward, false) => 1.0 / n as f64,
        }
    }
}

/// Computes the discrete Fourier transform along an axis.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let x = tensor![1.0, 2.0, 3.0, 4.0];
/// let y = fft::fft(&x, None, -1, Norm::Backward)?;
/// let [a, b] = [(10.0, 0.0), (-2.0, 2.0)].map(|(re, im)| Complex::new(re, im));
/// assert_eq!(y.to_vec::<Complex<f64>>()?[..2], [a, b]);
/// assert_eq!(fft::fft(&x, 7, -1, Norm::Backward)?.shape(), [7]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the axis does not exist, `n` or the length of the axis is 0, or there is not enough memory.
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn fft(
    x: &Tensor,
    n: impl Into<Option<usize>>,
    axis: isize,
    norm: Norm,
) -> Result<Tensor, Error> {
    OneAxis { call: Call::new("fft"), kind: FftKind::Forward, is_inverse: false, conjugate: false }
        .transform_axis(x, n.into(), axis, norm)
}

/// Computes the inverse of [`fft`].
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let x = tensor![1.0, 2.0, 3.0];
/// let y = fft::ifft(&fft::fft(&x, None, 0, Norm::Ortho)?, None, 0, Norm::Ortho)?;
/// assert!(y.real()?.allclose_with(&x, 1e-12, 0.0)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fft`].
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn ifft(
    x: &Tensor,
    n: impl Into<Option<usize>>,
    axis: isize,
    norm: Norm,
) -> Result<Tensor, Error> {
    OneAxis { call: Call::new("ifft"), kind: FftKind::Inverse, is_inverse: true, conjugate: false }
        .transform_axis(x, n.into(), axis, norm)
}

/// Computes the first `n / 2 + 1` numbers of the transform of real input; the others are their conjugates.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let y = fft::rfft(&tensor![1, 0, -1, 0], None, -1, Norm::Backward)?;
/// assert_eq!(y.to_vec::<Complex<f64>>()?, [0.0, 2.0, 0.0].map(Complex::from));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fft`]; and if the input is complex.
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn rfft(
    x: &Tensor,
    n: impl Into<Option<usize>>,
    axis: isize,
    norm: Norm,
) -> Result<Tensor, Error> {
    OneAxis {
        call: Call::new("rfft"),
        kind: FftKind::FromReal,
        is_inverse: false,
        conjugate: false,
    }
    .transform_axis(x, n.into(), axis, norm)
}

/// Computes the inverse of [`rfft`]: `n` real numbers, by default `2 * (len - 1)`.
///
/// The imaginary parts of the first number and, if `n` is even, of the number at `n / 2` are ignored.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let x = tensor![1.0, 5.0, 2.0];
/// let y = fft::rfft(&x, None, 0, Norm::Backward)?;
/// let back = fft::irfft(&y, 3, 0, Norm::Backward)?;
/// assert!(back.allclose_with(&x, 1e-12, 0.0)?.holds());
/// assert_eq!(fft::irfft(&y, None, 0, Norm::Backward)?.shape(), [2]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fft`]; without `n` the length of the axis must be at least 2.
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn irfft(
    x: &Tensor,
    n: impl Into<Option<usize>>,
    axis: isize,
    norm: Norm,
) -> Result<Tensor, Error> {
    OneAxis { call: Call::new("irfft"), kind: FftKind::ToReal, is_inverse: true, conjugate: false }
        .transform_axis(x, n.into(), axis, norm)
}

/// Computes the real transform of a Hermitian sequence, given by its first half.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let y = fft::hfft(&tensor![1.0, 2.0, 3.0], None, 0, Norm::Backward)?;
/// assert_eq!(y.to_vec::<f64>()?, [8.0, -2.0, 0.0, -2.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`irfft`].
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn hfft(
    x: &Tensor,
    n: impl Into<Option<usize>>,
    axis: isize,
    norm: Norm,
) -> Result<Tensor, Error> {
    OneAxis { call: Call::new("hfft"), kind: FftKind::ToReal, is_inverse: false, conjugate: true }
        .transform_axis(x, n.into(), axis, norm)
}

/// Computes the inverse of [`hfft`]: the first half of the inverse transform of real input.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let y = fft::ihfft(&tensor![8, -2, 0, -2], None, 0, Norm::Backward)?;
/// assert_eq!(y.real()?.to_vec::<f64>()?, [1.0, 2.0, 3.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`rfft`].
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn ihfft(
    x: &Tensor,
    n: impl Into<Option<usize>>,
    axis: isize,
    norm: Norm,
) -> Result<Tensor, Error> {
    OneAxis { call: Call::new("ihfft"), kind: FftKind::FromReal, is_inverse: true, conjugate: true }
        .transform_axis(x, n.into(), axis, norm)
}

/// Frees the cached plans of transforms.
///
/// ```
/// belvedere::fft::forget_plans();
/// ```
pub fn forget_plans() {
    kernel::forget_plans();
}

/// A transform along one axis, without its arguments.
#[derive(Clone, Copy)]
struct OneAxis<'c> {
    call: Call<'c>,
    kind: FftKind,
    is_inverse: bool,
    conjugate: bool,
}

impl OneAxis<'_> {
    fn transform_axis(
        self,
        x: &Tensor,
        n: Option<usize>,
        axis: isize,
        norm: Norm,
    ) -> Result<Tensor, Error> {
        let params = [("n", n.into()), ("axis", axis.into()), ("norm", norm.name().into())];
        let step = OneAxis { call: self.call.with(&params), ..self };
        let axis = x.layout().resolve_axis(axis)?;
        let n = match n {
            Some(n) => n,
            None => step.n_points(x.shape()[axis]),
        };
        step.check(x, n)?;
        composite(step.call, &[x.into()], || step.fresh(x, axis, n, norm))
    }

    /// Returns the default number of points for an axis.
    fn n_points(self, len: usize) -> usize {
        match self.kind {
            FftKind::ToReal => len.saturating_sub(1).saturating_mul(2),
            _ => len,
        }
    }

    fn check(self, x: &Tensor, n: usize) -> Result<(), Error> {
        if self.kind == FftKind::FromReal && x.dtype().is_complex() {
            return Err(Error::Unsupported { op: self.call.op, dtype: x.dtype() });
        }
        if n == 0 {
            let (op, needs) = (self.call.op, "at least one point");
            return Err(Error::Argument { op, needs, given: 0.0 });
        }
        Ok(())
    }

    fn transform(self, axis: usize, n: usize, norm: Norm) -> Transform {
        let (kind, conjugate) = (self.kind, self.conjugate);
        Transform { kind, axis, n, scale: norm.scale(n, self.is_inverse), conjugate }
    }

    /// Transforms into a new tensor.
    fn fresh(self, x: &Tensor, axis: usize, n: usize, norm: Norm) -> Result<Tensor, Error> {
        Feature::FFT.require(self.call.op)?;
        let transform = self.transform(axis, n, norm);
        // Points that are truncated are not packed either.
        let n_read = if self.kind == FftKind::ToReal { n / 2 + 1 } else { n };
        let read = x.layout().narrow(axis as isize, 0, n_read.min(x.shape()[axis]))?;
        let x = &x.with_layout(read);
        let mut shape = x.shape().to_vec();
        shape[axis] = transform.len();
        let dtype = match self.kind {
            FftKind::ToReal => complex(x.dtype()).real(),
            _ => complex(x.dtype()),
        };
        let layout = Layout::row_major(&shape)?;
        compute_new(self.call, layout, dtype, &[x.into()], |out, [view]| {
            kernel::transform(out, &view, transform)
        })
    }

    /// Transforms complex numbers in place if the number of points is the length of the axis, otherwise into a new
    /// tensor.
    fn in_place(self, x: Tensor, axis: usize, n: usize, norm: Norm) -> Result<Tensor, Error> {
        if x.shape()[axis] != n {
            return self.fresh(&x, axis, n, norm);
        }
        Feature::FFT.require(self.call.op)?;
        compute_into(self.call, (&x).into(), &[], InputIsOutput::InPlace, |out, []| {
            kernel::transform_in_place(out, self.transform(axis, n, norm))
        })?;
        Ok(x)
    }
}

/// Returns the complex dtype that a dtype is transformed in.
fn complex(dtype: DType) -> DType {
    match dtype {
        DType::Float16 | DType::BFloat16 | DType::Float32 | DType::Complex64 => DType::Complex64,
        _ => DType::Complex128,
    }
}
