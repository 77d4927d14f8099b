//! What stands beside an array at an operator.

use super::{ComparedArgument, OperandArgument};
use crate::array::ArrayObject;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};

/// The other operand of an operator. What is none makes Python ask the other side: such an argument is
/// refused, and that becomes `NotImplemented`. An error in one that is an operand is kept until somebody
/// asks, so that it is raised.
pub struct Beside<'py>(PyResult<OperandArgument<'py>>);

/// The same at a comparison.
pub struct BesideCompared<'py>(PyResult<OperandArgument<'py>>);

impl<'py> Beside<'py> {
    pub fn operand(self) -> PyResult<OperandArgument<'py>> {
        self.0
    }
}

impl<'py> BesideCompared<'py> {
    pub fn operand(self) -> PyResult<OperandArgument<'py>> {
        self.0
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Beside<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        refuse(object)?;
        keep(object.py(), OperandArgument::extract(object)).map(Beside)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for BesideCompared<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        refuse(object)?;
        let given = ComparedArgument::extract(object).map(|ComparedArgument(operand)| operand);
        keep(object.py(), given).map(BesideCompared)
    }
}

/// Lets the other side know that it is asked, if it wants to be.
fn refuse(object: Borrowed<'_, '_, PyAny>) -> PyResult<()> {
    let is_known = object.is_exact_instance_of::<ArrayObject>()
        || object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_exact_instance_of::<PyComplex>();
    if !is_known && answers_itself(&object) {
        return Err(PyTypeError::new_err("it answers itself"));
    }
    Ok(())
}

/// Refuses what is no operand, and keeps other errors.
fn keep<T>(py: Python<'_>, given: PyResult<T>) -> PyResult<PyResult<T>> {
    match given {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => Err(error),
        other => Ok(other),
    }
}

/// Whether the other side has operators for arrays of all libraries: arrays of dask, tables of pandas
/// and masked arrays, which would lose what they are; not NumPy's arrays and scalars.
fn answers_itself(object: &Bound<'_, PyAny>) -> bool {
    let py = object.py();
    let Ok(answers) = object.getattr(intern!(py, "__array_ufunc__")) else { return false };
    let is_plain = object.hasattr(intern!(py, "__array_interface__")).unwrap_or(false);
    let priority = object.getattr(intern!(py, "__array_priority__"));
    let priority = priority.and_then(|it| it.extract::<f64>());
    answers.is_none() || !is_plain || priority.is_ok_and(|it| it > 0.0)
}
