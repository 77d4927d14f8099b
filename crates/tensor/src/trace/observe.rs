//! [`Observer`]: is told of every operation with its operands, and may refuse it.
//!
//! A recording receives descriptions of operations; an observer receives the operands themselves, at a time when it can
//! still act: while the memory of the operation is claimed, and before anything is written in place. It is how the
//! crate `belvedere-grad` records a tape without this crate knowing of gradients.

use super::announce::PreparedEvent;
use super::event::{EventKind, EventOperand};
use super::scope;
use super::{CallSite, Param};
use crate::copies::CopyReason;
use crate::fork::HeldLock;
use crate::op::{Operand, Target};
use crate::{Error, StorageId, Tensor, assign_into};
use std::cell::RefCell;
use std::ops::Range;
use std::panic::Location;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A listener that is told of the operations of all threads, with their operands.
///
/// Its methods are called on the thread that calls the operation. While [`Observer::observe`] runs, the memory of the
/// operands may be claimed, so it must not call operations on tensors of their storages, nor wait for a thread that does.
/// Operations on other tensors are allowed, and are observed in turn.
///
/// ```standalone_crate
/// use belvedere::{Error, prelude::*, trace::{self, Observer, ObservedOperation}};
/// use std::sync::{Arc, Mutex};
///
/// #[derive(Default)]
/// struct Names(Mutex<Vec<&'static str>>);
///
/// impl Observer for Names {
///     fn observe(&self, operation: &ObservedOperation<'_>) -> Result<(), Error> {
///         self.0.lock().unwrap().push(operation.op);
///         Ok(())
///     }
/// }
///
/// let names = Arc::new(Names::default());
/// let observation = trace::observe(names.clone());
/// tensor![1.0, 4.0].sqrt()?;
/// drop(observation);
/// assert_eq!(*names.0.lock().unwrap(), ["sqrt"]);
/// # Ok::<(), Error>(())
/// ```
pub trait Observer: Send + Sync {
    /// Is called for each operation that computes new elements, copies them, writes them in place or exports them:
    /// before it writes in place, and before or after it computes a new result; and for each guard. Views and
    /// reads of values are not observed; of tensors without operands [`Observer::created`] is told.
    ///
    /// # Errors
    /// An error refuses the operation, which returns it: nothing is written then.
    fn observe(&self, operation: &ObservedOperation<'_>) -> Result<(), Error>;

    /// Is called before the parts of an operation that is made of others; no memory is claimed. The outputs of one that
    /// computes new tensors are not known yet. [`Observer::observe`] follows its parts if it succeeds, and then
    /// [`Observer::end`] in either case.
    ///
    /// # Errors
    /// An error refuses the operation. [`Observer::end`] is not called then.
    fn begin(&self, operation: &ObservedOperation<'_>) -> Result<(), Error> {
        let _ = operation;
        Ok(())
    }

    /// Is called after an operation that is made of others, also if it failed or panicked.
    fn end(&self) {}

    /// Is called after a tensor was created without operands in memory that no tensor had before: zeros, random
    /// numbers, the elements of a vector.
    fn created(&self, storage: StorageId) {
        let _ = storage;
    }

    /// Is called before this process forks, on the thread that forks. Returns the guards of the observer's locks: they are
    /// held until the fork is over, and released in the parent and in the child. So the child finds no lock that is
    /// held by a thread of the parent.
    fn lock_for_fork(&self) -> Vec<Box<dyn HeldLock>> {
        Vec::new()
    }

    /// Is called if an operation fails after [`Observer::observe`] has returned: it was interrupted, or memory was
    /// exhausted. What it writes in place may be written in part.
    fn failed(&self, op: &'static str, caller: &'static Location<'static>) {
        let _ = (op, caller);
    }
}

/// An operation with its operands, as an [`Observer`] sees it.
#[non_exhaustive]
pub struct ObservedOperation<'a> {
    /// The name of the operation.
    pub op: &'static str,
    /// The arguments that are not tensors, by name.
    pub params: &'a [(&'static str, Param<'a>)],
    /// The effect on memory: new, in place, a copy or an export.
    pub kind: EventKind,
    /// What is read.
    pub inputs: &'a [Operand<'a>],
    /// The results, or what is written in place: of several outputs, each is observed by itself. None when a composite operation begins that computes new tensors.
    pub outputs: &'a [EventOperand],
    /// The line that called the operation.
    pub caller: &'static Location<'static>,
    /// The line of another language that called it.
    pub call_site: Option<CallSite>,
    /// Whether it runs inside of [`isolate`](super::isolate).
    pub is_isolated: bool,
    /// Whether it is made of others, which were observed since [`Observer::begin`].
    pub is_composite: bool,
    /// The output in place, if it is a tensor.
    target: Option<&'a Tensor>,
    /// Its position among the outputs.
    output: usize,
    claimed: Option<&'a dyn ClaimedMemory>,
}

