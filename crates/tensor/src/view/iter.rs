//! Iterators over elements in logical order: `Iter`, `IterMut`, `IndexedIter`, `IndexedIterMut`.

use super::{ElementPtrs, Elements};
use crate::{Layout, Shape};
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// An iterator over the elements of a view in logical order; returned by [`Elements::iter`].
///
/// It is double-ended and knows its length, and [`Iter::split_at`] divides it, for other threads. `fold` and what is
/// built on it (`sum`, `for_each`, `max`, `collect` …) run an inner loop over each run of one stride: prefer
/// them to `next` where speed matters.
///
/// ```
/// use belvedere::View;
///
/// let x = View::from(&[3, 1, 2][..]);
/// assert_eq!(x.iter().max(), Some(3));
/// assert!(x.iter().rev().eq([2, 1, 3]));
/// ```
pub struct Iter<'v, T> {
    /// Invariant: the elements are initialised, and readable for `'v`, during which they are not written.
    ptrs: ElementPtrs<T>,
    /// Makes the iterator `Send` and `Sync` as a `slice::Iter` is.
    memory: PhantomData<&'v T>,
}

/// An iterator over references to the elements of a view in logical order; returned by [`Elements::iter_mut`].
///
/// ```
/// use belvedere::ViewMut;
///
/// let mut data = [3, 1, 2];
/// let mut x = ViewMut::from(&mut data[..]);
/// x.iter_mut().rev().take(2).for_each(|value| *value *= 10);
/// assert_eq!(data, [3, 10, 20]);
/// ```
pub struct IterMut<'v, T> {
    /// Invariant: the elements are initialised, and readable and writable for `'v`, during which no other code accesses
    /// them. Each is returned once.
    ptrs: ElementPtrs<T>,
    /// Makes the iterator `Send` and `Sync` as a `slice::IterMut` is.
    memory: PhantomData<&'v mut T>,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter { ptrs: self.ptrs.clone(), memory: PhantomData }
    }
}

impl<'v, T: Copy> Iter<'v, T> {
    /// # Safety
    /// - Every offset of the layout from `ptr` must be an initialised element, readable for `'v`, during which it is not
    ///   written.
    #[inline]
    pub(super) unsafe fn new(ptr: NonNull<T>, layout: &Layout) -> Iter<'v, T> {
        // SAFETY: elements that are readable are in bounds of their memory.
        Iter { ptrs: unsafe { ElementPtrs::new(ptr, layout) }, memory: PhantomData }
    }

    /// # Safety
    /// - The elements must be initialised, and readable for `'v`, during which they are not written.
    #[inline(always)]
    pub(super) unsafe fn from_ptrs(ptrs: ElementPtrs<T>) -> Iter<'v, T> {
        Iter { ptrs, memory: PhantomData }
    }

    /// Returns iterators over the first `n` elements and over the others.
    ///
    /// ```
    /// use belvedere::View;
    ///
    /// let (left, right) = View::from(&[3, 1, 2][..]).iter().split_at(1);
    /// assert!(left.eq([3]) && right.eq([1, 2]));
    /// ```
    ///
    /// # Panics
    /// If fewer than `n` elements are left.
    #[track_caller]
    pub fn split_at(self, n: usize) -> (Iter<'v, T>, Iter<'v, T>) {
        let (left, right) = self.ptrs.split_at(n);
        (Iter { ptrs: left, memory: PhantomData }, Iter { ptrs: right, memory: PhantomData })
    }
}

impl<'v, T: Copy> IterMut<'v, T> {
    /// # Safety
    /// - Every offset of the layout from `ptr` must be an initialised element, readable and writable for `'v`, during
    ///   which no other code accesses it.
    /// - The layout must be injective.
    #[inline]
    pub(super) unsafe fn new(ptr: NonNull<T>, layout: &Layout) -> IterMut<'v, T> {
        // SAFETY: elements that are readable are in bounds of their memory.
        IterMut { ptrs: unsafe { ElementPtrs::new(ptr, layout) }, memory: PhantomData }
    }

    /// # Safety
    /// - The elements must be initialised, and readable and writable for `'v`, during which no other code accesses
    ///   them. Each must be returned once.
    #[inline(always)]
    pub(super) unsafe fn from_ptrs(ptrs: ElementPtrs<T>) -> IterMut<'v, T> {
        IterMut { ptrs, memory: PhantomData }
    }

    /// Returns iterators over the first `n` elements and over the others.
    ///
    /// ```
    /// use belvedere::ViewMut;
    ///
    /// let mut data = [3, 1, 2];
    /// let (left, right) = ViewMut::from(&mut data[..]).into_iter().split_at(1);
    /// for (a, b) in left.zip(right) {
    ///     std::mem::swap(a, b);
    /// }
    /// assert_eq!(data, [1, 3, 2]);
    /// ```
    ///
    /// # Panics
    /// If fewer than `n` elements are left.
    #[track_caller]
    pub fn split_at(self, n: usize) -> (IterMut<'v, T>, IterMut<'v, T>) {
        let (left, right) = self.ptrs.split_at(n);
        (IterMut { ptrs: left, memory: PhantomData }, IterMut { ptrs: right, memory: PhantomData })
    }
}

impl<T: Copy> Iterator for Iter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        // SAFETY: the element is initialised and readable, by the invariant.
        self.ptrs.next().map(|at| unsafe { at.read() })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.ptrs.len(), Some(self.ptrs.len()))
    }

    #[inline]
    fn count(self) -> usize {
        self.ptrs.len()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<T> {
        self.ptrs.skip(n);
        self.next()
    }

    #[inline]
    fn last(mut self) -> Option<T> {
        self.next_back()
    }

    #[inline(always)]
    fn fold<A, F: FnMut(A, T) -> A>(self, first: A, mut f: F) -> A {
        // SAFETY: the elements are initialised and readable, by the invariant.
        self.ptrs.fold(first, |total, at| f(total, unsafe { at.read() }))
    }
}

