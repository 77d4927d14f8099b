//! Call sites: the lines of Python code that call operations, and their source text.

use belvedere::trace::{CallSite, Event};
use belvedere_explain::SourceLine;
use belvedere_explain::traced::{self, CallText};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Finds the source text of operations.
pub(super) struct Sources<'py> {
    /// ``describe`` of the Python part.
    describe: Bound<'py, PyAny>,
    known: HashMap<CallSite, Option<CallText>>,
}

impl<'py> Sources<'py> {
    pub(super) fn new(py: Python<'py>) -> PyResult<Sources<'py>> {
        let describe = py.import("belvedere._source")?.getattr("describe")?;
        Ok(Sources { describe, known: HashMap::new() })
    }

    /// Returns the source text of the call of an operation.
    pub(super) fn text(&mut self, event: &Event) -> CallText {
        let unknown = || CallText { line: None, ..traced::call_text(event) };
        let Some(site) = &event.call_site else { return unknown() };
        if !self.known.contains_key(site) {
            let (start, end) = site.columns.unzip();
            let place = (&*site.file, site.line, start, site.end_line, end);
            let found = self.describe.call1(place);
            let found = found.and_then(|it| it.extract::<Option<(Option<String>, String)>>());
            let line = Some(SourceLine { file: Arc::clone(&site.file), number: site.line });
            let text = found.ok().flatten().map(|(name, expr)| CallText { name, expr, line });
            self.known.insert(site.clone(), text);
        }
        let known = self.known.get(site).cloned().flatten();
        known.unwrap_or_else(|| traced::call_text(event))
    }
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
    let (columns, end_line) = match position {
        Some((Some(first), Some(last), Some(start), Some(end))) if first == line => {
            (Some((start, end)), last)
        }
        _ => (None, line),
    };
    Ok(Some(CallSite { file: file.into(), line, columns, end_line }))
}

/// First line, last line, first column, last column, as far as they are known.
type Position = (Option<u32>, Option<u32>, Option<u32>, Option<u32>);
