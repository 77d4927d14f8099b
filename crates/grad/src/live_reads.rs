//! Saved elements that a rule reads where they are, and whether another thread has overwritten them meanwhile.
//!
//! **The problem.** `backward` reads leased elements where they are if no patch concerns them. Another thread may overwrite them
//! after that was decided and before the rule has read them.
//!
//! **The solution** is optimistic: a rule runs without a lock, and is called again if what it has read was overwritten. A
//! write makes its patch while its claim is held (`lease_table.rs`). So an operation that reads elements after they were
//! overwritten finds the patch while its own claim is held, and is refused ([`check_operation`]) before it adds a wrong value
//! to a gradient in place; what a rule reads otherwise is checked when it has returned. The second time the elements are
//! read from a shadow. As long as no thread makes a patch, a check is one load.

use crate::error::GradientError;
use crate::lease;
use crate::lease_table::ReadLog;
use crate::observer::storage_of;
use belvedere::trace::ObservedOperation;
use belvedere::{Error, StorageId, Tensor};
use std::cell::RefCell;

/// The contents of a lease that are read where they are.
struct LiveRead {
    tensor: Tensor,
    /// The time of the lease.
    time: u64,
}

thread_local! {
    /// Those of the entries that this thread is passing.
    static READS: RefCell<ReadLog<LiveRead>> = const { RefCell::new(ReadLog::new()) };
}

/// Returns whether a read is of elements that were overwritten since they were saved.
fn is_patched(read: &LiveRead) -> Result<bool, Error> {
    Ok(lease::overwritten_since(&read.tensor, read.time)?.is_some())
}

/// What the rule of an entry reads where it is, until the value is dropped.
pub(crate) struct LiveReads {
    /// The number of reads of enclosing walks.
    first: usize,
}

impl LiveReads {
    pub(crate) fn start() -> LiveReads {
        LiveReads { first: READS.with_borrow(ReadLog::len) }
    }

    /// Returns whether one of the reads was overwritten: what was computed from it does not count.
    ///
    /// # Errors
    /// If the layout of a read has too many axes.
    pub(crate) fn are_overwritten(&self) -> Result<bool, Error> {
        READS.with_borrow_mut(|it| {
            Ok(it.overwritten(lease::n_patches(), self.first, is_patched)?.next().is_some())
        })
    }

    /// Returns whether one of the reads is of a storage.
    pub(crate) fn contain(&self, storage: StorageId) -> bool {
        READS.with_borrow(|it| {
            it.reads_from(self.first).any(|it| it.tensor.storage().id() == storage)
        })
    }
}

impl Drop for LiveReads {
    fn drop(&mut self) {
        // Dropped after the list is released: one may be the last owner of memory.
        let ended = READS.with_borrow_mut(|it| it.split_off(self.first));
        drop(ended);
    }
}

/// Notes that the rule which runs reads a tensor where it is. None of the first `n_patches` patches concerns it.
pub(crate) fn note(tensor: &Tensor, time: u64, n_patches: u64) {
    READS.with_borrow_mut(|it| {
        it.push(LiveRead { tensor: tensor.clone(), time }, n_patches);
    });
}

/// Refuses an operation that reads saved elements after they were overwritten. Its memory is claimed.
///
/// # Errors
/// If it does. The error does not reach the caller of `backward`, which calls the rule again.
pub(crate) fn check_operation(operation: &ObservedOperation<'_>) -> Result<(), Error> {
    READS.with_borrow_mut(|it| {
        if it.len() == 0 {
            return Ok(());
        }
        let is_read = |read: &LiveRead| {
            let id = read.tensor.storage().id();
            operation.inputs.iter().filter_map(storage_of).any(|it| it == id)
        };
        match it.overwritten(lease::n_patches(), 0, is_patched)?.any(is_read) {
            true => Err(GradientError::OverwrittenMeanwhile { op: operation.op }.into()),
            false => Ok(()),
        }
    })
}
