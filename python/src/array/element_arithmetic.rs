//! Arithmetic of two elements, computed here: moving the operands and the result between objects and the core takes longer
//! than everything else.

use super::{ArrayObject, new_object};
use crate::arguments::{Number, OperandArgument};
use belvedere::{DType, Tensor};
use pyo3::prelude::*;

/// The operators on elements.
#[derive(Clone, Copy)]
pub(super) enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
}

/// Two elements of the most common dtypes.
#[derive(Clone, Copy)]
pub(super) enum ElementPair {
    Floats([f64; 2]),
    Ints([i64; 2]),
}

impl ElementPair {
    /// Reads a 0-d array, and another one of the same dtype or a Python scalar that is cast to its kind. `None` for all other
    /// operands, and if an element cannot be read at once.
    #[inline]
    pub(super) fn read(x: &Tensor, y: &OperandArgument) -> Option<ElementPair> {
        if x.rank() != 0 {
            return None;
        }
        match (x.dtype(), y) {
            (dtype, OperandArgument::Array(y)) => {
                let y = y.get().tensor();
                match dtype {
                    _ if y.rank() != 0 || y.dtype() != dtype => None,
                    DType::Float64 => Some(ElementPair::Floats([x.try_item()?, y.try_item()?])),
                    DType::Int64 => Some(ElementPair::Ints([x.try_item()?, y.try_item()?])),
                    _ => None,
                }
            }
            (DType::Float64, OperandArgument::Number(y)) => match *y {
                Number::Float(y) => Some(ElementPair::Floats([x.try_item()?, y])),
                Number::Int(y) => Some(ElementPair::Floats([x.try_item()?, y as f64])),
                _ => None,
            },
            (DType::Int64, OperandArgument::Number(y)) => match *y {
                Number::Float(y) => Some(ElementPair::Floats([x.try_item::<i64>()? as f64, y])),
                Number::Int(y) => Some(ElementPair::Ints([x.try_item()?, y.try_into().ok()?])),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the second element first.
    #[inline]
    pub(super) fn swapped(self) -> ElementPair {
        match self {
            ElementPair::Floats([x, y]) => ElementPair::Floats([y, x]),
            ElementPair::Ints([x, y]) => ElementPair::Ints([y, x]),
        }
    }
}

impl Arithmetic {
    /// Computes a new 0-d array. Integers wrap around, and their quotient is a float.
    #[inline]
    pub(super) fn compute(
        self,
        py: Python<'_>,
        pair: ElementPair,
    ) -> PyResult<Bound<'_, ArrayObject>> {
        let tensor = match (pair, self) {
            (ElementPair::Floats([x, y]), _) => Tensor::of_element(self.of_floats(x, y)),
            (ElementPair::Ints([x, y]), Arithmetic::Add) => Tensor::of_element(x.wrapping_add(y)),
            (ElementPair::Ints([x, y]), Arithmetic::Sub) => Tensor::of_element(x.wrapping_sub(y)),
            (ElementPair::Ints([x, y]), Arithmetic::Mul) => Tensor::of_element(x.wrapping_mul(y)),
            (ElementPair::Ints([x, y]), Arithmetic::Div) => {
                Tensor::of_element(self.of_floats(x as f64, y as f64))
            }
        };
        new_object(py, |slot| Ok(slot.write(tensor.expect("an element of 8 bytes"))))
    }

    #[inline]
    fn of_floats(self, x: f64, y: f64) -> f64 {
        match self {
            Arithmetic::Add => x + y,
            Arithmetic::Sub => x - y,
            Arithmetic::Mul => x * y,
            Arithmetic::Div => x / y,
        }
    }
}
