//! Views of constant rank, for element loops.
//!
//! A [`View`] can have any rank, so an index into it reads the number of axes, lengths and strides from memory for every
//! element. A [`FixedView`] keeps them in arrays of constant length. It is `Copy` and small, so that the compiler keeps
//! all of it in registers, unrolls the sum over axes, and moves bounds checks out of loops.

use super::element_index::position_error;
use super::fixed_axes::{FixedAxes, FixedIndex};
use super::fixed_iter::{FixedIndexedIter, FixedWindows};
use super::{Elements, Iter, View};
use crate::Error;
use belvedere_layout::LayoutError;
use std::marker::PhantomData;
use std::ops::{Add, Index};

/// A [`View`] of `N` axes: a pointer, lengths and strides, which can be copied. For element loops.
///
/// Take its lengths from [`FixedView::dims`] and loop over them: then the compiler checks bounds outside of the loop.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = Tensor::arange(0..12)?.reshape([3, 4])?;
/// let guard = x.read::<i32>()?;
/// let x = guard.fixed::<2>()?;
/// let [height, width] = x.dims();
/// let mut steepest = 0;
/// for i in 0..height {
///     for j in 1..width {
///         steepest = steepest.max(x[[i, j]] - x[[i, j - 1]]);
///     }
/// }
/// assert_eq!(steepest, 1);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct FixedView<'a, T, const N: usize> {
    /// Invariant: the elements are those of a `View` with the lifetime `'a`.
    axes: FixedAxes<T, N>,
    memory: PhantomData<&'a T>,
}

impl<T, const N: usize> Clone for FixedView<'_, T, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for FixedView<'_, T, N> {}

impl<'a, T: Copy, const N: usize> FixedView<'a, T, N> {
    /// # Safety
    /// - The elements must be those of a `View` with the lifetime `'a`.
    #[inline(always)]
    pub(super) unsafe fn from_axes(axes: FixedAxes<T, N>) -> FixedView<'a, T, N> {
        FixedView { axes, memory: PhantomData }
    }
}

impl<T: Copy> Elements<T> {
    /// Returns a view of constant rank, for element loops.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.fixed::<2>()?[[1, 0]], 4);
    /// let error = x.fixed::<3>().map(drop).unwrap_err();
    /// assert_eq!(error.to_string(), "fixed takes 3 axes, got 2");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the rank is not `N`.
    pub fn fixed<const N: usize>(&self) -> Result<FixedView<'_, T, N>, Error> {
        // The invariant: the elements are readable while `self` is borrowed.
        Ok(FixedView { axes: FixedAxes::new(self, "fixed")?, memory: PhantomData })
    }
}

impl<'a, T: Copy> View<'a, T> {
    /// Returns a view of constant rank, for element loops. Unlike [`Elements::fixed`] it does not borrow the view itself.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?.fixed::<2>()?;
    /// assert_eq!(x[[1, 0]], 4);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the rank is not `N`.
    pub fn fixed<const N: usize>(&self) -> Result<FixedView<'a, T, N>, Error> {
        // The invariant: the elements are readable for `'a`.
        Ok(FixedView { axes: FixedAxes::new(self, "fixed")?, memory: PhantomData })
    }
}

impl<'a, T: Copy, const N: usize> FixedView<'a, T, N> {
    /// Returns the length of each axis.
    ///
    /// ```
    /// # use belvedere::View;
    /// let [len] = View::from(&[1, 2, 3][..]).fixed()?.dims();
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
    /// # use belvedere::View;
    /// assert_eq!(View::from(&[1, 2, 3][..]).fixed()?.strides(), [1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline(always)]
    pub fn strides(&self) -> [isize; N] {
        self.axes.strides
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// # use belvedere::View;
    /// assert_eq!(View::from(&[1, 2, 3][..]).fixed::<1>()?.len(), 3);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.axes.len()
    }

