//! The inspection API of the standard.

use crate::arguments::DeviceArgument;
use crate::dtype::{self, kind_of_name};
use belvedere::{DType, info};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

/// Returns the inspection object of the Array API: capabilities, devices and dtypes.
///
/// >>> bv.__array_namespace_info__().default_device()
/// 'cpu'
#[pyfunction]
#[pyo3(signature = ())]
pub(crate) fn __array_namespace_info__() -> Info {
    Info
}

/// The inspection object of the Array API.
#[pyclass(frozen, name = "Info", module = "belvedere")]
pub(crate) struct Info;

#[pymethods]
impl Info {
    /// Returns the optional capabilities of the standard.
    ///
    /// >>> bv.__array_namespace_info__().capabilities()["max dimensions"]
    /// 64
    #[pyo3(signature = ())]
    fn capabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (dict, can) = (PyDict::new(py), info::capabilities());
        dict.set_item("boolean indexing", can.boolean_indexing)?;
        dict.set_item("data-dependent shapes", can.data_dependent_shapes)?;
        dict.set_item("max dimensions", can.max_dimensions)?;
        Ok(dict)
    }

    /// Returns the default device.
    #[pyo3(signature = ())]
    fn default_device(&self) -> &'static str {
        "cpu"
    }

    /// Returns the default dtypes.
    ///
    /// >>> bv.__array_namespace_info__().default_dtypes()["integral"]
    /// belvedere.int64
    #[pyo3(signature = (*, device = None))]
    fn default_dtypes<'py>(
        &self,
        py: Python<'py>,
        device: Option<DeviceArgument>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let _ = device;
        let (dict, default) = (PyDict::new(py), info::default_dtypes());
        dict.set_item("real floating", dtype::object(py, default.real_floating))?;
        dict.set_item("complex floating", dtype::object(py, default.complex_floating))?;
        dict.set_item("integral", dtype::object(py, default.integral))?;
        dict.set_item("indexing", dtype::object(py, default.indexing))?;
        Ok(dict)
    }

    /// Returns the devices.
    #[pyo3(signature = ())]
    fn devices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static DEVICES: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        DEVICES.import(py, "belvedere.results", "Devices")?.call1((("cpu",),))
    }

    /// Returns the dtypes of the standard by name: all, or those of one or several kinds.
    ///
    /// >>> list(bv.__array_namespace_info__().dtypes(kind="real floating"))
    /// ['float32', 'float64']
    #[pyo3(signature = (*, device = None, kind = None))]
    fn dtypes<'py>(
        &self,
        py: Python<'py>,
        device: Option<DeviceArgument>,
        kind: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let _ = device;
        let types = match kind {
            None => info::dtypes(None),
            Some(kind) => dtypes_of_kind(kind)?,
        };
        let dict = PyDict::new(py);
        let is_extension = |it: &DType| matches!(it, DType::Float16 | DType::BFloat16);
        for dtype in types.into_iter().filter(|it| !is_extension(it)) {
            dict.set_item(dtype.name(), dtype::object(py, dtype))?;
        }
        Ok(dict)
    }
}

fn dtypes_of_kind(kind: &Bound<'_, PyAny>) -> PyResult<Vec<DType>> {
    if let Ok(name) = kind.cast::<PyString>() {
        return Ok(info::dtypes(kind_of_name(name.to_str()?)?));
    }
    let Ok(kinds) = kind.cast::<PyTuple>() else {
        return Err(PyTypeError::new_err("kind must be a string or a tuple of strings"));
    };
    let kinds: Vec<Vec<DType>> =
        kinds.iter().map(|it| dtypes_of_kind(&it)).collect::<PyResult<_>>()?;
    Ok(DType::ALL.into_iter().filter(|it| kinds.iter().any(|kind| kind.contains(it))).collect())
}
