//! The observer of all operations: which tapes record one, and which saved elements it overwrites.

use crate::call;
use crate::components::is_differentiable;
use crate::entry::{Entry, EntryInput, EntryKind, InputElements, InputSource, OtherSource, Region};
use crate::entry_log::EntryLog;
use crate::error::GradientError;
use crate::few::Few;
use crate::lease::{self, Patch};
use crate::live_reads;
use crate::recording::{Touched, add_entry, line_of, no_rule};
use crate::rules;
use crate::scope::{self, ActiveTape, active_tapes};
use crate::tape::{self, TapeShared, TapeState};
use belvedere::trace::{
    self, EventKind, EventOperand, HeldLock, Observation, ObservedOperation, Observer,
};
use belvedere::{Error, Operand, StorageId, Tensor};
use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::rc::Rc;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

/// All tapes that were not dropped, and what keeps the observer informed while there are some.
#[derive(Default)]
struct Registry {
    tapes: Vec<Weak<TapeShared>>,
    observation: Weak<Observation>,
}

static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(Mutex::default);

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The lock of the registry, which is held across a fork.
struct HeldRegistry(MutexGuard<'static, Registry>);

impl HeldLock for HeldRegistry {
    fn reset_in_child(&mut self) {
        self.0.tapes.iter().filter_map(Weak::upgrade).for_each(|it| it.abandon_if_locked());
    }
}

thread_local! {
    /// The composite operations that this thread is inside of.
    static FRAMES: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };

    /// Whether this thread is inside of the observer, whose own operations are on tensors that no tape knows.
    static IS_OBSERVING: Cell<bool> = const { Cell::new(false) };
}

