//! The array: shared memory and a description of how to walk it.

mod attributes;
#[allow(unsafe_code)]
mod birth;
mod conversion;
mod elements;
mod indexing;
mod layout;
mod operators;
mod parts;
mod reductions;
mod show;
mod views;

pub use birth::prepare;

use crate::arguments::Number;
use crate::error::raise;
use belvedere::{Error, Layout, LayoutError, Tensor};
use pyo3::prelude::*;

/// An n-dimensional array whose memory may be shared: with other arrays, with NumPy, with PyTorch.
///
/// Arrays are made by functions such as ``asarray``, ``zeros`` and ``arange``; slicing, transposing,
/// reshaping and the like make further arrays that see the same elements.
#[pyclass(frozen, name = "Array", module = "belvedere", weakref)]
#[repr(transparent)]
pub struct ArrayObject {
    tensor: Tensor,
}

impl ArrayObject {
    #[inline]
    pub fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    /// The same memory through a layout that is made of the array's: the shortest way to a view.
    #[inline(always)]
    pub fn through<'py>(
        &self,
        py: Python<'py>,
        change: impl FnOnce(&Layout) -> Result<Layout, LayoutError>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let x = &self.tensor;
        birth::born(py, |place| x.through_into(change(x.layout())?, place))
    }
}

/// A tensor that becomes an [`ArrayObject`] where it is returned to Python.
pub struct Array {
    tensor: Tensor,
}

impl Array {
    /// The array of a view, which touched no memory.
    #[inline(always)]
    pub fn of_view(view: Result<Tensor, Error>) -> PyResult<Array> {
        view.map(Array::from).map_err(raise)
    }

    /// The same as an object.
    #[inline(always)]
    pub fn seen<'py>(
        py: Python<'py>,
        view: Result<Tensor, Error>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        birth::born(py, |place| Ok(place.write(view?)))
    }

    /// A number as an array without axes, of the default type of its kind.
    pub fn of_number(number: Number) -> PyResult<Array> {
        let none: [usize; 0] = [];
        let tensor = match number {
            Number::Bool(value) => Tensor::full(none, value),
            Number::Int(value) => match i64::try_from(value) {
                Ok(value) => Tensor::full(none, value),
                Err(_) => Tensor::full(none, value as u64),
            },
            Number::Float(value) => Tensor::full(none, value),
            Number::Complex(value) => Tensor::full(none, value),
        };
        tensor.map(Array::from).map_err(raise)
    }

    /// The object.
    #[inline(always)]
    pub fn object(self, py: Python<'_>) -> PyResult<Bound<'_, ArrayObject>> {
        Array::seen(py, Ok(self.tensor))
    }
}

impl From<Tensor> for Array {
    #[inline(always)]
    fn from(tensor: Tensor) -> Array {
        Array { tensor }
    }
}

impl<'py> IntoPyObject<'py> for Array {
    type Target = ArrayObject;
    type Output = Bound<'py, ArrayObject>;
    type Error = PyErr;

    #[inline]
    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        self.object(py)
    }
}
