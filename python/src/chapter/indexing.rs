//! Gather and scatter along an axis.

use crate::arguments::{ArrayArgument, OperandArgument};
use crate::array::Array;
use crate::attach::run;
use pyo3::prelude::*;

/// Writes values at the indices given for each lane along an axis.
///
/// >>> x = bv.asarray([[3, 1], [2, 4]])
/// >>> bv.put_along_axis(x, bv.asarray([[0], [1]]), 0, axis=1)
/// >>> x
/// array([[0, 1],
///        [2, 0]])
#[pyfunction]
#[pyo3(signature = (x, indices, values, /, *, axis=-1),
       text_signature = "(x, indices, values, /, *, axis=-1)")]
pub(crate) fn put_along_axis(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    indices: ArrayArgument<'_>,
    values: OperandArgument,
    axis: isize,
) -> PyResult<()> {
    let (x, indices, values) = (x.tensor(), indices.tensor(), &values);
    run(py, indices.len(), || x.put_along_axis(indices, axis, values))
}

/// Returns the elements at the given indices along an axis.
///
/// Without ``axis``, the indices refer to the flattened array.
///
/// >>> bv.take(bv.asarray([[1, 2, 3], [4, 5, 6]]), bv.asarray([2, 0]), axis=1)
/// array([[3, 1],
///        [6, 4]])
#[pyfunction]
#[pyo3(signature = (x, indices, /, *, axis=None))]
pub(crate) fn take(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    indices: ArrayArgument<'_>,
    axis: Option<isize>,
) -> PyResult<Array> {
    let (x, indices) = (x.tensor(), indices.tensor());
    let operation = || match axis {
        Some(axis) => x.take(indices, axis),
        None => x.reshape([-1])?.take(indices, 0),
    };
    run(py, x.len().max(indices.len()), operation).map(Array::from)
}

/// Gathers the elements at the indices given for each lane along an axis.
///
/// >>> x = bv.asarray([[3, 1], [2, 4]])
/// >>> bv.take_along_axis(x, bv.argsort(x, axis=1), axis=1)
/// array([[1, 3],
///        [2, 4]])
#[pyfunction]
#[pyo3(signature = (x, indices, /, *, axis=-1),
       text_signature = "(x, indices, /, *, axis=-1)")]
pub(crate) fn take_along_axis(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    indices: ArrayArgument<'_>,
    axis: isize,
) -> PyResult<Array> {
    let (x, indices) = (x.tensor(), indices.tensor());
    run(py, x.len().max(indices.len()), || x.take_along_axis(indices, axis)).map(Array::from)
}
