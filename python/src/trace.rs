//! Tracing: `with bv.trace() as t:` records what every operation does to memory.
//!
//! A trace applies to the thread that enters it, or to all threads. It may be exited by an exception, on another
//! thread, or never.

use belvedere::trace::{CallSite, Event, EventKind, EventOperand, Recorder, Trace, locate_callers};
use belvedere_explain::Report;
use belvedere_explain::report::{self, ReportOptions, draw};
use belvedere_explain::traced::{self, CallText};
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyIterator, PyList, PyTuple};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An operation: its name, operands, effect on memory, and the line that called it.
#[pyclass(frozen, name = "Event", module = "belvedere")]
struct EventObject {
    event: Event,
}

#[pymethods]
impl EventObject {
    /// Returns the name of the operation.
    #[getter]
    fn op(&self) -> &'static str {
        self.event.op
    }

    /// Returns the effect on memory: view, new, in place, copy, read, import or export.
    #[getter]
    fn kind(&self) -> &'static str {
        self.event.kind.name()
    }

    /// Returns the reason of a copy as text; None for other events.
    #[getter]
    fn reason(&self) -> Option<String> {
        match self.event.kind {
            EventKind::Copy(reason) => Some(reason.to_string()),
            _ => None,
        }
    }

    /// Returns how to avoid a copy; None for other events and for copies on request.
    #[getter]
    fn advice(&self) -> Option<String> {
        self.event.advice()
    }

    /// Returns the arguments that are not arrays, as text.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let params = PyDict::new(py);
        for (name, value) in &self.event.params {
            params.set_item(*name, value.to_string())?;
        }
        Ok(params)
    }

    /// Returns the operands: a dict of storage, shape, strides, offset and dtype for each.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        operands(py, &self.event.inputs)
    }

    /// Returns the results and what was written in place, as ``inputs``.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        operands(py, &self.event.outputs)
    }

    /// Returns the bytes that were read.
    #[getter]
    fn bytes_read(&self) -> usize {
        self.event.bytes_read
    }

    /// Returns the bytes that were written.
    #[getter]
    fn bytes_written(&self) -> usize {
        self.event.bytes_written
    }

    /// Returns the bytes that were allocated.
    #[getter]
    fn bytes_allocated(&self) -> usize {
        self.event.bytes_allocated
    }

    /// Returns the bytes that were copied: 0 if the operation is not a copy.
    #[getter]
    fn bytes_copied(&self) -> usize {
        self.event.bytes_copied()
    }

    /// Returns 0 for an operation that the program called, and more for one inside of it.
    #[getter]
    fn depth(&self) -> usize {
        self.event.depth
    }

    /// Returns the loops that the operation ran, if it ran those of a plan.
    #[getter]
    fn plan(&self) -> Option<String> {
        self.event.plan()
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

fn operands<'py>(py: Python<'py>, list: &[EventOperand]) -> PyResult<Bound<'py, PyList>> {
    let dicts = list.iter().map(|it| operand(py, it)).collect::<PyResult<Vec<_>>>()?;
    PyList::new(py, dicts)
}

fn operand<'py>(py: Python<'py>, operand: &EventOperand) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("storage", operand.storage().map(|it| it.to_string()))?;
    dict.set_item("dtype", operand.dtype().map(|it| it.name()))?;
    let shape = match operand {
        EventOperand::Lens { chain, .. } => chain.shape().to_vec(),
        operand => operand.layout().map_or_else(Vec::new, |it| it.shape().to_vec()),
    };
    dict.set_item("shape", PyTuple::new(py, shape)?)?;
    if let Some(layout) = operand.layout() {
        dict.set_item("strides", PyTuple::new(py, layout.strides().iter())?)?;
        dict.set_item("offset", layout.start())?;
    }
    Ok(dict)
}

/// The operations inside a ``with`` block.
#[pyclass(frozen, name = "Trace", module = "belvedere")]
pub(crate) struct TraceObject {
    has_all_threads: bool,
    recorders: Mutex<Recorders>,
}

#[derive(Default)]
struct Recorders {
    /// One for each time the trace was entered.
    all: Vec<Recorder>,
    is_open: bool,
}

