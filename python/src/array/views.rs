//! Reshaping, transposing and broadcasting; views wherever the layout allows.

use super::{Array, ArrayObject, new_object};
use crate::arguments::{AxesArgument, FEW, Integers, Numbers, Order, ShapeArgument, read_few};
use crate::attach::{run, run_to_object};
use crate::dtype::{of_object, unknown_dtype};
use belvedere::Tensor;
use belvedere::trace::Param;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString, PyTuple, PyType};

#[pymethods]
impl ArrayObject {
    /// Returns the elements in a new shape, or their bytes as another dtype; never a copy.
    ///
    /// One length may be -1. If no such view exists, the error says why, and what a copy would cost. For a dtype that only
    /// NumPy has, it is a NumPy array of the same memory.
    ///
    /// >>> bv.arange(6).view(2, -1)
    /// array([[0, 1, 2],
    ///        [3, 4, 5]])
    /// >>> bv.asarray([1.0]).view(bv.int64)
    /// array([4607182418800017408])
    #[pyo3(signature = (*shape, dtype=None))]
    fn view<'py>(
        slf: &Bound<'py, Self>,
        shape: &Bound<'py, PyTuple>,
        dtype: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let dtype = match (dtype, shape.len()) {
            (None, 1) => Some(shape.get_item(0)?).filter(|first| !is_shape(first)),
            (Some(_), 1..) => {
                return Err(PyValueError::new_err("view() takes a shape or a dtype, not both"));
            }
            (dtype, _) => dtype,
        };
        let x = &slf.get().tensor;
        let view = match &dtype {
            Some(given) => match of_object(given) {
                Some(dtype) => Array::from_view(x.bitcast(dtype))?,
                None => return numpy_view(slf, given),
            },
            None if shape.is_empty() => Array::from(x.clone()),
            None => Array::from_view(x.view(&ShapeArgument::of_arguments(shape)?.0))?,
        };
        view.into_bound_py_any(slf.py())
    }

    /// Returns the elements in a new shape: a view if one exists, else a copy.
    ///
    /// ``copy=False`` never copies; if no view exists, it is an error. ``copy=True`` always copies.
    ///
    /// >>> bv.arange(6).reshape(3, 2)
    /// array([[0, 1],
    ///        [2, 3],
    ///        [4, 5]])
    #[pyo3(
        signature = (*shape, order=Order::RowMajor, copy=None),
        text_signature = "($self, *shape, order='C', copy=None)"
    )]
    fn reshape<'py>(
        &self,
        py: Python<'py>,
        shape: &Bound<'py, PyTuple>,
        order: Order,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let x = &self.tensor;
        if order != Order::RowMajor {
            let shape = ShapeArgument::of_arguments(shape)?.0;
            return order.reshape(py, x, &shape, copy);
        }
        // A contiguous array has a view of every shape.
        let is_view = copy.is_none() && x.is_contiguous();
        let mut lengths = [0; FEW];
        if is_view && let Some(n) = read_few(shape, &mut lengths) {
            let params = || [("shape", Param::from(&lengths[..n]))];
            return match &lengths[..n] {
                [-1] => self.through(py, "reshape", params, |layout| layout.view([layout.len()])),
                given if given.iter().any(|&len| len < 0) => {
                    self.through(py, "reshape", params, |layout| layout.view(given))
                }
                // No length is to be inferred.
                _ => {
                    let lengths = lengths.map(|len| len as usize);
                    self.through(py, "reshape", params, |layout| layout.view(&lengths[..n]))
                }
            };
        }
        self.reshape_to(py, &ShapeArgument::of_arguments(shape)?.0, copy)
    }

    /// Merges the axes from ``start`` to ``end``, both included: a view if one exists, else a copy.
    ///
    /// ``order``, which may also be the first argument, is NumPy's: the order in which all elements are read.
    ///
    /// >>> bv.zeros((2, 3, 4)).flatten(1).shape
    /// (2, 12)
    /// >>> bv.asarray([[1, 2], [3, 4]]).flatten("F")
    /// array([1, 3, 2, 4])
    #[pyo3(
        signature = (start=None, end=-1, *, order=None),
        text_signature = "($self, start=0, end=-1, *, order='C')"
    )]
    fn flatten<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        end: isize,
        order: Option<Order>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let x = &self.tensor;
        if let Some(order) = start.filter(|it| it.is_instance_of::<PyString>()) {
            return order.extract::<Order>()?.ravel(py, x);
        }
        let start = start.map_or(Ok(0), |it| it.extract::<isize>())?;
        match order {
            None | Some(Order::RowMajor) => {
                run_to_object(py, n_copied(x), || x.flatten(start, end))
            }
            Some(order) if (start, end) == (0, -1) => order.ravel(py, x),
            Some(_) => Err(PyValueError::new_err("an order applies to all axes, not to a range")),
        }
    }

    /// Returns the elements along one axis: a view if one exists, else a copy.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).ravel()
    /// array([1, 2, 3, 4])
    /// >>> bv.asarray([[1, 2], [3, 4]]).ravel("F")
    /// array([1, 3, 2, 4])
    #[pyo3(signature = (order=Order::RowMajor), text_signature = "($self, order='C')")]
    fn ravel<'py>(&self, py: Python<'py>, order: Order) -> PyResult<Bound<'py, ArrayObject>> {
        order.ravel(py, &self.tensor)
    }

    /// Splits an axis into several; one length may be -1. The result is a view.
    ///
    /// >>> bv.zeros((2, 6)).unflatten(1, (2, 3)).shape
    /// (2, 2, 3)
    fn unflatten(&self, axis: isize, sizes: ShapeArgument) -> PyResult<Array> {
        Array::from_view(self.tensor.unflatten(axis, &sizes.0))
    }

    /// Permutes the axes; the result is a view.
    ///
    /// >>> bv.zeros((2, 3, 4)).permute(2, 0, 1).shape
    /// (4, 2, 3)
    #[pyo3(signature = (*axes))]
    fn permute<'py>(&self, axes: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, ArrayObject>> {
        let mut order = [0; FEW];
        if let Some(n) = read_few(axes, &mut order) {
            let params = || [("order", Param::from(&order[..n]))];
            return self
                .through(axes.py(), "permute", params, |layout| layout.permute(&order[..n]));
        }
        let order = Integers::of_arguments(axes)?.0;
        let params = || [("order", Param::from(&order[..]))];
        self.through(axes.py(), "permute", params, |layout| layout.permute(&order))
    }

    /// Permutes the axes; without arguments, reverses them. The result is a view.
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
            true => self.through(axes.py(), "transpose", || [], |layout| Ok(layout.reverse())),
            false => self.permute(axes),
        }
    }

    /// Swaps two axes; the result is a view.
    ///
    /// >>> bv.zeros((2, 3, 4)).swapaxes(0, 2).shape
    /// (4, 3, 2)
    #[pyo3(signature = (axis1, axis2, /))]
    fn swapaxes(&self, axis1: isize, axis2: isize) -> PyResult<Array> {
        Array::from_view(self.tensor.swap_axes(axis1, axis2))
    }

    /// Moves axes to new positions; the result is a view.
    ///
    /// >>> bv.zeros((2, 3, 4)).moveaxis(0, -1).shape
    /// (3, 4, 2)
    #[pyo3(signature = (source, destination, /))]
    fn moveaxis(&self, source: Integers, destination: Integers) -> PyResult<Array> {
        Array::from_view(self.tensor.moveaxis(&*source.0, &*destination.0))
    }

    /// Reverses the order of the elements along axes, by default all; the result is a view.
    ///
    /// >>> bv.arange(3).flip()
    /// array([2, 1, 0])
    #[pyo3(signature = (*axes))]
    fn flip(&self, axes: &Bound<'_, PyTuple>) -> PyResult<Array> {
        Array::from_view(self.tensor.flip(AxesArgument::of_arguments(axes)?.axes(false)))
    }

    /// Broadcasts axes of length 1; -1 keeps a length. The result is a view.
    ///
    /// >>> bv.asarray([[1], [2]]).expand(-1, 3)
    /// array([[1, 1, 1],
    ///        [2, 2, 2]])
    #[pyo3(signature = (*shape))]
    fn expand(&self, shape: &Bound<'_, PyTuple>) -> PyResult<Array> {
        Array::from_view(self.tensor.broadcast_to(&ShapeArgument::of_arguments(shape)?.0))
    }

    /// Removes axes of length 1, by default all; the result is a view.
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
        Array::from_view(self.tensor.squeeze(&*axes.0))
    }

    /// Inserts an axis of length 1; the result is a view.
    ///
    /// >>> bv.zeros(3).unsqueeze(0).shape
    /// (1, 3)
    fn unsqueeze(&self, axis: isize) -> PyResult<Array> {
        Array::from_view(self.tensor.unsqueeze(axis))
    }

    /// Rearranges axes by an einops pattern: a view if one exists, else a copy.
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

