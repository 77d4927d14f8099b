//! Sorting functions.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::lock::run;
use belvedere::{SortAxis, descending as downwards};
use pyo3::prelude::*;

fn along(axis: isize, descending: bool) -> SortAxis {
    if descending { downwards(axis) } else { SortAxis::from(axis) }
}

/// The positions of the elements along an axis in ascending order. Equal ones stay in their order, even
/// if ``stable`` does not ask for it.
///
/// >>> bv.argsort(bv.asarray([3, 1, 2]))
/// array([1, 2, 0])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=-1, descending=false, stable=true),
       text_signature = "(x, /, *, axis=-1, descending=False, stable=True)")]
fn argsort(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: isize,
    descending: bool,
    #[expect(unused_variables, reason = "it always is")] stable: bool,
) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.argsort(along(axis, descending))).map(Array::from)
}

/// The elements along an axis in ascending order; NaNs come last.
///
/// >>> bv.sort(bv.asarray([3, 1, 2]), descending=True)
/// array([3, 2, 1])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=-1, descending=false, stable=true),
       text_signature = "(x, /, *, axis=-1, descending=False, stable=True)")]
fn sort(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: isize,
    descending: bool,
    #[expect(unused_variables, reason = "it always is")] stable: bool,
) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.sort(along(axis, descending))).map(Array::from)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(argsort, module)?)?;
    module.add_function(wrap_pyfunction!(sort, module)?)
}
