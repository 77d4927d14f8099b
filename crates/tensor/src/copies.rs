//! Every copy is an event.
//!
//! A copy has a reason, a size and a place in the user's code. [`record`] lists the copies that
//! are made while a function runs, and [`forbid`] refuses those that nobody asked for. Both belong to
//! the thread that calls them, and work that an operation spreads over other threads is the
//! caller's. When nobody listens, a copy costs one load more.
//!
//! Where a scope is no function, [`Recording`], [`Forbidden`] and [`Allowed`] are the same as values:
//! a language that calls this one has its own ways to begin and end things, and its own lines that
//! call ([`locate_callers`]).

use crate::{Error, Layout};
use std::cell::RefCell;
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

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
    /// The line in another language from which that was called, if somebody knows it
    /// ([`locate_callers`]).
    pub place: Option<Place>,
}

/// A line in the source of another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the file.
    pub file: String,
    /// The line in it, from 1.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
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
    /// The elements are needed again and again, and would be packed or converted each time
    /// ([`Estimate`](crate::plan::Estimate)). That saves time and is no need, so it is never refused:
    /// where copies are forbidden it is not made.
    Reused,
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
            CopyReason::Reused => "the elements are needed again and again, and lie badly for that",
        })
    }
}

impl fmt::Display for CopyEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CopyEvent { op, reason, bytes, caller, place, .. } = self;
        match place {
            Some(place) => write!(f, "{place}: ")?,
            None => write!(f, "{caller}: ")?,
        }
        write!(f, "{op} copied {bytes} bytes: {reason}")
    }
}

/// One scope of a thread, held by that thread and by whoever opened it.
struct Scope {
    kind: Kind,
    is_open: AtomicBool,
    /// What was heard, if it is a recording.
    events: Mutex<Vec<CopyEvent>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Record,
    Forbid,
    /// An end to what is forbidden around it.
    Allow,
}

/// How many scopes are open on all threads together.
static LISTENING: AtomicUsize = AtomicUsize::new(0);

/// Who knows the line that called, if that is not one of Rust's.
static LOCATOR: OnceLock<fn() -> Option<Place>> = OnceLock::new();

thread_local! {
    /// The scopes in the order of opening; some may have ended since.
    static SCOPES: RefCell<Vec<Arc<Scope>>> = const { RefCell::new(Vec::new()) };
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
    let recording = Recording::start();
    let result = f();
    (result, recording.finish())
}

/// Runs a function in which a copy that nobody asked for is an error.
///
/// What says that it copies (`copy`, `astype`, `to_vec`) still does, and what copies to save time
/// ([`CopyReason::Reused`]) takes its time instead.
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
    let _forbidden = Forbidden::start();
    f()
}

/// Runs a function in which copies are allowed again, inside of [`forbid`].
pub fn allow<R>(f: impl FnOnce() -> R) -> R {
    let _allowed = Allowed::start();
    f()
}

/// Lists the copies that this thread makes from its start to its end.
///
/// It may be read, ended and dropped on any thread and in any order with others, and hears only what
/// the thread does that started it. Dropping ends it.
///
/// ```
/// use belvedere::{Tensor, copies::Recording};
///
/// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
/// let log = Recording::start();
/// x.t()?.reshape([6])?;
/// assert_eq!(log.events().len(), 1);
/// log.end();
/// x.t()?.reshape([6])?;
/// assert_eq!(log.finish().len(), 1);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct Recording(Open);

impl Recording {
    /// Listens from now on.
    pub fn start() -> Recording {
        Recording(Open::new(Kind::Record))
    }

    /// The copies so far.
    pub fn events(&self) -> Vec<CopyEvent> {
        self.0.0.events().clone()
    }

    /// Listens no longer; what was heard stays. Ending twice is ending once.
    pub fn end(&self) {
        self.0.end();
    }

    /// Listens no longer, and gives the copies.
    pub fn finish(self) -> Vec<CopyEvent> {
        self.end();
        std::mem::take(&mut *self.0.0.events())
    }
}

/// Refuses copies that nobody asked for, on this thread and from its start to its end, as [`forbid`]
/// does.
///
/// It may be ended and dropped on any thread and in any order with others. Dropping ends it.
///
/// ```
/// use belvedere::{Tensor, copies::Forbidden};
///
/// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
/// let forbidden = Forbidden::start();
/// assert!(x.t()?.reshape([6]).is_err());
/// forbidden.end();
/// assert!(x.t()?.reshape([6]).is_ok());
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct Forbidden(Open);