/// Memory that an operation has claimed.
pub(crate) trait ClaimedMemory {
    /// Copies the elements of an input, or of an output, which was not written yet.
    fn copy_elements(&self, of: ClaimedElement) -> Result<Tensor, Error>;
}

/// Which operand's elements are copied.
#[derive(Clone, Copy)]
pub(crate) enum ClaimedElement {
    Input(usize),
    Output(usize),
}

impl ObservedOperation<'_> {
    /// Returns the tensor that is written in place, if it is one.
    ///
    /// ```standalone_crate
    /// # use belvedere::{Error, prelude::*, trace::{self, Observer, ObservedOperation}};
    /// struct Locked;
    ///
    /// impl Observer for Locked {
    ///     fn observe(&self, operation: &ObservedOperation<'_>) -> Result<(), Error> {
    ///         match operation.target() {
    ///             Some(_) => Err(Error::ReadOnly),
    ///             None => Ok(()),
    ///         }
    ///     }
    /// }
    ///
    /// let x = tensor![1, 2];
    /// let _observation = trace::observe(std::sync::Arc::new(Locked));
    /// assert!(x.fill(0).is_err() && x.add(1).is_ok());
    /// ```
    pub fn target(&self) -> Option<&Tensor> {
        self.target
    }

    /// Copies the elements of input `n`, as they are when the operation reads them. The copy is not an event, except
    /// for a composite operation.
    ///
    /// ```standalone_crate
    /// # use belvedere::{Error, prelude::*, trace::{self, Observer, ObservedOperation}};
    /// # use std::sync::{Arc, Mutex};
    /// #[derive(Default)]
    /// struct Inputs(Mutex<Vec<Tensor>>);
    ///
    /// impl Observer for Inputs {
    ///     fn observe(&self, operation: &ObservedOperation<'_>) -> Result<(), Error> {
    ///         self.0.lock().unwrap().push(operation.copy_input(0)?);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let inputs = Arc::new(Inputs::default());
    /// let observation = trace::observe(inputs.clone());
    /// tensor![4, 9].add(1)?;
    /// drop(observation);
    /// assert_eq!(inputs.0.lock().unwrap()[0].to_vec::<i32>()?, [4, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Panics
    /// If the input is a number.
    pub fn copy_input(&self, n: usize) -> Result<Tensor, Error> {
        match self.claimed {
            Some(claimed) => claimed.copy_elements(ClaimedElement::Input(n)),
            None => {
                let operand = self.inputs[n].clone();
                let dtype = operand.event_operand().dtype().expect("the input has elements");
                let copy = Tensor::zeros(operand.shape(), dtype)?;
                assign_into(operand, &copy)?;
                Ok(copy)
            }
        }
    }

    /// Copies the elements that are about to be overwritten, in row-major order of the output's shape. The copy is not
    /// an event; [`ObservedOperation::announce_saved`] makes it one. `None` for a guard, and for an output that is not a tensor.
    ///
    /// ```standalone_crate
    /// # use belvedere::{Error, prelude::*, trace::{self, Observer, ObservedOperation}};
    /// # use std::sync::{Arc, Mutex};
    /// /// Remembers what was overwritten.
    /// #[derive(Default)]
    /// struct History(Mutex<Vec<Tensor>>);
    ///
    /// impl Observer for History {
    ///     fn observe(&self, operation: &ObservedOperation<'_>) -> Result<(), Error> {
    ///         if let Some(old) = operation.copy_overwritten() {
    ///             let old = old?;
    ///             operation.check_saved_copy(old.n_bytes())?;
    ///             operation.announce_saved(&old, "history");
    ///             self.0.lock().unwrap().push(old);
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let (x, history) = (tensor![1, 2, 3], Arc::new(History::default()));
    /// let observation = trace::observe(history.clone());
    /// let (_, log) = belvedere::copies::record(|| x.slice(s![1..])?.fill(7));
    /// assert_eq!((log[0].op, log[0].bytes), ("assign", 8));
    /// assert!(belvedere::copies::forbid(|| x.fill(0)).is_err());
    /// drop(observation);
    /// assert_eq!(history.0.lock().unwrap()[0].to_vec::<i32>()?, [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn copy_overwritten(&self) -> Option<Result<Tensor, Error>> {
        Some(self.claimed?.copy_elements(ClaimedElement::Output(self.output)))
            .filter(|_| self.target.is_some())
    }

    /// Returns the addresses that input `n` lies in, if it is a borrowed view, whose storage is not known.
    ///
    /// ```standalone_crate
    /// # use belvedere::{Error, prelude::*, trace::{self, Observer, ObservedOperation}};
    /// struct NoViews;
    ///
    /// impl Observer for NoViews {
    ///     fn observe(&self, operation: &ObservedOperation<'_>) -> Result<(), Error> {
    ///         match operation.borrowed_span(1) {
    ///             Some(span) => Err(Error::OutOfMemory { bytes: span.len() }),
    ///             None => Ok(()),
    ///         }
    ///     }
    /// }
    ///
    /// let guard = tensor![1, 2].read::<i32>()?;
    /// let _observation = trace::observe(std::sync::Arc::new(NoViews));
    /// let error = tensor![1, 2].add(&guard.view()).unwrap_err();
    /// assert!(matches!(error, Error::OutOfMemory { bytes: 8 }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn borrowed_span(&self, n: usize) -> Option<Range<usize>> {
        self.inputs[n].borrowed_span()
    }

    /// Checks that elements which were saved for later may be copied, because this operation overwrites them.
    ///
    /// ```standalone_crate
    /// # use belvedere::{Error, copies, prelude::*, trace::{self, Observer, ObservedOperation}};
    /// struct Saving;
    ///
    /// impl Observer for Saving {
    ///     fn observe(&self, operation: &ObservedOperation<'_>) -> Result<(), Error> {
    ///         operation.check_saved_copy(4)
    ///     }
    /// }
    ///
    /// let _observation = trace::observe(std::sync::Arc::new(Saving));
    /// assert!(tensor![1].add(1).is_ok());
    /// assert_eq!(copies::forbid(|| tensor![1].add(1)).unwrap_err().kind(), ErrorKind::Copy);
    /// ```
    ///
    /// # Errors
    /// If copies are forbidden here.
    pub fn check_saved_copy(&self, bytes: usize) -> Result<(), Error> {
        scope::check_copy(self.op, CopyReason::Saved, || bytes)
    }

    /// Announces that elements which were saved for later were copied, because this operation overwrites them.
    /// `saved_by` is the line that saved them. The example of [`ObservedOperation::copy_overwritten`] uses it.
    ///
    /// ```standalone_crate
    /// # use belvedere::{Error, copies, prelude::*, trace::{self, Observer, ObservedOperation}};
    /// struct Announcing(Tensor);
    ///
    /// impl Observer for Announcing {
    ///     fn observe(&self, operation: &ObservedOperation<'_>) -> Result<(), Error> {
    ///         operation.announce_saved(&self.0, "model.rs:3");
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let x = tensor![1, 2];
    /// let _observation = trace::observe(std::sync::Arc::new(Announcing(tensor![1, 2])));
    /// let (_, trace) = trace::record(|| x.fill(0));
    /// assert_eq!(trace.events()[0].params[0].1.to_string(), "\"model.rs:3\"");
    /// ```
    pub fn announce_saved(&self, copy: &Tensor, saved_by: &str) {
        let params = [("saved_by", saved_by.into())];
        if let Some(target) = self.target {
            PreparedEvent::of_saved(self, &params).publish_copy(target, copy);
        }
    }
}

