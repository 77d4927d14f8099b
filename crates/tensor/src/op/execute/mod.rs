//! Running a kernel: allocates the result, borrows the operands, resolves overlap, and calls it.
//!
//! This is where operands become views. An operation says what it reads and what it writes; the functions
//! here take the borrows, copy inputs that overlap the output where the kernel cannot read them in place,
//! and hand views to the kernel. The borrows are released when the kernel returns.
//!
//! - [`compute_new`] allocates the output; [`compute_several`] several of them, [`compute_from_slice`]
//!   takes any number of operands, and [`compute_data_dependent`] lets the kernel find the shape.
//! - [`compute_into`] writes to an output that exists; so does [`compute_into_from_slice`]; [`compute_into_several`] writes
//!   to several.
//! - [`read_operands`] only reads.
//! - `small.rs` does the same for operands of rank ≤ 2 without copying layouts or making a plan, `element.rs` for single
//!   elements, and `small_copies.rs` for gathers, scatters and concatenations of few elements.

mod element;
mod many;
mod overlap;
mod several;
mod small;
mod small_copies;
mod temp_copy;

pub(crate) use element::{
    compute_element, element_storage, read_only_element, try_cast_element, try_copy_element,
    try_copy_element_again, try_initial_element, try_write_element, try_write_value,
};
pub(crate) use many::{
    compute_data_dependent, compute_from_slice, compute_into_from_slice, compute_several,
};
pub(crate) use several::compute_into_several;
pub(crate) use small::{
    ResultOrder, SmallOperands, SmallShape, compute_small_closure_into, compute_small_into,
    is_small,
};
pub(crate) use small_copies::{SmallSelection, try_concat, try_concat_rows, try_take};
pub(crate) use temp_copy::TempCopy;

use super::operand::{Operand, OperandRepr, Target, TargetRepr};
use crate::arrays::array_of;
use crate::borrow::{self, CallbackClaims, ClaimRequest, Claims, Ticket, Tickets};
use crate::cancel;
use crate::copies::CopyReason;
use crate::storage::creates_meta;
use crate::tensor::try_collect;
use crate::trace::{self, Announcement, Call, EventMemory, EventOperand};
use crate::view::{AnyView, AnyViewMut, Source, Written};
use crate::{DType, Error, Layout, Storage, Tensor};
use overlap::{Overlap, resolve_overlaps};
use std::slice;

/// What to do with an input that is the output itself, index by index.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputIsOutput {
    /// The kernel reads each element before it writes it.
    InPlace,
    /// The input is copied first, as one that overlaps the output in part.
    Copy,
    /// It is an error, as is an input that overlaps the output in part.
    Refuse,
}

impl Operand<'_> {
    /// Returns the storage that has to be borrowed.
    #[inline]
    pub(crate) fn storage(&self) -> Option<&Storage> {
        self.to_borrow().map(Tensor::storage)
    }

    /// Returns the access that has to be granted.
    fn access(&self) -> Option<ClaimRequest<'_>> {
        self.to_borrow().map(|it| it.access(false))
    }

    /// Returns the operand as one of an event.
    pub(crate) fn event_operand(&self) -> EventOperand {
        match &self.0 {
            OperandRepr::Tensor(tensor) => EventMemory::of(tensor).operand(),
            OperandRepr::Owned(tensor) => EventMemory::of(tensor).operand(),
            OperandRepr::View(view) => {
                EventOperand::View { layout: view.layout().clone(), dtype: view.dtype() }
            }
            OperandRepr::Lens(lens) => lens.event_operand(),
            OperandRepr::Scalar(_) => EventOperand::Number { dtype: None },
            OperandRepr::Cell(cell) => EventOperand::Number { dtype: Some(cell.dtype()) },
        }
    }
}

