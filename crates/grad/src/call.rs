//! Calls of functions that a tape records as one entry, or runs again: what they allocate, read and write.
//!
//! Such a function may write only to memory that it has allocated itself. What it reads of older memory are its inputs,
//! whether they are arguments or were captured.

use crate::entry::{EntryInput, InputElements, InputSource, OtherSource};
use crate::error::{GradientError, Line};
use crate::few::Few;
use crate::lease::Lease;
use crate::observer;
use crate::scope::{ActiveTape, no_tape};
use crate::tape::TapeState;
use belvedere::trace::{EventKind, EventOperand, ObservedOperation};
use belvedere::{DType, Error, Layout, Operand, StorageId, Tensor, copies};
use std::cell::RefCell;
use std::collections::HashSet;

thread_local! {
    /// The calls that this thread is inside of, the innermost last.
    static CALLS: RefCell<Vec<CallLog>> = const { RefCell::new(Vec::new()) };
}

/// What a call has done to memory.
pub(crate) struct CallLog {
    /// What the function is called in errors.
    op: &'static str,
    line: Line,
    time: u64,
    /// The storages that were allocated since the call began.
    fresh: HashSet<StorageId>,
    /// What was read of older storages, each layout once.
    pub reads: Vec<CallRead>,
    seen: HashSet<(StorageId, Layout, DType)>,
}

/// Elements that a call has read.
pub(crate) struct CallRead {
    pub tensor: Tensor,
    /// The line that read them.
    pub line: Line,
    /// Keeps them as they were read.
    _lease: Option<Lease>,
}

/// Ends a call when it is dropped, also by a panic.
struct OpenCall;

impl Drop for OpenCall {
    fn drop(&mut self) {
        let ended = CALLS.with_borrow_mut(Vec::pop);
        // Not inside of the list: a lease may be the last owner of memory.
        drop(ended);
    }
}

impl CallLog {
    /// Calls a function and returns what it has done to memory since `time`.
    pub(crate) fn of<R>(
        op: &'static str,
        line: &Line,
        time: u64,
        f: impl FnOnce() -> Result<R, Error>,
    ) -> Result<(R, CallLog), Error> {
        let (line, fresh, reads, seen) = (line.clone(), HashSet::new(), Vec::new(), HashSet::new());
        CALLS.with_borrow_mut(|calls| calls.push(CallLog { op, line, time, fresh, reads, seen }));
        let open = OpenCall;
        let result = f()?;
        std::mem::forget(open);
        let log = CALLS.with_borrow_mut(Vec::pop);
        Ok((result, log.expect("the call is the innermost one")))
    }

    /// Returns results as tensors that share no storage with each other and with memory that existed before the call.
    ///
    /// # Errors
    /// If one has to be copied, and copies are forbidden here or there is not enough memory.
    pub(crate) fn own_results(&self, results: Vec<Tensor>) -> Result<Vec<Tensor>, Error> {
        let mut taken = HashSet::new();
        let own = |it: Tensor| {
            let id = it.storage().id();
            let is_own = self.fresh.contains(&id) && taken.insert(id);
            if is_own { Ok(it) } else { no_tape(|| it.copy()) }
        };
        results.into_iter().map(own).collect()
    }

    fn note_read(&mut self, operand: &Operand<'_>, line: &Line) -> Result<(), Error> {
        let lens = operand.as_lens();
        let Some(x) = operand.as_tensor().or_else(|| lens.map(|it| it.tensor())) else {
            return Ok(());
        };
        let id = x.storage().id();
        if self.fresh.contains(&id) || !self.seen.insert((id, x.layout().clone(), x.dtype())) {
            return Ok(());
        }
        let is_owned = !x.storage().is_foreign();
        let lease = || Lease::new(x.clone(), self.time, self.line.parts());
        let _lease = is_owned.then(lease).transpose()?;
        self.reads.push(CallRead { tensor: x.clone(), line: line.clone(), _lease });
        Ok(())
    }
}