/// Sets a flag of this thread until it is dropped.
pub(crate) struct FlagScope(&'static std::thread::LocalKey<Cell<bool>>, bool);

impl FlagScope {
    pub(crate) fn set(flag: &'static std::thread::LocalKey<Cell<bool>>) -> FlagScope {
        FlagScope(flag, flag.replace(true))
    }
}

impl Drop for FlagScope {
    fn drop(&mut self) {
        self.0.set(self.1);
    }
}

/// Registers a tape; the value that is returned keeps the observer informed.
pub(crate) fn register(tape: &Arc<TapeShared>) -> Arc<Observation> {
    let mut registry = registry();
    registry.tapes.retain(|it| it.strong_count() > 0);
    registry.tapes.push(Arc::downgrade(tape));
    registry.observation.upgrade().unwrap_or_else(|| {
        let observation = Arc::new(trace::observe(Arc::new(GradientObserver)));
        registry.observation = Arc::downgrade(&observation);
        observation
    })
}

/// A composite operation that this thread is inside of.
#[derive(Default)]
struct Frame {
    /// Whether its parts are not recorded, because it has a rule.
    hides_parts: bool,
    /// The entries that are recorded when it succeeds.
    pending: Vec<PendingEntry>,
    /// Whether a part of it has written in place.
    has_written: bool,
}

/// The entry of an operation that another tape may still refuse, or that has not computed its outputs.
struct PendingEntry {
    tape: ActiveTape,
    /// The entry alone.
    log: EntryLog,
    touched: Vec<Touched>,
}

impl PendingEntry {
    /// Returns the entry of an operation, if it has one.
    fn new(
        tape: ActiveTape,
        is_recording: bool,
        operation: &ObservedOperation<'_>,
    ) -> Result<Option<PendingEntry>, Error> {
        let mut state = tape.lock();
        let Some((log, known)) = state.recording() else { return Ok(None) };
        let touched = add_entry(log, known, is_recording, operation)?;
        let own = touched.map(|touched| (state.entries.take_last(), touched));
        drop(state);
        Ok(own.map(|(log, touched)| PendingEntry { tape, log, touched }))
    }

    /// Adds the entry to those of its tape.
    fn add(self, outputs: &[EventOperand]) {
        let PendingEntry { tape, log, touched } = self;
        let mut state = tape.lock();
        state.entries.append(log);
        state.note_outputs(touched, outputs);
    }
}

/// Returns whether this thread is inside of a composite operation that has a rule.
fn hides_parts() -> bool {
    FRAMES.with_borrow(|frames| frames.iter().any(|it| it.hides_parts))
}

/// Notes that a part of a composite operation is about to write in place, if it is, and keeps what it overwrites.
fn note_write(operation: &ObservedOperation<'_>) -> Result<(), Error> {
    if operation.target().is_some() {
        FRAMES.with_borrow_mut(|frames| frames.iter_mut().for_each(|it| it.has_written = true));
    }
    keep_overwritten(operation)
}

/// Tells all tapes of all operations.
struct GradientObserver;

impl Observer for GradientObserver {
    fn observe(&self, operation: &ObservedOperation<'_>) -> Result<(), Error> {
        if IS_OBSERVING.get() {
            return Ok(());
        }
        live_reads::check_operation(operation)?;
        let _scope = FlagScope::set(&IS_OBSERVING);
        let is_part =
            || FRAMES.with_borrow(|frames| frames.len() > usize::from(operation.is_composite));
        if call::is_inside() && !is_part() {
            call::note_operation(operation, &line_of(operation))?;
        }
        if operation.is_composite {
            return finish_composite(operation);
        }
        match operation.kind {
            EventKind::Read | EventKind::Export => return check_handed_out(operation),
            EventKind::InPlace if operation.op == "write" => check_handed_out(operation)?,
            _ => {}
        }
        match hides_parts() {
            true => note_write(operation),
            false => record(operation),
        }
    }

    fn created(&self, storage: StorageId) {
        call::note_created(storage);
    }

    fn begin(&self, operation: &ObservedOperation<'_>) -> Result<(), Error> {
        let is_part = || IS_OBSERVING.get() || FRAMES.with_borrow(|frames| !frames.is_empty());
        if call::is_inside() && !is_part() {
            call::note_operation(operation, &line_of(operation))?;
        }
        let mut frame = Frame::default();
        let has_rule = rules::differentiability_of(operation.op).hides_parts();
        if !IS_OBSERVING.get() && has_rule && !hides_parts() {
            let _scope = FlagScope::set(&IS_OBSERVING);
            frame.hides_parts = true;
            match only_tape() {
                Some(tape) => {
                    frame.pending.extend(PendingEntry::new(tape, true, operation)?);
                }
                None => {
                    for ListeningTape { shared, is_recording } in tapes() {
                        let entry = PendingEntry::new(shared, is_recording, operation)?;
                        frame.pending.extend(entry);
                    }
                }
            }
        } else if !has_rule && !hides_parts() {
            check_updates(operation)?;
        }
        FRAMES.with_borrow_mut(|frames| frames.push(frame));
        Ok(())
    }

    fn end(&self) {
        let frame = FRAMES.with_borrow_mut(Vec::pop);
        // What a composite operation has written before it failed is not known.
        let written = frame.into_iter().filter(|it| it.has_written);
        for PendingEntry { tape, log, .. } in written.flat_map(|it| it.pending) {
            for entry in log.entries().filter(|it| !it.is_fresh) {
                let (op, line) = (entry.op, entry.line.to_string());
                tape.lock().broken = Some(GradientError::Interrupted { op, line });
            }
        }
    }

    fn lock_for_fork(&self) -> Vec<Box<dyn HeldLock>> {
        vec![Box::new(HeldRegistry(registry())), Box::new(lease::lock_for_fork())]
    }

    fn failed(&self, op: &'static str, caller: &'static Location<'static>) {
        if IS_OBSERVING.get() || hides_parts() {
            return;
        }
        // The tapes whose last entry is this operation.
        for tape in tapes() {
            let mut state = tape.shared.lock();
            if state.entries.ends_with_write(op) {
                let line = caller.to_string();
                state.broken = Some(GradientError::Interrupted { op, line });
            }
        }
    }
}

/// A tape that is told of an operation.
pub(crate) struct ListeningTape {
    pub shared: ActiveTape,
    /// Whether it records this thread. Otherwise what the operation writes are constants.
    pub is_recording: bool,
}

/// Returns the tape that records this thread, if there is no other one. This is the usual case; it takes no lock.
fn only_tape() -> Option<ActiveTape> {
    scope::only_active_tape().filter(|_| tape::count() == 1)
}

/// Returns all tapes.
fn tapes() -> Few<ListeningTape> {
    let active = active_tapes();
    // No lock is taken if all tapes that exist record this thread.
    if active.len() == tape::count() {
        return active.map(|shared| ListeningTape { shared, is_recording: true });
    }
    let mut tapes = Few::new();
    for shared in registry().tapes.iter().filter_map(Weak::upgrade) {
        let is_recording = active.iter().any(|own| Arc::ptr_eq(own, &shared));
        tapes.push(ListeningTape { shared: Rc::new(shared), is_recording });
    }
    tapes
}

/// Records an operation on the only tape, which is locked once, and keeps the saved elements that it overwrites.
fn record_alone(operation: &ObservedOperation<'_>, tape: ActiveTape) -> Result<(), Error> {
    let mut state = tape.lock();
    let touched = match state.recording() {
        Some((log, known)) => add_entry(log, known, true, operation)?,
        None => None,
    };
    let Some(touched) = touched else {
        drop(state);
        return keep_overwritten(operation);
    };
    // The operation may have leased the elements itself.
    if operation.target().is_none_or(|it| !lease::is_leased(it.storage().id())) {
        state.note_outputs(touched, operation.outputs);
        return Ok(());
    }
    // The copy of the elements is not made while the tape is locked, and the entry of the write follows that of the copy.
    let log = state.entries.take_last();
    drop(state);
    keep_overwritten(operation)?;
    PendingEntry { tape, log, touched }.add(operation.outputs);
    Ok(())
}

/// Records an operation on all tapes, and keeps the saved elements that it overwrites.
fn record(operation: &ObservedOperation<'_>) -> Result<(), Error> {
    if let Some(tape) = only_tape() {
        return record_alone(operation, tape);
    }
    // No tape records an operation that another one refuses.
    let mut entries = Few::new();
    for ListeningTape { shared, is_recording } in tapes() {
        if let Some(entry) = PendingEntry::new(shared, is_recording, operation)? {
            entries.push(entry);
        }
    }
    // After the leases of this operation's own inputs, which it may overwrite, and before the entry of the write.
    keep_overwritten(operation)?;
    entries.into_iter().for_each(|it| it.add(operation.outputs));
    Ok(())
}

/// Keeps the saved elements that an operation is about to overwrite.
fn keep_overwritten(operation: &ObservedOperation<'_>) -> Result<(), Error> {
    if let Some(target) = operation.target()
        && let Some(patch) = lease::keep_overwritten(operation, target)?
    {
        record_patch(&patch, target);
    }
    Ok(())
}

/// Records a composite operation after its parts.
fn finish_composite(operation: &ObservedOperation<'_>) -> Result<(), Error> {
    let (hides_parts, pending) = FRAMES.with_borrow_mut(|frames| match frames.last_mut() {
        Some(frame) => (frame.hides_parts, std::mem::take(&mut frame.pending)),
        None => (false, Vec::new()),
    });
    let outputs = operation.outputs;
    for entry in pending {
        let is_write = entry.log.ends_with_write(operation.op);
        if is_write || outputs.iter().filter_map(EventOperand::dtype).any(is_differentiable) {
            entry.add(outputs);
        }
    }
    match hides_parts {
        true => Ok(()),
        false => check_parts(operation),
    }
}

/// Checks that an operation without a rule does not compute its output from what the output contains: its parts need not
/// say that they read it.
fn check_updates(operation: &ObservedOperation<'_>) -> Result<(), Error> {
    let Some(id) = operation.target().map(|it| it.storage().id()) else { return Ok(()) };
    let is_read = operation.inputs.iter().filter_map(storage_of).any(|it| it == id);
    let is_recorded =
        |it: &ListeningTape| it.is_recording && it.shared.lock().tracked.contains_key(&id);
    match is_read && !operation.is_isolated && tapes().into_iter().any(|it| is_recorded(&it)) {
        true => Err(no_rule(operation)),
        false => Ok(()),
    }
}

/// Checks that the parts of an operation without a rule have passed its gradient on.
fn check_parts(operation: &ObservedOperation<'_>) -> Result<(), Error> {
    if hides_parts() || operation.is_isolated {
        return Ok(());
    }
    for tape in tapes().into_iter().filter(|it| it.is_recording) {
        let state = tape.shared.lock();
        let is_tracked = |it: &StorageId| state.tracked.contains_key(it);
        let mut inputs = operation.inputs.iter().filter_map(storage_of);
        let is_lost = |it: &EventOperand| {
            it.dtype().is_some_and(is_differentiable)
                && !it.storage().is_some_and(|it| is_tracked(&it))
        };
        if inputs.any(|it| is_tracked(&it)) && operation.outputs.iter().any(is_lost) {
            return Err(no_rule(operation));
        }
    }
    Ok(())
}

/// Returns the storage of an operand, if it has one.
pub(crate) fn storage_of(operand: &Operand<'_>) -> Option<StorageId> {
    match (operand.as_tensor(), operand.as_lens()) {
        (Some(tensor), _) => Some(tensor.storage().id()),
        (None, Some(lens)) => Some(lens.tensor().storage().id()),
        (None, None) => None,
    }
}

/// Checks that elements with a gradient are not handed out where the tape does not see what happens to them.
fn check_handed_out(operation: &ObservedOperation<'_>) -> Result<(), Error> {
    let Some(id) = operation.inputs.first().and_then(storage_of) else { return Ok(()) };
    let is_tracked =
        |it: &ListeningTape| it.is_recording && it.shared.lock().tracked.contains_key(&id);
    let is_leased = operation.kind == EventKind::Export && lease::is_leased(id);
    match is_leased || tapes().into_iter().any(|it| is_tracked(&it)) {
        true => {
            let (op, line) = (operation.op, line_of(operation).to_string());
            Err(GradientError::HandedOut { op, line }.into())
        }
        false => Ok(()),
    }
}

impl TapeState {
    /// Adds the outputs of the last entry, and tracks what it touches and writes.
    fn note_outputs(&mut self, touched: Vec<Touched>, outputs: &[EventOperand]) {
        for Touched { storage, dtype, span } in touched {
            self.tracked.touch(storage, dtype, span);
        }
        for output in outputs {
            let (Some(layout), Some(dtype), Some(storage)) =
                (output.layout(), output.dtype(), output.storage())
            else {
                continue;
            };
            if is_differentiable(dtype) {
                self.tracked.touch(storage, dtype, layout.span());
            }
            self.entries.push_output(storage, layout, dtype);
        }
        if self.is_dry {
            self.entries.clear();
        }
    }
}

/// Adds an entry, and tracks what it writes.
pub(crate) fn push_entry(state: &mut TapeState, mut entry: Entry, outputs: Vec<Region>) {
    entry.outputs = outputs;
    for input in &entry.inputs {
        let (Some(id), Some(dtype)) = (input.tracked, input.dtype) else { continue };
        state.tracked.touch(id, dtype, input.span());
    }
    for Region { storage, layout, dtype } in
        entry.outputs.iter().filter(|it| is_differentiable(it.dtype))
    {
        state.tracked.touch(*storage, *dtype, layout.span());
    }
    if !state.is_dry {
        state.entries.push(entry);
    }
}

/// Records the copy of elements that are about to be overwritten, on nested tapes: an enclosing tape differentiates the
/// backward of the inner one, which reads the copy.
fn record_patch(patch: &Patch, target: &Tensor) {
    // A patch consists of components.
    let (id, dtype) = (target.storage().id(), Some(target.dtype().real()));
    let recording: Vec<ListeningTape> = tapes().into_iter().filter(|it| it.is_recording).collect();
    if recording.len() < 2 {
        return;
    }
    for tape in recording {
        let mut state = tape.shared.lock();
        if !state.tracked.contains_key(&id) {
            continue;
        }
        let values = &patch.values;
        let source = match &patch.positions {
            None => InputSource::Unsaved(patch.layout.clone()),
            Some(_) => {
                let elements = InputElements::Offsets(patch.offsets());
                InputSource::Other(Box::new(OtherSource {
                    elements,
                    shape: values.shape(),
                    copy: None,
                }))
            }
        };
        let entry = Entry {
            op: patch.op,
            kind: EntryKind::Rule(&rules::COPY),
            params: Vec::new(),
            inputs: vec![EntryInput { source, dtype, tracked: Some(id) }],
            outputs: Vec::new(),
            is_fresh: true,
            line: patch.line.clone(),
            time: patch.time,
            is_of_backward: false,
        };
        push_entry(&mut state, entry, vec![Region::of(values)]);
    }
}
