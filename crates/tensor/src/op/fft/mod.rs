//! Discrete Fourier transforms.
//!
//! Names and arguments are those of the Array API standard. [`fft`] has its default arguments, [`fft_with`] takes all of
//! them, and so on. `n` is the number of points of a transform: the input is padded with zeros or truncated. Without it, `n`
//! is the length of the axis. `float32`, `float16` and `bfloat16` give
//! `complex64`; `float64`, integers and `bool` give `complex128`.
//!
//! Inputs may have any strides and are never copied as a whole: they are loaded lane by lane. Plans are cached, since
//! computing a plan takes longer than a transform; [`forget_plans`] frees them.
//!
//! Transforms need the feature `fft`, which is on by default.

mod frequency;
mod many;

pub use frequency::{fftfreq, fftfreq_with, fftshift, ifftshift, rfftfreq, rfftfreq_with};
pub use many::{
    fft2, fft2_with, fftn, fftn_with, ifft2, ifft2_with, ifftn, ifftn_with, irfft2, irfft2_with,
    irfftn, irfftn_with, rfft2, rfft2_with, rfftn, rfftn_with,
};

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

/// Computes the discrete Fourier transform along the last axis.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let y = fft::fft(&tensor![1.0, 2.0, 3.0, 4.0])?;
/// let [a, b] = [(10.0, 0.0), (-2.0, 2.0)].map(|(re, im)| Complex::new(re, im));
/// assert_eq!(y.to_vec::<Complex<f64>>()?[..2], [a, b]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If there is no axis or its length is 0, or there is not enough memory.
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn fft(x: &Tensor) -> Result<Tensor, Error> {
    fft_with(x, None, -1, Norm::Backward)
}

/// Computes [`fft`] of `n` points along an axis, with a normalization.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let x = tensor![1.0, 2.0, 3.0, 4.0];
/// let y = fft::fft_with(&x, None, -1, Norm::Forward)?;
/// assert_eq!(y.get::<Complex<f64>>(0)?, Complex::from(2.5));
/// assert_eq!(fft::fft_with(&x, 7, -1, Norm::Backward)?.shape(), [7]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the axis does not exist, `n` or the length of the axis is 0, or there is not enough memory.
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn fft_with(
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
/// use belvedere::{fft, prelude::*};
///
/// let x = tensor![1.0, 2.0, 3.0];
/// let y = fft::ifft(&fft::fft(&x)?)?;
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
pub fn ifft(x: &Tensor) -> Result<Tensor, Error> {
    ifft_with(x, None, -1, Norm::Backward)
}

/// Computes [`ifft`] of `n` points along an axis, with a normalization.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let x = tensor![1.0, 2.0, 3.0];
/// let y = fft::ifft_with(&fft::fft_with(&x, None, 0, Norm::Ortho)?, None, 0, Norm::Ortho)?;
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
pub fn ifft_with(
    x: &Tensor,
    n: impl Into<Option<usize>>,
    axis: isize,
    norm: Norm,
) -> Result<Tensor, Error> {
    OneAxis { call: Call::new("ifft"), kind: FftKind::Inverse, is_inverse: true, conjugate: false }
        .transform_axis(x, n.into(), axis, norm)
}

/// Computes the first `n / 2 + 1` numbers of the transform of `n` real ones along the last axis; the others are their
/// conjugates.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let y = fft::rfft(&tensor![1, 0, -1, 0])?;
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
pub fn rfft(x: &Tensor) -> Result<Tensor, Error> {
    rfft_with(x, None, -1, Norm::Backward)
}

/// Computes [`rfft`] of `n` points along an axis, with a normalization.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let y = fft::rfft_with(&tensor![1, 0, -1, 0], None, -1, Norm::Backward)?;
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
pub fn rfft_with(
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

/// Computes the inverse of [`rfft`]: `2 * (len - 1)` real numbers along the last axis.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let x = tensor![1.0, 5.0, 2.0, 3.0];
/// assert!(fft::irfft(&fft::rfft(&x)?)?.allclose_with(&x, 1e-12, 0.0)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fft`]; the length of the axis must be at least 2.
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn irfft(x: &Tensor) -> Result<Tensor, Error> {
    irfft_with(x, None, -1, Norm::Backward)
}

/// Computes [`irfft`] along an axis, with a normalization: `n` real numbers, by default `2 * (len - 1)`.
///
/// The imaginary parts of the first number and, if `n` is even, of the number at `n / 2` are ignored.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let x = tensor![1.0, 5.0, 2.0];
/// let y = fft::rfft_with(&x, None, 0, Norm::Backward)?;
/// let back = fft::irfft_with(&y, 3, 0, Norm::Backward)?;
/// assert!(back.allclose_with(&x, 1e-12, 0.0)?.holds());
/// assert_eq!(fft::irfft_with(&y, None, 0, Norm::Backward)?.shape(), [2]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fft_with`]; without `n` the length of the axis must be at least 2.
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn irfft_with(
    x: &Tensor,
    n: impl Into<Option<usize>>,
    axis: isize,
    norm: Norm,
) -> Result<Tensor, Error> {
    OneAxis { call: Call::new("irfft"), kind: FftKind::ToReal, is_inverse: true, conjugate: false }
        .transform_axis(x, n.into(), axis, norm)
}

/// Computes the real transform of Hermitian sequences, given by their first half, along the last axis.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let y = fft::hfft(&tensor![1.0, 2.0, 3.0])?;
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
pub fn hfft(x: &Tensor) -> Result<Tensor, Error> {
    hfft_with(x, None, -1, Norm::Backward)
}

/// Computes [`hfft`] of `n` points along an axis, with a normalization.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let y = fft::hfft_with(&tensor![1.0, 2.0, 3.0], None, 0, Norm::Backward)?;
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
pub fn hfft_with(
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
/// use belvedere::{fft, prelude::*};
///
/// let y = fft::ihfft(&tensor![8, -2, 0, -2])?;
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
pub fn ihfft(x: &Tensor) -> Result<Tensor, Error> {
    ihfft_with(x, None, -1, Norm::Backward)
}

/// Computes [`ihfft`] of `n` points along an axis, with a normalization.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let y = fft::ihfft_with(&tensor![8, -2, 0, -2], None, 0, Norm::Backward)?;
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
pub fn ihfft_with(
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
            return Err(Error::Argument { op, needs, given: 0.into() });
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
