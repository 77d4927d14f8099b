//! Arrays as text.

use super::Array;
use crate::lock::release;
use belvedere::DType;
use pyo3::prelude::*;

#[pymethods]
impl Array {
    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let x = &self.tensor;
        release(py, || Ok(x.to_string()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.__str__(py)?.replace('\n', "\n      ");
        Ok(match self.tensor.dtype() {
            DType::Bool | DType::Int64 | DType::Float64 | DType::Complex128 => {
                format!("array({text})")
            }
            dtype => format!("array({text}, dtype={dtype})"),
        })
    }
}
