//! The inspection API of the standard.

use crate::arguments::DeviceArgument;
use crate::dtype::{self, kind_of_name};
use belvedere::{DType, info};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

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
        let (said, can) = (PyDict::new(py), info::capabilities());
        said.set_item("boolean indexing", can.boolean_indexing)?;
        said.set_item("data-dependent shapes", can.data_dependent_shapes)?;
        said.set_item("max dimensions", can.max_dimensions)?;
        Ok(said)
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
        let (said, default) = (PyDict::new(py), info::default_dtypes());
        said.set_item("real floating", dtype::object(py, default.real_floating))?;
        said.set_item("complex floating", dtype::object(py, default.complex_floating))?;
        said.set_item("integral", dtype::object(py, default.integral))?;
        said.set_item("indexing", dtype::object(py, default.indexing))?;
        Ok(said)
    }

    /// Returns the devices.
    #[pyo3(signature = ())]
    fn devices(&self) -> (&'static str,) {
        ("cpu",)
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
            Some(kind) => types_of(kind)?,
        };
        let said = PyDict::new(py);
        let is_beyond = |it: &DType| matches!(it, DType::Float16 | DType::BFloat16);
        for dtype in types.into_iter().filter(|it| !is_beyond(it)) {
            said.set_item(dtype.name(), dtype::object(py, dtype))?;
        }
        Ok(said)
    }
}

fn types_of(kind: &Bound<'_, PyAny>) -> PyResult<Vec<DType>> {
    if let Ok(name) = kind.cast::<PyString>() {
        return Ok(info::dtypes(kind_of_name(name.to_str()?)?));
    }
    let Ok(kinds) = kind.cast::<PyTuple>() else {
        return Err(PyTypeError::new_err("kind must be a string or a tuple of strings"));
    };
    let kinds: Vec<Vec<DType>> = kinds.iter().map(|it| types_of(&it)).collect::<PyResult<_>>()?;
    Ok(DType::ALL.into_iter().filter(|it| kinds.iter().any(|kind| kind.contains(it))).collect())
}
