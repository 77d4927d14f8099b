//! [`Tape`]: records the operations of a thread that read or write watched elements.

use crate::anomaly;
use crate::backward;
use crate::components::{component_layout, is_differentiable};
use crate::entry::{Entry, EntryKind, Region};
use crate::entry_log::EntryLog;
use crate::error::{GradientError, Line};
use crate::few::Few;
use crate::gradients::Grads;
use crate::lease;
use crate::observer;
use crate::overlap::Membership;
use crate::recording::KnownMemory;
use crate::report::Report;
use crate::scope::{ActiveTape, TapeScope, active_tapes};
use crate::tracked::TrackedStorages;
use belvedere::trace::Observation;
use belvedere::{Error, Tensor};
use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// A record of operations, from which gradients are computed.
///
/// A tape records what the thread does inside of [`Tape::record`]: the operations that read or write elements of watched
/// tensors, and of tensors computed from them. Views are not recorded and cost nothing; writes through views are
/// ordinary operations.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere_grad::Tape;
///
/// let x = tensor![1.0, 2.0, 3.0];
/// let tape = Tape::new();
/// tape.watch(&x)?;
/// let y = tape.record(|| {
///     let y = x.copy()?;
///     y.slice(s![1..])?.mul_assign(&x.slice(s![..2])?)?; // a write through a view
///     y.square()?.sum(())
/// })?;
/// // y = x₀² + (x₁ x₀)² + (x₂ x₁)²
/// assert_eq!(tape.backward(&y)?.wrt(&x)?.to_vec::<f64>()?, [10.0, 40.0, 24.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct Tape {
    shared: Arc<TapeShared>,
    _observation: Arc<Observation>,
}

impl Drop for Tape {
    /// Ends the leases of the tape at once: another thread whose operation is observed at this moment may own the shared
    /// part a little longer.
    fn drop(&mut self) {
        let recorded = mem::take(&mut *self.shared.lock());
        // Not inside of the lock: a lease may be the last owner of memory.
        drop(recorded);
    }
}

/// The number of [`TapeShared`]s.
static N_TAPES: AtomicUsize = AtomicUsize::new(0);

/// Returns how many tapes exist, including those that are just made or dropped.
pub(crate) fn count() -> usize {
    N_TAPES.load(Ordering::Relaxed)
}

/// A tape, as the observer sees it.
pub(crate) struct TapeShared {
    state: Mutex<TapeState>,
    /// Whether a thread of the parent process held the lock of the state when this process was forked from it.
    is_abandoned: AtomicBool,
    /// Takes the place of the state then: it has no entries, and says why.
    abandoned: Mutex<TapeState>,
    is_persistent: bool,
    finds_anomalies: AtomicBool,
}

/// What a tape has recorded.
#[derive(Default)]
pub(crate) struct TapeState {
    pub entries: EntryLog,
    /// The storages whose elements have gradients.
    pub tracked: TrackedStorages,
    /// The watched tensors, which are kept alive: their addresses must stay theirs.
    pub watched: Vec<Tensor>,
    /// Why there are no gradients anymore.
    pub broken: Option<GradientError>,
    /// The line of the `backward` that has consumed the tape.
    pub consumed: Option<Line>,
    /// Whether entries are dropped: the tape only finds out what is tracked, and what is an error.
    pub is_dry: bool,
}

impl TapeState {
    /// Returns where to record an operation, and what is known of memory; `None` if none is recorded.
    pub(crate) fn recording(&mut self) -> Option<(&mut EntryLog, KnownMemory<'_>)> {
        let TapeState { entries, tracked, watched, consumed, is_dry, .. } = self;
        let is_recording = consumed.is_none() && !tracked.is_empty();
        is_recording.then_some((entries, KnownMemory { tracked, watched, is_dry: *is_dry }))
    }
}

impl Drop for TapeShared {
    fn drop(&mut self) {
        N_TAPES.fetch_sub(1, Ordering::Relaxed);
    }
}

