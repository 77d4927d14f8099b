//! Traces as reports: the operations that a program called, in the table and the pictures of `explain`.

use crate::plan;
use crate::step::{Kind, Report, SourceLine, Step, TensorSnapshot, Values};
use belvedere::StorageId;
use belvedere::copies::CopyReason;
use belvedere::trace::{Event, EventKind, EventOperand, LiveMemory, Param, Trace};
use belvedere_layout::{Answer, Bytes, Chain};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The maximum number of steps of a report.
const MAX_STEPS: usize = 1000;

/// The maximum number of pairs of steps whose overlap is decided by a search.
const MAX_SEARCHES: usize = 10_000;

/// The maximum number of elements of a lens whose offsets are compared one by one.
const MAX_OFFSETS: usize = 4096;

/// The source text of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallText {
    /// The variable that the result is assigned to.
    pub name: Option<String>,
    /// The expression.
    pub expr: String,
    /// The line that it begins in.
    pub line: Option<SourceLine>,
}

/// Returns the text of an operation whose source is unknown: its name and parameters.
///
/// ```
/// use belvedere::{prelude::*, trace};
/// use belvedere_explain::traced::call_text;
///
/// let (_, trace) = trace::record(|| tensor![1.5].astype(DType::Int8));
/// let text = call_text(trace.events().last().unwrap());
/// assert_eq!(text.expr, "astype(dtype=int8)");
/// ```
pub fn call_text(event: &Event) -> CallText {
    let params = event.params.iter().map(|(name, value)| format!("{name}={value}"));
    let expr = format!("{}({})", event.op, params.collect::<Vec<_>>().join(", "));
    let line = match &event.call_site {
        Some(site) => SourceLine { file: Arc::clone(&site.file), number: site.line },
        None => SourceLine { file: event.caller.file().into(), number: event.caller.line() },
    };
    CallText { name: None, expr, line: Some(line) }
}

/// Returns a report with a step for each operation that a program called. Operations inside of others have no step;
/// the bytes that they copy count for the outer one. A copy of elements that a gradient needs is a step before the write
/// that has made it.
///
/// ```
/// use belvedere::{prelude::*, trace};
/// use belvedere_explain::{report::{self, ReportOptions}, traced};
///
/// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
/// let (_, trace) = trace::record(|| x.t()?.reshape([6]));
/// let report = traced::report(&trace, traced::call_text);
/// assert!(report::plain(&report, ReportOptions::default()).contains("copy          24 bytes"));
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn report(trace: &Trace, mut text_of: impl FnMut(&Event) -> CallText) -> Report {
    let mut steps = Steps::default();
    let mut live = LiveMemory::default();
    let mut freed = trace.freed().iter().peekable();
    let (mut bytes_copied, mut peak_bytes, mut last_site) = (0u128, 0, None);
    for (at, event) in trace.events().iter().enumerate() {
        while let Some((_, id)) = freed.next_if(|(before, _)| *before <= at) {
            live.free(*id);
        }
        live.allocate(event);
        peak_bytes = live.bytes().max(peak_bytes);
        if let EventKind::Copy(CopyReason::Saved) = event.kind {
            if steps.steps.len() < MAX_STEPS {
                let step = steps.of_saved(event, text_of(event).line);
                let (live_bytes, peak_bytes) = (live.bytes(), std::mem::take(&mut peak_bytes));
                steps.push(Step { live_bytes, peak_bytes, ..step });
            }
            continue;
        }
        if event.depth > 0 {
            bytes_copied += event.bytes_copied() as u128;
            continue;
        }
        if steps.steps.len() == MAX_STEPS {
            break;
        }
        // A copy is the operation itself or a part of it, and counts once.
        let copied = (event.bytes_copied() as u128).max(std::mem::take(&mut bytes_copied));
        let text = text_of(event);
        // Of several operations of one expression, the last one returns what is assigned.
        if let Some(last) = steps.steps.last_mut()
            && event.call_site.is_some()
            && event.call_site == last_site
            && last.name == text.name
        {
            last.name = None;
        }
        last_site = event.call_site.clone();
        let result = event.outputs.first().and_then(|it| steps.snapshot(it));
        let inputs = event.inputs.iter().filter_map(|it| steps.step_of(it)).collect();
        steps.push(Step {
            name: text.name,
            line: text.line,
            result,
            value: (event.kind == EventKind::Read).then(|| "a value".to_string()),
            inputs,
            bytes_copied: copied,
            plan: plan::describe(event),
            live_bytes: live.bytes(),
            peak_bytes: std::mem::take(&mut peak_bytes),
            op: event.op,
            expr: text.expr,
            kind: kind_of(event.kind),
            ..Step::default()
        });
    }
    Report { source: String::new(), steps: steps.steps }
}