impl Forbidden {
    /// Forbids from now on.
    pub fn start() -> Forbidden {
        Forbidden(Open::new(Kind::Forbid))
    }

    /// Forbids no longer. Ending twice is ending once.
    pub fn end(&self) {
        self.0.end();
    }
}

/// Allows copies again in spite of every [`Forbidden`] that was started before it, as [`allow`] does.
///
/// It may be ended and dropped on any thread and in any order with others. Dropping ends it.
pub struct Allowed(Open);

impl Allowed {
    /// Allows from now on.
    pub fn start() -> Allowed {
        Allowed(Open::new(Kind::Allow))
    }

    /// Allows no longer. Ending twice is ending once.
    pub fn end(&self) {
        self.0.end();
    }
}

/// Says who knows from which line of another language an operation was called, for
/// [`CopyEvent::place`]. The first who says so is asked; the result is whether that is this one.
///
/// It is asked on the thread that calls the operation, and only about copies that somebody records.
/// No memory is borrowed meanwhile. If it makes copies itself, it is asked about these, too.
pub fn locate_callers(locator: fn() -> Option<Place>) -> bool {
    LOCATOR.set(locator).is_ok()
}

/// Announces a copy that is about to be made; not while memory is borrowed, since others are asked
/// where it is.
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
    tell(CopyEvent { op, reason, bytes, from: from.clone(), caller, place: None })
}

#[cold]
fn tell(mut event: CopyEvent) -> Result<(), Error> {
    let scopes = open_scopes();
    let reach = scopes.iter().rposition(|it| it.kind == Kind::Allow).map_or(0, |at| at + 1);
    let forbidden = scopes[reach..].iter().any(|it| it.kind == Kind::Forbid);
    if forbidden && event.reason != CopyReason::Requested {
        let CopyEvent { op, reason, bytes, .. } = event;
        return Err(Error::CopyForbidden { op, reason, bytes });
    }
    let mut recordings = scopes.iter().filter(|it| it.kind == Kind::Record).peekable();
    if recordings.peek().is_some() {
        event.place = LOCATOR.get().and_then(|locator| locator());
    }
    for recording in recordings {
        recording.events().push(event.clone());
    }
    Ok(())
}

/// How much the recordings of this thread have heard.
pub(crate) struct Heard(Vec<(Arc<Scope>, usize)>);

/// How much the recordings of this thread have heard so far.
#[inline]
pub(crate) fn heard() -> Heard {
    match LISTENING.load(Ordering::Relaxed) {
        0 => Heard(Vec::new()),
        _ => heard_so_far(),
    }
}

#[cold]
fn heard_so_far() -> Heard {
    let scopes = open_scopes().into_iter();
    let lengths = scopes.map(|scope| {
        let n_events = scope.events().len();
        (scope, n_events)
    });
    Heard(lengths.collect())
}

/// Strikes what these recordings have heard since.
pub(crate) fn forget_since(heard: Heard) {
    for (scope, n_events) in heard.0 {
        scope.events().truncate(n_events);
    }
}

/// The scopes of this thread that are open, in the order of opening. A thread that is about to end has
/// none any more.
fn open_scopes() -> Vec<Arc<Scope>> {
    let scopes = SCOPES.try_with(|scopes| {
        let scopes = &mut *scopes.borrow_mut();
        scopes.retain(|it| it.is_open.load(Ordering::Relaxed));
        scopes.clone()
    });
    scopes.unwrap_or_default()
}

impl Scope {
    /// The list, also after a panic elsewhere: nothing panics while it is changed.
    fn events(&self) -> MutexGuard<'_, Vec<CopyEvent>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A scope that is open until it is ended or dropped.
struct Open(Arc<Scope>);

impl Open {
    fn new(kind: Kind) -> Open {
        LISTENING.fetch_add(1, Ordering::Relaxed);
        let events = Mutex::new(Vec::new());
        let scope = Arc::new(Scope { kind, is_open: AtomicBool::new(true), events });
        // A thread that is about to end has no scopes any more, and nothing to hear.
        let _ = SCOPES.try_with(|scopes| scopes.borrow_mut().push(Arc::clone(&scope)));
        Open(scope)
    }

    fn end(&self) {
        if self.0.is_open.swap(false, Ordering::Relaxed) {
            LISTENING.fetch_sub(1, Ordering::Relaxed);
            // If this is another thread, the one that started it forgets it by and by.
            drop(open_scopes());
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.end();
    }
}
