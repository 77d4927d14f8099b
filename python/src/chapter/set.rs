//! Set functions.

use super::result::named;
use crate::arguments::{ArrayArgument, OperandArgument};
use crate::array::Array;
use crate::attach::run;
use belvedere::{UniqueAll, UniqueCounts, UniqueInverse};
use pyo3::prelude::*;

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
    let (x, among) = (&x1, &x2);
    let operation = || match invert {
        false => belvedere::isin(x, among),
        true => belvedere::notin(x, among),
    };
    run(py, x1.len().saturating_add(x2.len()), operation).map(Array::from)
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

/// Returns the sorted distinct elements.
///
/// >>> bv.unique_values(bv.asarray([7, 5, 7]))
/// array([5, 7])
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn unique_values(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.unique_values()).map(Array::from)
}

/// Defines functions of two sets.
macro_rules! sets {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x1, x2, /))]
            pub(crate) fn $name(
                py: Python<'_>,
                x1: OperandArgument,
                x2: OperandArgument,
            ) -> PyResult<Array> {
                let (x, y) = (&x1, &x2);
                run(py, x1.len().saturating_add(x2.len()), || belvedere::$name(x, y))
                    .map(Array::from)
            }
        )+
    };
}

sets! {
    /// Returns the sorted distinct elements that are in both arrays.
    ///
    /// >>> bv.intersect1d(bv.asarray([3, 1, 2]), bv.asarray([2, 3, 4]))
    /// array([2, 3])
    intersect1d;

    /// Returns the sorted distinct elements of ``x1`` that are not in ``x2``.
    ///
    /// >>> bv.setdiff1d(bv.asarray([3, 1, 2]), bv.asarray([2, 3, 4]))
    /// array([1])
    setdiff1d;

    /// Returns the sorted distinct elements that are in exactly one of the arrays.
    ///
    /// >>> bv.setxor1d(bv.asarray([3, 1, 2]), bv.asarray([2, 3, 4]))
    /// array([1, 4])
    setxor1d;

    /// Returns the sorted distinct elements of both arrays.
    ///
    /// >>> bv.union1d(bv.asarray([3, 1, 2]), bv.asarray([2, 3, 4]))
    /// array([1, 2, 3, 4])
    union1d;
}
