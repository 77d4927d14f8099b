//! `with bv.copies() as log:` and `with bv.no_copies():`.
//!
//! Both belong to the thread that enters them. They may be left in any order, by an exception, on
//! another thread or never.

use belvedere::copies::{Allowed, CallSite, CopyEvent, Forbidden, Recording, locate_callers};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyTuple};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A copy that was made: which operation, why, how many bytes, and the line that called it.
#[pyclass(frozen, name = "CopyEvent", module = "belvedere")]
struct CopyEventObject {
    event: CopyEvent,
}

#[pymethods]
impl CopyEventObject {
    /// The operation that made it.
    #[getter]
    fn op(&self) -> &'static str {
        self.event.op
    }

    /// Why, in words.
    #[getter]
    fn reason(&self) -> String {
        self.event.reason.to_string()
    }

    /// The bytes that were written.
    #[getter]
    fn bytes(&self) -> usize {
        self.event.bytes
    }

    /// The file of the line that called the operation.
    #[getter]
    fn file(&self) -> Option<&str> {
        self.event.call_site.as_ref().map(|it| it.file.as_str())
    }

    /// The number of that line.
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

/// The copies that were made inside of a ``with``: a list of events.
#[pyclass(frozen, name = "CopyLog", module = "belvedere")]
struct CopyLog {
    recordings: Mutex<Recordings>,
}

#[derive(Default)]
struct Recordings {
    /// One for each time that the log was entered.
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
            return Err(PyRuntimeError::new_err("this log is already listening"));
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

    /// The bytes of all copies together.
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

/// A rule about copies that holds inside of a ``with``.
#[pyclass(frozen, name = "CopyRule", module = "belvedere")]
struct CopyRule {
    is_forbidding: bool,
    /// As often as it was entered and not left.
    scopes: Mutex<Vec<Rule>>,
}

/// One scope; it ends when it is dropped.
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

/// Lists the copies that are made inside of a ``with``, by the thread that enters it.
///
/// >>> x = bv.zeros((2, 3))
/// >>> with bv.copies() as log:
/// ...     y = x.T.reshape(6)
/// >>> log[0].op, log[0].reason, log[0].bytes
/// ('reshape', 'the new shape has no strided view', 48)
#[pyfunction]
fn copies() -> CopyLog {
    CopyLog { recordings: Mutex::default() }
}

/// Inside of a ``with``, a copy that nobody asked for is an error.
///
/// What says that it copies (``copy``, ``astype``, ``tolist``) still does.
///
/// >>> with bv.no_copies():
/// ...     y = bv.zeros((2, 3)).T.reshape(6)
/// Traceback (most recent call last):
/// belvedere.exceptions.CopyError: ...
#[pyfunction]
fn no_copies() -> CopyRule {
    CopyRule::new(true)
}

/// Inside of a ``with``, copies are allowed again, in spite of a ``no_copies`` around it.
///
/// >>> with bv.no_copies(), bv.allow_copies():
/// ...     y = bv.zeros((2, 3)).T.reshape(6)
#[pyfunction]
fn allow_copies() -> CopyRule {
    CopyRule::new(false)
}

/// The line of Python that runs on this thread, as far as it is not our own.
pub fn place() -> Option<CallSite> {
    Python::try_attach(|py| line_of(py).ok())?
}

fn line_of(py: Python<'_>) -> PyResult<CallSite> {
    let mut frame = py.import("sys")?.call_method0("_getframe")?;
    loop {
        let module = frame.getattr("f_globals")?.get_item("__name__")?;
        let before = frame.getattr("f_back")?;
        if before.is_none() || !module.str()?.to_str()?.starts_with("belvedere.") {
            break;
        }
        frame = before;
    }
    let file = frame.getattr("f_code")?.getattr("co_filename")?.extract()?;
    Ok(CallSite { file, line: frame.getattr("f_lineno")?.extract()? })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // If somebody else in this process was asked before, so be it: their lines are true as well.
    locate_callers(place);
    module.add_class::<CopyEventObject>()?;
    module.add_class::<CopyLog>()?;
    module.add_function(wrap_pyfunction!(allow_copies, module)?)?;
    module.add_function(wrap_pyfunction!(copies, module)?)?;
    module.add_function(wrap_pyfunction!(no_copies, module)?)
}
