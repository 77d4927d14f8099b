//! The argument `out` of methods.

use super::ArrayObject;
use crate::attach::run;
use crate::error::raise;
use crate::exchange;
use belvedere::{Error, assign_into};
use pyo3::prelude::*;

/// Writes a result to `out` and returns that; returns the result if there is no `out`.
///
/// # Errors
/// `ValueError` if the shapes differ, `TypeError` if the result cannot be cast to the dtype of `out` implicitly.
pub(crate) fn write_to<'py>(
    result: Bound<'py, ArrayObject>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(out) = out.filter(|it| !it.is_none()) else { return Ok(result.into_any()) };
    let py = result.py();
    let target = exchange::adopt(out)?;
    let (x, target) = (result.get().tensor(), target.get().tensor());
    if x.shape() != target.shape() {
        let (op, needed, given) = ("out", x.shape().into(), target.shape().into());
        return Err(raise(Error::ShapeMismatch { op, needed, given }));
    }
    run(py, x.len(), || assign_into(x, target))?;
    Ok(out.clone())
}
