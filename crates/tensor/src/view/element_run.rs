//! [`ElementRun`]: pointers to elements that are one stride apart.

use crate::sync_ptr::SyncPtr;
use belvedere_layout::Axis;
use std::ptr::NonNull;

/// Elements that are one stride apart.
///
/// Invariant: they are in the memory that the run was made for.
pub(super) struct ElementRun<T> {
    /// The first element, if there is one.
    pub(super) ptr: SyncPtr<T>,
    pub(super) stride: isize,
    pub(super) len: usize,
}

impl<T> Clone for ElementRun<T> {
    #[inline]
    fn clone(&self) -> ElementRun<T> {
        *self
    }
}

impl<T> Copy for ElementRun<T> {}

impl<T> ElementRun<T> {
    /// Returns the elements at `offset`, `offset + stride` and so on, relative to `base`.
    ///
    /// # Safety
    /// - They must be in bounds of the memory of `base`.
    #[inline]
    pub(super) unsafe fn new(base: NonNull<T>, offset: usize, axis: Axis) -> ElementRun<T> {
        // SAFETY: the first element is in bounds; without elements the offset may be anything in bounds.
        ElementRun::from_first(unsafe { base.add(offset) }.as_ptr(), axis)
    }

    /// Returns the elements of an axis from the first one on.
    #[inline]
    pub(super) fn from_first(first: *mut T, axis: Axis) -> ElementRun<T> {
        ElementRun { ptr: SyncPtr::new(first), stride: axis.stride, len: axis.len }
    }

    #[inline]
    pub(super) fn empty() -> ElementRun<T> {
        ElementRun { ptr: SyncPtr::new(NonNull::dangling().as_ptr()), stride: 0, len: 0 }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the pointer to the first element, or one that is aligned and not null if there is none.
    #[inline]
    pub(super) fn first(&self) -> *mut T {
        if self.len == 0 { NonNull::dangling().as_ptr() } else { self.ptr.get() }
    }

    #[inline]
    pub(super) fn stride(&self) -> isize {
        self.stride
    }

    /// Returns the pointer to element `i`, which must be less than `len`, else it may be out of bounds.
    #[inline]
    pub(super) fn at(&self, i: usize) -> *mut T {
        self.ptr.element(i as isize * self.stride)
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<*mut T> {
        self.len = self.len.checked_sub(1)?;
        let first = self.ptr.get();
        // In bytes, so that a loop adds one register to another: an addition that scales the stride takes two cycles, which
        // is as long as the work for an element. Out of bounds after the last element, but not used then.
        let step = self.stride.wrapping_mul(size_of::<T>() as isize);
        self.ptr = SyncPtr::new(first.wrapping_byte_offset(step));
        Some(first)
    }

    #[inline]
    pub(super) fn next_back(&mut self) -> Option<*mut T> {
        self.len = self.len.checked_sub(1)?;
        Some(self.at(self.len))
    }

    /// Removes the first `n` elements; `n` is at most `len`.
    #[inline]
    pub(super) fn skip(&mut self, n: usize) {
        self.len -= n;
        if self.len > 0 {
            self.ptr = SyncPtr::new(self.at(n));
        }
    }

    /// Removes the last `n` elements; `n` is at most `len`.
    #[inline]
    pub(super) fn skip_back(&mut self, n: usize) {
        self.len -= n;
    }

    #[inline(always)]
    pub(super) fn fold<A>(self, first: A, f: impl FnMut(A, *mut T) -> A) -> A {
        match self.stride {
            // SAFETY: the stride was just compared.
            1 => unsafe { self.fold_contiguous(first, f) },
            _ => self.fold_strided(first, f),
        }
    }

    /// Folds elements that are contiguous.
    ///
    /// # Safety
    /// - The stride must be 1, unless there are no elements.
    #[inline(always)]
    pub(super) unsafe fn fold_contiguous<A>(
        self,
        first: A,
        mut f: impl FnMut(A, *mut T) -> A,
    ) -> A {
        let (ptr, mut total) = (self.ptr.get(), first);
        for i in 0..self.len {
            // SAFETY: element `i` of the run is in bounds, and the stride is 1.
            total = f(total, unsafe { ptr.add(i) });
        }
        total
    }

    #[inline(always)]
    pub(super) fn fold_strided<A>(self, first: A, mut f: impl FnMut(A, *mut T) -> A) -> A {
        let (ptr, mut total) = (self.ptr.get(), first);
        for i in 0..self.len {
            // SAFETY: element `i` of the run is in bounds.
            total = f(total, unsafe { ptr.offset(i as isize * self.stride) });
        }
        total
    }

    #[inline(always)]
    pub(super) fn rfold<A>(self, first: A, mut f: impl FnMut(A, *mut T) -> A) -> A {
        let (ptr, mut total) = (self.ptr.get(), first);
        for i in (0..self.len).rev() {
            // SAFETY: element `i` of the run is in bounds.
            total = f(total, unsafe { ptr.offset(i as isize * self.stride) });
        }
        total
    }
}
