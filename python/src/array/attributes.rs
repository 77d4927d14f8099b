//! What an array says of itself.

use super::Array;
use crate::dtype::{self, DTypeObject};
use crate::error::raise;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

#[pymethods]
impl Array {
    /// The type of the elements.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> &'py Py<DTypeObject> {
        dtype::object(py, self.tensor.dtype())
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
    #[getter(T)]
    fn t(&self) -> PyResult<Array> {
        self.tensor.t().map(Array::from).map_err(raise)
    }

    /// The transpose of the last two axes: a view.
    #[getter(mT)]
    fn mt(&self) -> PyResult<Array> {
        self.tensor.mt().map(Array::from).map_err(raise)
    }
}
