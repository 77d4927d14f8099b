//! Tracing: `with bv.trace() as t:` records what every operation does to memory.
//!
//! A trace applies to the thread that enters it, or to all threads. It may be exited by an exception, on another
//! thread, or never. `bv.copies()` is a trace of the copies alone.

mod event;
mod source;

use belvedere::trace::{Event, EventKind, Recorder, Trace, locate_callers};
use belvedere_explain::Report;
use belvedere_explain::report::{self, ReportOptions, draw};
use belvedere_explain::traced;
pub(crate) use event::EventObject;
use event::{event_dict, event_objects};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyTuple};
use source::Sources;
pub(crate) use source::locate;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a trace records.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recorded {
    /// The operations of the thread that enters it.
    Thread,
    /// The operations of all threads.
    AllThreads,
    /// The copies of the thread that enters it.
    Copies,
}

/// The operations inside a ``with`` block, or the copies among them.
#[pyclass(frozen, name = "Trace", module = "belvedere")]
pub(crate) struct TraceObject {
    recorded: Recorded,
    recorders: Mutex<Recorders>,
}

#[derive(Default)]
struct Recorders {
    /// One for each time the trace was entered.
    all: Vec<Recorder>,
    is_open: bool,
}

impl TraceObject {
    pub(crate) fn new(recorded: Recorded) -> TraceObject {
        TraceObject { recorded, recorders: Mutex::default() }
    }

    fn recorders(&self) -> MutexGuard<'_, Recorders> {
        self.recorders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn traces(&self) -> Vec<Trace> {
        self.recorders().all.iter().map(Recorder::trace).collect()
    }

    fn events(&self) -> Vec<Event> {
        self.traces().iter().flat_map(|it| it.events().to_vec()).collect()
    }

    /// Returns the operations that the program called; of a recording of copies, all of them.
    fn shown(&self) -> Vec<Event> {
        let is_shown = |it: &Event| it.depth == 0 || self.recorded == Recorded::Copies;
        self.events().into_iter().filter(is_shown).collect()
    }

    /// Formats a line for each copy.
    fn list_copies(&self) -> String {
        let lines: Vec<String> = self.shown().iter().map(Event::to_string).collect();
        lines.join("\n")
    }

    /// Returns the operations that the program called as a report, with the source text of each.
    fn report(&self, py: Python<'_>) -> PyResult<Report> {
        let mut sources = Sources::new(py)?;
        let mut steps = Vec::new();
        for trace in self.traces() {
            let report = traced::report(&trace, |event| sources.text(event));
            steps.extend(report.steps);
        }
        Ok(Report { source: String::new(), steps })
    }
}

