//! Views of constant rank for writing.

use super::fixed_axes::{FixedAxes, FixedIndex};
use super::{Elements, FixedView, Iter, IterMut, ViewMut};
use crate::Error;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A [`ViewMut`] of `N` axes: a pointer, lengths and strides. For element loops.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = Tensor::zeros([2, 3], DType::Int64)?;
/// let mut guard = x.write::<i64>()?;
/// let mut table = guard.fixed_mut::<2>()?;
/// let [height, width] = table.dims();
/// for i in 0..height {
///     for j in 0..width {
///         table[[i, j]] = (10 * i + j) as i64;
///     }
/// }
/// drop(guard);
/// assert_eq!(x.to_vec::<i64>()?, [0, 1, 2, 10, 11, 12]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct FixedViewMut<'a, T, const N: usize> {
    /// Invariant: the elements are those of a `ViewMut` with the lifetime `'a`.
    axes: FixedAxes<T, N>,
    memory: PhantomData<&'a mut T>,
}

impl<'a, T: Copy, const N: usize> FixedViewMut<'a, T, N> {
    /// # Safety
    /// - The elements must be those of a `ViewMut` with the lifetime `'a`.
    #[inline(always)]
    pub(super) unsafe fn from_axes(axes: FixedAxes<T, N>) -> FixedViewMut<'a, T, N> {
        FixedViewMut { axes, memory: PhantomData }
    }
}

impl<T: Copy> Elements<T> {
    /// Returns a view of constant rank for writing, for element loops.
    ///
    /// ```
    /// use belvedere::ViewMut;
    ///
    /// let mut data = [1, 2, 3];
    /// ViewMut::from(&mut data[..]).fixed_mut::<1>()?[0] = 7;
    /// assert_eq!(data, [7, 2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the rank is not `N`.
    pub fn fixed_mut<const N: usize>(&mut self) -> Result<FixedViewMut<'_, T, N>, Error> {
        // The invariant: no other code accesses the elements while `self` is borrowed for writing.
        Ok(FixedViewMut { axes: FixedAxes::new(self, "fixed_mut")?, memory: PhantomData })
    }
}

impl<'a, T: Copy, const N: usize> FixedViewMut<'a, T, N> {
    /// Returns the length of each axis.
    ///
    /// ```
    /// # use belvedere::ViewMut;
    /// let [len] = ViewMut::from(&mut [1, 2, 3][..]).fixed_mut()?.dims();
    /// assert_eq!(len, 3);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline(always)]
    pub fn dims(&self) -> [usize; N] {
        self.axes.dims
    }

    /// Returns the stride of each axis, in elements. That of an axis of length 1 has no effect.
    ///
    /// ```
    /// # use belvedere::ViewMut;
    /// assert_eq!(ViewMut::from(&mut [1, 2, 3][..]).fixed_mut()?.strides(), [1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline(always)]
    pub fn strides(&self) -> [isize; N] {
        self.axes.strides
    }

    /// Borrows the elements for reading.
    ///
    /// ```
    /// # use belvedere::ViewMut;
    /// let mut data = [1, 2, 3];
    /// let mut x = ViewMut::from(&mut data[..]);
    /// let x = x.fixed_mut::<1>()?;
    /// assert_eq!(x.as_fixed().iter().max(), Some(3));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline(always)]
    pub fn as_fixed(&self) -> FixedView<'_, T, N> {
        // SAFETY: the elements are readable, and nothing writes to them while `self` is borrowed.
        unsafe { FixedView::from_axes(self.axes) }
    }

    /// Borrows the elements for writing, for a shorter time.
    ///
    /// ```
    /// # use belvedere::ViewMut;
    /// let mut data = [1, 2, 3];
    /// let mut x = ViewMut::from(&mut data[..]);
    /// let mut x = x.fixed_mut::<1>()?;
    /// x.reborrow()[0] = 7;
    /// x[1] = 8;
    /// assert_eq!(data, [7, 8, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline(always)]
    pub fn reborrow(&mut self) -> FixedViewMut<'_, T, N> {
        FixedViewMut { axes: self.axes, memory: PhantomData }
    }

    /// Iterates over the elements in logical order.
    ///
    /// ```
    /// # use belvedere::ViewMut;
    /// let mut data = [1, 2, 3];
    /// assert_eq!(ViewMut::from(&mut data[..]).fixed_mut::<1>()?.iter().sum::<i32>(), 6);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline(always)]
    pub fn iter(&self) -> Iter<'_, T> {
        self.as_fixed().iter()
    }

    /// Iterates over references to the elements in logical order.
    ///
    /// ```
    /// # use belvedere::ViewMut;
    /// let mut data = [1, 2, 3];
    /// ViewMut::from(&mut data[..]).fixed_mut::<1>()?.iter_mut().for_each(|value| *value *= 2);
    /// assert_eq!(data, [2, 4, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline(always)]
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        // SAFETY: no other code accesses the elements while `self` is borrowed for writing; each has one index, so
        // that it is returned once.
        unsafe { IterMut::from_ptrs(self.axes.ptrs()) }
    }

    /// Sets every element to `value`.
    ///
    /// ```
    /// # use belvedere::ViewMut;
    /// let mut data = [1, 2, 3];
    /// ViewMut::from(&mut data[..]).fixed_mut::<1>()?.fill(7);
    /// assert_eq!(data, [7; 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn fill(&mut self, value: T) {
        self.iter_mut().for_each(|element| *element = value);
    }

    /// Returns a reference to the element at a position, without a bounds check.
    ///
    /// ```
    /// # use belvedere::ViewMut;
    /// let mut data = [1, 2, 3];
    /// let mut x = ViewMut::from(&mut data[..]);
    /// let mut x = x.fixed_mut::<1>()?;
    /// // SAFETY: there are three elements.
    /// unsafe { *x.get_unchecked_mut(2) = 7 };
    /// assert_eq!(data, [1, 2, 7]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Safety
    /// - Each coordinate must be less than the length of its axis, [`FixedViewMut::dims`].
    #[inline(always)]
    pub unsafe fn get_unchecked_mut(&mut self, index: impl FixedIndex<N>) -> &mut T {
        // SAFETY: the position is in bounds, by the contract; no other code accesses the element while `self` is
        // borrowed for writing.
        unsafe { &mut *self.axes.at(index.coordinates()) }
    }

    /// Returns the elements as a slice for writing, if they are contiguous in logical order.
    ///
    /// ```
    /// # use belvedere::ViewMut;
    /// let mut data = [3, 1, 2];
    /// let mut x = ViewMut::from(&mut data[..]);
    /// x.fixed_mut::<1>()?.as_mut_slice().expect("a contiguous layout").sort();
    /// assert_eq!(data, [1, 2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        if !self.axes.is_contiguous() {
            return None;
        }
        if self.axes.len() == 0 {
            return Some(&mut []); // The pointer may be out of bounds, and null.
        }
        // SAFETY: the elements follow the first one without gaps; no other code accesses them while `self` is borrowed
        // for writing.
        Some(unsafe { std::slice::from_raw_parts_mut(self.axes.ptr.get(), self.axes.len()) })
    }

    /// Returns the view with a rank that is not constant.
    ///
    /// ```
    /// # use belvedere::ViewMut;
    /// let mut data = [1, 2, 3];
    /// let mut x = ViewMut::from(&mut data[..]);
    /// x.fixed_mut::<1>()?.into_view().fill(0);
    /// assert_eq!(data, [0; 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn into_view(self) -> ViewMut<'a, T> {
        let (ptr, layout) = self.axes.with_layout();
        // SAFETY: the layout leads to the elements of this view, which no other code accesses for `'a`, each by one index;
        // the view is consumed.
        unsafe { ViewMut::from_parts(ptr, layout) }
    }
}

