//! Set functions.

use super::result::named;
use crate::arguments::{ArrayArgument, OperandArgument};
use crate::array::Array;
use crate::lock::run;
use belvedere::{UniqueAll, UniqueCounts, UniqueInverse};
use pyo3::prelude::*;

/// For each element of ``x1`` whether it is among those of ``x2``.
///
/// >>> bv.isin(bv.asarray([1, 2, 3]), bv.asarray([3, 1]))
/// array([ True, False,  True])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, invert=false))]
fn isin(
    py: Python<'_>,
    x1: OperandArgument<'_>,
    x2: OperandArgument<'_>,
    invert: bool,
) -> PyResult<Array> {
    let (x, among) = (x1.given(), x2.given());
    let operation = || match invert {
        false => belvedere::isin(x, among),
        true => belvedere::notin(x, among),
    };
    run(py, x1.len().saturating_add(x2.len()), operation).map(Array::from)
}

/// The distinct elements in ascending order, where each is first, which of them each element is, and how
/// often each is there.
///
/// >>> bv.unique_all(bv.asarray([7, 5, 7])).indices
/// array([1, 0])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn unique_all<'py>(py: Python<'py>, x: ArrayArgument<'_>) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let UniqueAll { values, indices, inverse_indices, counts } =
        run(py, x.len(), || x.unique_all())?;
    named(py, "UniqueAllResult", [values, indices, inverse_indices, counts])
}

/// The distinct elements in ascending order, and how often each is there.
///
/// >>> bv.unique_counts(bv.asarray([7, 5, 7])).counts
/// array([1, 2])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn unique_counts<'py>(py: Python<'py>, x: ArrayArgument<'_>) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let UniqueCounts { values, counts } = run(py, x.len(), || x.unique_counts())?;
    named(py, "UniqueCountsResult", [values, counts])
}

/// The distinct elements in ascending order, and which of them each element is.
///
/// >>> bv.unique_inverse(bv.asarray([7, 5, 7])).inverse_indices
/// array([1, 0, 1])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn unique_inverse<'py>(py: Python<'py>, x: ArrayArgument<'_>) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let UniqueInverse { values, inverse_indices } = run(py, x.len(), || x.unique_inverse())?;
    named(py, "UniqueInverseResult", [values, inverse_indices])
}

/// The distinct elements in ascending order.
///
/// >>> bv.unique_values(bv.asarray([7, 5, 7]))
/// array([5, 7])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn unique_values(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.unique_values()).map(Array::from)
}

/// Functions of two sets.
macro_rules! sets {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x1, x2, /))]
            fn $name(
                py: Python<'_>,
                x1: OperandArgument<'_>,
                x2: OperandArgument<'_>,
            ) -> PyResult<Array> {
                let (x, y) = (x1.given(), x2.given());
                run(py, x1.len().saturating_add(x2.len()), || belvedere::$name(x, y))
                    .map(Array::from)
            }
        )+

        fn register_sets(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)+
            Ok(())
        }
    };
}

sets! {
    /// The distinct elements that are in both, in ascending order.
    ///
    /// >>> bv.intersect1d(bv.asarray([3, 1, 2]), bv.asarray([2, 3, 4]))
    /// array([2, 3])
    intersect1d;

    /// The distinct elements of the first that are not in the second, in ascending order.
    ///
    /// >>> bv.setdiff1d(bv.asarray([3, 1, 2]), bv.asarray([2, 3, 4]))
    /// array([1])
    setdiff1d;

    /// The distinct elements that are in one but not in both, in ascending order.
    ///
    /// >>> bv.setxor1d(bv.asarray([3, 1, 2]), bv.asarray([2, 3, 4]))
    /// array([1, 4])
    setxor1d;

    /// The distinct elements of both, in ascending order.
    ///
    /// >>> bv.union1d(bv.asarray([3, 1, 2]), bv.asarray([2, 3, 4]))
    /// array([1, 2, 3, 4])
    union1d;
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_sets(module)?;
    module.add_function(wrap_pyfunction!(isin, module)?)?;
    module.add_function(wrap_pyfunction!(unique_all, module)?)?;
    module.add_function(wrap_pyfunction!(unique_counts, module)?)?;
    module.add_function(wrap_pyfunction!(unique_inverse, module)?)?;
    module.add_function(wrap_pyfunction!(unique_values, module)?)
}
