//! Iteration by parts of one shape: positions of an axis, windows.

use super::{Elements, OffsetWalk, View, ViewMut};
use crate::sync_ptr::SyncNonNull;
use crate::{Error, Layout};
use belvedere_layout::{Axis, InlineVec};
use std::iter::FusedIterator;
use std::marker::PhantomData;

/// The parts of a layout: one layout that all of them have, and the offset at which each begins.
///
/// Invariant: each offset of `walk`, plus each offset of `part`, is an offset of the layout that was divided.
#[derive(Clone)]
struct Partition {
    walk: OffsetWalk,
    /// Its lowest offset is 0.
    part: Layout,
}

impl Partition {
    /// Divides a layout with the start `start` and the axes `outer` and `inner`: the parts have the axes `inner`,
    /// and there is one for each index of the axes `outer`.
    fn new(start: usize, outer: &[Axis], inner: &[Axis]) -> Partition {
        let reach = |axis: &Axis| axis.len.saturating_sub(1) as isize * axis.stride;
        let below: isize = inner.iter().map(|axis| reach(axis).min(0)).sum();
        let part = Layout::new(below.unsigned_abs(), inner);
        // The lowest offset of each part is an offset of the layout. Without elements, all strides are 0.
        let walk = Layout::new(start.wrapping_add_signed(below), outer);
        let message = "some axes of a layout are a layout";
        let mut walk = walk.expect(message);
        if outer.len() > 1 {
            walk = walk.coalesced();
        }
        Partition { walk: OffsetWalk::new(&walk), part: part.expect(message) }
    }

    /// Divides a layout into the positions of axis `k`.
    fn positions(layout: &Layout, k: usize) -> Partition {
        let (before, after) = (&layout.axes()[..k], &layout.axes()[k + 1..]);
        let inner: InlineVec<Axis> = before.iter().chain(after).copied().collect();
        Partition::new(layout.start(), &layout.axes()[k..=k], &inner)
    }
}

/// An iterator over parts of a view that have one shape: positions of an axis, or windows.
///
/// ```
/// use belvedere::{Layout, View};
///
/// let data = [1, 2, 3, 4, 5, 6];
/// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
/// let sums: Vec<i32> = x.axis_iter(1)?.rev().map(|column| column.iter().sum()).collect();
/// assert_eq!(sums, [9, 7, 5]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct SubViews<'v, T> {
    /// Invariant: the elements of the layout that the partition divides, relative to this pointer, are those of a
    /// `View` with the lifetime `'v`.
    ptr: SyncNonNull<T>,
    partition: Partition,
    memory: PhantomData<&'v T>,
}

/// An iterator over parts of a view for writing that have one shape and share no element: positions of an axis.
///
/// ```
/// use belvedere::{Layout, ViewMut};
///
/// let mut data = [1, 2, 3, 4, 5, 6];
/// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
/// for (j, mut column) in x.axis_iter_mut(1)?.enumerate() {
///     column.fill(j);
/// }
/// assert_eq!(data, [0, 1, 2, 0, 1, 2]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct SubViewsMut<'v, T> {
    /// Invariant: the elements of the layout that the partition divides, relative to this pointer, are those of a
    /// `ViewMut` with the lifetime `'v`, and no two parts share one.
    ptr: SyncNonNull<T>,
    partition: Partition,
    memory: PhantomData<&'v mut T>,
}

impl<T> Clone for SubViews<'_, T> {
    fn clone(&self) -> Self {
        SubViews { ptr: self.ptr, partition: self.partition.clone(), memory: PhantomData }
    }
}

impl<'v, T: Copy> SubViews<'v, T> {
    /// Returns iterators over the first `n` parts and over the others.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[3, 2])?)?;
    /// let (top, bottom) = x.outer_iter()?.split_at(1);
    /// assert_eq!((top.len(), bottom.len()), (1, 2));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Panics
    /// If fewer than `n` parts are left.
    #[track_caller]
    pub fn split_at(self, n: usize) -> (SubViews<'v, T>, SubViews<'v, T>) {
        let (left, right) = self.partition.split_at(n);
        let part = |partition| SubViews { ptr: self.ptr, partition, memory: PhantomData };
        (part(left), part(right))
    }

    #[inline]
    fn view_at(&self, offset: usize) -> View<'v, T> {
        // SAFETY: `offset` comes from the walk of the partition, so its sums with the offsets of the part are
        // offsets of the layout that was divided, whose elements are readable for `'v`.
        unsafe { View::from_parts(self.ptr.get().add(offset), self.partition.part.clone()) }
    }
}

impl<'v, T: Copy> SubViewsMut<'v, T> {
    /// Returns iterators over the first `n` parts and over the others.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [0; 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[3, 2])?)?;
    /// let (_, bottom) = x.outer_iter_mut()?.split_at(1);
    /// bottom.for_each(|mut row| row.fill(7));
    /// assert_eq!(data, [0, 0, 7, 7, 7, 7]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Panics
    /// If fewer than `n` parts are left.
    #[track_caller]
    pub fn split_at(self, n: usize) -> (SubViewsMut<'v, T>, SubViewsMut<'v, T>) {
        let (left, right) = self.partition.split_at(n);
        let part = |partition| SubViewsMut { ptr: self.ptr, partition, memory: PhantomData };
        (part(left), part(right))
    }

