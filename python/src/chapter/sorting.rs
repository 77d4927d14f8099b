//! Sorting functions.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run;
use belvedere::{Error, SortAxis, Tensor, descending as downwards};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

fn sort_axis(axis: isize, descending: bool) -> SortAxis {
    if descending { downwards(axis) } else { SortAxis::from(axis) }
}

/// Returns the indices that sort along an axis; equal elements keep their order.
///
/// With ``axis=None``, the flattened array is sorted. ``kind`` and ``stable`` have no effect: every sort is stable.
///
/// >>> bv.argsort(bv.asarray([3, 1, 2]))
/// array([1, 2, 0])
#[pyfunction]
#[pyo3(signature = (x, /, axis=Some(-1), kind=None, order=None, *, descending=false, stable=Some(true)),
       text_signature = "(x, /, axis=-1, kind=None, order=None, *, descending=False, stable=True)")]
pub(crate) fn argsort(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: Option<isize>,
    kind: Option<&str>,
    order: Option<&Bound<'_, PyAny>>,
    descending: bool,
    #[expect(unused_variables, reason = "every sort is stable")] stable: Option<bool>,
) -> PyResult<Array> {
    check_kind(kind, order)?;
    let x = x.tensor();
    // The index of the only element, as NumPy's.
    let axis = if x.rank() == 0 && matches!(axis, Some(-1 | 0)) { None } else { axis };
    run(py, x.len(), || along(x, axis)?.argsort(sort_axis(axis.unwrap_or(0), descending)))
        .map(Array::from)
}

/// Sorts along an axis; NaN comes last.
///
/// With ``axis=None``, the flattened array is sorted. ``kind`` and ``stable`` have no effect: every sort is stable.
///
/// >>> bv.sort(bv.asarray([3, 1, 2]), descending=True)
/// array([3, 2, 1])
#[pyfunction]
#[pyo3(signature = (x, /, axis=Some(-1), kind=None, order=None, *, descending=false, stable=Some(true)),
       text_signature = "(x, /, axis=-1, kind=None, order=None, *, descending=False, stable=True)")]
pub(crate) fn sort(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: Option<isize>,
    kind: Option<&str>,
    order: Option<&Bound<'_, PyAny>>,
    descending: bool,
    #[expect(unused_variables, reason = "every sort is stable")] stable: Option<bool>,
) -> PyResult<Array> {
    check_kind(kind, order)?;
    let x = x.tensor();
    run(py, x.len(), || along(x, axis)?.sort(sort_axis(axis.unwrap_or(0), descending)))
        .map(Array::from)
}

/// The array itself, or the flattened one if there is no axis.
fn along(x: &Tensor, axis: Option<isize>) -> Result<Tensor, Error> {
    match axis {
        Some(_) => Ok(x.clone()),
        None => x.atleast_1d()?.reshape([-1]),
    }
}

/// # Errors
/// If NumPy has no algorithm of this name, or fields are given to sort by.
pub(crate) fn check_kind(kind: Option<&str>, order: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    if order.is_some() {
        return Err(PyValueError::new_err("order must be None: arrays have no fields"));
    }
    match kind {
        None | Some("quicksort" | "mergesort" | "heapsort" | "stable") => Ok(()),
        Some(other) => Err(PyValueError::new_err(format!(
            "kind must be 'quicksort', 'mergesort', 'heapsort' or 'stable', got {other:?}"
        ))),
    }
}
