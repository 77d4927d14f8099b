//! Searching functions.

use super::result::tuple;
use crate::arguments::{ArrayArgument, OperandArgument};
use crate::array::Array;
use crate::attach::run;
use crate::error::raise;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Returns the indices of the nonzero elements, one array for each axis.
///
/// >>> bv.nonzero(bv.asarray([0, 5, 0, 7]))
/// (array([1, 3]),)
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn nonzero<'py>(py: Python<'py>, x: ArrayArgument<'_>) -> PyResult<Bound<'py, PyTuple>> {
    let x = x.tensor();
    tuple(py, run(py, x.len(), || x.nonzero())?)
}

/// Returns the indices at which elements would be inserted to keep ``x1`` sorted.
///
/// ``sorter`` holds the indices that sort ``x1``.
///
/// >>> bv.searchsorted(bv.asarray([1, 3, 5]), bv.asarray([0, 3, 9]))
/// array([0, 1, 3])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, side="left", sorter=None))]
pub(crate) fn searchsorted(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: OperandArgument,
    side: &str,
    sorter: Option<ArrayArgument<'_>>,
) -> PyResult<Array> {
    let side = side.parse().map_err(raise)?;
    let (x, values) = (x1.tensor(), &x2);
    let sorter = sorter.as_ref().map(ArrayArgument::tensor);
    let operation = || match sorter {
        None => x.searchsorted(values, side),
        Some(sorter) => x.searchsorted_by(values, side, sorter),
    };
    run(py, x.len().saturating_add(x2.len()), operation).map(Array::from)
}

/// Selects elements from ``x1`` where the condition is true, else from ``x2``.
///
/// >>> bv.where(bv.asarray([True, False]), bv.asarray([1, 2]), 0)
/// array([1, 0])
#[pyfunction]
#[pyo3(name = "where", signature = (condition, x1, x2, /))]
pub(crate) fn where_(
    py: Python<'_>,
    condition: ArrayArgument<'_>,
    x1: OperandArgument,
    x2: OperandArgument,
) -> PyResult<Array> {
    let (condition, x, y) = (condition.tensor(), &x1, &x2);
    let len = condition.len().max(x1.len()).max(x2.len());
    run(py, len, || belvedere::where_(condition, x, y)).map(Array::from)
}
