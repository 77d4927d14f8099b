//! Searching functions.

use super::elementwise::with_shapes;
use super::result::tuple;
use crate::arguments::{ArrayArgument, OperandArgument};
use crate::array::Array;
use crate::attach::{run, run_to_object};
use crate::error::raise;
use belvedere::DType;
use pyo3::exceptions::PyValueError;
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
#[pyo3(signature = (x1, /, v, side="left", sorter=None))]
pub(crate) fn searchsorted(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    v: OperandArgument,
    side: &str,
    sorter: Option<ArrayArgument<'_>>,
) -> PyResult<Array> {
    let side = side.parse().map_err(raise)?;
    let (x, values) = (x1.tensor(), &v);
    let sorter = sorter.as_ref().map(ArrayArgument::tensor);
    let operation = || match sorter {
        None => x.searchsorted(values, side),
        Some(sorter) => x.searchsorted_by(values, side, sorter),
    };
    run(py, x.len().saturating_add(v.len()), operation).map(Array::from)
}

/// Selects elements from ``x1`` where the condition is true, else from ``x2``; alone, the indices of true elements.
///
/// >>> bv.where(bv.asarray([True, False]), bv.asarray([1, 2]), 0)
/// array([1, 0])
/// >>> bv.where([0, 5, 7])
/// (array([1, 2]),)
#[pyfunction]
#[pyo3(name = "where", signature = (condition, x1=None, x2=None, /))]
pub(crate) fn where_<'py>(
    py: Python<'py>,
    condition: ArrayArgument<'py>,
    x1: Option<OperandArgument>,
    x2: Option<OperandArgument>,
) -> PyResult<Bound<'py, PyAny>> {
    let (x, y) = match (&x1, &x2) {
        (Some(x), Some(y)) => (x, y),
        (None, None) => return nonzero(py, condition).map(Bound::into_any),
        _ => return Err(PyValueError::new_err("where takes both x1 and x2, or neither")),
    };
    let condition = condition.tensor();
    let len = condition.len().max(x.len()).max(y.len());
    let select = || match condition.dtype() {
        DType::Bool => belvedere::where_(condition, x, y),
        // Other conditions are true where they are not zero.
        _ => belvedere::where_(&condition.astype(DType::Bool)?, x, y),
    };
    run_to_object(py, len, select).map(Bound::into_any).map_err(|error| with_shapes(error, &[x, y]))
}
