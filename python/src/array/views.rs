//! The same elements with other axes, without a copy wherever strides can say it.

use super::{Array, ArrayObject};
use crate::arguments::{AxesArgument, FEW, Integers, ShapeArgument, read_few};
use crate::dtype::DTypeArgument;
use crate::lock::{made, run};
use belvedere::Tensor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyTuple};

#[pymethods]
impl ArrayObject {
    /// The elements in another shape, never by a copy; or their bytes as another type.
    ///
    /// One length may be -1. If there is no such view, the error says why, and what a copy costs.
    ///
    /// >>> bv.arange(6).view(2, -1)
    /// array([[0, 1, 2],
    ///        [3, 4, 5]])
    /// >>> bv.asarray([1.0]).view(bv.int64)
    /// array([4607182418800017408])
    #[pyo3(signature = (*shape, dtype=None))]
    fn view(&self, shape: &Bound<'_, PyTuple>, dtype: Option<DTypeArgument>) -> PyResult<Array> {
        let dtype = match (dtype, shape.len()) {
            (None, 1) => type_of(&shape.get_item(0)?),
            (Some(_), 1..) => {
                return Err(PyValueError::new_err("a view has another shape or another type"));
            }
            (dtype, _) => dtype,
        };
        match dtype {
            Some(DTypeArgument(dtype)) => Array::of_view(self.tensor.bitcast(dtype)),
            None => Array::of_view(self.tensor.view(&ShapeArgument::of_arguments(shape)?.0)),
        }
    }

