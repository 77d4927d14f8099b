//! The class `Array`: shared memory and a strided layout.

mod attributes;
mod conversion;
mod element_arithmetic;
mod elements;
#[allow(unsafe_code)]
mod free_list;
mod indexing;
mod layout;
mod operators;
mod order;
mod out;
mod parts;
mod reductions;
mod show;
#[allow(unsafe_code)]
mod slots;
mod views;

pub(crate) use free_list::{KeptObject, new_object, prepare, try_new_object};
pub(crate) use indexing::ArrayIterator;
pub(crate) use parts::narrow_start;

use crate::arguments::Number;
use crate::error::raise;
use belvedere::trace::Param;
use belvedere::{Error, Layout, LayoutError, Tensor};
use pyo3::prelude::*;

/// An n-dimensional array. Its memory may be shared with other arrays, NumPy and PyTorch.
///
/// Arrays are created by functions such as ``asarray``, ``zeros`` and ``arange``. Slicing, transposing and
/// reshaping return views: arrays that share the memory.
// `mapping`: PyO3 leaves the slots of sequences to `slots.rs`.
#[pyclass(frozen, mapping, name = "Array", module = "belvedere", weakref)]
#[repr(transparent)]
pub struct ArrayObject {
    tensor: Tensor,
}

impl ArrayObject {
    #[inline]
    pub fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    /// Returns a view: the same memory through a layout derived from the array's. The fast path of all views. The
    /// parameters are evaluated if a trace listens.
    #[inline(always)]
    pub fn through<'py, 'p, const N: usize>(
        &self,
        py: Python<'py>,
        op: &'static str,
        params: impl FnOnce() -> [(&'static str, Param<'p>); N],
        change: impl FnOnce(&Layout) -> Result<Layout, LayoutError>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let x = &self.tensor;
        new_object(py, |slot| x.through_into(op, params, change(x.layout())?, slot))
    }
}

/// A tensor that becomes an [`ArrayObject`] when it is returned to Python.
pub struct Array {
    tensor: Tensor,
}

impl Array {
    /// Wraps a view, or raises its error.
    #[inline(always)]
    pub fn from_view(view: Result<Tensor, Error>) -> PyResult<Array> {
        view.map(Array::from).map_err(raise)
    }

    /// Makes a 0-d array of a Python scalar, with the default dtype of its kind.
    pub fn from_number(number: Number) -> PyResult<Array> {
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

    /// Moves the tensor into a new object.
    #[inline(always)]
    pub fn object(self, py: Python<'_>) -> PyResult<Bound<'_, ArrayObject>> {
        new_object(py, |slot| Ok(slot.write(self.tensor)))
    }
}

impl From<Array> for Tensor {
    fn from(array: Array) -> Tensor {
        array.tensor
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
