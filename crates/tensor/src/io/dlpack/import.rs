//! Import of tensors of other libraries.

use super::error::DlpackError;
use super::export::own;
use super::types::{
    Device, FLAG_READ_ONLY, LegacyManagedTensor, ManagedTensor, RawTensor, VERSION,
};
use crate::{DType, Error, Layout, Storage, Tensor};
use std::ptr::NonNull;
use std::slice;

/// Imports a tensor of another library, sharing its memory.
///
/// The deleter is called when the last tensor of the storage is dropped.
///
/// A tensor that was exported by this library, or a view that another library made of one, becomes a tensor of
/// the original storage, so its borrows are tracked there. It is read-only if the other library has marked it so.
///
/// ```
/// use belvedere::io::dlpack;
/// use belvedere::prelude::*;
///
/// let managed = dlpack::export(&tensor![1.0, 2.0, 3.0])?;
/// // SAFETY: `export` has just made it, and it is imported once.
/// let x = unsafe { dlpack::import(managed) }?;
/// assert_eq!(x.to_vec::<f64>()?, [1.0, 2.0, 3.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the memory is not CPU memory, the dtype is not supported, the elements are unaligned, or the shape or
/// the strides are invalid. The managed tensor then still belongs to the caller.
///
/// # Safety
/// - `managed` must point to a managed tensor as the protocol describes it, which is not imported or deleted
///   otherwise.
/// - Its elements must be initialised, and stay valid until the deleter is called, which may happen on any
///   thread.
/// - While a tensor of this storage is borrowed (by a guard, or by an operation), other code must not write to
///   the elements; while it is borrowed for writing, other code must not read them either.
///
/// # Memory
/// Never copies.
pub unsafe fn import(managed: NonNull<ManagedTensor>) -> Result<Tensor, Error> {
    // SAFETY: it points to a managed tensor (contract). Only the version may be read before it is known.
    let version = unsafe { (*managed.as_ptr()).version };
    if version.major != VERSION.major {
        return Err(DlpackError::UnknownVersion { version }.into());
    }
    // SAFETY: it points to a managed tensor of this version (contract).
    let managed_ref = unsafe { managed.as_ref() };
    let release = Deleter { managed, deleter: managed_ref.deleter };
    // SAFETY: the context is that of `managed`; if it is ours, `export` made it (contract).
    if let Some(tensor) = unsafe { own(managed, managed_ref.context) } {
        release.call();
        return Ok(tensor);
    }
    let writable = managed_ref.flags & FLAG_READ_ONLY == 0;
    // SAFETY: forwarded: same contract as this function.
    unsafe { tensor_of(&managed_ref.tensor, writable, move || release.call()) }
}

/// Imports a tensor as [`import`] does, from an unversioned struct.
///
/// ```
/// use belvedere::io::dlpack;
/// use belvedere::prelude::*;
///
/// let managed = dlpack::export_legacy(&tensor![1, 2, 3])?;
/// // SAFETY: `export_legacy` has just made it, and it is imported once.
/// let x = unsafe { dlpack::import_legacy(managed) }?;
/// assert_eq!(x.to_vec::<i32>()?, [1, 2, 3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
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
    // SAFETY: it points to a managed tensor (contract).
    let managed_ref = unsafe { managed.as_ref() };
    let release = Deleter { managed, deleter: managed_ref.deleter };
    // SAFETY: the context is that of `managed`; if it is ours, `export` made it (contract).
    if let Some(tensor) = unsafe { own(managed, managed_ref.context) } {
        release.call();
        return Ok(tensor);
    }
    // SAFETY: forwarded: same contract as this function.
    unsafe { tensor_of(&managed_ref.tensor, true, move || release.call()) }
}

/// The deleter of a managed tensor, with its argument.
struct Deleter<M> {
    managed: NonNull<M>,
    deleter: Option<unsafe extern "C" fn(*mut M)>,
}

// SAFETY: the deleter may be called on any thread (contract of `import`), and is called once.
unsafe impl<M> Send for Deleter<M> {}
// SAFETY: a shared reference gives access to nothing.
unsafe impl<M> Sync for Deleter<M> {}

impl<M> Deleter<M> {
    fn call(self) {
        if let Some(deleter) = self.deleter {
            // SAFETY: it is not deleted otherwise (contract of `import`), and `self` is consumed.
            unsafe { deleter(self.managed.as_ptr()) };
        }
    }
}

/// The memory that a tensor of another library reaches.
struct ReachedMemory {
    dtype: DType,
    /// The offset of the element with the lowest address from the first element, in bytes.
    lowest: isize,
    /// The number of bytes from the lowest address on.
    bytes: usize,
    layout: Layout,
}