    #[inline]
    fn view_at(&mut self, offset: usize) -> ViewMut<'v, T> {
        // SAFETY: `offset` comes from the walk of the partition, so its sums with the offsets of the part are
        // offsets of the layout that was divided, whose elements no other code accesses for `'v`. That layout
        // is injective, so each part is, and no two share an element; the walk returns each once.
        unsafe { ViewMut::from_parts(self.ptr.get().add(offset), self.partition.part.clone()) }
    }
}

impl Partition {
    #[track_caller]
    fn split_at(self, n: usize) -> (Partition, Partition) {
        let len = self.walk.len();
        assert!(n <= len, "cannot split an iterator over {len} views at {n}");
        let (mut left, mut right) = (self.clone(), self);
        left.walk.skip_back(len - n);
        right.walk.skip(n);
        (left, right)
    }
}

macro_rules! walk_parts {
    ($($views:ident => $view:ident)*) => {$(
        impl<'v, T: Copy> Iterator for $views<'v, T> {
            type Item = $view<'v, T>;

            #[inline]
            fn next(&mut self) -> Option<$view<'v, T>> {
                self.partition.walk.next().map(|offset| self.view_at(offset))
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.partition.walk.len(), Some(self.partition.walk.len()))
            }

            fn nth(&mut self, n: usize) -> Option<$view<'v, T>> {
                self.partition.walk.skip(n);
                self.next()
            }
        }

        impl<T: Copy> DoubleEndedIterator for $views<'_, T> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                self.partition.walk.next_back().map(|offset| self.view_at(offset))
            }

            fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
                self.partition.walk.skip_back(n);
                self.next_back()
            }
        }

        impl<T: Copy> ExactSizeIterator for $views<'_, T> {}

        impl<T: Copy> FusedIterator for $views<'_, T> {}
    )*};
}

walk_parts!(SubViews => View SubViewsMut => ViewMut);

impl<T: Copy> Elements<T> {
    fn parts(&self, partition: Partition) -> SubViews<'_, T> {
        // The invariant: the callers divide the layout of `self`, which is readable while it is borrowed.
        SubViews { ptr: SyncNonNull::new(self.ptr()), partition, memory: PhantomData }
    }

    fn parts_mut(&mut self, partition: Partition) -> SubViewsMut<'_, T> {
        // The invariant: the callers divide the layout of `self` by its axes, so that each index is in one part;
        // no other code accesses the elements while `self` is borrowed.
        SubViewsMut { ptr: SyncNonNull::new(self.ptr()), partition, memory: PhantomData }
    }

    /// Iterates over the positions of an axis: views without that axis.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// let sums: Vec<i32> = x.axis_iter(1)?.map(|column| column.iter().sum()).collect();
    /// assert_eq!(sums, [5, 7, 9]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn axis_iter(&self, axis: isize) -> Result<SubViews<'_, T>, Error> {
        let k = self.layout().resolve_axis(axis)?;
        Ok(self.parts(Partition::positions(self.layout(), k)))
    }

    /// Iterates over the positions of an axis, for writing.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// x.axis_iter_mut(1)?.skip(1).for_each(|mut column| column.fill(0));
    /// assert_eq!(data, [1, 0, 0, 4, 0, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn axis_iter_mut(&mut self, axis: isize) -> Result<SubViewsMut<'_, T>, Error> {
        let k = self.layout().resolve_axis(axis)?;
        Ok(self.parts_mut(Partition::positions(self.layout(), k)))
    }

    /// Iterates over the positions of the first axis: `axis_iter(0)`.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[3, 1, 2])?)?;
    /// assert!(x.outer_iter()?.all(|matrix| matrix.shape() == [1, 2]));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the rank is 0.
    pub fn outer_iter(&self) -> Result<SubViews<'_, T>, Error> {
        self.axis_iter(0)
    }

    /// Iterates over the positions of the first axis, for writing.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[3, 1, 2])?)?;
    /// x.outer_iter_mut()?.rev().take(1).for_each(|mut matrix| matrix.fill(0));
    /// assert_eq!(data, [1, 2, 3, 4, 0, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the rank is 0.
    pub fn outer_iter_mut(&mut self) -> Result<SubViewsMut<'_, T>, Error> {
        self.axis_iter_mut(0)
    }

    /// Iterates over all windows of a shape, in the logical order of their first elements.
    ///
    /// Neighbouring windows share elements, so there is no such iterator for writing: read the windows of one view
    /// and write to another. For windows of a few elements,
    /// [`FixedView::window_iter`](crate::FixedView::window_iter) is many times as fast.
    /// [`Strided::sliding_window_view`](crate::Strided::sliding_window_view) returns all windows as one view.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// let sums: Vec<i32> = x.window_iter([2, 2])?.map(|window| window.iter().sum()).collect();
    /// assert_eq!(sums, [12, 16]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the number of sizes is not the rank, or an axis is shorter than its window.
    #[doc(alias = "windows")]
    pub fn window_iter(&self, sizes: impl AsRef<[usize]>) -> Result<SubViews<'_, T>, Error> {
        let rank = self.rank();
        let axes: Vec<isize> = (0..rank as isize).collect();
        let windows = self.layout().sliding_window(&axes, sizes.as_ref())?;
        let (outer, inner) = windows.axes().split_at(rank);
        Ok(self.parts(Partition::new(windows.start(), outer, inner)))
    }
}
