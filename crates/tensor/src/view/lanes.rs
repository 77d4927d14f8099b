//! Iteration by lanes: 1-D slices along an axis. Those along the last axis are the rows.

use super::fixed_axes::FixedAxes;
use super::{Elements, FixedView, FixedViewMut, OffsetWalk};
use crate::sync_ptr::{SyncNonNull, SyncPtr};
use crate::{Error, Layout};
use belvedere_layout::{Axis, InlineVec};
use std::iter::FusedIterator;
use std::marker::PhantomData;

/// The lanes of a layout along an axis that neither end of an iterator has reached.
///
/// Invariant: each lane that begins at an offset of `starts` consists of elements of the layout that was divided.
struct LaneRange<T> {
    base: SyncNonNull<T>,
    starts: OffsetWalk,
    lane: Axis,
}

impl<T> Clone for LaneRange<T> {
    fn clone(&self) -> LaneRange<T> {
        LaneRange { base: self.base, starts: self.starts.clone(), lane: self.lane }
    }
}

impl<T: Copy> LaneRange<T> {
    /// Divides elements into lanes along axis `k`.
    fn new(elements: &Elements<T>, k: usize) -> LaneRange<T> {
        let axes = elements.layout().axes();
        let outer: InlineVec<Axis> = axes[..k].iter().chain(&axes[k + 1..]).copied().collect();
        LaneRange::from_axes(elements, &outer, axes[k])
    }

    /// Divides elements into rows: the lanes along the last axis, or the only element.
    fn rows(elements: &Elements<T>) -> LaneRange<T> {
        match elements.layout().axes() {
            [] => LaneRange::from_axes(elements, &[], Axis::new(1, 0)),
            [outer @ .., lane] => LaneRange::from_axes(elements, outer, *lane),
        }
    }

    fn from_axes(elements: &Elements<T>, outer: &[Axis], lane: Axis) -> LaneRange<T> {
        let starts = Layout::new(elements.layout().start(), outer);
        let mut starts = starts.expect("some axes of a layout are a layout");
        if outer.len() > 1 {
            starts = starts.coalesced();
        }
        let base = SyncNonNull::new(elements.ptr());
        LaneRange { base, starts: OffsetWalk::new(&starts), lane }
    }

    #[inline(always)]
    fn lane_at(&self, start: usize) -> FixedAxes<T, 1> {
        // In bounds, by the invariant; lanes without elements start at offset 0.
        let ptr = SyncPtr::new(self.base.get().as_ptr().wrapping_add(start));
        FixedAxes { ptr, dims: [self.lane.len], strides: [self.lane.stride] }
    }

    #[track_caller]
    fn split_at(self, n: usize) -> (LaneRange<T>, LaneRange<T>) {
        let len = self.starts.len();
        assert!(n <= len, "cannot split an iterator over {len} lanes at {n}");
        let (mut left, mut right) = (self.clone(), self);
        left.starts.skip_back(len - n);
        right.starts.skip(n);
        (left, right)
    }
}

/// An iterator over lanes: views of rank 1 along an axis; returned by [`Elements::rows`] and [`Elements::lanes`].
///
/// ```
/// use belvedere::{Layout, View};
///
/// let data = [1, 2, 3, 4, 5, 6];
/// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
/// let sums: Vec<i32> = x.rows().rev().map(|row| row.sum()).collect();
/// assert_eq!(sums, [15, 6]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct Lanes<'v, T> {
    /// Invariant: the elements of the lanes are those of a `View` with the lifetime `'v`.
    range: LaneRange<T>,
    memory: PhantomData<&'v T>,
}

/// An iterator over lanes for writing: views of rank 1 along an axis, which share no element; returned by
/// [`Elements::rows_mut`] and [`Elements::lanes_mut`].
///
/// ```
/// use belvedere::{Layout, ViewMut};
///
/// let mut data = [1, 2, 3, 4, 5, 6];
/// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
/// for (i, mut row) in x.rows_mut().enumerate() {
///     row.fill(i);
/// }
/// assert_eq!(data, [0, 0, 0, 1, 1, 1]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct LanesMut<'v, T> {
    /// Invariant: the elements of the lanes are those of a `ViewMut` with the lifetime `'v`. Its layout is injective, so
    /// no two lanes share one, and each lane is returned once.
    range: LaneRange<T>,
    memory: PhantomData<&'v mut T>,
}

impl<T> Clone for Lanes<'_, T> {
    fn clone(&self) -> Self {
        Lanes { range: self.range.clone(), memory: PhantomData }
    }
}

