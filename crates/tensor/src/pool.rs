//! A fork-join thread pool, and the number of threads that an operation may use.
//!
//! **The problem.** A kernel has a few pieces of work of about equal size and runs them in parallel, on
//! the calling thread and on worker threads. Starting must be cheap, because most operations are
//! short; and the caller must not execute unrelated work while it waits, because it holds claims on
//! storages.
//!
//! **Why not rayon.** Two measured reasons. A thread that waits inside rayon steals other tasks of the
//! user; if such a task needs the storage that the waiting thread has claimed, both deadlock (which was
//! reproduced). And waking rayon from outside costs 20 to 75 µs, more than most operations take.
//!
//! **The design** differs from one queue behind one lock, with a counter that the caller waits for:
//!
//! 1. *Each worker has a mailbox of one word, and there is no queue.* A call describes its `Region` on
//!    its own stack, writes the address into the mailboxes of free workers, and then claims pieces
//!    itself, from the same counter as the workers. A worker sees only its mailbox, so no thread ever runs
//!    a piece of an unrelated region.
//! 2. *An offer can be revoked.* A worker accepts by exchanging the address for a marked one. When the
//!    counter is exhausted, the caller exchanges each unmarked address for "free" and waits only for the
//!    workers that accepted. A worker that wakes late finds an empty mailbox, not a dead region, and a
//!    tiny region does not wait for a worker to wake.
//! 3. *Several regions may run concurrently*, each with the workers it found free, possibly none: then the
//!    caller runs all pieces itself. One region at a time would be no simpler with mailboxes, and would
//!    leave workers idle next to a narrow region. No caller waits for workers to become free; callers
//!    contend only while a worker is started, once in its life. A waiting thread waits for a thread that
//!    is inside a piece, and a piece starts no region that waits (nested calls run inline), so
//!    there is no cycle and no deadlock.
//! 4. *Idle workers spin for 50 µs and then sleep*; so does a waiting caller. The clock decides when to
//!    sleep and nothing else.
//! 5. *The pool is reached through one pointer, which a fork resets to null in the child* (`fork.rs`), where no worker
//!    exists and a lock may be held by a thread that does not. The child creates a new pool when it
//!    needs one and never accesses the old one, which is leaked.
//!
//! **The cost**, on two cores of an AMD EPYC in a virtual machine. One piece: 3 ns. Two pieces of 3.3 µs:
//! 3.4 µs if the worker is awake. If it sleeps, the caller pays 2 to 7 µs for the system call that wakes
//! it, and the worker starts about 20 µs later; an operation that ends before that takes as long as on
//! one thread plus the system call. (An empty `rayon::join` from outside: 17 µs immediately, 20 to 50 µs
//! after a pause.) Sleeping workers are woken one after the other; with dozens of cores they should wake
//! each other, in a tree. The pool takes 16 KB, and each worker a stack. Workers never exit: when the
//! number of threads is lowered, the others sleep.

mod offers;
mod region;
mod spin;
#[cfg(test)]
mod tests;
mod worker;

use crate::cancel::check_interrupt;
use crate::fork;
use offers::WorkerSlot;
use region::Region;
use std::cell::Cell;
use std::num::NonZeroUsize;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicUsize};
use std::thread::{self, LocalKey};

/// The maximal number of threads: the largest machines have about as many cores, and a mistake such as
/// passing a number of bytes must not exhaust the system.
const MAX_THREADS: usize = 1024;

/// The process-wide number of threads; 0 until it is set or first needed.
///
/// An atomic and not a `OnceLock`: a fork may happen while it is being initialised.
static CHOSEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The number of threads of the innermost [`with_num_threads`] on this thread.
    static CHOSEN_HERE: Cell<Option<usize>> = const { Cell::new(None) };
    /// Whether this thread is inside a piece. Always true for workers.
    static IN_PIECE: Cell<bool> = const { Cell::new(false) };
}

/// Returns the number of threads that operations started from this thread may use, including this thread.
///
/// It is the number of the innermost [`with_num_threads`] around the call, else that of the last
/// [`set_num_threads`], else the environment variable `BELVEDERE_NUM_THREADS` if that is a positive
/// integer, else [`std::thread::available_parallelism`]; at most 1024. The variable is read when the default is first needed. Inside
/// a piece of a parallel operation the result is 1.
///
/// ```
/// assert!(belvedere::num_threads() >= 1);
/// ```
pub fn num_threads() -> usize {
    if IN_PIECE.get() {
        return 1;
    }
    match CHOSEN_HERE.get().unwrap_or_else(|| CHOSEN.load(Relaxed)) {
        0 => choose_default(),
        chosen => chosen,
    }
}

/// Sets the number of threads for operations that any thread starts from now on.
///
/// 0 restores the default number. A [`with_num_threads`] that is already running keeps its number. Numbers above
/// 1024 count as 1024.
///
/// ```
/// use belvedere::{num_threads, set_num_threads};
///
/// set_num_threads(3);
/// assert_eq!(num_threads(), 3);
/// ```
pub fn set_num_threads(n: usize) {
    CHOSEN.store(n.min(MAX_THREADS), Relaxed);
}