/// A tensor that shares the memory of `raw`.
///
/// # Safety
/// That of `import`, for the tensor of the managed tensor.
unsafe fn tensor_of(
    raw: &RawTensor,
    writable: bool,
    release: impl FnOnce() + Send + Sync + 'static,
) -> Result<Tensor, Error> {
    // SAFETY: the lists are those of a valid struct (contract).
    let ReachedMemory { dtype, lowest, bytes, layout } = unsafe { reached_memory(raw) }?;
    let first = raw.data.cast::<u8>().wrapping_add(raw.byte_offset as usize);
    let ptr = match NonNull::new(first.wrapping_offset(lowest)) {
        // A tensor without elements may have any pointer.
        _ if bytes == 0 => NonNull::<u128>::dangling().cast(),
        Some(ptr) if !raw.data.is_null() => ptr,
        _ => return Err(DlpackError::NoMemory { len: layout.len() }.into()),
    };
    let address = ptr.as_ptr().addr();
    if !address.is_multiple_of(dtype.align()) {
        return Err(Error::Unaligned { address, dtype });
    }
    if let Some(storage) = Storage::exported_at(address, bytes) {
        // This library exported the storage before.
        let storage = if writable { storage } else { storage.read_only() };
        let tensor = reimported(storage, address, layout, dtype)?;
        release();
        return Ok(tensor);
    }
    // Nothing after this fails, so the deleter is called once, by the storage.
    // SAFETY: the elements stay valid until the deleter is called (contract); these bytes are those that the
    // layout reaches.
    let storage = unsafe { Storage::foreign(ptr, bytes, writable, release) };
    Tensor::from_storage(storage, layout, dtype)
}

/// A tensor of a storage of this library, for elements from an address on.
fn reimported(
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
/// The lists of lengths and, unless null, of strides must have `rank` elements.
unsafe fn reached_memory(raw: &RawTensor) -> Result<ReachedMemory, Error> {
    if raw.device.kind != Device::CPU.kind {
        return Err(DlpackError::Elsewhere { device: raw.device }.into());
    }
    let dtype = raw.dtype.dtype().ok_or(DlpackError::UnknownType { dtype: raw.dtype })?;
    let rank = usize::try_from(raw.rank);
    let rank = rank.map_err(|_| DlpackError::Shape { given: i64::from(raw.rank) })?;
    // SAFETY: the list has `rank` elements (contract).
    let lengths = unsafe { list(raw.shape, rank) };
    let length = |&len: &i64| usize::try_from(len).map_err(|_| DlpackError::Shape { given: len });
    let shape = lengths.iter().map(length).collect::<Result<Vec<usize>, _>>()?;
    if raw.strides.is_null() || shape.contains(&0) {
        let layout = Layout::row_major(&shape)?;
        let bytes = layout.len().checked_mul(dtype.size());
        let bytes = bytes.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        return Ok(ReachedMemory { dtype, lowest: 0, bytes, layout });
    }
    // SAFETY: the list is not null, so it has `rank` elements (contract).
    let strides = unsafe { list(raw.strides, rank) };
    reach(dtype, &shape, strides).ok_or_else(|| {
        DlpackError::OutOfReach { shape: shape.into(), strides: strides.into() }.into()
    })
}

/// The memory that a strided tensor reaches; `None` if it exceeds the address space.
fn reach(dtype: DType, shape: &[usize], strides: &[i64]) -> Option<ReachedMemory> {
    let (mut lowest, mut highest) = (0isize, 0isize);
    let mut steps = Vec::with_capacity(strides.len());
    for (&len, &stride) in shape.iter().zip(strides) {
        // The stride of an axis of length 1 is not used, and may be anything.
        let stride = if len == 1 { 0 } else { isize::try_from(stride).ok()? };
        let reach = isize::try_from(len - 1).ok()?.checked_mul(stride)?;
        lowest = lowest.checked_add(reach.min(0))?;
        highest = highest.checked_add(reach.max(0))?;
        steps.push(stride);
    }
    let size = dtype.size() as isize;
    let bytes = highest.checked_sub(lowest)?.checked_add(1)?.checked_mul(size)?;
    let layout = Layout::from_strides(lowest.unsigned_abs(), shape, &steps).ok()?;
    Some(ReachedMemory { dtype, lowest: lowest.checked_mul(size)?, bytes: bytes as usize, layout })
}

/// # Safety
/// If `len > 0`, `ptr` must be valid for reads of `len` elements for `'a`.
unsafe fn list<'a>(ptr: *mut i64, len: usize) -> &'a [i64] {
    match len {
        0 => &[],
        // SAFETY: `ptr` is valid for `len` elements (contract).
        _ => unsafe { slice::from_raw_parts(ptr, len) },
    }
}
