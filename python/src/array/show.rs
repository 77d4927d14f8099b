//! Text and HTML representations of arrays.

use super::ArrayObject;
use crate::attach::run_detached;
use crate::explain::picture;
use pyo3::prelude::*;

#[pymethods]
impl ArrayObject {
    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let x = &self.tensor;
        run_detached(py, || Ok(x.to_string()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let x = &self.tensor;
        run_detached(py, || Ok(x.repr("array")))
    }

    /// Returns a picture of the memory and the layout, for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let x = &self.tensor;
        run_detached(py, || Ok(picture(x).to_html()))
    }
}
