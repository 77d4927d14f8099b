//! Sorting functions.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run;
use belvedere::{SortAxis, descending as downwards};
use pyo3::prelude::*;

fn sort_axis(axis: isize, descending: bool) -> SortAxis {
    if descending { downwards(axis) } else { SortAxis::from(axis) }
}

/// Returns the indices that sort along an axis; equal elements keep their order.
///
/// >>> bv.argsort(bv.asarray([3, 1, 2]))
/// array([1, 2, 0])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=-1, descending=false, stable=true),
       text_signature = "(x, /, *, axis=-1, descending=False, stable=True)")]
pub(crate) fn argsort(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: isize,
    descending: bool,
    #[expect(unused_variables, reason = "every sort is stable")] stable: bool,
) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.argsort(sort_axis(axis, descending))).map(Array::from)
}

/// Sorts along an axis; NaN comes last.
///
/// >>> bv.sort(bv.asarray([3, 1, 2]), descending=True)
/// array([3, 2, 1])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=-1, descending=false, stable=true),
       text_signature = "(x, /, *, axis=-1, descending=False, stable=True)")]
pub(crate) fn sort(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: isize,
    descending: bool,
    #[expect(unused_variables, reason = "every sort is stable")] stable: bool,
) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.sort(sort_axis(axis, descending))).map(Array::from)
}
