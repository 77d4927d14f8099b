//! Recording and forbidding copies.
//!
//! A copy is an event of [`trace`](crate::trace) with a reason. [`record`] lists the copies that are made
//! while a function runs, and [`forbid`] turns implicit copies into errors. Both apply to the calling thread,
//! including the work that its operations distribute over the thread pool.
//!
//! [`Recording`], [`Forbidden`] and [`Allowed`] are the same scopes as values, for bindings to other
//! languages, which begin and end scopes in their own way.

use crate::Layout;
use crate::trace::{CallSite, Event, EventKind, EventOperand, OpenScope, Recorder, ScopeKind};
use std::fmt;
use std::panic::Location;

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
    /// ([`locate_callers`](crate::trace::locate_callers)).
    pub call_site: Option<CallSite>,
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
    /// An [`Observer`](crate::trace::Observer) has saved the elements for later, and they are overwritten.
    Saved,
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
            CopyReason::Saved => "the overwritten elements were saved for later",
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

impl CopyEvent {
    /// Returns the copy that an event is, if it is one.
    fn of(event: &Event) -> Option<CopyEvent> {
        let EventKind::Copy(reason) = event.kind else { return None };
        let Event { op, caller, .. } = *event;
        let operands = event.inputs.iter().chain(&event.outputs);
        let from = operands.filter_map(EventOperand::layout).next()?.clone();
        let (bytes, call_site) = (event.bytes_written, event.call_site.clone());
        Some(CopyEvent { op, reason, bytes, from, caller, call_site })
    }
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

/// Records the copies of the thread that started it, until it is ended or dropped: the events of
/// [`Recorder::start_for_copies`] as [`CopyEvent`]s.
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
pub struct Recording(Recorder);

impl Recording {
    /// Starts recording.
    ///
    /// ```
    /// # use belvedere::copies::Recording;
    /// assert!(Recording::start().events().is_empty());
    /// ```
    pub fn start() -> Recording {
        Recording(Recorder::start_for_copies())
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
        self.0.trace().events().iter().filter_map(CopyEvent::of).collect()
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
        self.0.finish().events().iter().filter_map(CopyEvent::of).collect()
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
        Forbidden(OpenScope::new(ScopeKind::Forbid))
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
        Allowed(OpenScope::new(ScopeKind::Allow))
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
