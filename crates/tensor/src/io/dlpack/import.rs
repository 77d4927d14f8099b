//! Tensors of others for us.

use super::error::DlpackError;
use super::export::own;
use super::types::{
    Device, FLAG_READ_ONLY, LegacyManagedTensor, ManagedTensor, RawTensor, VERSION,
};
use crate::{DType, Error, Layout, Storage, Tensor};
use std::ptr::NonNull;
use std::slice;

/// The tensor of another library, which stays where it is. The deleter is called when the last tensor that
/// sees it is gone.
///
/// What was exported by this library, and has only been passed on or seen in another way by others, is a tensor of the
/// storage it came from: its borrows are known there. If others have marked it as not to be written to, it is not,
/// through the tensor that comes back.
///
/// # Errors
/// If the memory is not in this process, the type is none of ours, the elements are not aligned, or the
/// numbers make no sense. The managed tensor then still belongs to the caller.
///
/// # Safety
/// The pointer must be that of a managed tensor as the protocol describes it, which nobody else will
/// import or delete. Its elements must be initialised, and stay where they are until the deleter is
/// called, which may happen on any thread. While a tensor of ours is borrowed (by a guard, or by an
/// operation) nobody else may write to them, and if it is borrowed for writing nobody may read them.
///
/// # Memory
/// Never copies.
pub unsafe fn import(managed: NonNull<ManagedTensor>) -> Result<Tensor, Error> {
    // SAFETY: the caller's promise. Only the version may be read before it is known.
    let version = unsafe { (*managed.as_ptr()).version };
    if version.major != VERSION.major {
        return Err(DlpackError::UnknownVersion { version }.into());
    }
    // SAFETY: the caller's promise, for a struct of this version.
    let parcel = unsafe { managed.as_ref() };
    let release = Delete { managed, deleter: parcel.deleter };
    // SAFETY: the caller's promise.
    if let Some(tensor) = unsafe { own(managed, parcel.context) } {
        release.call();
        return Ok(tensor);
    }
    let writable = parcel.flags & FLAG_READ_ONLY == 0;
    // SAFETY: the caller's promise.
    unsafe { tensor_of(&parcel.tensor, writable, move || release.call()) }
}

/// The same by the older generation of the protocol.
///
/// # Errors
/// As for [`import`].
///
/// # Safety
/// As for [`import`]. The memory must be writable.
///
/// # Memory
/// Never copies.
pub unsafe fn import_legacy(managed: NonNull<LegacyManagedTensor>) -> Result<Tensor, Error> {
    // SAFETY: the caller's promise.
    let parcel = unsafe { managed.as_ref() };
    let release = Delete { managed, deleter: parcel.deleter };
    // SAFETY: the caller's promise.
    if let Some(tensor) = unsafe { own(managed, parcel.context) } {
        release.call();
        return Ok(tensor);
    }
    // SAFETY: the caller's promise.
    unsafe { tensor_of(&parcel.tensor, true, move || release.call()) }
}

/// What is to be done when the elements are no longer needed.
struct Delete<M> {
    managed: NonNull<M>,
    deleter: Option<unsafe extern "C" fn(*mut M)>,
}

// SAFETY: whoever imports promises that the deleter may be called on any thread; it is called once.
unsafe impl<M> Send for Delete<M> {}
// SAFETY: as above; nothing can be done with a shared one.
unsafe impl<M> Sync for Delete<M> {}

impl<M> Delete<M> {
    fn call(self) {
        if let Some(deleter) = self.deleter {
            // SAFETY: whoever imported it promised that nobody else deletes it.
            unsafe { deleter(self.managed.as_ptr()) };
        }
    }
}

/// Where the elements of a tensor of others are.
struct Place {
    dtype: DType,
    /// From the first element on, to the lowest one, in bytes.
    lowest: isize,
    /// From there on.
    bytes: usize,
    layout: Layout,
}

