//! What is recorded of an operation: whether it touches elements with gradients, its rule, and what the rule saves.

use crate::backward;
use crate::components::{component_span, is_differentiable};
use crate::entry::{EntryKind, InputElements, OtherSource, span_of_offsets};
use crate::entry_log::{EntryHead, EntryLog};
use crate::error::{CallLine, GradientError, Line};
use crate::lease::{self, Lease, LockedLeases};
use crate::observer::storage_of;
use crate::rules::{self, Differentiability, Rule};
use crate::tracked::TrackedStorages;
use belvedere::trace::{EventKind, EventOperand, ObservedOperation};
use belvedere::{DType, Error, Operand, StorageId, Tensor};
use std::ops::Range;

/// What a tape knows of memory.
#[derive(Clone, Copy)]
pub(crate) struct KnownMemory<'a> {
    /// The storages whose elements have gradients.
    pub tracked: &'a TrackedStorages,
    pub watched: &'a [Tensor],
    /// Whether nothing is saved.
    pub is_dry: bool,
}

/// A range of elements with gradients that a tape has not known before.
pub(crate) struct Touched {
    pub storage: StorageId,
    pub dtype: DType,
    pub span: Range<usize>,
}

/// Checks that a borrowed view, whose storage is not known, is not one of watched memory.
fn check_borrowed(
    known: KnownMemory<'_>,
    operation: &ObservedOperation<'_>,
    n: usize,
) -> Result<(), Error> {
    let Some(span) = operation.borrowed_span(n) else { return Ok(()) };
    let is_watched = |x: &Tensor| {
        let start = x.storage().address();
        start < span.end && span.start < start + x.storage().len()
    };
    match known.watched.iter().any(is_watched) {
        true => {
            let (op, line) = (operation.op, line_of(operation).to_string());
            Err(GradientError::HandedOut { op, line }.into())
        }
        false => Ok(()),
    }
}

/// Returns the error of an operation that accesses elements with a gradient as those of another dtype.
fn reinterpreted(operation: &ObservedOperation<'_>, tracked: DType, accessed: DType) -> Error {
    let (op, line) = (operation.op, line_of(operation).to_string());
    GradientError::Reinterpreted { op, tracked, accessed, line }.into()
}

/// Returns the dtype of a tensor or a lens.
fn dtype_of(operand: &Operand<'_>) -> Option<DType> {
    operand.as_tensor().map(Tensor::dtype).or_else(|| operand.as_lens().map(|it| it.dtype()))
}

/// Returns the offsets that a tensor or a lens reads.
fn span_of(operand: &Operand<'_>) -> Range<usize> {
    match (operand.as_tensor(), operand.as_lens()) {
        (Some(x), _) => x.layout().span(),
        (None, Some(x)) => span_of_offsets(x.chain().offsets().flatten()),
        (None, None) => 0..0,
    }
}

/// What an operation reads.
#[derive(Default)]
struct TrackedReads {
    /// How many inputs have a gradient.
    n_tracked: usize,
    /// The positions of those; of the first 64 inputs a bit each.
    bits: u64,
    rest: Vec<usize>,
    /// Whether an input is complex.
    is_complex: bool,
    /// What of them the tape has not known.
    touched: Vec<Touched>,
}

impl TrackedReads {
    /// Adds what an operation reads; nothing that has a gradient, if it is not recorded.
    ///
    /// # Errors
    /// If a gradient has another dtype, or a borrowed view lies in watched memory.
    fn add(
        &mut self,
        known: KnownMemory<'_>,
        operation: &ObservedOperation<'_>,
        is_recording: bool,
    ) -> Result<(), Error> {
        for (n, operand) in operation.inputs.iter().enumerate() {
            let dtype = dtype_of(operand);
            self.is_complex |= dtype.is_some_and(DType::is_complex);
            if !is_recording {
                continue;
            }
            let Some(storage) = storage_of(operand) else {
                check_borrowed(known, operation, n)?;
                continue;
            };
            let (Some(own), Some(dtype)) = (known.tracked.get(&storage), dtype) else { continue };
            if own.dtype != dtype.real() {
                return Err(reinterpreted(operation, own.dtype, dtype));
            }
            self.n_tracked += 1;
            match n {
                0..64 => self.bits |= 1 << n,
                _ => self.rest.push(n),
            }
            let span = span_of(operand);
            if !own.contains(component_span(span.clone(), dtype)) {
                self.touched.push(Touched { storage, dtype, span });
            }
        }
        Ok(())
    }

    /// Returns whether an input has a gradient.
    fn has(&self, n: usize) -> bool {
        if n < 64 { self.bits >> n & 1 == 1 } else { self.rest.contains(&n) }
    }
}

