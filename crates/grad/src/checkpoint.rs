//! Checkpoints: functions that save their inputs only, and are called again by `backward`.
//!
//! The first call is not recorded. What it reads of older memory is leased, captured tensors included, so that `backward`
//! can call the function again with a tape of its own. Arguments that were overwritten since are passed as they were
//! (`shadow.rs`); captured tensors cannot be exchanged, so that overwriting one is an error.
//!
//! Gradients belong to storages, and arguments may share one: what the second call computes is added once for each storage,
//! not for each argument.

use crate::backward::{self, Walk};
use crate::call::{CallLog, copy_shared, tapes_tracking};
use crate::components::{component_span, n_components, union};
use crate::custom::check_captured;
use crate::entry::{Entry, EntryInput, EntryKind, Region};
use crate::error::{GradientError, Line};
use crate::few::Few;
use crate::lease;
use crate::live_reads::LiveReads;
use crate::observer::{self, push_entry};
use crate::pullback::Contribution;
use crate::results::{Results, to_vec};
use crate::scope::{ActiveTape, NoTapeScope, TapeScope, active_tapes};
use crate::tape::{Tape, TapeShared};
use belvedere::random::Generator;
use belvedere::{Axis, DType, Error, Layout, StorageId, Tensor, copies};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// What the entry is called in errors and reports.
const OP: &str = "checkpoint";

/// Computes results from arguments.
type RecomputedFunction = dyn Fn(&[Tensor]) -> Result<Vec<Tensor>, Error> + Send + Sync;

/// A function that `backward` calls again.
#[derive(Clone)]
pub(crate) struct Recomputation {
    function: Arc<RecomputedFunction>,
    /// How many of the entry's inputs are arguments; the others were captured.
    n_arguments: usize,
}

/// Calls a function of which a tape saves the arguments only: `backward` calls it again, and differentiates it then. It
/// takes the time of a second call, and the memory of one function at a time.
///
/// The arguments, and the tensors that `f` captures, are leased, not copied. `f` has to compute the same each time; for
/// random numbers there is [`checkpoint_random`]. It may write only to memory that it has allocated itself.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere_grad::{Tape, checkpoint};
///
/// let (w, x, tape) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![1.0, 1.0], Tape::new());
/// tape.watch(&w)?;
/// let y = tape.record(|| {
///     let w = w.clone();
///     let y: Tensor = checkpoint(&[&x], move |x| w.matmul(&x[0])?.square()?.exp()?.log())?;
///     y.sum(())
/// })?;
/// assert_eq!(tape.report().leases, 2); // w and x, none of the results between
/// let found = tape.backward(&y)?.wrt(&w)?.to_vec::<f64>()?;
/// assert!(found.iter().zip([6.0, 6.0, 14.0, 14.0]).all(|(a, b)| (a - b).abs() < 1e-9));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If `f` fails, writes to memory that existed before the call, or calls an operation without a rule; at `backward` if a
/// captured tensor was overwritten since, or `f` returns results of other shapes.
///
/// # Memory
/// A result that is an argument, a view of one or of another result is copied.
#[track_caller]
pub fn checkpoint<R: Results>(
    arguments: &[&Tensor],
    f: impl Fn(&[Tensor]) -> Result<R, Error> + Send + Sync + 'static,
) -> Result<R, Error> {
    let line = Line::here();
    let active = active_tapes();
    let values: Vec<Tensor> = arguments.iter().map(|it| (*it).clone()).collect();
    if active.is_empty() {
        return f(&values);
    }
    let time = lease::now();
    let dry = TapeShared::dry(&active);
    let _observation = observer::register(&dry);
    let (results, log) = CallLog::of(OP, &line, time, || {
        let _hidden = NoTapeScope::start();
        let _recorded = TapeScope::enter(&dry);
        f(&values)
    })?;
    check_foreign(&log, arguments, &active, &line)?;
    let results = log.own_results(to_vec(&results))?;
    let is_argument = |x: &Tensor| {
        let is_same = |it: &&&Tensor| {
            it.storage().is_same(x.storage())
                && (it.layout(), it.dtype()) == (x.layout(), x.dtype())
        };
        arguments.iter().any(|it| is_same(&it))
    };
    let captured = log.reads.iter().filter(|it| !is_argument(&it.tensor));
    let captured = captured.filter(|it| !it.tensor.storage().is_foreign()).map(|it| &it.tensor);
    let inputs: Vec<&Tensor> = arguments.iter().copied().chain(captured).collect();
    let function = Arc::new(Recomputation {
        function: Arc::new(move |values: &[Tensor]| Ok(to_vec(&f(values)?))),
        n_arguments: arguments.len(),
    });
    let mut copies = copy_shared(arguments)?;
    copies.resize(inputs.len(), None);
    for tape in tapes_tracking(&active, &inputs) {
        let mut state = tape.lock();
        let kind = EntryKind::Checkpoint(Arc::clone(&function));
        let entry = Entry::of_call(OP, kind, (&inputs, &copies), (time, &line), &state)?;
        push_entry(&mut state, entry, results.iter().map(Region::of).collect());
    }
    Ok(R::from_tensors(results))
}

