//! Utility functions.

use crate::arguments::{ArrayArgument, Count};
use crate::array::Array;
use crate::lock::run;
use pyo3::prelude::*;

reductions! {
    /// Whether all elements are true over axes; all are among none.
    ///
    /// >>> bv.all(bv.asarray([[True, False], [True, True]]), axis=1)
    /// array([False,  True])
    all => all;

    /// Whether an element is true over axes.
    ///
    /// >>> bv.any(bv.asarray([[True, False], [False, False]]), axis=1)
    /// array([ True, False])
    any => any;
}

/// The differences of neighbours along an axis, ``n`` times, perhaps with more elements at the ends.
///
/// >>> bv.diff(bv.asarray([1, 4, 9]))
/// array([3, 5])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=-1, n=Count(1), prepend=None, append=None),
       text_signature = "(x, /, *, axis=-1, n=1, prepend=None, append=None)")]
fn diff(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: isize,
    n: Count,
    prepend: Option<ArrayArgument<'_>>,
    append: Option<ArrayArgument<'_>>,
) -> PyResult<Array> {
    let x = x.tensor();
    let [prepend, append] = [&prepend, &append].map(|it| it.as_ref().map(ArrayArgument::tensor));
    run(py, x.len(), || x.diff_with(axis, n.0, prepend, append)).map(Array::from)
}

/// The area below points that are ``dx`` apart along an axis, with straight lines between them.
///
/// >>> bv.trapezoid(bv.asarray([1.0, 2.0, 3.0]))
/// array(4.)
#[pyfunction]
#[pyo3(signature = (x, /, *, dx=1.0, axis=-1), text_signature = "(x, /, *, dx=1.0, axis=-1)")]
fn trapezoid(py: Python<'_>, x: ArrayArgument<'_>, dx: f64, axis: isize) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.trapezoid(axis, dx)).map(Array::from)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_reductions(module)?;
    module.add_function(wrap_pyfunction!(diff, module)?)?;
    module.add_function(wrap_pyfunction!(trapezoid, module)?)
}
