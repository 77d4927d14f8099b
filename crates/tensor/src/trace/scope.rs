//! Scopes: which events are recorded, and whether copies are allowed.
//!
//! A scope belongs to the thread that opened it, including the work that its operations distribute over the
//! thread pool, or to all threads. It is shared by its thread and the value that opened it, so that it may be
//! ended on any thread and in any order relative to other scopes.

use super::event::{Event, EventKind};
use super::observe;
use crate::copies::CopyReason;
use crate::fork::HeldLock;
use crate::sync::current_thread;
use crate::{Error, StorageId};
use std::cell::{Cell, RefCell};
use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most events that a recording keeps. Later ones are counted only.
const MAX_EVENTS: usize = 1 << 20;

/// A scope of one thread or of all threads.
pub(crate) struct EventScope {
    kind: ScopeKind,
    is_for_all: bool,
    is_open: AtomicBool,
    log: Mutex<EventLog>,
}

/// What a scope does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Record(EventFilter),
    /// Makes implicit copies an error.
    Forbid,
    /// Cancels the `Forbid` scopes around it.
    Allow,
}

impl ScopeKind {
    /// Returns the events that the scope records, if it does.
    fn filter(self) -> Option<EventFilter> {
        match self {
            ScopeKind::Record(filter) => Some(filter),
            ScopeKind::Forbid | ScopeKind::Allow => None,
        }
    }
}

/// The events that a recording keeps, in the order of their number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EventFilter {
    Copies,
    All,
}

impl EventFilter {
    /// Returns whether events of a kind are kept.
    pub(super) fn keeps(self, kind: EventKind) -> bool {
        self == EventFilter::All || matches!(kind, EventKind::Copy(_))
    }
}

/// What was recorded.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventLog {
    pub events: Vec<Event>,
    /// The storages that were freed, each with the number of events before.
    pub freed: Vec<(usize, StorageId)>,
    /// The number of events that were not kept.
    pub n_dropped: usize,
    /// The number of events that were taken out of the log before these.
    n_taken: usize,
}

impl EventLog {
    /// Returns the log and leaves an empty one, which counts the events that it had.
    pub(super) fn take(&mut self) -> EventLog {
        let rest = EventLog { n_taken: self.n_recorded(), ..EventLog::default() };
        mem::replace(self, rest)
    }

    /// Returns the number of events so far, including those that were taken out.
    fn n_recorded(&self) -> usize {
        self.n_taken + self.events.len()
    }
}

/// The number of open scopes of all threads, and of observers.
static N_OPEN_SCOPES: AtomicUsize = AtomicUsize::new(0);

/// The number of open scopes that are for all threads.
static N_PROCESS_SCOPES: AtomicUsize = AtomicUsize::new(0);

/// The scopes of all threads; some may be closed.
static PROCESS_SCOPES: Mutex<Vec<Arc<EventScope>>> = Mutex::new(Vec::new());

/// The recordings of all events, of one thread or of all, which are told of freed storages.
static RECORDINGS: Mutex<Vec<Arc<EventScope>>> = Mutex::new(Vec::new());

/// The number of open scopes that record all events.
static N_RECORDINGS: AtomicUsize = AtomicUsize::new(0);

/// Held by each thread that holds the lock of a scope's log: a fork takes this one instead of all of them.
static LOGS: Mutex<()> = Mutex::new(());

/// The log of a scope, locked.
pub(crate) struct LockedLog<'a> {
    log: MutexGuard<'a, EventLog>,
    _logs: MutexGuard<'static, ()>,
}

impl Deref for LockedLog<'_> {
    type Target = EventLog;

    fn deref(&self) -> &EventLog {
        &self.log
    }
}

impl DerefMut for LockedLog<'_> {
    fn deref_mut(&mut self) -> &mut EventLog {
        &mut self.log
    }
}

