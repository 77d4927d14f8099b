//! When the interpreter is held, and when it is let go.
//!
//! A long kernel should not keep other threads from running Python, and a short one should not pay for
//! letting go and coming back. One rule has no exception: **nobody waits for memory while holding
//! the interpreter**, for the one who has the memory may be waiting for the interpreter. So a short
//! operation is tried in a mode in which it gives up instead of waiting; then it is done again, like
//! a long one, with the interpreter released.

use crate::array::{Array, ArrayObject};
use crate::error::raise;
use belvedere::{Error, Tensor, without_waiting};
use pyo3::prelude::*;

/// Up to so many elements an operation is shorter than letting go of the interpreter.
const SHORT: usize = 1 << 13;

/// Runs an operation on about so many elements.
///
/// It may run twice, so it must not have changed anything when it gives up: operations of
/// `belvedere` do not.
#[inline]
pub fn run<T: Send>(
    py: Python<'_>,
    len: usize,
    operation: impl Fn() -> Result<T, Error> + Send + Sync,
) -> PyResult<T> {
    attempt(py, len, operation).map_err(raise)
}

/// The same, with the error as it is.
#[inline]
pub fn attempt<T: Send>(
    py: Python<'_>,
    len: usize,
    operation: impl Fn() -> Result<T, Error> + Send + Sync,
) -> Result<T, Error> {
    if len <= SHORT {
        match without_waiting(&operation) {
            Err(Error::Busy { .. }) => {}
            outcome => return outcome,
        }
    }
    py.detach(operation)
}

/// Runs an operation that makes a tensor: the array of it.
///
/// The same as [`run`], for operations so short that it counts where their results are put.
#[inline]
pub fn made<'py>(
    py: Python<'py>,
    len: usize,
    operation: impl Fn() -> Result<Tensor, Error> + Send + Sync,
) -> PyResult<Bound<'py, ArrayObject>> {
    if len <= SHORT {
        match without_waiting(&operation) {
            Ok(tensor) => return Array::seen(py, Ok(tensor)),
            Err(Error::Busy { .. }) => {}
            Err(error) => return Err(raise(error)),
        }
    }
    Array::seen(py, py.detach(operation))
}

/// Runs an operation with the interpreter released.
pub fn release<T: Send>(
    py: Python<'_>,
    operation: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    py.detach(operation).map_err(raise)
}
