//! Functions with a derivative rule of their own.

use crate::backward::{self, Walk};
use crate::call::{CallLog, CallRead, copy_shared, tapes_tracking};
use crate::components::is_differentiable;
use crate::entry::{Entry, EntryInput, EntryKind, Region};
use crate::error::{GradientError, Line};
use crate::few::Few;
use crate::lease;
use crate::live_reads::LiveReads;
use crate::observer::push_entry;
use crate::overlap::Membership;
use crate::pullback::{Contribution, Pullback};
use crate::results::{Results, to_vec};
use crate::scope::{ActiveTape, active_tapes, no_tape};
use crate::tape::TapeState;
use belvedere::{Error, Tensor, copies};
use std::sync::Arc;

/// What the entry is called in errors and reports.
const OP: &str = "custom_rule";

/// Computes the gradients of the arguments from those of the results and from the arguments.
pub(crate) type PullFunction =
    dyn Fn(&[Tensor], &[Tensor]) -> Result<Vec<Option<Tensor>>, Error> + Send + Sync;

/// Calls a function whose derivative is given: `forward` computes the results from the arguments, and is not recorded;
/// `pull` computes the gradient of each argument from those of the results and from the arguments as they were then.
///
/// The arguments are saved as leases, as those of an operation are: they may be overwritten later. `pull` returns `None`
/// for an argument that the results do not depend on. Enclosing tapes record it, so that second derivatives are those of
/// `pull`. `forward` may write only to memory that it has allocated itself, and a tensor with a gradient that it reads must
/// be an argument.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere_grad::{Tape, custom_rule};
///
/// // The gradient of rounding, as if it did nothing.
/// let (x, tape) = (tensor![0.4, 1.7], Tape::new());
/// tape.watch(&x)?;
/// let y = tape.record(|| {
///     let y: Tensor = custom_rule(&[&x], |x| x[0].round(), |g, _| Ok(vec![Some(g[0].clone())]))?;
///     y.square()?.sum(())
/// })?;
/// assert_eq!(tape.backward(&y)?.wrt(&x)?.to_vec::<f64>()?, [0.0, 4.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If `forward` fails, writes to memory that existed before, or reads a tensor with a gradient that is no argument; at
/// `backward` if `pull` fails or returns a gradient of another number, shape or dtype than the arguments have.
///
/// # Memory
/// A result that is an argument, a view of one or of another result is copied.
#[track_caller]
pub fn custom_rule<R: Results>(
    arguments: &[&Tensor],
    forward: impl FnOnce(&[Tensor]) -> Result<R, Error>,
    pull: impl Fn(&[Tensor], &[Tensor]) -> Result<Vec<Option<Tensor>>, Error> + Send + Sync + 'static,
) -> Result<R, Error> {
    let line = Line::here();
    let values: Vec<Tensor> = arguments.iter().map(|it| (*it).clone()).collect();
    let active = active_tapes();
    if active.is_empty() {
        return forward(&values);
    }
    let pull: Arc<PullFunction> = Arc::new(pull);
    let time = lease::now();
    let (mut entries, copies) = (Vec::new(), copy_shared(arguments)?);
    for tape in tapes_tracking(&active, arguments) {
        let kind = EntryKind::Custom(Arc::clone(&pull));
        let saved = (arguments, &copies[..]);
        entries.push((tape, Entry::of_call(OP, kind, saved, (time, &line), &tape.lock())?));
    }
    let (results, log) = CallLog::of(OP, &line, time, || no_tape(|| forward(&values)))?;
    check_captured(&log.reads.iter().collect::<Vec<_>>(), arguments, &active, &line)?;
    let results = log.own_results(to_vec(&results))?;
    for (tape, entry) in entries {
        push_entry(&mut tape.lock(), entry, results.iter().map(Region::of).collect());
    }
    Ok(R::from_tensors(results))
}

/// Checks that a function reads no elements with a gradient besides those of its arguments.
pub(crate) fn check_captured(
    reads: &[&CallRead],
    arguments: &[&Tensor],
    tapes: &Few<ActiveTape>,
    called: &Line,
) -> Result<(), Error> {
    for read in reads {
        let x = &read.tensor;
        let contains = |argument: &&Tensor| {
            argument.storage().is_same(x.storage())
                && argument.dtype() == x.dtype()
                && Membership::new(argument.layout().clone()).contains_all(x.layout())
        };
        let is_argument = arguments.iter().any(contains);
        if !is_argument && !tapes_tracking(tapes, &[x]).is_empty() {
            let (line, called) = (read.line.to_string(), called.to_string());
            let (shape, dtype) = (x.shape(), x.dtype());
            return Err(GradientError::Captured { shape, dtype, line, called }.into());
        }
    }
    Ok(())
}

