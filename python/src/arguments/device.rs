//! Device arguments.

use belvedere::{Device, with_device};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A device: `"cpu"`, or `"meta"` for arrays without memory.
#[derive(Clone, Copy)]
pub(crate) struct DeviceArgument(pub Device);

impl DeviceArgument {
    /// Calls a function that creates arrays on the device, or on that of `like` if none is given.
    pub(crate) fn run<R>(
        device: Option<DeviceArgument>,
        like: Device,
        create: impl FnOnce() -> R,
    ) -> R {
        let DeviceArgument(device) = device.unwrap_or(DeviceArgument(like));
        with_device(device, create)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for DeviceArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.str()?.to_str()? {
            "cpu" => Ok(DeviceArgument(Device::Cpu)),
            "meta" => Ok(DeviceArgument(Device::Meta)),
            other => Err(PyValueError::new_err(format!(
                "unknown device {other}; the devices are cpu and meta"
            ))),
        }
    }
}
