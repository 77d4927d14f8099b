//! Manipulation of shapes and axes.

use super::output::compute_to;
use super::result::tuple;
use crate::arguments::{
    ArrayArgument, ArraysArgument, AxesArgument, Casting, Count, Integers, Numbers,
    OperandArgument, Order, OutArgument, ShapeArgument, collect, collect_exact,
};
use crate::array::{Array, ArrayObject};
use crate::attach::{run, run_detached};
use crate::dtype::DTypeArgument;
use crate::error::{raise, raise_for_shapes};
use belvedere::{Axes, Tensor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Broadcasts arrays against each other; the results are views.
///
/// >>> bv.broadcast_arrays(bv.asarray([1, 2]), bv.asarray([[10], [20]]))
/// (array([[1, 2],
///        [1, 2]]), array([[10, 10],
///        [20, 20]]))
#[pyfunction]
#[pyo3(signature = (*arrays))]
pub(crate) fn broadcast_arrays<'py>(
    py: Python<'py>,
    arrays: ArraysArgument,
) -> PyResult<Bound<'py, PyTuple>> {
    let views = belvedere::broadcast_arrays(&arrays.0).map_err(|error| {
        let shapes: Vec<_> = arrays.0.iter().map(Tensor::shape).collect();
        raise_for_shapes(error, &shapes.iter().map(|shape| &shape[..]).collect::<Vec<_>>())
    })?;
    tuple(py, views)
}

/// Returns the shape that shapes broadcast to.
///
/// >>> bv.broadcast_shapes((3, 1), (4,))
/// (3, 4)
#[pyfunction]
#[pyo3(signature = (*shapes))]
pub(crate) fn broadcast_shapes<'py>(
    py: Python<'py>,
    shapes: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyTuple>> {
    let lengths = |shape: Bound<'py, PyAny>| Count::list(&shape.extract()?);
    let shapes = collect(shapes.iter().map(lengths))?;
    let shapes = collect_exact(shapes.iter().map(Vec::as_slice))?;
    let shape = belvedere::broadcast_shapes(&shapes)
        .map_err(|error| raise_for_shapes(error.into(), &shapes))?;
    PyTuple::new(py, shape.iter().copied())
}

/// Broadcasts an array to a shape; the result is a view.
///
/// >>> bv.broadcast_to(bv.asarray([1, 2]), (2, 2))
/// array([[1, 2],
///        [1, 2]])
#[pyfunction]
#[pyo3(signature = (x, /, shape))]
pub(crate) fn broadcast_to(x: ArrayArgument<'_>, shape: ShapeArgument) -> PyResult<Array> {
    Array::from_view(x.tensor().broadcast_to(&shape.0))
}

/// Concatenates arrays along an existing axis; with ``axis=None``, flattened.
///
/// >>> bv.concat([bv.asarray([1, 2]), bv.asarray([3])])
/// array([1, 2, 3])
/// >>> bv.concat([[[1, 2]], [[3, 4]]], 1)
/// array([[1, 2, 3, 4]])
#[pyfunction]
#[pyo3(signature = (arrays, /, axis=Some(0), out=None, *, dtype=None, casting=Casting::SameKind),
       text_signature = "(arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind')")]
pub(crate) fn concat<'py>(
    py: Python<'py>,
    arrays: ArraysArgument,
    axis: Option<isize>,
    out: Option<OutArgument<'py>>,
    dtype: Option<DTypeArgument>,
    casting: Casting,
) -> PyResult<Bound<'py, ArrayObject>> {
    let arrays = arrays.cast_for("concatenate", py, (dtype, casting), out.as_ref())?;
    let (len, arrays) = (arrays.len(), &arrays.0);
    compute_to(
        py,
        len,
        out,
        || belvedere::concat(arrays, axis),
        |out| belvedere::concat_into(arrays, axis, out),
    )
}