impl Entry {
    /// Returns the entry of a call whose arguments are saved. The results are missing.
    pub(crate) fn of_call(
        op: &'static str,
        kind: EntryKind,
        (arguments, copies): (&[&Tensor], &[Option<Tensor>]),
        (time, line): (u64, &Line),
        state: &TapeState,
    ) -> Result<Entry, Error> {
        let save = |it: (&&Tensor, _)| EntryInput::saving((*it.0, it.1), state, (op, time, line));
        let inputs = arguments.iter().zip(copies).map(save).collect::<Result<Vec<_>, _>>()?;
        let (params, outputs, line) = (Vec::new(), Vec::new(), line.clone());
        let is_of_backward = backward::is_running();
        Ok(Entry { op, kind, params, inputs, outputs, is_fresh: true, line, time, is_of_backward })
    }
}

/// Returns gradients, as copies if they are views of saved elements, which other threads may overwrite.
fn own_elements(
    reads: &LiveReads,
    gradients: Vec<Option<Tensor>>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let own = |it: Option<Tensor>| match it {
        Some(it) if reads.contain(it.storage().id()) => Ok(Some(it.copy()?)),
        it => Ok(it),
    };
    gradients.into_iter().map(own).collect()
}

impl Walk {
    /// Passes gradients on by the rule of a user's function.
    pub(crate) fn pull_custom(&mut self, pull: &PullFunction, entry: &Entry) -> Result<(), Error> {
        let Some(gradients) = self.gradients_of_call(entry)? else { return Ok(()) };
        let zeros = |(n, it): (usize, &Option<Tensor>)| match it {
            Some(it) => Ok(it.clone()),
            None => Tensor::zeros(entry.outputs[n].layout.shape(), entry.outputs[n].dtype),
        };
        let given = gradients.iter().enumerate().map(zeros).collect::<Result<Vec<_>, Error>>()?;
        let (arguments, found) = loop {
            let reads = LiveReads::start();
            let arguments = self.arguments_of_call(entry, entry.inputs.len())?;
            let found = copies::allow(|| own_elements(&reads, pull(&given, &arguments)?));
            if !reads.are_overwritten()? {
                break (arguments, found?);
            }
        };
        if found.len() != arguments.len() {
            let (needed, given) = (arguments.len(), found.len());
            let line = entry.line.to_string();
            return Err(GradientError::CustomCount { line, needed, given }.into());
        }
        for (at, (gradient, x)) in found.into_iter().zip(&arguments).enumerate() {
            let Some(gradient) = gradient else { continue };
            let (needed, given) = ((x.shape(), x.dtype()), (gradient.shape(), gradient.dtype()));
            if entry.inputs[at].tracked.is_some() && needed != given {
                let line = entry.line.to_string();
                return Err(GradientError::CustomShape { at, line, needed, given }.into());
            }
            self.accumulate(&entry.inputs[at], Contribution::Tensor(gradient))?;
        }
        Ok(())
    }

    /// Takes the gradients of a call's results; `None` if nothing depends on any of them.
    pub(crate) fn gradients_of_call(
        &mut self,
        entry: &Entry,
    ) -> Result<Option<Vec<Option<Tensor>>>, Error> {
        let take = |it: &Region| match is_differentiable(it.dtype) {
            true => self.take_gradient(it, entry.is_fresh),
            false => Ok(None),
        };
        let gradients = entry.outputs.iter().map(take).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(gradients).filter(|it| it.iter().any(Option::is_some)))
    }

    /// Returns the first inputs of a call, as they were when it was made.
    pub(crate) fn arguments_of_call(
        &mut self,
        entry: &Entry,
        n: usize,
    ) -> Result<Vec<Tensor>, Error> {
        let mut pullback = Pullback::new(entry, &[], &mut self.shadows, &self.spans);
        (0..n).map(|it| pullback.input(it)).collect()
    }
}
