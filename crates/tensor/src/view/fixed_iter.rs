//! Iterators over views of constant rank: elements with their positions, and windows.

use super::FixedView;
use super::fixed_axes::FixedAxes;
use crate::sync_ptr::SyncPtr;
use std::iter::FusedIterator;
use std::marker::PhantomData;

/// A walk over positions in row-major order, with the pointer to each.
///
/// A step along the last axis decrements one counter and moves the pointer: `collect` and `for` loops take single steps, and
/// the work for a window is often not more than that.
///
/// The pointers are in bounds of the memory that the walk was made for, except those to windows without elements.
struct FixedWalk<T, const N: usize> {
    /// The pointer to the next position. At the end of a row it is one step behind the last position.
    ptr: SyncPtr<T>,
    /// The number of positions along each axis.
    counts: [usize; N],
    strides: [isize; N],
    /// The next position.
    index: [usize; N],
    /// The number of positions that are left in the row, which is along the last axis.
    n_in_row: usize,
    /// The number of positions that are left in the rows after it.
    n_after_row: usize,
}

impl<T, const N: usize> Clone for FixedWalk<T, N> {
    fn clone(&self) -> Self {
        FixedWalk { ..*self }
    }
}

impl<T, const N: usize> FixedWalk<T, N> {
    fn new(axes: FixedAxes<T, N>, counts: [usize; N], n_positions: usize) -> FixedWalk<T, N> {
        let n_in_row = counts.last().map_or(1, |&count| count).min(n_positions);
        let n_after_row = n_positions - n_in_row;
        let FixedAxes { ptr, strides, .. } = axes;
        FixedWalk { ptr, counts, strides, index: [0; N], n_in_row, n_after_row }
    }

    #[inline(always)]
    fn n_left(&self) -> usize {
        self.n_in_row + self.n_after_row
    }

    #[inline(always)]
    fn next(&mut self) -> Option<([usize; N], *mut T)> {
        if self.n_in_row == 0 {
            if self.n_after_row == 0 {
                return None;
            }
            self.carry();
        }
        let (index, ptr) = (self.index, self.ptr.get());
        self.n_in_row -= 1;
        if let Some(last) = N.checked_sub(1) {
            self.index[last] += 1;
            self.ptr = SyncPtr::new(ptr.wrapping_offset(self.strides[last]));
        }
        Some((index, ptr))
    }

    /// Moves from the end of a row to the beginning of the next one, which must exist.
    #[inline(always)]
    fn carry(&mut self) {
        let Some(last) = N.checked_sub(1) else { return };
        // Not by the index along the last axis, so that loops that do not use it need not count it.
        let mut offset = (self.counts[last] as isize).wrapping_mul(-self.strides[last]);
        self.index[last] = 0;
        for k in (0..last).rev() {
            if self.index[k] + 1 < self.counts[k] {
                self.index[k] += 1;
                offset += self.strides[k];
                break;
            }
            offset -= self.index[k] as isize * self.strides[k];
            self.index[k] = 0;
        }
        self.ptr = SyncPtr::new(self.ptr.element(offset));
        self.n_in_row = self.counts[last].min(self.n_after_row);
        self.n_after_row -= self.n_in_row;
    }

    fn next_back(&mut self) -> Option<*mut T> {
        // The number of the position in row-major order, counted from the next one.
        let mut number = self.n_left().checked_sub(1)?;
        match self.n_after_row {
            0 => self.n_in_row -= 1,
            _ => self.n_after_row -= 1,
        }
        let mut offset = 0;
        for k in (0..N).rev() {
            number += self.index[k];
            let i = number % self.counts[k];
            number /= self.counts[k];
            offset += (i as isize - self.index[k] as isize) * self.strides[k];
        }
        Some(self.ptr.element(offset))
    }

    /// Folds the positions, with a loop along the last axis inside of one along the others.
    #[inline(always)]
    fn fold<A>(mut self, first: A, mut f: impl FnMut(A, [usize; N], *mut T) -> A) -> A {
        let mut total = first;
        let Some(last) = N.checked_sub(1) else {
            return if self.n_in_row > 0 { f(total, self.index, self.ptr.get()) } else { total };
        };
        loop {
            let (mut index, ptr) = (self.index, self.ptr);
            for i in 0..self.n_in_row {
                total = f(total, index, ptr.element(i as isize * self.strides[last]));
                index[last] += 1;
            }
            if self.n_after_row == 0 {
                return total;
            }
            self.ptr = SyncPtr::new(ptr.element(self.n_in_row as isize * self.strides[last]));
            self.carry();
        }
    }
}

