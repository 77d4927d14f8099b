//! What is recorded of an operation: whether it touches elements with gradients, its rule, and what the rule saves.

use crate::backward;
use crate::components::is_differentiable;
use crate::entry::{Entry, EntryInput, EntryKind, InputElements, SavedInput};
use crate::error::{GradientError, Line};
use crate::lease::{self, Lease};
use crate::observer::{ListeningTape, storage_of};
use crate::rules::{self, Differentiability, Rule};
use crate::tape::TapeState;
use belvedere::trace::{EventKind, EventOperand, ObservedOperation};
use belvedere::{DType, Error, Tensor};
use std::sync::Arc;

/// How an input is read, and whether it has a gradient.
fn input_of(
    state: &TapeState,
    tape: &ListeningTape,
    operation: &ObservedOperation<'_>,
    n: usize,
) -> Result<EntryInput, Error> {
    let operand = &operation.inputs[n];
    let (elements, dtype) = match (operand.as_tensor(), operand.as_lens()) {
        (Some(x), _) => (InputElements::Layout(x.layout().clone()), Some(x.dtype())),
        (None, Some(x)) => (InputElements::Chain(x.chain().clone()), Some(x.dtype())),
        (None, None) => (InputElements::None, None),
    };
    let id = storage_of(operand).filter(|it| tape.is_recording && state.tracked.contains_key(it));
    if let (Some(id), Some(accessed)) = (id, dtype)
        && state.tracked[&id].dtype != accessed.real()
    {
        let (tracked, line) = (state.tracked[&id].dtype, line_of(operation).to_string());
        let op = operation.op;
        return Err(GradientError::Reinterpreted { op, tracked, accessed, line }.into());
    }
    if let Some(span) = operation.borrowed_span(n).filter(|_| tape.is_recording) {
        let is_watched = |x: &Tensor| {
            let start = x.storage().address();
            start < span.end && span.start < start + x.storage().len()
        };
        if state.watched.iter().any(is_watched) {
            let (op, line) = (operation.op, line_of(operation).to_string());
            return Err(GradientError::HandedOut { op, line }.into());
        }
    }
    Ok(EntryInput { elements, shape: operand.shape(), dtype, tracked: id, saved: None })
}

/// Returns the entry of an operation, if it reads or writes elements with gradients. Of a composite operation that
/// begins, the outputs are missing.
pub(crate) fn make_entry(
    state: &TapeState,
    tape: &ListeningTape,
    operation: &ObservedOperation<'_>,
) -> Result<Option<Entry>, Error> {
    if state.consumed.is_some() || state.tracked.is_empty() {
        return Ok(None);
    }
    let tape = &ListeningTape {
        shared: Arc::clone(&tape.shared),
        is_recording: tape.is_recording && !operation.is_isolated,
    };
    let is_write = operation.kind == EventKind::InPlace;
    let written = operation.outputs.first().filter(|_| is_write);
    let overwritten = written.and_then(EventOperand::storage).and_then(|it| state.tracked.get(&it));
    let mut inputs = Vec::with_capacity(operation.inputs.len());
    for n in 0..operation.inputs.len() {
        inputs.push(input_of(state, tape, operation, n)?);
    }
    let reads_tracked = inputs.iter().any(|it| it.tracked.is_some());
    if !reads_tracked && overwritten.is_none() {
        return Ok(None);
    }
    let accessed = written.and_then(EventOperand::dtype);
    if let (Some(tracked), Some(accessed)) = (overwritten.map(|it| it.dtype), accessed)
        && tracked != accessed.real()
    {
        let (op, line) = (operation.op, line_of(operation).to_string());
        return Err(GradientError::Reinterpreted { op, tracked, accessed, line }.into());
    }
    let is_complex = inputs.iter().filter_map(|it| it.dtype).any(DType::is_complex);
    let reads = TrackedReads { is_any: reads_tracked, is_complex };
    let Some(kind) = kind_of(operation, reads, tape.is_recording)? else { return Ok(None) };
    let (time, line) = (lease::next_time(), line_of(operation));
    let mut entry = Entry {
        op: operation.op,
        kind,
        params: Vec::new(),
        inputs,
        outputs: Vec::new(),
        is_fresh: !is_write,
        line,
        time,
        is_of_backward: backward::is_running(),
    };
    match entry.kind {
        EntryKind::Rule(_) if state.is_dry => {}
        EntryKind::Rule(rule) => save_inputs(&mut entry, rule, operation)?,
        _ => entry.inputs.clear(),
    }
    Ok(Some(entry))
}

