//! Our tensors for others.

use super::error::DlpackError;
use super::types::{
    Device, FLAG_READ_ONLY, LegacyManagedTensor, ManagedTensor, RawTensor, RawType, VERSION,
};
use crate::{Error, Tensor};
use std::ffi::c_void;
use std::ptr::NonNull;

/// Its address marks what was exported by this library.
static OURS: u8 = 0;

/// An exported tensor: what others see first, and behind it what keeps that alive.
#[repr(C)]
pub(super) struct Exported<M> {
    managed: M,
    tensor: Tensor,
    _shape: Box<[i64]>,
    _strides: Box<[i64]>,
}

/// A tensor for another library, which shares its memory.
///
/// It is marked as not to be written to if the tensor cannot be. The storage lives until the deleter
/// is called, or [`import`](super::import) takes it back.
///
/// Others read and write without borrowing: whoever hands the parcel on sees to it that they do not do
/// so while an operation or a guard of this library uses the same elements.
///
/// # Errors
/// If a length or a stride does not fit in 64 bits, which does not happen.
///
/// # Memory
/// Never copies.
pub fn export(x: &Tensor) -> Result<NonNull<ManagedTensor>, Error> {
    let flags = if x.check_writable().is_err() { FLAG_READ_ONLY } else { 0 };
    parcel(x, |tensor| ManagedTensor {
        version: VERSION,
        context: mark(),
        deleter: Some(delete),
        flags,
        tensor,
    })
}

/// The same by the older generation of the protocol.
///
/// # Errors
/// If the tensor cannot be written to: there is no way to say so.
///
/// # Memory
/// Never copies.
pub fn export_legacy(x: &Tensor) -> Result<NonNull<LegacyManagedTensor>, Error> {
    if x.check_writable().is_err() {
        return Err(DlpackError::ReadOnly.into());
    }
    parcel(x, |tensor| LegacyManagedTensor {
        tensor,
        context: mark(),
        deleter: Some(delete_legacy),
    })
}

/// Puts a tensor and what describes it on the heap.
fn parcel<M>(x: &Tensor, managed: impl FnOnce(RawTensor) -> M) -> Result<NonNull<M>, Error> {
    let beyond = |given: i128| DlpackError::Shape { given: given as i64 };
    let lengths = x.shape();
    let mut shape = Vec::with_capacity(lengths.len());
    for &len in lengths.iter() {
        shape.push(i64::try_from(len).map_err(|_| beyond(len as i128))?);
    }
    let mut strides = Vec::with_capacity(lengths.len());
    // Strides that nobody walks along are as in a contiguous tensor: some ask for that.
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
        device: Device::CPU,
        rank: shape.len() as i32,
        dtype: RawType::of(x.dtype()),
        // The lists stay where they are when their boxes move.
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        byte_offset: 0,
    };
    x.storage().note_export();
    let managed = managed(tensor);
    let exported =
        Box::new(Exported { managed, tensor: x.clone(), _shape: shape, _strides: strides });
    Ok(NonNull::from(Box::leak(exported)).cast())
}

fn mark() -> *mut c_void {
    (&raw const OURS).cast_mut().cast()
}

/// The tensor that a parcel of ours holds, if it is one.
///
/// # Safety
/// The pointer must be that of a managed tensor with this context; if the context is ours, it must
/// have come from `parcel`.
pub(super) unsafe fn own<M>(managed: NonNull<M>, context: *mut c_void) -> Option<Tensor> {
    (context == mark()).then(|| {
        // SAFETY: the mark is that of this library only, so the parcel begins an `Exported`.
        unsafe { managed.cast::<Exported<M>>().as_ref() }.tensor.clone()
    })
}

/// # Safety
/// It must be called once, with a pointer that came from `export`.
unsafe extern "C" fn delete(managed: *mut ManagedTensor) {
    // SAFETY: the caller's promise: `parcel` leaked this box.
    drop(unsafe { Box::from_raw(managed.cast::<Exported<ManagedTensor>>()) });
}

/// # Safety
/// It must be called once, with a pointer that came from `export_legacy`.
unsafe extern "C" fn delete_legacy(managed: *mut LegacyManagedTensor) {
    // SAFETY: the caller's promise: `parcel` leaked this box.
    drop(unsafe { Box::from_raw(managed.cast::<Exported<LegacyManagedTensor>>()) });
}
