//! Python functions that tapes hold: in a way that the garbage collector sees.
//!
//! **The problem.** An entry of a tape holds a closure, which holds a Python function, which may refer to the tape. Python's
//! collector does not see what Rust holds, so such a cycle would never be freed.
//!
//! **The solution.** Each Python tape that records the call holds the function as an object that it shows to the collector
//! ([`TapeObject`]); the closure has a weak reference. Where another tape records as well, which exists only during a gradient, the
//! closure holds the function.

use crate::tape::TapeObject;
use pyo3::exceptions::PyRuntimeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};
use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

thread_local! {
    /// The tapes that this thread has entered; some may have ended on another thread.
    static ENTERED: RefCell<Vec<Py<PyWeakrefReference>>> = const { RefCell::new(Vec::new()) };
}

/// Notes that this thread has entered a tape.
pub(crate) fn note_entered(tape: &Bound<'_, TapeObject>) -> PyResult<()> {
    let reference = PyWeakrefReference::new(tape)?.unbind();
    let mut entered = ENTERED.take();
    entered.retain(|it| open_tape(tape.py(), it).is_some());
    entered.push(reference);
    ENTERED.set(entered);
    Ok(())
}

/// Returns a tape that was entered and not exited.
fn open_tape<'py>(
    py: Python<'py>,
    reference: &Py<PyWeakrefReference>,
) -> Option<Bound<'py, TapeObject>> {
    let tape = reference.bind(py).upgrade()?.cast_into::<TapeObject>().ok()?;
    Some(tape).filter(|it| it.get().is_entered())
}

/// Returns the Python tapes that record this thread.
fn recording_tapes(py: Python<'_>) -> Vec<Bound<'_, TapeObject>> {
    let mut found: Vec<Bound<'_, TapeObject>> = Vec::new();
    ENTERED.with_borrow(|entered| {
        for tape in entered.iter().filter_map(|it| open_tape(py, it)) {
            if tape.get().is_recording() && !found.iter().any(|it| it.is(&tape)) {
                found.push(tape);
            }
        }
    });
    found
}

/// A Python function that tapes hold.
#[pyclass(frozen, name = "_HeldFunction", module = "belvedere", weakref)]
pub(crate) struct HeldFunction {
    /// `None` once the collector has broken a cycle.
    function: Mutex<Option<Py<PyAny>>>,
}

#[pymethods]
impl HeldFunction {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.function.try_lock() {
            Ok(function) => visit.call(&*function),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let function = self.lock().take();
        drop(function);
    }
}

impl HeldFunction {
    pub(crate) fn new(py: Python<'_>, function: Py<PyAny>) -> PyResult<Bound<'_, HeldFunction>> {
        Bound::new(py, HeldFunction { function: Mutex::new(Some(function)) })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Py<PyAny>>> {
        self.function.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reference of an entry to a function.
pub(crate) enum FunctionReference {
    /// The tapes hold the function.
    Weak(Py<PyWeakrefReference>),
    Strong(Py<HeldFunction>),
}

impl FunctionReference {
    /// Makes the tapes that record this thread hold a function.
    pub(crate) fn new(py: Python<'_>, function: Py<PyAny>) -> PyResult<FunctionReference> {
        let held = HeldFunction::new(py, function)?;
        let tapes = recording_tapes(py);
        if tapes.is_empty() || tapes.len() < belvedere_grad::n_recording_tapes() {
            return Ok(FunctionReference::Strong(held.unbind()));
        }
        tapes.iter().for_each(|it| it.get().hold(held.clone().unbind()));
        Ok(FunctionReference::Weak(PyWeakrefReference::new(&held)?.unbind()))
    }

    /// Returns the function.
    ///
    /// # Errors
    /// If the collector has freed it, with all tapes that recorded it.
    pub(crate) fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let held = match self {
            FunctionReference::Strong(held) => Some(held.bind(py).clone()),
            FunctionReference::Weak(held) => {
                held.bind(py).upgrade().and_then(|it| it.cast_into::<HeldFunction>().ok())
            }
        };
        let function = held.and_then(|it| it.get().lock().as_ref().map(|it| it.clone_ref(py)));
        let freed = || PyRuntimeError::new_err("the tape was freed, and its functions with it");
        Ok(function.ok_or_else(freed)?.into_bound(py))
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<HeldFunction>()
}
