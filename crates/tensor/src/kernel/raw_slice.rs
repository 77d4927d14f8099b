//! Contiguous elements that are read by value.
//!
//! Another library may write to memory that it shares with us while a kernel reads it. The values that are read are then
//! unspecified, but a `&[T]` over such memory would be undefined behaviour: it promises the compiler that the elements do
//! not change. So kernels read elements through pointers.

use crate::Element;
use crate::view::View;
use std::marker::PhantomData;

/// Contiguous elements, as a `&[T]`, but without a reference to them.
///
/// Invariant: `len` elements from `first` on are readable for `'a`, and aligned.
pub(crate) struct RawSlice<'a, T> {
    first: *const T,
    len: usize,
    memory: PhantomData<&'a T>,
}

impl<T> Clone for RawSlice<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RawSlice<'_, T> {}

impl<'a, T: Copy> RawSlice<'a, T> {
    /// # Safety
    /// `len` elements from `first` on must be readable for `'a`, and aligned.
    #[inline(always)]
    pub(super) unsafe fn new(first: *const T, len: usize) -> RawSlice<'a, T> {
        RawSlice { first, len, memory: PhantomData }
    }

    #[inline(always)]
    pub(super) fn len(self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns element `i`.
    ///
    /// # Panics
    /// If there is no such element.
    #[inline(always)]
    pub(super) fn get(self, i: usize) -> T {
        assert!(i < self.len, "a position in the slice");
        // SAFETY: it is one of the elements (asserted), which are readable and aligned (invariant).
        unsafe { self.first.add(i).read() }
    }

    /// Returns the elements in chunks of `N`, without those after the last whole chunk.
    ///
    /// A loop up to the length of the chunks needs no bounds check, so that it is unrolled as one over slices.
    #[inline(always)]
    pub(super) fn chunks<const N: usize>(self) -> RawSlice<'a, [T; N]> {
        // SAFETY: the chunks are inside of the slice, whose elements are readable and aligned (invariant); an array is aligned
        // as its elements are.
        unsafe { RawSlice::new(self.first.cast(), self.len / N) }
    }

    /// Returns at most `len` elements, from element `first` on.
    ///
    /// # Panics
    /// If `first` is beyond the end.
    #[inline(always)]
    pub(super) fn part(self, first: usize, len: usize) -> RawSlice<'a, T> {
        assert!(first <= self.len, "a part of the slice");
        // SAFETY: the part is inside of the slice (asserted), whose elements are readable and aligned (invariant).
        unsafe { RawSlice::new(self.first.add(first), len.min(self.len - first)) }
    }

    /// Returns the first `len` elements.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline(always)]
    pub(super) fn first(self, len: usize) -> RawSlice<'a, T> {
        assert!(len <= self.len, "elements of the slice");
        RawSlice { len, ..self }
    }

    /// Iterates over the elements.
    #[inline(always)]
    pub(super) fn iter(self) -> impl ExactSizeIterator<Item = T> + Clone + use<'a, T> {
        // SAFETY: every position is one of an element, which are readable and aligned (invariant).
        (0..self.len).map(move |i| unsafe { self.first.add(i).read() })
    }
}

impl<'a, T: Copy> From<&'a [T]> for RawSlice<'a, T> {
    #[inline(always)]
    fn from(slice: &'a [T]) -> RawSlice<'a, T> {
        // SAFETY: the elements are those of the slice, which is borrowed for `'a`.
        unsafe { RawSlice::new(slice.as_ptr(), slice.len()) }
    }
}

impl<'a, T: Element> RawSlice<'a, T> {
    /// Returns the bytes of the elements.
    #[inline(always)]
    pub(super) fn bytes(self) -> RawSlice<'a, u8> {
        // SAFETY: the bytes are those of the elements, which are readable (invariant) and have no padding: an element is a
        // number, or two of one type.
        unsafe { RawSlice::new(self.first.cast(), self.len * size_of::<T>()) }
    }

    /// Returns the elements of a view, if they are contiguous.
    pub(super) fn of_view(view: &View<'a, T>) -> Option<RawSlice<'a, T>> {
        view.layout().is_contiguous().then(|| {
            let first = view.ptr().as_ptr().wrapping_add(view.layout().start());
            // SAFETY: the elements are those of the view, which is borrowed for `'a`.
            unsafe { RawSlice::new(first, view.len()) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_chunks_and_parts_are_those_of_a_slice() {
        let values: Vec<u16> = (0..11).collect();
        // SAFETY: the elements are those of the vector.
        let raw = unsafe { RawSlice::new(values.as_ptr(), values.len()) };
        assert_eq!(raw.iter().collect::<Vec<_>>(), values);
        assert_eq!((0..raw.len()).map(|i| raw.get(i)).collect::<Vec<_>>(), values);
        let chunks = raw.chunks::<4>();
        assert_eq!((chunks.len(), chunks.get(0), chunks.get(1)), (2, [0, 1, 2, 3], [4, 5, 6, 7]));
        for (first, len) in [(0usize, 3), (9, 5), (11, 1), (4, usize::MAX)] {
            let end = first.saturating_add(len).min(values.len());
            assert_eq!(raw.part(first, len).iter().collect::<Vec<_>>(), values[first..end]);
        }
        assert!(raw.part(11, 1).is_empty());
        assert_eq!(raw.first(3).iter().collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn positions_outside_are_refused() {
        let values = [1u8; 7];
        // SAFETY: the elements are those of the array.
        let raw = unsafe { RawSlice::new(values.as_ptr(), values.len()) };
        let refused =
            |f: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err();
        assert!(refused(&|| _ = raw.get(7)));
        assert!(refused(&|| _ = raw.chunks::<4>().get(1)));
        assert!(refused(&|| _ = raw.part(8, 0)));
        assert!(refused(&|| _ = raw.first(8)));
    }
}