/// What an operation reads.
struct TrackedReads {
    /// Whether an input has a gradient.
    is_any: bool,
    /// Whether an input is complex.
    is_complex: bool,
}

/// Returns what `backward` does with an operation; `None` if its results have no gradient.
fn kind_of(
    operation: &ObservedOperation<'_>,
    reads: TrackedReads,
    is_recorded: bool,
) -> Result<Option<EntryKind>, Error> {
    let is_write = operation.kind == EventKind::InPlace;
    let dtypes = || operation.outputs.iter().filter_map(EventOperand::dtype);
    let is_known = !operation.outputs.is_empty();
    if is_known && !dtypes().any(is_differentiable) {
        return Ok(None);
    }
    let found = match (rules::differentiability(operation.op), operation.kind) {
        (Differentiability::None | Differentiability::Parts, EventKind::Copy(_)) => {
            Differentiability::Rule(&rules::COPY)
        }
        (found, _) => found,
    };
    let is_complex = reads.is_complex || dtypes().any(DType::is_complex);
    match found {
        Differentiability::Rule(rule) if rule.is_only_complex() && !is_complex => {
            Ok(is_write.then_some(EntryKind::Constant))
        }
        Differentiability::Rule(rule) if reads.is_any || rule.reads_old(operation, is_recorded) => {
            match is_complex && !rule.is_complex() {
                true => Err(no_rule_for(operation, "its rule is for real numbers")),
                false => Ok(Some(EntryKind::Rule(rule))),
            }
        }
        Differentiability::Rule(_) | Differentiability::Constant(_) => {
            Ok(is_write.then_some(EntryKind::Constant))
        }
        _ if reads.is_any => Err(no_rule(operation)),
        _ => Ok(is_write.then_some(EntryKind::Constant)),
    }
}

/// Saves the inputs that a rule needs: leases those in memory that only this library writes.
fn save_inputs(
    entry: &mut Entry,
    rule: &Rule,
    operation: &ObservedOperation<'_>,
) -> Result<(), Error> {
    entry.params = operation.params.iter().map(|(name, it)| (*name, it.to_static())).collect();
    let is_tracked: Vec<bool> = entry.inputs.iter().map(|it| it.tracked.is_some()).collect();
    for (n, input) in entry.inputs.iter_mut().enumerate() {
        if !rule.saves(n, &is_tracked) {
            continue;
        }
        let operand = &operation.inputs[n];
        input.saved = Some(match (operand.as_tensor(), operand.as_number()) {
            (Some(x), _) if !x.storage().may_change_unseen() => {
                SavedInput::Leased(Lease::new(x.clone(), entry.time, &entry.line)?)
            }
            (None, Some(number)) => SavedInput::Number(number),
            (None, None) if operand.as_lens().is_some() && !operation.is_composite => {
                return Err(no_rule_for(operation, "its rule needs the elements of a lens"));
            }
            _ => SavedInput::Copied(operation.copy_input(n)?),
        });
    }
    Ok(())
}

/// Returns the line that called an operation.
pub(crate) fn line_of(operation: &ObservedOperation<'_>) -> Line {
    Line::new(operation.caller, operation.call_site.clone())
}

/// Returns the error of an operation without a rule.
pub(crate) fn no_rule(operation: &ObservedOperation<'_>) -> Error {
    let reason = match rules::differentiability(operation.op) {
        Differentiability::Missing(reason) => Some(reason),
        _ => None,
    };
    refused(operation, reason)
}

/// Returns the error of an operation whose rule does not apply.
fn no_rule_for(operation: &ObservedOperation<'_>, reason: &'static str) -> Error {
    refused(operation, Some(reason))
}

fn refused(operation: &ObservedOperation<'_>, reason: Option<&'static str>) -> Error {
    let (op, line) = (operation.op, line_of(operation).to_string());
    GradientError::NoRule { op, reason, line }.into()
}