/// The observers of all threads; `None` for none. The list is replaced when it changes, so that an operation that tells
/// the observers keeps it without copying it.
static OBSERVERS: Mutex<Option<ObserverList>> = Mutex::new(None);

type ObserverList = Arc<[Arc<dyn Observer>]>;

/// The number of observers.
static N_OBSERVERS: AtomicUsize = AtomicUsize::new(0);

/// How often the list of observers was replaced.
static N_CHANGES: AtomicUsize = AtomicUsize::new(0);

/// The list of observers after a number of changes.
#[derive(Clone, Default)]
struct SeenObservers {
    n_changes: usize,
    /// Counted by this thread alone: to clone the shared list takes four atomic operations, which cost an operation on a few
    /// elements as much as its arithmetic.
    list: Option<Rc<ObserverList>>,
}

thread_local! {
    /// The observers when this thread last told them of an operation.
    static SEEN: RefCell<SeenObservers> = RefCell::default();
}

fn lock() -> MutexGuard<'static, Option<ObserverList>> {
    OBSERVERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the locks of the observers, and the lock of this module, before a fork.
pub(super) fn lock_for_fork() -> Vec<Box<dyn HeldLock>> {
    loop {
        // An observer may be registered while its lock is held, so theirs come first.
        let observers = lock().clone();
        let all = observers.iter().flat_map(|it| it.iter());
        let mut held: Vec<_> = all.flat_map(|it| it.lock_for_fork()).collect();
        let own = lock();
        let is_same = match (&*own, &observers) {
            (Some(own), Some(before)) => Arc::ptr_eq(own, before),
            (None, None) => true,
            _ => false,
        };
        if is_same {
            held.push(Box::new(own));
            return held;
        }
    }
}

