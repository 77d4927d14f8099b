//! Recording and forbidding copies: every copy is an event.
//!
//! An event has a reason, a size and a call site. [`record`] lists the copies that are made while a
//! function runs, and [`forbid`] turns implicit copies into errors. Both apply to the calling thread,
//! including the work that its operations distribute over the thread pool. While no scope is open, a
//! copy costs one additional load.
//!
//! [`Recording`], [`Forbidden`] and [`Allowed`] are the same scopes as values, for bindings to other
//! languages: those begin and end scopes in their own way, and know their own call sites
//! ([`locate_callers`]).

use crate::{Error, Layout};
use std::cell::RefCell;
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A recorded copy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CopyEvent {
    /// The name of the operation that made it.
    pub op: &'static str,
    /// Why it was made.
    pub reason: CopyReason,
    /// The number of bytes that were written.
    pub bytes: usize,
    /// The layout of the source; for a lens, which has none, that of the copy.
    pub from: Layout,
    /// The Rust source line that called the operation.
    pub caller: &'static Location<'static>,
    /// The source line of another language that called the operation, if a locator is installed
    /// ([`locate_callers`]).
    pub call_site: Option<CallSite>,
}

/// A source line of another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The name of the file.
    pub file: String,
    /// The line number, from 1.
    pub line: u32,
}

impl fmt::Display for CallSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The reason for a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CopyReason {
    /// It was requested: `copy`, `astype`, `to_vec`, `materialize`. Never forbidden.
    Requested,
    /// The new shape has no strided view.
    NoView,
    /// Contiguous elements are required.
    NotContiguous,
    /// The source shares elements with the output.
    Overlap,
    /// The operand has to be cast.
    Cast,
    /// The memory is unaligned or has the other byte order.
    Unaligned,
    /// The operand is read repeatedly and would be packed or cast each time
    /// ([`Estimate`](crate::plan::Estimate)). The copy is an optimisation: where copies are forbidden it
    /// is skipped, and is never an error.
    Reused,
}

impl fmt::Display for CopyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CopyReason::Requested => "it was requested",
            CopyReason::NoView => "the new shape has no strided view",
            CopyReason::NotContiguous => "the elements are not contiguous",
            CopyReason::Overlap => "the source shares elements with the output",
            CopyReason::Cast => "the operand has another dtype",
            CopyReason::Unaligned => "the memory is unaligned or has the other byte order",
            CopyReason::Reused => {
                "the operand is read repeatedly and would be packed or cast each time"
            }
        })
    }
}

impl fmt::Display for CopyEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CopyEvent { op, reason, bytes, caller, call_site, .. } = self;
        match call_site {
            Some(call_site) => write!(f, "{call_site}: ")?,
            None => write!(f, "{caller}: ")?,
        }
        write!(f, "{op} copied {bytes} bytes: {reason}")
    }
}

/// A scope of a thread, shared by that thread and the value that opened it.
struct CopyScope {
    kind: CopyScopeKind,
    is_open: AtomicBool,
    /// The recorded events of a `Record` scope.
    events: Mutex<Vec<CopyEvent>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CopyScopeKind {
    Record,
    Forbid,
    /// Cancels the `Forbid` scopes around it.
    Allow,
}

/// The number of open scopes of all threads.
static N_OPEN_SCOPES: AtomicUsize = AtomicUsize::new(0);

/// Finds call sites in another language.
static LOCATOR: OnceLock<fn() -> Option<CallSite>> = OnceLock::new();

thread_local! {
    /// The scopes in the order of opening; some may be closed.
    static SCOPES: RefCell<Vec<Arc<CopyScope>>> = const { RefCell::new(Vec::new()) };
}

/// Calls `f` and returns its result and the copies that it made on this thread.
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

/// Calls `f`; inside it, an implicit copy is an error.
///
/// Explicit copies (`copy`, `astype`, `to_vec`) are allowed, and copies that only save time
/// ([`CopyReason::Reused`]) are skipped.
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

/// Calls `f`; inside it, copies are allowed in spite of an enclosing [`forbid`].
///
/// ```
/// use belvedere::{Tensor, copies};
///
/// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
/// copies::forbid(|| {
///     assert!(x.t()?.reshape([6]).is_err());
///     copies::allow(|| x.t()?.reshape([6]))
/// })?;
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn allow<R>(f: impl FnOnce() -> R) -> R {
    let _allowed = Allowed::start();
    f()
}

/// Records the copies of the thread that started it, until it is ended or dropped.
///
/// It may be read, ended and dropped on any thread and in any order relative to other scopes.
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
pub struct Recording(OpenScope);

impl Recording {
    /// Starts recording.
    ///
    /// ```
    /// # use belvedere::copies::Recording;
    /// assert!(Recording::start().events().is_empty());
    /// ```
    pub fn start() -> Recording {
        Recording(OpenScope::new(CopyScopeKind::Record))
    }