/// Inserts axes of length 1; the result is a view.
///
/// >>> bv.expand_dims(bv.asarray([1, 2]), axis=1)
/// array([[1],
///        [2]])
#[pyfunction]
#[pyo3(signature = (x, /, axis))]
pub(crate) fn expand_dims(x: ArrayArgument<'_>, axis: Integers) -> PyResult<Array> {
    Array::from_view(x.tensor().expand_dims(&*axis.0))
}

/// Reverses the order of the elements along axes; the result is a view.
///
/// >>> bv.flip(bv.asarray([1, 2, 3]))
/// array([3, 2, 1])
#[pyfunction]
#[pyo3(signature = (x, /, axis=None))]
pub(crate) fn flip(x: ArrayArgument<'_>, axis: Option<AxesArgument>) -> PyResult<Array> {
    Array::from_view(x.tensor().flip(AxesArgument::or_all(axis, false)))
}

/// Moves axes to new positions; the result is a view.
///
/// >>> bv.moveaxis(bv.zeros((2, 3, 4)), 0, -1).shape
/// (3, 4, 2)
#[pyfunction]
#[pyo3(signature = (x, /, source, destination))]
pub(crate) fn moveaxis(
    x: ArrayArgument<'_>,
    source: Integers,
    destination: Integers,
) -> PyResult<Array> {
    Array::from_view(x.tensor().moveaxis(&*source.0, &*destination.0))
}

/// Permutes the axes; without ``axes``, reverses them. The result is a view.
///
/// >>> bv.permute_dims(bv.asarray([[1, 2], [3, 4]]), (1, 0))
/// array([[1, 3],
///        [2, 4]])
#[pyfunction]
#[pyo3(signature = (x, /, axes=None))]
pub(crate) fn permute_dims(x: ArrayArgument<'_>, axes: Option<Integers>) -> PyResult<Array> {
    transpose(x, axes)
}

/// Repeats each element along an axis; with ``axis=None``, of the flattened array.
///
/// >>> bv.repeat(bv.asarray([1, 2]), 2)
/// array([1, 1, 2, 2])
/// >>> bv.repeat(bv.asarray([1, 2]), bv.asarray([0, 3]))
/// array([2, 2, 2])
#[pyfunction]
#[pyo3(signature = (x, /, repeats, axis=None))]
pub(crate) fn repeat(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    repeats: OperandArgument,
    axis: Option<isize>,
) -> PyResult<Array> {
    let (x, repeats) = (x.tensor(), &repeats);
    // The work depends on the counts, so it always runs detached.
    run_detached(py, || x.repeat(repeats, axis)).map(Array::from)
}

/// Returns the elements in a new shape: a view if one exists, else a copy.
///
/// ``copy=True`` always copies, also inside ``no_copies``: the caller asked for it. ``copy=False``
/// never copies; if no view exists, a ``ValueError`` says why. One length may be ``-1``. With
/// ``order="F"``, the first index changes fastest.
///
/// >>> bv.reshape(bv.asarray([1, 2, 3, 4]), (2, -1))
/// array([[1, 2],
///        [3, 4]])
#[pyfunction]
#[pyo3(signature = (x, /, shape, order=Order::RowMajor, *, copy=None),
       text_signature = "(x, /, shape, order='C', *, copy=None)")]
pub(crate) fn reshape<'py>(
    py: Python<'py>,
    x: ArrayArgument<'py>,
    shape: ShapeArgument,
    order: Order,
    copy: Option<bool>,
) -> PyResult<Bound<'py, ArrayObject>> {
    reshape_in_order(py, &x.0, &shape.0, order, copy)
}

