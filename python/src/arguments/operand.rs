//! Arrays and numbers.

use crate::array::{Array, ArrayObject};
use crate::exchange;
use belvedere::{Complex, DType, Operand, Tensor, result_type_with};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt};
use std::ops::Deref;

/// A number of Python's: it has no type of its own and becomes what the array beside it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Bool(bool),
    /// One that is an `int64` or a `uint64`.
    Int(i128),
    Float(f64),
    Complex(Complex<f64>),
}

/// What an operation is given: an array, or a number.
pub enum OperandArgument<'py> {
    Array(Bound<'py, ArrayObject>),
    Number(Number),
}

/// An array; a number is one without axes, and what shares its memory with others comes in as it is.
pub struct ArrayArgument<'py>(pub Bound<'py, ArrayObject>);

/// The same without the interpreter, so that it can go where that is released.
#[derive(Clone, Copy)]
pub enum Given<'a> {
    Tensor(&'a Tensor),
    Number(Number),
}

impl OperandArgument<'_> {
    pub fn given(&self) -> Given<'_> {
        match self {
            OperandArgument::Array(array) => Given::Tensor(array.get().tensor()),
            OperandArgument::Number(number) => Given::Number(*number),
        }
    }

    /// The number of elements, as far as it says how long an operation takes.
    pub fn len(&self) -> usize {
        match self {
            OperandArgument::Array(array) => array.get().tensor().len(),
            OperandArgument::Number(_) => 1,
        }
    }
}

impl<'py> ArrayArgument<'py> {
    pub fn of(py: Python<'py>, operand: OperandArgument<'py>) -> PyResult<ArrayArgument<'py>> {
        match operand {
            OperandArgument::Array(array) => Ok(ArrayArgument(array)),
            OperandArgument::Number(number) => {
                Array::of_number(number)?.object(py).map(ArrayArgument)
            }
        }
    }

    pub fn tensor(&self) -> &Tensor {
        self.0.get().tensor()
    }
}

impl<'a> From<Given<'a>> for Operand<'a> {
    fn from(given: Given<'a>) -> Operand<'a> {
        match given {
            Given::Tensor(tensor) => tensor.into(),
            Given::Number(number) => number.into(),
        }
    }
}

impl From<Number> for Operand<'_> {
    fn from(number: Number) -> Self {
        match number {
            Number::Bool(value) => value.into(),
            Number::Int(value) => match u64::try_from(value) {
                Ok(value) => value.into(),
                Err(_) => (value as i64).into(),
            },
            Number::Float(value) => value.into(),
            Number::Complex(value) => value.into(),
        }
    }
}

impl Number {
    /// The type that it has alone.
    pub fn dtype(self) -> DType {
        result_type_with(&[], &[self.into()]).expect("every number has a type")
    }

    /// The integer, if it is one.
    pub fn whole(self) -> Option<i128> {
        match self {
            Number::Bool(value) => Some(value.into()),
            Number::Int(value) => Some(value),
            Number::Float(_) | Number::Complex(_) => None,
        }
    }

    /// The real number, if it is one.
    pub fn real(self) -> Option<f64> {
        match self {
            Number::Float(value) => Some(value),
            Number::Complex(_) => None,
            other => other.whole().map(|it| it as f64),
        }
    }

    pub fn complex(self) -> Complex<f64> {
        match self {
            Number::Complex(value) => value,
            other => Complex::new(other.real().unwrap_or(f64::NAN), 0.0),
        }
    }

    /// Python's own numbers only: those of NumPy are arrays without axes, and have a type.
    pub fn exact(object: &Bound<'_, PyAny>) -> PyResult<Option<Number>> {
        if object.is_exact_instance_of::<PyFloat>() {
            return Number::read_float(object).map(Some);
        }
        if object.is_exact_instance_of::<PyInt>() {
            return Number::read_int(object).map(Some);
        }
        if object.is_exact_instance_of::<PyBool>() {
            return Ok(Some(Number::Bool(object.extract()?)));
        }
        if object.is_exact_instance_of::<PyComplex>() {
            return Number::read_complex(object).map(Some);
        }
        Ok(None)
    }