/// # Safety
/// Those of `import`, for the tensor inside of the parcel.
unsafe fn tensor_of(
    raw: &RawTensor,
    writable: bool,
    release: impl FnOnce() + Send + Sync + 'static,
) -> Result<Tensor, Error> {
    // SAFETY: the caller's promise.
    let Place { dtype, lowest, bytes, layout } = unsafe { place(raw) }?;
    let first = raw.data.cast::<u8>().wrapping_add(raw.byte_offset as usize);
    let ptr = match NonNull::new(first.wrapping_offset(lowest)) {
        // Nothing is read of a tensor without elements, which may be nowhere.
        _ if bytes == 0 => NonNull::<u128>::dangling().cast(),
        Some(ptr) if !raw.data.is_null() => ptr,
        _ => return Err(DlpackError::NoMemory { len: layout.len() }.into()),
    };
    let address = ptr.as_ptr().addr();
    if !address.is_multiple_of(dtype.align()) {
        return Err(Error::Unaligned { address, dtype });
    }
    if let Some(storage) = Storage::exported_at(address, bytes) {
        // It was ours before another library had it.
        let storage = if writable { storage } else { storage.read_only() };
        let tensor = back_home(storage, address, layout, dtype)?;
        release();
        return Ok(tensor);
    }
    // From here on nothing can fail, so that the parcel is released by the storage alone.
    // SAFETY: the caller's promise; these bytes are what the layout reaches.
    let storage = unsafe { Storage::foreign(ptr, bytes, writable, release) };
    Tensor::from_storage(storage, layout, dtype)
}

/// A tensor of a storage of ours, part of which begins at an address.
fn back_home(
    storage: Storage,
    address: usize,
    layout: Layout,
    dtype: DType,
) -> Result<Tensor, Error> {
    let distance = address - storage.address();
    if !distance.is_multiple_of(dtype.size()) {
        return Err(Error::Unaligned { address, dtype });
    }
    let layout = Layout::new(layout.start() + distance / dtype.size(), layout.axes())?;
    Tensor::from_storage(storage, layout, dtype)
}

/// # Safety
/// The lists of lengths and strides must be as long as the tensor has axes.
unsafe fn place(raw: &RawTensor) -> Result<Place, Error> {
    if raw.device.kind != Device::CPU.kind {
        return Err(DlpackError::Elsewhere { device: raw.device }.into());
    }
    let dtype = raw.dtype.dtype().ok_or(DlpackError::UnknownType { dtype: raw.dtype })?;
    let rank = usize::try_from(raw.rank);
    let rank = rank.map_err(|_| DlpackError::Shape { given: i64::from(raw.rank) })?;
    // SAFETY: the caller's promise.
    let lengths = unsafe { list(raw.shape, rank) };
    let length = |&len: &i64| usize::try_from(len).map_err(|_| DlpackError::Shape { given: len });
    let shape = lengths.iter().map(length).collect::<Result<Vec<usize>, _>>()?;
    if raw.strides.is_null() || shape.contains(&0) {
        let layout = Layout::row_major(&shape)?;
        let bytes = layout.len().checked_mul(dtype.size());
        let bytes = bytes.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        return Ok(Place { dtype, lowest: 0, bytes, layout });
    }
    // SAFETY: the caller's promise.
    let strides = unsafe { list(raw.strides, rank) };
    reach(dtype, &shape, strides).ok_or_else(|| {
        DlpackError::OutOfReach { shape: shape.into(), strides: strides.into() }.into()
    })
}

/// Where the elements of a strided tensor are, if there are such addresses.
fn reach(dtype: DType, shape: &[usize], strides: &[i64]) -> Option<Place> {
    let (mut lowest, mut highest) = (0isize, 0isize);
    let mut steps = Vec::with_capacity(strides.len());
    for (&len, &stride) in shape.iter().zip(strides) {
        // A stride that nobody walks along may be anything.
        let stride = if len == 1 { 0 } else { isize::try_from(stride).ok()? };
        let reach = isize::try_from(len - 1).ok()?.checked_mul(stride)?;
        lowest = lowest.checked_add(reach.min(0))?;
        highest = highest.checked_add(reach.max(0))?;
        steps.push(stride);
    }
    let size = dtype.size() as isize;
    let bytes = highest.checked_sub(lowest)?.checked_add(1)?.checked_mul(size)?;
    let layout = Layout::from_strides(lowest.unsigned_abs(), shape, &steps).ok()?;
    Some(Place { dtype, lowest: lowest.checked_mul(size)?, bytes: bytes as usize, layout })
}

/// # Safety
/// There must be so many numbers at the pointer, unless there are none.
unsafe fn list<'a>(ptr: *mut i64, len: usize) -> &'a [i64] {
    match len {
        0 => &[],
        // SAFETY: the caller's promise.
        _ => unsafe { slice::from_raw_parts(ptr, len) },
    }
}