impl Target<'_> {
    /// Returns the elements for writing.
    ///
    /// # Safety
    /// - If it is a tensor, `check_writable` must have succeeded, and it must be borrowed for writing while the view
    ///   is used.
    /// - No other view of it, and no view of an operand that shares elements with it, may be in use meanwhile.
    unsafe fn view(&self) -> AnyViewMut<'_> {
        let (ptr, layout, dtype) = match &self.0 {
            TargetRepr::View(view) => (view.ptr(), view.layout(), view.dtype()),
            TargetRepr::Tensor(it) => (it.storage().ptr(), it.layout(), it.dtype()),
        };
        // SAFETY: a view is borrowed by `self`, and a tensor's layout fits in its storage, which is initialised,
        // aligned and writable; the layout is injective, as that of every `AnyViewMut` (of a tensor:
        // `check_writable`). The caller excludes all other accesses.
        unsafe { AnyViewMut::from_parts(ptr, layout.clone(), dtype) }
    }

    /// Returns the storage that has to be borrowed.
    #[inline]
    fn storage(&self) -> Option<&Storage> {
        self.tensor().map(Tensor::storage)
    }

    /// Returns the access that has to be granted.
    fn access(&self) -> Option<ClaimRequest<'_>> {
        self.tensor().map(|it| it.access(true))
    }

    /// Returns the output as an operand of an event.
    pub(crate) fn event_operand(&self) -> EventOperand {
        match &self.0 {
            TargetRepr::Tensor(tensor) => EventMemory::of(tensor).operand(),
            TargetRepr::View(view) => {
                EventOperand::View { layout: view.layout().clone(), dtype: view.dtype() }
            }
        }
    }

    /// Returns whether the output has no memory.
    #[inline]
    pub(crate) fn is_meta(&self) -> bool {
        self.storage().is_some_and(Storage::is_meta)
    }

    /// Checks that the elements can be written: a view was checked when it was made.
    fn check_writable(&self) -> Result<(), Error> {
        self.tensor().map_or(Ok(()), Tensor::check_writable)
    }
}

