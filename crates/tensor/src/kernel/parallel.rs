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
/// anything.
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
    let n_states = pool::num_threads().min(n_pieces);
    let mut states = scratch(n_states);
    states.extend((0..n_states).map(|_| state()));
    let states = Mutex::new(states);
    pool::run(n_pieces, &|i| {
        // At most `n_states` threads run pieces, and one whose piece panics, and which loses its state, runs no other.
        let mut state = lock(&states).pop().expect("there is a state for each thread");
        f(&mut state, i);
        lock(&states).push(state);
    });
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