    /// Returns the copies recorded so far.
    ///
    /// ```
    /// # use belvedere::{Tensor, copies::Recording};
    /// let log = Recording::start();
    /// Tensor::arange(0..6)?.copy()?;
    /// assert_eq!(log.events()[0].op, "copy");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn events(&self) -> Vec<CopyEvent> {
        self.0.0.events().clone()
    }

    /// Stops recording; the recorded events remain available. Calling it again has no effect.
    ///
    /// ```
    /// # use belvedere::{Tensor, copies::Recording};
    /// let log = Recording::start();
    /// log.end();
    /// Tensor::arange(0..6)?.copy()?;
    /// assert!(log.events().is_empty());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn end(&self) {
        self.0.end();
    }

    /// Stops recording and returns the copies.
    ///
    /// ```
    /// # use belvedere::{Tensor, copies::Recording};
    /// let log = Recording::start();
    /// Tensor::arange(0..6)?.copy()?;
    /// assert_eq!(log.finish().len(), 1);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn finish(self) -> Vec<CopyEvent> {
        self.end();
        std::mem::take(&mut *self.0.0.events())
    }
}

/// Makes implicit copies of the thread that started it an error, as [`forbid`] does, until it is ended or
/// dropped.
///
/// It may be ended and dropped on any thread and in any order relative to other scopes.
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
pub struct Forbidden(OpenScope);

impl Forbidden {
    /// Starts forbidding implicit copies.
    ///
    /// ```
    /// # use belvedere::{Tensor, copies::Forbidden};
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// let _forbidden = Forbidden::start();
    /// assert!(x.t()?.contiguous().is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn start() -> Forbidden {
        Forbidden(OpenScope::new(CopyScopeKind::Forbid))
    }

    /// Stops forbidding copies. Calling it again has no effect.
    ///
    /// ```
    /// # use belvedere::{Tensor, copies::Forbidden};
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// let forbidden = Forbidden::start();
    /// forbidden.end();
    /// assert!(x.t()?.contiguous().is_ok());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn end(&self) {
        self.0.end();
    }
}

/// Cancels every [`Forbidden`] that was started before it, as [`allow`] does, until it is ended or dropped.
///
/// It may be ended and dropped on any thread and in any order relative to other scopes.
pub struct Allowed(OpenScope);

impl Allowed {
    /// Starts allowing copies.
    ///
    /// ```
    /// # use belvedere::{Tensor, copies::{Allowed, Forbidden}};
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// let _forbidden = Forbidden::start();
    /// let _allowed = Allowed::start();
    /// assert!(x.t()?.contiguous().is_ok());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn start() -> Allowed {
        Allowed(OpenScope::new(CopyScopeKind::Allow))
    }

    /// Stops allowing copies. Calling it again has no effect.
    ///
    /// ```
    /// # use belvedere::{Tensor, copies::{Allowed, Forbidden}};
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// let _forbidden = Forbidden::start();
    /// Allowed::start().end();
    /// assert!(x.t()?.contiguous().is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn end(&self) {
        self.0.end();
    }
}

/// Installs a function that finds the call site in another language, for [`CopyEvent::call_site`]. Returns
/// `false` if one is installed already, which then stays.
///
/// It is called on the thread that calls the operation, only for copies that are recorded, and while no
/// memory is claimed. If it makes copies itself, it is called for those, too.
///
/// ```
/// use belvedere::{Tensor, copies::{self, CallSite}};
///
/// let installed = copies::locate_callers(|| Some(CallSite { file: "model.py".into(), line: 7 }));
/// assert!(installed);
/// let (_, log) = copies::record(|| Tensor::arange(0..6)?.copy());
/// assert!(log[0].to_string().starts_with("model.py:7: "));
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn locate_callers(locator: fn() -> Option<CallSite>) -> bool {
    LOCATOR.set(locator).is_ok()
}

