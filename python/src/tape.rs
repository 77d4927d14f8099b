//! Gradients: what `belvedere/_functions/gradients.py` needs of the crate `belvedere-grad`.
//!
//! A tape records the thread that enters it. It may be exited by an exception, on another thread, or never.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run_detached;
use crate::error::raise;
use crate::held::{self, HeldFunction};
use belvedere::Tensor;
use belvedere_grad::{GradientError, NoTapeScope, Report, ReportLine, SavedCopy, Tape, TapeScope};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns the tensors of arrays.
pub(crate) fn tensors_of(arrays: &[ArrayArgument<'_>]) -> Vec<Tensor> {
    arrays.iter().map(|it| it.tensor().clone()).collect()
}

fn lock<T>(scopes: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    scopes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A record of operations on arrays.
#[pyclass(frozen, name = "_Tape", module = "belvedere", weakref)]
pub(crate) struct TapeObject {
    tape: Tape,
    /// One for each time it was entered and not exited.
    scopes: Mutex<Vec<TapeScope>>,
    /// The functions that its entries call, until it is consumed.
    functions: Mutex<Vec<Py<HeldFunction>>>,
    is_persistent: bool,
}

impl TapeObject {
    /// Checks that arrays are watched, before a gradient consumes what was recorded.
    fn check_watched(&self, arrays: &[Tensor]) -> Result<(), belvedere::Error> {
        arrays.iter().try_for_each(|it| self.tape.check_watched(it))
    }

    /// Returns whether it was entered and not exited.
    pub(crate) fn is_entered(&self) -> bool {
        !lock(&self.scopes).is_empty()
    }

    /// Returns whether it records the calling thread.
    pub(crate) fn is_recording(&self) -> bool {
        self.tape.is_recording()
    }

    /// Keeps a function alive that an entry calls.
    pub(crate) fn hold(&self, function: Py<HeldFunction>) {
        lock(&self.functions).push(function);
    }

    /// Drops the functions after a gradient has consumed the entries.
    fn drop_functions(&self) {
        if !self.is_persistent {
            self.__clear__();
        }
    }
}

#[pymethods]
impl TapeObject {
    #[new]
    fn new(is_persistent: bool, finds_anomalies: bool) -> TapeObject {
        let tape = if is_persistent { Tape::persistent() } else { Tape::new() };
        let tape = if finds_anomalies { tape.with_anomalies() } else { tape };
        TapeObject { tape, scopes: Mutex::default(), functions: Mutex::default(), is_persistent }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.functions.try_lock() {
            Ok(functions) => functions.iter().try_for_each(|it| visit.call(it)),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let functions = std::mem::take(&mut *lock(&self.functions));
        drop(functions);
    }

    /// Begins to record this thread.
    fn enter(slf: &Bound<'_, Self>) -> PyResult<()> {
        lock(&slf.get().scopes).push(slf.get().tape.start());
        held::note_entered(slf)
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
            self.check_watched(&arrays)?;
            let grads = self.tape.backward(&result)?;
            arrays.iter().map(|it| grads.wrt(it)).collect::<Result<Vec<Tensor>, _>>()
        })?;
        self.drop_functions();
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
            self.check_watched(&arrays)?;
            let grads = self.tape.backward_from(&pairs)?;
            arrays.iter().map(|it| grads.wrt(it)).collect::<Result<Vec<Tensor>, _>>()
        })?;
        self.drop_functions();
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

    /// Returns what the tape holds.
    fn report(&self, py: Python<'_>) -> TapeReportObject {
        TapeReportObject { report: py.detach(|| self.tape.report()) }
    }
}

/// What a tape held at a moment.
#[pyclass(frozen, name = "_TapeReport", module = "belvedere")]
pub(crate) struct TapeReportObject {
    report: Report,
}

#[pymethods]
impl TapeReportObject {
    /// Returns a table with a row for each source line, and one for each copy.
    fn text(&self) -> String {
        self.report.to_string()
    }

    /// Returns pictures of the storages as SVG.
    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| self.report.draw().to_svg())
    }

    /// Returns a dict for each operation and source line.
    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let dict_of = |it: &ReportLine| {
            let dict = PyDict::new(py);
            dict.set_item("op", it.op)?;
            dict.set_item("line", &it.line)?;
            dict.set_item("entries", it.entries)?;
            dict.set_item("leases", it.leases)?;
            dict.set_item("leased_bytes", it.leased_bytes)?;
            dict.set_item("copied_bytes", it.copied_bytes)?;
            Ok(dict)
        };
        self.report.lines.iter().map(dict_of).collect()
    }

    /// Returns a dict for each write that has overwritten saved elements.
    fn copies<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let dict_of = |it: &SavedCopy| {
            let dict = PyDict::new(py);
            dict.set_item("op", it.op)?;
            dict.set_item("line", &it.line)?;
            dict.set_item("saved_by", &it.saved_by)?;
            dict.set_item("bytes", it.bytes)?;
            Ok(dict)
        };
        self.report.copies.iter().map(dict_of).collect()
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
    module.add_class::<TapeReportObject>()?;
    module.add_class::<NoTapeObject>()
}