/// An iterator over elements with their positions; returned by [`FixedView::indexed_iter`].
pub(super) struct FixedIndexedIter<'a, T, const N: usize> {
    /// Invariant: the elements that are left are readable for `'a`.
    walk: FixedWalk<T, N>,
    memory: PhantomData<&'a T>,
}

impl<'a, T: Copy, const N: usize> FixedIndexedIter<'a, T, N> {
    /// # Safety
    /// - The elements must be readable and not written for `'a`.
    #[inline]
    pub(super) unsafe fn new(axes: FixedAxes<T, N>) -> FixedIndexedIter<'a, T, N> {
        let walk = FixedWalk::new(axes, axes.dims, axes.len());
        FixedIndexedIter { walk, memory: PhantomData }
    }
}

impl<T: Copy, const N: usize> Iterator for FixedIndexedIter<'_, T, N> {
    type Item = ([usize; N], T);

    #[inline]
    fn next(&mut self) -> Option<([usize; N], T)> {
        // SAFETY: the element is readable, by the invariant.
        self.walk.next().map(|(index, at)| (index, unsafe { at.read() }))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.walk.n_left(), Some(self.walk.n_left()))
    }

    #[inline(always)]
    fn fold<A, F: FnMut(A, Self::Item) -> A>(self, first: A, mut f: F) -> A {
        // SAFETY: the elements are readable, by the invariant.
        self.walk.fold(first, |total, index, at| f(total, (index, unsafe { at.read() })))
    }
}

impl<T: Copy, const N: usize> ExactSizeIterator for FixedIndexedIter<'_, T, N> {}

impl<T: Copy, const N: usize> FusedIterator for FixedIndexedIter<'_, T, N> {}

/// An iterator over all windows of a shape; returned by [`FixedView::window_iter`].
pub struct FixedWindows<'a, T, const N: usize> {
    /// The first elements of the windows. Invariant: the elements of every window that is left are readable for `'a`.
    walk: FixedWalk<T, N>,
    /// The shape of a window.
    sizes: [usize; N],
    memory: PhantomData<&'a T>,
}

impl<T, const N: usize> Clone for FixedWindows<'_, T, N> {
    fn clone(&self) -> Self {
        FixedWindows { walk: self.walk.clone(), ..*self }
    }
}

impl<'a, T: Copy, const N: usize> FixedWindows<'a, T, N> {
    /// Returns `n_windows` windows, `counts` of them along each axis.
    ///
    /// # Safety
    /// - The elements of all windows must be readable and not written for `'a`.
    #[inline]
    pub(super) unsafe fn new(
        axes: FixedAxes<T, N>,
        sizes: [usize; N],
        counts: [usize; N],
        n_windows: usize,
    ) -> FixedWindows<'a, T, N> {
        FixedWindows { walk: FixedWalk::new(axes, counts, n_windows), sizes, memory: PhantomData }
    }

    #[inline(always)]
    fn window(&self, first: *mut T) -> FixedView<'a, T, N> {
        let (dims, strides) = (self.sizes, self.walk.strides);
        // SAFETY: the elements of the window are readable for `'a`, by the invariant.
        unsafe { FixedView::from_axes(FixedAxes { ptr: SyncPtr::new(first), dims, strides }) }
    }
}

impl<'a, T: Copy, const N: usize> Iterator for FixedWindows<'a, T, N> {
    type Item = FixedView<'a, T, N>;

    #[inline]
    fn next(&mut self) -> Option<FixedView<'a, T, N>> {
        self.walk.next().map(|(_, first)| self.window(first))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.walk.n_left(), Some(self.walk.n_left()))
    }

    #[inline(always)]
    fn fold<A, F: FnMut(A, Self::Item) -> A>(self, first: A, mut f: F) -> A {
        let walk = self.walk.clone();
        walk.fold(first, |total, _, at| f(total, self.window(at)))
    }
}

impl<T: Copy, const N: usize> DoubleEndedIterator for FixedWindows<'_, T, N> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.walk.next_back().map(|first| self.window(first))
    }
}

impl<T: Copy, const N: usize> ExactSizeIterator for FixedWindows<'_, T, N> {}

impl<T: Copy, const N: usize> FusedIterator for FixedWindows<'_, T, N> {}
