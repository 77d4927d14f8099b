//! Inline storage of small buffers: header and elements in one allocation.
//!
//! Computing 16 elements costs less than a second allocation, and allocators are slow to align beyond
//! their default: they carve the block out of a larger one. So small storages come in three size
//! classes whose buffer follows the header, and are aligned here by leaving up to 63 bytes unused.

use super::allocation::ALIGN;
use super::{Inner, Owner, Storage};
use crate::borrow::Borrows;
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The largest inline buffer: with the header it still fits in a size class that allocators serve from
/// a thread-local cache (the GNU C library up to 1032 bytes).
const MAX_INLINE_BYTES: usize = 768;

/// A header with `N` bytes of inline buffer, not yet initialised.
type UninitInner<const N: usize> = Arc<MaybeUninit<Inner<[MaybeUninit<u8>; N]>>>;

impl Storage {
    /// Allocates `len` uninitialised bytes inline with the header; `None` if `len` is 0 or above 768.
    #[inline]
    pub(super) fn inline(len: usize) -> Option<Storage> {
        match len {
            0 => None,
            1..=64 => Some(with_buffer::<{ 64 + ALIGN }>(len)),
            65..=256 => Some(with_buffer::<{ 256 + ALIGN }>(len)),
            257..=MAX_INLINE_BYTES => Some(with_buffer::<{ MAX_INLINE_BYTES + ALIGN }>(len)),
            _ => None,
        }
    }
}

/// Allocates a header with `N` bytes of inline buffer, of which `len` aligned bytes are used.
fn with_buffer<const N: usize>(len: usize) -> Storage {
    assert!(len + ALIGN <= N, "the bytes fit wherever the first aligned one is");
    let uninit: UninitInner<N> = Arc::new_uninit();
    let inner = Arc::as_ptr(&uninit).cast_mut().cast::<Inner<[MaybeUninit<u8>; N]>>();
    // SAFETY: `inner` points to a fresh allocation that no other thread has, so its fields are valid for
    // writes. Every field is written except the buffer, whose type needs no initialisation. `ptr` is at
    // most `ALIGN - 1` bytes into the buffer, so `len` bytes from there are inside of it (the assertion);
    // they may be written while a `&Inner` exists because the buffer is an `UnsafeCell`.
    unsafe {
        let buffer = UnsafeCell::raw_get(&raw const (*inner)._buffer).cast::<u8>();
        let ptr = buffer.add(buffer.addr().wrapping_neg() % ALIGN);
        (&raw mut (*inner).ptr).write(NonNull::new_unchecked(ptr));
        (&raw mut (*inner).len).write(len);
        (&raw mut (*inner).writable).write(true);
        (&raw mut (*inner).owner).write(Owner::Inline);
        (&raw mut (*inner).borrows).write(Borrows::new());
        (&raw mut (*inner).id).write(AtomicU64::new(0));
        Storage { inner: uninit.assume_init(), writable: true }
    }
}
