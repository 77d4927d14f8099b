//! Recording and forbidding copies: `with bv.copies() as log:` and `with bv.no_copies():`.
//!
//! Both apply to the thread that enters them. They may be exited in any order, by an exception, on another thread, or
//! never.

use belvedere::copies::{Allowed, CopyEvent, Forbidden, Recording};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyTuple};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A copy that was made: the operation, the reason, the bytes, and the line that called it.
#[pyclass(frozen, name = "CopyEvent", module = "belvedere")]
struct CopyEventObject {
    event: CopyEvent,
}

#[pymethods]
impl CopyEventObject {
    /// Returns the name of the operation that made it.
    #[getter]
    fn op(&self) -> &'static str {
        self.event.op
    }

    /// Returns the reason as text.
    #[getter]
    fn reason(&self) -> String {
        self.event.reason.to_string()
    }

    /// Returns the bytes that were written.
    #[getter]
    fn bytes(&self) -> usize {
        self.event.bytes
    }

    /// Returns the file that called the operation.
    #[getter]
    fn file(&self) -> Option<&str> {
        self.event.call_site.as_ref().map(|it| &*it.file)
    }

    /// Returns the line that called the operation.
    #[getter]
    fn line(&self) -> Option<u32> {
        self.event.call_site.as_ref().map(|it| it.line)
    }

    fn __str__(&self) -> String {
        self.event.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.event)
    }
}

/// The copies that were made inside a ``with`` block: a sequence of events.
#[pyclass(frozen, name = "CopyLog", module = "belvedere")]
pub(crate) struct CopyLog {
    recordings: Mutex<Recordings>,
}

#[derive(Default)]
struct Recordings {
    /// One for each time the log was entered.
    all: Vec<Recording>,
    is_open: bool,
}

impl CopyLog {
    fn recordings(&self) -> MutexGuard<'_, Recordings> {
        self.recordings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn events(&self) -> Vec<CopyEvent> {
        self.recordings().all.iter().flat_map(Recording::events).collect()
    }

    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let events = self.events().into_iter().map(|event| CopyEventObject { event });
        let events = events.map(|it| Bound::new(py, it)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, events)
    }
}

#[pymethods]
impl CopyLog {
    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        let mut recordings = slf.get().recordings();
        if recordings.is_open {
            return Err(PyRuntimeError::new_err("the log is already recording"));
        }
        recordings.is_open = true;
        recordings.all.push(Recording::start());
        drop(recordings);
        Ok(slf)
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) {
        let mut recordings = self.recordings();
        recordings.is_open = false;
        recordings.all.iter().for_each(Recording::end);
    }

    /// Returns the bytes of all copies.
    #[getter]
    fn bytes(&self) -> usize {
        self.events().iter().fold(0, |sum, event| sum.saturating_add(event.bytes))
    }

    fn __len__(&self) -> usize {
        self.events().len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.list(py)?.as_any().get_item(index)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.list(py)?.try_iter()
    }

    fn __str__(&self) -> String {
        let lines: Vec<String> = self.events().iter().map(CopyEvent::to_string).collect();
        lines.join("\n")
    }

    fn __repr__(&self) -> String {
        let events = self.events();
        let bytes = events.iter().fold(0usize, |sum, event| sum.saturating_add(event.bytes));
        let s = if events.len() == 1 { "copy" } else { "copies" };
        format!("<CopyLog: {} {s}, {bytes} bytes>", events.len())
    }
}

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
pub(crate) fn copies() -> CopyLog {
    CopyLog { recordings: Mutex::default() }
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

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<CopyEventObject>()?;
    module.add_class::<CopyLog>()
}
