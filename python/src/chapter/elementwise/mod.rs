//! Elementwise functions.
//!
//! An entry is its documentation, the name in Python and the method of `Tensor`.

mod arithmetic;
mod bits;
mod comparison;
mod complex;
mod exponential;
mod limits;
mod rounding;
mod special;
mod trigonometry;

use crate::arguments::OperandArgument;
use crate::array::ArrayObject;
use crate::lock::made;
use belvedere::{Error, Operand, Tensor};
use pyo3::prelude::*;

/// A function of one array.
pub type Unary = fn(&Tensor) -> Result<Tensor, Error>;

/// A function of two arrays, of which one may be a number.
pub type Binary = for<'a> fn(Operand<'a>, Operand<'a>) -> Result<Tensor, Error>;

/// Calculates a function of one array.
pub fn unary<'py>(
    py: Python<'py>,
    x: &Tensor,
    function: Unary,
) -> PyResult<Bound<'py, ArrayObject>> {
    made(py, x.len(), || function(x))
}

/// Calculates a function of two operands.
pub fn binary<'py>(
    py: Python<'py>,
    x: &OperandArgument<'_>,
    y: &OperandArgument<'_>,
    function: Binary,
) -> PyResult<Bound<'py, ArrayObject>> {
    let len = x.len().max(y.len());
    let (x, y) = (x.given(), y.given());
    made(py, len, || function(x.into(), y.into()))
}

/// Functions of one array, and `register_of_one`.
macro_rules! of_one {
    ($($(#[$doc:meta])* $name:ident => $method:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyo3::pyfunction]
            #[pyo3(signature = (x, /))]
            fn $name<'py>(
                py: pyo3::Python<'py>,
                x: $crate::arguments::ArrayArgument<'py>,
            ) -> pyo3::PyResult<pyo3::Bound<'py, $crate::array::ArrayObject>> {
                super::unary(py, x.tensor(), |x| x.$method())
            }
        )+

        fn register_of_one(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
            use pyo3::types::PyModuleMethods as _;
            $(module.add_function(pyo3::wrap_pyfunction!($name, module)?)?;)+
            Ok(())
        }
    };
}

/// Functions of two arrays, of which one may be a number, and `register_of_two`; `compared` if a number
/// may be of any size.
macro_rules! of_two {
    ($($(#[$doc:meta])* $name:ident => $method:ident;)+) => {
        of_two! { @OperandArgument $($(#[$doc])* $name => $method;)+ }
    };
    (compared $($(#[$doc:meta])* $name:ident => $method:ident;)+) => {
        of_two! { @ComparedArgument $($(#[$doc])* $name => $method;)+ }
    };
    (@$argument:ident $($(#[$doc:meta])* $name:ident => $method:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyo3::pyfunction]
            #[pyo3(signature = (x1, x2, /))]
            fn $name<'py>(
                py: pyo3::Python<'py>,
                x1: $crate::arguments::$argument<'py>,
                x2: $crate::arguments::$argument<'py>,
            ) -> pyo3::PyResult<pyo3::Bound<'py, $crate::array::ArrayObject>> {
                super::binary(py, &x1, &x2, |x, y| x.$method(y))
            }
        )+

        fn register_of_two(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
            use pyo3::types::PyModuleMethods as _;
            $(module.add_function(pyo3::wrap_pyfunction!($name, module)?)?;)+
            Ok(())
        }
    };
}

use {of_one, of_two};

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    arithmetic::register(module)?;
    bits::register(module)?;
    comparison::register(module)?;
    complex::register(module)?;
    exponential::register(module)?;
    limits::register(module)?;
    rounding::register(module)?;
    special::register(module)?;
    trigonometry::register(module)
}
