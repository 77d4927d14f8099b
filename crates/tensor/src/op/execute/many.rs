//! Operations on any number of operands, with several results, or with a shape that depends on values.

use super::{Call, OperationBorrows, allocate, announce_copy, copy_of, view_of};
use crate::op::operand::{Operand, Target};
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, Error, Layout, Storage, Tensor, borrow};
use std::marker::PhantomData;

/// Computes several new tensors: a kernel reads the operands and writes every element of all results, or
/// returns an error.
///
/// # Errors
/// Those of the kernel; if an operand is borrowed for writing by a guard, or there is not enough memory.
pub(crate) fn compute_several<const N: usize, const M: usize>(
    results: [(Layout, DType); N],
    operands: &[Operand<'_>; M],
    kernel: impl for<'x> FnOnce(
        [AnyViewMut<'x>; N],
        [AnyView<'x>; M],
    ) -> Result<[Written<'x>; N], Error>,
) -> Result<[Tensor; N], Error> {
    let mut storages = Vec::with_capacity(N);
    for (layout, dtype) in &results {
        storages.push(allocate(layout, *dtype)?);
    }
    let _borrows = OperationBorrows::take(None, operands)?;
    let outs = std::array::from_fn(|n| {
        let (layout, dtype) = &results[n];
        // SAFETY: no other code has the new storage, and it has room for the layout, which is dense
        // and so injective; its elements are not initialised, which `AnyViewMut` allows.
        unsafe { AnyViewMut::from_parts(storages[n].ptr(), layout.clone(), *dtype) }
    });
    // SAFETY: `_borrows` covers reading every operand until the kernel has returned.
    let views = operands.each_ref().map(|it| unsafe { it.view() });
    // Each proof consumes one view with this lifetime, and there are as many proofs as views.
    let _written: [Written<'_>; N] = kernel(outs, views)?;
    let mut tensors = Vec::with_capacity(N);
    for (storage, (layout, dtype)) in storages.into_iter().zip(results) {
        tensors.push(Tensor::from_storage(storage, layout, dtype)?);
    }
    Ok(tensors.try_into().unwrap_or_else(|_| unreachable!("one tensor for each result")))
}

/// Computes a new tensor from any number of operands.
///
/// # Errors
/// If an operand is borrowed for writing by a guard, or there is not enough memory.
pub(crate) fn compute_from_slice(
    layout: Layout,
    dtype: DType,
    operands: &[Operand<'_>],
    kernel: impl for<'x> FnOnce(AnyViewMut<'x>, &[AnyView<'x>]) -> Written<'x>,
) -> Result<Tensor, Error> {
    let storage = allocate(&layout, dtype)?;
    let accesses: Vec<_> = operands.iter().map(Operand::access).collect();
    let _tickets = borrow::claim_slice(&accesses)?;
    // SAFETY: no other code has the new storage, and it has room for the layout, which is dense and
    // so injective; its elements are not initialised, which `AnyViewMut` allows.
    let out = unsafe { AnyViewMut::from_parts(storage.ptr(), layout.clone(), dtype) };
    // SAFETY: the tickets cover reading every operand until the kernel has returned.
    let views: Vec<_> = operands.iter().map(|it| unsafe { it.view() }).collect();
    // The lifetime is this call's own, so the proof is for `out`: every element is written.
    let _: Written<'_> = kernel(out, &views);
    Tensor::from_storage(storage, layout, dtype)
}

/// Computes into an output that exists, from any number of operands. Operands that overlap it, or may,
/// are copied first.
///
/// # Errors
/// If the output cannot be written to, a guard has borrowed an operand or the output, a copy would be
/// needed that is forbidden, or there is not enough memory. Nothing is written then.
pub(crate) fn compute_into_from_slice(
    call: Call,
    out: &Target<'_>,
    operands: &[Operand<'_>],
    kernel: impl FnOnce(AnyViewMut<'_>, &[AnyView<'_>]),
) -> Result<(), Error> {
    out.check_writable()?;
    let needs_copy: Vec<bool> = operands.iter().map(|it| out.may_share(it)).collect();
    for (operand, _) in operands.iter().zip(&needs_copy).filter(|(_, needs_copy)| **needs_copy) {
        announce_copy(call, operand)?;
    }
    let accesses = std::iter::once(out.access()).chain(operands.iter().map(Operand::access));
    let _tickets = borrow::claim_slice(&accesses.collect::<Vec<_>>())?;
    let mut copies: Vec<Option<Tensor>> = Vec::with_capacity(operands.len());
    for (operand, needs_copy) in operands.iter().zip(needs_copy) {
        // SAFETY: the tickets cover reading every operand.
        copies.push(if needs_copy { Some(copy_of(unsafe { operand.view() })?) } else { None });
    }
    let views = operands.iter().zip(&copies).map(|(operand, copy)| match copy {
        // SAFETY: no other code has the copy.
        Some(copy) => unsafe { view_of(copy) },
        // SAFETY: the tickets cover reading every operand, and this one shares no element with the
        // output.
        None => unsafe { operand.view() },
    });
    let views: Vec<_> = views.collect();
    // SAFETY: `check_writable` has succeeded, the tickets cover writing, and no other view is made.
    kernel(unsafe { out.view() }, &views);
    Ok(())
}

/// Allocates the result of an operation whose shape depends on values, once.
pub(crate) struct ResultAllocator<'x, 'r> {
    result: &'r mut Option<(Storage, Layout, DType)>,
    /// As for [`Written`]: the proof that the kernel returns is for the view that was made here.
    brand: PhantomData<fn(&'x ()) -> &'x ()>,
}

impl<'x> ResultAllocator<'x, '_> {
    /// Allocates a result with a dense layout.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn allocate(self, layout: Layout, dtype: DType) -> Result<AnyViewMut<'x>, Error> {
        let storage = allocate(&layout, dtype)?;
        let ptr = storage.ptr();
        *self.result = Some((storage, layout.clone(), dtype));
        // SAFETY: no other code has the new storage, which has room for the layout, and
        // `compute_data_dependent` keeps it alive for longer than `'x`.
        Ok(unsafe { AnyViewMut::from_parts(ptr, layout, dtype) })
    }
}

/// Computes a new tensor whose shape depends on the values of the operands: a kernel reads them, allocates
/// the result, and writes every element of it.
///
/// # Errors
/// Those of the kernel, or if an operand is borrowed for writing by a guard.
pub(crate) fn compute_data_dependent<const M: usize>(
    operands: &[Operand<'_>; M],
    kernel: impl for<'x> FnOnce([AnyView<'x>; M], ResultAllocator<'x, '_>) -> Result<Written<'x>, Error>,
) -> Result<Tensor, Error> {
    let _borrows = OperationBorrows::take(None, operands)?;
    let mut result = None;
    // SAFETY: `_borrows` covers reading every operand until the kernel has returned.
    let views = operands.each_ref().map(|it| unsafe { it.view() });
    // The lifetime is this call's own, so the proof is for the view that was allocated.
    let _: Written<'_> =
        kernel(views, ResultAllocator { result: &mut result, brand: PhantomData })?;
    let (storage, layout, dtype) = result.expect("a view to write to comes from the allocator");
    Tensor::from_storage(storage, layout, dtype)
}
