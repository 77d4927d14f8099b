//! Import of tensors of other libraries.

use super::error::DlpackError;
use super::export::exported_tensor;
use super::types::{
    DlpackDevice, FLAG_READ_ONLY, LegacyManagedTensor, ManagedTensor, RawTensor, VERSION,
};
use crate::sync_ptr::SyncPtr;
use crate::trace::{Call, EventKind, announce_tensor};
use crate::{DType, Error, Layout, Storage, Tensor};
use belvedere_layout::MAX_RANK;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::slice;

/// Imports a tensor of another library, sharing its memory.
///
/// The deleter is called when the last tensor of the storage is dropped.
///
/// A tensor that was exported by this library, or a view that another library made of one, becomes a tensor of
/// the original storage, so its borrows are tracked there. It is read-only if the other library has marked it so, or if
/// the storage was only ever exported as read-only.
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
///   the elements; while it is borrowed for writing, other code must not read them either. Guards and views
///   give out references to elements.
///
/// # Memory
/// Never copies.
#[track_caller]
pub unsafe fn import(managed: NonNull<ManagedTensor>) -> Result<Tensor, Error> {
    // SAFETY: it points to a managed tensor (contract). Only the version may be read before it is known.
    let version = unsafe { (*managed.as_ptr()).version };
    if version.major != VERSION.major {
        return Err(DlpackError::UnknownVersion { version }.into());
    }
    // SAFETY: forwarded: same contract as this function; the version is supported.
    let tensor = unsafe { import_managed(managed) }?;
    announce_tensor(Call::new("from_dlpack"), EventKind::Import, &tensor);
    Ok(tensor)
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
#[track_caller]
pub unsafe fn import_legacy(managed: NonNull<LegacyManagedTensor>) -> Result<Tensor, Error> {
    // SAFETY: forwarded: same contract as this function.
    let tensor = unsafe { import_managed(managed) }?;
    announce_tensor(Call::new("from_dlpack"), EventKind::Import, &tensor);
    Ok(tensor)
}

/// A managed tensor of either version.
trait Managed: Sized + 'static {
    fn tensor(&self) -> &RawTensor;
    fn context(&self) -> *mut c_void;
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
    fn is_writable(&self) -> bool;
}

impl Managed for ManagedTensor {
    fn tensor(&self) -> &RawTensor {
        &self.tensor
    }

    fn context(&self) -> *mut c_void {
        self.context
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut ManagedTensor)> {
        self.deleter
    }

    fn is_writable(&self) -> bool {
        self.flags & FLAG_READ_ONLY == 0
    }
}

impl Managed for LegacyManagedTensor {
    fn tensor(&self) -> &RawTensor {
        &self.tensor
    }

    fn context(&self) -> *mut c_void {
        self.context
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut LegacyManagedTensor)> {
        self.deleter
    }

    fn is_writable(&self) -> bool {
        true
    }
}

/// Imports a managed tensor of a supported version.
///
/// # Safety
/// That of [`import`].
unsafe fn import_managed<M: Managed>(managed: NonNull<M>) -> Result<Tensor, Error> {
    // SAFETY: it points to a managed tensor of this version (contract).
    let managed_ref = unsafe { managed.as_ref() };
    let release =
        Deleter { managed: SyncPtr::new(managed.as_ptr()), deleter: managed_ref.deleter() };
    // SAFETY: the context is that of `managed`; if it is ours, `export` made it (contract).
    if let Some(tensor) = unsafe { exported_tensor(managed, managed_ref.context()) } {
        release.call();
        return Ok(tensor);
    }
    let (raw, writable) = (managed_ref.tensor(), managed_ref.is_writable());
    // SAFETY: forwarded: same contract as this function.
    unsafe { tensor_of(raw, writable, move || release.call()) }
}

/// The deleter of a managed tensor, with its argument. It may be called on any thread (contract of `import`).
struct Deleter<M> {
    managed: SyncPtr<M>,
    deleter: Option<unsafe extern "C" fn(*mut M)>,
}

impl<M> Deleter<M> {
    fn call(self) {
        if let Some(deleter) = self.deleter {
            // SAFETY: it is not deleted otherwise (contract of `import`), and `self` is consumed.
            unsafe { deleter(self.managed.get()) };
        }
    }
}

/// The memory that a tensor of another library reaches.
struct ReachedMemory {
    /// The offset of the element with the lowest address from the first element, in bytes.
    lowest: isize,
    /// The number of bytes from the lowest address on.
    bytes: usize,
    layout: Layout,
}

/// Returns a tensor that shares the memory of `raw`.
///
/// # Safety
/// That of `import`, for the tensor of the managed tensor.
unsafe fn tensor_of(
    raw: &RawTensor,
    writable: bool,
    release: impl FnOnce() + Send + Sync + 'static,
) -> Result<Tensor, Error> {
    if raw.device.kind != DlpackDevice::CPU.kind {
        return Err(DlpackError::Elsewhere { device: raw.device }.into());
    }
    let dtype = raw.dtype.dtype().ok_or(DlpackError::UnknownType { dtype: raw.dtype })?;
    // Before the lists are read: a rank above the limit may be garbage, and the lists shorter.
    let rank = usize::try_from(raw.rank).ok().filter(|&rank| rank <= MAX_RANK);
    let rank = rank.ok_or(DlpackError::Shape { given: i64::from(raw.rank) })?;
    let list = |ptr: *mut i64| match ptr.is_null() || rank == 0 {
        true => None,
        // SAFETY: the lists of lengths and, unless null, of strides have `rank` elements (contract).
        false => Some(unsafe { slice::from_raw_parts(ptr, rank) }),
    };
    let (lengths, strides) = (list(raw.shape).unwrap_or(&[]), list(raw.strides));
    if lengths.len() != rank {
        // A null pointer, against the protocol.
        return Err(DlpackError::Shape { given: i64::from(raw.rank) }.into());
    }
    let ReachedMemory { lowest, bytes, layout } = reached_memory(dtype, lengths, strides)?;
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

/// Returns a tensor of a storage of this library, for elements from an address on.
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

/// Returns the memory that a tensor reaches; without strides it is row-major.
fn reached_memory(
    dtype: DType,
    lengths: &[i64],
    strides: Option<&[i64]>,
) -> Result<ReachedMemory, Error> {
    let length = |&len: &i64| usize::try_from(len).map_err(|_| DlpackError::Shape { given: len });
    let shape = lengths.iter().map(length).collect::<Result<Vec<usize>, _>>()?;
    let Some(strides) = strides.filter(|_| !shape.contains(&0)) else {
        let layout = Layout::row_major(&shape)?;
        let bytes = layout.len().checked_mul(dtype.size());
        let bytes = bytes.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        return Ok(ReachedMemory { lowest: 0, bytes, layout });
    };
    reach(dtype, &shape, strides).ok_or_else(|| {
        DlpackError::OutOfReach { shape: shape.into(), strides: strides.into() }.into()
    })
}

/// Returns the memory that a strided tensor reaches; `None` if it exceeds the address space.
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
    Some(ReachedMemory { lowest: lowest.checked_mul(size)?, bytes: bytes as usize, layout })
}
