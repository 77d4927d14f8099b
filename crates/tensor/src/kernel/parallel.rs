//! Parallel loops: over the items of a slice, and over pieces with a state for each thread.

use crate::cancel::{check_interrupt, scratch};
use crate::pool;
use crate::sync_ptr::SyncPtr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Calls `f` with each item and its position, on the threads of the pool.
pub(super) fn for_each_mut<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
    let (n, items) = (items.len(), SyncPtr::new(items.as_mut_ptr()));
    pool::run(n, &|i| {
        // SAFETY: `i` is less than `n`, and `pool::run` calls each piece once, so no two calls have the same item.
        // `items` is borrowed until all calls have returned.
        f(i, unsafe { &mut *items.get().add(i) });
    });
}

/// Calls `f` with each of `0..n_pieces` and a state that no other thread uses meanwhile, on the threads of the pool.
///
/// All states are made before the first call: a buffer that cannot be allocated ends the kernel before it has written
/// anything. So `f` must not allocate buffers, if the output may be one that exists.
pub(super) fn run_with_states<S: Send>(
    n_pieces: usize,
    state: impl Fn() -> S,
    f: impl Fn(&mut S, usize) + Sync,
) {
    // As `pool::run` does with one piece, without a list of states and its lock: short operations are called often.
    if n_pieces == 1 {
        check_interrupt();
        return f(&mut state(), 0);
    }
    let states = ThreadStates::new(max_threads(n_pieces), state);
    pool::run(n_pieces, &|i| states.with(|state| f(state, i)));
}

/// Returns how many threads run the pieces of one call at most.
pub(super) fn max_threads(n_pieces: usize) -> usize {
    pool::num_threads().min(n_pieces)
}

/// A state for each thread that runs pieces.
pub(super) struct ThreadStates<S>(Mutex<Vec<S>>);

impl<S> ThreadStates<S> {
    /// Makes `n` states.
    pub(super) fn new(n: usize, state: impl Fn() -> S) -> ThreadStates<S> {
        let mut states = scratch(n);
        states.extend((0..n).map(|_| state()));
        ThreadStates(Mutex::new(states))
    }

    /// Calls `f` with a state that no other thread uses meanwhile.
    ///
    /// # Panics
    /// If more threads call this at once than there are states.
    pub(super) fn with<R>(&self, f: impl FnOnce(&mut S) -> R) -> R {
        // A thread whose piece panics loses its state, and runs no other piece.
        let mut state = self.lock().pop().expect("there is a state for each thread");
        let result = f(&mut state);
        self.lock().push(state);
        result
    }

    fn lock(&self) -> MutexGuard<'_, Vec<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
