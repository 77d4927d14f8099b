//! The arguments `order` and `casting` of NumPy's methods.

use super::{Array, ArrayObject, new_object};
use crate::attach::{run, run_to_object};
use crate::error::raise;
use belvedere::{DType, Error, Tensor, can_assign, can_cast};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::str::FromStr;

/// The order of elements in memory, or the order in which they are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementOrder {
    /// `"C"`: row-major.
    RowMajor,
    /// `"F"`: column-major.
    ColumnMajor,
    /// `"A"`: column-major if the array is contiguous in that order only, else row-major.
    Any,
    /// `"K"`: that of the array in memory.
    Keep,
}

impl FromStr for ElementOrder {
    type Err = PyErr;

    fn from_str(text: &str) -> PyResult<ElementOrder> {
        Ok(match text {
            "C" | "c" => ElementOrder::RowMajor,
            "F" | "f" => ElementOrder::ColumnMajor,
            "A" | "a" => ElementOrder::Any,
            "K" | "k" => ElementOrder::Keep,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "order must be one of 'C', 'F', 'A' and 'K', got {text:?}"
                )));
            }
        })
    }
}

impl ElementOrder {
    /// The axes of a tensor from the outermost to the innermost of this order.
    fn axes(self, x: &Tensor) -> Vec<isize> {
        let rank = x.rank() as isize;
        match self {
            ElementOrder::ColumnMajor => (0..rank).rev().collect(),
            ElementOrder::Any if is_column_major(x) && !x.is_contiguous() => {
                (0..rank).rev().collect()
            }
            ElementOrder::RowMajor | ElementOrder::Any => (0..rank).collect(),
            ElementOrder::Keep => {
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
            ElementOrder::RowMajor => x.is_contiguous(),
            ElementOrder::ColumnMajor => is_column_major(x),
            ElementOrder::Any => x.is_contiguous() || is_column_major(x),
            ElementOrder::Keep => true,
        }
    }

    /// Copies a tensor to new memory in this order.
    pub(super) fn copy<'py>(
        self,
        py: Python<'py>,
        x: &Tensor,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        if self == ElementOrder::RowMajor {
            return run_to_object(py, x.len(), || x.copy());
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
            ElementOrder::RowMajor => x.clone(),
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
            ElementOrder::Keep => {
                return Err(PyValueError::new_err("order must be 'C', 'F' or 'A' for reshape"));
            }
            ElementOrder::RowMajor => false,
            ElementOrder::ColumnMajor => true,
            ElementOrder::Any => is_column_major(x) && !x.is_contiguous(),
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
fn is_column_major(x: &Tensor) -> bool {
    x.layout().reverse().is_contiguous()
}

/// An estimate of the work of a reshape.
fn copied_len(x: &Tensor) -> usize {
    if x.is_contiguous() { 0 } else { x.len() }
}

/// Which casts are allowed.
#[derive(Clone, Copy)]
pub(super) enum Casting {
    /// `"no"` and `"equiv"`: none.
    No,
    /// `"safe"`: those that lose nothing.
    Safe,
    /// `"same_kind"`: also to fewer bits.
    SameKind,
    /// `"unsafe"`: all.
    Unsafe,
}

impl FromStr for Casting {
    type Err = PyErr;

    fn from_str(text: &str) -> PyResult<Casting> {
        Ok(match text {
            "no" | "equiv" => Casting::No,
            "safe" => Casting::Safe,
            "same_kind" => Casting::SameKind,
            "unsafe" => Casting::Unsafe,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "casting must be one of 'no', 'equiv', 'safe', 'same_kind' and 'unsafe', \
                     got {text:?}"
                )));
            }
        })
    }
}

impl Casting {
    /// Checks that a cast is allowed.
    pub(super) fn check(self, from: DType, to: DType) -> PyResult<()> {
        let (is_allowed, name) = match self {
            Casting::No => (from == to, "no"),
            Casting::Safe => (can_cast(from, to), "safe"),
            Casting::SameKind => (can_assign(from, to), "same_kind"),
            Casting::Unsafe => (true, "unsafe"),
        };
        match is_allowed {
            true => Ok(()),
            false => Err(PyTypeError::new_err(format!(
                "cannot cast {from} to {to} by the rule {name:?}"
            ))),
        }
    }
}
