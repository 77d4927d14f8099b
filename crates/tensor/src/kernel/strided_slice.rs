//! A 1-D slice of elements at a constant stride, read by position.

use super::raw_slice::RawSlice;
use crate::sync_ptr::SyncPtr;
use crate::view::AnyView;
use crate::{Element, Error};
use std::marker::PhantomData;

/// A slice of elements at a constant stride.
///
/// Invariant: `len` elements, `stride` elements apart from `first` on, are readable for `'a`.
pub(super) struct StridedSlice<'a, T> {
    first: SyncPtr<T>,
    stride: isize,
    len: usize,
    memory: PhantomData<&'a T>,
}

impl<'a, T: Copy> StridedSlice<'a, T> {
    /// # Safety
    /// `len` elements, `stride` elements apart from `first` on, must be readable for `'a`.
    #[inline(always)]
    pub(super) unsafe fn new(first: *const T, stride: isize, len: usize) -> StridedSlice<'a, T> {
        StridedSlice { first: SyncPtr::new(first.cast_mut()), stride, len, memory: PhantomData }
    }

    /// Returns `len` elements of a slice, every `step`-th one.
    ///
    /// # Panics
    /// If the slice has fewer.
    pub(super) fn every(slice: &'a [T], step: usize, len: usize) -> StridedSlice<'a, T> {
        let is_inside = len == 0 || (len - 1).saturating_mul(step) < slice.len();
        assert!(is_inside, "{len} elements {step} apart in {}", slice.len());
        // SAFETY: the elements are in the slice (asserted), which is borrowed for `'a`.
        unsafe { StridedSlice::new(slice.as_ptr(), step as isize, len) }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the elements as a raw slice, if they are contiguous.
    #[inline(always)]
    pub(super) fn contiguous(&self) -> Option<RawSlice<'a, T>> {
        // SAFETY: the elements are contiguous, and readable for `'a` (invariant).
        (self.stride == 1).then(|| unsafe { RawSlice::new(self.first.get(), self.len) })
    }

    /// Returns an element.
    ///
    /// # Panics
    /// If there is no such element.
    #[inline(always)]
    pub(super) fn get(&self, i: usize) -> T {
        assert!(i < self.len, "a position in the slice");
        // SAFETY: it is one of the elements (asserted), which are readable (invariant).
        unsafe { self.first.get().offset(i as isize * self.stride).read() }
    }
}

impl<'a, T: Element> StridedSlice<'a, T> {
    /// Returns the elements of a view of rank 1.
    ///
    /// # Errors
    /// If the view is of another dtype.
    ///
    /// # Panics
    /// If the view is of another rank.
    pub(super) fn of_view(view: &AnyView<'a>) -> Result<StridedSlice<'a, T>, Error> {
        let view = view.typed::<T>()?;
        let &[axis] = view.layout().axes() else { panic!("a slice has one axis") };
        let first = view.ptr().as_ptr().wrapping_add(view.layout().start());
        // SAFETY: the elements are those of the view, which is borrowed for `'a`.
        Ok(unsafe { StridedSlice::new(first, axis.stride, axis.len) })
    }
}
