//! Single elements: reading one as a tensor of rank 0, writing one, and operations on tensors of rank 0.
//!
//! A program in a language with bindings does one of these in each pass of its loops, `x[i] = x[i - 1] + h * y`, so the
//! time of a call is the time of the program. An element needs no layout and no plan: its offset leads to it. As in
//! `small.rs`, the functions return `None` or `false`, without side effects, if another thread has borrowed the memory or
//! the operands have another form, and announce no event unless they say so.

use super::Operand;
use crate::borrow::{try_claim_reads, try_claim_write};
use crate::kernel::body::Body;
use crate::kernel::cast::cast;
use crate::storage::ElementBits;
use crate::trace::Call;
use crate::view::Cell;
use crate::{DType, Element, Layout, Storage, Tensor};
use std::mem::MaybeUninit;
use std::ptr;

/// The size of the largest element in bytes.
const MAX_ELEMENT_BYTES: usize = 16;

/// Reads the only element of a tensor, and announces that. `None` if there are more, or it is of another type.
#[inline]
#[track_caller]
pub(crate) fn read_only_element<T: Element>(x: &Tensor) -> Option<T> {
    if x.len() != 1 || x.dtype() != T::DTYPE {
        return None;
    }
    let event = Call::new("item").announce();
    if event.is_heard() {
        return read_claimed(x, || event.deliver_read(&[x.into()]));
    }
    match try_initial_element(x) {
        Some(element) => Some(element),
        None => read_claimed(x, || ()),
    }
}

/// Returns the only element of a tensor that is all of a storage, if the storage was created for that element and not
/// written since: it is read without a claim, and no event is announced. `None` also if it is of another type.
#[inline(always)]
pub(crate) fn try_initial_element<T: Element>(x: &Tensor) -> Option<T> {
    if x.dtype() != T::DTYPE {
        return None;
    }
    // SAFETY: the first bytes of the bits are the element, so it has at most 8 bytes and is no more aligned than they are; it
    // is a `T` as the element in memory is.
    initial_bits(x).map(|bits| unsafe { (&raw const bits).cast::<T>().read() })
}

/// Reads the only element of a tensor of this type from memory, after `deliver` is called.
#[inline]
fn read_claimed<T: Element>(x: &Tensor, deliver: impl FnOnce()) -> Option<T> {
    let _claims = try_claim_reads([Some(x.storage())])?;
    deliver();
    assert!(x.len() == 1 && x.dtype() == T::DTYPE, "one element of the type");
    // SAFETY: the only element of a layout is at its start; it is of this type, aligned and initialised as
    // all elements of tensors are, and borrowed for reading by `_claims`.
    Some(unsafe { x.storage().ptr().cast::<T>().add(x.layout().start()).read() })
}

/// Returns the element of a tensor that is all of a storage, if the storage was created for that element and not written
/// since: it is read without a claim.
#[inline(always)]
fn initial_bits(x: &Tensor) -> Option<ElementBits> {
    match x.storage().len() == x.dtype().size() && x.len() == 1 {
        true => x.storage().initial_element(),
        false => None,
    }
}

/// Makes the storage of one element. `None` if it has more than 8 bytes.
#[inline]
pub(crate) fn element_storage<T: Element>(element: T) -> Option<Storage> {
    if size_of::<T>() > size_of::<ElementBits>() {
        return None;
    }
    let mut bits: ElementBits = 0;
    // SAFETY: the bits have room for the element, and their alignment is the greatest of all elements of up to 8 bytes.
    unsafe { (&raw mut bits).cast::<T>().write(element) };
    Some(Storage::of_element(bits, size_of::<T>()))
}

/// Whether there is an element of a tensor's dtype at an offset of its storage.
#[inline]
fn has_element(x: &Tensor, offset: usize) -> bool {
    // A tensor that has elements is aligned.
    !x.is_empty() && offset < x.dtype().count_in(x.storage().len())
}

/// Copies one element of `size` bytes.
///
/// # Safety
/// - `from` must be valid for reads of `size` bytes and `to` for writes, and they must not overlap.
#[inline(always)]
unsafe fn copy_element(size: usize, from: *const u8, to: *mut u8) {
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        // A copy of a constant length is a pair of instructions, not a call.
        match size {
            8 => to.copy_from_nonoverlapping(from, 8),
            4 => to.copy_from_nonoverlapping(from, 4),
            1 => to.copy_from_nonoverlapping(from, 1),
            n => to.copy_from_nonoverlapping(from, n),
        }
    }
}

