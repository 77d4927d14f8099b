//! [`Recorder`] and [`Trace`]: the events of a part of a program.

use super::event::Event;
use super::line::{LineSummary, summarize};
use super::scope::{EventFilter, EventLog, OpenScope, ScopeKind};
use crate::StorageId;
use std::fmt;

/// Calls `f` and returns its result and the trace of the operations that it called on this thread.
///
/// ```
/// use belvedere::{prelude::*, trace};
///
/// let x = Tensor::zeros([2, 3], DType::Float32)?;
/// let (_, trace) = trace::record(|| x.t()?.contiguous());
/// assert_eq!(trace.events().len(), 2);
/// assert_eq!(trace.bytes_copied(), 24);
/// assert!(trace.events()[0].caller.file().ends_with(".rs"));
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn record<R>(f: impl FnOnce() -> R) -> (R, Trace) {
    let recording = Recorder::start();
    let result = f();
    (result, recording.finish())
}

/// Records the operations of the thread that started it, or of all threads, until it is ended or dropped.
///
/// It may be read, ended and dropped on any thread and in any order relative to other scopes.
///
/// ```
/// use belvedere::{prelude::*, trace::Recorder};
///
/// let x = tensor![1, 2];
/// let recording = Recorder::start();
/// x.add(1)?;
/// recording.end();
/// x.add(1)?;
/// assert_eq!(recording.finish().events().len(), 1);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct Recorder(OpenScope);

impl Recorder {
    /// Starts recording the operations of this thread.
    ///
    /// ```
    /// # use belvedere::trace::Recorder;
    /// assert!(Recorder::start().trace().events().is_empty());
    /// ```
    pub fn start() -> Recorder {
        Recorder(OpenScope::new(ScopeKind::Record(EventFilter::All)))
    }

    /// Starts recording the copies of this thread, and no other operations. The caller of an operation that copies
    /// nothing is not located ([`locate_callers`](super::locate_callers)).
    ///
    /// ```
    /// use belvedere::{prelude::*, trace::Recorder};
    ///
    /// let recording = Recorder::start_for_copies();
    /// tensor![1, 2].add(1)?.copy()?;
    /// assert_eq!(recording.finish().events().iter().map(|it| it.op).collect::<Vec<_>>(), ["copy"]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn start_for_copies() -> Recorder {
        Recorder(OpenScope::new(ScopeKind::Record(EventFilter::Copies)))
    }

    /// Starts recording the operations of all threads.
    ///
    /// ```
    /// use belvedere::{prelude::*, trace::Recorder};
    ///
    /// let recording = Recorder::start_for_all_threads();
    /// std::thread::spawn(|| tensor![1, 2].copy().map(|_| ())).join().unwrap()?;
    /// assert!(recording.finish().events().iter().any(|it| it.op == "copy"));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn start_for_all_threads() -> Recorder {
        Recorder(OpenScope::for_all_threads(ScopeKind::Record(EventFilter::All)))
    }

    /// Returns what was recorded so far.
    ///
    /// ```
    /// # use belvedere::{prelude::*, trace::Recorder};
    /// let recording = Recorder::start();
    /// Tensor::zeros([6], DType::Int8)?;
    /// assert_eq!(recording.trace().events()[0].op, "zeros");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn trace(&self) -> Trace {
        Trace { log: self.0.log().clone() }
    }

    /// Returns what was recorded so far, and goes on with an empty record: events, freed storages and the number
    /// of events that were not kept. A long program can be read piece by piece, in bounded memory.
    ///
    /// ```
    /// # use belvedere::{prelude::*, trace::Recorder};
    /// let recording = Recorder::start();
    /// let x = Tensor::zeros([6], DType::Int8)?;
    /// assert_eq!(recording.take().events()[0].op, "zeros");
    /// drop(x);
    /// let rest = recording.take();
    /// assert_eq!((rest.events().len(), rest.freed().len()), (0, 1));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn take(&self) -> Trace {
        Trace { log: self.0.log().take() }
    }

    /// Stops recording; what was recorded remains available. Calling it again has no effect.
    ///
    /// ```
    /// # use belvedere::{prelude::*, trace::Recorder};
    /// let recording = Recorder::start();
    /// recording.end();
    /// Tensor::arange(0..6)?;
    /// assert!(recording.trace().events().is_empty());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn end(&self) {
        self.0.end();
    }

    /// Stops recording and returns what was recorded.
    ///
    /// ```
    /// # use belvedere::{prelude::*, trace::Recorder};
    /// let recording = Recorder::start();
    /// Tensor::zeros([6], DType::Int8)?;
    /// assert_eq!(recording.finish().events().len(), 1);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn finish(self) -> Trace {
        self.end();
        self.take()
    }
}

