//! Memory and threads, of which the standard does not speak.

use crate::arguments::{ArrayArgument, Count, Integers};
use crate::array::Array;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::num::NonZeroUsize;

/// Whether two arrays have an element in common: the exact answer.
///
/// >>> x = bv.zeros(6)
/// >>> bv.shares_memory(x[::2], x[1::2]), bv.shares_memory(x[::2], x[::3])
/// (False, True)
#[pyfunction]
#[pyo3(signature = (a, b, /))]
fn shares_memory(a: ArrayArgument<'_>, b: ArrayArgument<'_>) -> PyResult<bool> {
    a.tensor().shares_memory(b.tensor()).ok_or_else(|| {
        PyRuntimeError::new_err("whether these arrays share memory takes too long to find out")
    })
}

/// Whether two arrays may have an element in common: true where the exact answer takes too long.
///
/// >>> bv.may_share_memory(bv.zeros(2), bv.zeros(2))
/// False
#[pyfunction]
#[pyo3(signature = (a, b, /))]
fn may_share_memory(a: ArrayArgument<'_>, b: ArrayArgument<'_>) -> bool {
    a.tensor().shares_memory(b.tensor()).unwrap_or(true)
}

/// Any strides from any element of an array's memory, counted in elements: a view.
///
/// >>> bv.as_strided(bv.arange(6), (2, 2), (3, 1), 1)
/// array([[1, 2],
///        [4, 5]])
#[pyfunction]
#[pyo3(signature = (x, /, shape, strides, offset=None))]
fn as_strided(
    x: ArrayArgument<'_>,
    shape: Integers,
    strides: Integers,
    offset: Option<isize>,
) -> PyResult<Array> {
    x.0.get().as_strided(shape, strides, offset)
}

/// Rearranges axes by a pattern, with the lengths it cannot tell: a view if there is one.
///
/// >>> bv.rearrange(bv.zeros((6, 2)), "(h w) c -> c h w", h=2).shape
/// (2, 2, 3)
#[pyfunction]
#[pyo3(signature = (x, pattern, /, **sizes))]
fn rearrange(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    pattern: &str,
    sizes: Option<&Bound<'_, PyDict>>,
) -> PyResult<Array> {
    x.0.get().rearrange(py, pattern, sizes)
}

/// Windows of a size that slide over axes, as the last axes: a view.
///
/// >>> bv.sliding_window_view(bv.arange(4), 3)
/// array([[0, 1, 2],
///        [1, 2, 3]])
#[pyfunction]
#[pyo3(signature = (x, /, window_shape, axis=None))]
fn sliding_window_view(
    x: ArrayArgument<'_>,
    window_shape: Integers,
    axis: Option<Integers>,
) -> PyResult<Array> {
    let x = x.tensor();
    let sizes = Count::list(&window_shape)?;
    let axes = axis.map_or_else(|| (0..x.rank() as isize).collect(), |axis| axis.0);
    Array::of_view(x.sliding_window_view(sizes, axes))
}

/// Says how many threads an operation may use from now on.
///
/// >>> bv.set_num_threads(bv.get_num_threads())
#[pyfunction]
#[pyo3(signature = (n, /))]
fn set_num_threads(n: Count) -> PyResult<()> {
    match NonZeroUsize::new(n.0) {
        Some(n) => {
            belvedere::set_num_threads(n);
            Ok(())
        }
        None => Err(PyValueError::new_err("an operation needs one thread at least")),
    }
}

/// How many threads an operation may use.
///
/// >>> bv.get_num_threads() >= 1
/// True
#[pyfunction]
fn get_num_threads() -> usize {
    belvedere::num_threads()
}

/// The bytes that arrays hold, those kept for the next array, and how often kept memory was used again.
///
/// >>> sorted(bv.memory_stats())
/// ['in_use', 'kept', 'reused']
#[pyfunction]
fn memory_stats(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let stats = belvedere::memory::stats();
    let dict = PyDict::new(py);
    dict.set_item("in_use", stats.in_use)?;
    dict.set_item("kept", stats.kept)?;
    dict.set_item("reused", stats.reused)?;
    Ok(dict)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(as_strided, module)?)?;
    module.add_function(wrap_pyfunction!(get_num_threads, module)?)?;
    module.add_function(wrap_pyfunction!(may_share_memory, module)?)?;
    module.add_function(wrap_pyfunction!(memory_stats, module)?)?;
    module.add_function(wrap_pyfunction!(rearrange, module)?)?;
    module.add_function(wrap_pyfunction!(set_num_threads, module)?)?;
    module.add_function(wrap_pyfunction!(shares_memory, module)?)?;
    module.add_function(wrap_pyfunction!(sliding_window_view, module)?)
}
