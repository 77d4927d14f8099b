//! Models of the borrow table, the thread pool and the table of leases.
//!
//! The modules of `crates/tensor` and `crates/grad` are compiled here unchanged, with `loom`'s types in the place of the standard
//! library's ([`sync`]). `loom` runs a test once for each interleaving of its threads, and lets each atomic load return each
//! value that the memory model allows; it reports deadlocks, and data races on its `UnsafeCell`. Storages have two bytes of
//! memory, of that type.
//!
//! `cargo xtask model` runs the tests, and then runs them on sources with one ordering weakened, or one step left out,
//! at a time: each of these must fail.

#![cfg(test)]
#![allow(dead_code, unreachable_pub, reason = "the models use a part of the modules")]

mod borrow;
mod lease;
mod pool;
mod storage;

use storage::{Error, Storage};

/// Lists of requests, as in `crates/tensor`; memory is never exhausted here.
mod tensor {
    pub(crate) fn try_collect<T>(items: impl Iterator<Item = T>) -> Result<Vec<T>, super::Error> {
        Ok(items.collect())
    }
}

/// The primitives of synchronisation, under the names of `src/sync.rs` in `crates/tensor` and `crates/grad`.
mod sync {
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard, atomic};
    pub(crate) use loom::thread::{self, ThreadId};
    pub(crate) use std::sync::PoisonError;

    pub(crate) fn current_thread() -> ThreadId {
        thread::current().id()
    }
}

/// No model is interrupted.
mod cancel {
    pub(crate) fn check_interrupt() {}
}

/// The generation of the process that a thread is in: a thread that forks becomes the child.
mod fork {
    use std::cell::Cell;

    loom::thread_local! {
        static GENERATION: Cell<u64> = Cell::new(1 << 32);
    }

    pub(crate) fn generation() -> u64 {
        GENERATION.with(Cell::get)
    }

    pub(crate) fn register() -> u64 {
        generation()
    }

    /// Makes the current thread that of a child.
    pub(crate) fn become_child() {
        GENERATION.with(|it| it.set(it.get() + (1 << 32)));
    }
}

/// Runs a model with at most `preemptions` involuntary switches between threads in one execution; all if `None`.
fn check(preemptions: impl Into<Option<usize>>, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions.into();
    builder.max_branches = 10_000;
    let n_executions = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counter = std::sync::Arc::clone(&n_executions);
    builder.check(move || {
        counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        model();
    });
    // `cargo xtask model` reads this line.
    let n_executions = n_executions.load(std::sync::atomic::Ordering::Relaxed);
    eprintln!("model {}: {n_executions}", std::thread::current().name().unwrap_or("test"));
}
