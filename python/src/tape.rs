//! Gradients: what `belvedere/_functions/gradients.py` needs of the crate `belvedere-grad`.
//!
//! A tape records the thread that enters it. It may be exited by an exception, on another thread, or never.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run_detached;
use crate::error::raise;
use belvedere::Tensor;
use belvedere_grad::{NoTapeScope, Tape, TapeScope};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

fn lock<T>(scopes: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    scopes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A record of operations on arrays.
#[pyclass(frozen, name = "_Tape", module = "belvedere")]
pub(crate) struct TapeObject {
    tape: Tape,
    /// One for each time it was entered and not exited.
    scopes: Mutex<Vec<TapeScope>>,
}

#[pymethods]
impl TapeObject {
    #[new]
    fn new(is_persistent: bool) -> TapeObject {
        let tape = if is_persistent { Tape::persistent() } else { Tape::new() };
        TapeObject { tape, scopes: Mutex::default() }
    }

    /// Begins to record this thread.
    fn enter(&self) {
        lock(&self.scopes).push(self.tape.start());
    }

    /// Ends what was begun last.
    fn exit(&self) {
        let last = lock(&self.scopes).pop();
        drop(last);
    }

    /// Asks for the gradient of an array as it is now.
    fn watch(&self, x: ArrayArgument<'_>) -> PyResult<()> {
        self.tape.watch(x.tensor()).map_err(raise)
    }

    /// Returns the gradients of a result with respect to arrays; of `sum(seed * result)` if there is a seed.
    fn gradients(
        &self,
        py: Python<'_>,
        result: ArrayArgument<'_>,
        arrays: Vec<ArrayArgument<'_>>,
        seed: Option<ArrayArgument<'_>>,
    ) -> PyResult<Vec<Array>> {
        let (result, seed) = (result.tensor().clone(), seed.map(|it| it.tensor().clone()));
        let arrays: Vec<Tensor> = arrays.iter().map(|it| it.tensor().clone()).collect();
        let gradients = run_detached(py, || {
            let grads = match &seed {
                Some(seed) => self.tape.backward_with(&result, seed)?,
                None => self.tape.backward(&result)?,
            };
            arrays.iter().map(|it| grads.wrt(it)).collect::<Result<Vec<Tensor>, _>>()
        })?;
        Ok(gradients.into_iter().map(Array::from).collect())
    }

    /// Returns what the tape holds, as text.
    fn report(&self) -> String {
        self.tape.report().to_string()
    }
}

/// A context manager inside of which no tape records.
#[pyclass(frozen, name = "_NoTape", module = "belvedere")]
#[derive(Default)]
pub(crate) struct NoTapeObject {
    /// One for each time it was entered and not exited.
    scopes: Mutex<Vec<NoTapeScope>>,
}

#[pymethods]
impl NoTapeObject {
    #[new]
    fn new() -> NoTapeObject {
        NoTapeObject::default()
    }

    /// Begins to hide this thread from all tapes.
    fn enter(&self) {
        lock(&self.scopes).push(NoTapeScope::start());
    }

    /// Ends what was begun last.
    fn exit(&self) {
        let last = lock(&self.scopes).pop();
        drop(last);
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<TapeObject>()?;
    module.add_class::<NoTapeObject>()
}
