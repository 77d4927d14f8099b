//! What stands beside an array at an operator.

use super::OperandArgument;
use crate::array::Array;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// The other operand of an operator. What is none makes Python ask the other side: such an argument is
/// refused, and that becomes `NotImplemented`. An error in one that is an operand is kept until somebody
/// asks, so that it is raised.
pub struct Beside<'py>(PyResult<OperandArgument<'py>>);

impl<'py> Beside<'py> {
    pub fn operand(self) -> PyResult<OperandArgument<'py>> {
        self.0
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Beside<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.cast_exact::<Array>() {
            return Ok(Beside(Ok(OperandArgument::Array(array.to_owned()))));
        }
        if answers_itself(&object) {
            return Err(PyTypeError::new_err("it answers itself"));
        }
        match OperandArgument::extract(object) {
            Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => Err(error),
            other => Ok(Beside(other)),
        }
    }
}

/// Whether the other side has operators for arrays of all libraries: arrays of dask, tables of pandas
/// and masked arrays, which would lose what they are; not NumPy's arrays and scalars.
fn answers_itself(object: &Bound<'_, PyAny>) -> bool {
    let Ok(answers) = object.getattr("__array_ufunc__") else { return false };
    let is_plain = object.hasattr("__array_interface__").unwrap_or(false);
    let priority = object.getattr("__array_priority__").and_then(|it| it.extract::<f64>());
    answers.is_none() || !is_plain || priority.is_ok_and(|it| it > 0.0)
}
