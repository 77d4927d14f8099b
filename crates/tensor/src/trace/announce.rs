//! How operations announce events: [`Call`] names one, [`Announcement`] delivers it.

use super::NamedParam;
use super::composite;
use super::event::{Event, EventKind, EventOperand};
use super::observe::{self, ClaimedMemory, ObservedMemory, ObservedOperation};
use super::scope::{self, EventFilter, is_listening};
use super::site::{Site, is_locating};
use crate::copies::CopyReason;
use crate::op::{Operand, Target};
use crate::sync::current_thread;
use crate::{DType, Error, Layout, Storage, StorageId, Tensor};
use std::panic::Location;

/// The name of an operation, its parameters, and the line that called it: for errors and events.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub op: &'static str,
    pub caller: &'static Location<'static>,
    pub params: &'a [NamedParam<'a>],
    /// Why it copies, if the result has the elements of the operand.
    pub copies: Option<CopyReason>,
    /// Whether it runs the loops of an elementwise plan.
    pub is_planned: bool,
    /// Whether it is a part of the operation that it has the name of.
    pub is_part: bool,
    /// Whether a closure of the user runs while the operands are borrowed: they are borrowed as by guards then.
    pub runs_user_code: bool,
    /// Which elements it reads and writes.
    pub touched: Touched,
    /// The event of the same call, if it was prepared before: the caller is located once.
    prepared: Option<&'a PreparedEvent<'a>>,
}

/// Which elements of its operands an operation reads and writes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touched {
    /// All of them.
    All,
    /// A gather: of the first operand, as many as the result has.
    Gathered,
    /// A scatter: `n` of the output, and as many of the first operand, if that is the output and is read.
    Scattered { n: usize, reads: bool },
}

impl Touched {
    /// Returns the number of elements of the first operand that are read, if it is not all of them.
    fn n_read(self, outputs: &[EventOperand]) -> Option<usize> {
        match self {
            Touched::Gathered => outputs.first().map(EventOperand::len),
            Touched::Scattered { n, reads: true } => Some(n),
            Touched::All | Touched::Scattered { reads: false, .. } => None,
        }
    }

    /// Returns the number of elements of the output that are written, if it is not all of them.
    fn n_written(self) -> Option<usize> {
        match self {
            Touched::Scattered { n, .. } => Some(n),
            Touched::All | Touched::Gathered => None,
        }
    }
}

impl From<()> for Touched {
    fn from((): ()) -> Touched {
        Touched::All
    }
}

impl<'a> Call<'a> {
    /// Returns a call without parameters, from the caller of the function that it is made in.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn new(op: &'static str) -> Call<'a> {
        let caller = Location::caller();
        Call {
            op,
            caller,
            params: &[],
            copies: None,
            is_planned: false,
            is_part: false,
            runs_user_code: false,
            touched: Touched::All,
            prepared: None,
        }
    }

    /// Returns the call with parameters.
    #[inline(always)]
    pub(crate) fn with(self, params: &'a [NamedParam<'a>]) -> Call<'a> {
        Call { params, ..self }
    }

    /// Returns the call of an operation that runs the loops of an elementwise plan.
    #[inline(always)]
    pub(crate) fn planned(self) -> Call<'a> {
        Call { is_planned: true, ..self }
    }

    /// Returns the call of an operation that calls a closure of the user while its operands are borrowed.
    #[inline(always)]
    pub(crate) fn running_user_code(self) -> Call<'a> {
        Call { runs_user_code: true, ..self }
    }

    /// Returns the call of a part of the operation, such as a copy of an operand.
    #[inline(always)]
    pub(crate) fn part(self) -> Call<'a> {
        Call { is_part: true, params: &[], touched: Touched::All, prepared: None, ..self }
    }

    /// Returns the call of an operation whose result is a copy.
    #[inline(always)]
    pub(crate) fn copying(self, reason: CopyReason) -> Call<'a> {
        Call { copies: Some(reason), ..self }
    }

    /// Returns the call of an operation that reads or writes only elements that an index selects.
    #[inline(always)]
    pub(crate) fn touching(self, touched: Touched) -> Call<'a> {
        Call { touched, ..self }
    }

    /// Prepares the event of the operation. Not to be called while memory is claimed, since it may call the
    /// locator, which is user code.
    #[inline(always)]
    pub(crate) fn announce(self) -> Announcement<'a> {
        Announcement(if is_listening() { prepare(self) } else { None })
    }

    /// The same for an operation whose result takes `bytes`.
    ///
    /// # Errors
    /// If it is an implicit copy and those are forbidden here.
    #[inline(always)]
    pub(crate) fn announce_result(
        self,
        bytes: impl FnOnce() -> usize,
    ) -> Result<Announcement<'a>, Error> {
        if !is_listening() {
            return Ok(Announcement(None));
        }
        if let Some(reason) = self.copies {
            scope::check_copy(self.op, reason, bytes)?;
        }
        Ok(Announcement(prepare(self)))
    }
}

