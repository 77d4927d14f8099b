//! Reductions that leave NaNs out, and others that the standard does not have.

use crate::arguments::{ArrayArgument, AxesArgument};
use crate::array::Array;
use crate::chapter::linalg::vector_norm;
use crate::lock::run;
use pyo3::prelude::*;

reductions! {
    /// The logarithm of the sum of the exponentials over axes, without the overflow on the way.
    ///
    /// >>> bv.logsumexp(bv.asarray([1000.0, -1000.0]))
    /// array(1000.)
    logsumexp => logsumexp;

    /// The greatest element over axes that is no NaN; a NaN if all are.
    ///
    /// >>> bv.nanmax(bv.asarray([1.0, bv.nan, 2.0]))
    /// array(2.)
    nanmax => nanmax;

    /// The mean over axes of the elements that are no NaNs.
    ///
    /// >>> bv.nanmean(bv.asarray([1.0, bv.nan, 2.0]))
    /// array(1.5)
    nanmean => nanmean;

    /// The median over axes of the elements that are no NaNs.
    ///
    /// >>> bv.nanmedian(bv.asarray([1.0, bv.nan, 2.0]))
    /// array(1.5)
    nanmedian => nanmedian;

    /// The least element over axes that is no NaN; a NaN if all are.
    ///
    /// >>> bv.nanmin(bv.asarray([1.0, bv.nan, 2.0]))
    /// array(1.)
    nanmin => nanmin;

    /// The product over axes of the elements that are no NaNs.
    ///
    /// >>> bv.nanprod(bv.asarray([3.0, bv.nan, 2.0]))
    /// array(6.)
    nanprod => nanprod;

    /// The sum over axes of the elements that are no NaNs.
    ///
    /// >>> bv.nansum(bv.asarray([1.0, bv.nan, 2.0]))
    /// array(3.)
    nansum => nansum;

    /// The element in the middle over axes, or the mean of the two that are.
    ///
    /// >>> bv.median(bv.asarray([1.0, 9.0, 3.0]))
    /// array(3.)
    median => median;

    /// How far the elements reach over axes: the greatest less the least.
    ///
    /// >>> bv.ptp(bv.asarray([1, 9, 3]))
    /// array(8)
    ptp => ptp;
}

/// The standard deviation over axes of the elements that are no NaNs.
///
/// >>> bv.nanstd(bv.asarray([1.0, bv.nan, 5.0]))
/// array(2.)
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=None, correction=0.0, keepdims=false))]
fn nanstd(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: Option<AxesArgument>,
    correction: f64,
    keepdims: bool,
) -> PyResult<Array> {
    let (x, axes) = (x.tensor(), AxesArgument::or_all(axis, keepdims));
    run(py, x.len(), || x.nanstd(axes.clone(), correction)).map(Array::from)
}

/// The variance over axes of the elements that are no NaNs.
///
/// >>> bv.nanvar(bv.asarray([1.0, bv.nan, 5.0]))
/// array(4.)
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=None, correction=0.0, keepdims=false))]
fn nanvar(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: Option<AxesArgument>,
    correction: f64,
    keepdims: bool,
) -> PyResult<Array> {
    let (x, axes) = (x.tensor(), AxesArgument::or_all(axis, keepdims));
    run(py, x.len(), || x.nanvar(axes.clone(), correction)).map(Array::from)
}

/// The norm of the vectors along axes: ``linalg.vector_norm`` under a shorter name.
///
/// >>> bv.norm(bv.asarray([3.0, 4.0]))
/// array(5.)
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=None, keepdims=false, ord=2.0),
       text_signature = "(x, /, *, axis=None, keepdims=False, ord=2)")]
fn norm(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: Option<AxesArgument>,
    keepdims: bool,
    ord: f64,
) -> PyResult<Array> {
    vector_norm(py, x, axis, keepdims, ord)
}

/// Running extremes and the like along an axis.
macro_rules! running {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, /, *, axis=-1), text_signature = "(x, /, *, axis=-1)")]
            fn $name(py: Python<'_>, x: ArrayArgument<'_>, axis: isize) -> PyResult<Array> {
                let x = x.tensor();
                run(py, x.len(), || x.$name(axis)).map(Array::from)
            }
        )+

        fn register_running(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)+
            Ok(())
        }
    };
}

running! {
    /// The greatest of all elements up to each along an axis.
    ///
    /// >>> bv.cummax(bv.asarray([1, 3, 2, 4]))
    /// array([1, 3, 3, 4])
    cummax;

    /// The least of all elements up to each along an axis.
    ///
    /// >>> bv.cummin(bv.asarray([3, 4, 1, 2]))
    /// array([3, 3, 1, 1])
    cummin;

    /// The logarithms of the sums of the exponentials of all elements up to each along an axis.
    ///
    /// >>> bv.logcumsumexp(bv.asarray([1000.0, 0.0]))
    /// array([1000., 1000.])
    logcumsumexp;
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_reductions(module)?;
    register_running(module)?;
    module.add_function(wrap_pyfunction!(nanstd, module)?)?;
    module.add_function(wrap_pyfunction!(nanvar, module)?)?;
    module.add_function(wrap_pyfunction!(norm, module)?)
}