/// Copies the element at an offset of the storage to a new tensor of rank 0, which is written to `place`. `None` also if
/// the storage ends before it.
#[inline]
pub(crate) fn try_copy_element<'p>(
    x: &Tensor,
    offset: usize,
    place: &'p mut MaybeUninit<Tensor>,
) -> Option<&'p mut Tensor> {
    let (source, dtype) = (x.storage(), x.dtype());
    if !has_element(x, offset) {
        return None;
    }
    let _claims = try_claim_reads([Some(source)])?;
    let size = dtype.size();
    let from = source.ptr().as_ptr().wrapping_add(offset * size);
    let storage = if size <= size_of::<ElementBits>() {
        let mut bits: ElementBits = 0;
        // SAFETY: the element is inside of the storage (checked above), initialised, as all elements of tensors are, and
        // borrowed for reading by `_claims`. The bits have room for it.
        unsafe { copy_element(size, from, (&raw mut bits).cast()) };
        Storage::of_element(bits, size)
    } else {
        // SAFETY: a tensor is made of it only after its one element is written below.
        let storage = unsafe { Storage::uninit(size) }.ok()?;
        // SAFETY: as above. The new storage has room for one element, and no other code has it.
        unsafe { copy_element(size, from, storage.ptr().as_ptr()) };
        storage
    };
    Some(place.write(Tensor::on_new(storage, Layout::scalar(0).ok()?, dtype)))
}

/// Replaces the element of a tensor of rank 0 that [`try_copy_element`] made by another one, at an offset of a storage, as
/// if the tensor were made anew. False, without side effects, also if the tensor was written since, shares its memory, or
/// is of another dtype.
#[inline]
pub(crate) fn try_copy_element_again(element: &mut Tensor, x: &Tensor, offset: usize) -> bool {
    let (source, dtype) = (x.storage(), x.dtype());
    let size = dtype.size();
    if element.dtype() != dtype || element.rank() != 0 || size > size_of::<ElementBits>() {
        return false;
    }
    let mut bits: ElementBits = 0;
    {
        if !has_element(x, offset) {
            return false;
        }
        let Some(_claims) = try_claim_reads([Some(source)]) else { return false };
        let from = source.ptr().as_ptr().wrapping_add(offset * size);
        // SAFETY: the element is inside of the storage (checked above), initialised, as all elements of tensors are, and
        // borrowed for reading by `_claims`. The bits have room for it.
        unsafe { copy_element(size, from, (&raw mut bits).cast()) };
    }
    element.storage_mut().replace_element(bits, size)
}

/// Writes a number or a tensor of rank 0 to the element at an offset of the storage. False also if the storage ends
/// before it or is read-only, the value is of another dtype, or the dtype does not hold the number.
#[inline]
pub(crate) fn try_write_element(x: &Tensor, offset: usize, value: &mut Operand<'_>) -> bool {
    let (storage, dtype) = (x.storage(), x.dtype());
    let is_element = value.layout().is_none_or(|it| it.rank() == 0);
    if !has_element(x, offset) || !storage.is_writable() || !is_element {
        return false;
    }
    if value.set_scalar_dtype(dtype).is_err() || value.dtype() != Some(dtype) {
        return false;
    }
    let Some(from) = value.strided([1, 1], [0, 0]) else { return false };
    // The value is read before the element is claimed, which may be the same memory.
    let mut element = [MaybeUninit::<u8>::uninit(); MAX_ELEMENT_BYTES];
    let element = element.as_mut_ptr().cast::<u8>();
    assert!(dtype.size() <= MAX_ELEMENT_BYTES, "no element is larger");
    {
        let Some(_claims) = try_claim_reads([value.storage()]) else { return false };
        // SAFETY: `from` is the one element of the value, which is initialised and borrowed for reading, by `_claims` or
        // by the value's view or cell. The buffer has room for every element.
        unsafe { copy_element(dtype.size(), from.ptr, element) };
    }
    let Some(_claims) = try_claim_write(storage) else { return false };
    // SAFETY: the buffer has just been filled with an element of this dtype. The element is inside of the storage
    // (checked above), which is writable and borrowed for writing by `_claims`.
    unsafe {
        let to = storage.ptr().as_ptr().add(offset * dtype.size());
        copy_element(dtype.size(), element, to);
    }
    true
}

