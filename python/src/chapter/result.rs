//! Results that are several arrays.

use crate::arguments::{FEW, reserve};
use crate::array::Array;
use belvedere::Tensor;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyTuple};

/// Collects arrays in a tuple.
pub(crate) fn tuple<'py>(
    py: Python<'py>,
    tensors: impl IntoIterator<Item = Tensor>,
) -> PyResult<Bound<'py, PyTuple>> {
    let tensors = tensors.into_iter();
    let mut arrays: Vec<Array> = Vec::new();
    // A broadcast axis may be longer than the memory for the list: that is an error, not an abort.
    reserve(&mut arrays, tensors.size_hint().0)?;
    arrays.extend(tensors.map(Array::from));
    if arrays.len() <= FEW {
        return PyTuple::new(py, arrays);
    }
    // `PyTuple::new` panics without enough memory; these functions raise a `MemoryError`.
    let list = PyList::empty(py);
    arrays.into_iter().try_for_each(|it| list.append(it))?;
    list.as_sequence().to_tuple()
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