/// Calls `f` with another number of threads for the operations that this thread starts in it.
///
/// 0 stands for the process-wide number. Calls nest, and the previous number is restored afterwards, also if `f`
/// panics. Threads that `f` starts do not inherit the number. Numbers above 1024 count as 1024.
///
/// ```
/// use belvedere::{num_threads, with_num_threads};
///
/// let before = num_threads();
/// let inside = with_num_threads(1, num_threads);
/// assert_eq!((inside, num_threads()), (1, before));
/// ```
pub fn with_num_threads<R>(n: usize, f: impl FnOnce() -> R) -> R {
    let n = if n == 0 { None } else { Some(n.min(MAX_THREADS)) };
    with_local(&CHOSEN_HERE, n, f)
}

/// Calls `body` once with each of `0..n_pieces`, on this thread and on free workers, in any order; returns
/// when all calls have returned.
///
/// All pieces run on this thread, in order, if there are fewer than two, if [`num_threads`] is 1, if
/// the call is made inside a piece of another region, or if all workers are busy. (Pieces that run
/// without any worker in the first two cases do not count as "inside a piece": nothing waits for them.)
///
/// Writes of the caller before the call are visible to every piece, and writes of the pieces are
/// visible to the caller afterwards. A child that is forked inside a piece must exit or `exec` inside it.
///
/// # Panics
///
/// Resumes the panic of a piece after every piece that had started has returned. Pieces that had
/// not started are skipped; of several panics the first one caught is resumed. The pool stays usable.
pub(crate) fn run(n_pieces: usize, body: &(dyn Fn(usize) + Sync)) {
    let n_workers = if n_pieces < 2 { 0 } else { num_threads().min(n_pieces) - 1 };
    // Each thread increments the counter once past the end, and it must not wrap around.
    let is_countable = n_pieces < usize::MAX - MAX_THREADS;
    match (n_workers > 0 && is_countable).then(ThreadPool::current).flatten() {
        Some(pool) => offers::fork_join(&pool.workers, n_workers, Region::new(n_pieces, body)),
        None => (0..n_pieces).for_each(|i| {
            check_interrupt();
            body(i);
        }),
    }
}

/// Calls `f` inside of a piece: the operations that it calls run inline.
fn inside_piece<R>(f: impl FnOnce() -> R) -> R {
    with_local(&IN_PIECE, true, f)
}

/// Determines the default number of threads, and stores it unless another thread has set one meanwhile.
#[cold]
fn choose_default() -> usize {
    let variable = std::env::var("BELVEDERE_NUM_THREADS").ok();
    let variable = variable.and_then(|text| text.trim().parse::<NonZeroUsize>().ok());
    let n = variable.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let n = n.get().min(MAX_THREADS);
    CHOSEN.compare_exchange(0, n, Relaxed, Relaxed).map_or_else(|set| set, |_| n)
}

/// Calls `f` with another value in a thread-local cell, and restores the old one, also on unwinding.
fn with_local<T: Copy, R>(cell: &'static LocalKey<Cell<T>>, value: T, f: impl FnOnce() -> R) -> R {
    struct Restore<T: Copy + 'static>(&'static LocalKey<Cell<T>>, T);
    impl<T: Copy> Drop for Restore<T> {
        fn drop(&mut self) {
            self.0.set(self.1);
        }
    }
    let _restore = Restore(cell, cell.replace(value));
    f()
}

/// The pool of this process, or null. A pool that was stored here is never freed.
static POOL: AtomicPtr<ThreadPool> = AtomicPtr::new(ptr::null_mut());

/// Forgets the pool in a forked child, which has none of its threads. One atomic store, and so async-signal-safe.
#[cfg(unix)]
pub(crate) fn reset_in_child() {
    POOL.store(ptr::null_mut(), Relaxed);
}

/// The worker threads, started in order as they are needed.
struct ThreadPool {
    workers: [WorkerSlot; MAX_THREADS - 1],
}

impl ThreadPool {
    /// Returns the pool of this process, creating it if necessary; `None` if no fork handlers could
    /// be registered.
    fn current() -> Option<&'static ThreadPool> {
        // SAFETY: the pointer is null, or `create` made it from a box, initialised it before its release
        // store, which this acquire load synchronises with, and leaked it. No `&mut` to it exists.
        match unsafe { POOL.load(Acquire).as_ref() } {
            Some(pool) => Some(pool),
            None => ThreadPool::create(),
        }
    }

    #[cold]
    fn create() -> Option<&'static ThreadPool> {
        if !fork::is_handled() {
            return None;
        }
        let new = Box::into_raw(Box::new(ThreadPool { workers: [const { OnceLock::new() }; _] }));
        match POOL.compare_exchange(ptr::null_mut(), new, Release, Acquire) {
            // SAFETY: `new` comes from a box and is leaked from here on: a pool is removed from `POOL` only
            // after a fork, and not freed then. It is accessed through shared references only.
            Ok(_) => Some(unsafe { &*new }),
            Err(other) => {
                // SAFETY: `new` comes from a box and was not published, so this is its only owner.
                drop(unsafe { Box::from_raw(new) });
                // SAFETY: as in `current`; it is not null, or the exchange would have succeeded.
                Some(unsafe { &*other })
            }
        }
    }
}