impl<T: Copy> DoubleEndedIterator for Iter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        // SAFETY: the element is initialised and readable, by the invariant.
        self.ptrs.next_back().map(|at| unsafe { at.read() })
    }

    #[inline]
    fn nth_back(&mut self, n: usize) -> Option<T> {
        self.ptrs.skip_back(n);
        self.next_back()
    }

    #[inline(always)]
    fn rfold<A, F: FnMut(A, T) -> A>(self, first: A, mut f: F) -> A {
        // SAFETY: the elements are initialised and readable, by the invariant.
        self.ptrs.rfold(first, |total, at| f(total, unsafe { at.read() }))
    }
}

impl<T: Copy> ExactSizeIterator for Iter<'_, T> {}

impl<T: Copy> FusedIterator for Iter<'_, T> {}

impl<'v, T: Copy> Iterator for IterMut<'v, T> {
    type Item = &'v mut T;

    #[inline]
    fn next(&mut self) -> Option<&'v mut T> {
        // SAFETY: the element is accessible for `'v`, and is returned once, by the invariant.
        self.ptrs.next().map(|at| unsafe { &mut *at })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.ptrs.len(), Some(self.ptrs.len()))
    }

    #[inline]
    fn count(self) -> usize {
        self.ptrs.len()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<&'v mut T> {
        self.ptrs.skip(n);
        self.next()
    }

    #[inline]
    fn last(mut self) -> Option<&'v mut T> {
        self.next_back()
    }

    #[inline(always)]
    fn fold<A, F: FnMut(A, &'v mut T) -> A>(self, first: A, mut f: F) -> A {
        // SAFETY: each element is accessible for `'v`, and is returned once, by the invariant.
        self.ptrs.fold(first, |total, at| f(total, unsafe { &mut *at }))
    }
}

impl<'v, T: Copy> DoubleEndedIterator for IterMut<'v, T> {
    #[inline]
    fn next_back(&mut self) -> Option<&'v mut T> {
        // SAFETY: the element is accessible for `'v`, and is returned once, by the invariant.
        self.ptrs.next_back().map(|at| unsafe { &mut *at })
    }

    #[inline]
    fn nth_back(&mut self, n: usize) -> Option<&'v mut T> {
        self.ptrs.skip_back(n);
        self.next_back()
    }

    #[inline(always)]
    fn rfold<A, F: FnMut(A, &'v mut T) -> A>(self, first: A, mut f: F) -> A {
        // SAFETY: each element is accessible for `'v`, and is returned once, by the invariant.
        self.ptrs.rfold(first, |total, at| f(total, unsafe { &mut *at }))
    }
}

impl<T: Copy> ExactSizeIterator for IterMut<'_, T> {}

impl<T: Copy> FusedIterator for IterMut<'_, T> {}

/// An iterator over elements with their indices; returned by [`Elements::indexed_iter`] and
/// [`Elements::indexed_iter_mut`].
#[derive(Clone)]
pub struct IndexedIter<I> {
    values: I,
    shape: Shape,
    /// The index of the next element at the front, and its number in row-major order.
    index: Shape,
    front: usize,
}

impl<T: Copy> Elements<T> {
    /// Iterates over the elements with their indices, in logical order.
    ///
    /// The index has as many entries as there are axes. [`FixedView::indexed_iter`](crate::FixedView::indexed_iter)
    /// returns arrays, which are faster.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// let (index, value) = x.indexed_iter().max_by_key(|&(_, value)| value).expect("six elements");
    /// assert_eq!((index, value), ([1, 2].into(), 6));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn indexed_iter(&self) -> IndexedIter<Iter<'_, T>> {
        IndexedIter::new(self.iter(), self.shape())
    }

    /// Iterates over references to the elements with their indices, in logical order.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [0; 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// for (index, value) in x.indexed_iter_mut() {
    ///     *value = 10 * index[0] + index[1];
    /// }
    /// assert_eq!(data, [0, 1, 2, 10, 11, 12]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn indexed_iter_mut(&mut self) -> IndexedIter<IterMut<'_, T>> {
        let shape = self.shape();
        IndexedIter::new(self.iter_mut(), shape)
    }
}

impl<I> IndexedIter<I> {
    fn new(values: I, shape: Shape) -> IndexedIter<I> {
        let mut index = shape.clone();
        index.fill(0);
        IndexedIter { values, shape, index, front: 0 }
    }

    /// Moves the index to the next one in row-major order.
    fn advance(&mut self) {
        self.front += 1;
        for (i, &len) in self.index.iter_mut().zip(&self.shape).rev() {
            *i += 1;
            if *i < len {
                return;
            }
            *i = 0;
        }
    }
}

impl<I: ExactSizeIterator> Iterator for IndexedIter<I> {
    type Item = (Shape, I::Item);

    fn next(&mut self) -> Option<(Shape, I::Item)> {
        let value = self.values.next()?;
        let index = self.index.clone();
        self.advance();
        Some((index, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.values.size_hint()
    }
}

impl<I: ExactSizeIterator + DoubleEndedIterator> DoubleEndedIterator for IndexedIter<I> {
    fn next_back(&mut self) -> Option<(Shape, I::Item)> {
        let value = self.values.next_back()?;
        let mut index = self.shape.clone();
        let mut number = self.front + self.values.len();
        for i in index.iter_mut().rev() {
            let len = *i;
            *i = number % len;
            number /= len;
        }
        Some((index, value))
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for IndexedIter<I> {}

impl<I: ExactSizeIterator + FusedIterator> FusedIterator for IndexedIter<I> {}