impl TapeShared {
    fn new(state: TapeState, is_persistent: bool) -> Arc<TapeShared> {
        N_TAPES.fetch_add(1, Ordering::Relaxed);
        let [is_abandoned, finds_anomalies] = [const { AtomicBool::new(false) }; 2];
        let (state, abandoned) = (Mutex::new(state), Mutex::default());
        Arc::new(TapeShared { state, is_abandoned, abandoned, is_persistent, finds_anomalies })
    }

    /// Returns a tape that tracks what some tapes track, and that keeps no entries.
    pub(crate) fn dry(tapes: &Few<ActiveTape>) -> Arc<TapeShared> {
        let mut state = TapeState { is_dry: true, ..TapeState::default() };
        for tape in tapes.iter() {
            let own = tape.lock();
            state.tracked.extend_from(&own.tracked);
            state.watched.extend(own.watched.iter().cloned());
        }
        TapeShared::new(state, false)
    }

    /// Gives the state up if its lock is held, by a thread that this process does not have: it is a child, and the
    /// calling thread has forked it.
    pub(crate) fn abandon_if_locked(&self) {
        if let Err(TryLockError::WouldBlock) = self.state.try_lock() {
            self.is_abandoned.store(true, Ordering::Relaxed);
            self.lock().broken = Some(GradientError::Forked);
        }
    }

