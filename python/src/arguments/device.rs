//! Device arguments.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The device `"cpu"`, the only one.
pub(crate) struct DeviceArgument;

impl<'a, 'py> FromPyObject<'a, 'py> for DeviceArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.str()?.to_str()? {
            "cpu" => Ok(DeviceArgument),
            other => Err(PyValueError::new_err(format!(
                "unknown device {other}; the only device is cpu"
            ))),
        }
    }
}
