//! Running a kernel: allocates the result, borrows the operands, resolves overlap, and calls it.
//!
//! This is where operands become views. An operation says what it reads and what it writes; the functions
//! here take the borrows, copy inputs that overlap the output where the kernel cannot read them in place,
//! and hand views to the kernel. The borrows are released when the kernel returns.
//!
//! - [`compute_new`] allocates the output; [`compute_several`] several of them, [`compute_from_slice`]
//!   takes any number of operands, and [`compute_data_dependent`] lets the kernel find the shape.
//! - [`compute_into`] writes to an output that exists; so does [`compute_into_from_slice`].
//! - [`read_operands`] only reads.
//! - `small.rs` does the same for operands of rank ≤ 2 without copying layouts or making a plan.

mod many;
mod overlap;
mod small;
mod temp;

pub(crate) use many::{
    compute_data_dependent, compute_from_slice, compute_into_from_slice, compute_several,
};
pub(crate) use small::{SmallOperands, compute_small_into, read_only_element};
pub(crate) use temp::TempCopy;

use super::operand::{Operand, OperandRepr, Target, TargetRepr};
use crate::borrow::{self, ClaimRequest, Claims, Ticket};
use crate::copies::{self, CopyReason};
use crate::kernel::copy::copy;
use crate::view::{AnyView, AnyViewMut, Source, Written};
use crate::{DType, Error, Layout, Storage, Tensor};
use overlap::{Overlap, overlap};
use std::panic::Location;

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

/// The name of an operation and the line that called it, for errors and copy events.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub op: &'static str,
    pub caller: &'static Location<'static>,
}

impl Operand<'_> {
    /// Returns the elements for reading; of a lens, those it reaches.
    ///
    /// # Safety
    /// What [`Operand::to_borrow`] returns must be borrowed for reading while the view is used, or not be
    /// shared with any other code.
    ///
    /// # Panics
    /// If it is a number without a dtype.
    #[inline]
    unsafe fn view(&self) -> AnyView<'_> {
        match &self.0 {
            OperandRepr::View(view) => view.clone(),
            OperandRepr::Cell(cell) => cell.view(),
            OperandRepr::Scalar(_) => panic!("a number without a dtype is not in memory"),
            _ => {
                let tensor = self.to_borrow().expect("the others are tensors");
                // SAFETY: forwarded: same contract as this function, for the tensor to borrow.
                unsafe { view_of(tensor) }
            }
        }
    }

    /// Returns the storage that has to be borrowed.
    #[inline]
    fn storage(&self) -> Option<&Storage> {
        self.to_borrow().map(Tensor::storage)
    }

    /// Returns the access that has to be granted.
    fn access(&self) -> Option<ClaimRequest<'_>> {
        self.to_borrow().map(|it| it.access(false))
    }
}

/// Returns the elements of a tensor for reading.
///
/// # Safety
/// The tensor must be borrowed for reading while the view is used, or not be shared with any other code.
#[inline]
unsafe fn view_of(tensor: &Tensor) -> AnyView<'_> {
    let ptr = tensor.storage().ptr();
    // SAFETY: a tensor's layout fits in its storage, which is initialised and aligned; the caller
    // excludes writers.
    unsafe { AnyView::from_parts(ptr, tensor.layout().clone(), tensor.dtype()) }
}

