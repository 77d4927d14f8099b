//! How operations announce events: [`Call`] names one, [`Announcement`] delivers it.

use super::event::{Event, EventKind, EventOperand};
use super::scope::{self, is_listening};
use super::{CallSite, LOCATOR, Param};
use crate::copies::CopyReason;
use crate::op::{Operand, Target};
use crate::{DType, Device, Error, Layout, Lens, Storage, StorageId, Tensor, with_device};
use std::cell::{Cell, RefCell};
use std::panic::Location;

/// The name of an operation, its parameters, and the line that called it: for errors and events.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub op: &'static str,
    pub caller: &'static Location<'static>,
    pub params: &'a [(&'static str, Param<'a>)],
    /// Why it copies, if the result has the elements of the operand.
    pub copies: Option<CopyReason>,
    /// Whether it runs the loops of an elementwise plan.
    pub is_planned: bool,
    /// Whether it is a part of the operation that it has the name of.
    pub is_part: bool,
}

/// The composite operations that a thread is inside of.
struct Composites {
    /// How many they are.
    depth: usize,
    /// The name of the innermost one.
    op: &'static str,
    /// The line that called the outermost one. Its parts have the same: their own lines are in this library.
    caller: &'static Location<'static>,
    call_site: Option<CallSite>,
}

thread_local! {
    /// Whether this thread is inside of the locator, whose operations announce nothing.
    static IS_LOCATING: Cell<bool> = const { Cell::new(false) };

    static COMPOSITES: RefCell<Option<Composites>> = const { RefCell::new(None) };
}

impl<'a> Call<'a> {
    /// Returns a call without parameters, from the caller of the function that it is made in.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn new(op: &'static str) -> Call<'a> {
        let caller = Location::caller();
        Call { op, caller, params: &[], copies: None, is_planned: false, is_part: false }
    }

    /// Returns the call with parameters.
    #[inline(always)]
    pub(crate) fn with(self, params: &'a [(&'static str, Param<'a>)]) -> Call<'a> {
        Call { params, ..self }
    }

    /// Returns the call of an operation that runs the loops of an elementwise plan.
    #[inline(always)]
    pub(crate) fn planned(self) -> Call<'a> {
        Call { is_planned: true, ..self }
    }

    /// Returns the call of a part of the operation, such as a copy of an operand.
    #[inline(always)]
    pub(crate) fn part(self) -> Call<'a> {
        Call { is_part: true, params: &[], ..self }
    }

    /// Returns the call of an operation whose result is a copy.
    #[inline(always)]
    pub(crate) fn copying(self, reason: CopyReason) -> Call<'a> {
        Call { copies: Some(reason), ..self }
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
pub(crate) struct Announcement<'a>(Option<Box<Prepared<'a>>>);

struct Prepared<'a> {
    call: Call<'a>,
    call_site: Option<CallSite>,
    depth: usize,
}

