//! The orders in which methods read and copy elements.

use super::{Array, ArrayObject, new_object};
use crate::arguments::Order;
use crate::attach::{run, run_to_object};
use crate::error::raise;
use belvedere::{Error, Tensor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

impl Order {
    /// The axes of a tensor from the outermost to the innermost of this order.
    fn axes(self, x: &Tensor) -> Vec<isize> {
        let rank = x.rank() as isize;
        match self {
            Order::ColumnMajor => (0..rank).rev().collect(),
            Order::Any if has_columns(x) && !x.is_contiguous() => (0..rank).rev().collect(),
            Order::RowMajor | Order::Any => (0..rank).collect(),
            Order::Keep => {
                let mut axes: Vec<isize> = (0..rank).collect();
                let stride = |axis: isize| x.layout().axes()[axis as usize].stride.unsigned_abs();
                // The sort is stable: axes with equal strides stay in row-major order.
                axes.sort_by_key(|&axis| std::cmp::Reverse(stride(axis)));
                axes
            }
        }
    }

    /// Whether a tensor has its elements in this order already. Every tensor is in the order `Keep`.
    pub(super) fn is_order_of(self, x: &Tensor) -> bool {
        match self {
            Order::RowMajor => x.is_contiguous(),
            Order::ColumnMajor => has_columns(x),
            Order::Any => x.is_contiguous() || has_columns(x),
            Order::Keep => true,
        }
    }

    /// Copies a tensor to new memory in this order.
    pub(crate) fn copy<'py>(
        self,
        py: Python<'py>,
        x: &Tensor,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        if self == Order::RowMajor || self != Order::ColumnMajor && x.is_contiguous() {
            return run_to_object(py, x.len(), || x.copy());
        }
        if self == Order::ColumnMajor || has_columns(x) {
            return run_to_object(py, x.len(), || Ok(x.reverse_dims().copy()?.reverse_dims()));
        }
        let axes = self.axes(x);
        let mut inverse = vec![0; axes.len()];
        for (place, &axis) in axes.iter().enumerate() {
            inverse[axis as usize] = place as isize;
        }
        let copy = || x.permute_dims(&axes)?.copy()?.permute_dims(&inverse);
        run_to_object(py, x.len(), copy)
    }

    /// Returns the elements along one axis, read in this order: a view if one exists, else a copy.
    pub(super) fn ravel<'py>(
        self,
        py: Python<'py>,
        x: &Tensor,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let read = match self {
            Order::RowMajor => x.clone(),
            _ => x.permute_dims(&self.axes(x)).map_err(raise)?,
        };
        let flat = run(py, copied_len(&read), || read.reshape([-1]))?;
        Array::from(flat).object(py)
    }

    /// Returns the elements in a new shape; they are read and placed in this order.
    pub(super) fn reshape<'py>(
        self,
        py: Python<'py>,
        x: &Tensor,
        shape: &[isize],
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let is_column_major = match self {
            Order::Keep => {
                return Err(PyValueError::new_err("order must be 'C', 'F' or 'A' for reshape"));
            }
            Order::RowMajor => false,
            Order::ColumnMajor => true,
            Order::Any => has_columns(x) && !x.is_contiguous(),
        };
        let ordered = |x: &Tensor| if is_column_major { x.reverse_dims() } else { x.clone() };
        let mut shape = shape.to_vec();
        if is_column_major {
            shape.reverse();
        }
        let read = ordered(x);
        let reshape = || -> Result<Tensor, Error> {
            let shaped = match copy {
                Some(false) => read.view(&shape)?,
                None => read.reshape(&shape)?,
                Some(true) => read.copy()?.reshape(&shape)?,
            };
            Ok(ordered(&shaped))
        };
        let shaped = run(py, x.len(), reshape)?;
        new_object(py, |slot| Ok(slot.write(shaped)))
    }
}

/// Whether the elements are contiguous in column-major order.
fn has_columns(x: &Tensor) -> bool {
    x.layout().reverse().is_contiguous()
}

/// An estimate of the work of a reshape.
fn copied_len(x: &Tensor) -> usize {
    if x.is_contiguous() { 0 } else { x.len() }
}
