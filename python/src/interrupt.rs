//! Interrupts (Ctrl-C) of long operations.
//!
//! Python runs signal handlers between instructions of its own, so an operation of seconds would delay them. A long
//! operation that the main thread runs detached asks here about every 50 ms whether SIGINT has arrived
//! ([`belvedere::interruptible`]). No handler runs meanwhile: it may use the very arrays that the operation has borrowed. If
//! the handler is Python's default, the operation is stopped, and raises the `KeyboardInterrupt` that the handler would
//! raise; another handler runs when the operation has ended, as it does in NumPy.

use belvedere::{Error, interruptible};
use pyo3::ffi::{
    PyErr_SetInterrupt, PyGILState_Ensure, PyGILState_Release, PyOS_InterruptOccurred,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

/// The main thread of the interpreter, the only one that handles signals. Empty if the module was imported by another.
static MAIN_THREAD: OnceLock<ThreadId> = OnceLock::new();

/// `signal.getsignal` and `signal.default_int_handler`, and the number of SIGINT.
static SIGNAL: PyOnceLock<(Py<PyAny>, Py<PyAny>, i32)> = PyOnceLock::new();

/// Remembers the thread that handles signals. Called when the module is imported.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    let (signal, threading) = (py.import("_signal")?, py.import("threading")?);
    let names = ["getsignal", "default_int_handler"].map(|name| signal.getattr(name));
    let [getsignal, default] = names;
    let entry = (getsignal?.unbind(), default?.unbind(), signal.getattr("SIGINT")?.extract()?);
    let _ = SIGNAL.set(py, entry);
    let [main, current] = ["main_thread", "current_thread"].map(|it| threading.call_method0(it));
    if main?.is(&current?) {
        MAIN_THREAD.get_or_init(|| thread::current().id());
    }
    Ok(())
}

/// Whether SIGINT has arrived during the operation of the main thread, and a handler of the program waits for its end.
static IS_DEFERRED: AtomicBool = AtomicBool::new(false);

/// Marks a deferred SIGINT as arrived when the operation has ended, also by a panic.
struct DeferredInterrupt;

impl Drop for DeferredInterrupt {
    fn drop(&mut self) {
        if IS_DEFERRED.swap(false, Ordering::Relaxed) {
            // SAFETY: it may be called at any time, attached or not.
            unsafe { PyErr_SetInterrupt() };
        }
    }
}

/// Runs an operation detached from the interpreter; on the main thread, Ctrl-C stops it.
///
/// # Errors
/// Those of the operation, and `Error::Interrupted`.
pub(crate) fn detach<T: Send>(
    py: Python<'_>,
    operation: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    match MAIN_THREAD.get() == Some(&thread::current().id()) {
        true => {
            let _deferred = DeferredInterrupt;
            py.detach(|| interruptible(is_interrupted, operation))
        }
        false => py.detach(operation),
    }
}

/// Returns whether SIGINT has arrived and Python's own handler would handle it.
///
/// Waiting to attach cannot deadlock, although the operation holds claims on memory: no thread waits for memory while it
/// is attached.
fn is_interrupted() -> bool {
    // Marked as arrived once, not at every question: each time is a byte for `signal.set_wakeup_fd`.
    if IS_DEFERRED.load(Ordering::Relaxed) {
        return false;
    }
    // SAFETY: the interpreter is initialized, because a function of its module is running. The thread is attached between the
    // two calls. `Python::attach` would also release objects that other threads have dropped, whose finalizers may use the
    // arrays that the operation has borrowed.
    unsafe {
        let state = PyGILState_Ensure();
        let is_interrupted = PyOS_InterruptOccurred() != 0 && {
            // The question has reset the signal.
            let is_default = has_default_handler(Python::assume_attached());
            IS_DEFERRED.store(!is_default, Ordering::Relaxed);
            is_default
        };
        PyGILState_Release(state);
        is_interrupted
    }
}

fn has_default_handler(py: Python<'_>) -> bool {
    let Some((getsignal, default, number)) = SIGNAL.get(py) else { return false };
    getsignal.call1(py, (*number,)).is_ok_and(|handler| handler.is(default))
}
