//! Results that are written to an array of the caller.

use super::elementwise::show_shape;
use crate::arguments::{Casting, OutArgument};
use crate::array::{Array, ArrayObject};
use crate::attach::run;
use crate::error::raise;
use belvedere::{Error, Tensor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Computes a new array, or writes to `out` with the function of the core for that.
#[inline]
pub(crate) fn compute_to<'py>(
    py: Python<'py>,
    len: usize,
    out: Option<OutArgument<'py>>,
    new: impl Fn() -> Result<Tensor, Error> + Send + Sync,
    into: impl Fn(&Tensor) -> Result<(), Error> + Send + Sync,
) -> PyResult<Bound<'py, ArrayObject>> {
    match out {
        None => crate::attach::run_to_object(py, len, new),
        Some(out) => {
            let target = out.tensor();
            run(py, len, || into(target))?;
            Ok(out.0)
        }
    }
}

/// Returns a result as an array, or writes it to `out`, which must have its shape; casts follow `same_kind`.
pub(crate) fn deliver<'py>(
    py: Python<'py>,
    result: Tensor,
    out: Option<OutArgument<'py>>,
) -> PyResult<Bound<'py, ArrayObject>> {
    Casting::SameKind.deliver(py, result, out)
}

impl Casting {
    /// Returns a result as an array, or writes it to `out`, which must have its shape, with the casts that are allowed.
    pub(crate) fn deliver<'py>(
        self,
        py: Python<'py>,
        result: Tensor,
        out: Option<OutArgument<'py>>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        match out {
            None => Array::from(result).object(py),
            Some(out) => {
                check_shape(&result.shape(), out.tensor())?;
                assign(py, &result, out.tensor(), self)?;
                Ok(out.0)
            }
        }
    }
}

/// Assigns a result to an array, with the casts that the caller allows.
pub(crate) fn assign(
    py: Python<'_>,
    result: &Tensor,
    out: &Tensor,
    casting: Casting,
) -> PyResult<()> {
    casting.check(result.dtype(), out.dtype()).map_err(raise)?;
    run(py, out.len(), || belvedere::astype_into(result, out))
}

/// # Errors
/// If an array has another shape than the result that is written to it.
pub(crate) fn check_shape(shape: &[usize], out: &Tensor) -> PyResult<()> {
    if *shape == out.shape()[..] {
        return Ok(());
    }
    let (needed, given) = (show_shape(shape), show_shape(&out.shape()));
    let message = format!("out must have shape {needed}, the shape of the result, got {given}");
    Err(PyValueError::new_err(message))
}
