//! The namespace `fft`: discrete Fourier transforms.

use crate::arguments::{ArrayArgument, AxesArgument, Count, DeviceArgument, Integers};
use crate::array::Array;
use crate::attach::run;
use crate::dtype::DTypeArgument;
use belvedere::fft::{self as core, Norm};
use belvedere::{DType, Error, Tensor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Defines transforms along one axis.
macro_rules! along_one {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, /, *, n=None, axis=-1, norm="backward"),
                   text_signature = "(x, /, *, n=None, axis=-1, norm='backward')")]
            pub(crate) fn $name(
                py: Python<'_>,
                x: ArrayArgument<'_>,
                n: Option<Count>,
                axis: isize,
                norm: &str,
            ) -> PyResult<Array> {
                let (x, n, norm) = (x.tensor(), n.map(|it| it.0), norm_of(norm)?);
                run(py, x.len().max(n.unwrap_or(0)), || core::$name(x, n, axis, norm))
                    .map(Array::from)
            }
        )+
    };
}

/// Defines transforms along several axes.
macro_rules! along_many {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, /, *, s=None, axes=None, norm="backward"))]
            pub(crate) fn $name(
                py: Python<'_>,
                x: ArrayArgument<'_>,
                s: Option<Integers>,
                axes: Option<Integers>,
                norm: &str,
            ) -> PyResult<Array> {
                along_many(py, x.tensor(), s, axes, norm, core::$name)
            }
        )+
    };
}

/// A transform along several axes, in the core.
type Transform = fn(&Tensor, Option<&[usize]>, Option<&[isize]>, Norm) -> Result<Tensor, Error>;

fn along_many(
    py: Python<'_>,
    x: &Tensor,
    s: Option<Integers>,
    axes: Option<Integers>,
    norm: &str,
    transform: Transform,
) -> PyResult<Array> {
    let norm = norm_of(norm)?;
    let s = s.as_ref().map(Count::list).transpose()?;
    let axes = axes.map(|it| it.0);
    let len = s.iter().flatten().fold(1, |len: usize, &n| len.saturating_mul(n));
    run(py, x.len().max(len), || transform(x, s.as_deref(), axes.as_deref(), norm)).map(Array::from)
}

/// Parses the normalization: which direction divides by the number of elements.
fn norm_of(name: &str) -> PyResult<Norm> {
    match name {
        "backward" => Ok(Norm::Backward),
        "ortho" => Ok(Norm::Ortho),
        "forward" => Ok(Norm::Forward),
        _ => {
            let message = format!("norm must be backward, ortho or forward, got {name:?}");
            Err(PyValueError::new_err(message))
        }
    }
}

along_one! {
    /// Computes the one-dimensional discrete Fourier transform along an axis.
    ///
    /// The input is truncated or zero-padded to ``n`` elements.
    ///
    /// >>> bv.fft.fft(bv.asarray([1.0, 0.0]))
    /// array([1.+0.j, 1.+0.j])
    fft;

    /// Computes the transform of a signal with Hermitian symmetry; the result is real.
    ///
    /// >>> bv.fft.hfft(bv.asarray([1.0 + 0j, 1.0, 0.0]))
    /// array([ 3.,  1., -1.,  1.])
    hfft;

    /// Computes the inverse of ``fft``.
    ///
    /// >>> bv.fft.ifft(bv.asarray([1.0 + 0j, 1.0]))
    /// array([1.+0.j, 0.+0.j])
    ifft;

    /// Computes the inverse of ``hfft``.
    ///
    /// >>> bv.fft.ihfft(bv.asarray([2.0, 0.0]))
    /// array([1.-0.j, 1.-0.j])
    ihfft;

    /// Computes the inverse of ``rfft``; the result is real and has ``n`` elements.
    ///
    /// >>> bv.fft.irfft(bv.asarray([1.0 + 0j, 1.0]))
    /// array([1., 0.])
    irfft;

    /// Computes the discrete Fourier transform of real input: the non-negative frequencies.
    ///
    /// >>> bv.fft.rfft(bv.asarray([1.0, 0.0, 0.0]))
    /// array([1.+0.j, 1.+0.j])
    rfft;
}

