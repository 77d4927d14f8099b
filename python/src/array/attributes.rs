//! What an array says of itself.

use super::{Array, ArrayObject};
use crate::arguments::DeviceArgument;
use crate::dtype::{self, DTypeObject};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

#[pymethods]
impl ArrayObject {
    /// The type of the elements.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> &'py Py<DTypeObject> {
        dtype::object(py, self.tensor.dtype())
    }

    /// The functions for arrays of this kind, as the standard in that version has them.
    #[pyo3(signature = (*, api_version=None))]
    fn __array_namespace__<'py>(
        &self,
        py: Python<'py>,
        api_version: Option<&str>,
    ) -> PyResult<Bound<'py, PyModule>> {
        match api_version {
            None | Some("2021.12" | "2022.12" | "2023.12" | "2024.12" | "2025.12") => {
                py.import("belvedere")
            }
            Some(other) => {
                let message = format!(
                    "there is no version {other} of the standard here: 2025.12 and those before are"
                );
                Err(PyValueError::new_err(message))
            }
        }
    }

    /// The array on a device, of which there is only ``"cpu"``: the array itself.
    ///
    /// >>> bv.zeros(2).to_device("cpu")
    /// array([0., 0.])
    #[pyo3(signature = (device, /, *, stream=None))]
    fn to_device<'py>(
        slf: Bound<'py, Self>,
        device: DeviceArgument,
        stream: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let DeviceArgument = device;
        match stream {
            None => Ok(slf),
            Some(_) => Err(PyValueError::new_err("the device cpu has no streams")),
        }
    }

    /// Where the elements are: ``"cpu"``.
    #[getter]
    fn device(&self) -> &'static str {
        "cpu"
    }

    /// The number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.tensor.rank()
    }

    /// The lengths of the axes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.tensor.layout().axes().iter().map(|axis| axis.len))
    }

    /// The number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.tensor.len()
    }

    /// The transpose of a matrix: a view.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).T
    /// array([[1, 3],
    ///        [2, 4]])
    #[getter(T)]
    fn t<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        match self.tensor.rank() {
            2 => self.through(py, |layout| layout.t()),
            rank => Err(PyValueError::new_err(format!(
                "T is for matrices, and this array has {rank} axes: there are mT, transpose and permute"
            ))),
        }
    }

    /// The transpose of the last two axes: a view.
    ///
    /// >>> bv.zeros((5, 2, 3)).mT.shape
    /// (5, 3, 2)
    #[getter(mT)]
    fn mt<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        self.through(py, |layout| layout.mt())
    }

    /// The real parts: a view.
    ///
    /// >>> bv.asarray([1+2j]).real
    /// array([1.])
    #[getter]
    fn real(&self) -> PyResult<Array> {
        Array::of_view(self.tensor.real())
    }

    /// The imaginary parts: a view; of real numbers zeros.
    ///
    /// >>> bv.asarray([1+2j]).imag
    /// array([2.])
    #[getter]
    fn imag(&self) -> PyResult<Array> {
        Array::of_view(self.tensor.imag())
    }
}
