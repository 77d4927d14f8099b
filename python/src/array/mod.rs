//! The array: shared memory and a description of how to walk it.

mod attributes;
mod conversion;
mod elements;
mod indexing;
mod layout;
mod operators;
mod parts;
mod reductions;
mod show;
mod views;

use crate::arguments::Number;
use crate::error::raise;
use belvedere::{Error, Tensor};
use pyo3::prelude::*;

/// An n-dimensional array whose memory may be shared: with other arrays, with NumPy, with PyTorch.
///
/// Arrays are made by functions such as ``asarray``, ``zeros`` and ``arange``; slicing, transposing,
/// reshaping and the like make further arrays that see the same elements.
#[pyclass(frozen, name = "Array", module = "belvedere", weakref)]
pub struct Array {
    tensor: Tensor,
}

impl Array {
    #[inline]
    pub fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    /// The array of a view, which touched no memory.
    #[inline(always)]
    pub fn of_view(view: Result<Tensor, Error>) -> PyResult<Array> {
        view.map(Array::from).map_err(raise)
    }

    /// The same as an object: made where it stays.
    #[inline(always)]
    pub fn seen<'py>(py: Python<'py>, view: Result<Tensor, Error>) -> PyResult<Bound<'py, Array>> {
        match view {
            Ok(tensor) => Bound::new(py, Array { tensor }),
            Err(error) => Err(raise(error)),
        }
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
}

impl From<Tensor> for Array {
    #[inline(always)]
    fn from(tensor: Tensor) -> Array {
        Array { tensor }
    }
}
