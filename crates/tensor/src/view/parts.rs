//! Results that are written in parts, and operations on any number of inputs.

use super::operate::{copy_of, uninit_storage, view_of};
use super::{AnyView, AnyViewMut, Call, Input, Output, Written};
use crate::copies::{self, CopyReason};
use crate::{DType, Error, Layout, Storage, Tensor, borrow};
use belvedere_layout::Answer;
use std::marker::PhantomData;

impl<'x> AnyViewMut<'x> {
    /// Writes the elements in parts: so many positions of an axis each, one part behind the other.
    /// Together they are all of its positions; if not, this panics. `write` is asked for the proof that
    /// a part was written, and it can have it of no other part.
    pub(crate) fn in_parts(
        self,
        axis: usize,
        lens: &[usize],
        write: &mut dyn for<'y> FnMut(usize, AnyViewMut<'y>) -> Written<'y>,
    ) -> Written<'x> {
        let mut start = 0usize;
        for (n, &len) in lens.iter().enumerate() {
            let part = self.layout().narrow(axis as isize, start, len);
            let part = part.expect("parts lie one behind the other in the axis");
            // SAFETY: the part reaches elements of this view only, which is borrowed here and not
            // used meanwhile; another part exists only when this one is gone.
            let part = unsafe { AnyViewMut::from_parts(self.ptr(), part, self.dtype()) };
            let Written(_) = write(n, part);
            start += len;
        }
        assert_eq!(start, self.layout().axes()[axis].len, "parts are all of the axis");
        // SAFETY: every position of the axis lies in one of the parts, and there is a proof for each
        // that it was written.
        unsafe { self.written() }
    }
}

/// Makes a tensor of any number of inputs: a kernel reads them and writes every element of the result.
///
/// # Errors
/// If an input is borrowed for writing by a guard, or there is not enough memory.
pub(crate) fn fresh_of(
    layout: Layout,
    dtype: DType,
    inputs: &[Input<'_>],
    kernel: impl for<'x> FnOnce(AnyViewMut<'x>, &[AnyView<'x>]) -> Written<'x>,
) -> Result<Tensor, Error> {
    let storage = uninit_storage(&layout, dtype)?;
    let accesses: Vec<_> = inputs.iter().map(Input::access).collect();
    let _tickets = borrow::claim_slice(&accesses)?;
    // SAFETY: the storage is new, so nobody else has it, and it has room for the layout, which is
    // dense and so injective; its elements are not initialised, as `AnyViewMut` allows.
    let out = unsafe { AnyViewMut::from_parts(storage.ptr(), layout.clone(), dtype) };
    // SAFETY: the tickets are for reading these tensors.
    let views: Vec<_> = inputs.iter().map(|input| unsafe { input.view() }).collect();
    // The lifetime is this call's own, so what comes back is about `out`: all of it is written.
    let Written(_) = kernel(out, &views);
    Tensor::from_storage(storage, layout, dtype)
}

/// Writes to something that exists, from any number of inputs. Those that share elements with it, or may,
/// are copied first.
///
/// # Errors
/// If the output cannot be written to, something is borrowed by a guard, a copy would be needed that
/// is forbidden, or there is not enough memory. Nothing is written then.
pub(crate) fn into_of(
    call: Call,
    out: &Output<'_>,
    inputs: &[Input<'_>],
    kernel: impl FnOnce(AnyViewMut<'_>, &[AnyView<'_>]),
) -> Result<(), Error> {
    if let Output::Tensor(tensor) = out {
        tensor.check_writable()?;
    }
    let mut shares = Vec::with_capacity(inputs.len());
    for input in inputs {
        shares.push(out.bytes().overlaps(input.bytes()) != Answer::No);
        if shares.last() == Some(&true) {
            let size = input.dtype().size();
            copies::announce(call.op, CopyReason::Overlap, input.layout(), size, call.caller)?;
        }
    }
    let accesses = std::iter::once(out.access()).chain(inputs.iter().map(Input::access));
    let _tickets = borrow::claim_slice(&accesses.collect::<Vec<_>>())?;
    let mut copies: Vec<Option<Tensor>> = Vec::with_capacity(inputs.len());
    for (input, shares) in inputs.iter().zip(shares) {
        // SAFETY: the tickets are for reading these tensors.
        copies.push(if shares { Some(copy_of(unsafe { input.view() })?) } else { None });
    }
    let views = inputs.iter().zip(&copies).map(|(input, copy)| match copy {
        // SAFETY: the copy is nobody else's.
        Some(copy) => unsafe { view_of(copy) },
        // SAFETY: the tickets are for reading these tensors, and they share no element with the
        // output.
        None => unsafe { input.view() },
    });
    let views: Vec<_> = views.collect();
    // SAFETY: it was found to be writable, the ticket keeps others away, and no other view is made.
    kernel(unsafe { out.view() }, &views);
    Ok(())
}

/// A place for a result whose size a kernel finds out, once.
pub(crate) struct Room<'x, 'r> {
    made: &'r mut Option<(Storage, Layout, DType)>,
    /// As for [`Written`]: what is made here and what comes back are the same.
    brand: PhantomData<fn(&'x ()) -> &'x ()>,
}

impl<'x> Room<'x, '_> {
    /// Memory for a dense layout.
    ///
    /// # Errors
    /// If there is not enough.
    pub(crate) fn make(self, layout: Layout, dtype: DType) -> Result<AnyViewMut<'x>, Error> {
        let storage = uninit_storage(&layout, dtype)?;
        let ptr = storage.ptr();
        *self.made = Some((storage, layout.clone(), dtype));
        // SAFETY: as in `fresh_of`; `fresh_found` keeps the storage for longer than `'x`.
        Ok(unsafe { AnyViewMut::from_parts(ptr, layout, dtype) })
    }
}

/// Makes a tensor whose size depends on the elements of the inputs: a kernel looks at them, makes room,
/// and writes every element of the result.
///
/// # Errors
/// If an input is borrowed for writing by a guard, or there is not enough memory.
pub(crate) fn fresh_found<const M: usize>(
    inputs: [Input<'_>; M],
    kernel: impl for<'x> FnOnce([AnyView<'x>; M], Room<'x, '_>) -> Result<Written<'x>, Error>,
) -> Result<Tensor, Error> {
    let accesses = inputs.each_ref().map(Input::access);
    let _tickets = borrow::claim_slice(&accesses)?;
    let mut made = None;
    // SAFETY: the tickets are for reading these tensors.
    let views = inputs.each_ref().map(|input| unsafe { input.view() });
    // The lifetime is this call's own, so what comes back is about what was made.
    let Written(_) = kernel(views, Room { made: &mut made, brand: PhantomData })?;
    let (storage, layout, dtype) = made.expect("nothing is written where there is no room");
    Tensor::from_storage(storage, layout, dtype)
}