/// Calls a function as [`checkpoint`] does, which also draws random numbers: the second call draws the same ones.
///
/// ```
/// use belvedere::{prelude::*, random::Generator};
/// use belvedere_grad::{Tape, checkpoint_random};
///
/// let (x, tape) = (Tensor::ones([100], DType::Float64)?, Tape::new());
/// let mut generator = Generator::new(1);
/// tape.watch(&x)?;
/// let y: Tensor = tape.record(|| {
///     checkpoint_random(&mut generator, &[&x], |generator, x| {
///         x[0].mul(&generator.bernoulli(0.5, [100])?.astype(DType::Float64)?) // dropout
///     })
/// })?;
/// let gradient = tape.backward_with(&y, &Tensor::ones([100], DType::Float64)?)?.wrt(&x)?;
/// assert_eq!(gradient.to_vec::<f64>()?, y.to_vec::<f64>()?); // the same elements are dropped
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`checkpoint`].
///
/// # Memory
/// As for [`checkpoint`].
#[track_caller]
pub fn checkpoint_random<R: Results>(
    generator: &mut Generator,
    arguments: &[&Tensor],
    f: impl Fn(&mut Generator, &[Tensor]) -> Result<R, Error> + Send + Sync + 'static,
) -> Result<R, Error> {
    let before = generator.clone();
    let after = Arc::new(Mutex::new(before.clone()));
    let last = Arc::clone(&after);
    let results = checkpoint(arguments, move |values| {
        let mut own = before.clone();
        let results = f(&mut own, values);
        *last.lock().unwrap_or_else(PoisonError::into_inner) = own;
        results
    })?;
    *generator = after.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(results)
}

/// A storage that the second call of a function reads, and whose gradient it computes.
struct RecomputedStorage {
    /// The components that the entry's inputs span, with one axis.
    components: Tensor,
    /// The storage of the first call, and the span of the components there.
    storage: StorageId,
    span: Range<usize>,
}

/// The second call of the function of a checkpoint.
struct RepeatedCall {
    /// Records the call.
    tape: Tape,
    arguments: Vec<Tensor>,
    storages: Vec<RecomputedStorage>,
    /// The arguments that were copied when they were saved.
    copied: Vec<usize>,
}

impl RepeatedCall {
    fn new(
        entry: &Entry,
        arguments: Vec<Tensor>,
        finds_anomalies: bool,
    ) -> Result<RepeatedCall, Error> {
        let storages = recomputed_storages(entry, &arguments)?;
        let tape = Tape::new().with_anomalies_if(finds_anomalies);
        for it in &storages {
            tape.watch(&it.components)?;
        }
        let copied = copied_arguments(entry, &arguments);
        for &n in &copied {
            tape.watch(&arguments[n])?;
        }
        Ok(RepeatedCall { tape, arguments, storages, copied })
    }

    fn run(
        &self,
        function: &Recomputation,
        entry: &Entry,
    ) -> Result<(Vec<Tensor>, CallLog), Error> {
        CallLog::of(OP, &entry.line, lease::now(), || {
            let repeat = || self.tape.record(|| (function.function)(&self.arguments));
            copies::allow(|| backward::suspended(repeat))
        })
    }
}

impl Walk {
    /// Calls the function of a checkpoint again, and adds the gradients that its own tape computes.
    pub(crate) fn pull_checkpoint(
        &mut self,
        function: &Recomputation,
        entry: &Entry,
    ) -> Result<(), Error> {
        let Some(gradients) = self.gradients_of_call(entry)? else { return Ok(()) };
        // Called again while another thread overwrites the arguments. What the call has read is checked before: a write after that
        // has not changed it.
        let (call, results) = loop {
            let reads = LiveReads::start();
            let arguments = self.arguments_of_call(entry, function.n_arguments)?;
            let call = RepeatedCall::new(entry, arguments, self.finds_anomalies)?;
            let results = call.run(function, entry).and_then(|(results, log)| {
                check_repeated(entry, &results, &log)?;
                Ok(results)
            });
            if !reads.are_overwritten()? {
                break (call, results?);
            }
        };
        let RepeatedCall { tape, arguments, storages, copied } = call;
        let mut seeds = Vec::new();
        for (y, gradient) in results.iter().zip(&gradients) {
            if let Some(gradient) = gradient.as_ref().filter(|_| tape.tracks(y)) {
                seeds.push((y, gradient));
            }
        }
        if seeds.is_empty() {
            return Ok(());
        }
        let grads = tape.backward_from(&seeds)?;
        for RecomputedStorage { components, storage, span } in &storages {
            let region = Layout::new(span.start, &[Axis::new(span.len(), 1)])?;
            let gradient = grads.wrt(components)?;
            self.store(*storage)?.add(&region, components.dtype(), &gradient)?;
        }
        for n in copied {
            let gradient = grads.wrt(&arguments[n])?;
            self.accumulate(&entry.inputs[n], Contribution::Tensor(gradient))?;
        }
        Ok(())
    }
}

