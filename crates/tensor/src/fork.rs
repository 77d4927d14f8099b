//! What a forked child inherits: locks that are free, and claims that are known to be inherited.
//!
//! **The problem.** The child of a `fork` has a copy of the memory and one thread, the one that forked. A lock that
//! another thread held at that moment stays locked, and a claim on a storage stays claimed: the child would wait for
//! threads that it does not have.
//!
//! **The solution** has three parts, in handlers that the C library calls around each fork:
//!
//! 1. *Before*, the forking thread takes every lock of this library, in a fixed order, and completes every
//!    static that is initialised on first use; *after*, it releases the locks in both processes. So the child finds each
//!    of them free and the data behind it consistent.
//! 2. *In the child*, the claims of other threads are removed from the borrow tables (`LockedTables`). The claims in the
//!    words of the storages cannot be enumerated, so the child increments its *generation*: a word of an older one is
//!    reset when it is next claimed (`borrow/state.rs`).
//! 3. *In the child*, the thread pool is forgotten (`pool.rs`).
//!
//! The values that another thread was writing at the moment of the fork are a mixture of old and new ones in the
//! child. Claims that the forking thread itself holds stay valid, except those of a fork inside of an operation
//! (from a piece, see [`pool::run`](crate::pool::run)), where the child must exit or `exec`.

use std::sync::MutexGuard;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// The generation of this process, in the upper 32 bits; 0 until [`register`] is called.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// The difference between the generations of a process and of its children; also the first generation.
const STEP: u64 = 1 << 32;

/// Whether the handlers are registered, or the system has no `fork`.
static IS_HANDLED: AtomicBool = AtomicBool::new(false);

/// A lock that the forking thread holds across a fork ([`Observer::lock_for_fork`](crate::trace::Observer::lock_for_fork)):
/// a guard of a static mutex, or a type that contains one.
pub trait HeldLock {
    /// Repairs the data in the child, before the lock is released.
    fn reset_in_child(&mut self) {}
}

impl<T> HeldLock for MutexGuard<'static, T> {}

/// Returns the generation of this process: in the upper 32 bits, how many forks ago the first process registered the
/// handlers. A child never has the generation of its parent.
#[inline(always)]
pub(crate) fn generation() -> u64 {
    GENERATION.load(Relaxed)
}

/// Returns the [`generation`], after registering the handlers if that has not happened.
#[inline]
pub(crate) fn register() -> u64 {
    match generation() {
        0 => register_handlers(),
        generation => generation,
    }
}

/// Returns whether children of this process can use the library: whether the system allowed the handlers.
pub(crate) fn is_handled() -> bool {
    register();
    IS_HANDLED.load(Relaxed)
}

/// Two threads may register concurrently, so that every handler is called twice: the second call does nothing.
#[cold]
fn register_handlers() -> u64 {
    #[cfg(unix)]
    let is_handled = handlers::register();
    #[cfg(not(unix))]
    let is_handled = true;
    IS_HANDLED.fetch_or(is_handled, Relaxed);
    GENERATION.compare_exchange(0, STEP, Relaxed, Relaxed).map_or_else(|set| set, |_| STEP)
}

#[cfg(unix)]
mod handlers {
    use super::{GENERATION, HeldLock, Relaxed, STEP};
    #[cfg(any(
        feature = "factorizations",
        feature = "fft",
        feature = "matmul",
        feature = "random"
    ))]
    use crate::kernel;
    use crate::{borrow, op, pool, storage, trace};
    use std::cell::RefCell;

    thread_local! {
        /// The locks that this thread holds while it forks.
        static HELD: RefCell<Vec<Box<dyn HeldLock>>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn register() -> bool {
        // SAFETY: the handlers are functions of this library, which the C library unregisters when the library is
        // unloaded, and they do not unwind. They run on the forking thread, where they may lock, allocate and free:
        // the C library takes the locks of its allocator after the first handler and releases them before the others.
        let status = unsafe { libc::pthread_atfork(Some(prepare), Some(parent), Some(child)) };
        status == 0
    }

    /// Takes every lock of the library, an outer lock before an inner one.
    ///
    /// Another thread that holds one of them finishes without the forking thread: it runs no user code meanwhile and
    /// waits for no lock of another library. Observers are asked for their locks first.
    extern "C" fn prepare() {
        op::initialize_statics();
        #[cfg(feature = "random")]
        kernel::random::initialize_statics();
        // An error means that the thread is exiting; the child inherits the locks as they are then.
        let _ = HELD.try_with(|held| {
            let mut held = held.borrow_mut();
            if held.is_empty() {
                held.extend(trace::lock_for_fork());
                held.extend(storage::lock_for_fork());
                held.push(Box::new(borrow::LockedTables::lock()));
                #[cfg(feature = "fft")]
                held.extend(kernel::fft::lock_for_fork());
                #[cfg(feature = "matmul")]
                held.push(kernel::matmul::lock_for_fork());
                #[cfg(feature = "factorizations")]
                held.push(kernel::factor::lock_for_fork());
            }
        });
    }

    extern "C" fn parent() {
        let _ = HELD.try_with(|held| held.borrow_mut().clear());
    }

    extern "C" fn child() {
        GENERATION.fetch_add(STEP, Relaxed);
        pool::reset_in_child();
        let _ = HELD.try_with(|held| {
            let mut held = held.borrow_mut();
            held.iter_mut().for_each(|lock| lock.reset_in_child());
            held.clear();
        });
    }
}
