//! What NumPy asks of an array.

use super::buffer::NO_BFLOAT16;
use crate::array::Array;
use belvedere::DType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMemoryView};

#[pymethods]
impl Array {
    /// The array as one of NumPy's, with its memory shared unless ``dtype`` or ``copy`` asks for a copy.
    ///
    /// NumPy has no ``bfloat16``: such an array is converted if ``dtype`` says to what.
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
            // No float of 16 bits loses anything as one of 32.
            let wide = crate::lock::run(py, tensor.len(), || tensor.astype(DType::Float32))?;
            PyMemoryView::from(Bound::new(py, Array::from(wide))?.as_any())?
        } else {
            PyMemoryView::from(slf.as_any())?
        };
        options.set_item("dtype", dtype)?;
        py.import("numpy")?.call_method("array", (memory,), Some(&options))
    }
}
