//! Announcing views, and tensors that have no operands.

use super::NamedParam;
use super::announce::{Call, EventMemory};
use super::event::{EventKind, EventOperand};
use super::scope::is_listening;
use crate::{Layout, Lens, Tensor};

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

/// Announces a view with parameters, which are evaluated if a scope listens.
#[inline(always)]
pub(crate) fn announce_view_with<'p, const N: usize>(
    call: Call<'_>,
    x: &Tensor,
    view: &Tensor,
    params: impl FnOnce() -> [NamedParam<'p>; N],
) {
    #[cold]
    fn evaluate<'p, const N: usize>(
        call: Call<'_>,
        x: &Tensor,
        view: &Tensor,
        params: impl FnOnce() -> [NamedParam<'p>; N],
    ) {
        deliver_view(call.with(&params()), x, view);
    }
    if is_listening() {
        evaluate(call, x, view, params);
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

/// The most outputs of an event whose results are views: a tensor may have any number of rows.
pub(super) const MAX_VIEWS: usize = 64;

/// Announces the parts of a tensor, which are views, as one event. At most [`MAX_VIEWS`] of them are outputs.
#[inline(always)]
pub(crate) fn announce_parts<I: Iterator<Item = Layout>>(
    call: Call<'_>,
    x: &Tensor,
    parts: impl FnOnce() -> I,
) {
    if is_listening() {
        deliver_parts(call, x, parts());
    }
}

#[cold]
fn deliver_parts(call: Call<'_>, x: &Tensor, parts: impl Iterator<Item = Layout>) {
    if let Some(it) = &call.announce().0 {
        let (storage, dtype) = (x.storage(), x.dtype());
        let part = |layout: Layout| EventMemory { storage, layout: &layout, dtype }.operand();
        let parts: Vec<EventOperand> = parts.take(MAX_VIEWS).map(part).collect();
        it.publish(&[x.into()], &parts, EventKind::View);
    }
}

/// Announces a tensor that has no operands: a new one, or memory that was imported.
#[inline(always)]
pub(crate) fn announce_tensor(call: Call<'_>, kind: EventKind, tensor: &Tensor) {
    if is_listening() {
        deliver_tensor(call, kind, tensor);
    }
}

#[cold]
fn deliver_tensor(call: Call<'_>, kind: EventKind, tensor: &Tensor) {
    let announcement = call.announce();
    announcement.deliver(kind, &[], &[EventMemory::of(tensor)]);
    let owned = Some(tensor.storage()).filter(|it| !it.is_foreign());
    if let (Some(it), Some(storage)) = (&announcement.0, owned) {
        it.tell_created(storage.id());
    }
}

/// Announces a new tensor that has no operands, with its shape and dtype as parameters.
#[inline(always)]
pub(crate) fn announce_new(call: Call<'_>, tensor: &Tensor) {
    #[cold]
    fn deliver(call: Call<'_>, tensor: &Tensor) {
        let shape = tensor.shape();
        let params = [("shape", (&*shape).into()), ("dtype", tensor.dtype().into())];
        announce_tensor(call.with(&params), EventKind::New, tensor);
    }
    if is_listening() {
        deliver(call, tensor);
    }
}

/// Announces a view of a lens, with parameters, which are evaluated if a scope listens.
#[inline(always)]
pub(crate) fn announce_lens<'p, const N: usize>(
    call: Call<'_>,
    x: &Lens,
    view: &Lens,
    params: impl FnOnce() -> [NamedParam<'p>; N],
) {
    if is_listening()
        && let Some(it) = &call.with(&params()).announce().0
    {
        it.push(vec![x.event_operand()], vec![view.event_operand()], EventKind::View);
    }
}
