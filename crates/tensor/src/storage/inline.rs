//! Inline storage of small buffers: header and elements in one allocation.
//!
//! Computing 16 elements costs less than a second allocation, and allocators are slow to align beyond
//! their default: they carve the block out of a larger one. So small storages come in three size
//! classes whose buffer follows the header, and are aligned here by leaving up to 63 bytes unused.

use super::allocation::ALIGN;
use super::{HandleAccess, Inner, Owner, Storage};
use crate::Value;
use crate::borrow::Borrows;
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The largest inline buffer: with the header it still fits in a size class that allocators serve from
/// a thread-local cache (the GNU C library up to 1032 bytes).
const MAX_INLINE_BYTES: usize = 768;

/// The bytes of an element of up to 8 bytes, in memory order from the first; the rest is arbitrary.
pub(crate) type ElementBits = u64;

/// A header with `N` bytes of inline buffer, not yet initialised.
type UninitInner<const N: usize> = Arc<MaybeUninit<Inner<[MaybeUninit<u8>; N]>>>;

impl Storage {
    /// Allocates `len` uninitialised bytes inline with the header; `None` if `len` is 0 or above 768.
    #[inline]
    pub(super) fn inline(len: usize) -> Option<Storage> {
        match len {
            0 => None,
            1..=64 => Some(with_buffer::<{ 64 + ALIGN }>(len, Borrows::new(), 0)),
            65..=256 => Some(with_buffer::<{ 256 + ALIGN }>(len, Borrows::new(), 0)),
            257..=MAX_INLINE_BYTES => {
                Some(with_buffer::<{ MAX_INLINE_BYTES + ALIGN }>(len, Borrows::new(), 0))
            }
            _ => None,
        }
    }

    /// Copies values to a storage that is inline with the header; `None` if there are none, or they have more than 768
    /// bytes.
    #[inline]
    pub(crate) fn inline_copy<T: Value>(values: &[T]) -> Option<Storage> {
        let storage = Storage::inline(size_of_val(values))?;
        // SAFETY: the storage has room for the values, aligned, and no other thread has it yet. A value has the bytes of an
        // element (`Value`), all of them initialised.
        unsafe {
            storage
                .ptr()
                .cast::<T>()
                .copy_from_nonoverlapping(NonNull::from(values).cast(), values.len())
        };
        Some(storage)
    }

    /// Creates a storage of one element of `len` bytes, which are the first of `bits` in memory. They are read without a
    /// claim until the first write ([`Storage::initial_element`]).
    ///
    /// # Panics
    /// If an element has no bytes, or more than `bits`.
    #[inline]
    pub(crate) fn of_element(bits: ElementBits, len: usize) -> Storage {
        assert!((1..=size_of::<ElementBits>()).contains(&len), "an element of up to 8 bytes");
        let storage = with_buffer::<{ 64 + ALIGN }>(len, Borrows::of_initial(), bits);
        // SAFETY: no other thread has the storage yet. Its buffer has room for 64 aligned bytes.
        unsafe { storage.ptr().cast::<ElementBits>().write(bits) };
        storage
    }

    /// Returns the bytes of a storage of one element, if it was created as one and not written since.
    #[inline(always)]
    pub(crate) fn initial_element(&self) -> Option<ElementBits> {
        self.inner.borrows.is_initial().then_some(self.inner.initial)
    }

    /// Returns whether it is a storage of one element that was not written, is not shared, and has occurred in no event.
    #[inline]
    pub(crate) fn is_sole_element(&self) -> bool {
        let is_unused = self.n_shares() == 1 && self.inner.id.load(Ordering::Relaxed) == 0;
        is_unused && self.inner.borrows.is_initial()
    }

    /// Replaces the element of a storage that was created as one of `len` bytes, as if it were created with `bits`. False
    /// if it was not, was written since, is shared, or has an id.
    #[inline]
    pub(crate) fn replace_element(&mut self, bits: ElementBits, len: usize) -> bool {
        let Some(inner) = Arc::get_mut(&mut self.inner) else { return false };
        // A storage that has occurred in an event is identified by its number.
        if !inner.borrows.is_initial() || inner.len != len || *inner.id.get_mut() != 0 {
            return false;
        }
        inner.initial = bits;
        // SAFETY: the storage was created by `of_element`, so its buffer has room for 8 aligned bytes. It is not shared, so
        // no other thread accesses them.
        unsafe { inner.ptr.cast::<ElementBits>().write(bits) };
        true
    }
}

/// Allocates a header with `N` bytes of inline buffer, of which `len` aligned bytes are used.
fn with_buffer<const N: usize>(len: usize, borrows: Borrows, initial: ElementBits) -> Storage {
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
        (&raw mut (*inner).is_shared).write(AtomicBool::new(false));
        (&raw mut (*inner).owner).write(Owner::Inline);
        (&raw mut (*inner).borrows).write(borrows);
        (&raw mut (*inner).initial).write(initial);
        (&raw mut (*inner).id).write(AtomicU64::new(0));
        Storage { inner: uninit.assume_init(), handle: HandleAccess::Write }
    }
}
