//! Set functions.

use super::result::named;
use crate::arguments::{ArrayArgument, OperandArgument};
use crate::array::Array;
use crate::attach::run;
use crate::chapter::elementwise::Binary;
use belvedere::{Side, UniqueAll, UniqueCounts, UniqueInverse};
use pyo3::IntoPyObjectExt;
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
#[pyo3(signature = (x1, x2, /, assume_unique=false, invert=false, *, kind=None))]
pub(crate) fn isin(
    py: Python<'_>,
    x1: OperandArgument,
    x2: OperandArgument,
    #[expect(unused_variables, reason = "it is no faster")] assume_unique: bool,
    invert: bool,
    #[expect(unused_variables, reason = "there is one algorithm")] kind: Option<&str>,
) -> PyResult<Array> {
    let function: Binary = match invert {
        false => |x, among| belvedere::isin(x, among),
        true => |x, among| belvedere::notin(x, among),
    };
    combine(py, &x1, &x2, function)
}

/// Returns the sorted distinct elements that are in both arrays.
///
/// With ``return_indices=True``, the indices of their first occurrences in both are returned as well.
///
/// >>> bv.intersect1d(bv.asarray([3, 1, 2]), bv.asarray([2, 3, 4]))
/// array([2, 3])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, assume_unique=false, return_indices=false))]
pub(crate) fn intersect1d<'py>(
    py: Python<'py>,
    x1: OperandArgument,
    x2: OperandArgument,
    #[expect(unused_variables, reason = "it is no faster")] assume_unique: bool,
    return_indices: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let common = combine(py, &x1, &x2, |x, y| belvedere::intersect1d(x, y))?.object(py)?;
    if !return_indices {
        return Ok(common.into_any());
    }
    let values = common.get().tensor();
    let first = |x: OperandArgument| {
        let x = ArrayArgument::from_operand(py, x)?;
        let x = x.tensor();
        run(py, x.len(), || {
            let UniqueAll { values: all, indices, .. } = x.unique_all()?;
            indices.take(&all.searchsorted(values, Side::Left)?, 0)
        })
        .map(Array::from)
    };
    (common.clone(), first(x1)?, first(x2)?).into_bound_py_any(py)
}

/// Returns the sorted distinct elements of ``x1`` that are not in ``x2``.
///
/// With ``assume_unique=True``, the elements stay in the order of ``x1``.
///
/// >>> bv.setdiff1d(bv.asarray([3, 1, 2]), bv.asarray([2, 3, 4]))
/// array([1])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, assume_unique=false))]
pub(crate) fn setdiff1d(
    py: Python<'_>,
    x1: OperandArgument,
    x2: OperandArgument,
    assume_unique: bool,
) -> PyResult<Array> {
    if !assume_unique {
        return combine(py, &x1, &x2, |x, y| belvedere::setdiff1d(x, y));
    }
    let x = ArrayArgument::from_operand(py, x1)?;
    let (x, y) = (x.tensor(), &x2);
    let operation = || {
        let x = x.atleast_1d()?.reshape([-1])?;
        x.masked_select(&belvedere::notin(&x, y)?)
    };
    run(py, x.len().saturating_add(y.len()), operation).map(Array::from)
}

/// Returns the sorted distinct elements that are in exactly one of the arrays.
///
/// >>> bv.setxor1d(bv.asarray([3, 1, 2]), bv.asarray([2, 3, 4]))
/// array([1, 4])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, assume_unique=false))]
pub(crate) fn setxor1d(
    py: Python<'_>,
    x1: OperandArgument,
    x2: OperandArgument,
    #[expect(unused_variables, reason = "it is no faster")] assume_unique: bool,
) -> PyResult<Array> {
    combine(py, &x1, &x2, |x, y| belvedere::setxor1d(x, y))
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
