//! Multidimensional Fourier transforms.

use super::{Norm, OneAxis, complex};
use crate::kernel::fft::FftKind;
use crate::trace::{Call, Param, composite};
use crate::{Error, LayoutError, Tensor};

/// Computes the Fourier transform along all axes.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let y = fft::fftn(&tensor![[1.0, 2.0], [3.0, 4.0]])?;
/// assert_eq!(y.real()?.to_vec::<f64>()?, [10.0, -2.0, -4.0, 0.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If an axis has length 0, or there is not enough memory.
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn fftn(x: &Tensor) -> Result<Tensor, Error> {
    fftn_with(x, None, None, Norm::Backward)
}

/// Computes [`fftn`] along several axes, with a normalization: `axes`, or the last `s.len()` axes, or all.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
/// let y = fft::fftn_with(&x, None, Some(&[1]), Norm::Forward)?;
/// assert_eq!(y.real()?.to_vec::<f64>()?, [1.5, -0.5, 3.5, -0.5]);
/// assert_eq!(fft::fftn_with(&x, Some(&[4, 8]), Some(&[1, 0]), Norm::Backward)?.shape(), [8, 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If an axis does not exist or is named twice, the number of lengths is not that of the axes, a length is 0, or there
/// is not enough memory.
///
/// # Memory
/// Allocates a new tensor, and another one for each axis whose length changes.
#[track_caller]
pub fn fftn_with(
    x: &Tensor,
    s: Option<&[usize]>,
    axes: Option<&[isize]>,
    norm: Norm,
) -> Result<Tensor, Error> {
    let params = params(s, axes, norm);
    let call = Call::new("fftn").with(&params);
    let step = OneAxis { call, kind: FftKind::Forward, is_inverse: false, conjugate: false };
    composite(call, &[x.into()], || complex_over(step, x, &step.over(x, s, axes)?, norm))
}

/// Computes the inverse of [`fftn`].
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let x = tensor![[1.0, 2.0, 0.5], [3.0, 4.0, -1.0]];
/// assert!(fft::ifftn(&fft::fftn(&x)?)?.real()?.allclose_with(&x, 1e-12, 0.0)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fftn`].
///
/// # Memory
/// As for [`fftn`].
#[track_caller]
pub fn ifftn(x: &Tensor) -> Result<Tensor, Error> {
    ifftn_with(x, None, None, Norm::Backward)
}

/// Computes [`ifftn`] along several axes, with a normalization, as [`fftn_with`] does.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let x = tensor![[1.0, 2.0, 0.5], [3.0, 4.0, -1.0]];
/// let y = fft::fftn_with(&x, None, None, Norm::Ortho)?;
/// let back = fft::ifftn_with(&y, None, None, Norm::Ortho)?;
/// assert!(back.real()?.allclose_with(&x, 1e-12, 0.0)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fftn_with`].
///
/// # Memory
/// As for [`fftn_with`].
#[track_caller]
pub fn ifftn_with(
    x: &Tensor,
    s: Option<&[usize]>,
    axes: Option<&[isize]>,
    norm: Norm,
) -> Result<Tensor, Error> {
    let params = params(s, axes, norm);
    let call = Call::new("ifftn").with(&params);
    let step = OneAxis { call, kind: FftKind::Inverse, is_inverse: true, conjugate: false };
    composite(call, &[x.into()], || complex_over(step, x, &step.over(x, s, axes)?, norm))
}

/// Computes the Fourier transform of real input along all axes; the last axis has the first half of the results.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let y = fft::rfftn(&Tensor::ones([4, 6], DType::Float32)?)?;
/// assert_eq!((y.dtype(), &y.shape()[..]), (DType::Complex64, &[4, 4][..]));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fftn`]; and if there is no axis or the input is complex.
///
/// # Memory
/// As for [`fftn`].
#[track_caller]
pub fn rfftn(x: &Tensor) -> Result<Tensor, Error> {
    rfftn_with(x, None, None, Norm::Backward)
}

/// Computes [`rfftn`] along several axes, with a normalization, as [`fftn_with`] does.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let y = fft::rfftn_with(&Tensor::ones([4, 6], DType::Float32)?, None, None, Norm::Forward)?;
/// assert_eq!((y.dtype(), &y.shape()[..]), (DType::Complex64, &[4, 4][..]));
/// assert_eq!(y.get::<Complex<f32>>(&[0, 0])?, Complex::from(1.0));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fftn_with`]; and if there is no axis or the input is complex.
///
/// # Memory
/// As for [`fftn_with`].
#[track_caller]
pub fn rfftn_with(
    x: &Tensor,
    s: Option<&[usize]>,
    axes: Option<&[isize]>,
    norm: Norm,
) -> Result<Tensor, Error> {
    let params = params(s, axes, norm);
    let call = Call::new("rfftn").with(&params);
    let first = OneAxis { call, kind: FftKind::FromReal, is_inverse: false, conjugate: false };
    let then = OneAxis { kind: FftKind::Forward, ..first };
    composite(call, &[x.into()], || {
        let over = first.over(x, s, axes)?;
        let Some((&(axis, n), rest)) = over.split_last() else {
            return Err(no_axis(call.op));
        };
        let mut result = first.fresh(x, axis, n, norm)?;
        for &(axis, n) in rest.iter().rev() {
            result = then.in_place(result, axis, n, norm)?;
        }
        Ok(result)
    })
}