    /// Whether there are no elements.
    ///
    /// ```
    /// # use belvedere::View;
    /// assert!(!View::from(&[1, 2, 3][..]).fixed::<1>()?.is_empty());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the element at a position.
    ///
    /// ```
    /// # use belvedere::View;
    /// let x = View::from(&[1, 2, 3][..]).fixed::<1>()?;
    /// assert_eq!(x.get(2)?, 3);
    /// assert!(x.get(3).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the position is out of bounds.
    #[inline(always)]
    pub fn get(&self, index: impl FixedIndex<N>) -> Result<T, Error> {
        let index = index.coordinates();
        match self.axes.get(index) {
            // SAFETY: the pointer is that of an element, which is readable.
            Some(element) => Ok(unsafe { element.read() }),
            None => Err(position_error(index, self.axes.dims)),
        }
    }

    /// Returns the element at a position, without a bounds check.
    ///
    /// ```
    /// # use belvedere::View;
    /// let x = View::from(&[1, 2, 3][..]).fixed::<1>()?;
    /// let [len] = x.dims();
    /// // SAFETY: the positions are below the length.
    /// assert_eq!((0..len).map(|i| unsafe { x.get_unchecked(i) }).sum::<i32>(), 6);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Safety
    /// - Each coordinate must be less than the length of its axis, [`FixedView::dims`].
    #[inline(always)]
    pub unsafe fn get_unchecked(&self, index: impl FixedIndex<N>) -> T {
        // SAFETY: the position is in bounds, by the contract, and the element readable.
        unsafe { self.axes.at(index.coordinates()).read() }
    }

    /// Restricts an axis to `count` positions from `start` on.
    ///
    /// ```
    /// # use belvedere::View;
    /// let x = View::from(&[1, 2, 3][..]).fixed::<1>()?;
    /// assert_eq!(x.narrow(0, 1, 2)?[0], 2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis or range.
    pub fn narrow(&self, axis: isize, start: usize, count: usize) -> Result<Self, Error> {
        // The invariant: the elements are some of those of this view.
        Ok(FixedView { axes: self.axes.narrow(axis, start, count)?, memory: PhantomData })
    }

    /// Returns the elements as a slice, if they are contiguous in logical order.
    ///
    /// ```
    /// # use belvedere::View;
    /// let x = View::from(&[1, 2, 3][..]).fixed::<1>()?;
    /// assert_eq!(x.as_slice(), Some(&[1, 2, 3][..]));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn as_slice(&self) -> Option<&'a [T]> {
        if !self.axes.is_contiguous() {
            return None;
        }
        if self.axes.len() == 0 {
            return Some(&[]); // The pointer may be out of bounds, and null.
        }
        // SAFETY: the elements follow the first one without gaps, and are readable and not written for `'a`.
        Some(unsafe { std::slice::from_raw_parts(self.axes.ptr.get(), self.axes.len()) })
    }

    /// Returns the view with a rank that is not constant.
    ///
    /// ```
    /// # use belvedere::{Strided, View};
    /// let x = View::from(&[1, 2, 3][..]).fixed::<1>()?;
    /// assert_eq!(x.as_view().flip([0])?.to_vec()?, [3, 2, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn as_view(&self) -> View<'a, T> {
        let (ptr, layout) = self.axes.with_layout();
        // SAFETY: the layout leads to the elements of this view, which are readable for `'a`.
        unsafe { View::from_parts(ptr, layout) }
    }

    /// Iterates over the elements in logical order.
    ///
    /// ```
    /// # use belvedere::View;
    /// let x = View::from(&[1, 2, 3][..]).fixed::<1>()?;
    /// assert_eq!(x.iter().sum::<i32>(), 6);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline(always)]
    pub fn iter(&self) -> Iter<'a, T> {
        // SAFETY: the elements are readable and not written for `'a`.
        unsafe { Iter::from_ptrs(self.axes.ptrs()) }
    }

    /// Returns the sum of the elements, as [`Elements::sum`] does.
    ///
    /// ```
    /// # use belvedere::View;
    /// assert_eq!(View::from(&[1, 2, 3][..]).fixed::<1>()?.sum(), 6);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn sum(&self) -> T
    where
        T: Default + Add<Output = T>,
    {
        // SAFETY: the elements are readable.
        unsafe { self.axes.sum() }
    }

    /// Iterates over all windows of a shape, in the logical order of their first elements.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?.fixed::<2>()?;
    /// let sums: Vec<i32> = x.window_iter([2, 2])?.map(|window| window.iter().sum()).collect();
    /// assert_eq!(sums, [12, 16]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an axis is shorter than its window, or there are more than `usize::MAX` empty windows.
    #[doc(alias = "windows")]
    pub fn window_iter(&self, sizes: [usize; N]) -> Result<FixedWindows<'a, T, N>, Error> {
        let mut counts = [0; N];
        for k in 0..N {
            let (size, len) = (sizes[k], self.axes.dims[k]);
            if size > len {
                return Err(LayoutError::WindowTooLong { axis: k, size, len }.into());
            }
            counts[k] = len - size + 1;
        }
        // Only windows of size 0 can be more than there are elements.
        let n_windows = counts.iter().try_fold(1, |n: usize, &count| n.checked_mul(count));
        let Some(n_windows) = n_windows else {
            return Err(LayoutError::TooManyElements { shape: counts.into() }.into());
        };
        // SAFETY: the windows are within this view, whose elements are readable for `'a`.
        Ok(unsafe { FixedWindows::new(self.axes, sizes, counts, n_windows) })
    }

    /// Iterates over the elements with their positions, in logical order.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?.fixed::<2>()?;
    /// assert_eq!(x.indexed_iter().last(), Some(([1, 2], 6)));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn indexed_iter(&self) -> impl ExactSizeIterator<Item = ([usize; N], T)> + use<'a, T, N> {
        // SAFETY: the elements are readable for `'a`.
        unsafe { FixedIndexedIter::new(self.axes) }
    }
}