impl Target<'_> {
    /// Returns the elements for writing.
    ///
    /// # Safety
    /// If it is a tensor, `check_writable` must have succeeded, and it must be borrowed for writing while
    /// the view is used. No other view of it may be in use at the same time.
    unsafe fn view(&self) -> AnyViewMut<'_> {
        match &self.0 {
            // SAFETY: the view is borrowed here, and the caller uses no other one meanwhile.
            TargetRepr::View(view) => unsafe {
                AnyViewMut::from_parts(view.ptr(), view.layout().clone(), view.dtype())
            },
            // SAFETY: the tensor's layout fits in its storage, which is initialised, aligned and
            // writable; the layout is injective (`check_writable`), and the caller excludes all other
            // accesses.
            TargetRepr::Tensor(tensor) => unsafe {
                let ptr = tensor.storage().ptr();
                AnyViewMut::from_parts(ptr, tensor.layout().clone(), tensor.dtype())
            },
        }
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
    layout: Layout,
    dtype: DType,
    operands: &[Operand<'_>; M],
    kernel: impl for<'x> FnOnce(AnyViewMut<'x>, [AnyView<'x>; M]) -> Written<'x>,
) -> Result<Tensor, Error> {
    let storage = allocate(&layout, dtype)?;
    let _borrows = OperationBorrows::take(None, operands)?;
    // SAFETY: no other code has the new storage, and it has room for the layout, which is dense and
    // so injective; its elements are not initialised, which `AnyViewMut` allows.
    let out = unsafe { AnyViewMut::from_parts(storage.ptr(), layout.clone(), dtype) };
    // SAFETY: `_borrows` covers reading every operand until the kernel has returned.
    let views = std::array::from_fn(|n| unsafe { operands[n].view() });
    // The lifetime is this call's own, so the proof is for `out`: every element is written.
    let _: Written<'_> = kernel(out, views);
    Ok(Tensor::on_new(storage, layout, dtype))
}

/// Allocates memory for the elements of a dense layout that starts at 0. The elements are not initialised:
/// a tensor may be made of it only in exchange for a `Written`.
#[inline]
fn allocate(layout: &Layout, dtype: DType) -> Result<Storage, Error> {
    let is_dense = layout.is_contiguous() || layout.is_dense();
    assert!(is_dense && layout.start() == 0, "a layout of a result");
    let bytes = layout.len().checked_mul(dtype.size());
    let bytes = bytes.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
    // SAFETY: every caller in `execute/` makes a tensor of it only in exchange for a `Written`.
    unsafe { Storage::uninit(bytes) }
}

/// Runs a kernel that only reads.
///
/// # Errors
/// If an operand is borrowed for writing by a guard.
pub(crate) fn read_operands<const M: usize, R>(
    operands: &[Operand<'_>; M],
    kernel: impl FnOnce([AnyView<'_>; M]) -> R,
) -> Result<R, Error> {
    let _borrows = OperationBorrows::take(None, operands)?;
    // SAFETY: `_borrows` covers reading every operand until the kernel has returned.
    Ok(kernel(operands.each_ref().map(|it| unsafe { it.view() })))
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
    call: Call,
    out: Target<'_>,
    operands: &[Operand<'_>; M],
    same: InputIsOutput,
    kernel: impl FnOnce(AnyViewMut<'_>, [Source<'_>; M]),
) -> Result<(), Error> {
    out.check_writable()?;
    let mut plans = [const { Overlap::None }; M];
    let mut direction = None;
    // Lenses are read in logical order, which need not be the order of a shift.
    let has_lens = operands.iter().any(|it| it.lens().is_some());
    for (plan, operand) in plans.iter_mut().zip(operands) {
        *plan = match overlap(&out, operand) {
            Overlap::None => Overlap::None,
            Overlap::Same if same == InputIsOutput::InPlace => Overlap::Same,
            // All inputs have to agree on the direction: the first one chooses.
            Overlap::Shifted(shift)
                if same == InputIsOutput::InPlace
                    && !has_lens
                    && *direction.get_or_insert(shift.is_backwards()) == shift.is_backwards() =>
            {
                Overlap::Shifted(shift)
            }
            _ if same == InputIsOutput::Refuse => {
                return Err(Error::OutputAliases { op: call.op });
            }
            _ => {
                announce_copy(call, operand)?;
                Overlap::Partial
            }
        };
    }
    let _borrows = OperationBorrows::take(Some(&out), operands)?;
    let mut copies = [const { None }; M];
    for n in (0..M).filter(|&n| matches!(plans[n], Overlap::Partial)) {
        // SAFETY: `_borrows` covers reading this operand.
        copies[n] = Some(copy_of(unsafe { operands[n].view() })?);
    }
    // SAFETY: `check_writable` has succeeded, `_borrows` covers writing, and no other view is made.
    let view_mut = unsafe { out.view() };
    let sources = std::array::from_fn(|n| match (&plans[n], &copies[n]) {
        (Overlap::Same, _) => Source::Output,
        (Overlap::Shifted(shift), _) => Source::Shifted(*shift),
        // SAFETY: no other code has the copy.
        (_, Some(copy)) => Source::View(unsafe { view_of(copy) }),
        // SAFETY: `_borrows` covers reading this operand, which shares no element with the output.
        (_, None) => Source::View(unsafe { operands[n].view() }),
    });
    kernel(view_mut, sources);
    Ok(())
}

/// Announces the copy of an operand that overlaps the output.
fn announce_copy(call: Call, operand: &Operand<'_>) -> Result<(), Error> {
    let size = operand.dtype().map_or(0, DType::size);
    let layout = operand.memory_layout();
    copies::announce(call.op, CopyReason::Overlap, layout, size, call.caller)
}

/// Copies the elements of a view to a new row-major tensor.
fn copy_of(view: AnyView<'_>) -> Result<Tensor, Error> {
    let layout = Layout::row_major(&view.layout().shape())?;
    compute_new(layout, view.dtype(), &[view.into()], |out, [view]| copy(out, &view))
}

/// The borrows of an operation; dropping them releases them.
enum OperationBorrows<'a, const M: usize> {
    /// Claims in the storages' words, taken on the uncontended fast path.
    Claims(Claims<'a, M>),
    /// Entries in the storages' tables.
    Tickets(#[expect(dead_code, reason = "held for its drop")] [Option<Ticket<'a>>; borrow::SLOTS]),
}

impl<'a, const M: usize> OperationBorrows<'a, M> {
    /// Borrows an output, if there is one, for writing, and operands for reading.
    ///
    /// # Errors
    /// If one of them is borrowed by a guard.
    #[inline]
    fn take(
        out: Option<&'a Target<'_>>,
        operands: &'a [Operand<'_>; M],
    ) -> Result<OperationBorrows<'a, M>, Error> {
        let written = out.and_then(Target::storage);
        match borrow::try_claim(written, operands.each_ref().map(Operand::storage)) {
            Some(claims) => Ok(OperationBorrows::Claims(claims)),
            None => OperationBorrows::wait(out, operands),
        }
    }

    #[cold]
    fn wait(
        out: Option<&'a Target<'_>>,
        operands: &'a [Operand<'_>; M],
    ) -> Result<OperationBorrows<'a, M>, Error> {
        assert!(M < borrow::SLOTS, "an operation has at most {} operands", borrow::SLOTS - 1);
        let accesses = std::array::from_fn(|n| match n {
            0 => out.and_then(Target::access),
            n => operands.get(n - 1).and_then(Operand::access),
        });
        Ok(OperationBorrows::Tickets(borrow::claim(accesses)?))
    }
}
