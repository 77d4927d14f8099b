//! Tracing: what every operation does to memory, reported by the operations themselves.
//!
//! While a scope listens, each public operation announces one [`Event`]: its name and parameters, its
//! operands and results as storage, layout and dtype, its effect (a view, new memory, a write, a copy and its
//! reason), and the line that called it. [`record`] collects them. Copy accounting ([`copies`](crate::copies))
//! is a filter of the same events. While no scope is open, an operation costs one additional load.
//!
//! ```
//! use belvedere::{prelude::*, trace};
//!
//! let x = Tensor::arange(0..6)?.reshape([2, 3])?;
//! let (_, trace) = trace::record(|| x.t()?.reshape([6])?.sum(()));
//! let events: Vec<_> = trace.events().iter().map(|it| (it.op, it.kind.name())).collect();
//! assert_eq!(events, [("t", "view"), ("reshape", "copy"), ("sum", "new")]);
//! # Ok::<(), belvedere::Error>(())
//! ```
//!
//! An event is delivered while the operation holds its claims on memory, and before anything is written in
//! place. An operation that is made of others announces its parts first, with a greater
//! [`depth`](Event::depth). An operation that fails does not announce itself.

mod announce;
mod announce_view;
mod composite;
mod event;
mod line;
mod live;
mod observe;
mod param;
mod recorder;
mod scope;
mod site;

pub use crate::fork::HeldLock;
pub use event::{Event, EventKind, EventOperand};
pub use line::LineSummary;
pub use live::LiveMemory;
pub(crate) use observe::{ClaimedElement, ClaimedMemory};
pub use observe::{Observation, ObservedOperation, Observer, observe};
pub(crate) use param::NamedParam;
pub use param::Param;
pub use recorder::{Recorder, Trace, record};
pub use scope::isolate;
pub use site::call_site;

pub(crate) use announce::{Announcement, Call, EventMemory, Touched};
pub(crate) use announce_view::{
    announce_lens, announce_new, announce_parts, announce_tensor, announce_view, announce_view_with,
};
pub(crate) use composite::{composite, composite_into, inside};
pub(crate) use scope::{
    OpenScope, ScopeKind, check_copy, discard_events_since, event_counts, freed, is_listening,
    lock_for_fork,
};

use std::fmt;
use std::sync::{Arc, OnceLock};

/// A source line of another language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallSite {
    /// The name of the file.
    pub file: Arc<str>,
    /// The line number, from 1.
    pub line: u32,
    /// The calling expression, if it is known: the byte of `line` that it begins at, and the byte of `end_line` that it
    /// ends before.
    pub columns: Option<(u32, u32)>,
    /// The number of the line that the calling expression ends in.
    pub end_line: u32,
}

impl fmt::Display for CallSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Finds call sites in another language.
static LOCATOR: OnceLock<fn() -> Option<CallSite>> = OnceLock::new();

/// Installs a function that finds the call site in another language, for [`Event::call_site`]. Returns
/// `false` if one is installed already, which then stays.
///
/// It is called on the thread that calls the operation, only while a recorder listens, and while no memory is
/// claimed. Operations that it calls itself announce nothing.
///
/// ```
/// use belvedere::{Tensor, copies, trace::{self, CallSite}};
///
/// let site = || Some(CallSite { file: "model.py".into(), line: 7, columns: None, end_line: 7 });
/// assert!(trace::locate_callers(site));
/// let (_, log) = copies::record(|| Tensor::arange(0..6)?.copy());
/// assert!(log[0].to_string().starts_with("model.py:7: "));
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn locate_callers(locator: fn() -> Option<CallSite>) -> bool {
    LOCATOR.set(locator).is_ok()
}
