//! Every copy is an event.
//!
//! A copy has a reason, a size and a place in the user's code. [`record`] lists the copies that
//! are made while a function runs, and [`forbid`] refuses those that nobody asked for. Both belong to
//! the thread that calls them, and work that an operation spreads over other threads is the
//! caller's. When nobody listens, a copy costs one load more.

use crate::{Error, Layout};
use std::cell::RefCell;
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A copy that was made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CopyEvent {
    /// The operation that made it.
    pub op: &'static str,
    /// Why.
    pub reason: CopyReason,
    /// The bytes that were written.
    pub bytes: usize,
    /// The arrangement of the elements that were read; of a lens, which has none, that of the copy.
    pub from: Layout,
    /// The line that called the operation.
    pub caller: &'static Location<'static>,
}

/// Why a copy is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CopyReason {
    /// It was asked for: `copy`, `astype`, `to_vec`, `materialize`. Never forbidden.
    Requested,
    /// The new shape has no strided view.
    NoView,
    /// The elements should lie one behind the other, and do not.
    NotContiguous,
    /// The source shares elements with what is being written.
    Overlap,
    /// The operands have to be of one type.
    Cast,
    /// The memory is not aligned for its elements, or has the other byte order.
    Unaligned,
}

impl fmt::Display for CopyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CopyReason::Requested => "it was asked for",
            CopyReason::NoView => "the new shape has no strided view",
            CopyReason::NotContiguous => "the elements do not lie one behind the other",
            CopyReason::Overlap => "the source shares elements with the output",
            CopyReason::Cast => "the elements have another type",
            CopyReason::Unaligned => "the memory is not arranged as its elements need it",
        })
    }
}

impl fmt::Display for CopyEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CopyEvent { op, reason, bytes, caller, .. } = self;
        write!(f, "{caller}: {op} copied {bytes} bytes: {reason}")
    }
}

/// One scope that is open on this thread.
enum Scope {
    Record(Vec<CopyEvent>),
    Forbid,
    /// An end to the scopes around it: copies are as if nobody listened.
    Allow,
}

/// How many scopes are open on all threads together.
static LISTENING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static SCOPES: RefCell<Vec<Scope>> = const { RefCell::new(Vec::new()) };
}

/// Runs a function, and lists the copies it makes on this thread.
///
/// ```
/// use belvedere::{Tensor, copies};
///
/// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
/// let (flat, log) = copies::record(|| x.t()?.reshape([6]));
/// assert_eq!(flat?.to_vec::<i32>()?, [0, 3, 1, 4, 2, 5]);
/// assert_eq!(log[0].op, "reshape");
/// assert_eq!(log[0].bytes, 24);
/// assert!(log[0].caller.file().ends_with(".rs"));
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn record<R>(f: impl FnOnce() -> R) -> (R, Vec<CopyEvent>) {
    let scope = Open::new(Scope::Record(Vec::new()));
    let result = f();
    match scope.close() {
        Scope::Record(events) => (result, events),
        Scope::Forbid | Scope::Allow => unreachable!("scopes are closed in the order of opening"),
    }
}

/// Runs a function in which a copy that nobody asked for is an error.
///
/// What says that it copies (`copy`, `astype`, `to_vec`) still does.
///
/// ```
/// use belvedere::{ErrorKind, Tensor, copies};
///
/// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
/// let error = copies::forbid(|| x.t()?.reshape([6])).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Copy);
/// assert!(copies::forbid(|| x.t()?.copy()).is_ok());
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn forbid<R>(f: impl FnOnce() -> R) -> R {
    let _scope = Open::new(Scope::Forbid);
    f()
}

/// Runs a function in which copies are allowed again, inside of [`forbid`].
pub fn allow<R>(f: impl FnOnce() -> R) -> R {
    let _scope = Open::new(Scope::Allow);
    f()
}

/// Announces a copy that is about to be made.
///
/// # Errors
/// If nobody asked for it and it is forbidden here.
pub(crate) fn announce(
    op: &'static str,
    reason: CopyReason,
    from: &Layout,
    size: usize,
    caller: &'static Location<'static>,
) -> Result<(), Error> {
    if LISTENING.load(Ordering::Relaxed) == 0 {
        return Ok(());
    }
    // A broadcast tensor may have more bytes than there are addresses.
    let bytes = from.len().saturating_mul(size);
    tell(CopyEvent { op, reason, bytes, from: from.clone(), caller })
}

#[cold]
fn tell(event: CopyEvent) -> Result<(), Error> {
    // A thread that is about to end has no scopes any more.
    let outcome = SCOPES.try_with(|scopes| {
        let scopes = &mut *scopes.borrow_mut();
        let reach = scopes.iter().rposition(|it| matches!(it, Scope::Allow)).map_or(0, |at| at + 1);
        let forbidden = scopes[reach..].iter().any(|it| matches!(it, Scope::Forbid));
        if forbidden && event.reason != CopyReason::Requested {
            let CopyEvent { op, reason, bytes, .. } = event;
            return Err(Error::CopyForbidden { op, reason, bytes });
        }
        for scope in scopes.iter_mut() {
            if let Scope::Record(events) = scope {
                events.push(event.clone());
            }
        }
        Ok(())
    });
    outcome.unwrap_or(Ok(()))
}

/// A scope that is open until it is closed or dropped, in the reverse order of opening.
struct Open {
    depth: usize,
}

impl Open {
    fn new(scope: Scope) -> Open {
        LISTENING.fetch_add(1, Ordering::Relaxed);
        SCOPES.with_borrow_mut(|scopes| {
            scopes.push(scope);
            Open { depth: scopes.len() - 1 }
        })
    }

    fn close(self) -> Scope {
        let scope = SCOPES
            .with_borrow_mut(|scopes| std::mem::replace(&mut scopes[self.depth], Scope::Allow));
        drop(self);
        scope
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        SCOPES.with_borrow_mut(|scopes| scopes.truncate(self.depth));
        LISTENING.fetch_sub(1, Ordering::Relaxed);
    }
}
