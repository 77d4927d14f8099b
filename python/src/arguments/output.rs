//! Arguments of NumPy about results: `out`, `casting` and `order`.

use crate::array::ArrayObject;
use crate::exchange;
use belvedere::{DType, Error, Layout, Tensor, can_assign, can_cast};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The array that a result is written to: one of this package, or one of another library whose memory is shared.
pub(crate) struct OutArgument<'py>(pub Bound<'py, ArrayObject>);

impl OutArgument<'_> {
    #[inline]
    pub(crate) fn tensor(&self) -> &Tensor {
        self.0.get().tensor()
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for OutArgument<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.cast_exact::<ArrayObject>() {
            return Ok(OutArgument(array.to_owned()));
        }
        // NumPy's ufuncs take a tuple with one array for each result.
        if let Ok(tuple) = object.cast::<PyTuple>()
            && tuple.len() == 1
        {
            return tuple.get_item(0)?.extract();
        }
        match exchange::adopt_memory(&object)? {
            Some(array) => Ok(OutArgument(array)),
            None => {
                let name = object.get_type().name()?;
                Err(PyTypeError::new_err(format!("out must be an array, got {name}")))
            }
        }
    }
}

/// Which casts are allowed.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Casting {
    No,
    Safe,
    #[default]
    SameKind,
    Unsafe,
}

impl Casting {
    /// # Errors
    /// If a cast is not allowed.
    pub(crate) fn check(self, from: DType, to: DType) -> Result<(), Error> {
        let is_allowed = match self {
            Casting::No => from == to,
            Casting::Safe => can_cast(from, to),
            Casting::SameKind => can_assign(from, to),
            Casting::Unsafe => true,
        };
        if is_allowed { Ok(()) } else { Err(Error::Cast { from, to }) }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Casting {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<&str>()? {
            "no" | "equiv" => Ok(Casting::No),
            "safe" => Ok(Casting::Safe),
            "same_kind" => Ok(Casting::SameKind),
            "unsafe" => Ok(Casting::Unsafe),
            other => Err(PyValueError::new_err(format!(
                "casting must be 'no', 'equiv', 'safe', 'same_kind' or 'unsafe', got {other:?}"
            ))),
        }
    }
}

/// An order of elements in memory, by NumPy's letters.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Order {
    #[default]
    RowMajor,
    ColumnMajor,
    /// Column-major if the operand is column-major, else row-major.
    Any,
    /// As close to the operand's order as possible.
    Keep,
}

impl Order {
    /// Whether a result is to be column-major, given the layout of the operand.
    pub(crate) fn is_column_major(self, layout: &Layout) -> bool {
        match self {
            Order::RowMajor => false,
            Order::ColumnMajor => true,
            Order::Any | Order::Keep => !layout.is_contiguous() && layout.reverse().is_contiguous(),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Order {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_none() {
            return Ok(Order::Keep);
        }
        match object.extract::<&str>()? {
            "C" | "c" => Ok(Order::RowMajor),
            "F" | "f" => Ok(Order::ColumnMajor),
            "A" | "a" => Ok(Order::Any),
            "K" | "k" => Ok(Order::Keep),
            other => Err(PyValueError::new_err(format!(
                "order must be 'C', 'F', 'A' or 'K', got {other:?}"
            ))),
        }
    }
}

/// Reads the truth value of any object, as NumPy does for its flags: `keepdims=1`.
pub(crate) fn truth(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    object.is_truthy()
}
