//! Attributes of arrays.

use super::{Array, ArrayObject};
use crate::arguments::DeviceArgument;
use crate::attach::run_to_object;
use crate::dtype::{self, DTypeObject};
use crate::error::raise;
use belvedere::{Layout, Tensor};
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyEllipsis, PyTuple};

#[pymethods]
impl ArrayObject {
    /// Returns the dtype of the elements.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> &'py Py<DTypeObject> {
        dtype::object(py, self.tensor.dtype())
    }

    #[setter(dtype)]
    fn set_dtype(&self, #[expect(unused_variables)] value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(fixed("dtype", "x = x.view(dtype), or x = x.astype(dtype)"))
    }

    /// Returns the namespace of the Array API, in one of its supported versions.
    #[pyo3(signature = (*, api_version=None))]
    fn __array_namespace__<'py>(
        &self,
        py: Python<'py>,
        api_version: Option<&str>,
    ) -> PyResult<Bound<'py, PyModule>> {
        match api_version {
            None | Some("2025.12") => py.import("belvedere"),
            Some("2021.12" | "2022.12" | "2023.12" | "2024.12") => {
                py.import("belvedere._array_api_2024")
            }
            Some(other) => {
                let message = format!(
                    "unsupported version {other} of the Array API; 2021.12 to 2025.12 are supported"
                );
                Err(PyValueError::new_err(message))
            }
        }
    }

    /// Returns the array on a device: itself, or for ``"meta"`` an array without memory.
    ///
    /// >>> bv.zeros(2).to_device("cpu")
    /// array([0., 0.])
    /// >>> bv.zeros((2, 3)).to_device("meta").device
    /// 'meta'
    #[pyo3(signature = (device, /, *, stream=None))]
    fn to_device<'py>(
        slf: Bound<'py, Self>,
        device: DeviceArgument,
        stream: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        if stream.is_some() {
            return Err(PyValueError::new_err("stream must be None: the devices have no streams"));
        }
        let x = slf.get().tensor();
        if x.device() == device.0 {
            return Ok(slf);
        }
        Array::from_view(x.to_device(device.0))?.object(slf.py())
    }

    /// Returns the device of the array: ``"cpu"``, or ``"meta"`` if it has no memory.
    #[getter]
    fn device(&self) -> &'static str {
        self.tensor.device().name()
    }

    /// Returns the number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.tensor.rank()
    }

    /// Returns the lengths of the axes.
    #[getter]
    pub(crate) fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.tensor.layout().axes().iter().map(|axis| axis.len))
    }

    #[setter(shape)]
    fn set_shape(&self, #[expect(unused_variables)] value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(fixed("shape", "x = x.reshape(shape)"))
    }

    /// Returns the number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.tensor.len()
    }

    /// Reverses the order of the axes; the result is a view.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).T
    /// array([[1, 3],
    ///        [2, 4]])
    #[getter(T)]
    fn t<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        self.through(py, "T", || [], |layout| Ok(layout.reverse()))
    }

    /// Returns the conjugate transpose of a matrix: a view, unless it is complex.
    ///
    /// >>> bv.asarray([[1+2j, 3]]).H
    /// array([[1.-2.j],
    ///        [3.-0.j]])
    #[getter(H)]
    fn h<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        match self.tensor.rank() {
            2 => self.mh(py),
            rank => Err(PyValueError::new_err(format!(
                "H requires 2 axes, got {rank}; use mH for the last two"
            ))),
        }
    }

    /// Conjugates and transposes the last two axes: a view, unless the array is complex.
    ///
    /// >>> bv.zeros((5, 2, 3)).mH.shape
    /// (5, 3, 2)
    #[getter(mH)]
    fn mh<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        if !self.tensor.dtype().is_complex() {
            return self.through(py, "mH", || [], |layout| layout.mt());
        }
        let x = &self.tensor;
        run_to_object(py, x.len(), || x.mt()?.conj())
    }

    /// Transposes the last two axes; the result is a view.
    ///
    /// >>> bv.zeros((5, 2, 3)).mT.shape
    /// (5, 3, 2)
    #[getter(mT)]
    fn mt<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        self.through(py, "mT", || [], |layout| layout.mt())
    }

    /// Returns the whole memory as an array with one axis (`None` if this array is all of it), its address, and whether
    /// it belongs to another library.
    fn _memory(&self) -> PyResult<(Option<Array>, usize, bool)> {
        let x = &self.tensor;
        let (storage, dtype) = (x.storage(), x.dtype());
        let (address, is_foreign) = (storage.address(), storage.is_foreign());
        let n = storage.len() / dtype.size();
        if x.is_empty() || (x.len() == n && x.is_contiguous()) {
            return Ok((None, address, is_foreign));
        }
        let layout = Layout::row_major(&[n]).map_err(|error| raise(error.into()))?;
        let whole = Array::from_view(Tensor::from_storage(storage.clone(), layout, dtype))?;
        Ok((Some(whole), address, is_foreign))
    }

    /// Returns the real parts as a view.
    ///
    /// >>> bv.asarray([1+2j]).real
    /// array([1.])
    #[getter]
    fn real(&self) -> PyResult<Array> {
        Array::from_view(self.tensor.real())
    }

    #[setter(real)]
    fn set_real(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        assign_all(self.real()?, value)
    }

    /// Returns the imaginary parts as a view; for a real array, zeros.
    ///
    /// >>> bv.asarray([1+2j]).imag
    /// array([2.])
    #[getter]
    fn imag(&self) -> PyResult<Array> {
        Array::from_view(self.tensor.imag())
    }

    #[setter(imag)]
    fn set_imag(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if !self.tensor.dtype().is_complex() {
            let dtype = self.tensor.dtype();
            let message = format!("an array of {dtype} has no imaginary parts to assign to");
            return Err(PyTypeError::new_err(message));
        }
        assign_all(self.imag()?, value)
    }
}

/// Assigns to all elements, as `part[...] = value` does.
fn assign_all(part: Array, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = value.py();
    part.object(py)?.into_any().set_item(PyEllipsis::get(py), value)
}

/// The error of an assignment to an attribute that never changes. NumPy changes the array itself; here an array is a
/// fixed view of its memory.
fn fixed(name: &str, instead: &str) -> PyErr {
    PyAttributeError::new_err(format!("the {name} of an array does not change: use {instead}"))
}