/// Computes a new tensor: a kernel reads the operands and writes every element of the result.
///
/// # Errors
/// If an operand is borrowed for writing by a guard, or there is not enough memory.
pub(crate) fn compute_new<const M: usize>(
    call: Call<'_>,
    layout: Layout,
    dtype: DType,
    operands: &[Operand<'_>; M],
    kernel: impl for<'x> FnOnce(AnyViewMut<'x>, [AnyView<'x>; M]) -> Written<'x>,
) -> Result<Tensor, Error> {
    let event = call.announce_result(|| layout.len().saturating_mul(dtype.size()))?;
    if is_result_meta(operands) {
        return compute_meta(&event, layout, dtype, operands);
    }
    let mut result = NewResult::allocate(layout, dtype)?;
    let inputs = BorrowedInputs::take(call, None, operands)?;
    event.deliver_new(operands, &[result.memory()], Some(&inputs))?;
    // The lifetime is this call's own, so the proof is for the result: every element is written.
    let view_mut = result.view_mut();
    let _: Written<'_> =
        cancel::catch(|| kernel(view_mut, std::array::from_fn(|n| inputs.view(n))))?;
    Ok(result.into_tensor())
}

/// Returns whether an operand has no memory.
#[inline]
fn has_meta(operands: &[Operand<'_>]) -> bool {
    operands.iter().any(Operand::is_meta)
}

/// Checks that operands have values.
///
/// # Errors
/// If one has no memory.
#[inline]
fn check_values(call: Call<'_>, operands: &[Operand<'_>]) -> Result<(), Error> {
    match operands.iter().find(|it| it.is_meta()) {
        Some(operand) => Err(Error::NoValues { op: call.op, shape: operand.shape().into() }),
        None => Ok(()),
    }
}

/// Returns whether a result has no memory: an operand has none, or there are no tensors among the operands and
/// the device is [`Device::Meta`](crate::Device).
#[inline]
fn is_result_meta(operands: &[Operand<'_>]) -> bool {
    has_meta(operands) || creates_meta() && !operands.iter().any(Operand::is_in_memory)
}

/// Returns the result of an operation on tensors without memory: a tensor without memory.
#[cold]
fn compute_meta(
    event: &Announcement<'_>,
    layout: Layout,
    dtype: DType,
    operands: &[Operand<'_>],
) -> Result<Tensor, Error> {
    let result = Tensor::meta_in(layout, dtype)?;
    event.deliver_new(operands, &[EventMemory::of(&result)], None)?;
    Ok(result)
}

/// Returns a new tensor without memory as the result of an operation, because values that it needs do not exist.
///
/// # Errors
/// If it is an implicit copy and those are forbidden here, or the size exceeds what can be addressed.
pub(crate) fn compute_without_values(
    call: Call<'_>,
    layout: Layout,
    dtype: DType,
    operands: &[Operand<'_>],
) -> Result<Tensor, Error> {
    let event = call.announce_result(|| layout.len().saturating_mul(dtype.size()))?;
    compute_meta(&event, layout, dtype, operands)
}

/// Announces a write to tensors without memory.
///
/// # Errors
/// If an output has memory: it would get values that do not exist.
#[cold]
fn write_meta(
    call: Call<'_>,
    event: &Announcement<'_>,
    outs: &[Target<'_>],
    operands: &[Operand<'_>],
) -> Result<(), Error> {
    if !outs.iter().all(Target::is_meta) {
        check_values(call, operands)?;
        if let Some(out) = outs.iter().find(|it| it.is_meta()) {
            return Err(Error::NoValues { op: call.op, shape: out.layout().shape().into() });
        }
    }
    event.deliver_in_place(operands, outs, None)
}

/// Memory for a result, which a kernel has to initialise.
struct NewResult {
    /// Has room for the layout, and is aligned for the dtype. No other code has it.
    storage: Storage,
    /// Dense, so injective, and starts at 0.
    layout: Layout,
    dtype: DType,
}

impl NewResult {
    /// Allocates memory for the elements of a dense layout that starts at 0.
    #[inline]
    fn allocate(layout: Layout, dtype: DType) -> Result<NewResult, Error> {
        let is_dense = layout.is_contiguous() || layout.is_dense();
        assert!(is_dense && layout.start() == 0, "a layout of a result");
        let bytes = layout.len().checked_mul(dtype.size());
        let bytes = bytes.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        // SAFETY: nothing reads the elements before `into_tensor`, which every caller in `execute/` calls only
        // in exchange for a `Written`.
        let storage = unsafe { Storage::uninit(bytes) }?;
        Ok(NewResult { storage, layout, dtype })
    }

    /// Returns the elements for writing.
    #[inline]
    fn view_mut(&mut self) -> AnyViewMut<'_> {
        // SAFETY: the storage has room for the layout, which is injective, and is borrowed with `self`; no other
        // code has it. Its elements are not initialised, which `AnyViewMut` allows.
        unsafe { AnyViewMut::from_parts(self.storage.ptr(), self.layout.clone(), self.dtype) }
    }

    /// Returns the elements as a result of an event.
    fn memory(&self) -> EventMemory<'_> {
        EventMemory { storage: &self.storage, layout: &self.layout, dtype: self.dtype }
    }

    /// Returns the tensor, after a kernel has returned the `Written` for [`NewResult::view_mut`].
    #[inline]
    fn into_tensor(self) -> Tensor {
        Tensor::on_new(self.storage, self.layout, self.dtype)
    }
}

/// Runs a kernel that only reads.
///
/// # Errors
/// If an operand is borrowed for writing by a guard.
pub(crate) fn read_operands<const M: usize, R>(
    call: Call<'_>,
    operands: &[Operand<'_>; M],
    kernel: impl FnOnce([AnyView<'_>; M]) -> R,
) -> Result<R, Error> {
    check_values(call, operands)?;
    let event = call.announce();
    let inputs = BorrowedInputs::take(call, None, operands)?;
    event.deliver_read(operands);
    cancel::catch(|| kernel(std::array::from_fn(|n| inputs.view(n))))
}

/// Reads an operand for debugging: without an event, and without waiting for other operations.
///
/// # Errors
/// If the operand has no memory, or is borrowed for writing by a guard or an operation.
pub(crate) fn inspect_operand<R>(
    operand: Operand<'_>,
    kernel: impl FnOnce(&AnyView<'_>) -> R,
) -> Result<R, Error> {
    let operands = [operand];
    let inputs =
        borrow::refusing_to_wait(|| BorrowedInputs::take(Call::new("inspect"), None, &operands))?;
    Ok(kernel(&inputs.view(0)))
}

/// Computes into an output that exists: a kernel reads the operands and writes the output.
///
/// The result is as if every operand had been copied first. Those that overlap the output are copied,
/// except where the kernel can read them in place ([`Source`]).
///
/// # Errors
/// If the output cannot be written to, a guard has borrowed an operand or the output, a copy would be
/// needed that is forbidden, or there is not enough memory. Nothing is written then.
pub(crate) fn compute_into<const M: usize>(
    call: Call<'_>,
    out: Target<'_>,
    operands: &[Operand<'_>; M],
    same: InputIsOutput,
    kernel: impl FnOnce(AnyViewMut<'_>, [Source<'_>; M]),
) -> Result<(), Error> {
    out.check_writable()?;
    let mut event = call.announce();
    let mut plans = [const { Overlap::None }; M];
    resolve_overlaps(call, &mut event, slice::from_ref(&out), operands, same, &mut plans)?;
    if out.is_meta() || has_meta(operands) {
        for n in (0..M).filter(|&n| matches!(plans[n], Overlap::Partial)) {
            announce_meta_copy(&event, &operands[n])?;
        }
        return write_meta(call, &event, slice::from_ref(&out), operands);
    }
    let inputs = BorrowedInputs::take(call, Some(&out), operands)?;
    let mut copies = [const { None }; M];
    for n in (0..M).filter(|&n| matches!(plans[n], Overlap::Partial)) {
        copies[n] = Some(TempCopy::of_operand(&event, &operands[n], inputs.view(n))?);
    }
    let sources = std::array::from_fn(|n| match (&plans[n], &copies[n]) {
        (Overlap::Same(n), _) => Source::Output(*n),
        (Overlap::Shifted(shift), _) => Source::Shifted(*shift),
        (_, Some(copy)) => Source::View(copy.view()),
        (_, None) => Source::View(inputs.view(n)),
    });
    event.deliver_in_place(operands, slice::from_ref(&out), Some(&inputs))?;
    // SAFETY: `check_writable` has succeeded, and `inputs` covers writing. The sources that are views are of copies
    // and of operands that share no element with the output.
    let view_mut = unsafe { out.view() };
    event.note_failure(cancel::catch(|| kernel(view_mut, sources)))
}

/// Checks that an operand which overlaps the output may be copied.
fn check_overlap_copy(call: Call<'_>, operand: &Operand<'_>) -> Result<(), Error> {
    let size = operand.dtype().map_or(0, DType::size);
    let bytes = || operand.memory_layout().len().saturating_mul(size);
    trace::check_copy(call.op, CopyReason::Overlap, bytes)
}

/// Announces the copy of an operand that overlaps the output and has no memory.
fn announce_meta_copy(event: &Announcement<'_>, operand: &Operand<'_>) -> Result<(), Error> {
    let layout = operand.memory_layout().to_row_major();
    let copy = Tensor::meta_in(layout, operand.dtype().unwrap_or(DType::UInt8))?;
    event.deliver_copy(CopyReason::Overlap, operand, &copy);
    Ok(())
}

/// The operands of an operation, borrowed for reading, and its outputs, borrowed for writing; dropping it releases them.
struct BorrowedInputs<'a, const M: usize> {
    operands: &'a [Operand<'a>],
    outs: &'a [Target<'a>],
    _borrows: OperationBorrows<'a, M>,
}

/// The borrows of an operation's tensors.
#[expect(dead_code, reason = "held for their drops")]
#[expect(
    clippy::large_enum_variant,
    reason = "tickets are on the stack: an allocation costs as much as a claim"
)]
pub(super) enum OperationBorrows<'a, const M: usize> {
    /// Claims in the storages' words, taken on the uncontended fast path.
    Claims(Claims<'a, M>),
    /// The same, of an operation that calls a closure of the user.
    CallbackClaims(CallbackClaims<'a, M>),
    /// Entries in the storages' tables.
    Tickets(Tickets<'a>),
    /// The same, of any number of operands.
    ManyTickets(Vec<Option<Ticket<'a>>>),
}

impl<'a, const M: usize> BorrowedInputs<'a, M> {
    /// Borrows an output, if there is one, for writing, and operands for reading.
    ///
    /// # Errors
    /// If one of them is borrowed by a guard.
    #[inline]
    fn take(
        call: Call<'_>,
        out: Option<&'a Target<'_>>,
        operands: &'a [Operand<'a>; M],
    ) -> Result<BorrowedInputs<'a, M>, Error> {
        let outs = out.map_or(&[][..], slice::from_ref);
        if call.runs_user_code {
            let _borrows = OperationBorrows::take_guards(out, operands)?;
            return Ok(BorrowedInputs { operands, outs, _borrows });
        }
        let written = out.and_then(Target::storage);
        let _borrows = match borrow::try_claim(written, operands.each_ref().map(Operand::storage)) {
            Some(claims) => OperationBorrows::Claims(claims),
            None => OperationBorrows::wait(out, operands)?,
        };
        Ok(BorrowedInputs { operands, outs, _borrows })
    }

    /// Returns the elements of operand `n`; of a lens, those it reaches.
    ///
    /// # Panics
    /// If it is a number without a dtype.
    #[inline]
    fn view(&self, n: usize) -> AnyView<'_> {
        match &self.operands[n].0 {
            OperandRepr::View(view) => view.clone(),
            OperandRepr::Cell(cell) => cell.view(),
            OperandRepr::Scalar(_) => panic!("a number without a dtype is not in memory"),
            OperandRepr::Tensor(tensor) => self.borrowed_view(tensor),
            OperandRepr::Owned(tensor) => self.borrowed_view(tensor),
            OperandRepr::Lens(lens) => self.borrowed_view(lens.reached()),
        }
    }

    /// Returns the elements of one of the operands, or of the output.
    #[inline]
    fn borrowed_view<'b>(&'b self, tensor: &'b Tensor) -> AnyView<'b> {
        // SAFETY: a tensor's layout fits in its storage, which is initialised and aligned. `_borrows` covers
        // reading it while `self` is borrowed: only this operation's output may share its elements, and
        // `Target::view` requires that this view is not in use then.
        unsafe {
            AnyView::from_parts(tensor.storage().ptr(), tensor.layout().clone(), tensor.dtype())
        }
    }
}

impl<'a> BorrowedInputs<'a, 0> {
    /// Borrows outputs for writing, and operands for reading, any number of each.
    ///
    /// # Errors
    /// If one of them is borrowed by a guard.
    fn take_slice(
        call: Call<'_>,
        outs: &'a [Target<'_>],
        operands: &'a [Operand<'a>],
    ) -> Result<BorrowedInputs<'a, 0>, Error> {
        let accesses = accesses(outs, operands)?;
        let tickets = match call.runs_user_code {
            true => borrow::claim_guards_slice(&accesses)?,
            false => borrow::claim_slice(&accesses)?,
        };
        let _borrows = OperationBorrows::ManyTickets(tickets);
        Ok(BorrowedInputs { operands, outs, _borrows })
    }
}

/// Returns the accesses to outputs and operands.
fn accesses<'a>(
    outs: &'a [Target<'_>],
    operands: &'a [Operand<'a>],
) -> Result<Vec<Option<ClaimRequest<'a>>>, Error> {
    let written = outs.iter().map(Target::access);
    try_collect(written.chain(operands.iter().map(Operand::access)))
}

