//! Searching functions.

use super::result::tuple;
use crate::arguments::{ArrayArgument, OperandArgument};
use crate::array::Array;
use crate::lock::run;
use belvedere::{Axes, Side, keep};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Positions of extremes, over one axis or all.
macro_rules! positions {
    ($($(#[$doc:meta])* $name:ident => $method:ident;)+) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (x, /, *, axis=None, keepdims=false))]
        fn $name(
            py: Python<'_>,
            x: ArrayArgument<'_>,
            axis: Option<isize>,
            keepdims: bool,
        ) -> PyResult<Array> {
            let axes = axis.map_or(Axes::from(()), Axes::from);
            let axes = if keepdims { keep(axes) } else { axes };
            let x = x.tensor();
            run(py, x.len(), || x.$method(axes.clone())).map(Array::from)
        }
    )+};
}

positions! {
    /// Where the first greatest element is along an axis, or in the order of the indices.
    ///
    /// >>> bv.argmax(bv.asarray([[1, 2], [3, 0]]), axis=1)
    /// array([1, 0])
    argmax => argmax;

    /// Where the first least element is along an axis, or in the order of the indices.
    ///
    /// >>> bv.argmin(bv.asarray([[1, 2], [3, 0]]))
    /// array(3)
    argmin => argmin;
}

reductions! {
    /// How many elements are not zero, over axes.
    ///
    /// >>> bv.count_nonzero(bv.asarray([[0, 1], [2, 3]]), axis=1)
    /// array([1, 2])
    count_nonzero => count_nonzero;
}

/// The indices of the elements that are not zero, an array for each axis.
///
/// >>> bv.nonzero(bv.asarray([0, 5, 0, 7]))
/// (array([1, 3]),)
#[pyfunction]
#[pyo3(signature = (x, /))]
fn nonzero<'py>(py: Python<'py>, x: ArrayArgument<'_>) -> PyResult<Bound<'py, PyTuple>> {
    let x = x.tensor();
    tuple(py, run(py, x.len(), || x.nonzero())?)
}

/// The indices of the elements that are not zero, a row for each.
///
/// >>> bv.argwhere(bv.asarray([[0, 5], [7, 0]]))
/// array([[0, 1],
///        [1, 0]])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn argwhere(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.argwhere()).map(Array::from)
}

/// Where elements would have to be put so that ``x1`` stays sorted.
///
/// ``sorter`` has the positions of its elements in ascending order.
///
/// >>> bv.searchsorted(bv.asarray([1, 3, 5]), bv.asarray([0, 3, 9]))
/// array([0, 1, 3])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, side="left", sorter=None))]
fn searchsorted(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: OperandArgument<'_>,
    side: &str,
    sorter: Option<ArrayArgument<'_>>,
) -> PyResult<Array> {
    let side = match side {
        "left" => Side::Left,
        "right" => Side::Right,
        _ => return Err(PyValueError::new_err(format!("side is left or right, not {side:?}"))),
    };
    let (x, values) = (x1.tensor(), x2.given());
    let sorter = sorter.as_ref().map(ArrayArgument::tensor);
    let operation = || match sorter {
        None => x.searchsorted(values, side),
        Some(sorter) => x.searchsorted_by(values, side, sorter),
    };
    run(py, x.len().saturating_add(x2.len()), operation).map(Array::from)
}

/// The elements of ``x1`` where the condition is true, and else those of ``x2``.
///
/// >>> bv.where(bv.asarray([True, False]), bv.asarray([1, 2]), 0)
/// array([1, 0])
#[pyfunction]
#[pyo3(name = "where", signature = (condition, x1, x2, /))]
fn where_(
    py: Python<'_>,
    condition: ArrayArgument<'_>,
    x1: OperandArgument<'_>,
    x2: OperandArgument<'_>,
) -> PyResult<Array> {
    let (condition, x, y) = (condition.tensor(), x1.given(), x2.given());
    let len = condition.len().max(x1.len()).max(x2.len());
    run(py, len, || belvedere::where_(condition, x, y)).map(Array::from)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_reductions(module)?;
    module.add_function(wrap_pyfunction!(argmax, module)?)?;
    module.add_function(wrap_pyfunction!(argmin, module)?)?;
    module.add_function(wrap_pyfunction!(argwhere, module)?)?;
    module.add_function(wrap_pyfunction!(nonzero, module)?)?;
    module.add_function(wrap_pyfunction!(searchsorted, module)?)?;
    module.add_function(wrap_pyfunction!(where_, module)?)
}
