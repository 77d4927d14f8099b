//! [`Tape`]: records the operations of a thread that read or write watched elements.

use crate::backward;
use crate::components::{component_span, is_differentiable, union};
use crate::entry::{Entry, EntryKind, Region, SavedInput};
use crate::error::{GradientError, Line};
use crate::gradients::Grads;
use crate::lease::{self, Patch};
use crate::observer::{self, TapeScope};
use belvedere::trace::Observation;
use belvedere::{DType, Error, StorageId, Tensor};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::mem;
use std::ops::Range;
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

/// A tape, as the observer sees it.
pub(crate) struct TapeShared {
    state: Mutex<TapeState>,
    is_persistent: bool,
}

/// What a tape has recorded.
#[derive(Default)]
pub(crate) struct TapeState {
    pub entries: Vec<Entry>,
    /// The storages whose elements have gradients.
    pub tracked: HashMap<StorageId, TrackedStorage>,
    /// The watched tensors, which are kept alive: their addresses must stay theirs.
    pub watched: Vec<Tensor>,
    /// Why there are no gradients anymore.
    pub broken: Option<GradientError>,
    pub is_consumed: bool,
}

/// A storage whose elements have gradients.
#[derive(Clone)]
pub(crate) struct TrackedStorage {
    /// The dtype of the components.
    pub dtype: DType,
    /// The offsets of the components that were touched.
    pub span: Range<usize>,
}

impl TapeState {
    /// Notes that a range of elements has gradients, or that elements with gradients are read.
    pub(crate) fn touch(&mut self, storage: StorageId, dtype: DType, span: Range<usize>) {
        let (span, dtype) = (component_span(span, dtype), dtype.real());
        let own = self.tracked.entry(storage);
        let own = own.or_insert_with(|| TrackedStorage { dtype, span: span.clone() });
        own.span = union(own.span.clone(), span);
    }
}

