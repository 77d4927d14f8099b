//! Text and HTML representations of arrays.

use super::ArrayObject;
use crate::attach::run_detached;
use crate::explain::picture;
use pyo3::prelude::*;

/// The maximum number of characters of the values in a notebook.
const MAX_HTML_CHARS: usize = 20_000;

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
            let mut text = x.repr("array");
            // The first and last elements of 60 axes are megabytes of brackets.
            if let Some((end, _)) = text.char_indices().nth(MAX_HTML_CHARS) {
                text.truncate(end);
                text.push('…');
            }
            let (values, picture) = (escaped(&text), picture(x).to_html());
            Ok(format!(
                "<pre>{values}</pre><details><summary>memory and layout</summary>{picture}</details>"
            ))
        })
    }
}