/// Computes the inverse of [`rfftn`], for a last axis of even length.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let x = tensor![[1.0, 2.0], [3.0, 4.0], [0.5, -1.0]];
/// assert!(fft::irfftn(&fft::rfftn(&x)?)?.allclose_with(&x, 1e-12, 0.0)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fftn`]; and if there is no axis.
///
/// # Memory
/// As for [`fftn`].
#[track_caller]
pub fn irfftn(x: &Tensor) -> Result<Tensor, Error> {
    irfftn_with(x, None, None, Norm::Backward)
}

/// Computes [`irfftn`] along several axes, with a normalization: the length of the last axis is even unless `s` is given.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let x = tensor![[1.0, 2.0, 0.5], [3.0, 4.0, -1.0]];
/// let y = fft::rfftn_with(&x, None, None, Norm::Backward)?;
/// let back = fft::irfftn_with(&y, Some(&[2, 3]), None, Norm::Backward)?;
/// assert!(back.allclose_with(&x, 1e-12, 0.0)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fftn_with`]; and if there is no axis.
///
/// # Memory
/// As for [`fftn_with`].
#[track_caller]
pub fn irfftn_with(
    x: &Tensor,
    s: Option<&[usize]>,
    axes: Option<&[isize]>,
    norm: Norm,
) -> Result<Tensor, Error> {
    let params = params(s, axes, norm);
    let call = Call::new("irfftn").with(&params);
    let last = OneAxis { call, kind: FftKind::ToReal, is_inverse: true, conjugate: false };
    let before = OneAxis { kind: FftKind::Inverse, ..last };
    composite(call, &[x.into()], || {
        let over = last.over(x, s, axes)?;
        let Some((&(axis, n), rest)) = over.split_last() else {
            return Err(no_axis(call.op));
        };
        match rest {
            [] => last.fresh(x, axis, n, norm),
            _ => last.fresh(&complex_over(before, x, rest, norm)?, axis, n, norm),
        }
    })
}

/// Computes [`fftn`] along the last two axes.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let x = Tensor::ones([4, 6], DType::Float32)?;
/// assert_eq!(fft::fft2(&x)?.shape(), [4, 6]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fftn`]; and if there are fewer than two axes.
///
/// # Memory
/// As for [`fftn`].
#[track_caller]
pub fn fft2(x: &Tensor) -> Result<Tensor, Error> {
    fft2_with(x, None, Norm::Backward)
}

/// Computes [`fft2`] with the lengths `s` of the last two axes and a normalization.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let x = Tensor::ones([4, 6], DType::Float32)?;
/// assert_eq!(fft::fft2_with(&x, Some(&[8, 4]), Norm::Ortho)?.shape(), [8, 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fftn_with`].
///
/// # Memory
/// As for [`fftn_with`].
#[track_caller]
pub fn fft2_with(x: &Tensor, s: Option<&[usize]>, norm: Norm) -> Result<Tensor, Error> {
    fftn_with(x, s, Some(&[-2, -1]), norm)
}

/// Computes [`ifftn`] along the last two axes.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let x = Tensor::ones([4, 6], DType::Float32)?;
/// assert_eq!(fft::ifft2(&x)?.shape(), [4, 6]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`ifftn`]; and if there are fewer than two axes.
///
/// # Memory
/// As for [`ifftn`].
#[track_caller]
pub fn ifft2(x: &Tensor) -> Result<Tensor, Error> {
    ifft2_with(x, None, Norm::Backward)
}

/// Computes [`ifft2`] with the lengths `s` of the last two axes and a normalization.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let x = Tensor::ones([4, 6], DType::Float32)?;
/// assert_eq!(fft::ifft2_with(&x, Some(&[8, 4]), Norm::Ortho)?.shape(), [8, 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`ifftn_with`].
///
/// # Memory
/// As for [`ifftn_with`].
#[track_caller]
pub fn ifft2_with(x: &Tensor, s: Option<&[usize]>, norm: Norm) -> Result<Tensor, Error> {
    ifftn_with(x, s, Some(&[-2, -1]), norm)
}

