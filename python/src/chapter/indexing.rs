//! Gather and scatter along an axis.

use super::elementwise::show_shape;
use super::output::deliver;
use crate::arguments::{ArrayArgument, IndicesArgument, OutArgument};
use crate::array::{Array, ArrayObject};
use crate::attach::{run, try_run};
use crate::error::raise;
use crate::exchange;
use belvedere::{Error, LayoutError, Tensor};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

/// Writes values at the indices given for each lane along an axis.
///
/// >>> x = bv.asarray([[3, 1], [2, 4]])
/// >>> bv.put_along_axis(x, bv.asarray([[0], [1]]), 0, axis=1)
/// >>> x
/// array([[0, 1],
///        [2, 0]])
#[pyfunction]
#[pyo3(signature = (x, /, indices, values, axis=Some(-1)),
       text_signature = "(x, /, indices, values, axis=-1)")]
pub(crate) fn put_along_axis(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    indices: ArrayArgument<'_>,
    values: &Bound<'_, PyAny>,
    axis: Option<isize>,
) -> PyResult<()> {
    let (x, indices) = (x.tensor(), indices.tensor());
    let values = &exchange::assigned(values, x.dtype())?;
    run(py, indices.len(), || match axis {
        Some(axis) => x.put_along_axis(indices, axis, values),
        // Writing to a copy would have no effect, so the flattened array must be a view.
        None => x.view([-1])?.put_along_axis(indices, 0, values),
    })
}

/// Returns the elements at the given indices along an axis.
///
/// Without ``axis``, the indices refer to the flattened array. The axes of the indices take the place of the axis. An
/// index that is out of range is an error; it is taken modulo the length with ``mode="wrap"``, and clipped to the
/// range with ``mode="clip"``.
///
/// >>> bv.take(bv.asarray([[1, 2, 3], [4, 5, 6]]), bv.asarray([2, 0]), axis=1)
/// array([[3, 1],
///        [6, 4]])
/// >>> bv.take([10, 20, 30], [4, -9], mode="clip")
/// array([30, 10])
#[pyfunction]
#[pyo3(signature = (x, /, indices, axis=None, out=None, mode="raise"))]
pub(crate) fn take<'py>(
    py: Python<'py>,
    x: ArrayArgument<'py>,
    indices: IndicesArgument<'py>,
    axis: Option<isize>,
    out: Option<OutArgument<'py>>,
    mode: &str,
) -> PyResult<Bound<'py, ArrayObject>> {
    take_from(py, x.tensor(), indices.tensor(), axis, out, mode)
}

/// Computes NumPy's `take`.
pub(crate) fn take_from<'py>(
    py: Python<'py>,
    x: &Tensor,
    indices: &Tensor,
    axis: Option<isize>,
    out: Option<OutArgument<'py>>,
    mode: &str,
) -> PyResult<Bound<'py, ArrayObject>> {
    if !matches!(mode, "raise" | "wrap" | "clip") {
        return Err(PyValueError::new_err(format!(
            "mode must be 'raise', 'wrap' or 'clip', got {mode:?}"
        )));
    }
    let result = run(py, x.len().max(indices.len()), || {
        if let (Some(axis), "raise", 1) = (axis, mode, indices.rank()) {
            return x.take(indices, axis);
        }
        let (x, axis) = match axis {
            Some(axis) => (x.clone(), axis),
            None => (x.atleast_1d()?.reshape([-1])?, 0),
        };
        let k = x.layout().resolve_axis(axis)?;
        let len = x.layout().axes()[k].len as i64;
        let flat = indices.atleast_1d()?.reshape([-1])?;
        let flat = match mode {
            "wrap" => flat.remainder(len)?,
            "clip" => flat.clip(0, len - 1)?,
            _ => flat,
        };
        let taken = x.take(&flat, axis)?;
        if indices.rank() == 1 {
            return Ok(taken);
        }
        let (shape, inner) = (x.shape(), indices.shape());
        let shape: Vec<usize> = [&shape[..k], &inner[..], &shape[k + 1..]].concat();
        taken.reshape(shape)
    })?;
    deliver(py, result, out)
}

/// Gathers the elements at the indices given for each lane along an axis.
///
/// >>> x = bv.asarray([[3, 1], [2, 4]])
/// >>> bv.take_along_axis(x, bv.argsort(x, axis=1), axis=1)
/// array([[1, 3],
///        [2, 4]])
#[pyfunction]
#[pyo3(signature = (x, /, indices, axis=Some(-1)),
       text_signature = "(x, /, indices, axis=-1)")]
pub(crate) fn take_along_axis(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    indices: ArrayArgument<'_>,
    axis: Option<isize>,
) -> PyResult<Array> {
    let (x, indices) = (x.tensor(), indices.tensor());
    let operation = || match axis {
        Some(axis) => x.take_along_axis(indices, axis),
        None => x.atleast_1d()?.reshape([-1])?.take_along_axis(indices, 0),
    };
    let gathered = try_run(py, x.len().max(indices.len()), operation);
    gathered.map(Array::from).map_err(|error| match error {
        Error::Layout(LayoutError::DoesNotBroadcast { .. }) => PyIndexError::new_err(format!(
            "indices of shape {} do not broadcast to an array of shape {}: {error}",
            show_shape(&indices.shape()),
            show_shape(&x.shape()),
        )),
        other => raise(other),
    })
}