/// Reshapes in row-major or column-major order.
///
/// Column-major order is row-major order of the reversed axes, so that is a view whenever one exists, too.
pub(crate) fn reshape_in_order<'py>(
    py: Python<'py>,
    x: &Bound<'py, ArrayObject>,
    shape: &Numbers,
    order: Order,
    copy: Option<bool>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let tensor = x.get().tensor();
    if order == Order::Keep {
        return Err(PyValueError::new_err("order must be 'C', 'F' or 'A' to reshape, got 'K'"));
    }
    if !order.is_column_major(tensor.layout()) {
        return x.get().reshape_to(py, shape, copy);
    }
    let reversed: Numbers = shape.iter().rev().copied().collect();
    let x = Array::from(tensor.reverse_dims()).object(py)?;
    let reshaped = x.get().reshape_to(py, &reversed, copy)?;
    Array::from(reshaped.get().tensor().reverse_dims()).object(py)
}

/// Returns the elements along one axis: a view if one exists, else a copy.
///
/// With ``order="F"``, the first index changes fastest; with ``"K"``, the elements are in the order of memory.
///
/// >>> bv.ravel([[1, 2], [3, 4]])
/// array([1, 2, 3, 4])
/// >>> bv.ravel([[1, 2], [3, 4]], "F")
/// array([1, 3, 2, 4])
#[pyfunction]
#[pyo3(signature = (x, /, order=Order::RowMajor), text_signature = "(x, /, order='C')")]
pub(crate) fn ravel<'py>(
    py: Python<'py>,
    x: ArrayArgument<'py>,
    order: Order,
) -> PyResult<Bound<'py, ArrayObject>> {
    ravel_in_order(py, &x.0, order)
}

/// Flattens in an order; in that of memory, the axes are sorted by their strides first.
pub(crate) fn ravel_in_order<'py>(
    py: Python<'py>,
    x: &Bound<'py, ArrayObject>,
    order: Order,
) -> PyResult<Bound<'py, ArrayObject>> {
    let flat = Numbers::from([-1]);
    if order != Order::Keep {
        return reshape_in_order(py, x, &flat, order, None);
    }
    let tensor = x.get().tensor();
    let mut axes: Vec<isize> = (0..tensor.rank() as isize).collect();
    axes.sort_by_key(|&k| {
        std::cmp::Reverse(tensor.layout().axes()[k as usize].stride.unsigned_abs())
    });
    let sorted = Array::from_view(tensor.permute_dims(&axes))?.object(py)?;
    sorted.get().reshape_to(py, &flat, None)
}

/// Swaps two axes; the result is a view.
///
/// >>> bv.swapaxes(bv.zeros((2, 3, 4)), 0, 2).shape
/// (4, 3, 2)
#[pyfunction]
#[pyo3(signature = (x, /, axis1, axis2))]
pub(crate) fn swapaxes(x: ArrayArgument<'_>, axis1: isize, axis2: isize) -> PyResult<Array> {
    Array::from_view(x.tensor().swap_axes(axis1, axis2))
}

/// Permutes the axes; without ``axes``, reverses them. The result is a view.
///
/// >>> bv.transpose([[1, 2], [3, 4]])
/// array([[1, 3],
///        [2, 4]])
/// >>> bv.transpose(bv.zeros((2, 3, 4)), (1, 0, 2)).shape
/// (3, 2, 4)
#[pyfunction]
#[pyo3(signature = (x, /, axes=None))]
pub(crate) fn transpose(x: ArrayArgument<'_>, axes: Option<Integers>) -> PyResult<Array> {
    Array::from_view(match axes {
        Some(axes) => x.tensor().permute_dims(&axes.0),
        None => Ok(x.tensor().reverse_dims()),
    })
}

/// Rolls the elements along axes; elements beyond the end re-enter at the start.
///
/// One shift is used for all axes. Several shifts along one axis, or of the flattened array, are added.
///
/// >>> bv.roll(bv.asarray([1, 2, 3]), 1)
/// array([3, 1, 2])
#[pyfunction]
#[pyo3(signature = (x, /, shift, axis=None))]
pub(crate) fn roll(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    shift: Integers,
    axis: Option<AxesArgument>,
) -> PyResult<Array> {
    let x = x.tensor();
    let n_shifts = shift.0.len();
    let (shifts, axes) = match axis.as_ref().and_then(AxesArgument::list) {
        // The core adds the shifts of an axis that is listed more than once.
        Some(&[axis]) => {
            (shift.0, Axes::from(&collect_exact(std::iter::repeat_n(axis, n_shifts))?))
        }
        Some(axes) => (shift.0, Axes::from(axes)),
        None => {
            let len = x.len().max(1) as isize;
            let sum = shift.0.iter().fold(0, |sum, it| (sum + it.rem_euclid(len)) % len);
            (Numbers::from([sum]), Axes::from(()))
        }
    };
    run(py, x.len(), || x.roll(&*shifts, axes.clone())).map(Array::from)
}