/// Checks that no captured tensor with a gradient is in memory that another library can write to: only arguments can be
/// copied when they are saved.
fn check_foreign(
    log: &CallLog,
    arguments: &[&Tensor],
    tapes: &Few<ActiveTape>,
    called: &Line,
) -> Result<(), Error> {
    let reads: Vec<_> = log.reads.iter().filter(|it| it.tensor.storage().is_foreign()).collect();
    check_captured(&reads, arguments, tapes, called)
}

/// Returns the elements of an input of a checkpoint that has a gradient, with their dtype.
fn tracked_layout(input: &EntryInput) -> Option<(StorageId, &Layout, DType)> {
    match (input.layout(), input.tracked, input.dtype) {
        (Some(layout), Some(id), Some(dtype)) if !layout.is_empty() => Some((id, layout, dtype)),
        _ => None,
    }
}

/// Returns whether an input was copied when it was saved.
fn is_copied(input: &EntryInput) -> bool {
    input.saved_copy().is_some()
}

/// Returns the arguments with a gradient that were copied when they were saved: memory that other libraries write.
fn copied_arguments(entry: &Entry, arguments: &[Tensor]) -> Vec<usize> {
    let is_found = |&n: &usize| is_copied(&entry.inputs[n]) && entry.inputs[n].tracked.is_some();
    (0..arguments.len()).filter(is_found).collect()
}

/// Returns the storages that the second call of a function reads in the place of those of the first, each once.
fn recomputed_storages(
    entry: &Entry,
    arguments: &[Tensor],
) -> Result<Vec<RecomputedStorage>, Error> {
    let mut spans: HashMap<StorageId, Range<usize>> = HashMap::new();
    for (id, layout, dtype) in entry.inputs.iter().filter_map(tracked_layout) {
        let span = component_span(layout.span(), dtype);
        let own = spans.entry(id).or_insert_with(|| span.clone());
        *own = union(own.clone(), span);
    }
    let mut found: Vec<RecomputedStorage> = Vec::new();
    for (n, input) in entry.inputs.iter().enumerate().filter(|(_, it)| !is_copied(it)) {
        let Some((storage, layout, dtype)) = tracked_layout(input) else { continue };
        let x = match arguments.get(n) {
            Some(argument) => argument,
            None => match input.lease() {
                Some(captured) => captured.tensor(),
                None => continue,
            },
        };
        if found.iter().any(|it| it.components.storage().is_same(x.storage())) {
            continue;
        }
        let span = spans[&storage].clone();
        // Overwritten arguments are views of a copy of the storage, whose offsets begin elsewhere.
        let [own, first] = [x.layout(), layout].map(|it| it.start() * n_components(dtype));
        let region = Layout::new(span.start + own - first, &[Axis::new(span.len(), 1)])?;
        let components = Tensor::from_storage(x.storage().clone(), region, dtype.real())?;
        found.push(RecomputedStorage { components, storage, span });
    }
    Ok(found)
}

/// Checks that the second call of a function has read what the first one did, and returned results of the same shapes.
fn check_repeated(entry: &Entry, results: &[Tensor], log: &CallLog) -> Result<(), Error> {
    let called = entry.line.to_string();
    for read in &log.reads {
        if let Some(patch) = lease::overwritten_since(&read.tensor, entry.time)? {
            let (read, written) = (read.line.to_string(), patch.line.to_string());
            return Err(GradientError::CapturedOverwritten { read, written, called }.into());
        }
    }
    let needed: Vec<_> = entry.outputs.iter().map(|it| (it.layout.shape(), it.dtype)).collect();
    let given: Vec<_> = results.iter().map(|it| (it.shape(), it.dtype())).collect();
    match needed == given {
        true => Ok(()),
        false => Err(GradientError::NotRepeated { called, needed, given }.into()),
    }
}