/// The event of an operation that is about to run, if a scope listens.
pub(crate) struct Announcement<'a>(pub(super) Option<PreparedEvent<'a>>);

/// An event, as far as it is known before the operation runs.
pub(super) struct PreparedEvent<'a> {
    pub call: Call<'a>,
    pub site: Site,
    pub depth: usize,
    /// The events that are recorded, if any are.
    pub filter: Option<EventFilter>,
    /// Whether there are observers.
    pub is_observed: bool,
}

#[cold]
fn prepare(call: Call<'_>) -> Option<PreparedEvent<'_>> {
    let (filter, is_observed) = (scope::recorded_events(), observe::is_observed());
    if (filter.is_none() && !is_observed) || is_locating() {
        return None;
    }
    let outer = match call.prepared {
        Some(it) => Some((it.depth, it.call.caller, it.site.clone())),
        None => composite::part_of_current(&call),
    };
    let alone = (usize::from(call.is_part), call.caller, Site::NotLocated);
    let (depth, caller, site) = outer.unwrap_or(alone);
    let call = Call { caller, ..call };
    let mut event = PreparedEvent { call, site, depth, filter, is_observed };
    // The locator may call operations, so no thread-local value is borrowed here.
    if filter == Some(EventFilter::All) || is_observed || call.copies.is_some() {
        event.site.locate();
    }
    Some(event)
}

impl Announcement<'_> {
    /// No scope listens.
    pub(crate) const NONE: Announcement<'static> = Announcement(None);

    /// Returns the call that this event was prepared for, to be announced once more by another path that takes
    /// over the operation. The caller is not located again.
    #[inline(always)]
    pub(crate) fn continued<'b>(&'b self, call: Call<'b>) -> Call<'b> {
        Call { prepared: self.0.as_ref(), ..call }
    }

    /// Locates the caller, for an operation that is about to copy an operand. Not to be called while memory is
    /// claimed.
    pub(crate) fn locate_caller(&mut self) {
        if let Some(it) = &mut self.0 {
            it.site.locate();
        }
    }

    /// Returns whether there are observers.
    #[inline(always)]
    pub(crate) fn is_observed(&self) -> bool {
        self.0.as_ref().is_some_and(|it| it.is_observed)
    }

    /// Returns whether a scope listens.
    #[inline(always)]
    pub(crate) fn is_heard(&self) -> bool {
        self.0.is_some()
    }

    /// Delivers the event of an operation that computes new tensors.
    ///
    /// # Errors
    /// If an observer refuses the operation.
    #[inline(always)]
    pub(crate) fn deliver_new(
        &self,
        inputs: &[Operand<'_>],
        outputs: &[EventMemory<'_>],
        claimed: Option<&dyn ClaimedMemory>,
    ) -> Result<(), Error> {
        let Some(it) = &self.0 else { return Ok(()) };
        let kind = it.call.copies.map_or(EventKind::New, EventKind::Copy);
        let memory = ObservedMemory { claimed, ..Default::default() };
        match outputs {
            // Not a vector: an allocation costs as much as what an observer does with a small operation.
            [output] => it.deliver(inputs, &[output.operand()], kind, memory),
            outputs => {
                let outputs: Vec<EventOperand> = outputs.iter().map(EventMemory::operand).collect();
                it.deliver(inputs, &outputs, kind, memory)
            }
        }
    }

    /// Delivers the event of an operation that writes to outputs that exist. Observers are told of each output by itself.
    ///
    /// # Errors
    /// If an observer refuses the operation.
    #[inline(always)]
    pub(crate) fn deliver_in_place(
        &self,
        inputs: &[Operand<'_>],
        outs: &[Target<'_>],
        claimed: Option<&dyn ClaimedMemory>,
    ) -> Result<(), Error> {
        match &self.0 {
            Some(it) => it.deliver_in_place(inputs, outs, claimed),
            None => Ok(()),
        }
    }

    /// Publishes the event of an operation that writes to an output that exists, which no observer is told of.
    #[inline(always)]
    pub(crate) fn publish_in_place(&self, inputs: &[Operand<'_>], out: &Target<'_>) {
        if let Some(it) = &self.0 {
            it.publish(inputs, &[out.event_operand()], EventKind::InPlace);
        }
    }

    /// Tells the observers that an operation failed after it was announced, if it did.
    #[inline(always)]
    pub(crate) fn note_failure<R>(&self, outcome: Result<R, Error>) -> Result<R, Error> {
        if let (Some(it), Err(_)) = (&self.0, &outcome) {
            it.tell_failed();
        }
        outcome
    }

    /// Delivers the event of an operation that only reads.
    #[inline(always)]
    pub(crate) fn deliver_read(&self, inputs: &[Operand<'_>]) {
        if let Some(it) = &self.0 {
            // `to_vec` copies to a vector, which has no storage.
            let kind = it.call.copies.map_or(EventKind::Read, EventKind::Copy);
            it.publish(inputs, &[], kind);
        }
    }

    /// Delivers the event of a guard, or of another library's access to the elements.
    ///
    /// # Errors
    /// If an observer refuses the access.
    #[inline(always)]
    pub(crate) fn deliver_access(&self, kind: EventKind, x: &Tensor) -> Result<(), Error> {
        let Some(it) = &self.0 else { return Ok(()) };
        let is_write = kind == EventKind::InPlace;
        let output = [EventMemory::of(x).operand()];
        let outputs = if is_write { &output[..] } else { &[] };
        let is_guard = kind != EventKind::Export;
        let memory = ObservedMemory { target: is_guard.then_some(x), ..Default::default() };
        it.deliver(&[x.into()], outputs, kind, memory)
    }

    /// Delivers an event that no observer can refuse: a view, or a tensor without operands.
    #[inline(always)]
    pub(crate) fn deliver(
        &self,
        kind: EventKind,
        inputs: &[Operand<'_>],
        outputs: &[EventMemory<'_>],
    ) {
        if let Some(it) = &self.0 {
            let outputs: Vec<EventOperand> = outputs.iter().map(EventMemory::operand).collect();
            it.publish(inputs, &outputs, kind);
        }
    }

    /// Delivers the event of a copy of an operand that the operation makes on its way.
    pub(crate) fn deliver_copy(&self, reason: CopyReason, of: &Operand<'_>, copy: &Tensor) {
        self.deliver_part(reason, of, EventMemory::of(copy).operand());
    }

    /// The same for a copy that is made later, to a layout.
    pub(crate) fn deliver_planned_copy(
        &self,
        reason: CopyReason,
        of: &Operand<'_>,
        layout: Layout,
        dtype: DType,
    ) {
        self.deliver_part(reason, of, EventOperand::View { layout, dtype });
    }

    fn deliver_part(&self, reason: CopyReason, of: &Operand<'_>, copy: EventOperand) {
        if let Some(it) = &self.0 {
            let call = Call { copies: Some(reason), ..it.call.part() };
            let inner = PreparedEvent { call, site: it.site.clone(), depth: it.depth + 1, ..*it };
            inner.push(vec![of.event_operand()], vec![copy], EventKind::Copy(reason));
        }
    }
}

impl<'a> PreparedEvent<'a> {
    /// Tells the observers of an operation, and publishes its event unless they refuse it.
    #[cold]
    pub(super) fn deliver(
        &self,
        inputs: &[Operand<'_>],
        outputs: &[EventOperand],
        kind: EventKind,
        memory: ObservedMemory<'_>,
    ) -> Result<(), Error> {
        self.tell_observers(kind, inputs, outputs, memory)?;
        self.publish(inputs, outputs, kind);
        Ok(())
    }

    /// Like [`PreparedEvent::deliver`], for outputs that exist.
    #[cold]
    fn deliver_in_place(
        &self,
        inputs: &[Operand<'_>],
        outs: &[Target<'_>],
        claimed: Option<&dyn ClaimedMemory>,
    ) -> Result<(), Error> {
        if let [out] = outs {
            let target = out.tensor_to_observe();
            let memory = ObservedMemory { target, claimed, ..Default::default() };
            return self.deliver(inputs, &[out.event_operand()], EventKind::InPlace, memory);
        }
        for (n, out) in outs.iter().enumerate() {
            let target = out.tensor_to_observe();
            let memory = ObservedMemory { target, output: n, claimed, is_composite: false };
            let told =
                self.tell_observers(EventKind::InPlace, inputs, &[out.event_operand()], memory);
            if told.is_err() && n > 0 {
                // The observers were told of the outputs before this one.
                self.tell_failed();
            }
            told?;
        }
        let outputs: Vec<EventOperand> = outs.iter().map(Target::event_operand).collect();
        self.publish(inputs, &outputs, EventKind::InPlace);
        Ok(())
    }

    /// Publishes an event to the recordings.
    #[cold]
    pub(super) fn publish(
        &self,
        inputs: &[Operand<'_>],
        outputs: &[EventOperand],
        kind: EventKind,
    ) {
        if self.keeps(kind) {
            let inputs = inputs.iter().map(Operand::event_operand).collect();
            self.push(inputs, outputs.to_vec(), kind);
        }
    }

    /// Returns whether an event of a kind is recorded.
    fn keeps(&self, kind: EventKind) -> bool {
        self.filter.is_some_and(|it| it.keeps(kind))
    }

    /// Returns the event of the copy of elements that were saved for later, which `operation` overwrites.
    pub(super) fn of_saved(
        operation: &'a ObservedOperation<'a>,
        params: &'a [NamedParam<'a>],
    ) -> Self {
        let caller = operation.caller;
        let call = Call { caller, copies: Some(CopyReason::Saved), ..Call::new(operation.op) };
        let call = call.part().with(params);
        let site = Site::Located(operation.call_site.clone());
        let filter = scope::recorded_events();
        PreparedEvent { call, site, depth: 1, filter, is_observed: false }
    }

    /// Publishes the copy of elements of a tensor.
    pub(super) fn publish_copy(&self, of: &Tensor, copy: &Tensor) {
        let (from, to) = (EventMemory::of(of).operand(), EventMemory::of(copy).operand());
        self.push(vec![from], vec![to], EventKind::Copy(CopyReason::Saved));
    }

    pub(super) fn push(
        &self,
        inputs: Vec<EventOperand>,
        outputs: Vec<EventOperand>,
        kind: EventKind,
    ) {
        if !self.keeps(kind) {
            return;
        }
        // The first operand counts as many elements as the index selects.
        let bytes = |list: &[EventOperand], n_selected: Option<usize>| {
            let bytes = |(i, it): (usize, &EventOperand)| match n_selected {
                Some(n) if i == 0 => it.n_bytes_of(n),
                _ => it.n_distinct_bytes(),
            };
            list.iter().enumerate().map(bytes).fold(0, usize::saturating_add)
        };
        let touched = self.call.touched;
        let touches = !matches!(kind, EventKind::View | EventKind::Import | EventKind::Export);
        let is_new = matches!(kind, EventKind::New | EventKind::Copy(_));
        scope::publish(Event {
            op: self.call.op,
            params: self.call.params.iter().map(|(name, it)| (*name, it.to_static())).collect(),
            bytes_read: match touches {
                true => bytes(&inputs, touched.n_read(&outputs)),
                false => 0,
            },
            // A copy to a vector has no output in a storage.
            bytes_written: match kind {
                EventKind::Copy(_) if outputs.is_empty() => copied_bytes(&inputs),
                _ if touches => bytes(&outputs, touched.n_written()),
                _ => 0,
            },
            bytes_allocated: if is_new { allocated_bytes(&inputs, &outputs) } else { 0 },
            inputs,
            outputs,
            kind,
            depth: self.depth,
            thread: current_thread(),
            is_planned: self.call.is_planned,
            caller: self.call.caller,
            call_site: self.site.call_site(),
        });
    }
}

/// Returns the bytes of the storages of results; results may share one, and may be operands.
fn allocated_bytes(inputs: &[EventOperand], outputs: &[EventOperand]) -> usize {
    let is_input = |id: StorageId| inputs.iter().any(|it| it.storage() == Some(id));
    let allocations = outputs.iter().filter_map(EventOperand::allocation);
    let allocations: Vec<_> = allocations.filter(|(id, _)| !is_input(*id)).collect();
    let is_first = |(n, it): &(usize, &(StorageId, usize))| !allocations[..*n].contains(it);
    let distinct = allocations.iter().enumerate().filter(is_first);
    distinct.fold(0, |sum, (_, (_, bytes))| sum.saturating_add(*bytes))
}

/// Returns the bytes of a copy of operands; elements that a broadcast axis repeats count each time.
fn copied_bytes(inputs: &[EventOperand]) -> usize {
    inputs.iter().map(|it| it.n_bytes_of(it.len())).fold(0, usize::saturating_add)
}

/// Elements of a storage, as an operand or a result of an event.
#[derive(Clone, Copy)]
pub(crate) struct EventMemory<'a> {
    pub storage: &'a Storage,
    pub layout: &'a Layout,
    pub dtype: DType,
}

impl<'a> EventMemory<'a> {
    pub(crate) fn of(tensor: &'a Tensor) -> EventMemory<'a> {
        EventMemory { storage: tensor.storage(), layout: tensor.layout(), dtype: tensor.dtype() }
    }

    pub(crate) fn operand(&self) -> EventOperand {
        EventOperand::Tensor {
            storage: self.storage.id(),
            storage_len: self.storage.len(),
            layout: self.layout.clone(),
            dtype: self.dtype,
        }
    }
}
