//! Diagonals, traces, and products of vectors.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run;
use crate::dtype::DTypeArgument;
use crate::error::raise;
use pyo3::prelude::*;

/// Computes the cross product of vectors of length 3 along an axis.
///
/// >>> bv.linalg.cross(bv.asarray([1, 0, 0]), bv.asarray([0, 1, 0]))
/// array([0, 0, 1])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, axis=-1), text_signature = "(x1, x2, /, *, axis=-1)")]
pub(crate) fn cross(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
    axis: isize,
) -> PyResult<Array> {
    let (x, y) = (x1.tensor(), x2.tensor());
    run(py, x.len().max(y.len()), || x.cross(y, axis)).map(Array::from)
}

/// Returns a diagonal of the last two axes as a view.
///
/// >>> bv.linalg.diagonal(bv.asarray([[1, 2], [3, 4]]))
/// array([1, 4])
#[pyfunction]
#[pyo3(signature = (x, /, *, offset=0))]
pub(crate) fn diagonal(x: ArrayArgument<'_>, offset: isize) -> PyResult<Array> {
    x.tensor().diagonal(offset, -2, -1).map(Array::from).map_err(raise)
}

/// Computes the outer product of two vectors.
///
/// >>> bv.linalg.outer(bv.asarray([1, 2]), bv.asarray([10, 1]))
/// array([[10,  1],
///        [20,  2]])
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
pub(crate) fn outer(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
) -> PyResult<Array> {
    let (x, y) = (x1.tensor(), x2.tensor());
    run(py, x.len().saturating_mul(y.len()), || x.outer(y)).map(Array::from)
}

/// Computes the sum along a diagonal of the last two axes.
///
/// >>> bv.linalg.trace(bv.asarray([[1, 2], [3, 4]]))
/// array(5)
#[pyfunction]
#[pyo3(signature = (x, /, *, offset=0, dtype=None))]
pub(crate) fn trace(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    offset: isize,
    dtype: Option<DTypeArgument>,
) -> PyResult<Array> {
    let x = x.tensor();
    let operation = || match dtype {
        None => x.trace(offset),
        Some(DTypeArgument(dtype)) => x.trace_as(offset, dtype),
    };
    run(py, x.len(), operation).map(Array::from)
}