    /// The elements in another shape: a view if there is one.
    ///
    /// With ``copy=False`` a shape without a view is an error, with ``copy=True`` it is always a copy.
    ///
    /// >>> bv.arange(6).reshape(3, 2)
    /// array([[0, 1],
    ///        [2, 3],
    ///        [4, 5]])
    #[pyo3(signature = (*shape, copy=None))]
    fn reshape<'py>(
        &self,
        py: Python<'py>,
        shape: &Bound<'py, PyTuple>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let x = &self.tensor;
        // Without a seam there is a view of every shape.
        let is_view = copy.is_none() && x.is_contiguous();
        let mut lengths = [0; FEW];
        if is_view && let Some(n) = read_few(shape, &mut lengths) {
            return match &lengths[..n] {
                [-1] => self.through(py, |layout| layout.view([layout.len()])),
                given if given.iter().any(|&len| len < 0) => {
                    self.through(py, |layout| layout.view(given))
                }
                // Nothing is open: there is less to find out.
                _ => {
                    let lengths = lengths.map(|len| len as usize);
                    self.through(py, |layout| layout.view(&lengths[..n]))
                }
            };
        }
        let shape = ShapeArgument::of_arguments(shape)?.0;
        match copy {
            None if is_view => Array::seen(py, x.view(&shape)),
            None => made(py, x.len(), || x.reshape(&shape)),
            Some(true) => made(py, x.len(), || x.copy()?.reshape(&shape)),
            Some(false) => Array::seen(py, x.view(&shape)),
        }
    }

    /// Joins the axes from ``start`` to ``end``, both included: a view if they have a common stride.
    ///
    /// >>> bv.zeros((2, 3, 4)).flatten(1).shape
    /// (2, 12)
    #[pyo3(signature = (start=0, end=-1), text_signature = "($self, start=0, end=-1)")]
    fn flatten(&self, py: Python<'_>, start: isize, end: isize) -> PyResult<Array> {
        let x = &self.tensor;
        run(py, moved(x), || x.flatten(start, end)).map(Array::from)
    }

    /// All elements along one axis: a view if they have a common stride.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).ravel()
    /// array([1, 2, 3, 4])
    fn ravel(&self, py: Python<'_>) -> PyResult<Array> {
        self.flatten(py, 0, -1)
    }

    /// Splits an axis into several; one size may be -1.
    ///
    /// >>> bv.zeros((2, 6)).unflatten(1, (2, 3)).shape
    /// (2, 2, 3)
    fn unflatten(&self, axis: isize, sizes: ShapeArgument) -> PyResult<Array> {
        Array::of_view(self.tensor.unflatten(axis, &sizes.0))
    }

    /// The axes in another order.
    ///
    /// >>> bv.zeros((2, 3, 4)).permute(2, 0, 1).shape
    /// (4, 2, 3)
    #[pyo3(signature = (*axes))]
    fn permute<'py>(&self, axes: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, ArrayObject>> {
        let mut order = [0; FEW];
        if let Some(n) = read_few(axes, &mut order) {
            return self.through(axes.py(), |layout| layout.permute(&order[..n]));
        }
        let order = Integers::of_arguments(axes)?.0;
        self.through(axes.py(), |layout| layout.permute(&order))
    }

    /// The axes in another order; without one, in reverse.
    ///
    /// >>> bv.zeros((2, 3, 4)).transpose().shape
    /// (4, 3, 2)
    #[pyo3(signature = (*axes))]
    fn transpose<'py>(&self, axes: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, ArrayObject>> {
        let is_reversed = match axes.len() {
            0 => true,
            1 => axes.get_borrowed_item(0)?.is_none(),
            _ => false,
        };
        match is_reversed {
            true => self.through(axes.py(), |layout| Ok(layout.reverse())),
            false => self.permute(axes),
        }
    }

    /// Exchanges two axes.
    ///
    /// >>> bv.zeros((2, 3, 4)).swapaxes(0, 2).shape
    /// (4, 3, 2)
    #[pyo3(signature = (axis1, axis2, /))]
    fn swapaxes(&self, axis1: isize, axis2: isize) -> PyResult<Array> {
        Array::of_view(self.tensor.swap_axes(axis1, axis2))
    }

    /// Moves axes to other places; the rest stays in order.
    ///
    /// >>> bv.zeros((2, 3, 4)).moveaxis(0, -1).shape
    /// (3, 4, 2)
    #[pyo3(signature = (source, destination, /))]
    fn moveaxis(&self, source: Integers, destination: Integers) -> PyResult<Array> {
        Array::of_view(self.tensor.moveaxis(&*source.0, &*destination.0))
    }

    /// Walks axes backwards; without one, all of them.
    ///
    /// >>> bv.arange(3).flip()
    /// array([2, 1, 0])
    #[pyo3(signature = (*axes))]
    fn flip(&self, axes: &Bound<'_, PyTuple>) -> PyResult<Array> {
        Array::of_view(self.tensor.flip(AxesArgument::of_arguments(axes)?.axes(false)))
    }

    /// Repeats axes of length 1 without copying them; -1 keeps a length.
    ///
    /// >>> bv.asarray([[1], [2]]).expand(-1, 3)
    /// array([[1, 1, 1],
    ///        [2, 2, 2]])
    #[pyo3(signature = (*shape))]
    fn expand(&self, shape: &Bound<'_, PyTuple>) -> PyResult<Array> {
        Array::of_view(self.tensor.broadcast_to(&ShapeArgument::of_arguments(shape)?.0))
    }

    /// Removes axes of length 1; without one, all that there are.
    ///
    /// >>> bv.zeros((1, 3, 1)).squeeze(0).shape
    /// (3, 1)
    #[pyo3(signature = (*axes, axis=None))]
    fn squeeze(&self, axes: &Bound<'_, PyTuple>, axis: Option<Integers>) -> PyResult<Array> {
        let axes = match axis {
            Some(axis) => axis,
            None if axes.is_empty() => return Ok(Array::from(self.tensor.squeeze_all())),
            None => Integers::of_arguments(axes)?,
        };
        Array::of_view(self.tensor.squeeze(&*axes.0))
    }

    /// Inserts an axis of length 1.
    ///
    /// >>> bv.zeros(3).unsqueeze(0).shape
    /// (1, 3)
    fn unsqueeze(&self, axis: isize) -> PyResult<Array> {
        Array::of_view(self.tensor.unsqueeze(axis))
    }

    /// Rearranges axes by a pattern, with the lengths it cannot tell: a view if there is one.
    ///
    /// >>> bv.zeros((6, 2)).rearrange("(h w) c -> c h w", h=2).shape
    /// (2, 2, 3)
    #[pyo3(signature = (pattern, /, **sizes))]
    pub fn rearrange(
        &self,
        py: Python<'_>,
        pattern: &str,
        sizes: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Array> {
        let mut lengths: Vec<(String, usize)> = Vec::new();
        for (name, size) in sizes.into_iter().flatten() {
            lengths.push((name.extract()?, size.extract::<crate::arguments::Count>()?.0));
        }
        let lengths: Vec<_> = lengths.iter().map(|(name, len)| (name.as_str(), *len)).collect();
        let x = &self.tensor;
        run(py, x.len(), || x.rearrange(pattern, &lengths)).map(Array::from)
    }
}

/// The type that an argument names, if it is no shape.
fn type_of(argument: &Bound<'_, PyAny>) -> Option<DTypeArgument> {
    let is_shape = argument.is_instance_of::<PyInt>()
        || argument.is_instance_of::<PyTuple>()
        || argument.is_instance_of::<PyList>();
    if is_shape { None } else { argument.extract().ok() }
}

/// How many elements a change of the shape may have to move: none, if there is a view for sure.
fn moved(x: &Tensor) -> usize {
    if x.is_contiguous() { 0 } else { x.len() }
}
