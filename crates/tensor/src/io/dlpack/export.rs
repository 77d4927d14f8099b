//! Export of tensors to other libraries.

use super::error::DlpackError;
use super::types::{
    DlpackDevice, FLAG_READ_ONLY, LegacyManagedTensor, ManagedTensor, RawTensor, RawType, VERSION,
};
use crate::trace::Call;
use crate::{Error, Tensor};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::NonNull;

/// Its address is the context of tensors exported by this library.
static OURS: u8 = 0;

/// An exported tensor: the managed tensor that other libraries see, followed by its owner.
#[repr(C)]
pub(super) struct ExportedTensor<M> {
    managed: M,
    tensor: Tensor,
    _shape: Box<[i64]>,
    _strides: Box<[i64]>,
}

/// Exports a tensor to another library, which shares its memory.
///
/// It is marked as read-only if the tensor is. The storage lives until the deleter is called, or
/// [`import`](super::import) takes it back.
///
/// Other libraries read and write without borrowing: the caller has to ensure that they do not do so while an
/// operation or a guard of this library uses the same elements.
///
/// ```
/// use belvedere::io::dlpack;
/// use belvedere::prelude::*;
///
/// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
/// let managed = dlpack::export(&x.t()?)?;
/// // SAFETY: `export` has just made it, and nothing else uses it.
/// assert_eq!(unsafe { managed.as_ref() }.tensor.rank, 2);
/// // SAFETY: as above, and it is imported once.
/// assert_eq!(unsafe { dlpack::import(managed) }?.to_vec::<f64>()?, [1.0, 3.0, 2.0, 4.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If a length or a stride does not fit in 64 bits, which does not happen.
///
/// # Memory
/// Never copies.
#[track_caller]
pub fn export(x: &Tensor) -> Result<NonNull<ManagedTensor>, Error> {
    let flags = if x.check_writable().is_err() { FLAG_READ_ONLY } else { 0 };
    allocate(Call::new("to_dlpack"), x, |tensor| ManagedTensor {
        version: VERSION,
        context: mark(),
        deleter: Some(delete::<ManagedTensor>),
        flags,
        tensor,
    })
}

/// Exports a tensor as [`export`] does, as an unversioned struct, for libraries that do not know the versioned one.
///
/// ```
/// use belvedere::io::dlpack;
/// use belvedere::prelude::*;
///
/// let x = tensor![1, 2, 3];
/// let managed = dlpack::export_legacy(&x)?;
/// // SAFETY: `export_legacy` has just made it, and it is imported once.
/// let y = unsafe { dlpack::import_legacy(managed) }?;
/// assert!(y.storage().is_same(x.storage()));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the tensor is read-only, which the unversioned struct cannot express.
///
/// # Memory
/// Never copies.
#[track_caller]
pub fn export_legacy(x: &Tensor) -> Result<NonNull<LegacyManagedTensor>, Error> {
    if x.check_writable().is_err() {
        return Err(DlpackError::ReadOnly.into());
    }
    allocate(Call::new("to_dlpack"), x, |tensor| LegacyManagedTensor {
        tensor,
        context: mark(),
        deleter: Some(delete::<LegacyManagedTensor>),
    })
}

/// Allocates a managed tensor together with its shape, its strides and its owner.
fn allocate<M>(
    call: Call<'_>,
    x: &Tensor,
    managed: impl FnOnce(RawTensor) -> M,
) -> Result<NonNull<M>, Error> {
    if x.storage().is_meta() {
        return Err(x.no_values(call.op));
    }
    let beyond = |given: i128| DlpackError::Shape { given: given as i64 };
    let lengths = x.shape();
    let mut shape = Vec::with_capacity(lengths.len());
    for &len in lengths.iter() {
        shape.push(i64::try_from(len).map_err(|_| beyond(len as i128))?);
    }
    let mut strides = Vec::with_capacity(lengths.len());
    // Strides of axes of length 1 are those of a contiguous tensor: some libraries compare them.
    let mut dense = 1i64;
    for (axis, &len) in x.layout().axes().iter().zip(&shape).rev() {
        let stride = i64::try_from(axis.stride).map_err(|_| beyond(axis.stride as i128))?;
        strides.push(if len <= 1 { dense } else { stride });
        dense = dense.saturating_mul(len.max(1));
    }
    strides.reverse();
    let (mut shape, mut strides) = (shape.into_boxed_slice(), strides.into_boxed_slice());
    let first = x.storage().ptr().as_ptr().wrapping_add(x.offset() * x.dtype().size());
    let tensor = RawTensor {
        data: first.cast(),
        device: DlpackDevice::CPU,
        rank: shape.len() as i32,
        dtype: RawType::of(x.dtype()),
        // Moving the boxes does not move the lists.
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        byte_offset: 0,
    };
    x.note_export_by(call)?;
    let managed = managed(tensor);
    let exported =
        Box::new(ExportedTensor { managed, tensor: x.clone(), _shape: shape, _strides: strides });
    Ok(NonNull::from(Box::leak(exported)).cast())
}

/// Returns the context of tensors exported by this library.
fn mark() -> *mut c_void {
    (&raw const OURS).cast_mut().cast()
}

/// Returns the tensor of a managed tensor if this library exported it.
///
/// # Safety
/// - `managed` must point to a managed tensor with this context.
/// - If the context is [`mark`], it must have been allocated by `allocate`.
pub(super) unsafe fn exported_tensor<M>(
    managed: NonNull<M>,
    context: *mut c_void,
) -> Option<Tensor> {
    (context == mark()).then(|| {
        // SAFETY: `allocate` made it (contract), so it is the first field of an `ExportedTensor`.
        unsafe { managed.cast::<ExportedTensor<M>>().as_ref() }.tensor.clone()
    })
}

/// Drops an exported tensor: the deleter of the protocol.
///
/// # Safety
/// It must be called once, with a pointer returned by `allocate` for the same `M`.
unsafe extern "C" fn delete<M>(managed: *mut M) {
    N_DELETERS.set(N_DELETERS.get() + 1);
    // SAFETY: `allocate` leaked this box, and the deleter is called once (contract).
    drop(unsafe { Box::from_raw(managed.cast::<ExportedTensor<M>>()) });
    N_DELETERS.set(N_DELETERS.get() - 1);
}

thread_local! {
    /// How many deleters this thread runs: one may free memory whose owner runs another.
    static N_DELETERS: Cell<usize> = const { Cell::new(0) };
}

/// Returns whether this thread runs the deleter of an exported tensor. The library that imported it called it, in a state
/// that is not known: for bindings, whose objects may be released on threads that are attached to an interpreter only.
///
/// ```
/// assert!(!belvedere::io::dlpack::is_in_deleter());
/// ```
#[doc(hidden)]
pub fn is_in_deleter() -> bool {
    N_DELETERS.get() > 0
}
