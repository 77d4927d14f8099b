//! Arrays as text.

use super::ArrayObject;
use crate::explain::picture;
use crate::lock::release;
use pyo3::prelude::*;

#[pymethods]
impl ArrayObject {
    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let x = &self.tensor;
        release(py, || Ok(x.to_string()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let x = &self.tensor;
        release(py, || Ok(x.repr("array")))
    }

    /// The memory and the grid that looks at it, for a notebook.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let x = &self.tensor;
        release(py, || Ok(picture(x).to_html()))
    }
}
