//! Conversion of errors to the exceptions that NumPy would raise.

use crate::copies;
use belvedere::{Error, ErrorKind};
use pyo3::exceptions::{
    PyBufferError, PyIndexError, PyMemoryError, PyOverflowError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The exceptions of `belvedere/exceptions.py`, which are subclasses of Python's.
#[derive(Clone, Copy)]
enum Own {
    Axis,
    Copy,
    LinAlg,
    Unsupported,
}

/// Converts an error to an exception with the same message.
pub(crate) fn raise(error: Error) -> PyErr {
    let error = match error {
        Error::Io(error) => return error.into(),
        other => other,
    };
    let message = error.to_string();
    match error {
        Error::Matrix { .. } => return own(Own::LinAlg, message),
        Error::Npy(_) => return PyValueError::new_err(message),
        Error::ScalarRange { .. } => return PyOverflowError::new_err(message),
        _ => {}
    }
    match error.kind() {
        ErrorKind::Axis => own(Own::Axis, message),
        ErrorKind::Index => PyIndexError::new_err(message),
        ErrorKind::Shape
        | ErrorKind::Value
        | ErrorKind::View
        | ErrorKind::Limit
        | ErrorKind::Pattern
        | ErrorKind::Borrow => PyValueError::new_err(message),
        ErrorKind::DType => PyTypeError::new_err(message),
        ErrorKind::Unsupported => own(Own::Unsupported, message),
        ErrorKind::Memory => PyMemoryError::new_err(message),
        ErrorKind::Copy => match copies::place() {
            Some(place) => own(Own::Copy, format!("{message} ({place})")),
            None => own(Own::Copy, message),
        },
        ErrorKind::Io => PyBufferError::new_err(message),
    }
}

/// The exception for a copy that is needed and forbidden.
pub(crate) fn copy_needed(why: &str) -> PyErr {
    own(Own::Copy, why.to_string())
}

fn own(which: Own, message: String) -> PyErr {
    static AXIS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static COPY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static LINALG: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static UNSUPPORTED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (cell, name) = match which {
        Own::Axis => (&AXIS, "AxisError"),
        Own::Copy => (&COPY, "CopyError"),
        Own::LinAlg => (&LINALG, "LinAlgError"),
        Own::Unsupported => (&UNSUPPORTED, "UnsupportedError"),
    };
    Python::attach(|py| match cell.import(py, "belvedere.exceptions", name) {
        Ok(class) => PyErr::from_type(class.clone(), message),
        Err(error) => error,
    })
}
