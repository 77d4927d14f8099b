//! Memory that others own, and ours in the hands of others.

use crate::array::Array;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// An array of another library, with its memory shared.
pub fn adopt<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Array>> {
    let name = object.get_type().name()?;
    Err(PyTypeError::new_err(format!("an array or a number is needed here, not {name}")))
}
