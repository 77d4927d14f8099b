//! Operands: arrays and Python scalars.
//!
//! [`OperandArgument`] is the one type from the Python argument to the call of the core. Functions extract it by
//! [`FromPyObject`]; operators by [`operator_operand`], which leaves objects with operators of their own to Python;
//! comparisons by [`compared_operand`] and [`compared_operator_operand`], which accept integers of any size.

use super::Number;
use crate::array::{Array, ArrayObject};
use crate::error::raise;
use crate::exchange;
use belvedere::{DType, Operand, Tensor, copies};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt};

/// An operand of an operation: an array, or a Python scalar.
///
/// It can be used while detached from the interpreter: an array is immutable and is reached through its pointer.
pub enum OperandArgument {
    Array(Py<ArrayObject>),
    Number(Number),
}

impl OperandArgument {
    /// The number of elements, as an estimate of the work.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            OperandArgument::Array(array) => array.get().tensor().len(),
            OperandArgument::Number(_) => 1,
        }
    }

    /// Whether it is a bool or an array of bools.
    pub(crate) fn is_bool(&self) -> bool {
        match self {
            OperandArgument::Array(array) => array.get().tensor().dtype().is_bool(),
            OperandArgument::Number(number) => matches!(number, Number::Bool(_)),
        }
    }

    /// The same operand once more.
    pub(crate) fn clone_ref(&self, py: Python<'_>) -> OperandArgument {
        match self {
            OperandArgument::Array(array) => OperandArgument::Array(array.clone_ref(py)),
            OperandArgument::Number(number) => OperandArgument::Number(*number),
        }
    }

    /// The value, if it is a number or an array without axes.
    pub(crate) fn one(&self, py: Python<'_>) -> PyResult<Option<Number>> {
        match self {
            OperandArgument::Number(number) => Ok(Some(*number)),
            OperandArgument::Array(array) if array.get().tensor().rank() == 0 => {
                array.get().number(py).map(Some)
            }
            OperandArgument::Array(_) => Ok(None),
        }
    }
}

impl<'a> From<&'a OperandArgument> for Operand<'a> {
    #[inline]
    fn from(operand: &'a OperandArgument) -> Operand<'a> {
        match operand {
            OperandArgument::Array(array) => array.get().tensor().into(),
            OperandArgument::Number(number) => (*number).into(),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for OperandArgument {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.cast_exact::<ArrayObject>() {
            return Ok(OperandArgument::Array(array.to_owned().unbind()));
        }
        if let Some(number) = Number::exact(&object)? {
            return Ok(OperandArgument::Number(number));
        }
        extract_other(&object)
    }
}

/// Extracts an operand that is neither an array of ours nor exactly a Python scalar.
#[cold]
fn extract_other(object: &Bound<'_, PyAny>) -> PyResult<OperandArgument> {
    // Bytes export a buffer, but they are text.
    if object.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err("expected an array or a number, got bytes"));
    }
    match exchange::adopt(object) {
        Ok(array) => Ok(OperandArgument::Array(array.unbind())),
        Err(error) => match Number::derived(object)? {
            Some(number) => Ok(OperandArgument::Number(number)),
            None => Err(error),
        },
    }
}

/// Extracts an operand of a comparison. An integer may have any size: beyond 64 bits it is greater or less than
/// every element.
pub(crate) fn compared_operand(object: &Bound<'_, PyAny>) -> PyResult<OperandArgument> {
    match object.extract() {
        Err(_) if object.is_exact_instance_of::<PyInt>() => {
            // Rounded to a float it is still beyond all integers of 64 bits.
            let float = match object.extract::<f64>() {
                Ok(float) => float,
                Err(_) if object.lt(0)? => f64::NEG_INFINITY,
                Err(_) => f64::INFINITY,
            };
            Ok(OperandArgument::Number(Number::Float(float)))
        }
        extracted => extracted,
    }
}

/// Extracts the other operand of an operator.
///
/// The outer error becomes `NotImplemented`, so that Python asks the other operand: it is no operand, or has operators
/// for arrays of all libraries. The inner error is one of a valid operand, and is raised.
#[inline]
pub(crate) fn operator_operand(object: &Bound<'_, PyAny>) -> PyResult<PyResult<OperandArgument>> {
    match object.cast_exact::<ArrayObject>() {
        Ok(array) => Ok(Ok(OperandArgument::Array(array.clone().unbind()))),
        Err(_) => scalar_or_foreign(object, |object| object.extract()),
    }
}

