//! Utility functions.

use crate::arguments::{ArrayArgument, Count};
use crate::array::Array;
use crate::attach::run;
use pyo3::prelude::*;

/// Computes the n-th discrete difference along an axis.
///
/// >>> bv.diff(bv.asarray([1, 4, 9]))
/// array([3, 5])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=-1, n=Count(1), prepend=None, append=None),
       text_signature = "(x, /, *, axis=-1, n=1, prepend=None, append=None)")]
pub(crate) fn diff(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: isize,
    n: Count,
    prepend: Option<ArrayArgument<'_>>,
    append: Option<ArrayArgument<'_>>,
) -> PyResult<Array> {
    let x = x.tensor();
    let [prepend, append] = [&prepend, &append].map(|it| it.as_ref().map(ArrayArgument::tensor));
    run(py, x.len(), || x.diff_with(axis, n.0, prepend, append)).map(Array::from)
}

/// Integrates along an axis with the trapezoidal rule and spacing ``dx``.
///
/// >>> bv.trapezoid(bv.asarray([1.0, 2.0, 3.0]))
/// array(4.)
#[pyfunction]
#[pyo3(signature = (x, /, *, dx=1.0, axis=-1), text_signature = "(x, /, *, dx=1.0, axis=-1)")]
pub(crate) fn trapezoid(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    dx: f64,
    axis: isize,
) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.trapezoid(axis, dx)).map(Array::from)
}
