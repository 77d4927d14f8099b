//! Where an array should be.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The only device there is, under its name `"cpu"`.
pub struct DeviceArgument;

impl<'a, 'py> FromPyObject<'a, 'py> for DeviceArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.str()?.to_str()? {
            "cpu" => Ok(DeviceArgument),
            other => Err(PyValueError::new_err(format!("there is no device {other}, only cpu"))),
        }
    }
}
