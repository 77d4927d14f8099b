//! Memory that others own, and ours in the hands of others.
//!
//! What comes in is a buffer (NumPy, `bytes`, `array.array`), a DLPack capsule (PyTorch), or numbers in
//! lists; what goes out is a buffer or a capsule. Memory is shared, and copied only where no tensor
//! can describe it: elements that are not aligned, or of the other byte order.

#[allow(unsafe_code)]
mod buffer;
mod create;
#[allow(unsafe_code)]
mod dlpack;
mod file;
mod format;
mod nested;
mod numpy;
mod pickle;

use crate::array::{Array, ArrayObject};
use belvedere::Tensor;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Puts the functions into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    create::register(module)?;
    file::register(module)?;
    pickle::register(module)
}

/// An array of another library, with its memory shared; or numbers in lists, as an array.
pub fn adopt<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, ArrayObject>> {
    if let Ok(array) = object.cast::<ArrayObject>() {
        return Ok(array.clone());
    }
    let tensor = match shared(object, None)? {
        Some(tensor) => tensor,
        None if nested::is_list(object) => nested::tensor(object, None)?,
        None => return Err(no_array(object)),
    };
    Array::from(tensor).object(object.py())
}

/// The memory of an object that has some to share.
fn shared(object: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Option<Tensor>> {
    if let Ok(array) = object.cast::<ArrayObject>() {
        return Ok(Some(array.get().tensor().clone()));
    }
    if let Some(tensor) = buffer::import(object, copy)? {
        return Ok(Some(tensor));
    }
    match object.hasattr("__dlpack__")? {
        true => {
            let wish = dlpack::Wish { uncopied: copy == Some(false), ..Default::default() };
            dlpack::import_from(object, wish).map(Some)
        }
        false => Ok(None),
    }
}

/// The same for an object that is to become an array: it may also make one of NumPy's, with whatever that
/// takes, such as calculating it.
fn foreign(object: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Option<Tensor>> {
    if let Some(tensor) = shared(object, copy)? {
        return Ok(Some(tensor));
    }
    if object.hasattr("__array__")? && !object.is_instance_of::<pyo3::types::PyType>() {
        return buffer::import(&object.call_method0("__array__")?, copy);
    }
    Ok(None)
}

fn no_array(object: &Bound<'_, PyAny>) -> PyErr {
    match object.get_type().name() {
        Ok(name) => {
            PyTypeError::new_err(format!("an array or a number is needed here, not {name}"))
        }
        Err(error) => error,
    }
}