    /// A number of a class that was derived from one of Python's: a member of an `IntEnum`.
    pub fn derived(object: &Bound<'_, PyAny>) -> PyResult<Option<Number>> {
        if object.is_instance_of::<PyInt>() {
            return Number::read_int(object).map(Some);
        }
        if object.is_instance_of::<PyFloat>() {
            return Number::read_float(object).map(Some);
        }
        if object.is_instance_of::<PyComplex>() {
            return Number::read_complex(object).map(Some);
        }
        Ok(None)
    }

    fn read_int(object: &Bound<'_, PyAny>) -> PyResult<Number> {
        if let Ok(value) = object.extract::<i64>() {
            return Ok(Number::Int(value.into()));
        }
        match object.extract::<u64>() {
            Ok(value) => Ok(Number::Int(value.into())),
            Err(_) => {
                Err(PyOverflowError::new_err("an integer of more than 64 bits fits in no array"))
            }
        }
    }

    fn read_float(object: &Bound<'_, PyAny>) -> PyResult<Number> {
        object.extract().map(Number::Float)
    }

    fn read_complex(object: &Bound<'_, PyAny>) -> PyResult<Number> {
        object.extract().map(Number::Complex)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Number {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Some(number) = Number::exact(&object)? {
            return Ok(number);
        }
        if let Some(number) = Number::derived(&object)? {
            return Ok(number);
        }
        let name = object.get_type().name()?;
        Err(PyTypeError::new_err(format!("a number is needed here, not {name}")))
    }
}

/// A number, or what has only one: NumPy's, and arrays of one element.
#[derive(Clone, Copy)]
pub struct OneNumber(pub Number);

impl<'a, 'py> FromPyObject<'a, 'py> for OneNumber {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match OperandArgument::extract(object)? {
            OperandArgument::Array(array) => array.get().number(object.py()).map(OneNumber),
            OperandArgument::Number(number) => Ok(OneNumber(number)),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for OperandArgument<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.cast_exact::<ArrayObject>() {
            return Ok(OperandArgument::Array(array.to_owned()));
        }
        if let Some(number) = Number::exact(&object)? {
            return Ok(OperandArgument::Number(number));
        }
        // It has memory to share, but is a text and no numbers.
        if object.is_instance_of::<PyBytes>() {
            return Err(PyTypeError::new_err("an array or a number is needed here, not bytes"));
        }
        match exchange::adopt(&object) {
            Ok(array) => Ok(OperandArgument::Array(array)),
            Err(error) => match Number::derived(&object)? {
                Some(number) => Ok(OperandArgument::Number(number)),
                None => Err(error),
            },
        }
    }
}

/// An operand of a comparison: an integer of any size, for a large one is greater or smaller than
/// whatever an array holds.
pub struct ComparedArgument<'py>(pub OperandArgument<'py>);

impl<'py> Deref for ComparedArgument<'py> {
    type Target = OperandArgument<'py>;

    fn deref(&self) -> &OperandArgument<'py> {
        &self.0
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for ComparedArgument<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let given = OperandArgument::extract(object);
        if given.is_err() && object.is_exact_instance_of::<PyInt>() {
            // As a float it is still beyond all integers of 64 bits.
            let float = match object.extract::<f64>() {
                Ok(float) => float,
                Err(_) if object.lt(0)? => f64::NEG_INFINITY,
                Err(_) => f64::INFINITY,
            };
            return Ok(ComparedArgument(OperandArgument::Number(Number::Float(float))));
        }
        given.map(ComparedArgument)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for ArrayArgument<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        ArrayArgument::of(object.py(), OperandArgument::extract(object)?)
    }
}