#[cold]
fn prepare(call: Call<'_>) -> Option<Box<Prepared<'_>>> {
    if !scope::has_recordings() || IS_LOCATING.get() {
        return None;
    }
    let inside = COMPOSITES.with_borrow(|outer| {
        let Composites { depth, op, caller, call_site } = outer.as_ref()?;
        // A part of the innermost operation is at its depth already.
        let depth = depth + usize::from(call.is_part && *op != call.op);
        let call = Call { caller, ..call };
        Some(Box::new(Prepared { call, call_site: call_site.clone(), depth }))
    });
    // The locator may call operations, so the thread-local value is not borrowed.
    inside.or_else(|| {
        let call_site = locate();
        Some(Box::new(Prepared { call, call_site, depth: usize::from(call.is_part) }))
    })
}

/// Finds the call site in another language.
fn locate() -> Option<CallSite> {
    let locator = LOCATOR.get()?;
    IS_LOCATING.set(true);
    let call_site = locator();
    IS_LOCATING.set(false);
    call_site
}

impl Announcement<'_> {
    /// No scope listens.
    pub(crate) const NONE: Announcement<'static> = Announcement(None);

    /// Returns whether a scope listens.
    #[inline(always)]
    pub(crate) fn is_heard(&self) -> bool {
        self.0.is_some()
    }

    /// Delivers the event of an operation that computes new tensors.
    #[inline(always)]
    pub(crate) fn deliver_new(&self, inputs: &[Operand<'_>], outputs: &[EventMemory<'_>]) {
        if let Some(it) = &self.0 {
            let kind = it.call.copies.map_or(EventKind::New, EventKind::Copy);
            it.deliver(inputs, outputs.iter().map(EventMemory::operand).collect(), kind);
        }
    }

    /// Delivers the event of an operation that writes to an output that exists.
    #[inline(always)]
    pub(crate) fn deliver_in_place(&self, inputs: &[Operand<'_>], out: &Target<'_>) {
        if let Some(it) = &self.0 {
            it.deliver(inputs, vec![out.event_operand()], EventKind::InPlace);
        }
    }

    /// Delivers the event of an operation that only reads.
    #[inline(always)]
    pub(crate) fn deliver_read(&self, inputs: &[Operand<'_>]) {
        if let Some(it) = &self.0 {
            // `to_vec` copies to a vector, which has no storage.
            let kind = it.call.copies.map_or(EventKind::Read, EventKind::Copy);
            it.deliver(inputs, Vec::new(), kind);
        }
    }

    /// Delivers the event of a guard, or of another library's access to the elements.
    #[inline(always)]
    pub(crate) fn deliver_access(&self, kind: EventKind, x: &Tensor) {
        if self.is_heard() {
            let outputs = [EventMemory::of(x)];
            let n_outputs = usize::from(kind == EventKind::InPlace);
            self.deliver(kind, &[x.into()], &outputs[..n_outputs]);
        }
    }

    /// Delivers an event of another kind.
    #[inline(always)]
    pub(crate) fn deliver(
        &self,
        kind: EventKind,
        inputs: &[Operand<'_>],
        outputs: &[EventMemory<'_>],
    ) {
        if let Some(it) = &self.0 {
            it.deliver(inputs, outputs.iter().map(EventMemory::operand).collect(), kind);
        }
    }

    /// Delivers the event of a copy of an operand that the operation makes on its way.
    pub(crate) fn deliver_copy(&self, reason: CopyReason, of: &Operand<'_>, copy: &Tensor) {
        if let Some(it) = &self.0 {
            let call = Call { params: &[], copies: Some(reason), ..it.call };
            let inner = Prepared { call, call_site: it.call_site.clone(), depth: it.depth + 1 };
            let copy = EventMemory::of(copy).operand();
            inner.push(vec![of.event_operand()], vec![copy], EventKind::Copy(reason));
        }
    }
}

impl Prepared<'_> {
    #[cold]
    fn deliver(&self, inputs: &[Operand<'_>], outputs: Vec<EventOperand>, kind: EventKind) {
        let inputs = inputs.iter().map(Operand::event_operand).collect();
        self.push(inputs, outputs, kind);
    }

    fn push(&self, inputs: Vec<EventOperand>, outputs: Vec<EventOperand>, kind: EventKind) {
        let bytes = |list: &[EventOperand]| {
            list.iter().fold(0, |sum: usize, it| sum.saturating_add(it.n_distinct_bytes()))
        };
        let touches = !matches!(kind, EventKind::View | EventKind::Import | EventKind::Export);
        let is_new = matches!(kind, EventKind::New | EventKind::Copy(_));
        scope::publish(Event {
            op: self.call.op,
            params: self.call.params.iter().map(|(name, it)| (*name, it.to_static())).collect(),
            bytes_read: if touches { bytes(&inputs) } else { 0 },
            // A copy to a vector has no output in a storage.
            bytes_written: match kind {
                EventKind::Copy(_) if outputs.is_empty() => copied_bytes(&inputs),
                _ if touches => bytes(&outputs),
                _ => 0,
            },
            bytes_allocated: if is_new { allocated_bytes(&outputs) } else { 0 },
            inputs,
            outputs,
            kind,
            depth: self.depth,
            is_planned: self.call.is_planned,
            caller: self.call.caller,
            call_site: self.call_site.clone(),
        });
    }
}

/// Returns the bytes of the storages of results; results may share one.
fn allocated_bytes(outputs: &[EventOperand]) -> usize {
    let allocations: Vec<_> = outputs.iter().filter_map(EventOperand::allocation).collect();
    let is_first = |(n, it): &(usize, &(StorageId, usize))| !allocations[..*n].contains(it);
    let distinct = allocations.iter().enumerate().filter(is_first);
    distinct.fold(0, |sum, (_, (_, bytes))| sum.saturating_add(*bytes))
}

/// Returns the bytes of a copy of operands; elements that a broadcast axis repeats count each time.
fn copied_bytes(inputs: &[EventOperand]) -> usize {
    let bytes = |it: &EventOperand| {
        let len = it.layout().map_or(0, Layout::len);
        len.saturating_mul(it.dtype().map_or(0, DType::size))
    };
    inputs.iter().fold(0, |sum, it| sum.saturating_add(bytes(it)))
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

impl Lens {
    /// Returns the lens as an operand of an event.
    pub(crate) fn event_operand(&self) -> EventOperand {
        EventOperand::Lens {
            storage: self.tensor().storage().id(),
            storage_len: self.tensor().storage().len(),
            chain: self.chain().clone(),
            dtype: self.dtype(),
        }
    }
}

/// Announces a view: the same memory with another layout.
#[inline(always)]
pub(crate) fn announce_view(call: Call<'_>, x: &Tensor, view: &Tensor) {
    if is_listening() {
        deliver_view(call, x, view);
    }
}

#[cold]
fn deliver_view(call: Call<'_>, x: &Tensor, view: &Tensor) {
    call.announce().deliver(EventKind::View, &[x.into()], &[EventMemory::of(view)]);
}

/// Announces a tensor that has no operands: a new one, or memory that was imported.
#[inline(always)]
pub(crate) fn announce_tensor(call: Call<'_>, kind: EventKind, tensor: &Tensor) {
    if is_listening() {
        call.announce().deliver(kind, &[], &[EventMemory::of(tensor)]);
    }
}

/// Announces a view of a lens.
#[inline(always)]
pub(crate) fn announce_lens(call: Call<'_>, x: &Lens, view: &Lens) {
    if let Some(it) = &call.announce().0 {
        it.push(vec![x.event_operand()], vec![view.event_operand()], EventKind::View);
    }
}

/// Runs an operation that is made of others, and announces it after them.
#[inline(always)]
pub(crate) fn composite<R: Results>(
    call: Call<'_>,
    inputs: &[Operand<'_>],
    operation: impl FnOnce() -> Result<R, Error>,
) -> Result<R, Error> {
    // Its temporary tensors have memory if the operands have.
    if inputs.iter().any(|it| it.storage().is_some_and(Storage::is_meta)) {
        return with_device(Device::Meta, || run_composite(call, inputs, operation));
    }
    match is_listening() {
        false => operation(),
        true => run_composite(call, inputs, operation),
    }
}

#[cold]
fn run_composite<R: Results>(
    call: Call<'_>,
    inputs: &[Operand<'_>],
    operation: impl FnOnce() -> Result<R, Error>,
) -> Result<R, Error> {
    let announcement = call.announce();
    let result = {
        let _inside = announcement.enter(call);
        operation()?
    };
    if let Some(it) = &announcement.0 {
        let tensors = result.tensors();
        let shares = |it: &&Tensor| {
            let storages = inputs.iter().filter_map(Operand::storage);
            storages.into_iter().any(|storage| storage.is_same(it.storage()))
        };
        let kind = match (tensors.is_empty(), call.copies) {
            (true, _) => EventKind::Read,
            (false, _) if tensors.iter().all(shares) => EventKind::View,
            (false, Some(reason)) => EventKind::Copy(reason),
            (false, None) => EventKind::New,
        };
        let outputs = tensors.into_iter().map(|it| EventMemory::of(it).operand()).collect();
        it.deliver(inputs, outputs, kind);
    }
    Ok(result)
}

/// Runs an operation that is made of others and writes to `out`, and announces it after them.
#[inline(always)]
pub(crate) fn composite_into(
    call: Call<'_>,
    inputs: &[Operand<'_>],
    out: Target<'_>,
    operation: impl FnOnce(Target<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    if inputs.iter().any(|it| it.storage().is_some_and(Storage::is_meta)) {
        return with_device(Device::Meta, || run_composite_into(call, inputs, out, operation));
    }
    match is_listening() {
        false => operation(out),
        true => run_composite_into(call, inputs, out, operation),
    }
}

#[cold]
fn run_composite_into(
    call: Call<'_>,
    inputs: &[Operand<'_>],
    out: Target<'_>,
    operation: impl FnOnce(Target<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let announcement = call.announce();
    let written = out.event_operand();
    {
        let _inside = announcement.enter(call);
        operation(out)?;
    }
    if let Some(it) = &announcement.0 {
        it.deliver(inputs, vec![written], EventKind::InPlace);
    }
    Ok(())
}

/// Calls a function whose operations are parts of a call.
#[inline(always)]
pub(crate) fn inside<R>(call: Call<'_>, f: impl FnOnce() -> R) -> R {
    let _inside = is_listening().then(|| call.announce().enter(call));
    f()
}

impl Announcement<'_> {
    /// Counts this thread as inside of a composite operation, until the value is dropped.
    fn enter(&self, call: Call<'_>) -> Inside {
        let outer = COMPOSITES.take();
        let (depth, caller, call_site) = match &outer {
            Some(outer) => (outer.depth + 1, outer.caller, outer.call_site.clone()),
            None => (1, call.caller, self.0.as_ref().and_then(|it| it.call_site.clone())),
        };
        COMPOSITES.set(Some(Composites { depth, op: call.op, caller, call_site }));
        Inside { outer }
    }
}

/// The time that a thread is inside of a composite operation.
struct Inside {
    /// The operations around it.
    outer: Option<Composites>,
}

impl Drop for Inside {
    fn drop(&mut self) {
        COMPOSITES.set(self.outer.take());
    }
}

/// What a composite operation returns.
pub(crate) trait Results {
    /// Returns the tensors among the results.
    fn tensors(&self) -> Vec<&Tensor>;
}

impl Results for Tensor {
    fn tensors(&self) -> Vec<&Tensor> {
        vec![self]
    }
}

impl Results for Vec<Tensor> {
    fn tensors(&self) -> Vec<&Tensor> {
        self.iter().collect()
    }
}

impl<const N: usize> Results for [Tensor; N] {
    fn tensors(&self) -> Vec<&Tensor> {
        self.iter().collect()
    }
}

impl Results for (Tensor, Tensor) {
    fn tensors(&self) -> Vec<&Tensor> {
        vec![&self.0, &self.1]
    }
}

impl Results for (Tensor, Tensor, Tensor) {
    fn tensors(&self) -> Vec<&Tensor> {
        vec![&self.0, &self.1, &self.2]
    }
}

impl Results for () {
    fn tensors(&self) -> Vec<&Tensor> {
        Vec::new()
    }
}

impl Results for bool {
    fn tensors(&self) -> Vec<&Tensor> {
        Vec::new()
    }
}
