//! Memory, strides and threads.

use crate::arguments::{ArrayArgument, Count, Integers};
use crate::array::Array;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Tests whether two arrays share an element; the answer is exact.
///
/// >>> x = bv.zeros(6)
/// >>> bv.shares_memory(x[::2], x[1::2]), bv.shares_memory(x[::2], x[::3])
/// (False, True)
#[pyfunction]
#[pyo3(signature = (a, b, /))]
pub(crate) fn shares_memory(a: ArrayArgument<'_>, b: ArrayArgument<'_>) -> PyResult<bool> {
    a.tensor().shares_memory(b.tensor()).ok_or_else(|| {
        PyRuntimeError::new_err("deciding whether these arrays share memory would take too long")
    })
}

/// Tests whether two arrays may share an element; true if the exact answer is too expensive.
///
/// >>> bv.may_share_memory(bv.zeros(2), bv.zeros(2))
/// False
#[pyfunction]
#[pyo3(signature = (a, b, /))]
pub(crate) fn may_share_memory(a: ArrayArgument<'_>, b: ArrayArgument<'_>) -> bool {
    a.tensor().shares_memory(b.tensor()).unwrap_or(true)
}

/// Returns a view with any shape and strides, in elements; it must stay within the memory.
///
/// >>> bv.as_strided(bv.arange(6), (2, 2), (3, 1), 1)
/// array([[1, 2],
///        [4, 5]])
#[pyfunction]
#[pyo3(signature = (x, /, shape, strides, offset=None))]
pub(crate) fn as_strided(
    x: ArrayArgument<'_>,
    shape: Integers,
    strides: Integers,
    offset: Option<isize>,
) -> PyResult<Array> {
    x.0.get().as_strided(shape, strides, offset)
}

/// Rearranges axes by an einops pattern: a view if one exists, else a copy.
///
/// >>> bv.rearrange(bv.zeros((6, 2)), "(h w) c -> c h w", h=2).shape
/// (2, 2, 3)
#[pyfunction]
#[pyo3(signature = (x, pattern, /, **sizes))]
pub(crate) fn rearrange(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    pattern: &str,
    sizes: Option<&Bound<'_, PyDict>>,
) -> PyResult<Array> {
    x.0.get().rearrange(py, pattern, sizes)
}

/// Returns sliding windows over axes as new last axes; the result is a view.
///
/// >>> bv.sliding_window_view(bv.arange(4), 3)
/// array([[0, 1, 2],
///        [1, 2, 3]])
#[pyfunction]
#[pyo3(signature = (x, /, window_shape, axis=None))]
pub(crate) fn sliding_window_view(
    x: ArrayArgument<'_>,
    window_shape: Integers,
    axis: Option<Integers>,
) -> PyResult<Array> {
    let x = x.tensor();
    let sizes = Count::list(&window_shape)?;
    let axes = axis.map_or_else(|| (0..x.rank() as isize).collect(), |axis| axis.0);
    Array::from_view(x.sliding_window_view(sizes, axes))
}

/// Sets the maximum number of threads an operation uses.
///
/// >>> bv.set_num_threads(bv.get_num_threads())
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn set_num_threads(n: Count) -> PyResult<()> {
    if n.0 == 0 {
        return Err(PyValueError::new_err("the number of threads must be at least 1"));
    }
    belvedere::set_num_threads(n.0);
    Ok(())
}

/// Returns the maximum number of threads an operation uses.
///
/// >>> bv.get_num_threads() >= 1
/// True
#[pyfunction]
pub(crate) fn get_num_threads() -> usize {
    belvedere::num_threads()
}

/// Returns the bytes in use, the bytes kept for reuse, and the number of reused blocks.
///
/// >>> sorted(bv.memory_stats())
/// ['in_use', 'kept', 'reused']
#[pyfunction]
pub(crate) fn memory_stats(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let stats = belvedere::memory::stats();
    let dict = PyDict::new(py);
    dict.set_item("in_use", stats.in_use)?;
    dict.set_item("kept", stats.kept)?;
    dict.set_item("reused", stats.reused)?;
    Ok(dict)
}