    fn finds_anomalies(&self) -> bool {
        self.finds_anomalies.load(Ordering::Relaxed)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, TapeState> {
        let is_abandoned = self.is_abandoned.load(Ordering::Relaxed);
        let state = if is_abandoned { &self.abandoned } else { &self.state };
        state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Tape {
    fn default() -> Tape {
        Tape::new()
    }
}

impl Tape {
    /// Creates a tape for one `backward`.
    ///
    /// ```
    /// assert_eq!(belvedere_grad::Tape::new().report().entries, 0);
    /// ```
    pub fn new() -> Tape {
        Tape::with_persistence(false)
    }

    /// Creates a tape for any number of `backward`s. It keeps what it has saved until it is dropped.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_grad::Tape;
    ///
    /// let (x, tape) = (tensor![3.0], Tape::persistent());
    /// tape.watch(&x)?;
    /// let y = tape.record(|| x.square())?;
    /// for _ in 0..2 {
    ///     assert_eq!(tape.backward(&y)?.wrt(&x)?.to_vec::<f64>()?, [6.0]);
    /// }
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn persistent() -> Tape {
        Tape::with_persistence(true)
    }

    fn with_persistence(is_persistent: bool) -> Tape {
        let state = TapeState {
            entries: EntryLog::reusing(),
            tracked: TrackedStorages::reusing(),
            ..TapeState::default()
        };
        let shared = TapeShared::new(state, is_persistent);
        let _observation = observer::register(&shared);
        Tape { shared, _observation }
    }

    /// Makes a gradient that is NaN or infinite an error, which names the operation and the line whose gradient was the
    /// first, counted from the result. Each operation's gradient is checked, which takes time.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_grad::Tape;
    ///
    /// let (x, tape) = (tensor![0.0, 1.0], Tape::new().with_anomalies());
    /// tape.watch(&x)?;
    /// let y = tape.record(|| x.sqrt()?.sum(()))?;
    /// let error = tape.backward(&y).unwrap_err().to_string();
    /// assert!(error.contains("sqrt") && error.contains("0 NaN and 1 infinite"), "{error}");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[must_use]
    pub fn with_anomalies(self) -> Tape {
        self.with_anomalies_if(true)
    }

    pub(crate) fn with_anomalies_if(self, finds_anomalies: bool) -> Tape {
        self.shared.finds_anomalies.store(finds_anomalies, Ordering::Relaxed);
        self
    }

    /// Asks for the gradient of a tensor's elements as they are now.
    ///
    /// Only watched tensors have gradients. Watching a tensor again asks for the gradient of its later contents.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_grad::Tape;
    ///
    /// let (x, tape) = (tensor![2.0], Tape::new());
    /// tape.watch(&x)?;
    /// tape.record(|| x.mul_assign(&x))?; // x is its square now
    /// tape.watch(&x)?;
    /// let y = tape.record(|| x.mul(3.0))?;
    /// assert_eq!(tape.backward(&y)?.wrt(&x)?.to_vec::<f64>()?, [3.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the dtype is not a floating-point or complex dtype, the tensor has no memory, or the tape was consumed.
    #[track_caller]
    pub fn watch(&self, x: &Tensor) -> Result<(), Error> {
        if !is_differentiable(x.dtype()) {
            return Err(no_gradient(x, &Line::here()));
        }
        if x.storage().is_meta() {
            return Err(GradientError::Meta.into());
        }
        let here = Line::here();
        let mut state = self.shared.lock();
        if let Some(earlier) = &state.consumed {
            return Err(GradientError::Consumed { line: earlier.to_string() }.into());
        }
        let (storage, dtype) = (x.storage().id(), x.dtype());
        if let Some(tracked) = state.tracked.get(&storage).filter(|it| it.dtype != dtype.real()) {
            let (tracked, line) = (tracked.dtype, here.to_string());
            let (op, accessed) = ("watch", dtype);
            return Err(GradientError::Reinterpreted { op, tracked, accessed, line }.into());
        }
        state.tracked.touch(storage, dtype, x.layout().span());
        state.watched.push(x.clone());
        state.entries.push(Entry {
            op: "watch",
            kind: EntryKind::Watch,
            params: Vec::new(),
            inputs: Vec::new(),
            outputs: vec![Region::of(x)],
            is_fresh: false,
            line: here,
            time: lease::now(),
            is_of_backward: false,
        });
        Ok(())
    }

    /// Calls `f` and records what its thread does meanwhile. It may be called several times; writes to tracked tensors
    /// between the calls are writes of constants.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_grad::Tape;
    ///
    /// let (x, tape) = (tensor![4.0], Tape::new());
    /// tape.watch(&x)?;
    /// let root = tape.record(|| x.sqrt())?;
    /// assert_eq!(tape.report().entries, 2);
    /// assert_eq!(tape.backward(&root)?.wrt(&x)?.to_vec::<f64>()?, [0.25]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn record<R>(&self, f: impl FnOnce() -> R) -> R {
        let _scope = self.start();
        f()
    }

    /// Records the calling thread until the value that is returned is dropped: [`Tape::record`] for bindings to other
    /// languages.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_grad::Tape;
    ///
    /// let (x, tape) = (tensor![4.0], Tape::new());
    /// tape.watch(&x)?;
    /// let recording = tape.start();
    /// let y = x.square()?;
    /// drop(recording);
    /// assert_eq!(tape.backward(&y)?.wrt(&x)?.to_vec::<f64>()?, [8.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn start(&self) -> TapeScope {
        TapeScope::enter(&self.shared)
    }

    /// Returns whether the tape records the calling thread.
    ///
    /// ```
    /// use belvedere_grad::{Tape, no_tape};
    ///
    /// let tape = Tape::new();
    /// assert!(!tape.is_recording());
    /// assert!(tape.record(|| tape.is_recording() && !no_tape(|| tape.is_recording())));
    /// ```
    pub fn is_recording(&self) -> bool {
        active_tapes().iter().any(|it| Arc::ptr_eq(it, &self.shared))
    }

    /// Computes the gradient of a single element with respect to the watched tensors, and consumes what was recorded,
    /// unless the tape is persistent.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_grad::Tape;
    ///
    /// let (x, tape) = (tensor![[1.0, 2.0], [3.0, 4.0]], Tape::new());
    /// tape.watch(&x)?;
    /// let y = tape.record(|| x.t()?.slice(s![0])?.prod(()))?;
    /// let grads = tape.backward(&y)?;
    /// assert_eq!(grads.wrt(&x.t()?)?.to_vec::<f64>()?, [3.0, 1.0, 0.0, 0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the tensor has not exactly one element, is not of a real floating-point dtype or was not computed from watched
    /// ones, the tape was consumed, a derivative is undefined, or there is not enough memory.
    #[track_caller]
    pub fn backward(&self, y: &Tensor) -> Result<Grads, Error> {
        if y.len() != 1 {
            let line = Line::here().to_string();
            return Err(GradientError::NotScalar { shape: y.shape(), line }.into());
        }
        let dtype = y.dtype();
        let seed = match dtype.is_floating() {
            true => Tensor::ones(y.shape(), dtype)?,
            false if dtype.is_complex() => {
                let line = Line::here().to_string();
                return Err(GradientError::ComplexResult { dtype, line }.into());
            }
            false => return Err(no_gradient(y, &Line::here())),
        };
        self.backward_from(&[(y, &seed)])
    }

    /// Computes the gradient of `Σ seed · y`, as [`Tape::backward`] does for a single element; for complex elements that of
    /// the real part of `Σ conj(seed) · y`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_grad::Tape;
    ///
    /// let (x, tape) = (tensor![1.0, 2.0], Tape::new());
    /// tape.watch(&x)?;
    /// let y = tape.record(|| x.square())?;
    /// let grads = tape.backward_with(&y, &tensor![1.0, 10.0])?;
    /// assert_eq!(grads.wrt(&x)?.to_vec::<f64>()?, [2.0, 40.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the seed has not the shape and dtype of `y`; otherwise as for [`Tape::backward`].
    #[track_caller]
    pub fn backward_with(&self, y: &Tensor, seed: &Tensor) -> Result<Grads, Error> {
        self.backward_from(&[(y, seed)])
    }

    /// Computes the gradient of `Σ seed · y` over several results, each with its seed. Results that were not computed from
    /// watched tensors add nothing, if some were.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_grad::Tape;
    ///
    /// let (x, tape) = (tensor![1.0, 2.0], Tape::new());
    /// tape.watch(&x)?;
    /// let (y, z) = tape.record(|| Ok::<_, Error>((x.square()?, x.sum(())?)))?;
    /// let seeds = [tensor![1.0, 0.0], Tensor::full([0usize; 0], 10.0)?];
    /// let grads = tape.backward_from(&[(&y, &seeds[0]), (&z, &seeds[1])])?;
    /// assert_eq!(grads.wrt(&x)?.to_vec::<f64>()?, [12.0, 10.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tape::backward_with`], for each result.
    #[track_caller]
    pub fn backward_from(&self, seeds: &[(&Tensor, &Tensor)]) -> Result<Grads, Error> {
        let line = Line::here();
        for (y, seed) in seeds {
            check_result(y, &line)?;
            let (needed, given) = ((y.shape(), y.dtype()), (seed.shape(), seed.dtype()));
            if needed != given {
                let line = line.to_string();
                return Err(GradientError::Seed { needed, given, line }.into());
            }
            if self.shared.finds_anomalies() {
                anomaly::check_seed(seed, &line)?;
            }
        }
        let seen: Vec<_> = seeds.iter().copied().filter(|(y, _)| self.tracks(y)).collect();
        let seeds = if seen.is_empty() { seeds } else { &seen };
        let results: Vec<&Tensor> = seeds.iter().map(|(y, _)| *y).collect();
        let Recorded { entries, tracked } = self.take(&results, &line)?;
        if !self.shared.is_persistent {
            return backward::run(entries, tracked, seeds, self.shared.finds_anomalies());
        }
        let grads = backward::run_keeping(&entries, tracked, seeds, self.shared.finds_anomalies());
        self.put_back(entries);
        grads
    }

    /// Takes what was recorded, for one `backward` or several. A persistent tape gets the entries back.
    pub(crate) fn take(&self, results: &[&Tensor], line: &Line) -> Result<Recorded, Error> {
        let mut state = self.shared.lock();
        if let Some(error) = &state.broken {
            return Err(error.clone().into());
        }
        if let Some(earlier) = &state.consumed {
            return Err(GradientError::Consumed { line: earlier.to_string() }.into());
        }
        let is_unseen = |y: &&&Tensor| !state.tracked.contains_key(&y.storage().id());
        if let Some(y) = results.iter().find(is_unseen) {
            let (shape, dtype, line) = (y.shape(), y.dtype(), line.to_string());
            return Err(GradientError::Unseen { shape, dtype, line }.into());
        }
        if self.shared.is_persistent {
            let tracked = state.tracked.clone();
            return Ok(Recorded { entries: mem::take(&mut state.entries), tracked });
        }
        state.consumed = Some(line.clone());
        state.watched.clear();
        let tracked = mem::take(&mut state.tracked);
        Ok(Recorded { entries: mem::take(&mut state.entries), tracked })
    }

    /// Gives a persistent tape its entries back.
    pub(crate) fn put_back(&self, entries: EntryLog) {
        if self.shared.is_persistent {
            let mut state = self.shared.lock();
            let later = mem::replace(&mut state.entries, entries);
            state.entries.append(later);
        }
    }

    /// Checks that all elements of a tensor are watched, before [`backward`](Tape::backward) consumes the tape: if they are not,
    /// [`Grads::wrt`] would fail afterwards. A tape that was consumed is left to `backward`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_grad::Tape;
    ///
    /// let (x, tape) = (tensor![1.0, 2.0], Tape::new());
    /// tape.watch(&x.slice(s![0])?)?;
    /// assert!(tape.check_watched(&x.slice(s![..1])?).is_ok());
    /// assert!(tape.check_watched(&x).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If some of the elements were not watched, or their dtype is another one.
    #[track_caller]
    pub fn check_watched(&self, x: &Tensor) -> Result<(), Error> {
        let components = component_layout(x.layout(), x.dtype())?;
        let state = self.shared.lock();
        let mut is_watched = state.consumed.is_some();
        for own in state.watched.iter().filter(|it| it.storage().id() == x.storage().id()) {
            let is_same = own.dtype().real() == x.dtype().real();
            let watched = Membership::new(component_layout(own.layout(), own.dtype())?);
            is_watched |= is_same && watched.contains_all(&components);
        }
        if is_watched {
            return Ok(());
        }
        let (shape, dtype, line) = (x.shape(), x.dtype(), Line::here().to_string());
        Err(GradientError::NotWatched { shape, dtype, line }.into())
    }

    /// Returns whether a tensor was computed from watched ones.
    pub(crate) fn tracks(&self, x: &Tensor) -> bool {
        self.shared.lock().tracked.contains_key(&x.storage().id())
    }

    /// Returns whether a gradient that is not finite is an error.
    pub(crate) fn finds_anomalies(&self) -> bool {
        self.shared.finds_anomalies()
    }

    /// Returns what the tape holds: its entries, the bytes that they keep alive, and the copies that were made
    /// because saved elements were overwritten.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_grad::Tape;
    ///
    /// let (x, tape) = (Tensor::ones([100], DType::Float64)?, Tape::new());
    /// tape.watch(&x)?;
    /// tape.record(|| {
    ///     let y = x.square()?; // saves x
    ///     x.slice(s![..3])?.fill(0.0)?; // overwrites 3 of the saved elements
    ///     y.sum(())
    /// })?;
    /// let report = tape.report();
    /// assert_eq!((report.entries, report.leases), (4, 1));
    /// assert_eq!((report.leased_bytes, report.copies[0].bytes), (800, 24));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn report(&self) -> Report {
        let state = self.shared.lock();
        Report::of(&state.entries.entries().collect::<Vec<_>>(), &state.watched)
    }
}

/// Checks that a result can have a gradient.
pub(crate) fn check_result(y: &Tensor, line: &Line) -> Result<(), Error> {
    match is_differentiable(y.dtype()) {
        true => Ok(()),
        false => Err(no_gradient(y, line)),
    }
}

/// Returns the error of a tensor whose dtype carries no gradient.
fn no_gradient(x: &Tensor, line: &Line) -> Error {
    GradientError::DType { dtype: x.dtype(), line: line.to_string() }.into()
}

/// What was recorded, taken from a tape.
pub(crate) struct Recorded {
    pub entries: EntryLog,
    pub tracked: TrackedStorages,
}

impl fmt::Debug for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tape").field("entries", &self.shared.lock().entries.len()).finish()
    }
}
