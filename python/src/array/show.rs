//! Arrays as text.

use super::Array;
use crate::lock::release;
use pyo3::prelude::*;

#[pymethods]
impl Array {
    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let x = &self.tensor;
        release(py, || Ok(x.to_string()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let x = &self.tensor;
        release(py, || Ok(x.repr("array")))
    }
}
