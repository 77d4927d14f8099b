//! Cancellation: ends a running kernel early, because memory is exhausted or the caller was interrupted.
//!
//! Kernels return no errors: conditions on arguments are checked before they start. Two things can end one later, a
//! temporary buffer that cannot be allocated and an interrupt. Both unwind the stack with a payload of this module,
//! without a message, through the pieces of the [pool](crate::pool) to the operation, which becomes an [`Error`]. All
//! buffers, claims and new results are dropped on the way, as they are when a closure of the user panics. A program that is
//! compiled with `panic = "abort"` aborts when a buffer cannot be allocated, and is not interrupted.
//!
//! A new result is dropped then. An existing output is unchanged if a buffer cannot be allocated: a kernel that may write to
//! one allocates the buffers of all threads before it writes (`kernel/parallel.rs`). After an interrupt it may be partly
//! written. It stays valid.

use crate::Error;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::thread;
use std::time::{Duration, Instant};

/// The payload of a cancellation.
struct Cancelled(Error);

/// Unwinds to the innermost [`catch`], without the message of a panic.
#[cold]
pub(crate) fn cancel(reason: Error) -> ! {
    panic::resume_unwind(Box::new(Cancelled(reason)))
}

/// Calls `f`, which runs a kernel, and returns a cancellation as an error. Panics pass through.
///
/// # Errors
/// If the kernel was cancelled.
#[inline]
pub(crate) fn catch<R>(f: impl FnOnce() -> R) -> Result<R, Error> {
    // Unwind safety: what `f` has changed is an output, which the caller drops or documents as partly written.
    panic::catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
        match payload.downcast::<Cancelled>() {
            Ok(cancelled) => cancelled.0,
            Err(panic) => panic::resume_unwind(panic),
        }
    })
}

/// Returns an empty vector with capacity for `n` elements, for temporary use inside of a kernel. Without enough memory it
/// cancels the kernel.
pub(crate) fn scratch<T>(n: usize) -> Vec<T> {
    let mut buffer = Vec::new();
    extend_scratch(&mut buffer, n);
    buffer
}

/// Like [`scratch`], with `n` copies of a value in it.
pub(crate) fn scratch_of<T: Clone>(value: T, n: usize) -> Vec<T> {
    let mut buffer = scratch(n);
    buffer.resize(n, value);
    buffer
}

/// Like [`scratch`], with the items of an iterator in it.
pub(crate) fn collect_scratch<T>(items: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut buffer = scratch(items.len());
    buffer.extend(items);
    buffer
}

/// Makes the capacity of a buffer suffice for `n` elements in all. Without enough memory it cancels the kernel.
pub(crate) fn extend_scratch<T>(buffer: &mut Vec<T>, n: usize) {
    let missing = n.saturating_sub(buffer.len());
    if buffer.try_reserve_exact(missing).is_err() {
        cancel(Error::OutOfMemory { bytes: n.saturating_mul(size_of::<T>()) });
    }
}

/// Checks that `n` elements could be allocated, for code of other crates that allocates them infallibly. Without enough
/// memory it cancels the kernel.
pub(crate) fn check_memory<T>(n: usize) {
    // `black_box`: the compiler may remove an allocation that is not used.
    std::hint::black_box(scratch::<T>(n).as_mut_ptr());
}

/// How often the question of [`interruptible`] is asked.
const PERIOD: Duration = Duration::from_millis(50);

/// The question of [`interruptible`], and when it is asked next.
#[derive(Clone, Copy)]
struct Interrupts {
    is_interrupted: fn() -> bool,
    next: Instant,
}

thread_local! {
    /// The innermost [`interruptible`] on this thread.
    static INTERRUPTS: Cell<Option<Interrupts>> = const { Cell::new(None) };
}

/// Calls `f`; meanwhile, operations of this thread ask `is_interrupted` about every 50 ms whether to stop.
///
/// A long operation asks between pieces of about 2²³ elements. When the answer is `true`, it returns
/// [`Error::Interrupted`] once the pieces that other threads have begun are finished: a new result is dropped, an existing output may
/// be partly written and stays valid, and the operands are no longer borrowed. One matrix factorization, one Fourier
/// transform and the sort of one lane are not interrupted.
///
/// `is_interrupted` is called while the operation borrows its operands: it must not use tensors.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::interruptible;
///
/// let x = Tensor::zeros([1 << 20], DType::UInt8)?;
/// interruptible(|| false, || x.add_assign(1))?;
/// assert_eq!(x.get::<u8>(&[0])?, 1);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// Those of `f`, and [`Error::Interrupted`].
pub fn interruptible<R>(
    is_interrupted: fn() -> bool,
    f: impl FnOnce() -> Result<R, Error>,
) -> Result<R, Error> {
    struct RestoreInterrupts(Option<Interrupts>);
    impl Drop for RestoreInterrupts {
        fn drop(&mut self) {
            INTERRUPTS.set(self.0);
        }
    }
    let interrupts = Interrupts { is_interrupted, next: Instant::now() + PERIOD };
    let _restore = RestoreInterrupts(INTERRUPTS.replace(Some(interrupts)));
    catch(f)?
}

/// Cancels the kernel of this thread if it is interrupted. Called between pieces of work.
#[inline]
pub(crate) fn check_interrupt() {
    if INTERRUPTS.get().is_some() {
        ask_if_due();
    }
}

#[cold]
fn ask_if_due() {
    let Some(Interrupts { is_interrupted, next }) = INTERRUPTS.get() else { return };
    let now = Instant::now();
    // A destructor that runs an operation while a panic unwinds must not panic again.
    if now < next || thread::panicking() || cfg!(panic = "abort") {
        return;
    }
    INTERRUPTS.set(Some(Interrupts { is_interrupted, next: now + PERIOD }));
    if is_interrupted() {
        cancel(Error::Interrupted);
    }
}
