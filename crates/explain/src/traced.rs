//! Traces as reports: the operations that a program called, in the table and the pictures of `explain`.

use crate::step::{Kind, Report, Step, TensorSnapshot, Values};
use belvedere::StorageId;
use belvedere::trace::{Event, EventKind, EventOperand, Trace};
use belvedere_layout::{Answer, Bytes, Chain, Layout};
use std::collections::HashMap;

/// The most steps of a report: the table and the pictures of more are of no use.
const MAX_STEPS: usize = 1000;

/// The most pairs of steps whose overlap is decided by a search.
const MAX_SEARCHES: usize = 10_000;

/// The source text of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallText {
    /// The variable that the result is assigned to.
    pub name: Option<String>,
    /// The expression.
    pub expr: String,
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
    CallText { name: None, expr }
}

/// Returns the operations that a program called as the steps of a report, without those inside of others. A copy
/// that an operation made of an operand is counted as bytes that it copied.
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
    let (mut bytes_copied, mut last_site) = (0u128, None);
    for event in trace.events() {
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
        steps.push(event, text, copied);
    }
    Report { source: String::new(), steps: steps.steps }
}

/// The steps of a report, and what is known of their memory.
#[derive(Default)]
struct Steps {
    steps: Vec<Step>,
    /// The numbers of the storages.
    memories: HashMap<StorageId, usize>,
    n_searches: usize,
}

impl Steps {
    fn push(&mut self, event: &Event, text: CallText, bytes_copied: u128) {
        let result = event.outputs.first().and_then(|it| self.snapshot(it));
        let (shares_with, may_share_with) =
            result.as_ref().map_or_else(Default::default, |it| self.sharing(it));
        let inputs = event.inputs.iter().filter_map(|it| self.step_of(it)).collect();
        let value = (event.kind == EventKind::Read).then(|| "a value".to_string());
        self.steps.push(Step {
            name: text.name,
            expr: text.expr,
            span: 0..0,
            op: event.op,
            kind: match event.kind {
                EventKind::View => Kind::View,
                EventKind::InPlace => Kind::InPlace,
                EventKind::Copy(_) => Kind::Copy,
                EventKind::Read => Kind::Value,
                EventKind::Import => Kind::Import,
                EventKind::Export => Kind::Export,
                _ => Kind::New,
            },
            result,
            value,
            inputs,
            bytes_copied,
            shares_with,
            may_share_with,
            error: None,
            why: None,
            plan: event.plan(),
            remarks: Vec::new(),
        });
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
        let next = self.memories.len();
        Some(TensorSnapshot {
            dtype: *dtype,
            chain,
            memory: *self.memories.entry(*storage).or_insert(next),
            memory_len: len / dtype.size(),
            values: Values::Unknown,
        })
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
            let answer = match (tensor.layout(), earlier.layout()) {
                (Some(a), Some(b)) if self.n_searches <= MAX_SEARCHES => {
                    overlap((&a, tensor.dtype.size()), (&b, earlier.dtype.size()))
                }
                _ => Answer::TooHard,
            };
            match answer {
                Answer::Yes => shared.push(number),
                Answer::TooHard => unknown.push(number),
                Answer::No => {}
            }
        }
        (shared, unknown)
    }
}

/// Determines whether two layouts over one memory overlap, for elements of the given sizes.
fn overlap((a, a_size): (&Layout, usize), (b, b_size): (&Layout, usize)) -> Answer {
    let one = Bytes { address: 0, layout: a, size: a_size };
    one.overlaps(Bytes { address: 0, layout: b, size: b_size })
}