/// # Panics
/// If the position is out of bounds.
impl<T: Copy, const N: usize, I: FixedIndex<N>> Index<I> for FixedView<'_, T, N> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &T {
        // SAFETY: the pointer is that of an element, which is readable and not written for the view's lifetime.
        unsafe { &*self.axes.checked_at(index.coordinates()) }
    }
}

impl<'a, T: Copy, const N: usize> IntoIterator for FixedView<'a, T, N> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    #[inline(always)]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T: Copy, const N: usize> IntoIterator for &FixedView<'a, T, N> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    #[inline(always)]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// Implements the methods that remove an axis, for each rank: Rust cannot express `N - 1` for a parameter.
macro_rules! fixed_parts {
    ($($n:literal => $m:literal)*) => {$(
        impl<'a, T: Copy> FixedView<'a, T, $n> {
            /// Selects position `i` of an axis and removes the axis.
            ///
            /// ```
            /// use belvedere::{Layout, View};
            ///
            /// let data = [1, 2, 3, 4, 5, 6];
            /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?.fixed::<2>()?;
            /// assert_eq!(x.index_axis(1, 0)[1], 4);
            /// # Ok::<(), belvedere::Error>(())
            /// ```
            ///
            /// # Panics
            /// If there is no such axis or position.
            #[inline(always)]
            #[track_caller]
            pub fn index_axis(&self, axis: usize, i: usize) -> FixedView<'a, T, $m> {
                // The invariant: the elements are some of those of this view.
                FixedView { axes: self.axes.select(axis, i), memory: PhantomData }
            }

            /// Iterates over the positions of the first axis: the rows of a matrix.
            ///
            /// ```
            /// use belvedere::{Layout, View};
            ///
            /// let data = [1, 2, 3, 4, 5, 6];
            /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?.fixed::<2>()?;
            /// assert!(x.outer_iter().map(|row| row[1]).eq([2, 5]));
            /// # Ok::<(), belvedere::Error>(())
            /// ```
            #[inline]
            pub fn outer_iter(
                &self,
            ) -> impl DoubleEndedIterator<Item = FixedView<'a, T, $m>> + ExactSizeIterator + use<'a, T> {
                let view = *self;
                (0..view.axes.dims[0]).map(move |i| view.index_axis(0, i))
            }
        }
    )*};
}

fixed_parts!(1 => 0 2 => 1 3 => 2 4 => 3 5 => 4 6 => 5);

impl<'a, T: Copy> FixedView<'a, T, 2> {
    /// Returns row `i`.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?.fixed::<2>()?;
    /// assert_eq!(x.row(1).as_slice(), Some(&[4, 5, 6][..]));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    #[track_caller]
    pub fn row(&self, i: usize) -> FixedView<'a, T, 1> {
        self.index_axis(0, i)
    }
}
