//! Set functions.

use super::result::named;
use crate::arguments::{ArrayArgument, OperandArgument};
use crate::array::Array;
use crate::attach::run;
use crate::chapter::elementwise::Binary;
use belvedere::{UniqueAll, UniqueCounts, UniqueInverse};
use pyo3::prelude::*;

/// Computes a function of the elements of both operands, whose shapes need not broadcast.
pub(crate) fn combine(
    py: Python<'_>,
    x: &OperandArgument,
    y: &OperandArgument,
    function: Binary,
) -> PyResult<Array> {
    run(py, x.len().saturating_add(y.len()), || function(x.into(), y.into())).map(Array::from)
}

/// Tests for each element of ``x1`` whether it is in ``x2``.
///
/// >>> bv.isin(bv.asarray([1, 2, 3]), bv.asarray([3, 1]))
/// array([ True, False,  True])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, invert=false))]
pub(crate) fn isin(
    py: Python<'_>,
    x1: OperandArgument,
    x2: OperandArgument,
    invert: bool,
) -> PyResult<Array> {
    let function: Binary = match invert {
        false => |x, among| belvedere::isin(x, among),
        true => |x, among| belvedere::notin(x, among),
    };
    combine(py, &x1, &x2, function)
}

/// Returns the sorted distinct elements, their first indices, the inverse indices and the counts.
///
/// >>> bv.unique_all(bv.asarray([7, 5, 7])).indices
/// array([1, 0])
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn unique_all<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let UniqueAll { values, indices, inverse_indices, counts } =
        run(py, x.len(), || x.unique_all())?;
    named(py, "UniqueAllResult", [values, indices, inverse_indices, counts])
}

/// Returns the sorted distinct elements and their counts.
///
/// >>> bv.unique_counts(bv.asarray([7, 5, 7])).counts
/// array([1, 2])
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn unique_counts<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let UniqueCounts { values, counts } = run(py, x.len(), || x.unique_counts())?;
    named(py, "UniqueCountsResult", [values, counts])
}

/// Returns the sorted distinct elements and the indices that restore the array from them.
///
/// >>> bv.unique_inverse(bv.asarray([7, 5, 7])).inverse_indices
/// array([1, 0, 1])
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn unique_inverse<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let UniqueInverse { values, inverse_indices } = run(py, x.len(), || x.unique_inverse())?;
    named(py, "UniqueInverseResult", [values, inverse_indices])
}