/// The operations of a part of a program, and the storages that were freed meanwhile.
#[derive(Clone, Debug)]
pub struct Trace {
    log: EventLog,
}

impl Trace {
    /// Returns the events in the order of execution. The parts of an operation come before it, with a greater
    /// [`depth`](Event::depth).
    ///
    /// ```
    /// use belvedere::{prelude::*, trace};
    ///
    /// let (_, trace) = trace::record(|| Tensor::zeros([6], DType::Int8)?.reshape([2, 3]));
    /// assert_eq!(trace.events()[1].op, "reshape");
    /// ```
    pub fn events(&self) -> &[Event] {
        &self.log.events
    }

    /// Returns the storages that the thread of the recording freed, or all threads if it is for all, in order: each
    /// with the number of events before.
    ///
    /// ```
    /// use belvedere::{prelude::*, trace};
    ///
    /// let (_, trace) = trace::record(|| Tensor::zeros([6], DType::Int8).map(drop));
    /// let storage = trace.events()[0].outputs[0].storage().unwrap();
    /// assert_eq!(trace.freed(), [(1, storage)]);
    /// ```
    pub fn freed(&self) -> &[(usize, StorageId)] {
        &self.log.freed
    }

    /// Returns the number of events that were not kept: a recording keeps the first 2²⁰.
    ///
    /// ```
    /// # use belvedere::trace;
    /// assert_eq!(trace::record(|| ()).1.n_dropped(), 0);
    /// ```
    pub fn n_dropped(&self) -> usize {
        self.log.n_dropped
    }

    /// Returns the events that are copies.
    ///
    /// ```
    /// use belvedere::{prelude::*, trace};
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// let (_, trace) = trace::record(|| x.t()?.reshape([4]));
    /// assert_eq!(trace.copies().map(|it| it.op).collect::<Vec<_>>(), ["reshape"]);
    /// ```
    pub fn copies(&self) -> impl Iterator<Item = &Event> {
        self.events().iter().filter(|it| it.bytes_copied() > 0)
    }

    /// Returns the bytes of all copies.
    ///
    /// ```
    /// use belvedere::{prelude::*, trace};
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// let (_, trace) = trace::record(|| x.t()?.reshape([4]));
    /// assert_eq!(trace.bytes_copied(), 16);
    /// ```
    pub fn bytes_copied(&self) -> usize {
        self.copies().fold(0, |sum, it| sum.saturating_add(it.bytes_copied()))
    }

    /// Returns the calls, copies, allocations and peak memory of each source line, in the order of their first
    /// event.
    ///
    /// ```
    /// use belvedere::{prelude::*, trace};
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// let (_, trace) = trace::record(|| {
    ///     for _ in 0..3 {
    ///         x.t()?.reshape([4])?;
    ///     }
    ///     Ok::<(), belvedere::Error>(())
    /// });
    /// let [line] = &trace.by_line()[..] else { panic!("one line") };
    /// assert_eq!((line.n_calls, line.bytes_copied, line.peak_bytes), (6, 48, 16));
    /// ```
    pub fn by_line(&self) -> Vec<LineSummary> {
        summarize(&self.log)
    }
}

/// Formats one line for each operation that the program called, and for each copy inside of one.
impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.events().iter().filter(|it| it.depth == 0 || it.bytes_copied() > 0);
        for event in shown {
            writeln!(f, "{:indent$}{event}", "", indent = 2 * event.depth)?;
        }
        match self.n_dropped() {
            0 => Ok(()),
            n => writeln!(f, "… and {n} more"),
        }
    }
}
