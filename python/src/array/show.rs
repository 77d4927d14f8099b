//! Text and HTML representations of arrays.

use super::ArrayObject;
use crate::attach::run_detached;
use crate::explain::picture;
use pyo3::prelude::*;

/// Returns a text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

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

    /// Returns the values and, folded, a picture of the memory and the layout, for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let x = &self.tensor;
        run_detached(py, || {
            let (values, picture) = (escaped(&x.repr("array")), picture(x).to_html());
            Ok(format!(
                "<pre>{values}</pre><details><summary>memory and layout</summary>{picture}</details>"
            ))
        })
    }
}
