//! Raw pointers that can be sent to and shared with other threads.

use std::ptr::NonNull;

/// A raw pointer that is `Send` and `Sync`.
///
/// Raw pointers are neither, as a lint only: moving one to another thread is harmless. Dereferencing it is `unsafe`
/// there as everywhere, and each such block has to say why no other thread writes to the same elements.
#[derive(Debug)]
pub(crate) struct SyncPtr<T>(*mut T);

// SAFETY: a pointer alone accesses nothing; every access through it is an `unsafe` block with its own SAFETY comment.
unsafe impl<T> Send for SyncPtr<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for SyncPtr<T> {}

impl<T> Clone for SyncPtr<T> {
    fn clone(&self) -> SyncPtr<T> {
        *self
    }
}

impl<T> Copy for SyncPtr<T> {}

impl<T> SyncPtr<T> {
    /// Wraps a pointer.
    #[inline(always)]
    pub(crate) const fn new(ptr: *mut T) -> SyncPtr<T> {
        SyncPtr(ptr)
    }

    /// Returns the pointer. A method rather than a field, so that closures capture the wrapper.
    #[inline(always)]
    pub(crate) const fn get(self) -> *mut T {
        self.0
    }

    /// Returns the address of an element of type `E`, `offset` elements from the pointer. Only an address: it may be out
    /// of bounds.
    #[inline(always)]
    pub(crate) const fn element<E>(self, offset: isize) -> *mut E {
        self.0.cast::<E>().wrapping_offset(offset)
    }
}

/// A [`NonNull`] that is `Send` and `Sync`, as [`SyncPtr`].
///
/// A type with such a field is `Send` and `Sync` if its other fields are. It has a `PhantomData` of the borrow that the
/// pointer represents, which restricts both as that borrow would.
#[derive(Debug)]
pub(crate) struct SyncNonNull<T>(NonNull<T>);

// SAFETY: as for `SyncPtr`.
unsafe impl<T> Send for SyncNonNull<T> {}
// SAFETY: as for `SyncPtr`.
unsafe impl<T> Sync for SyncNonNull<T> {}

impl<T> Clone for SyncNonNull<T> {
    fn clone(&self) -> SyncNonNull<T> {
        *self
    }
}

impl<T> Copy for SyncNonNull<T> {}

impl<T> SyncNonNull<T> {
    /// Wraps a pointer.
    #[inline(always)]
    pub(crate) const fn new(ptr: NonNull<T>) -> SyncNonNull<T> {
        SyncNonNull(ptr)
    }

    /// Returns the pointer.
    #[inline(always)]
    pub(crate) const fn get(self) -> NonNull<T> {
        self.0
    }
}
