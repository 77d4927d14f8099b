//! The events of a recording as Python objects.

use belvedere::trace::{Event, EventKind, EventOperand, Param};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// An operation: its name, operands, effect on memory, and the line that called it.
#[pyclass(frozen, name = "Event", module = "belvedere")]
pub(crate) struct EventObject {
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
            let text = match value {
                // Without quotes: it is a string already.
                Param::Text(text) => text.to_string(),
                value => value.to_string(),
            };
            params.set_item(*name, text)?;
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

    /// Returns the bytes that were copied, as ``bytes_copied``.
    #[getter]
    fn bytes(&self) -> usize {
        self.event.bytes_copied()
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

/// Returns events as a list of objects.
pub(super) fn event_objects(py: Python<'_>, events: Vec<Event>) -> PyResult<Bound<'_, PyList>> {
    let events = events.into_iter().map(|event| Bound::new(py, EventObject { event }));
    PyList::new(py, events.collect::<PyResult<Vec<_>>>()?)
}

/// The attributes of an event that its dict has.
const ATTRIBUTES: [&str; 15] = [
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
];

/// Returns the attributes of an event as a dict.
pub(super) fn event_dict(py: Python<'_>, event: Event) -> PyResult<Bound<'_, PyDict>> {
    let object = Bound::new(py, EventObject { event })?;
    let dict = PyDict::new(py);
    for name in ATTRIBUTES {
        dict.set_item(name, object.getattr(name)?)?;
    }
    Ok(dict)
}