impl ArrayObject {
    /// Returns the elements in a new shape.
    ///
    /// `copy=True` is a copy that the caller requests, so that it is made inside `no_copies` as well.
    pub(crate) fn reshape_to<'py>(
        &self,
        py: Python<'py>,
        shape: &Numbers,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let x = &self.tensor;
        match copy {
            Some(false) => new_object(py, |slot| Ok(slot.write(x.view(shape)?))),
            // A contiguous array has a view of every shape.
            None if x.is_contiguous() => new_object(py, |slot| Ok(slot.write(x.view(shape)?))),
            None => run_to_object(py, x.len(), || x.reshape(shape)),
            // A copy is contiguous, so that its reshape is a view.
            Some(true) => run_to_object(py, x.len(), || x.copy()?.reshape(shape)),
        }
    }
}

/// Whether the argument of `view` is a shape: anything that does not denote a dtype of this package or of NumPy.
fn is_shape(argument: &Bound<'_, PyAny>) -> bool {
    let is_list = argument.is_instance_of::<PyInt>()
        || argument.is_instance_of::<PyTuple>()
        || argument.is_instance_of::<PyList>();
    let is_dtype = || {
        argument.is_instance_of::<PyString>()
            || argument.is_instance_of::<PyType>()
            || of_object(argument).is_some()
            || argument.hasattr("isnative").unwrap_or(false)
    };
    is_list || !is_dtype()
}

/// Returns NumPy's view of an array, for a dtype that this package does not have.
fn numpy_view<'py>(
    x: &Bound<'py, ArrayObject>,
    dtype: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let Ok(numpy) = x.py().import("numpy") else {
        return Err(unknown_dtype(dtype));
    };
    numpy.call_method1("asarray", (x,))?.call_method1("view", (dtype,))
}

/// Estimates the elements that a reshape copies: none for a contiguous array.
fn n_copied(x: &Tensor) -> usize {
    if x.is_contiguous() { 0 } else { x.len() }
}
