//! What is recorded of an operation: whether it touches elements with gradients, its rule, and what the rule saves.

use crate::backward;
use crate::components::is_differentiable;
use crate::entry::{Entry, EntryInput, EntryKind, InputElements, InputSource, OtherSource};
use crate::error::{GradientError, Line};
use crate::lease::{self, Lease};
use crate::observer::{ListeningTape, storage_of};
use crate::rules::{self, Differentiability, Rule};
use crate::tape::TapeState;
use belvedere::trace::{EventKind, EventOperand, ObservedOperation};
use belvedere::{DType, Error, Operand, StorageId, Tensor};

/// Returns the storage of an input whose elements have a gradient.
///
/// # Errors
/// If the gradient has another dtype, or a borrowed view lies in watched memory.
fn tracked_storage(
    state: &TapeState,
    operation: &ObservedOperation<'_>,
    n: usize,
) -> Result<Option<StorageId>, Error> {
    let operand = &operation.inputs[n];
    let Some(id) = storage_of(operand) else {
        return check_borrowed(state, operation, n).map(|()| None);
    };
    let Some(tracked) = state.tracked.get(&id).map(|it| it.dtype) else { return Ok(None) };
    match dtype_of(operand) {
        Some(accessed) if accessed.real() != tracked => {
            let (op, line) = (operation.op, line_of(operation).to_string());
            Err(GradientError::Reinterpreted { op, tracked, accessed, line }.into())
        }
        _ => Ok(Some(id)),
    }
}

/// Checks that a borrowed view, whose storage is not known, is not one of watched memory.
fn check_borrowed(
    state: &TapeState,
    operation: &ObservedOperation<'_>,
    n: usize,
) -> Result<(), Error> {
    let Some(span) = operation.borrowed_span(n) else { return Ok(()) };
    let is_watched = |x: &Tensor| {
        let start = x.storage().address();
        start < span.end && span.start < start + x.storage().len()
    };
    match state.watched.iter().any(is_watched) {
        true => {
            let (op, line) = (operation.op, line_of(operation).to_string());
            Err(GradientError::HandedOut { op, line }.into())
        }
        false => Ok(()),
    }
}

/// Returns the dtype of a tensor or a lens.
fn dtype_of(operand: &Operand<'_>) -> Option<DType> {
    operand.as_tensor().map(Tensor::dtype).or_else(|| operand.as_lens().map(|it| it.dtype()))
}

/// What an operation reads.
#[derive(Default)]
struct TrackedReads {
    /// How many inputs have a gradient.
    n_tracked: usize,
    /// Whether an input is complex.
    is_complex: bool,
}

impl TrackedReads {
    /// Returns what an operation reads; nothing that has a gradient, if it is not recorded.
    fn of(
        state: &TapeState,
        operation: &ObservedOperation<'_>,
        is_recording: bool,
    ) -> Result<TrackedReads, Error> {
        let mut reads = TrackedReads::default();
        for (n, operand) in operation.inputs.iter().enumerate() {
            reads.is_complex |= dtype_of(operand).is_some_and(DType::is_complex);
            if is_recording && tracked_storage(state, operation, n)?.is_some() {
                reads.n_tracked += 1;
            }
        }
        Ok(reads)
    }
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
    let is_recording = tape.is_recording && !operation.is_isolated;
    let is_write = operation.kind == EventKind::InPlace;
    let written = operation.outputs.first().filter(|_| is_write);
    let overwritten = written.and_then(EventOperand::storage).and_then(|it| state.tracked.get(&it));
    let reads = TrackedReads::of(state, operation, is_recording)?;
    if reads.n_tracked == 0 && overwritten.is_none() {
        return Ok(None);
    }
    let accessed = written.and_then(EventOperand::dtype);
    if let (Some(tracked), Some(accessed)) = (overwritten.map(|it| it.dtype), accessed)
        && tracked != accessed.real()
    {
        let (op, line) = (operation.op, line_of(operation).to_string());
        return Err(GradientError::Reinterpreted { op, tracked, accessed, line }.into());
    }
    let Some(kind) = kind_of(operation, &reads, is_recording)? else { return Ok(None) };
    let (time, line) = (lease::next_time(), line_of(operation));
    let (mut params, mut inputs) = (Vec::new(), Vec::new());
    if let EntryKind::Rule(rule) = kind {
        let saving = Saving { rule: (!state.is_dry).then_some(rule), reads, time, line: &line };
        inputs.reserve_exact(operation.inputs.len());
        for n in 0..operation.inputs.len() {
            let tracked = match is_recording {
                true => tracked_storage(state, operation, n)?,
                false => None,
            };
            inputs.push(saving.input(operation, n, tracked)?);
        }
        if !state.is_dry {
            params = operation.params.iter().map(|(name, it)| (*name, it.to_static())).collect();
        }
    }
    Ok(Some(Entry {
        op: operation.op,
        kind,
        params,
        inputs,
        outputs: Vec::new(),
        is_fresh: !is_write,
        line,
        time,
        is_of_backward: backward::is_running(),
    }))
}