/// Writes an element at an offset of the storage of a tensor. False also if the storage ends before it or is read-only, or the
/// tensor is of another type.
#[inline]
pub(crate) fn try_write_value<T: Element>(x: &Tensor, offset: usize, value: T) -> bool {
    let storage = x.storage();
    if x.dtype() != T::DTYPE || !has_element(x, offset) || !storage.is_writable() {
        return false;
    }
    let Some(_claims) = try_claim_write(storage) else { return false };
    // SAFETY: the element is inside of the storage, of this type and aligned (checked above: tensors that have elements are
    // aligned for them). The storage is writable, and borrowed for writing by `_claims`.
    unsafe { storage.ptr().cast::<T>().add(offset).write(value) };
    true
}

/// Reads a tensor of rank 0 as an element of another dtype, by the casts of [`Tensor::astype`](crate::Tensor::astype).
pub(crate) fn try_cast_element(x: &Tensor, dtype: DType) -> Option<Cell> {
    if x.rank() != 0 {
        return None;
    }
    let body = cast(x.dtype(), dtype);
    let mut cell = Cell::zero(dtype);
    let mut bits = initial_bits(x);
    let _claims = try_claim_reads([bits.is_none().then_some(x.storage())])?;
    let from = match &mut bits {
        Some(bits) => ptr::from_mut(bits).cast(),
        None => x.storage().ptr().as_ptr().wrapping_add(x.offset() * x.dtype().size()),
    };
    // SAFETY: the body is for these two dtypes. The input is the one element of the tensor, initialised and borrowed for
    // reading, or a copy of it; the cell has room for an element of its dtype, aligned, and is no part of the tensor.
    unsafe { body.call([cell.as_mut_ptr(), from], 1, 0) };
    Some(cell)
}

/// Computes an elementwise function of operands of rank 0, at least one of which is a tensor, as a tensor of rank 0. `None`
/// also if an operand is of another dtype than the body takes.
#[inline(always)]
pub(crate) fn compute_element<const M: usize, const N: usize>(
    body: &Body<'_, N>,
    operands: &[Operand<'_>; M],
) -> Option<Tensor> {
    const { assert!(M + 1 == N, "one operand for each of the body's") };
    let types = body.types();
    let mut blocks = [ptr::null_mut(); N];
    let mut storages = [None; M];
    let mut initial: [ElementBits; M] = [0; M];
    let mut has_tensor = false;
    for (n, (operand, dtype)) in operands.iter().zip(&types[1..]).enumerate() {
        if operand.layout().is_some_and(|it| it.rank() != 0) || operand.dtype() != Some(*dtype) {
            return None;
        }
        has_tensor |= operand.storage().is_some();
        if let Some(bits) = operand.tensor().and_then(initial_bits) {
            initial[n] = bits;
            blocks[n + 1] = (&raw mut initial[n]).cast();
        } else {
            storages[n] = operand.storage();
            blocks[n + 1] = operand.strided([1, 1], [0, 0])?.ptr;
        }
    }
    // Without tensors, the device of the result is not that of an operand.
    if !has_tensor {
        return None;
    }
    let _claims = try_claim_reads(storages)?;
    let size = types[0].size();
    let storage = if size <= size_of::<ElementBits>() {
        let mut bits: ElementBits = 0;
        blocks[0] = (&raw mut bits).cast();
        // SAFETY: each block is one element of the body's dtype (compared above; 8 bytes are aligned for every dtype that
        // they hold). The inputs are initialised, and borrowed for reading, by `_claims` or by their views and cells, or
        // copies; the output is none of them.
        unsafe { body.call(blocks, 1, 0) };
        Storage::of_element(bits, size)
    } else {
        // SAFETY: a tensor is made of it only after the body has written its one element.
        let storage = unsafe { Storage::uninit(size) }.ok()?;
        blocks[0] = storage.ptr().as_ptr();
        // SAFETY: as above. The output is new memory, which no other code has; it is aligned for every dtype.
        unsafe { body.call(blocks, 1, 0) };
        storage
    };
    Some(Tensor::on_new(storage, Layout::scalar(0).ok()?, types[0]))
}