/// Extracts the other operand of a comparison operator, as [`operator_operand`] does.
#[inline]
pub(crate) fn compared_operator_operand(
    object: &Bound<'_, PyAny>,
) -> PyResult<PyResult<OperandArgument>> {
    match object.cast_exact::<ArrayObject>() {
        Ok(array) => Ok(Ok(OperandArgument::Array(array.clone().unbind()))),
        Err(_) => scalar_or_foreign(object, compared_operand),
    }
}

/// Extracts an operand of an operator that is not an array of ours.
#[inline]
fn scalar_or_foreign(
    object: &Bound<'_, PyAny>,
    extract: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<OperandArgument>,
) -> PyResult<PyResult<OperandArgument>> {
    // A Python integer of more than 64 bits is no number here, and an operand of comparisons only.
    let number = Number::exact(object);
    if let Ok(Some(number)) = number {
        return Ok(Ok(OperandArgument::Number(number)));
    }
    if number.is_ok() && implements_operators(object) {
        return Err(PyTypeError::new_err("the other operand implements the operator"));
    }
    match extract(object) {
        // It is no operand.
        Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => Err(error),
        extracted => Ok(extracted),
    }
}

/// Whether an object implements operators with arrays of other libraries: dask arrays, pandas tables and masked arrays,
/// which are more than their memory; not NumPy's arrays and scalars.
fn implements_operators(object: &Bound<'_, PyAny>) -> bool {
    let py = object.py();
    let Ok(ufunc) = object.getattr(intern!(py, "__array_ufunc__")) else { return false };
    let is_plain = object.hasattr(intern!(py, "__array_interface__")).unwrap_or(false);
    let priority = object.getattr(intern!(py, "__array_priority__"));
    let priority = priority.and_then(|it| it.extract::<f64>());
    ufunc.is_none() || !is_plain || priority.is_ok_and(|it| it > 0.0)
}

/// An array; a Python scalar becomes a 0-d array, and memory of other libraries is shared.
pub(crate) struct ArrayArgument<'py>(pub Bound<'py, ArrayObject>);

impl<'py> ArrayArgument<'py> {
    /// The operand as an array.
    pub(crate) fn from_operand(
        py: Python<'py>,
        operand: OperandArgument,
    ) -> PyResult<ArrayArgument<'py>> {
        match operand {
            OperandArgument::Array(array) => Ok(ArrayArgument(array.into_bound(py))),
            OperandArgument::Number(number) => {
                Array::from_number(number)?.object(py).map(ArrayArgument)
            }
        }
    }

    #[inline]
    pub(crate) fn tensor(&self) -> &Tensor {
        self.0.get().tensor()
    }
}

/// An array of indices. Bools are 0 and 1; so are integers in lists of floats, and an empty list.
pub(crate) struct IndicesArgument<'py>(ArrayArgument<'py>);

impl IndicesArgument<'_> {
    #[inline]
    pub(crate) fn tensor(&self) -> &Tensor {
        self.0.tensor()
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for IndicesArgument<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let array: ArrayArgument<'_> = object.extract()?;
        let tensor = array.tensor();
        let is_own = array.0.is(&object);
        let integers = || match tensor.dtype() {
            DType::Bool => tensor.astype(DType::Int64),
            // Lists and numbers have no dtype of their own.
            DType::Float64 if !is_own => {
                let integers = tensor.astype(DType::Int64)?;
                match integers.equal(tensor)?.all(())?.to_vec::<bool>()? == [true] {
                    true => Ok(integers),
                    false => Ok(tensor.clone()),
                }
            }
            _ => Ok(tensor.clone()),
        };
        let integers = copies::allow(integers).map_err(raise)?;
        Array::from(integers).object(object.py()).map(|it| IndicesArgument(ArrayArgument(it)))
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for ArrayArgument<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.cast_exact::<ArrayObject>() {
            return Ok(ArrayArgument(array.to_owned()));
        }
        ArrayArgument::from_operand(object.py(), object.extract()?)
    }
}