along_many! {
    /// Computes the n-dimensional discrete Fourier transform.
    ///
    /// The input is truncated or zero-padded to the lengths ``s``.
    ///
    /// >>> bv.fft.fftn(bv.asarray([[1.0, 0.0]]))
    /// array([[1.+0.j, 1.+0.j]])
    fftn;

    /// Computes the inverse of ``fftn``.
    ///
    /// >>> bv.fft.ifftn(bv.asarray([[1.0 + 0j, 1.0]]))
    /// array([[1.+0.j, 0.+0.j]])
    ifftn;

    /// Computes the inverse of ``rfftn``; the result is real.
    ///
    /// >>> bv.fft.irfftn(bv.asarray([[1.0 + 0j, 1.0]]))
    /// array([[1., 0.]])
    irfftn;

    /// Computes the n-dimensional discrete Fourier transform of real input.
    ///
    /// >>> bv.fft.rfftn(bv.asarray([[1.0, 0.0, 0.0]]))
    /// array([[1.+0.j, 1.+0.j]])
    rfftn;
}

/// Returns the sample frequencies of ``fft`` for ``n`` samples at spacing ``d``.
///
/// >>> bv.fft.fftfreq(4)
/// array([ 0.  ,  0.25, -0.5 , -0.25])
#[pyfunction]
#[pyo3(signature = (n, /, *, d=1.0, dtype=None, device=None))]
pub(crate) fn fftfreq(
    py: Python<'_>,
    n: Count,
    d: f64,
    dtype: Option<DTypeArgument>,
    #[expect(unused_variables, reason = "there is one")] device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let dtype = dtype.map_or(DType::Float64, |it| it.0);
    run(py, n.0, || core::fftfreq(n.0, d, dtype)).map(Array::from)
}

/// Returns the sample frequencies of ``rfft`` for ``n`` samples at spacing ``d``.
///
/// >>> bv.fft.rfftfreq(4)
/// array([0.  , 0.25, 0.5 ])
#[pyfunction]
#[pyo3(signature = (n, /, *, d=1.0, dtype=None, device=None))]
pub(crate) fn rfftfreq(
    py: Python<'_>,
    n: Count,
    d: f64,
    dtype: Option<DTypeArgument>,
    #[expect(unused_variables, reason = "there is one")] device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let dtype = dtype.map_or(DType::Float64, |it| it.0);
    run(py, n.0, || core::rfftfreq(n.0, d, dtype)).map(Array::from)
}

/// Shifts the zero-frequency component to the center.
///
/// >>> bv.fft.fftshift(bv.asarray([0, 1, -2, -1]))
/// array([-2, -1,  0,  1])
#[pyfunction]
#[pyo3(signature = (x, /, *, axes=None))]
pub(crate) fn fftshift(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axes: Option<AxesArgument>,
) -> PyResult<Array> {
    let (x, axes) = (x.tensor(), AxesArgument::or_all(axes, false));
    run(py, x.len(), || core::fftshift(x, axes.clone())).map(Array::from)
}

/// Computes the inverse of ``fftshift``.
///
/// >>> bv.fft.ifftshift(bv.asarray([-2, -1, 0, 1]))
/// array([ 0,  1, -2, -1])
#[pyfunction]
#[pyo3(signature = (x, /, *, axes=None))]
pub(crate) fn ifftshift(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axes: Option<AxesArgument>,
) -> PyResult<Array> {
    let (x, axes) = (x.tensor(), AxesArgument::or_all(axes, false));
    run(py, x.len(), || core::ifftshift(x, axes.clone())).map(Array::from)
}
