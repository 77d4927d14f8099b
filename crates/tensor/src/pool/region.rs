//! A region: the pieces of one parallel call, claimed by several threads from one counter.

use crate::cancel::check_interrupt;
use crate::sync::atomic::AtomicUsize;
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::{Mutex, PoisonError};
use std::any::Any;
use std::mem;
use std::panic::{self, AssertUnwindSafe};

/// One call of [`run`](super::run): its pieces, the counter from which they are claimed, and the first panic.
///
/// Lives on the caller's stack. The alignment prevents false sharing of the counter with the caller's
/// variables and leaves the low bits of the address for the marks of [`Worker`](super::worker::Worker).
#[repr(align(64))]
pub(super) struct Region<'a> {
    body: &'a (dyn Fn(usize) + Sync),
    n_pieces: usize,
    next: AtomicUsize,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// The address of a region, with the lifetime of what it borrows erased.
pub(super) type RegionPtr = *mut Region<'static>;

/// Workers share regions through raw pointers, for which the compiler does not check `Sync`.
const _: fn() = || {
    fn is_sync<T: Sync>() {}
    is_sync::<Region<'_>>();
};

impl<'a> Region<'a> {
    pub(super) fn new(n_pieces: usize, body: &'a (dyn Fn(usize) + Sync)) -> Self {
        Region { body, n_pieces, next: AtomicUsize::new(0), panic: Mutex::new(None) }
    }

    /// Claims and runs pieces until none is left. Never unwinds.
    pub(super) fn run_pieces(&self) {
        // Unwind safety: a panic leaves no value of this module inconsistent, and it is resumed in the
        // caller, which decides about its own values as it would without threads.
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
            // Relaxed: no piece is claimed twice because the addition is atomic. The memory accesses of
            // the pieces are ordered by the mailboxes.
            let claim = || Some(self.next.fetch_add(1, Relaxed)).filter(|&i| i < self.n_pieces);
            while let Some(i) = claim() {
                check_interrupt();
                (self.body)(i);
            }
        }));
        if let Err(payload) = outcome {
            self.cancel(payload);
        }
    }

    /// Skips the pieces that are not claimed yet, and stores the panic for the caller if it is the first.
    #[cold]
    fn cancel(&self, payload: Box<dyn Any + Send>) {
        self.next.store(self.n_pieces, Relaxed);
        let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            *first = Some(payload);
        } else {
            // Leaked: its destructor may panic too, which would end a worker inside of a region.
            mem::forget(payload);
        }
    }

    /// Resumes the panic of a piece, if there was one.
    pub(super) fn resume_panic(self) {
        let panic = self.panic.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(payload) = panic {
            panic::resume_unwind(payload);
        }
    }
}