impl TapeShared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, TapeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
        let shared = Arc::new(TapeShared { state: Mutex::default(), is_persistent });
        let _observation = observer::register(&shared);
        Tape { shared, _observation }
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
            return Err(GradientError::DType { dtype: x.dtype() }.into());
        }
        if x.storage().is_meta() {
            return Err(GradientError::Meta.into());
        }
        let mut state = self.shared.lock();
        if state.is_consumed {
            return Err(GradientError::Consumed.into());
        }
        let (storage, dtype) = (x.storage().id(), x.dtype());
        if let Some(tracked) = state.tracked.get(&storage).filter(|it| it.dtype != dtype.real()) {
            let (tracked, line) = (tracked.dtype, Location::caller().to_string());
            let (op, accessed) = ("watch", dtype);
            return Err(GradientError::Reinterpreted { op, tracked, accessed, line }.into());
        }
        state.touch(storage, dtype, x.layout().span());
        state.watched.push(x.clone());
        state.entries.push(Entry {
            op: "watch",
            kind: EntryKind::Watch,
            params: Vec::new(),
            inputs: Vec::new(),
            outputs: vec![Region::of(x)],
            is_fresh: false,
            line: Line::new(Location::caller(), None),
            time: lease::next_time(),
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
    pub fn backward(&self, y: &Tensor) -> Result<Grads, Error> {
        if y.len() != 1 {
            return Err(GradientError::NotScalar { shape: y.shape() }.into());
        }
        let dtype = y.dtype();
        let seed = match dtype.is_floating() {
            true => Tensor::ones(y.shape(), dtype)?,
            false if dtype.is_complex() => {
                return Err(GradientError::ComplexResult { dtype }.into());
            }
            false => return Err(GradientError::DType { dtype }.into()),
        };
        self.backward_with(y, &seed)
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
    pub fn backward_with(&self, y: &Tensor, seed: &Tensor) -> Result<Grads, Error> {
        if !is_differentiable(y.dtype()) {
            return Err(GradientError::DType { dtype: y.dtype() }.into());
        }
        let (needed, given) = ((y.shape(), y.dtype()), (seed.shape(), seed.dtype()));
        if needed != given {
            return Err(GradientError::Seed { needed, given }.into());
        }
        let (entries, tracked) = {
            let mut state = self.shared.lock();
            if let Some(error) = &state.broken {
                return Err(error.clone().into());
            }
            if state.is_consumed {
                return Err(GradientError::Consumed.into());
            }
            if !state.tracked.contains_key(&y.storage().id()) {
                return Err(GradientError::Unseen.into());
            }
            let tracked = state.tracked.clone();
            if !self.shared.is_persistent {
                state.is_consumed = true;
                state.watched.clear();
                state.tracked.clear();
            }
            (mem::take(&mut state.entries), tracked)
        };
        if !self.shared.is_persistent {
            return backward::run(entries, tracked, y, seed);
        }
        let result = backward::run_keeping(&entries, tracked, y, seed);
        let mut state = self.shared.lock();
        let later = mem::replace(&mut state.entries, entries);
        state.entries.extend(later);
        result
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
        let mut report = Report::default();
        let (mut leased, mut patches) = (HashSet::new(), HashMap::new());
        for entry in &state.entries {
            report.entries += 1;
            for saved in entry.inputs.iter().filter_map(|it| it.saved.as_ref()) {
                match saved {
                    SavedInput::Leased(lease) => {
                        report.leases += 1;
                        let x = lease.tensor();
                        if leased.insert((x.storage().id(), x.layout().clone())) {
                            report.leased_bytes += x.n_bytes();
                        }
                        let own = lease.patches().into_iter().filter(|it| lease.is_patched_by(it));
                        patches.extend(own.map(|it| (it.time, it)));
                    }
                    SavedInput::Copied(copy) => report.copied_bytes += copy.n_bytes(),
                    SavedInput::Number(_) => {}
                }
            }
        }
        let mut patches: Vec<(u64, Arc<Patch>)> = patches.into_iter().collect();
        patches.sort_unstable_by_key(|(time, _)| *time);
        report.copies = patches.iter().map(|(_, it)| SavedCopy::of(it)).collect();
        report
    }
}

impl fmt::Debug for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tape").field("entries", &self.shared.lock().entries.len()).finish()
    }
}

/// What a [`Tape`] holds. Its `Display` has a line for each copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The number of operations that were recorded, with those that watched tensors.
    pub entries: usize,
    /// The number of saved inputs that are leased: no bytes were copied for them.
    pub leases: usize,
    /// The bytes of the leased tensors; tensors of the same elements count once.
    pub leased_bytes: usize,
    /// The bytes of saved inputs that were copied at once, because another library can write to them.
    pub copied_bytes: usize,
    /// The copies of leased elements that were overwritten, in the order of the writes.
    pub copies: Vec<SavedCopy>,
}

/// A copy of saved elements, made because they were overwritten.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SavedCopy {
    /// The name of the operation that overwrote them.
    pub op: &'static str,
    /// The line that overwrote them.
    pub line: String,
    /// The line that had saved them.
    pub saved_by: String,
    /// The number of bytes.
    pub bytes: usize,
}

impl SavedCopy {
    fn of(patch: &Patch) -> SavedCopy {
        let (line, saved_by) = (patch.line.to_string(), patch.saved_by.to_string());
        SavedCopy { op: patch.op, line, saved_by, bytes: patch.values.n_bytes() }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { entries, leases, leased_bytes, copied_bytes, copies } = self;
        write!(f, "{entries} entries, {leases} leases of {leased_bytes} bytes")?;
        if *copied_bytes > 0 {
            write!(f, ", {copied_bytes} bytes copied when saved")?;
        }
        for SavedCopy { op, line, saved_by, bytes } in copies {
            write!(f, "\n{line}: {op} overwrote {bytes} bytes that {saved_by} had saved")?;
        }
        Ok(())
    }
}