/// Rotates by ``k`` quarter turns in the plane of two axes; the result is a view.
///
/// >>> bv.rot90(bv.asarray([[1, 2], [3, 4]]))
/// array([[2, 4],
///        [1, 3]])
#[pyfunction]
#[pyo3(signature = (x, /, k=1, axes=(0, 1)), text_signature = "(x, /, k=1, axes=(0, 1))")]
pub(crate) fn rot90(x: ArrayArgument<'_>, k: isize, axes: (isize, isize)) -> PyResult<Array> {
    Array::from_view(x.tensor().rot90(k, axes.0, axes.1))
}

/// Removes axes of length 1, all of them or those given; the result is a view.
///
/// >>> bv.squeeze(bv.asarray([[1, 2]]), 0)
/// array([1, 2])
/// >>> bv.squeeze([[[5]]])
/// array(5)
#[pyfunction]
#[pyo3(signature = (x, /, axis=None))]
pub(crate) fn squeeze(x: ArrayArgument<'_>, axis: Option<Integers>) -> PyResult<Array> {
    Array::from_view(match axis {
        Some(axis) => x.tensor().squeeze(&*axis.0),
        None => Ok(x.tensor().squeeze_all()),
    })
}

/// Joins arrays along a new axis.
///
/// >>> bv.stack([bv.asarray([1, 2]), bv.asarray([3, 4])], axis=1)
/// array([[1, 3],
///        [2, 4]])
#[pyfunction]
#[pyo3(signature = (arrays, /, axis=0, out=None, *, dtype=None, casting=Casting::SameKind),
       text_signature = "(arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind')")]
pub(crate) fn stack<'py>(
    py: Python<'py>,
    arrays: ArraysArgument,
    axis: isize,
    out: Option<OutArgument<'py>>,
    dtype: Option<DTypeArgument>,
    casting: Casting,
) -> PyResult<Bound<'py, ArrayObject>> {
    let arrays = arrays.cast_for("stack", py, (dtype, casting), out.as_ref())?;
    let (len, arrays) = (arrays.len(), &arrays.0);
    compute_to(
        py,
        len,
        out,
        || belvedere::stack(arrays, axis),
        |out| belvedere::stack_into(arrays, axis, out),
    )
}

/// Repeats the whole array along each axis.
///
/// >>> bv.tile(bv.asarray([1, 2]), (2, 2))
/// array([[1, 2, 1, 2],
///        [1, 2, 1, 2]])
#[pyfunction]
#[pyo3(signature = (x, /, reps))]
pub(crate) fn tile(py: Python<'_>, x: ArrayArgument<'_>, reps: Integers) -> PyResult<Array> {
    let (x, times) = (x.tensor(), Count::list(&reps)?);
    let len = times.iter().fold(x.len(), |len, &n| len.saturating_mul(n));
    run(py, len, || x.tile(&times)).map(Array::from)
}

/// Splits an array along an axis and removes that axis; the parts are views.
///
/// >>> bv.unstack(bv.asarray([[1, 2], [3, 4]]))
/// (array([1, 2]), array([3, 4]))
#[pyfunction]
#[pyo3(signature = (x, /, axis=0))]
pub(crate) fn unstack<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
    axis: isize,
) -> PyResult<Bound<'py, PyTuple>> {
    tuple(py, x.tensor().unstack(axis).map_err(raise)?)
}
