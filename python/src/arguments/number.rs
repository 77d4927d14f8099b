//! Python scalars.

use super::OperandArgument;
use belvedere::{Complex, DType, Operand, result_type_with};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};

/// A Python scalar. It is weakly typed: it takes the dtype of the array it is combined with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Bool(bool),
    /// In the range of `int64` or `uint64`.
    Int(i128),
    Float(f64),
    Complex(Complex<f64>),
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
    /// The dtype of an array made from it alone.
    pub fn dtype(self) -> DType {
        result_type_with(&[], &[self.into()]).expect("every number has a type")
    }

    /// The value, if it is an integer or a bool.
    pub fn integer(self) -> Option<i128> {
        match self {
            Number::Bool(value) => Some(value.into()),
            Number::Int(value) => Some(value),
            Number::Float(_) | Number::Complex(_) => None,
        }
    }

    /// The value, if it is not complex.
    pub fn real(self) -> Option<f64> {
        match self {
            Number::Float(value) => Some(value),
            Number::Complex(_) => None,
            other => other.integer().map(|it| it as f64),
        }
    }

    /// The value as a complex number.
    pub fn complex(self) -> Complex<f64> {
        match self {
            Number::Complex(value) => value,
            other => Complex::new(other.real().unwrap_or(f64::NAN), 0.0),
        }
    }

    /// Reads a scalar whose type is exactly one of Python's; NumPy scalars are 0-d arrays and keep their dtype.
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

    /// Reads a scalar of a subclass of Python's types, such as a member of an `IntEnum`.
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
            Err(_) => Err(PyOverflowError::new_err("Python integer does not fit in 64 bits")),
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
        Err(PyTypeError::new_err(format!("expected a number, got {name}")))
    }
}

/// A Python scalar, or the only element of a NumPy scalar or an array.
#[derive(Clone, Copy)]
pub(crate) struct OneNumber(pub Number);

impl<'a, 'py> FromPyObject<'a, 'py> for OneNumber {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match OperandArgument::extract(object)? {
            OperandArgument::Array(array) => array.get().number(object.py()).map(OneNumber),
            OperandArgument::Number(number) => Ok(OneNumber(number)),
        }
    }
}
