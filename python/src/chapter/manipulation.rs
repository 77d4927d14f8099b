//! Manipulation functions: other shapes, and several arrays as one.

use super::result::tuple;
use crate::arguments::{
    ArrayArgument, ArraysArgument, AxesArgument, Count, Integers, OperandArgument, ShapeArgument,
};
use crate::array::Array;
use crate::error::raise;
use crate::lock::{release, run};
use belvedere::Tensor;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A result that touched no memory.
#[inline(always)]
fn view(tensor: Result<Tensor, belvedere::Error>) -> PyResult<Array> {
    Array::of_view(tensor)
}

/// The arrays in the shape that they broadcast to: views.
///
/// >>> bv.broadcast_arrays(bv.asarray([1, 2]), bv.asarray([[10], [20]]))
/// (array([[1, 2],
///        [1, 2]]), array([[10, 10],
///        [20, 20]]))
#[pyfunction]
#[pyo3(signature = (*arrays))]
fn broadcast_arrays<'py>(py: Python<'py>, arrays: ArraysArgument) -> PyResult<Bound<'py, PyTuple>> {
    tuple(py, belvedere::broadcast_arrays(&arrays.0).map_err(raise)?)
}

/// The shape that shapes broadcast to.
///
/// >>> bv.broadcast_shapes((3, 1), (4,))
/// (3, 4)
#[pyfunction]
#[pyo3(signature = (*shapes))]
fn broadcast_shapes<'py>(
    py: Python<'py>,
    shapes: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyTuple>> {
    let lengths = |shape: Bound<'py, PyAny>| Count::list(&shape.extract()?);
    let shapes = shapes.iter().map(lengths).collect::<PyResult<Vec<_>>>()?;
    let shapes: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
    let shape = belvedere::broadcast_shapes(&shapes).map_err(|error| raise(error.into()))?;
    PyTuple::new(py, shape.iter().copied())
}

/// The array in a shape that it broadcasts to: a view.
///
/// >>> bv.broadcast_to(bv.asarray([1, 2]), (2, 2))
/// array([[1, 2],
///        [1, 2]])
#[pyfunction]
#[pyo3(signature = (x, /, shape))]
fn broadcast_to(x: ArrayArgument<'_>, shape: ShapeArgument) -> PyResult<Array> {
    view(x.tensor().broadcast_to(&shape.0))
}

/// The arrays one after another along an axis that they have; with ``None`` all elements in a row.
///
/// >>> bv.concat([bv.asarray([1, 2]), bv.asarray([3])])
/// array([1, 2, 3])
#[pyfunction]
#[pyo3(signature = (arrays, /, *, axis=Some(0)), text_signature = "(arrays, /, *, axis=0)")]
fn concat(py: Python<'_>, arrays: ArraysArgument, axis: Option<isize>) -> PyResult<Array> {
    run(py, arrays.len(), || belvedere::concat(&arrays.0, axis)).map(Array::from)
}

/// The array with new axes of length 1 at these places of the result: a view.
///
/// >>> bv.expand_dims(bv.asarray([1, 2]), axis=1)
/// array([[1],
///        [2]])
#[pyfunction]
#[pyo3(signature = (x, /, axis))]
fn expand_dims(x: ArrayArgument<'_>, axis: Integers) -> PyResult<Array> {
    view(x.tensor().expand_dims(&*axis.0))
}

/// The array with axes turned round: a view.
///
/// >>> bv.flip(bv.asarray([1, 2, 3]))
/// array([3, 2, 1])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=None))]
fn flip(x: ArrayArgument<'_>, axis: Option<AxesArgument>) -> PyResult<Array> {
    view(x.tensor().flip(AxesArgument::or_all(axis, false)))
}

/// The array with axes at other places, and the rest in order: a view.
///
/// >>> bv.moveaxis(bv.zeros((2, 3, 4)), 0, -1).shape
/// (3, 4, 2)
#[pyfunction]
#[pyo3(signature = (x, source, destination, /))]
fn moveaxis(x: ArrayArgument<'_>, source: Integers, destination: Integers) -> PyResult<Array> {
    view(x.tensor().moveaxis(&*source.0, &*destination.0))
}

/// The array with its axes in another order: a view.
///
/// >>> bv.permute_dims(bv.asarray([[1, 2], [3, 4]]), (1, 0))
/// array([[1, 3],
///        [2, 4]])
#[pyfunction]
#[pyo3(signature = (x, /, axes))]
fn permute_dims(x: ArrayArgument<'_>, axes: Integers) -> PyResult<Array> {
    view(x.tensor().permute_dims(&axes.0))
}

/// Each position of an axis several times in a row, or each element if there is no axis.
///
/// >>> bv.repeat(bv.asarray([1, 2]), 2)
/// array([1, 1, 2, 2])
/// >>> bv.repeat(bv.asarray([1, 2]), bv.asarray([0, 3]))
/// array([2, 2, 2])
#[pyfunction]
#[pyo3(signature = (x, repeats, /, *, axis=None))]
fn repeat(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    repeats: OperandArgument<'_>,
    axis: Option<isize>,
) -> PyResult<Array> {
    let (x, repeats) = (x.tensor(), repeats.given());
    // How long it takes is for the counts to say.
    release(py, || x.repeat(repeats, axis)).map(Array::from)
}