#[pymethods]
impl TraceObject {
    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        let mut recorders = slf.get().recorders();
        if recorders.is_open {
            return Err(PyRuntimeError::new_err("the trace is already recording"));
        }
        recorders.is_open = true;
        recorders.all.push(match slf.get().recorded {
            Recorded::Thread => Recorder::start(),
            Recorded::AllThreads => Recorder::start_for_all_threads(),
            Recorded::Copies => Recorder::start_for_copies(),
        });
        drop(recorders);
        Ok(slf)
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) {
        let mut recorders = self.recorders();
        recorders.is_open = false;
        recorders.all.iter().for_each(Recorder::end);
    }

    /// Returns all events, including those inside of other operations.
    #[getter(events)]
    fn event_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        event_objects(py, self.events())
    }

    /// Returns the events that are copies.
    #[getter]
    fn copies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let events = self.events().into_iter();
        event_objects(py, events.filter(|it| matches!(it.kind, EventKind::Copy(_))).collect())
    }

    /// Returns the bytes of all copies, as ``bytes_copied``.
    #[getter]
    fn bytes(&self) -> usize {
        self.bytes_copied()
    }

    /// Returns the bytes of all copies.
    #[getter]
    fn bytes_copied(&self) -> usize {
        self.traces().iter().fold(0, |sum, it| sum.saturating_add(it.bytes_copied()))
    }

    /// Returns a dict for each source line: file, line, calls, bytes_copied, bytes_allocated, peak_bytes, and
    /// the operation, reason and bytes of its copies.
    ///
    /// >>> with bv.trace() as t:
    /// ...     x = bv.zeros(4)
    /// >>> [(line["calls"], line["bytes_allocated"]) for line in t.by_line()]
    /// [(1, 32)]
    fn by_line<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let lines = PyList::empty(py);
        for line in self.traces().iter().flat_map(Trace::by_line) {
            let dict = PyDict::new(py);
            let site = line.call_site.as_ref();
            dict.set_item("file", site.map_or(line.caller.file(), |it| &*it.file))?;
            dict.set_item("line", site.map_or(line.caller.line(), |it| it.line))?;
            dict.set_item("calls", line.n_calls)?;
            dict.set_item("bytes_copied", line.bytes_copied)?;
            dict.set_item("bytes_allocated", line.bytes_allocated)?;
            dict.set_item("peak_bytes", line.peak_bytes)?;
            let copies = line.copies.iter().map(|(op, reason, n)| (*op, reason.to_string(), *n));
            dict.set_item("copies", PyList::new(py, copies.collect::<Vec<_>>())?)?;
            lines.append(dict)?;
        }
        Ok(lines)
    }

    /// Returns pictures of the memory and the layout of each result, as SVG.
    ///
    /// >>> with bv.trace() as t:
    /// ...     x = bv.zeros(4)
    /// >>> t.draw().startswith("<svg")
    /// True
    fn draw(&self, py: Python<'_>) -> PyResult<String> {
        let report = self.report(py)?;
        Ok(py.detach(|| draw::svg(&report)))
    }

    /// Returns all events as JSON: a list of objects with the attributes of ``Event``.
    ///
    /// >>> with bv.trace() as t:
    /// ...     x = bv.zeros(4)
    /// >>> t.to_json()[:14]
    /// '[{"op": "zeros'
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        let events = PyList::empty(py);
        for event in self.events() {
            events.append(event_dict(py, event)?)?;
        }
        py.import("json")?.call_method1("dumps", (events,))?.extract()
    }

    fn __len__(&self) -> usize {
        self.shown().len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        event_objects(py, self.shown())?.try_iter()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        event_objects(py, self.shown())?.as_any().get_item(index)
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let (text, n_hidden) = match self.recorded {
            Recorded::Copies => (self.list_copies(), 0),
            Recorded::Thread | Recorded::AllThreads => {
                let report = self.report(py)?;
                let text = py.detach(|| report::plain(&report, ReportOptions::default()));
                (text, self.__len__().saturating_sub(report.steps.len()))
            }
        };
        let n_dropped: usize = self.traces().iter().map(Trace::n_dropped).sum();
        let mut text = text.trim_end().to_string();
        for (n, what) in [(n_hidden, "are not shown"), (n_dropped, "were not recorded")] {
            if n > 0 {
                text += &format!("\n{n} more operations {what}");
            }
        }
        Ok(text)
    }

    fn __repr__(&self) -> String {
        let (n, bytes) = (self.__len__(), self.bytes_copied());
        match (self.recorded, n) {
            (Recorded::Copies, 1) => format!("<Trace: 1 copy, {bytes} bytes>"),
            (Recorded::Copies, n) => format!("<Trace: {n} copies, {bytes} bytes>"),
            (_, 1) => format!("<Trace: 1 operation, {bytes} bytes copied>"),
            (_, n) => format!("<Trace: {n} operations, {bytes} bytes copied>"),
        }
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.__str__(py)?;
        let escape = py.import("html")?.getattr("escape")?;
        let text: String = escape.call1((text,))?.extract()?;
        let picture = self.draw(py)?;
        Ok(format!("<pre>{text}</pre><details><summary>memory</summary>{picture}</details>"))
    }
}

/// Returns a context manager that records the operations of the thread that enters it, or of all threads.
pub(crate) fn tracer(all_threads: bool) -> TraceObject {
    TraceObject::new(if all_threads { Recorded::AllThreads } else { Recorded::Thread })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Another extension module in this process may have registered a locator before; its lines are as good.
    locate_callers(locate);
    module.add_class::<EventObject>()?;
    module.add_class::<TraceObject>()
}