impl<'a, T: Copy, const N: usize> IntoIterator for FixedViewMut<'a, T, N> {
    type Item = &'a mut T;
    type IntoIter = IterMut<'a, T>;

    #[inline(always)]
    fn into_iter(self) -> IterMut<'a, T> {
        // SAFETY: no other code accesses the elements for `'a`, and the view is consumed; each has one index, so that
        // it is returned once.
        unsafe { IterMut::from_ptrs(self.axes.ptrs()) }
    }
}

impl<'v, T: Copy, const N: usize> IntoIterator for &'v mut FixedViewMut<'_, T, N> {
    type Item = &'v mut T;
    type IntoIter = IterMut<'v, T>;

    #[inline(always)]
    fn into_iter(self) -> IterMut<'v, T> {
        self.iter_mut()
    }
}

/// # Panics
/// If the position is out of bounds.
impl<T: Copy, const N: usize, I: FixedIndex<N>> Index<I> for FixedViewMut<'_, T, N> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &T {
        // SAFETY: the pointer is that of an element, which is readable and not written while `self` is borrowed.
        unsafe { &*self.axes.checked_at(index.coordinates()) }
    }
}

/// # Panics
/// If the position is out of bounds.
impl<T: Copy, const N: usize, I: FixedIndex<N>> IndexMut<I> for FixedViewMut<'_, T, N> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut T {
        // SAFETY: the pointer is that of an element, which no other code accesses while `self` is borrowed for writing.
        unsafe { &mut *self.axes.checked_at(index.coordinates()) }
    }
}

/// Implements the methods that remove an axis, for each rank, as in `fixed.rs`.
macro_rules! fixed_parts_mut {
    ($($n:literal => $m:literal)*) => {$(
        impl<T: Copy> FixedViewMut<'_, T, $n> {
            /// Selects position `i` of an axis and removes the axis.
            ///
            /// ```
            /// use belvedere::{Layout, ViewMut};
            ///
            /// let mut data = [1, 2, 3, 4, 5, 6];
            /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
            /// x.fixed_mut::<2>()?.index_axis_mut(1, 0)[1] = 7;
            /// assert_eq!(data, [1, 2, 3, 7, 5, 6]);
            /// # Ok::<(), belvedere::Error>(())
            /// ```
            ///
            /// # Panics
            /// If there is no such axis or position.
            #[inline(always)]
            #[track_caller]
            pub fn index_axis_mut(&mut self, axis: usize, i: usize) -> FixedViewMut<'_, T, $m> {
                // The invariant: the elements are some of those of this view, which is borrowed for writing.
                FixedViewMut { axes: self.axes.select(axis, i), memory: PhantomData }
            }
        }
    )*};
}

fixed_parts_mut!(1 => 0 2 => 1 3 => 2 4 => 3 5 => 4 6 => 5);

impl<T: Copy> FixedViewMut<'_, T, 2> {
    /// Returns row `i` for writing.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// x.fixed_mut::<2>()?.row_mut(1)[0] = 7;
    /// assert_eq!(data, [1, 2, 3, 7, 5, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    #[track_caller]
    pub fn row_mut(&mut self, i: usize) -> FixedViewMut<'_, T, 1> {
        self.index_axis_mut(0, i)
    }
}
