//! Running operations attached to or detached from the interpreter (with or without the GIL).
//!
//! A long kernel detaches, so that other threads can run Python; a short one stays attached, because detaching and
//! attaching again would cost more than the kernel. One rule has no exception: **no thread blocks on memory while
//! attached**, because the thread that has claimed the memory may be waiting to attach. So a short operation is first
//! tried in a mode in which it returns `Error::Busy` instead of blocking; if it does, it is run again, like a long one,
//! detached. On the main thread, Ctrl-C stops an operation that runs detached (`interrupt.rs`).

use crate::array::{ArrayObject, new_object, try_new_object};
use crate::error::raise;
use crate::interrupt::detach;
use belvedere::{Error, Tensor, without_waiting};
use pyo3::prelude::*;

/// Operations on up to this many elements take less time than detaching.
const MAX_ATTACHED_ELEMENTS: usize = 1 << 13;

/// Runs an operation on about `len` elements, attached if that is short.
///
/// It may run twice, so it must not have changed anything when it returns `Error::Busy`: operations of `belvedere` do
/// not.
#[inline]
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    len: usize,
    operation: impl Fn() -> Result<T, Error> + Send + Sync,
) -> PyResult<T> {
    try_run(py, len, operation).map_err(raise)
}

/// Runs an operation as [`run`] does, and returns its error as it is.
#[inline]
pub(crate) fn try_run<T: Send>(
    py: Python<'_>,
    len: usize,
    operation: impl Fn() -> Result<T, Error> + Send + Sync,
) -> Result<T, Error> {
    if len <= MAX_ATTACHED_ELEMENTS {
        match without_waiting(&operation) {
            Err(Error::Busy { .. }) => {}
            outcome => return outcome,
        }
    }
    detach(py, operation)
}

/// Runs an operation as [`run`] does, and moves the tensor it returns into a new array object.
///
/// For operations so short that moving an `Array` through a `PyResult` would be measurable.
#[inline]
pub(crate) fn run_to_object<'py>(
    py: Python<'py>,
    len: usize,
    operation: impl Fn() -> Result<Tensor, Error> + Send + Sync,
) -> PyResult<Bound<'py, ArrayObject>> {
    run_to_object_or_else(py, len, operation, |error| Err(raise(error)))
}

/// Runs an operation as [`run_to_object`] does, and returns what `recover` returns for its error.
#[inline]
pub(crate) fn run_to_object_or_else<'py>(
    py: Python<'py>,
    len: usize,
    operation: impl Fn() -> Result<Tensor, Error> + Send + Sync,
    recover: impl FnOnce(Error) -> PyResult<Bound<'py, ArrayObject>>,
) -> PyResult<Bound<'py, ArrayObject>> {
    if len <= MAX_ATTACHED_ELEMENTS {
        // The tensor is moved once, from where the operation returns it to its place in the object.
        match try_new_object(py, |slot| without_waiting(|| Ok(slot.write(operation()?))))? {
            Ok(object) => return Ok(object),
            Err(Error::Busy { .. }) => {}
            Err(error) => return recover(error),
        }
    }
    match detach(py, operation) {
        Ok(tensor) => new_object(py, |slot| Ok(slot.write(tensor))),
        Err(error) => recover(error),
    }
}

/// Runs an operation detached from the interpreter.
pub(crate) fn run_detached<T: Send>(
    py: Python<'_>,
    operation: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    detach(py, operation).map_err(raise)
}
