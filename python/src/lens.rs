//! Lenses: arrays on which every movement operation is free.

use crate::arguments::index;
use crate::arguments::{
    AxesArgument, Count, Integers, List, OperandArgument, ShapeArgument, collect_exact,
};
use crate::array::{Array, narrow_start};
use crate::attach::{run, run_detached};
use crate::dtype::{self, DTypeObject};
use crate::error::raise;
use belvedere::{Error, Lens};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// An array seen through movement operations that strides cannot express: reshaped after a transpose, padded, tiled.
///
/// No element is copied until ``copy`` evaluates the lens; ``to_array`` copies only if there is no strided view. Created
/// by ``Array.lens``.
#[pyclass(frozen, name = "Lens", module = "belvedere", weakref)]
pub(crate) struct LensObject {
    lens: Lens,
}

impl LensObject {
    pub(crate) fn lens(&self) -> &Lens {
        &self.lens
    }
}

impl From<Lens> for LensObject {
    fn from(lens: Lens) -> LensObject {
        LensObject { lens }
    }
}

/// Wraps the lens after a movement, or raises its error.
fn wrap(lens: Result<Lens, Error>) -> PyResult<LensObject> {
    lens.map(LensObject::from).map_err(raise)
}

#[pymethods]
impl LensObject {
    /// Returns the dtype of the elements.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> &'py Py<DTypeObject> {
        dtype::object(py, self.lens.dtype())
    }

    /// Returns the number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.lens.rank()
    }

    /// Returns the lengths of the axes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.lens.shape().iter().copied())
    }

    /// Returns the number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.lens.len()
    }

    /// Returns the number of stacked layouts of the lens.
    #[getter]
    fn depth(&self) -> usize {
        self.lens.depth()
    }

    /// Transposes a matrix.
    #[getter(T)]
    fn t(&self) -> PyResult<LensObject> {
        wrap(self.lens.t())
    }

    /// Transposes the last two axes.
    #[getter(mT)]
    fn mt(&self) -> PyResult<LensObject> {
        wrap(self.lens.mt())
    }

    /// Copies the elements to new memory.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).T.lens().reshape(4).copy()
    /// array([1, 3, 2, 4])
    fn copy(&self, py: Python<'_>) -> PyResult<Array> {
        run(py, self.lens.len(), || self.lens.copy()).map(Array::from)
    }

    /// Copies the elements to new memory; the same as ``copy``.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).T.lens().reshape(4).materialize()
    /// array([1, 3, 2, 4])
    fn materialize(&self, py: Python<'_>) -> PyResult<Array> {
        run(py, self.lens.len(), || self.lens.materialize()).map(Array::from)
    }

    /// Returns a view of the array if strides can express it, else a copy.
    ///
    /// >>> x = bv.arange(4)
    /// >>> bv.shares_memory(x.lens().flip().to_array(), x)
    /// True
    fn to_array(&self, py: Python<'_>) -> PyResult<Array> {
        run(py, self.lens.len(), || self.lens.to_tensor()).map(Array::from)
    }

    /// Returns the elements in a new shape; one length may be -1.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).T.lens().reshape(4)
    /// Lens(shape=(4,), dtype=int64)
    #[pyo3(signature = (*shape))]
    fn reshape(&self, shape: &Bound<'_, PyTuple>) -> PyResult<LensObject> {
        wrap(self.lens.reshape(&ShapeArgument::of_arguments(shape)?.0))
    }

    /// Merges the axes from ``start`` to ``end``, both included.
    ///
    /// >>> bv.zeros((2, 3)).lens().flatten().shape
    /// (6,)
    #[pyo3(signature = (start=0, end=-1), text_signature = "($self, start=0, end=-1)")]
    fn flatten(&self, start: isize, end: isize) -> PyResult<LensObject> {
        wrap(self.lens.flatten(start, end))
    }

    /// Splits an axis into several; one length may be -1.
    ///
    /// >>> bv.zeros(6).lens().unflatten(0, (2, 3)).shape
    /// (2, 3)
    fn unflatten(&self, axis: isize, sizes: ShapeArgument) -> PyResult<LensObject> {
        wrap(self.lens.unflatten(axis, &sizes.0))
    }

    /// Permutes the axes.
    ///
    /// >>> bv.zeros((2, 3, 4)).lens().permute(2, 0, 1).shape
    /// (4, 2, 3)
    #[pyo3(signature = (*axes))]
    fn permute(&self, axes: &Bound<'_, PyTuple>) -> PyResult<LensObject> {
        wrap(self.lens.permute_dims(Integers::of_arguments(axes)?.0))
    }

    /// Permutes the axes; without arguments, reverses them.
    ///
    /// >>> bv.zeros((2, 3, 4)).lens().transpose().shape
    /// (4, 3, 2)
    #[pyo3(signature = (*axes))]
    fn transpose(&self, axes: &Bound<'_, PyTuple>) -> PyResult<LensObject> {
        match axes.is_empty() {
            true => Ok(LensObject::from(self.lens.reverse_dims())),
            false => self.permute(axes),
        }
    }

    /// Swaps two axes.
    ///
    /// >>> bv.zeros((2, 3, 4)).lens().swapaxes(0, 2).shape
    /// (4, 3, 2)
    #[pyo3(signature = (axis1, axis2, /))]
    fn swapaxes(&self, axis1: isize, axis2: isize) -> PyResult<LensObject> {
        wrap(self.lens.swap_axes(axis1, axis2))
    }

    /// Moves an axis to a new position; the others keep their order.
    ///
    /// >>> bv.zeros((2, 3, 4)).lens().moveaxis(0, -1).shape
    /// (3, 4, 2)
    #[pyo3(signature = (source, destination, /))]
    fn moveaxis(&self, source: isize, destination: isize) -> PyResult<LensObject> {
        wrap(self.lens.move_axis(source, destination))
    }

    /// Reverses the order of the elements along axes, by default all.
    ///
    /// >>> bv.arange(3).lens().flip().copy()
    /// array([2, 1, 0])
    #[pyo3(signature = (*axes))]
    fn flip(&self, axes: &Bound<'_, PyTuple>) -> PyResult<LensObject> {
        wrap(self.lens.flip(AxesArgument::of_arguments(axes)?.axes(false)))
    }

    /// Broadcasts axes of length 1; -1 keeps a length.
    ///
    /// >>> bv.zeros((1, 2)).lens().expand(3, -1).shape
    /// (3, 2)
    #[pyo3(signature = (*shape))]
    fn expand(&self, shape: &Bound<'_, PyTuple>) -> PyResult<LensObject> {
        wrap(self.lens.broadcast_to(&ShapeArgument::of_arguments(shape)?.0))
    }

    /// Removes axes of length 1, by default all.
    ///
    /// >>> bv.zeros((1, 2)).lens().squeeze().shape
    /// (2,)
    #[pyo3(signature = (*axes))]
    fn squeeze(&self, axes: &Bound<'_, PyTuple>) -> PyResult<LensObject> {
        match axes.is_empty() {
            true => Ok(LensObject::from(self.lens.squeeze_all())),
            false => wrap(self.lens.squeeze(&*Integers::of_arguments(axes)?.0)),
        }
    }

    /// Inserts an axis of length 1.
    ///
    /// >>> bv.zeros(2).lens().unsqueeze(0).shape
    /// (1, 2)
    fn unsqueeze(&self, axis: isize) -> PyResult<LensObject> {
        wrap(self.lens.unsqueeze(axis))
    }

    /// Returns the part at one index of an axis, without that axis.
    ///
    /// >>> bv.arange(3).lens().select(0, -1).copy()
    /// array(2)
    #[pyo3(signature = (axis, index, /))]
    fn select(&self, axis: isize, index: isize) -> PyResult<LensObject> {
        wrap(self.lens.select(axis, index))
    }

    /// Returns ``length`` positions of an axis from ``start`` on; a negative start counts from the end.
    ///
    /// >>> bv.arange(5).lens().narrow(0, 1, 3).copy()
    /// array([1, 2, 3])
    fn narrow(&self, axis: isize, start: isize, length: Count) -> PyResult<LensObject> {
        let start = narrow_start(&self.lens.shape(), axis, start)?;
        wrap(self.lens.narrow(axis, start, length.0))
    }

    /// Pads each axis before and after, with zeros or a given value.
    ///
    /// >>> bv.asarray([1, 2]).lens().pad([(0, 2)], value=7).copy()
    /// array([1, 2, 7, 7])
    #[pyo3(signature = (widths, *, value=None))]
    fn pad(
        &self,
        py: Python<'_>,
        widths: List<(Count, Count)>,
        value: Option<OperandArgument>,
    ) -> PyResult<LensObject> {
        let widths = collect_exact(widths.0.iter().map(|(before, after)| (before.0, after.0)))?;
        let Some(value) = value else { return wrap(self.lens.pad(&widths)) };
        let value = &value;
        run(py, 1, || self.lens.pad_with(&widths, value)).map(LensObject::from)
    }

    /// Repeats each position of an axis ``n`` times.
    ///
    /// >>> bv.arange(2).lens().repeat(2).copy()
    /// array([0, 0, 1, 1])
    #[pyo3(signature = (n, axis=0))]
    fn repeat(&self, n: Count, axis: isize) -> PyResult<LensObject> {
        wrap(self.lens.repeat(axis, n.0))
    }

    /// Repeats the whole along each axis.
    ///
    /// >>> bv.asarray([1, 2]).lens().tile(2).copy()
    /// array([1, 2, 1, 2])
    #[pyo3(signature = (*times))]
    fn tile(&self, times: &Bound<'_, PyTuple>) -> PyResult<LensObject> {
        wrap(self.lens.tile(Count::list(&Integers::of_arguments(times)?)?))
    }

    /// Returns a part, selected by integers, slices, ellipsis and ``None``.
    fn __getitem__(&self, index: &Bound<'_, PyAny>) -> PyResult<LensObject> {
        wrap(self.lens.slice(index::plain(&self.lens.shape(), index)?))
    }

    fn __len__(&self) -> PyResult<usize> {
        match self.lens.shape().first() {
            Some(&len) => Ok(len),
            None => Err(pyo3::exceptions::PyTypeError::new_err("len() of a 0-d lens")),
        }
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        run_detached(py, || Ok(self.lens.to_string()))
    }

    fn __repr__(&self) -> String {
        let shape: Vec<String> = self.lens.shape().iter().map(usize::to_string).collect();
        let comma = if shape.len() == 1 { "," } else { "" };
        format!("Lens(shape=({}{comma}), dtype={})", shape.join(", "), self.lens.dtype())
    }
}