/// What of an operation's inputs is saved.
struct Saving<'a> {
    /// The rule that they are saved for, if they are.
    rule: Option<&'static Rule>,
    reads: TrackedReads,
    time: u64,
    line: &'a Line,
}

impl Saving<'_> {
    /// Returns an input as one of an entry: leased if it is saved, in memory that only this library writes, else copied.
    fn input(
        &self,
        operation: &ObservedOperation<'_>,
        n: usize,
        tracked: Option<StorageId>,
    ) -> Result<EntryInput, Error> {
        let is_other_tracked = self.reads.n_tracked > usize::from(tracked.is_some());
        let n_inputs = operation.inputs.len();
        let is_saved = self.rule.is_some_and(|it| it.saves(n, n_inputs, is_other_tracked));
        let operand = &operation.inputs[n];
        let source = match operand.as_tensor() {
            Some(x) if !is_saved => InputSource::Unsaved(x.layout().clone()),
            Some(x) if !x.storage().may_change_unseen() => {
                InputSource::Leased(Lease::new(x.clone(), self.time, self.line)?)
            }
            _ => other_source(operation, n, is_saved)?,
        };
        Ok(EntryInput { source, dtype: dtype_of(operand), tracked })
    }
}

/// Returns what an input reads that is a number, a lens, a borrowed view, or in memory that other libraries can write.
fn other_source(
    operation: &ObservedOperation<'_>,
    n: usize,
    is_saved: bool,
) -> Result<InputSource, Error> {
    let operand = &operation.inputs[n];
    let (tensor, lens) = (operand.as_tensor(), operand.as_lens());
    if tensor.is_none()
        && let Some(number) = operand.as_number()
    {
        return Ok(InputSource::Number(is_saved.then_some(number)));
    }
    if is_saved && lens.is_some() && !operation.is_composite {
        return Err(no_rule_for(operation, "its rule needs the elements of a lens"));
    }
    let elements = match (tensor, lens) {
        (Some(x), _) => InputElements::Layout(x.layout().clone()),
        (None, Some(x)) => InputElements::Chain(x.chain().clone()),
        (None, None) => InputElements::Unknown,
    };
    let copy = is_saved.then(|| operation.copy_input(n)).transpose()?;
    Ok(InputSource::Other(Box::new(OtherSource { elements, shape: operand.shape(), copy })))
}

/// Returns what `backward` does with an operation; `None` if its results have no gradient.
fn kind_of(
    operation: &ObservedOperation<'_>,
    reads: &TrackedReads,
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
        Differentiability::Rule(rule)
            if reads.n_tracked > 0 || rule.reads_old(operation, is_recorded) =>
        {
            match is_complex && !rule.is_complex() {
                true => Err(no_rule_for(operation, "its rule is for real numbers")),
                false => Ok(Some(EntryKind::Rule(rule))),
            }
        }
        Differentiability::Rule(_) | Differentiability::Constant(_) => {
            Ok(is_write.then_some(EntryKind::Constant))
        }
        _ if reads.n_tracked > 0 => Err(no_rule(operation)),
        _ => Ok(is_write.then_some(EntryKind::Constant)),
    }
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