/// Records a copy that is about to be made. Not to be called while memory is claimed, since it may call
/// the locator, which is user code.
///
/// # Errors
/// If it is an implicit copy and those are forbidden here.
pub(crate) fn announce(
    op: &'static str,
    reason: CopyReason,
    from: &Layout,
    size: usize,
    caller: &'static Location<'static>,
) -> Result<(), Error> {
    if N_OPEN_SCOPES.load(Ordering::Relaxed) == 0 {
        return Ok(());
    }
    // A broadcast tensor may have more bytes than there are addresses.
    let bytes = from.len().saturating_mul(size);
    publish(CopyEvent { op, reason, bytes, from: from.clone(), caller, call_site: None })
}

#[cold]
fn publish(mut event: CopyEvent) -> Result<(), Error> {
    let scopes = open_scopes();
    let allow = scopes.iter().rposition(|it| it.kind == CopyScopeKind::Allow);
    let after_allow = allow.map_or(0, |at| at + 1);
    let forbidden = scopes[after_allow..].iter().any(|it| it.kind == CopyScopeKind::Forbid);
    if forbidden && event.reason != CopyReason::Requested {
        let CopyEvent { op, reason, bytes, .. } = event;
        return Err(Error::CopyForbidden { op, reason, bytes });
    }
    let mut recordings = scopes.iter().filter(|it| it.kind == CopyScopeKind::Record).peekable();
    if recordings.peek().is_some() {
        event.call_site = LOCATOR.get().and_then(|locator| locator());
    }
    for recording in recordings {
        recording.events().push(event.clone());
    }
    Ok(())
}

/// The number of events in each recording of this thread at some point.
pub(crate) struct EventCounts(Vec<(Arc<CopyScope>, usize)>);

/// Returns the number of events in each recording of this thread.
#[inline]
pub(crate) fn event_counts() -> EventCounts {
    match N_OPEN_SCOPES.load(Ordering::Relaxed) {
        0 => EventCounts(Vec::new()),
        _ => count_events(),
    }
}

#[cold]
fn count_events() -> EventCounts {
    let scopes = open_scopes().into_iter();
    let lengths = scopes.map(|scope| {
        let n_events = scope.events().len();
        (scope, n_events)
    });
    EventCounts(lengths.collect())
}

/// Removes the events that were recorded since the counts were taken.
pub(crate) fn discard_events_since(counts: EventCounts) {
    for (scope, n_events) in counts.0 {
        scope.events().truncate(n_events);
    }
}

/// Returns the open scopes of this thread in the order of opening; none if its thread-local values are
/// being dropped.
fn open_scopes() -> Vec<Arc<CopyScope>> {
    let scopes = SCOPES.try_with(|scopes| {
        let scopes = &mut *scopes.borrow_mut();
        scopes.retain(|it| it.is_open.load(Ordering::Relaxed));
        scopes.clone()
    });
    scopes.unwrap_or_default()
}

impl CopyScope {
    /// Locks the events. Poisoning is ignored: no code panics while it changes the list.
    fn events(&self) -> MutexGuard<'_, Vec<CopyEvent>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A scope that stays open until it is ended or dropped.
struct OpenScope(Arc<CopyScope>);

impl OpenScope {
    fn new(kind: CopyScopeKind) -> OpenScope {
        N_OPEN_SCOPES.fetch_add(1, Ordering::Relaxed);
        let events = Mutex::new(Vec::new());
        let scope = Arc::new(CopyScope { kind, is_open: AtomicBool::new(true), events });
        // Fails if the thread-local values of this thread are being dropped.
        let _ = SCOPES.try_with(|scopes| scopes.borrow_mut().push(Arc::clone(&scope)));
        OpenScope(scope)
    }

    fn end(&self) {
        if self.0.is_open.swap(false, Ordering::Relaxed) {
            N_OPEN_SCOPES.fetch_sub(1, Ordering::Relaxed);
            // Removes it from the list of this thread; another thread removes it at its next event.
            drop(open_scopes());
        }
    }
}

impl Drop for OpenScope {
    fn drop(&mut self) {
        self.end();
    }
}