/// Returns the accesses to an output, if there is one, and to a constant number of operands.
fn slots<'a, const M: usize>(
    out: Option<&'a Target<'_>>,
    operands: &'a [Operand<'_>; M],
) -> [Option<ClaimRequest<'a>>; borrow::SLOTS] {
    const { assert!(M < borrow::SLOTS, "a slot for the output and each operand") };
    array_of(|n| match n {
        0 => out.and_then(Target::access),
        n => operands.get(n - 1).and_then(Operand::access),
    })
}

impl<'a, const M: usize> OperationBorrows<'a, M> {
    /// Borrows in the storages' tables, and waits for conflicting operations.
    #[cold]
    fn wait(
        out: Option<&'a Target<'_>>,
        operands: &'a [Operand<'_>; M],
    ) -> Result<OperationBorrows<'a, M>, Error> {
        Ok(OperationBorrows::Tickets(borrow::claim(&slots(out, operands))?))
    }

    /// Borrows as guards do, for an operation that calls a closure of the user.
    #[inline]
    fn take_guards(
        out: Option<&'a Target<'_>>,
        operands: &'a [Operand<'_>; M],
    ) -> Result<OperationBorrows<'a, M>, Error> {
        let written = out.and_then(Target::access);
        match borrow::try_claim_callback(written, operands.each_ref().map(Operand::access)) {
            Some(claims) => Ok(OperationBorrows::CallbackClaims(claims)),
            None => OperationBorrows::wait_as_guards(out, operands),
        }
    }

    /// Borrows as guards do in the storages' tables, and waits for conflicting operations.
    #[cold]
    fn wait_as_guards(
        out: Option<&'a Target<'_>>,
        operands: &'a [Operand<'_>; M],
    ) -> Result<OperationBorrows<'a, M>, Error> {
        let mut tickets = [const { None }; borrow::SLOTS];
        borrow::claim_guards(&slots(out, operands), &mut tickets)?;
        Ok(OperationBorrows::Tickets(tickets))
    }
}
