//! `FirstCall`: the first call of a back-end, which no fork interrupts.
//!
//! `gemm` and `faer` determine the sizes of the processor's caches in the first product that needs them, and keep them in a
//! static; other threads wait until it is written. A child that is forked meanwhile would wait for a thread that it does not
//! have. So the first call into each back-end is a small product that writes the static, under a lock that the forking thread
//! holds during the fork (`fork.rs`).

use crate::fork::HeldLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whether the first call has returned, and the lock under which it is made.
pub(super) struct FirstCall {
    has_returned: AtomicBool,
    lock: Mutex<()>,
}

impl FirstCall {
    pub(super) const fn new() -> FirstCall {
        FirstCall { has_returned: AtomicBool::new(false), lock: Mutex::new(()) }
    }

    /// Calls `f` unless it was called before in this process or its parent. Returns after that call.
    #[inline]
    pub(super) fn ensure(&self, f: fn()) {
        if !self.has_returned.load(Acquire) {
            self.call(f);
        }
    }

    #[cold]
    fn call(&self, f: fn()) {
        let _guard = self.lock();
        if !self.has_returned.load(Acquire) {
            f();
            self.has_returned.store(true, Release);
        }
    }

    /// Takes the lock for a fork.
    #[cfg(unix)]
    pub(super) fn lock_for_fork(&'static self) -> Box<dyn HeldLock> {
        Box::new(self.lock())
    }

    /// Poisoning is ignored: there is no data behind the lock.
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
