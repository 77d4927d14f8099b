//! Conversion of errors to the exceptions that NumPy would raise.

use crate::chapter::elementwise::show_shape;
use crate::trace;
use belvedere::{Error, ErrorKind, LayoutError};
use pyo3::exceptions::{
    PyBufferError, PyIndexError, PyKeyboardInterrupt, PyMemoryError, PyOverflowError, PyTypeError,
    PyValueError,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The exceptions of `belvedere/exceptions.py`, which are subclasses of Python's.
#[derive(Clone, Copy)]
enum OwnException {
    Axis,
    Copy,
    LinAlg,
    Unsupported,
}

/// Converts an error to an exception with the same message.
pub(crate) fn raise(error: Error) -> PyErr {
    let error = match error {
        Error::Io(error) => return error.into(),
        // An exception of Python code that the operation has called.
        Error::Refused { kind, reason } => match reason.downcast::<PyErr>() {
            Ok(exception) => return *exception,
            Err(reason) => Error::Refused { kind, reason },
        },
        other => other,
    };
    let message = error.to_string();
    match error {
        Error::Matrix { .. } => return own_exception(OwnException::LinAlg, message),
        Error::Npy(_) => return PyValueError::new_err(message),
        Error::ScalarRange { .. } => return PyOverflowError::new_err(message),
        _ => {}
    }
    match error.kind() {
        ErrorKind::Axis => own_exception(OwnException::Axis, message),
        ErrorKind::Index => PyIndexError::new_err(message),
        ErrorKind::Shape
        | ErrorKind::Value
        | ErrorKind::View
        | ErrorKind::Limit
        | ErrorKind::Pattern
        | ErrorKind::Borrow => PyValueError::new_err(message),
        ErrorKind::DType => PyTypeError::new_err(message),
        ErrorKind::Unsupported => own_exception(OwnException::Unsupported, message),
        ErrorKind::Memory => PyMemoryError::new_err(message),
        ErrorKind::Interrupted => PyKeyboardInterrupt::new_err(()),
        ErrorKind::Copy => match trace::locate() {
            Some(call_site) => {
                own_exception(OwnException::Copy, format!("{message} ({call_site})"))
            }
            None => own_exception(OwnException::Copy, message),
        },
        ErrorKind::Io => PyBufferError::new_err(message),
    }
}

/// Converts an error of an operation on several operands to an exception. That of shapes that do not broadcast names all.
#[cold]
pub(crate) fn raise_for_shapes(error: Error, shapes: &[&[usize]]) -> PyErr {
    match error {
        Error::Layout(LayoutError::DoesNotBroadcast { .. }) => {
            let shapes: Vec<_> = shapes.iter().map(|shape| show_shape(shape)).collect();
            let shapes = shapes.join(" and ");
            PyValueError::new_err(format!("shapes {shapes} could not be broadcast: {error}"))
        }
        _ => raise(error),
    }
}

/// Converts an error of an assignment to an exception. That of a value that does not broadcast names both shapes.
#[cold]
pub(crate) fn raise_for_assignment(error: Error, value: &[usize], target: &[usize]) -> PyErr {
    match error {
        Error::Layout(LayoutError::DoesNotBroadcast { .. }) => {
            let (value, target) = (show_shape(value), show_shape(target));
            PyValueError::new_err(format!(
                "a value of shape {value} does not broadcast to shape {target}"
            ))
        }
        _ => raise(error),
    }
}

/// The exception for a copy that is needed and forbidden.
pub(crate) fn copy_needed(why: &str) -> PyErr {
    own_exception(OwnException::Copy, why.to_string())
}

fn own_exception(which: OwnException, message: String) -> PyErr {
    static AXIS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static COPY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static LINALG: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static UNSUPPORTED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (cell, name) = match which {
        OwnException::Axis => (&AXIS, "AxisError"),
        OwnException::Copy => (&COPY, "CopyError"),
        OwnException::LinAlg => (&LINALG, "LinAlgError"),
        OwnException::Unsupported => (&UNSUPPORTED, "UnsupportedError"),
    };
    Python::attach(|py| match cell.import(py, "belvedere.exceptions", name) {
        Ok(class) => PyErr::from_type(class.clone(), message),
        Err(error) => error,
    })
}
