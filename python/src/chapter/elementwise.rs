//! Elementwise functions.
//!
//! An entry is its documentation, the name in Python and the method of `Tensor`.

use crate::arguments::{ArrayArgument, OperandArgument};
use crate::array::Array;
use crate::lock::run;
use belvedere::Operand;
use pyo3::prelude::*;

/// Functions of one array.
macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident => $method:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, /))]
            fn $name(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Array> {
                let x = x.tensor();
                run(py, x.len(), || x.$method()).map(Array::from)
            }
        )+

        fn register_unary(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)+
            Ok(())
        }
    };
}

/// Functions of two arrays, of which one may be a number.
macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident => $method:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x1, x2, /))]
            fn $name(
                py: Python<'_>,
                x1: OperandArgument<'_>,
                x2: OperandArgument<'_>,
            ) -> PyResult<Array> {
                let len = x1.len().max(x2.len());
                let (x, y) = (x1.given(), x2.given());
                run(py, len, || Operand::from(x).$method(y)).map(Array::from)
            }
        )+

        fn register_binary(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)+
            Ok(())
        }
    };
}

unary! {
    /// The exponential function, element by element.
    ///
    /// >>> bv.exp(bv.asarray([0.0, 1.0]))
    /// array([1.        , 2.71828183])
    exp => exp;
}

binary! {
    /// The sum, element by element; integers wrap around.
    ///
    /// >>> bv.add(bv.asarray([1, 2]), 10)
    /// array([11, 12])
    add => add;
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_unary(module)?;
    register_binary(module)
}
