//! Scopes: which tapes record a thread, and inside of which none does.

use crate::few::Few;
use crate::tape::TapeShared;
use belvedere::{Error, StorageId, Tensor};
use std::cell::RefCell;
use std::mem;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A tape that records this thread. It is counted by the thread alone: each operation takes and releases it, and two atomic
/// operations take as long as a tenth of what recording does.
pub(crate) type ActiveTape = Rc<Arc<TapeShared>>;

/// What a scope does to the operations of its thread.
enum ScopeKind {
    /// The tape records them.
    Recorded(ActiveTape),
    /// The tapes of the scopes around it do not record them.
    Hidden,
}

thread_local! {
    /// The scopes that this thread is inside of, the innermost last; some may have ended on another thread.
    static SCOPES: RefCell<Vec<(ScopeKind, ScopeState)>> = const { RefCell::new(Vec::new()) };
}

/// Whether a scope is open. It is shared by the thread that opened it and the value that ends it.
#[derive(Clone)]
struct ScopeState(Arc<AtomicBool>);

impl ScopeState {
    /// Opens a scope of this thread.
    fn open(kind: ScopeKind) -> ScopeState {
        let state = ScopeState(Arc::new(AtomicBool::new(true)));
        SCOPES.with_borrow_mut(|scopes| scopes.push((kind, state.clone())));
        state
    }

    fn is_open(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn close(&self) {
        self.0.store(false, Ordering::Relaxed);
        // Another thread forgets it when it asks for its tapes.
        let _ = SCOPES.try_with(forget_closed);
    }
}

/// Removes the scopes that have ended. They are dropped after the list is released: one may be the last owner of a tape.
fn forget_closed(scopes: &RefCell<Vec<(ScopeKind, ScopeState)>>) {
    let Ok(mut all) = scopes.try_borrow_mut() else { return };
    if all.iter().all(|(_, it)| it.is_open()) {
        return;
    }
    let (open, closed): (Vec<_>, Vec<_>) =
        mem::take(&mut *all).into_iter().partition(|(_, it)| it.is_open());
    *all = open;
    drop(all);
    drop(closed);
}

/// The time that a tape records the thread that started it, until it is dropped ([`Tape::start`](crate::Tape::start)).
///
/// It may be dropped on any thread, and in any order relative to other scopes.
#[must_use = "the recording ends when the value is dropped"]
pub struct TapeScope(ScopeState);

impl TapeScope {
    pub(crate) fn enter(tape: &Arc<TapeShared>) -> TapeScope {
        TapeScope(ScopeState::open(ScopeKind::Recorded(Rc::new(Arc::clone(tape)))))
    }
}

impl Drop for TapeScope {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Returns the tapes that record this thread, the innermost last: those that were started since the innermost
/// [`no_tape`].
pub(crate) fn active_tapes() -> Few<ActiveTape> {
    SCOPES.with(forget_closed);
    SCOPES.with_borrow(|scopes| {
        let is_hiding = |(kind, _): &(ScopeKind, ScopeState)| matches!(kind, ScopeKind::Hidden);
        let first = scopes.iter().rposition(is_hiding).map_or(0, |at| at + 1);
        let mut tapes: Few<ActiveTape> = Few::new();
        for (kind, _) in &scopes[first..] {
            if let ScopeKind::Recorded(tape) = kind
                && !tapes.iter().any(|it| Arc::ptr_eq(it, tape))
            {
                tapes.push(Rc::clone(tape));
            }
        }
        tapes
    })
}

/// Returns the tape that records this thread, if the thread is inside of no other scope.
pub(crate) fn only_active_tape() -> Option<ActiveTape> {
    SCOPES.with_borrow(|scopes| match &scopes[..] {
        [(ScopeKind::Recorded(tape), state)] if state.is_open() => Some(Rc::clone(tape)),
        _ => None,
    })
}

/// Returns the number of tapes that record the calling thread.
///
/// ```
/// use belvedere_grad::{Tape, n_recording_tapes};
///
/// let (one, two) = (Tape::new(), Tape::new());
/// assert_eq!(one.record(|| two.record(n_recording_tapes)), 2);
/// assert_eq!(n_recording_tapes(), 0);
/// ```
pub fn n_recording_tapes() -> usize {
    active_tapes().len()
}

/// Returns whether a tape that records this thread tracks a storage, but not the copy of its overwritten elements.
pub(crate) fn has_lost(storage: StorageId, copy: StorageId) -> bool {
    active_tapes().iter().any(|it| {
        let state = it.lock();
        state.tracked.contains_key(&storage) && !state.tracked.contains_key(&copy)
    })
}

/// The time that no tape records the thread that started it, until it is dropped: [`no_tape`] as a value, for bindings to
/// other languages.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere_grad::{NoTapeScope, Tape};
///
/// let (x, tape) = (tensor![2.0], Tape::new());
/// tape.watch(&x)?;
/// let recording = tape.start();
/// let unrecorded = NoTapeScope::start();
/// let constant = x.square()?;
/// drop(unrecorded);
/// let y = x.mul(&constant)?;
/// drop(recording);
/// assert_eq!(tape.backward(&y)?.wrt(&x)?.to_vec::<f64>()?, [4.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[must_use = "the scope ends when the value is dropped"]
pub struct NoTapeScope(ScopeState);

impl NoTapeScope {
    /// Starts the scope. The example of the type uses it.
    ///
    /// ```
    /// drop(belvedere_grad::NoTapeScope::start());
    /// ```
    pub fn start() -> NoTapeScope {
        NoTapeScope(ScopeState::open(ScopeKind::Hidden))
    }
}

impl Drop for NoTapeScope {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Calls `f`, whose operations are not recorded by the tapes that record this thread: what it writes to tracked tensors
/// are constants. A tape that `f` starts records.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere_grad::{Tape, no_tape};
///
/// let (x, tape) = (tensor![2.0], Tape::new());
/// tape.watch(&x)?;
/// let y = tape.record(|| {
///     let constant = no_tape(|| x.square())?;
///     x.mul(&constant)
/// })?;
/// assert_eq!(tape.backward(&y)?.wrt(&x)?.to_vec::<f64>()?, [4.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn no_tape<R>(f: impl FnOnce() -> R) -> R {
    let _scope = NoTapeScope::start();
    f()
}

/// Copies a tensor to a constant, which has no gradient.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere_grad::{Tape, stop_gradient};
///
/// let (x, tape) = (tensor![3.0], Tape::new());
/// tape.watch(&x)?;
/// let y = tape.record(|| x.mul(&stop_gradient(&x)?))?;
/// assert_eq!(tape.backward(&y)?.wrt(&x)?.to_vec::<f64>()?, [3.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If there is not enough memory.
///
/// # Memory
/// Always copies: a view shares its memory, and so its gradient, with the tensor.
pub fn stop_gradient(x: &Tensor) -> Result<Tensor, Error> {
    no_tape(|| x.copy())
}
