//! Gradients: what `belvedere/_functions/gradients.py` needs of the crate `belvedere-grad`.
//!
//! A tape records the thread that enters it. It may be exited by an exception, on another thread, or never.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run_detached;
use crate::error::raise;
use belvedere::Tensor;
use belvedere_grad::{GradientError, NoTapeScope, Tape, TapeScope};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns the tensors of arrays.
pub(crate) fn tensors_of(arrays: &[ArrayArgument<'_>]) -> Vec<Tensor> {
    arrays.iter().map(|it| it.tensor().clone()).collect()
}

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
    fn new(is_persistent: bool, finds_anomalies: bool) -> TapeObject {
        let tape = if is_persistent { Tape::persistent() } else { Tape::new() };
        let tape = if finds_anomalies { tape.with_anomalies() } else { tape };
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

    /// Returns the gradients of a result with respect to arrays.
    fn gradients(
        &self,
        py: Python<'_>,
        result: ArrayArgument<'_>,
        arrays: Vec<ArrayArgument<'_>>,
    ) -> PyResult<Vec<Array>> {
        let (result, arrays) = (result.tensor().clone(), tensors_of(&arrays));
        let gradients = run_detached(py, || {
            let grads = self.tape.backward(&result)?;
            arrays.iter().map(|it| grads.wrt(it)).collect::<Result<Vec<Tensor>, _>>()
        })?;
        Ok(gradients.into_iter().map(Array::from).collect())
    }

    /// Returns the gradients of the sum of ``sum(seed * result)`` over results.
    fn gradients_with(
        &self,
        py: Python<'_>,
        results: Vec<ArrayArgument<'_>>,
        arrays: Vec<ArrayArgument<'_>>,
        seeds: Vec<ArrayArgument<'_>>,
    ) -> PyResult<Vec<Array>> {
        let (needed, given) = (results.len(), seeds.len());
        if needed != given {
            return Err(raise(GradientError::TangentCount { needed, given }.into()));
        }
        let (results, arrays) = (tensors_of(&results), tensors_of(&arrays));
        let seeds = tensors_of(&seeds);
        let gradients = run_detached(py, || {
            let pairs: Vec<_> = results.iter().zip(&seeds).collect();
            let grads = self.tape.backward_from(&pairs)?;
            arrays.iter().map(|it| grads.wrt(it)).collect::<Result<Vec<Tensor>, _>>()
        })?;
        Ok(gradients.into_iter().map(Array::from).collect())
    }

    /// Returns the derivatives of results in the direction of tangents of arrays.
    fn jvp(
        &self,
        py: Python<'_>,
        results: Vec<ArrayArgument<'_>>,
        arrays: Vec<ArrayArgument<'_>>,
        tangents: Vec<ArrayArgument<'_>>,
    ) -> PyResult<Vec<Array>> {
        let [results, arrays, tangents] = [results, arrays, tangents].map(|it| tensors_of(&it));
        let derivatives = run_detached(py, || {
            let [results, arrays, tangents] =
                [&results, &arrays, &tangents].map(|it| it.iter().collect::<Vec<_>>());
            self.tape.jvp(&results, &arrays, &tangents)
        })?;
        Ok(derivatives.into_iter().map(Array::from).collect())
    }

    /// Returns the Jacobian of each result with respect to each array.
    fn jacobian(
        &self,
        py: Python<'_>,
        results: Vec<ArrayArgument<'_>>,
        arrays: Vec<ArrayArgument<'_>>,
    ) -> PyResult<Vec<Vec<Array>>> {
        let [results, arrays] = [results, arrays].map(|it| tensors_of(&it));
        let blocks = run_detached(py, || {
            let [results, arrays] = [&results, &arrays].map(|it| it.iter().collect::<Vec<_>>());
            self.tape.jacobian(&results, &arrays)
        })?;
        let row = |it: Vec<Tensor>| it.into_iter().map(Array::from).collect();
        Ok(blocks.into_iter().map(row).collect())
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