/// The elements in another shape: a view if one exists, and else a copy.
///
/// ``copy=True`` copies in any case, and ``copy=False`` never: then a ``ValueError`` says why there is
/// no view. One length may be ``-1``.
///
/// >>> bv.reshape(bv.asarray([1, 2, 3, 4]), (2, -1))
/// array([[1, 2],
///        [3, 4]])
#[pyfunction]
#[pyo3(signature = (x, /, shape, *, copy=None))]
fn reshape(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    shape: ShapeArgument,
    copy: Option<bool>,
) -> PyResult<Array> {
    let (x, shape) = (x.tensor(), &shape.0);
    // Without a seam there is a view of every shape.
    if copy == Some(false) || (copy.is_none() && x.is_contiguous()) {
        return view(x.view(shape));
    }
    match x.view(shape) {
        Ok(found) if copy.is_none() => Ok(found.into()),
        Ok(found) => run(py, x.len(), || found.copy()).map(Array::from),
        Err(_) => run(py, x.len(), || x.reshape(shape)).map(Array::from),
    }
}

/// The elements moved along axes; those that leave at one end come back at the other.
///
/// >>> bv.roll(bv.asarray([1, 2, 3]), 1)
/// array([3, 1, 2])
#[pyfunction]
#[pyo3(signature = (x, /, shift, *, axis=None))]
fn roll(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    shift: Integers,
    axis: Option<AxesArgument>,
) -> PyResult<Array> {
    let (x, axes) = (x.tensor(), AxesArgument::or_all(axis, false));
    run(py, x.len(), || x.roll(&*shift.0, axes.clone())).map(Array::from)
}

/// The array turned by so many quarters, from the first axis towards the second: a view.
///
/// >>> bv.rot90(bv.asarray([[1, 2], [3, 4]]))
/// array([[2, 4],
///        [1, 3]])
#[pyfunction]
#[pyo3(signature = (x, /, k=1, axes=(0, 1)), text_signature = "(x, /, k=1, axes=(0, 1))")]
fn rot90(x: ArrayArgument<'_>, k: isize, axes: (isize, isize)) -> PyResult<Array> {
    view(x.tensor().rot90(k, axes.0, axes.1))
}

/// The array without axes that have length 1: a view.
///
/// >>> bv.squeeze(bv.asarray([[1, 2]]), 0)
/// array([1, 2])
#[pyfunction]
#[pyo3(signature = (x, /, axis))]
fn squeeze(x: ArrayArgument<'_>, axis: Integers) -> PyResult<Array> {
    view(x.tensor().squeeze(&*axis.0))
}

/// The arrays one after another along a new axis.
///
/// >>> bv.stack([bv.asarray([1, 2]), bv.asarray([3, 4])], axis=1)
/// array([[1, 3],
///        [2, 4]])
#[pyfunction]
#[pyo3(signature = (arrays, /, *, axis=0))]
fn stack(py: Python<'_>, arrays: ArraysArgument, axis: isize) -> PyResult<Array> {
    run(py, arrays.len(), || belvedere::stack(&arrays.0, axis)).map(Array::from)
}

/// The whole array several times along each axis.
///
/// >>> bv.tile(bv.asarray([1, 2]), (2, 2))
/// array([[1, 2, 1, 2],
///        [1, 2, 1, 2]])
#[pyfunction]
#[pyo3(signature = (x, repetitions, /))]
fn tile(py: Python<'_>, x: ArrayArgument<'_>, repetitions: Integers) -> PyResult<Array> {
    let (x, times) = (x.tensor(), Count::list(&repetitions)?);
    let len = times.iter().fold(x.len(), |len, &n| len.saturating_mul(n));
    run(py, len, || x.tile(&times)).map(Array::from)
}

/// The parts of the array along an axis, without it: views.
///
/// >>> bv.unstack(bv.asarray([[1, 2], [3, 4]]))
/// (array([1, 2]), array([3, 4]))
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=0))]
fn unstack<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
    axis: isize,
) -> PyResult<Bound<'py, PyTuple>> {
    tuple(py, x.tensor().unstack(axis).map_err(raise)?)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(broadcast_arrays, module)?)?;
    module.add_function(wrap_pyfunction!(broadcast_shapes, module)?)?;
    module.add_function(wrap_pyfunction!(broadcast_to, module)?)?;
    module.add_function(wrap_pyfunction!(concat, module)?)?;
    module.add_function(wrap_pyfunction!(expand_dims, module)?)?;
    module.add_function(wrap_pyfunction!(flip, module)?)?;
    module.add_function(wrap_pyfunction!(moveaxis, module)?)?;
    module.add_function(wrap_pyfunction!(permute_dims, module)?)?;
    module.add_function(wrap_pyfunction!(repeat, module)?)?;
    module.add_function(wrap_pyfunction!(reshape, module)?)?;
    module.add_function(wrap_pyfunction!(roll, module)?)?;
    module.add_function(wrap_pyfunction!(rot90, module)?)?;
    module.add_function(wrap_pyfunction!(squeeze, module)?)?;
    module.add_function(wrap_pyfunction!(stack, module)?)?;
    module.add_function(wrap_pyfunction!(tile, module)?)?;
    module.add_function(wrap_pyfunction!(unstack, module)?)
}