impl TraceObject {
    fn recorders(&self) -> MutexGuard<'_, Recorders> {
        self.recorders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn traces(&self) -> Vec<Trace> {
        self.recorders().all.iter().map(Recorder::trace).collect()
    }

    fn events(&self) -> Vec<Event> {
        self.traces().iter().flat_map(|it| it.events().to_vec()).collect()
    }

    /// Returns the events that the program called.
    fn outermost<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let events = self.events().into_iter().filter(|it| it.depth == 0).collect();
        event_objects(py, events)
    }

    /// Returns the operations that the program called as a report, with the source text of each.
    fn report(&self, py: Python<'_>) -> PyResult<Report> {
        let mut sources = Sources::new(py)?;
        let mut steps = Vec::new();
        for trace in self.traces() {
            let report = traced::report(&trace, |event| sources.text(py, event));
            steps.extend(report.steps);
        }
        Ok(Report { source: String::new(), steps })
    }
}

/// Finds the source text of operations.
struct Sources<'py> {
    /// ``describe`` of the Python part.
    describe: Bound<'py, PyAny>,
    known: HashMap<CallSite, Option<CallText>>,
}

impl<'py> Sources<'py> {
    fn new(py: Python<'py>) -> PyResult<Sources<'py>> {
        let describe = py.import("belvedere._source")?.getattr("describe")?;
        Ok(Sources { describe, known: HashMap::new() })
    }

    fn text(&mut self, _: Python<'py>, event: &Event) -> CallText {
        let Some(site) = &event.call_site else { return traced::call_text(event) };
        if !self.known.contains_key(site) {
            let (start, end) = site.columns.unzip();
            let found = self.describe.call1((&*site.file, site.line, start, end));
            let found = found.and_then(|it| it.extract::<Option<(Option<String>, String)>>());
            let text = found.ok().flatten().map(|(name, expr)| CallText { name, expr });
            self.known.insert(site.clone(), text);
        }
        let known = self.known.get(site).cloned().flatten();
        known.unwrap_or_else(|| traced::call_text(event))
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
        recorders.all.push(match slf.get().has_all_threads {
            true => Recorder::start_for_all_threads(),
            false => Recorder::start(),
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
            let object = Bound::new(py, EventObject { event })?;
            let dict = PyDict::new(py);
            for name in [
                "op",
                "kind",
                "reason",
                "advice",
                "params",
                "inputs",
                "outputs",
                "bytes_read",
                "bytes_written",
                "bytes_allocated",
                "bytes_copied",
                "depth",
                "plan",
                "file",
                "line",
            ] {
                dict.set_item(name, object.getattr(name)?)?;
            }
            events.append(dict)?;
        }
        py.import("json")?.call_method1("dumps", (events,))?.extract()
    }

    fn __len__(&self) -> usize {
        self.events().iter().filter(|it| it.depth == 0).count()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.outermost(py)?.try_iter()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.outermost(py)?.as_any().get_item(index)
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let report = self.report(py)?;
        let text = py.detach(|| report::plain(&report, ReportOptions::default()));
        let n_dropped: usize = self.traces().iter().map(Trace::n_dropped).sum();
        let n_hidden = self.__len__().saturating_sub(report.steps.len());
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
        let s = if n == 1 { "operation" } else { "operations" };
        format!("<Trace: {n} {s}, {bytes} bytes copied>")
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.__str__(py)?;
        let escape = py.import("html")?.getattr("escape")?;
        let text: String = escape.call1((text,))?.extract()?;
        let picture = self.draw(py)?;
        Ok(format!("<pre>{text}</pre><details><summary>memory</summary>{picture}</details>"))
    }
}

fn event_objects(py: Python<'_>, events: Vec<Event>) -> PyResult<Bound<'_, PyList>> {
    let events = events.into_iter().map(|event| Bound::new(py, EventObject { event }));
    PyList::new(py, events.collect::<PyResult<Vec<_>>>()?)
}

/// Returns a context manager that records what every operation does to memory.
///
/// It records the operations of the thread that enters it, or with ``all_threads=True`` those of all threads.
/// ``print`` shows them as a table; ``by_line()`` sums them up for each line of the program.
///
/// >>> x = bv.zeros((2, 3))
/// >>> with bv.trace() as t:
/// ...     y = x.T.reshape(6)
/// >>> [(event.op, event.kind, event.bytes_copied) for event in t]
/// [('T', 'view', 0), ('reshape', 'copy', 48)]
#[pyfunction]
#[pyo3(signature = (*, all_threads=false))]
pub(crate) fn trace(all_threads: bool) -> TraceObject {
    TraceObject { has_all_threads: all_threads, recorders: Mutex::default() }
}

/// The call sites that were found, by code object and instruction. The code objects are kept, so that no other one
/// gets the same address.
static SITES: Mutex<BTreeMap<(usize, i32), KnownSite>> = Mutex::new(BTreeMap::new());

/// The most call sites that are kept.
const MAX_SITES: usize = 1 << 16;

struct KnownSite {
    _code: Py<PyAny>,
    /// ``None`` for code of this package: the caller's is looked at then.
    site: Option<CallSite>,
}

/// Finds the innermost line of Python code on this thread that is not part of this package.
pub(crate) fn locate() -> Option<CallSite> {
    Python::try_attach(|py| call_site(py).ok().flatten())?
}

fn call_site(py: Python<'_>) -> PyResult<Option<CallSite>> {
    static GET_FRAME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let get_frame = GET_FRAME
        .get_or_try_init(py, || Ok::<_, PyErr>(py.import("sys")?.getattr("_getframe")?.unbind()))?;
    let mut frame = get_frame.bind(py).call0()?;
    while !frame.is_none() {
        let code = frame.getattr(intern!(py, "f_code"))?;
        let instruction = frame.getattr(intern!(py, "f_lasti"))?.extract::<i32>()?;
        let key = (code.as_ptr().addr(), instruction);
        let known = sites().get(&key).map(|it| it.site.clone());
        let site = match known {
            Some(site) => site,
            None => {
                let site = new_site(py, &frame, &code, instruction)?;
                let mut sites = sites();
                if sites.len() < MAX_SITES {
                    let known = KnownSite { _code: code.unbind(), site: site.clone() };
                    sites.insert(key, known);
                }
                site
            }
        };
        if site.is_some() {
            return Ok(site);
        }
        frame = frame.getattr(intern!(py, "f_back"))?;
    }
    Ok(None)
}

fn sites() -> MutexGuard<'static, BTreeMap<(usize, i32), KnownSite>> {
    SITES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the source line that a frame is at; `None` for code of this package.
fn new_site(
    py: Python<'_>,
    frame: &Bound<'_, PyAny>,
    code: &Bound<'_, PyAny>,
    instruction: i32,
) -> PyResult<Option<CallSite>> {
    let module = frame.getattr(intern!(py, "f_globals"))?.get_item("__name__");
    let module = module.and_then(|it| it.extract::<String>()).unwrap_or_default();
    if module == "belvedere" || module.starts_with("belvedere.") {
        return Ok(None);
    }
    let file: String = code.getattr("co_filename")?.extract()?;
    let line = frame.getattr("f_lineno")?.extract::<Option<u32>>()?.unwrap_or(0);
    let mut positions = code.call_method0("co_positions")?.try_iter()?;
    let position = positions.nth(usize::try_from(instruction / 2).unwrap_or(0));
    let position = position.and_then(|it| it.ok()?.extract::<Position>().ok());
    let columns = match position {
        Some((Some(first), Some(last), Some(start), Some(end)))
            if first == last && first == line =>
        {
            Some((start, end))
        }
        _ => None,
    };
    Ok(Some(CallSite { file: file.into(), line, columns }))
}

/// First line, last line, first column, last column, as far as they are known.
type Position = (Option<u32>, Option<u32>, Option<u32>, Option<u32>);

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Another extension module in this process may have registered a locator before; its lines are as good.
    locate_callers(locate);
    module.add_class::<EventObject>()?;
    module.add_class::<TraceObject>()
}