thread_local! {
    /// The scopes of this thread in the order of opening; some may be closed.
    static SCOPES: RefCell<Vec<Arc<EventScope>>> = const { RefCell::new(Vec::new()) };

    /// Whether this thread is inside of [`isolate`].
    static IS_ISOLATED: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread is inside of [`isolate`].
pub(super) fn is_isolated() -> bool {
    IS_ISOLATED.try_with(Cell::get).unwrap_or(false)
}

/// Calls `f` outside of all scopes that are open: no recording has its operations, and copies are not forbidden.
///
/// Scopes that `f` opens itself apply to it, but those of all threads do not. Callers in another language are not
/// located ([`locate_callers`](super::locate_callers)). It is meant for tools that call operations which are not
/// those of the program, such as an evaluator or a profiler.
///
/// ```
/// use belvedere::{copies, prelude::*, trace};
///
/// let x = tensor![[1, 2], [3, 4]].t()?;
/// let (flat, trace) = trace::record(|| {
///     copies::forbid(|| trace::isolate(|| x.reshape([4])))
/// });
/// assert_eq!((flat?.len(), trace.events().len()), (4, 0));
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn isolate<R>(f: impl FnOnce() -> R) -> R {
    struct RestoreScopes {
        scopes: Vec<Arc<EventScope>>,
        was_isolated: bool,
    }
    impl Drop for RestoreScopes {
        fn drop(&mut self) {
            IS_ISOLATED.set(self.was_isolated);
            // Scopes that `f` left open stay.
            let inner = SCOPES.replace(mem::take(&mut self.scopes));
            SCOPES.with_borrow_mut(|it| it.extend(inner));
        }
    }
    let _restore = RestoreScopes { scopes: SCOPES.take(), was_isolated: IS_ISOLATED.replace(true) };
    f()
}

/// Returns whether a scope of some thread is open, or there is an observer.
#[inline(always)]
pub(crate) fn is_listening() -> bool {
    N_OPEN_SCOPES.load(Ordering::Relaxed) != 0
}

/// Counts a listener that is not a scope.
pub(super) fn count_listener() {
    N_OPEN_SCOPES.fetch_add(1, Ordering::Relaxed);
}

/// Removes a listener from the count.
pub(super) fn uncount_listener() {
    N_OPEN_SCOPES.fetch_sub(1, Ordering::Relaxed);
}

/// Returns which events of this thread are recorded: those of the recording that keeps most. `None` if there is no
/// recording.
pub(super) fn recorded_events() -> Option<EventFilter> {
    let of_thread = SCOPES.try_with(|scopes| widest_filter(&scopes.borrow())).unwrap_or(None);
    let of_process = match has_process_scopes() {
        true => widest_filter(&lock(&PROCESS_SCOPES)),
        false => None,
    };
    of_thread.max(of_process)
}

/// Returns whether scopes of all threads are open and apply to this one.
fn has_process_scopes() -> bool {
    N_PROCESS_SCOPES.load(Ordering::Relaxed) != 0 && !is_isolated()
}

/// Returns the filter of the open recording that keeps most.
fn widest_filter(scopes: &[Arc<EventScope>]) -> Option<EventFilter> {
    scopes.iter().filter(|it| it.is_open()).filter_map(|it| it.kind.filter()).max()
}

/// Checks that a copy may be made.
///
/// # Errors
/// If it is an implicit copy and those are forbidden here.
#[inline]
pub(crate) fn check_copy(
    op: &'static str,
    reason: CopyReason,
    bytes: impl FnOnce() -> usize,
) -> Result<(), Error> {
    if !is_listening() || reason == CopyReason::Requested {
        return Ok(());
    }
    let scopes = open_scopes();
    let allow = scopes.iter().rposition(|it| it.kind == ScopeKind::Allow);
    let after_allow = allow.map_or(0, |at| at + 1);
    match scopes[after_allow..].iter().any(|it| it.kind == ScopeKind::Forbid) {
        true => Err(Error::CopyForbidden { op, reason, bytes: bytes() }),
        false => Ok(()),
    }
}

/// Records an event.
pub(super) fn publish(event: Event) {
    let kind = event.kind;
    let takes = |scope: &EventScope| {
        scope.kind.filter().is_some_and(|it| it.keeps(kind)) && scope.is_open()
    };
    if has_process_scopes() {
        for scope in lock(&PROCESS_SCOPES).iter().filter(|it| takes(it)) {
            scope.push(event.clone());
        }
    }
    let _ = SCOPES.try_with(|scopes| {
        let scopes = scopes.borrow();
        let mut takers = scopes.iter().filter(|it| takes(it)).peekable();
        while let Some(scope) = takers.next() {
            if takers.peek().is_none() {
                return scope.push(event);
            }
            scope.push(event.clone());
        }
    });
}

/// Tells the recordings of this thread and of all threads that a storage was freed.
#[cold]
pub(crate) fn freed(id: StorageId) {
    if N_RECORDINGS.load(Ordering::Relaxed) == 0 {
        return;
    }
    let is_own = |scope: &Arc<EventScope>| {
        let is_there = |own: &RefCell<Vec<_>>| own.borrow().iter().any(|it| Arc::ptr_eq(it, scope));
        SCOPES.try_with(is_there).unwrap_or(false)
    };
    let is_isolated = is_isolated();
    let is_told = |it: &&Arc<EventScope>| if it.is_for_all { !is_isolated } else { is_own(it) };
    for scope in lock(&RECORDINGS).iter().filter(is_told) {
        let mut log = scope.log();
        let at = log.events.len();
        if log.freed.len() < MAX_EVENTS {
            log.freed.push((at, id));
        }
    }
}

/// The number of events in each recording of this thread at some point.
pub(crate) struct EventCounts(Vec<(Arc<EventScope>, usize)>);

/// Returns the number of events in each recording of this thread.
#[inline]
pub(crate) fn event_counts() -> EventCounts {
    match is_listening() {
        false => EventCounts(Vec::new()),
        true => count_events(),
    }
}

#[cold]
fn count_events() -> EventCounts {
    let scopes = open_scopes().into_iter();
    let lengths = scopes.map(|scope| {
        let n_events = scope.log().n_recorded();
        (scope, n_events)
    });
    EventCounts(lengths.collect())
}

/// Removes the events of this thread that were recorded since the counts were taken. A scope of all threads may have
/// recorded those of others meanwhile. Events that were taken out of a recording since then stay where they are.
pub(crate) fn discard_events_since(counts: EventCounts) {
    for (scope, n_events) in counts.0 {
        let mut log = scope.log();
        let n_events = n_events.saturating_sub(log.n_taken).min(log.events.len());
        let (later, thread) = (log.events.split_off(n_events), current_thread());
        let mut withdrawn = Vec::new();
        for (i, event) in later.into_iter().enumerate() {
            match event.thread == thread {
                true => withdrawn.push(n_events + i),
                false => log.events.push(event),
            }
        }
        // Storages were freed after as many events less.
        for (at, _) in &mut log.freed {
            *at -= withdrawn.partition_point(|&it| it < *at);
        }
    }
}

/// Returns the open scopes of all threads, then those of this thread in the order of opening; of this thread
/// none if its thread-local values are being dropped.
fn open_scopes() -> Vec<Arc<EventScope>> {
    let mut open = {
        let mut scopes = lock(&PROCESS_SCOPES);
        scopes.retain(|it| it.is_open());
        if is_isolated() { Vec::new() } else { scopes.clone() }
    };
    let _ = SCOPES.try_with(|scopes| {
        let scopes = &mut *scopes.borrow_mut();
        scopes.retain(|it| it.is_open());
        open.extend(scopes.iter().cloned());
    });
    open
}

/// Takes the locks of this module before a fork.
pub(crate) fn lock_for_fork() -> Vec<Box<dyn HeldLock>> {
    let mut held = observe::lock_for_fork();
    held.push(Box::new(lock(&PROCESS_SCOPES)));
    held.push(Box::new(lock(&RECORDINGS)));
    held.push(Box::new(lock(&LOGS)));
    held
}

/// Locks a list. Poisoning is ignored: no code panics while it changes one.
fn lock<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

impl EventScope {
    fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    /// Locks what was recorded.
    pub(crate) fn log(&self) -> LockedLog<'_> {
        let _logs = lock(&LOGS);
        LockedLog { log: lock(&self.log), _logs }
    }

    fn push(&self, event: Event) {
        let mut log = self.log();
        match log.events.len() < MAX_EVENTS {
            true => log.events.push(event),
            false => log.n_dropped += 1,
        }
    }
}

