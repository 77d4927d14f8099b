//! Recording and forbidding copies: `with bv.copies() as log:` and `with bv.no_copies():`.
//!
//! Both apply to the thread that enters them. They may be exited in any order, by an exception, on another thread, or
//! never.

use crate::trace::{Recorded, TraceObject};
use belvedere::copies::{Allowed, Forbidden};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A context manager that forbids or allows copies.
#[pyclass(frozen, name = "CopyRule", module = "belvedere")]
pub(crate) struct CopyRule {
    is_forbidding: bool,
    /// One for each time it was entered and not exited.
    scopes: Mutex<Vec<Rule>>,
}

/// The scope of a rule, which ends when it is dropped.
enum Rule {
    Forbidden { _scope: Forbidden },
    Allowed { _scope: Allowed },
}

impl CopyRule {
    fn new(is_forbidding: bool) -> CopyRule {
        CopyRule { is_forbidding, scopes: Mutex::new(Vec::new()) }
    }

    fn scopes(&self) -> MutexGuard<'_, Vec<Rule>> {
        self.scopes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl CopyRule {
    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        let rule = match slf.get().is_forbidding {
            true => Rule::Forbidden { _scope: Forbidden::start() },
            false => Rule::Allowed { _scope: Allowed::start() },
        };
        slf.get().scopes().push(rule);
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) {
        let last = self.scopes().pop();
        drop(last);
    }
}

/// Returns a context manager that records the copies made by the thread that enters it.
///
/// >>> x = bv.zeros((2, 3))
/// >>> with bv.copies() as log:
/// ...     y = x.T.reshape(6)
/// >>> log[0].op, log[0].reason, log[0].bytes
/// ('reshape', 'the new shape has no strided view', 48)
#[pyfunction]
pub(crate) fn copies() -> TraceObject {
    TraceObject::new(Recorded::Copies)
}

/// Returns a context manager that turns implicit copies into errors.
///
/// Explicit copies (``copy``, ``astype``, ``tolist``, ``copy=True``) are still made.
///
/// >>> with bv.no_copies():
/// ...     y = bv.zeros((2, 3)).T.reshape(6)
/// Traceback (most recent call last):
/// belvedere.exceptions.CopyError: ...
#[pyfunction]
pub(crate) fn no_copies() -> CopyRule {
    CopyRule::new(true)
}

/// Returns a context manager that allows copies again inside ``no_copies``.
///
/// >>> with bv.no_copies(), bv.allow_copies():
/// ...     y = bv.zeros((2, 3)).T.reshape(6)
#[pyfunction]
pub(crate) fn allow_copies() -> CopyRule {
    CopyRule::new(false)
}
