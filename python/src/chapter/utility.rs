//! Utility functions.

use crate::arguments::{ArrayArgument, Count};
use crate::array::Array;
use crate::attach::run;
use belvedere::{Error, Tensor};
use pyo3::prelude::*;

/// Computes the n-th discrete difference along an axis.
///
/// >>> bv.diff(bv.asarray([1, 4, 9]))
/// array([3, 5])
#[pyfunction]
#[pyo3(signature = (x, /, n=Count(1), axis=-1, prepend=None, append=None),
       text_signature = "(x, /, n=1, axis=-1, prepend=None, append=None)")]
pub(crate) fn diff(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    n: Count,
    axis: isize,
    prepend: Option<ArrayArgument<'_>>,
    append: Option<ArrayArgument<'_>>,
) -> PyResult<Array> {
    let x = x.tensor();
    let [prepend, append] = [&prepend, &append].map(|it| it.as_ref().map(ArrayArgument::tensor));
    run(py, x.len(), || {
        let [prepend, append] = [prepend, append].map(|it| it.map(|it| end_of(x, it, axis)));
        let [prepend, append] = [prepend.transpose()?, append.transpose()?];
        x.diff_with(axis, n.0, prepend.as_ref(), append.as_ref())
    })
    .map(Array::from)
}

/// Values that extend an array along an axis; a single one is repeated along the others.
fn end_of(x: &Tensor, values: &Tensor, axis: isize) -> Result<Tensor, Error> {
    if values.rank() > 0 {
        return Ok(values.clone());
    }
    let k = x.layout().resolve_axis(axis)?;
    let mut shape = x.shape();
    shape[k] = 1;
    values.broadcast_to(shape)
}

/// Integrates ``y`` along an axis with the trapezoidal rule, at the points ``x`` or with spacing ``dx``.
///
/// >>> bv.trapezoid(bv.asarray([1.0, 2.0, 3.0]))
/// array(4.)
/// >>> bv.trapezoid([1.0, 2.0, 3.0], [0.0, 1.0, 3.0])
/// array(6.5)
#[pyfunction]
#[pyo3(signature = (y, /, x=None, dx=1.0, axis=-1), text_signature = "(y, /, x=None, dx=1.0, axis=-1)")]
pub(crate) fn trapezoid(
    py: Python<'_>,
    y: ArrayArgument<'_>,
    x: Option<ArrayArgument<'_>>,
    dx: f64,
    axis: isize,
) -> PyResult<Array> {
    let (y, x) = (y.tensor(), x.as_ref().map(ArrayArgument::tensor));
    run(py, y.len(), || match x {
        None => y.trapezoid(axis, dx),
        Some(x) => trapezoid_at(y, x, axis),
    })
    .map(Array::from)
}

/// Integrates over points that are a vector, or one for each element.
fn trapezoid_at(y: &Tensor, x: &Tensor, axis: isize) -> Result<Tensor, Error> {
    let k = y.layout().resolve_axis(axis)?;
    let axis = k as isize;
    let distances = match x.rank() {
        1 => {
            let mut shape = vec![1; y.rank()];
            shape[k] = x.len().saturating_sub(1);
            x.diff(0)?.reshape(shape)?
        }
        _ => x.diff(axis)?,
    };
    let len = y.shape()[k].saturating_sub(1);
    let sums = y.narrow(axis, 0, len)?.add(&y.narrow(axis, y.shape()[k] - len, len)?)?;
    sums.multiply(&distances)?.divide(2.0)?.sum(axis)
}