/// Adds the entry of an operation to a log, if it reads or writes elements with gradients; without its outputs, which are
/// not known of a composite operation that begins. Returns the elements that it touches for the first time; `None` if there is
/// no entry.
///
/// # Errors
/// If the operation cannot be recorded. The log is what it was, then.
pub(crate) fn add_entry(
    log: &mut EntryLog,
    known: KnownMemory<'_>,
    is_recording: bool,
    operation: &ObservedOperation<'_>,
) -> Result<Option<Vec<Touched>>, Error> {
    let is_recording = is_recording && !operation.is_isolated;
    let is_write = operation.kind == EventKind::InPlace;
    let written = operation.outputs.first().filter(|_| is_write);
    let overwritten = written.and_then(EventOperand::storage).and_then(|it| known.tracked.get(&it));
    let mut reads = TrackedReads::default();
    reads.add(known, operation, is_recording)?;
    if reads.n_tracked == 0 && overwritten.is_none() {
        return Ok(None);
    }
    let accessed = written.and_then(EventOperand::dtype);
    if let (Some(tracked), Some(accessed)) = (overwritten.map(|it| it.dtype), accessed)
        && tracked != accessed.real()
    {
        return Err(reinterpreted(operation, tracked, accessed));
    }
    let Some(kind) = kind_of(operation, &reads, is_recording)? else { return Ok(None) };
    let (op, time, begin) = (operation.op, lease::now(), log.position());
    let mut touched = Vec::new();
    if let EntryKind::Rule(rule) = kind {
        let saving = Saving { rule: (!known.is_dry).then_some(rule), reads: &reads, time };
        if let Err(error) = saving.add_inputs(log, operation) {
            log.remove_from(begin);
            return Err(error);
        }
        if !known.is_dry {
            operation.params.iter().for_each(|(name, it)| log.push_param((name, it.to_static())));
        }
        touched = reads.touched;
    }
    let is_of_backward = backward::is_running();
    let head = EntryHead { op, kind, is_fresh: !is_write, time, is_of_backward };
    log.push_head(begin, head, call_line(operation));
    Ok(Some(touched))
}

/// What of an operation's inputs is saved.
struct Saving<'a> {
    /// The rule that they are saved for, if they are.
    rule: Option<&'static Rule>,
    reads: &'a TrackedReads,
    time: u64,
}

impl Saving<'_> {
    /// Adds the inputs to the next entry of a log: leased if they are saved, in memory that only this library writes, else
    /// copied.
    fn add_inputs(
        &self,
        log: &mut EntryLog,
        operation: &ObservedOperation<'_>,
    ) -> Result<(), Error> {
        // Locked once for all inputs, and not while one is copied.
        let mut leases: Option<LockedLeases> = None;
        let n_inputs = operation.inputs.len();
        for (n, operand) in operation.inputs.iter().enumerate() {
            let tracked = if self.reads.has(n) { storage_of(operand) } else { None };
            let is_other_tracked = self.reads.n_tracked > usize::from(tracked.is_some());
            let is_saved = self.rule.is_some_and(|it| it.saves(n, n_inputs, is_other_tracked));
            match operand.as_tensor() {
                Some(x) if !is_saved => log.push_unsaved(x.layout(), Some(x.dtype()), tracked),
                Some(x) if x.storage().may_change_unseen() => {
                    leases = None;
                    add_other(log, operation, n, (tracked, is_saved))?;
                }
                Some(x) if x.dtype().is_complex() => {
                    leases = None;
                    let lease = Lease::new(x.clone(), self.time, call_line(operation))?;
                    log.push_leased_whole(lease, Some(x.dtype()), tracked);
                }
                Some(x) => {
                    let leases = leases.get_or_insert_with(LockedLeases::lock);
                    let right = leases.add(x, x.layout(), self.time, call_line(operation));
                    log.push_leased(right, Some(x.dtype()), tracked);
                }
                None => {
                    leases = None;
                    add_other(log, operation, n, (tracked, is_saved))?;
                }
            }
        }
        Ok(())
    }
}

/// Adds an input that is a number, a lens, a borrowed view, or in memory that other libraries can write.
fn add_other(
    log: &mut EntryLog,
    operation: &ObservedOperation<'_>,
    n: usize,
    (tracked, is_saved): (Option<StorageId>, bool),
) -> Result<(), Error> {
    let operand = &operation.inputs[n];
    let (tensor, lens) = (operand.as_tensor(), operand.as_lens());
    if tensor.is_none()
        && let Some(number) = operand.as_number()
    {
        log.push_number(is_saved.then_some(number));
        return Ok(());
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
    let other = Box::new(OtherSource { elements, shape: operand.shape(), copy });
    log.push_other(other, dtype_of(operand), tracked);
    Ok(())
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
    let found = match (rules::differentiability_of(operation.op), operation.kind) {
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
    Line::of_call(call_line(operation))
}

fn call_line<'a>(operation: &'a ObservedOperation<'_>) -> CallLine<'a> {
    (operation.caller, operation.call_site.as_ref())
}

/// Returns the error of an operation without a rule.
pub(crate) fn no_rule(operation: &ObservedOperation<'_>) -> Error {
    let reason = match rules::differentiability_of(operation.op) {
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
