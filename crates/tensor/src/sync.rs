//! The primitives of synchronisation that the borrow table and the thread pool use.
//!
//! The models in `model/` compile these modules with the types of `loom` under the same names, which try every
//! interleaving of their threads.

pub(crate) use std::sync::atomic;
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
pub(crate) use std::thread;
pub(crate) use std::thread::ThreadId;

/// Returns the id of this thread, which a forked child keeps.
pub(crate) fn current_thread() -> ThreadId {
    thread_local! {
        static ID: ThreadId = thread::current().id();
    }
    ID.try_with(|id| *id).unwrap_or_else(|_| thread::current().id())
}