impl<'v, T: Copy> Lanes<'v, T> {
    /// Returns iterators over the first `n` lanes and over the others.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[3, 2])?)?;
    /// let (top, bottom) = x.rows().split_at(1);
    /// assert_eq!((top.len(), bottom.len()), (1, 2));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Panics
    /// If fewer than `n` lanes are left.
    #[track_caller]
    pub fn split_at(self, n: usize) -> (Lanes<'v, T>, Lanes<'v, T>) {
        let (left, right) = self.range.split_at(n);
        (Lanes { range: left, memory: PhantomData }, Lanes { range: right, memory: PhantomData })
    }

    #[inline(always)]
    fn view_at(&self, start: usize) -> FixedView<'v, T, 1> {
        // SAFETY: the lane consists of elements that are readable for `'v`.
        unsafe { FixedView::from_axes(self.range.lane_at(start)) }
    }
}

impl<'v, T: Copy> LanesMut<'v, T> {
    /// Returns iterators over the first `n` lanes and over the others.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [0; 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[3, 2])?)?;
    /// let (_, bottom) = x.rows_mut().split_at(1);
    /// bottom.for_each(|mut row| row.fill(7));
    /// assert_eq!(data, [0, 0, 7, 7, 7, 7]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Panics
    /// If fewer than `n` lanes are left.
    #[track_caller]
    pub fn split_at(self, n: usize) -> (LanesMut<'v, T>, LanesMut<'v, T>) {
        let (left, right) = self.range.split_at(n);
        let lanes = |range| LanesMut { range, memory: PhantomData };
        (lanes(left), lanes(right))
    }

    #[inline(always)]
    fn view_at(&mut self, start: usize) -> FixedViewMut<'v, T, 1> {
        // SAFETY: the lane consists of elements that no other code accesses for `'v`, each with one index; it shares none
        // with other lanes, and is returned once.
        unsafe { FixedViewMut::from_axes(self.range.lane_at(start)) }
    }
}

macro_rules! walk_lanes {
    ($($lanes:ident => $view:ident)*) => {$(
        impl<'v, T: Copy> Iterator for $lanes<'v, T> {
            type Item = $view<'v, T, 1>;

            #[inline]
            fn next(&mut self) -> Option<$view<'v, T, 1>> {
                self.range.starts.next().map(|start| self.view_at(start))
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.range.starts.len(), Some(self.range.starts.len()))
            }

            fn nth(&mut self, n: usize) -> Option<$view<'v, T, 1>> {
                self.range.starts.skip(n);
                self.next()
            }
        }

        impl<T: Copy> DoubleEndedIterator for $lanes<'_, T> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                self.range.starts.next_back().map(|start| self.view_at(start))
            }

            fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
                self.range.starts.skip_back(n);
                self.next_back()
            }
        }

        impl<T: Copy> ExactSizeIterator for $lanes<'_, T> {}

        impl<T: Copy> FusedIterator for $lanes<'_, T> {}
    )*};
}

walk_lanes!(Lanes => FixedView LanesMut => FixedViewMut);

impl<T: Copy> Elements<T> {
    /// Iterates over the rows: the views of rank 1 along the last axis, in logical order.
    ///
    /// A view of rank 0 has one row of one element.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// let sums: Vec<i32> = x.rows().map(|row| row.iter().sum()).collect();
    /// assert_eq!(sums, [6, 15]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn rows(&self) -> Lanes<'_, T> {
        Lanes { range: LaneRange::rows(self), memory: PhantomData }
    }

    /// Iterates over the rows for writing: the views of rank 1 along the last axis, in logical order.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// x.rows_mut().for_each(|mut row| row[0] = 0);
    /// assert_eq!(data, [0, 2, 3, 0, 5, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn rows_mut(&mut self) -> LanesMut<'_, T> {
        LanesMut { range: LaneRange::rows(self), memory: PhantomData }
    }

    /// Iterates over the lanes along an axis: views of rank 1, in the logical order of the other axes.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// let columns: Vec<Vec<i32>> = x.lanes(0)?.map(|lane| lane.iter().collect()).collect();
    /// assert_eq!(columns, [[1, 4], [2, 5], [3, 6]]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn lanes(&self, axis: isize) -> Result<Lanes<'_, T>, Error> {
        let k = self.layout().resolve_axis(axis)?;
        Ok(Lanes { range: LaneRange::new(self, k), memory: PhantomData })
    }

    /// Iterates over the lanes along an axis, for writing.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// x.lanes_mut(0)?.for_each(|mut lane| lane[1] += lane[0]);
    /// assert_eq!(data, [1, 2, 3, 5, 7, 9]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn lanes_mut(&mut self, axis: isize) -> Result<LanesMut<'_, T>, Error> {
        let k = self.layout().resolve_axis(axis)?;
        Ok(LanesMut { range: LaneRange::new(self, k), memory: PhantomData })
    }
}