/// A scope that stays open until it is ended or dropped.
pub(crate) struct OpenScope(Arc<EventScope>);

impl OpenScope {
    /// Opens a scope of this thread.
    pub(crate) fn new(kind: ScopeKind) -> OpenScope {
        let scope = OpenScope::open(kind, false);
        // Fails if the thread-local values of this thread are being dropped.
        let _ = SCOPES.try_with(|scopes| scopes.borrow_mut().push(Arc::clone(&scope.0)));
        scope
    }

    /// Opens a scope of all threads.
    pub(crate) fn for_all_threads(kind: ScopeKind) -> OpenScope {
        let scope = OpenScope::open(kind, true);
        lock(&PROCESS_SCOPES).push(Arc::clone(&scope.0));
        N_PROCESS_SCOPES.fetch_add(1, Ordering::Relaxed);
        scope
    }

    fn open(kind: ScopeKind, is_for_all: bool) -> OpenScope {
        let (is_open, log) = (AtomicBool::new(true), Mutex::default());
        let scope = Arc::new(EventScope { kind, is_for_all, is_open, log });
        if kind == ScopeKind::Record(EventFilter::All) {
            lock(&RECORDINGS).push(Arc::clone(&scope));
            N_RECORDINGS.fetch_add(1, Ordering::Relaxed);
        }
        N_OPEN_SCOPES.fetch_add(1, Ordering::Relaxed);
        OpenScope(scope)
    }

    /// Locks what was recorded.
    pub(crate) fn log(&self) -> LockedLog<'_> {
        self.0.log()
    }

    pub(crate) fn end(&self) {
        if self.0.is_open.swap(false, Ordering::Relaxed) {
            N_OPEN_SCOPES.fetch_sub(1, Ordering::Relaxed);
            N_PROCESS_SCOPES.fetch_sub(usize::from(self.0.is_for_all), Ordering::Relaxed);
            if self.0.kind == ScopeKind::Record(EventFilter::All) {
                N_RECORDINGS.fetch_sub(1, Ordering::Relaxed);
                lock(&RECORDINGS).retain(|it| it.is_open());
            }
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
