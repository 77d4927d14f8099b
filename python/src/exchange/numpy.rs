//! The NumPy protocols of arrays and dtypes.

use super::buffer::NO_BFLOAT16;
use crate::array::{Array, ArrayObject};
use crate::attach::run;
use crate::dtype::{self, DTypeObject};
use crate::error::raise;
use belvedere::{DType, Device};
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyMemoryView, PyTuple};

#[pymethods]
impl ArrayObject {
    /// The priority in mixed operations: above NumPy's arrays (0), below containers of arrays such as dask's (11).
    #[classattr]
    #[pyo3(name = "__array_priority__")]
    fn array_priority() -> f64 {
        10.0
    }

    /// Returns the address, shape, strides and dtype of the memory, as NumPy's array interface describes them.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let x = self.tensor();
        if x.device() == Device::Meta || x.dtype() == DType::BFloat16 {
            let what = if x.dtype() == DType::BFloat16 { "bfloat16" } else { "no memory" };
            return Err(PyAttributeError::new_err(format!(
                "an array with {what} has no __array_interface__"
            )));
        }
        // The memory is recognized when it is imported again.
        x.note_export().map_err(raise)?;
        let address = x.storage().address() + x.offset() * x.dtype().size();
        let dtype = dtype::object(py, x.dtype()).get();
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", self.shape(py)?)?;
        interface.set_item("typestr", dtype.code())?;
        interface.set_item("descr", dtype.descr())?;
        interface.set_item("data", (address, !self.is_writable()))?;
        let strides = (!x.is_contiguous()).then(|| self.strides(py)).transpose()?;
        interface.set_item("strides", strides)?;
        Ok(interface)
    }

    /// Converts to a NumPy array, which shares the memory unless ``dtype`` or ``copy`` requires a copy.
    ///
    /// NumPy has no ``bfloat16``: such an array is cast if ``dtype`` is given.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let options = PyDict::new(py);
        options.set_item("copy", copy)?;
        let tensor = slf.get().tensor();
        let memory = if tensor.dtype() == DType::BFloat16 {
            if dtype.is_none() || copy == Some(false) {
                return Err(PyTypeError::new_err(NO_BFLOAT16));
            }
            // The cast from bfloat16 to float32 is exact.
            let wide = run(py, tensor.len(), || tensor.astype(DType::Float32))?;
            PyMemoryView::from(Array::from(wide).object(py)?.as_any())?
        } else {
            PyMemoryView::from(slf.as_any())?
        };
        options.set_item("dtype", dtype)?;
        py.import("numpy")?.call_method("array", (memory,), Some(&options))
    }

    /// Computes a NumPy ufunc: by an operation of this package if there is one, else by NumPy on the same memory.
    #[pyo3(signature = (ufunc, method, *inputs, **kwargs))]
    fn __array_ufunc__<'py>(
        slf: &Bound<'py, Self>,
        ufunc: Bound<'py, PyAny>,
        method: Bound<'py, PyAny>,
        inputs: Bound<'py, PyTuple>,
        kwargs: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let kwargs = kwargs.unwrap_or_else(|| PyDict::new(py));
        static UFUNC: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        UFUNC.import(py, DISPATCH, "array_ufunc")?.call1((ufunc, method, inputs, kwargs))
    }

    /// Computes another NumPy function: by an operation of this package if there is one, else by NumPy on the same memory.
    fn __array_function__<'py>(
        slf: &Bound<'py, Self>,
        func: Bound<'py, PyAny>,
        types: Bound<'py, PyAny>,
        args: Bound<'py, PyAny>,
        kwargs: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static FUNCTION: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let function = FUNCTION.import(slf.py(), DISPATCH, "array_function")?;
        function.call1((func, types, args, kwargs))
    }
}

/// The Python module of the protocols. It imports NumPy, so it is imported when NumPy first dispatches.
const DISPATCH: &str = "belvedere._numpy";

#[pymethods]
impl DTypeObject {
    /// Returns NumPy's dtype of the same name, where NumPy before 2.4 looks for it.
    #[getter(dtype)]
    fn numpy_dtype<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.getattr("__numpy_dtype__")
    }

    /// Returns NumPy's scalar type: ``numpy.float32``.
    #[getter]
    #[pyo3(name = "type")]
    fn numpy_type<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.getattr("__numpy_dtype__")?.getattr("type")
    }
}
