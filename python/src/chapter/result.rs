//! Results that are several arrays.

use crate::array::Array;
use belvedere::Tensor;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

/// Collects arrays in a tuple.
pub(super) fn tuple<'py>(
    py: Python<'py>,
    tensors: impl IntoIterator<Item = Tensor>,
) -> PyResult<Bound<'py, PyTuple>> {
    let tensors = tensors.into_iter();
    let mut arrays: Vec<Array> = Vec::new();
    // A broadcast axis may be longer than the memory for the list: that is an error, not an abort.
    let reserved = arrays.try_reserve(tensors.size_hint().0);
    reserved.map_err(|error| PyMemoryError::new_err(error.to_string()))?;
    arrays.extend(tensors.map(Array::from));
    PyTuple::new(py, arrays)
}

/// Collects arrays in one of the named tuples of `belvedere/results.py`.
pub(super) fn named<'py, const N: usize>(
    py: Python<'py>,
    class: &str,
    tensors: [Tensor; N],
) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let load = || py.import("belvedere.results").map(Bound::unbind);
    let class = MODULE.get_or_try_init(py, load)?.bind(py).getattr(class)?;
    class.call1(tuple(py, tensors)?)
}