/// Notes that a tensor was created without operands.
pub(crate) fn note_created(storage: StorageId) {
    let _ = CALLS.try_with(|calls| {
        if let Ok(mut calls) = calls.try_borrow_mut() {
            for call in calls.iter_mut() {
                call.fresh.insert(storage);
            }
        }
    });
}

/// Notes what an operation does, in all calls that this thread is inside of.
///
/// # Errors
/// If it writes to memory that existed before a call.
pub(crate) fn note_operation(operation: &ObservedOperation<'_>, line: &Line) -> Result<(), Error> {
    CALLS.with_borrow_mut(|calls| {
        for call in calls {
            let outputs = || operation.outputs.iter().filter_map(EventOperand::storage);
            match operation.kind {
                EventKind::InPlace => {
                    if let Some(id) = outputs().find(|it| !call.fresh.contains(it)) {
                        let (op, line, call) = (operation.op, line.to_string(), call);
                        let (function, called) = (call.op, call.line.to_string());
                        let storage = id.to_string();
                        return Err(GradientError::OutsideWrite {
                            op,
                            line,
                            function,
                            called,
                            storage,
                        }
                        .into());
                    }
                }
                EventKind::New | EventKind::Copy(_) => {
                    let inputs: Vec<StorageId> =
                        operation.inputs.iter().filter_map(observer::storage_of).collect();
                    call.fresh.extend(outputs().filter(|it| !inputs.contains(it)));
                }
                _ => {}
            }
            operation.inputs.iter().try_for_each(|it| call.note_read(it, line))?;
        }
        Ok(())
    })
}

/// Returns whether this thread is inside of a call.
pub(crate) fn is_inside() -> bool {
    CALLS.with_borrow(|calls| !calls.is_empty())
}

impl EntryInput {
    /// Returns a tensor as the input of an entry that saves it: leased, or the copy that [`copy_shared`] returned.
    ///
    /// # Errors
    /// If its elements have a gradient of another dtype.
    pub(crate) fn saving(
        (x, copy): (&Tensor, &Option<Tensor>),
        state: &TapeState,
        (op, time, line): (&'static str, u64, &Line),
    ) -> Result<EntryInput, Error> {
        let id = x.storage().id();
        let tracked = state.tracked.get(&id);
        if let Some(tracked) = tracked.map(|it| it.dtype).filter(|it| *it != x.dtype().real()) {
            let (accessed, line) = (x.dtype(), line.to_string());
            return Err(GradientError::Reinterpreted { op, tracked, accessed, line }.into());
        }
        let source = match copy {
            None => InputSource::Leased(Lease::new(x.clone(), time, line.parts())?),
            Some(copy) => {
                let (elements, shape) = (InputElements::Layout(x.layout().clone()), x.shape());
                let copy = Some(copy.clone());
                InputSource::Other(Box::new(OtherSource { elements, shape, copy }))
            }
        };
        let (tracked, dtype) = (tracked.map(|_| id), Some(x.dtype()));
        Ok(EntryInput { source, dtype, tracked })
    }
}

/// Copies those tensors whose memory other libraries can write to. Not to be called while a tape is locked.
///
/// # Errors
/// If there is not enough memory.
pub(crate) fn copy_shared(tensors: &[&Tensor]) -> Result<Vec<Option<Tensor>>, Error> {
    let copy = |x: &&Tensor| {
        let is_shared = x.storage().may_change_unseen();
        is_shared.then(|| copies::allow(|| no_tape(|| x.copy()))).transpose()
    };
    tensors.iter().map(copy).collect()
}

/// Returns the tapes among some that track the storage of one of the tensors.
pub(crate) fn tapes_tracking<'a>(
    tapes: &'a Few<ActiveTape>,
    tensors: &[&Tensor],
) -> Vec<&'a ActiveTape> {
    let tracks = |it: &&ActiveTape| {
        let state = it.lock();
        let is_tracked = |x: &&Tensor| state.tracked.contains_key(&x.storage().id());
        state.consumed.is_none() && tensors.iter().any(is_tracked)
    };
    tapes.iter().filter(tracks).collect()
}
