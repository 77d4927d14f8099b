//! The namespace `fft`.

use crate::arguments::{ArrayArgument, AxesArgument, Count, DeviceArgument, Integers};
use crate::array::Array;
use crate::dtype::DTypeArgument;
use crate::lock::run;
use belvedere::fft::{self as core, Norm};
use belvedere::{DType, Error, Tensor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Transforms along one axis.
macro_rules! along_one {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, /, *, n=None, axis=-1, norm="backward"),
                   text_signature = "(x, /, *, n=None, axis=-1, norm='backward')")]
            fn $name(
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

        fn register_along_one(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)+
            Ok(())
        }
    };
}

/// Transforms along several axes.
macro_rules! along_many {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, /, *, s=None, axes=None, norm="backward"))]
            fn $name(
                py: Python<'_>,
                x: ArrayArgument<'_>,
                s: Option<Integers>,
                axes: Option<Integers>,
                norm: &str,
            ) -> PyResult<Array> {
                along_many(py, x.tensor(), s, axes, norm, core::$name)
            }
        )+

        fn register_along_many(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)+
            Ok(())
        }
    };
}

/// A transform of the core along several axes.
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

/// Which way divides by the number of elements.
fn norm_of(name: &str) -> PyResult<Norm> {
    match name {
        "backward" => Ok(Norm::Backward),
        "ortho" => Ok(Norm::Ortho),
        "forward" => Ok(Norm::Forward),
        _ => {
            let message = format!("norm is backward, ortho or forward, not {name:?}");
            Err(PyValueError::new_err(message))
        }
    }
}

along_one! {
    /// The discrete Fourier transform along an axis, cut or filled up with zeros to ``n`` elements.
    ///
    /// >>> bv.fft.fft(bv.asarray([1.0, 0.0]))
    /// array([1.+0.j, 1.+0.j])
    fft;

    /// The transform along an axis of what has the symmetry of real numbers' transforms: real.
    ///
    /// >>> bv.fft.hfft(bv.asarray([1.0 + 0j, 1.0, 0.0]))
    /// array([ 3.,  1., -1.,  1.])
    hfft;

    /// The inverse of ``fft``.
    ///
    /// >>> bv.fft.ifft(bv.asarray([1.0 + 0j, 1.0]))
    /// array([1.+0.j, 0.+0.j])
    ifft;

    /// The inverse of ``hfft``.
    ///
    /// >>> bv.fft.ihfft(bv.asarray([2.0, 0.0]))
    /// array([1.-0.j, 1.-0.j])
    ihfft;

    /// The inverse of ``rfft``: ``n`` real numbers.
    ///
    /// >>> bv.fft.irfft(bv.asarray([1.0 + 0j, 1.0]))
    /// array([1., 0.])
    irfft;

    /// The transform of real numbers along an axis, without the half that follows from the other.
    ///
    /// >>> bv.fft.rfft(bv.asarray([1.0, 0.0, 0.0]))
    /// array([1.+0.j, 1.+0.j])
    rfft;
}

along_many! {
    /// The discrete Fourier transform along axes, cut or filled up with zeros to the lengths ``s``.
    ///
    /// >>> bv.fft.fftn(bv.asarray([[1.0, 0.0]]))
    /// array([[1.+0.j, 1.+0.j]])
    fftn;

    /// The inverse of ``fftn``.
    ///
    /// >>> bv.fft.ifftn(bv.asarray([[1.0 + 0j, 1.0]]))
    /// array([[1.+0.j, 0.+0.j]])
    ifftn;

    /// The inverse of ``rfftn``: real numbers.
    ///
    /// >>> bv.fft.irfftn(bv.asarray([[1.0 + 0j, 1.0]]))
    /// array([[1., 0.]])
    irfftn;

    /// The transform of real numbers along axes, without the half of the last that follows from the other.
    ///
    /// >>> bv.fft.rfftn(bv.asarray([[1.0, 0.0, 0.0]]))
    /// array([[1.+0.j, 1.+0.j]])
    rfftn;
}

/// The frequencies that ``fft`` of ``n`` elements at a distance of ``d`` has.
///
/// >>> bv.fft.fftfreq(4)
/// array([ 0.  ,  0.25, -0.5 , -0.25])
#[pyfunction]
#[pyo3(signature = (n, /, *, d=1.0, dtype=None, device=None))]
fn fftfreq(
    py: Python<'_>,
    n: Count,
    d: f64,
    dtype: Option<DTypeArgument>,
    #[expect(unused_variables, reason = "there is one")] device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let dtype = dtype.map_or(DType::Float64, |it| it.0);
    run(py, n.0, || core::fftfreq(n.0, d, dtype)).map(Array::from)
}

/// The frequencies that ``rfft`` of ``n`` elements at a distance of ``d`` has.
///
/// >>> bv.fft.rfftfreq(4)
/// array([0.  , 0.25, 0.5 ])
#[pyfunction]
#[pyo3(signature = (n, /, *, d=1.0, dtype=None, device=None))]
fn rfftfreq(
    py: Python<'_>,
    n: Count,
    d: f64,
    dtype: Option<DTypeArgument>,
    #[expect(unused_variables, reason = "there is one")] device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let dtype = dtype.map_or(DType::Float64, |it| it.0);
    run(py, n.0, || core::rfftfreq(n.0, d, dtype)).map(Array::from)
}

/// The elements moved so that frequency 0 is in the middle.
///
/// >>> bv.fft.fftshift(bv.asarray([0, 1, -2, -1]))
/// array([-2, -1,  0,  1])
#[pyfunction]
#[pyo3(signature = (x, /, *, axes=None))]
fn fftshift(py: Python<'_>, x: ArrayArgument<'_>, axes: Option<AxesArgument>) -> PyResult<Array> {
    let (x, axes) = (x.tensor(), AxesArgument::or_all(axes, false));
    run(py, x.len(), || core::fftshift(x, axes.clone())).map(Array::from)
}

/// The inverse of ``fftshift``.
///
/// >>> bv.fft.ifftshift(bv.asarray([-2, -1, 0, 1]))
/// array([ 0,  1, -2, -1])
#[pyfunction]
#[pyo3(signature = (x, /, *, axes=None))]
fn ifftshift(py: Python<'_>, x: ArrayArgument<'_>, axes: Option<AxesArgument>) -> PyResult<Array> {
    let (x, axes) = (x.tensor(), AxesArgument::or_all(axes, false));
    run(py, x.len(), || core::ifftshift(x, axes.clone())).map(Array::from)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_along_one(module)?;
    register_along_many(module)?;
    module.add_function(wrap_pyfunction!(fftfreq, module)?)?;
    module.add_function(wrap_pyfunction!(fftshift, module)?)?;
    module.add_function(wrap_pyfunction!(ifftshift, module)?)?;
    module.add_function(wrap_pyfunction!(rfftfreq, module)?)
}