/// Computes [`rfftn`] along the last two axes.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let x = Tensor::ones([4, 6], DType::Float32)?;
/// assert_eq!(fft::rfft2(&x)?.shape(), [4, 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`rfftn`]; and if there are fewer than two axes.
///
/// # Memory
/// As for [`rfftn`].
#[track_caller]
pub fn rfft2(x: &Tensor) -> Result<Tensor, Error> {
    rfft2_with(x, None, Norm::Backward)
}

/// Computes [`rfft2`] with the lengths `s` of the last two axes and a normalization.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let x = Tensor::ones([4, 6], DType::Float32)?;
/// assert_eq!(fft::rfft2_with(&x, Some(&[8, 4]), Norm::Ortho)?.shape(), [8, 3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`rfftn_with`].
///
/// # Memory
/// As for [`rfftn_with`].
#[track_caller]
pub fn rfft2_with(x: &Tensor, s: Option<&[usize]>, norm: Norm) -> Result<Tensor, Error> {
    rfftn_with(x, s, Some(&[-2, -1]), norm)
}

/// Computes [`irfftn`] along the last two axes.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let x = Tensor::ones([4, 6], DType::Float32)?;
/// assert_eq!(fft::irfft2(&x)?.shape(), [4, 10]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`irfftn`]; and if there are fewer than two axes.
///
/// # Memory
/// As for [`irfftn`].
#[track_caller]
pub fn irfft2(x: &Tensor) -> Result<Tensor, Error> {
    irfft2_with(x, None, Norm::Backward)
}

/// Computes [`irfft2`] with the lengths `s` of the last two axes and a normalization.
///
/// ```
/// use belvedere::{fft, fft::Norm, prelude::*};
///
/// let x = Tensor::ones([4, 6], DType::Float32)?;
/// assert_eq!(fft::irfft2_with(&x, Some(&[8, 4]), Norm::Ortho)?.shape(), [8, 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`irfftn_with`].
///
/// # Memory
/// As for [`irfftn_with`].
#[track_caller]
pub fn irfft2_with(x: &Tensor, s: Option<&[usize]>, norm: Norm) -> Result<Tensor, Error> {
    irfftn_with(x, s, Some(&[-2, -1]), norm)
}

/// Returns the parameters of an event.
fn params<'p>(
    s: Option<&'p [usize]>,
    axes: Option<&'p [isize]>,
    norm: Norm,
) -> [(&'static str, Param<'p>); 3] {
    [("s", s.into()), ("axes", axes.into()), ("norm", norm.name().into())]
}

/// Computes complex transforms along axes, the last one first.
fn complex_over(
    step: OneAxis<'_>,
    x: &Tensor,
    over: &[(usize, usize)],
    norm: Norm,
) -> Result<Tensor, Error> {
    let Some((&(axis, n), rest)) = over.split_last() else {
        // Nothing is transformed, but the result is a new tensor, as always.
        return match complex(x.dtype()) {
            dtype if dtype == x.dtype() => x.copy(),
            dtype => x.astype(dtype),
        };
    };
    let mut result = step.fresh(x, axis, n, norm)?;
    for &(axis, n) in rest.iter().rev() {
        result = step.in_place(result, axis, n, norm)?;
    }
    Ok(result)
}

impl OneAxis<'_> {
    /// Returns the axes to transform, each with its number of points. If the kind is between real and complex
    /// numbers, it is that of the last axis only.
    fn over(
        self,
        x: &Tensor,
        s: Option<&[usize]>,
        axes: Option<&[isize]>,
    ) -> Result<Vec<(usize, usize)>, Error> {
        let (shape, rank) = (x.shape(), x.rank());
        let axes: Vec<usize> = match (axes, s) {
            (Some(axes), _) => {
                axes.iter().map(|&axis| x.layout().resolve_axis(axis)).collect::<Result<_, _>>()?
            }
            (None, Some(s)) => (rank.saturating_sub(s.len())..rank).collect(),
            (None, None) => (0..rank).collect(),
        };
        if let Some(s) = s
            && s.len() != axes.len()
        {
            let (needs, given) = ("as many lengths as axes", s.len().into());
            return Err(Error::Argument { op: self.call.op, needs, given });
        }
        for (i, &axis) in axes.iter().enumerate() {
            if axes[..i].contains(&axis) {
                return Err(LayoutError::RepeatedAxis { axis }.into());
            }
        }
        let points = |i: usize, axis: usize| match s {
            Some(s) => s[i],
            None if i + 1 == axes.len() => self.n_points(shape[axis]),
            None => shape[axis],
        };
        let over: Vec<_> =
            axes.iter().enumerate().map(|(i, &axis)| (axis, points(i, axis))).collect();
        over.iter().try_for_each(|&(_, n)| self.check(x, n))?;
        Ok(over)
    }
}

fn no_axis(op: &'static str) -> Error {
    Error::Argument { op, needs: "at least one axis", given: 0.into() }
}