/// Returns the kind of the step of an event.
pub(crate) fn kind_of(kind: EventKind) -> Kind {
    match kind {
        EventKind::View => Kind::View,
        EventKind::InPlace => Kind::InPlace,
        EventKind::Copy(_) => Kind::Copy,
        EventKind::Read => Kind::Value,
        EventKind::Import => Kind::Import,
        EventKind::Export => Kind::Export,
        _ => Kind::New,
    }
}

/// The steps of a report, and what is known of their memory.
#[derive(Default)]
pub(crate) struct Steps {
    pub(crate) steps: Vec<Step>,
    /// The number of each storage, in the order of their first use.
    memories: HashMap<StorageId, usize>,
    n_searches: usize,
}

impl Steps {
    /// Adds a step, with the earlier steps that it shares elements with.
    pub(crate) fn push(&mut self, mut step: Step) {
        if let Some(result) = &step.result {
            (step.shares_with, step.may_share_with) = self.sharing(result);
        }
        self.steps.push(step);
    }

    /// Returns the number of a storage.
    pub(crate) fn memory(&mut self, storage: StorageId) -> usize {
        let next = self.memories.len();
        *self.memories.entry(storage).or_insert(next)
    }

    /// Returns a tensor or a lens without its values.
    fn snapshot(&mut self, operand: &EventOperand) -> Option<TensorSnapshot> {
        let (chain, storage, len, dtype) = match operand {
            EventOperand::Tensor { storage, storage_len, layout, dtype } => {
                (Chain::new(layout.clone()), storage, storage_len, dtype)
            }
            EventOperand::Lens { storage, storage_len, chain, dtype } => {
                (chain.clone(), storage, storage_len, dtype)
            }
            _ => return None,
        };
        Some(TensorSnapshot {
            dtype: *dtype,
            chain,
            memory: self.memory(*storage),
            memory_len: len / dtype.size(),
            values: Values::Unknown,
        })
    }

    /// Returns the step of the copy of elements that were saved for later, which a write makes.
    fn of_saved(&mut self, event: &Event, line: Option<SourceLine>) -> Step {
        let saved_by = event.params.iter().find(|(name, _)| *name == "saved_by");
        let saved_by = match saved_by {
            Some((_, Param::Text(line))) => line.rsplit(['/', '\\']).next().unwrap_or(line),
            _ => "a gradient",
        };
        Step {
            line,
            result: event.outputs.first().and_then(|it| self.snapshot(it)),
            inputs: event.inputs.iter().filter_map(|it| self.step_of(it)).collect(),
            bytes_copied: event.bytes_copied() as u128,
            op: event.op,
            expr: format!("kept for {saved_by}"),
            kind: Kind::Copy,
            ..Step::default()
        }
    }

    /// Returns the last step whose result is an operand.
    fn step_of(&self, operand: &EventOperand) -> Option<usize> {
        let memory = *self.memories.get(&operand.storage()?)?;
        let layout = operand.layout();
        self.steps.iter().rposition(|step| {
            let result = step.result.as_ref();
            result.is_some_and(|it| it.memory == memory && it.layout().as_ref() == layout)
        })
    }

    /// Returns the earlier steps that share an element with a tensor, and those for which that was not decided.
    fn sharing(&mut self, tensor: &TensorSnapshot) -> (Vec<usize>, Vec<usize>) {
        let (mut shared, mut unknown) = (Vec::new(), Vec::new());
        for (number, step) in self.steps.iter().enumerate() {
            let Some(earlier) = step.result.as_ref().filter(|it| it.memory == tensor.memory) else {
                continue;
            };
            self.n_searches += 1;
            let is_searched = self.n_searches <= MAX_SEARCHES;
            match if is_searched { overlap(tensor, earlier) } else { Answer::TooHard } {
                Answer::Yes => shared.push(number),
                Answer::TooHard => unknown.push(number),
                Answer::No => {}
            }
        }
        (shared, unknown)
    }
}

/// Determines whether two tensors over one memory have a common element. Lenses are compared offset by offset, if
/// they are small.
fn overlap(a: &TensorSnapshot, b: &TensorSnapshot) -> Answer {
    if let (Some(one), Some(other)) = (a.layout(), b.layout()) {
        let one = Bytes { address: 0, layout: &one, size: a.dtype.size() };
        return one.overlaps(Bytes { address: 0, layout: &other, size: b.dtype.size() });
    }
    if a.dtype != b.dtype || a.chain.len().max(b.chain.len()) > MAX_OFFSETS {
        return Answer::TooHard;
    }
    let offsets: HashSet<usize> = a.chain.offsets().flatten().collect();
    let is_shared = b.chain.offsets().flatten().any(|it| offsets.contains(&it));
    if is_shared { Answer::Yes } else { Answer::No }
}
