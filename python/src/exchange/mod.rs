//! Exchange of memory with other libraries.
//!
//! Buffers (NumPy, `bytes`, `array.array`), DLPack capsules (PyTorch) and nested lists of numbers are imported; buffers
//! and capsules are exported. Memory is shared, and copied only where no tensor can describe it: unaligned or byte-swapped
//! elements.

#[allow(unsafe_code)]
mod buffer;
pub(crate) mod create;
#[allow(unsafe_code)]
mod dlpack;
pub(crate) mod file;
mod format;
mod interface;
mod nested;
mod numpy;
mod pickle;

pub(crate) use nested::assigned;

use crate::array::{Array, ArrayObject};
use belvedere::{Device, Tensor};
pub(crate) use buffer::{ImportedBuffer, release_owners};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;

/// Adds the functions to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    pickle::register(module)
}

/// Converts an object to an array: arrays of other libraries share their memory, nested lists are copied.
pub(crate) fn adopt<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, ArrayObject>> {
    if let Ok(array) = object.cast::<ArrayObject>() {
        return Ok(array.clone());
    }
    let tensor = match import_shared(object, None)? {
        Some(tensor) => tensor,
        None if nested::is_list(object) => nested::tensor(object, None)?,
        None => return Err(not_an_array(object)),
    };
    Array::from(tensor).object(object.py())
}

/// Returns an array that shares the memory of an object; `None` if the object exports none.
pub(crate) fn adopt_memory<'py>(
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, ArrayObject>>> {
    match import_shared(object, Some(false))? {
        Some(tensor) => Array::from(tensor).object(object.py()).map(Some),
        None => Ok(None),
    }
}

/// Imports an object that exports its memory; `None` if it does not.
fn import_shared(object: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Option<Tensor>> {
    if let Ok(array) = object.cast::<ArrayObject>() {
        return Ok(Some(array.get().tensor().clone()));
    }
    let has_dlpack = || object.hasattr("__dlpack__");
    match buffer::import(object, copy) {
        Ok(Some(tensor)) => return Ok(Some(tensor)),
        Ok(None) => {}
        // JAX exports bfloat16 through DLPack only, although its arrays have the buffer protocol.
        Err(error) if error.is_instance_of::<PyBufferError>(object.py()) && has_dlpack()? => {}
        Err(error) => return Err(error),
    }
    match has_dlpack()? {
        true => {
            let request =
                dlpack::DlpackRequest { without_copy: copy == Some(false), ..Default::default() };
            dlpack::import_from(object, request).map(Some)
        }
        false => interface::import(object, copy),
    }
}

/// Imports an object that is converted to an array explicitly: it may also compute a NumPy array (`__array__`).
fn import_foreign(object: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Option<Tensor>> {
    if let Some(tensor) = import_shared(object, copy)? {
        return Ok(Some(tensor));
    }
    if object.hasattr("__array__")? && !object.is_instance_of::<pyo3::types::PyType>() {
        return buffer::import(&object.call_method0("__array__")?, copy);
    }
    Ok(None)
}

/// Checks that an array has memory, which another library is to be given.
///
/// # Errors
/// `BufferError` for an array on the device meta.
fn check_memory(x: &Tensor) -> PyResult<()> {
    match x.device() {
        Device::Meta => Err(PyBufferError::new_err(format!(
            "an array of shape {:?} on device meta has no memory to share",
            &x.shape()[..]
        ))),
        _ => Ok(()),
    }
}

fn not_an_array(object: &Bound<'_, PyAny>) -> PyErr {
    match object.get_type().name() {
        Ok(name) => PyTypeError::new_err(format!("expected an array or a number, got {name}")),
        Err(error) => error,
    }
}
