//! Reductions and cumulative functions beyond the standard.

use crate::arguments::{ArrayArgument, AxesArgument};
use crate::array::Array;
use crate::attach::run;
use crate::chapter::linalg::vector_norm;
use crate::chapter::reduction::reduce;
use pyo3::prelude::*;

/// Computes the standard deviation over axes, ignoring NaN.
///
/// >>> bv.nanstd(bv.asarray([1.0, bv.nan, 5.0]))
/// array(2.)
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=None, correction=0.0, keepdims=false))]
pub(crate) fn nanstd(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: Option<AxesArgument>,
    correction: f64,
    keepdims: bool,
) -> PyResult<Array> {
    reduce(py, x.tensor(), axis, keepdims, |x, axes| x.nanstd(axes, correction))
}

/// Computes the variance over axes, ignoring NaN.
///
/// >>> bv.nanvar(bv.asarray([1.0, bv.nan, 5.0]))
/// array(4.)
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=None, correction=0.0, keepdims=false))]
pub(crate) fn nanvar(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: Option<AxesArgument>,
    correction: f64,
    keepdims: bool,
) -> PyResult<Array> {
    reduce(py, x.tensor(), axis, keepdims, |x, axes| x.nanvar(axes, correction))
}

/// Computes a vector norm over axes; the same function as ``linalg.vector_norm``.
///
/// >>> bv.norm(bv.asarray([3.0, 4.0]))
/// array(5.)
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=None, keepdims=false, ord=2.0),
       text_signature = "(x, /, *, axis=None, keepdims=False, ord=2)")]
pub(crate) fn norm(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: Option<AxesArgument>,
    keepdims: bool,
    ord: f64,
) -> PyResult<Array> {
    vector_norm(py, x, axis, keepdims, ord)
}

/// Defines cumulative functions along an axis.
macro_rules! running {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, /, *, axis=-1), text_signature = "(x, /, *, axis=-1)")]
            pub(crate) fn $name(py: Python<'_>, x: ArrayArgument<'_>, axis: isize) -> PyResult<Array> {
                let x = x.tensor();
                run(py, x.len(), || x.$name(axis)).map(Array::from)
            }
        )+
    };
}

running! {
    /// Computes the cumulative maximum along an axis.
    ///
    /// >>> bv.cummax(bv.asarray([1, 3, 2, 4]))
    /// array([1, 3, 3, 4])
    cummax;

    /// Computes the cumulative minimum along an axis.
    ///
    /// >>> bv.cummin(bv.asarray([3, 4, 1, 2]))
    /// array([3, 3, 1, 1])
    cummin;

    /// Computes the logarithm of the cumulative sum of exponentials along an axis.
    ///
    /// >>> bv.logcumsumexp(bv.asarray([1000.0, 0.0]))
    /// array([1000., 1000.])
    logcumsumexp;
}