/// Returns whether there are observers.
pub(super) fn is_observed() -> bool {
    N_OBSERVERS.load(Ordering::Relaxed) != 0
}

/// Changes the list of observers.
fn replace_observers(change: impl FnOnce(&mut Vec<Arc<dyn Observer>>)) {
    let mut observers = lock();
    let mut all = observers.as_deref().map_or(Vec::new(), <[_]>::to_vec);
    change(&mut all);
    let before = std::mem::replace(&mut *observers, (!all.is_empty()).then(|| all.into()));
    N_CHANGES.fetch_add(1, Ordering::Relaxed);
    drop(observers);
    // Not inside of the lock: it may be the last owner of observers.
    drop(before);
    drop(SEEN.try_with(RefCell::take));
}

/// Returns the observers.
fn observers() -> Option<Rc<ObserverList>> {
    // A change that another thread makes at this moment counts as a later one.
    let n_changes = N_CHANGES.load(Ordering::Relaxed);
    let seen = SEEN.try_with(|it| it.borrow().clone()).unwrap_or_default();
    if seen.list.is_some() && seen.n_changes == n_changes {
        return seen.list;
    }
    let observers = lock();
    let n_changes = N_CHANGES.load(Ordering::Relaxed);
    let list = observers.clone().map(Rc::new);
    drop(observers);
    let seen = SeenObservers { n_changes, list: list.clone() };
    // The list before may be the last owner of observers, so it is dropped after the cell is released.
    drop(SEEN.try_with(|it| it.replace(seen)));
    list
}

/// Calls a function with each observer, until one returns an error.
pub(super) fn for_each_observer(
    f: impl FnMut(&Arc<dyn Observer>) -> Result<(), Error>,
) -> Result<(), Error> {
    // An observer may call operations, so the list is not locked meanwhile.
    observers().iter().flat_map(|it| it.iter()).try_for_each(f)
}

/// Tells an observer of the operations of all threads, until the returned value is dropped.
///
/// ```standalone_crate
/// # use belvedere::{Error, prelude::*, trace::{self, Observer, ObservedOperation}};
/// struct Refusing;
///
/// impl Observer for Refusing {
///     fn observe(&self, _: &ObservedOperation<'_>) -> Result<(), Error> {
///         Err(Error::Interrupted)
///     }
/// }
///
/// let observation = trace::observe(std::sync::Arc::new(Refusing));
/// assert!(tensor![1].add(1).is_err());
/// drop(observation);
/// assert!(tensor![1].add(1).is_ok());
/// ```
#[must_use = "the observer is removed when the value is dropped"]
pub fn observe(observer: Arc<dyn Observer>) -> Observation {
    replace_observers(|all| all.push(Arc::clone(&observer)));
    N_OBSERVERS.fetch_add(1, Ordering::Relaxed);
    scope::count_listener();
    Observation(observer)
}

