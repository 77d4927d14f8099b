//! Operations on any number of operands, with several results, or with a shape that depends on values.

use super::{
    BorrowedInputs, NewResult, TempCopy, announce_meta_copy, check_overlap_copy, check_values,
    compute_meta, has_meta, write_meta,
};
use crate::cancel;
use crate::op::operand::{Operand, Target};
use crate::tensor::{reserve, try_collect};
use crate::trace::{Call, EventMemory};
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, Error, Layout, Tensor};
use std::marker::PhantomData;
use std::slice;

/// Computes several new tensors: a kernel reads the operands and writes every element of all results, or
/// returns an error.
///
/// # Errors
/// Those of the kernel; if an operand is borrowed for writing by a guard, or there is not enough memory.
pub(crate) fn compute_several<const N: usize, const M: usize>(
    call: Call<'_>,
    results: [(Layout, DType); N],
    operands: &[Operand<'_>; M],
    kernel: impl for<'x> FnOnce(
        [AnyViewMut<'x>; N],
        [AnyView<'x>; M],
    ) -> Result<[Written<'x>; N], Error>,
) -> Result<[Tensor; N], Error> {
    let event = call.announce();
    if has_meta(operands) {
        let mut made = Vec::with_capacity(N);
        for (layout, dtype) in results {
            made.push(Tensor::meta_in(layout, dtype)?);
        }
        let Ok(made) = <[Tensor; N]>::try_from(made) else { unreachable!("N of them") };
        event.deliver_new(operands, &made.each_ref().map(EventMemory::of), None)?;
        return Ok(made);
    }
    let mut allocated = Vec::with_capacity(N);
    for (layout, dtype) in results {
        allocated.push(NewResult::allocate(layout, dtype)?);
    }
    let Ok(mut allocated) = <[NewResult; N]>::try_from(allocated) else {
        unreachable!("N results were allocated")
    };
    let inputs = BorrowedInputs::take(call, None, operands)?;
    let (outs, views) =
        (allocated.each_mut().map(NewResult::view_mut), std::array::from_fn(|n| inputs.view(n)));
    // Each proof consumes one view with this lifetime, and there are as many proofs as views.
    let _written: [Written<'_>; N] = cancel::catch(|| kernel(outs, views))??;
    // Only now, because the kernel may fail.
    let outputs = allocated.each_ref().map(NewResult::memory);
    event.deliver_new(operands, &outputs, Some(&inputs))?;
    Ok(allocated.map(NewResult::into_tensor))
}

/// Computes a new tensor from any number of operands.
///
/// # Errors
/// If an operand is borrowed for writing by a guard, or there is not enough memory.
pub(crate) fn compute_from_slice(
    call: Call<'_>,
    layout: Layout,
    dtype: DType,
    operands: &[Operand<'_>],
    kernel: impl for<'x> FnOnce(AnyViewMut<'x>, &[AnyView<'x>]) -> Written<'x>,
) -> Result<Tensor, Error> {
    let event = call.announce_result(|| layout.len().saturating_mul(dtype.size()))?;
    if has_meta(operands) {
        return compute_meta(&event, layout, dtype, operands);
    }
    let mut result = NewResult::allocate(layout, dtype)?;
    let inputs = BorrowedInputs::take_slice(call, &[], operands)?;
    event.deliver_new(operands, &[result.memory()], Some(&inputs))?;
    let views = try_collect((0..operands.len()).map(|n| inputs.view(n)))?;
    // The lifetime is this call's own, so the proof is for the result: every element is written.
    let view_mut = result.view_mut();
    let _: Written<'_> = cancel::catch(|| kernel(view_mut, &views))?;
    Ok(result.into_tensor())
}

/// Computes into an output that exists, from any number of operands. Operands that overlap it, or may,
/// are copied first.
///
/// # Errors
/// If the output cannot be written to, a guard has borrowed an operand or the output, a copy would be
/// needed that is forbidden, or there is not enough memory. Nothing is written then.
pub(crate) fn compute_into_from_slice(
    call: Call<'_>,
    out: &Target<'_>,
    operands: &[Operand<'_>],
    kernel: impl FnOnce(AnyViewMut<'_>, &[AnyView<'_>]),
) -> Result<(), Error> {
    out.check_writable()?;
    let mut event = call.announce();
    let needs_copy = try_collect(operands.iter().map(|it| out.may_share(it)))?;
    for (operand, _) in operands.iter().zip(&needs_copy).filter(|(_, needs_copy)| **needs_copy) {
        check_overlap_copy(call, operand)?;
        event.locate_caller();
    }
    if out.is_meta() || has_meta(operands) {
        for (operand, _) in operands.iter().zip(&needs_copy).filter(|(_, needs_copy)| **needs_copy)
        {
            announce_meta_copy(&event, operand)?;
        }
        return write_meta(call, &event, slice::from_ref(out), operands);
    }
    let inputs = BorrowedInputs::take_slice(call, slice::from_ref(out), operands)?;
    let mut copies: Vec<Option<TempCopy>> = reserve(operands.len())?;
    for (n, needs_copy) in needs_copy.into_iter().enumerate() {
        copies.push(match needs_copy {
            true => Some(TempCopy::of_operand(&event, &operands[n], inputs.view(n))?),
            false => None,
        });
    }
    let views = copies.iter().enumerate().map(|(n, copy)| match copy {
        Some(copy) => copy.view(),
        None => inputs.view(n),
    });
    let views = try_collect(views)?;
    event.deliver_in_place(operands, slice::from_ref(out), Some(&inputs))?;
    // SAFETY: `check_writable` has succeeded, and `inputs` covers writing. The views are of copies and of operands
    // that share no element with the output.
    let view_mut = unsafe { out.view() };
    event.note_failure(cancel::catch(|| kernel(view_mut, &views)))
}

/// Allocates the result of an operation whose shape depends on values, once.
pub(crate) struct ResultAllocator<'x> {
    result: &'x mut Option<NewResult>,
    /// As for [`Written`]: the proof that the kernel returns is for the view that was made here.
    brand: PhantomData<fn(&'x ()) -> &'x ()>,
}

impl<'x> ResultAllocator<'x> {
    /// Allocates a result with a dense layout.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn allocate(self, layout: Layout, dtype: DType) -> Result<AnyViewMut<'x>, Error> {
        Ok(self.result.insert(NewResult::allocate(layout, dtype)?).view_mut())
    }
}

/// Computes a new tensor whose shape depends on the values of the operands: a kernel reads them, allocates
/// the result, and writes every element of it.
///
/// # Errors
/// Those of the kernel, or if an operand is borrowed for writing by a guard.
pub(crate) fn compute_data_dependent<const M: usize>(
    call: Call<'_>,
    operands: &[Operand<'_>; M],
    kernel: impl for<'x> FnOnce([AnyView<'x>; M], ResultAllocator<'x>) -> Result<Written<'x>, Error>,
) -> Result<Tensor, Error> {
    check_values(call, operands)?;
    let event = call.announce();
    let inputs = BorrowedInputs::take(call, None, operands)?;
    let mut result = None;
    let allocator = ResultAllocator { result: &mut result, brand: PhantomData };
    // The lifetime is this call's own, so the proof is for the view that was allocated.
    let views = std::array::from_fn(|n| inputs.view(n));
    let _: Written<'_> = cancel::catch(|| kernel(views, allocator))??;
    let result = result.expect("a view to write to comes from the allocator");
    event.deliver_new(operands, &[result.memory()], Some(&inputs))?;
    Ok(result.into_tensor())
}