/// Keeps an [`Observer`] informed; dropping it removes the observer. Another thread that was telling it of operations owns it
/// until its next operation.
pub struct Observation(Arc<dyn Observer>);

impl Drop for Observation {
    fn drop(&mut self) {
        replace_observers(|all| {
            if let Some(at) = all.iter().position(|it| Arc::ptr_eq(it, &self.0)) {
                all.remove(at);
            }
        });
        N_OBSERVERS.fetch_sub(1, Ordering::Relaxed);
        scope::uncount_listener();
    }
}

impl PreparedEvent<'_> {
    /// Tells the observers of the operation.
    pub(super) fn tell_observers(
        &self,
        kind: EventKind,
        inputs: &[Operand<'_>],
        outputs: &[EventOperand],
        memory: ObservedMemory<'_>,
    ) -> Result<(), Error> {
        let is_relevant = match kind {
            EventKind::View | EventKind::Import => false,
            // A guard.
            EventKind::Read => memory.target.is_some(),
            EventKind::New => !inputs.is_empty(),
            EventKind::InPlace | EventKind::Copy(_) | EventKind::Export => true,
        };
        if self.is_observed && kind == EventKind::New && inputs.is_empty() {
            outputs.iter().filter_map(EventOperand::storage).for_each(|it| self.tell_created(it));
        }
        if !self.is_observed || !is_relevant {
            return Ok(());
        }
        let operation = self.operation(kind, inputs, outputs, memory);
        for_each_observer(|it| it.observe(&operation))
    }

    /// Tells the observers of a new storage.
    pub(super) fn tell_created(&self, storage: StorageId) {
        if self.is_observed {
            let _ = for_each_observer(|it| {
                it.created(storage);
                Ok(())
            });
        }
    }

    /// Tells the observers that a composite operation begins. Its end is told when the value is dropped.
    pub(super) fn tell_begin(
        &self,
        inputs: &[Operand<'_>],
        out: Option<&Target<'_>>,
    ) -> Result<Option<ObservedParts>, Error> {
        if !self.is_observed {
            return Ok(None);
        }
        let kind = if out.is_some() { EventKind::InPlace } else { EventKind::New };
        let outputs: Vec<EventOperand> = out.into_iter().map(Target::event_operand).collect();
        let target = out.and_then(Target::tensor_to_observe);
        let memory = ObservedMemory { target, is_composite: true, ..Default::default() };
        let operation = self.operation(kind, inputs, &outputs, memory);
        let mut begun = ObservedParts(Vec::new());
        for_each_observer(|it| {
            it.begin(&operation)?;
            begun.0.push(Arc::clone(it));
            Ok(())
        })?;
        Ok(Some(begun))
    }

    /// Tells the observers that the operation failed after they were told of it.
    pub(super) fn tell_failed(&self) {
        if self.is_observed {
            let _ = for_each_observer(|it| {
                it.failed(self.call.op, self.call.caller);
                Ok(())
            });
        }
    }

    fn operation<'b>(
        &'b self,
        kind: EventKind,
        inputs: &'b [Operand<'b>],
        outputs: &'b [EventOperand],
        memory: ObservedMemory<'b>,
    ) -> ObservedOperation<'b> {
        let ObservedMemory { target, output, claimed, is_composite } = memory;
        ObservedOperation {
            op: self.call.op,
            params: self.call.params,
            kind,
            inputs,
            outputs,
            caller: self.call.caller,
            call_site: self.site.call_site(),
            is_isolated: scope::is_isolated(),
            is_composite,
            target,
            output,
            claimed,
        }
    }
}

/// What an observer may copy of an operation's memory.
#[derive(Clone, Copy, Default)]
pub(super) struct ObservedMemory<'a> {
    pub target: Option<&'a Tensor>,
    /// The position of the target among the outputs.
    pub output: usize,
    pub claimed: Option<&'a dyn ClaimedMemory>,
    pub is_composite: bool,
}

/// The observers that were told of the begin of a composite operation; dropping it tells them of its end.
pub(super) struct ObservedParts(Vec<Arc<dyn Observer>>);

impl Drop for ObservedParts {
    fn drop(&mut self) {
        self.0.iter().rev().for_each(|it| it.end());
    }
}
