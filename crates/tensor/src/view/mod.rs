//! Views: borrowed memory with a layout that fits inside it.
//!
//! A view is the proof that kernels need. A [`View`] exists only if every element it reaches may be read for
//! as long as it lives; a [`ViewMut`] only if no other code accesses them meanwhile and each has one index.
//! They hold a pointer and not a slice: the two halves of a split may be interleaved in memory, so that
//! slices of them would overlap.
//!
//! - [`View`], [`ViewMut`]: the user's, with the element type as a parameter; `guard.rs` borrows tensors.
//! - `AnyView`, `AnyViewMut`, `AnyLens`: those of kernels, with a dtype.
//! - `SmallView`, `SmallViewMut`: those of kernels for rank ≤ 2.
//!
//! Nothing here claims the storages of an operation's operands or calls a kernel: `op/execute/` does both.

mod any;
mod guard;
mod iter;
mod lens;
mod small;
mod strided;

pub use guard::{ReadGuard, WriteGuard};
pub use iter::{Iter, RunValues, Runs};
pub use strided::Strided;

pub(crate) use any::{AnyView, AnyViewMut, Cell, Shift, Source, Written};
pub(crate) use lens::AnyLens;
pub(crate) use small::{SmallView, SmallViewMut, Strided2};

use crate::sync_ptr::SyncNonNull;
use crate::{Error, Layout, Shape, Strides};
use belvedere_layout::{Answer, Index, LayoutError};
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Elements that are borrowed for reading, with a layout.
///
/// ```
/// use belvedere::{Layout, Strided, View};
///
/// let data = [1, 2, 3, 4, 5, 6];
/// let view = View::new(&data, Layout::row_major(&[2, 3])?)?;
/// assert_eq!(view.get(&[1, 0])?, 4);
/// assert_eq!(view.t()?.iter().collect::<Vec<i32>>(), [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct View<'a, T> {
    /// Invariant: every offset of `layout` from here is an initialised `T`, valid for reads for
    /// `'a`, during which it is not written.
    ptr: SyncNonNull<T>,
    layout: Layout,
    /// Makes the view `Send` and `Sync` as a `&[T]` is.
    memory: PhantomData<&'a T>,
}

/// Elements that are borrowed for writing, with an injective layout: each element has one index.
///
/// ```
/// use belvedere::{Layout, Strided, ViewMut};
///
/// let mut data = [0; 6];
/// let view = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
/// let (mut left, mut right) = view.split_at(1, 1)?;
/// left.fill(7);
/// right.set(&[1, 0], 5)?;
/// assert_eq!(data, [7, 0, 0, 7, 5, 0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct ViewMut<'a, T> {
    /// Invariant: every offset of `layout` from here is an initialised `T`, valid for reads and
    /// writes for `'a`, during which no other code reads or writes it.
    ptr: SyncNonNull<T>,
    /// Invariant: injective.
    layout: Layout,
    /// Makes the view `Send` and `Sync` as a `&mut [T]` is.
    memory: PhantomData<&'a mut T>,
}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        View { ptr: self.ptr, layout: self.layout.clone(), memory: PhantomData }
    }
}

impl<'a, T: Copy> View<'a, T> {
    /// Returns a view of `data` with `layout`.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.get(&[1, 0])?, 4);
    /// assert!(View::new(&data, Layout::row_major(&[7])?).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the layout reaches outside of `data`.
    pub fn new(data: &'a [T], layout: Layout) -> Result<View<'a, T>, Error> {
        layout.check_fits(data.len())?;
        Ok(View { ptr: SyncNonNull::new(NonNull::from(data).cast()), layout, memory: PhantomData })
    }

    /// Returns a view of memory.
    ///
    /// # Safety
    /// - The invariant of `View::ptr` must hold for the pointer and the layout.
    pub(crate) unsafe fn from_parts(ptr: NonNull<T>, layout: Layout) -> View<'a, T> {
        View { ptr: SyncNonNull::new(ptr), layout, memory: PhantomData }
    }

    /// Returns the layout.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.layout().start(), 0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the shape.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.shape(), [2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn shape(&self) -> Shape {
        self.layout.shape()
    }

    /// Returns the number of axes.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.rank(), 2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.len(), 6);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Whether there are no elements.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert!(!x.is_empty());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }

    /// Returns the stride of each axis, in elements.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.strides(), [3, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn strides(&self) -> Strides {
        self.layout.strides()
    }

    /// Returns the element at an index.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.get(&[1, 0])?, 4);
    /// assert!(x.get(&[2, 0]).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the index is out of bounds, or has another number of coordinates than axes.
    pub fn get(&self, index: &[usize]) -> Result<T, Error> {
        let offset = self.layout.offset(index)?;
        // SAFETY: `offset` has checked the index, so it is an offset of the layout, which is readable.
        Ok(unsafe { self.ptr.get().as_ptr().add(offset).read() })
    }

    /// Iterates over the elements in logical order.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.iter().max(), Some(6));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(self)
    }

    /// Iterates over the longest runs of one stride, in logical order.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.runs().count(), 1);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn runs(&self) -> Runs<'_, T> {
        Runs::new(self)
    }

    /// Splits an axis at a position: returns the part before it, and the part from there on.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// let (left, right) = x.split_at(1, 1)?;
    /// assert_eq!((left.to_vec()?, right.to_vec()?), (vec![1, 4], vec![2, 3, 5, 6]));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or the position is beyond its end.
    pub fn split_at(&self, axis: isize, at: usize) -> Result<(View<'a, T>, View<'a, T>), Error> {
        let (first, second) = self.layout.split_at(axis, at)?;
        let part = |layout| View { ptr: self.ptr, layout, memory: PhantomData };
        Ok((part(first), part(second)))
    }

    /// Iterates over parts of `size` along an axis; the last one may be shorter.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// let lens: Vec<usize> = x.chunks(1, 2)?.map(|part| part.len()).collect();
    /// assert_eq!(lens, [4, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or `size` is 0.
    pub fn chunks(
        &self,
        axis: isize,
        size: usize,
    ) -> Result<impl Iterator<Item = View<'a, T>>, Error> {
        let ptr = self.ptr;
        let parts = self.layout.split(axis, size)?;
        Ok(parts.map(move |layout| View { ptr, layout, memory: PhantomData }))
    }

    /// Copies the elements to a vector, in logical order.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.to_vec()?, [1, 2, 3, 4, 5, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        let mut values = Vec::new();
        let bytes = self.len().saturating_mul(size_of::<T>());
        values.try_reserve_exact(self.len()).map_err(|_| Error::OutOfMemory { bytes })?;
        values.extend(self.iter());
        Ok(values)
    }

    /// Returns the elements as a slice, if they are contiguous in logical order.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.as_slice(), Some(&data[..]));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn as_slice(&self) -> Option<&'a [T]> {
        if !self.layout.is_contiguous() {
            return None;
        }
        // SAFETY: the elements are at consecutive offsets from the start, readable and not written for
        // `'a`. An empty layout starts at 0.
        unsafe {
            let first = self.ptr.get().as_ptr().add(self.layout.start());
            Some(std::slice::from_raw_parts(first, self.layout.len()))
        }
    }

    /// Returns the pointer that the offsets of the layout are relative to.
    pub(crate) fn ptr(&self) -> NonNull<T> {
        self.ptr.get()
    }
}

impl<'a, T: Copy> ViewMut<'a, T> {
    /// Returns a view of `data` with `layout`.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// x.set(&[1, 0], 7)?;
    /// assert_eq!(data[3], 7);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the layout reaches outside of `data`, or an element has two indices.
    pub fn new(data: &'a mut [T], layout: Layout) -> Result<ViewMut<'a, T>, Error> {
        layout.check_fits(data.len())?;
        check_injective(&layout)?;
        Ok(ViewMut {
            ptr: SyncNonNull::new(NonNull::from(data).cast()),
            layout,
            memory: PhantomData,
        })
    }

    /// Returns a view of memory.
    ///
    /// # Safety
    /// - The invariants of `ViewMut::ptr` and `ViewMut::layout` must hold for the pointer and the layout.
    pub(crate) unsafe fn from_parts(ptr: NonNull<T>, layout: Layout) -> ViewMut<'a, T> {
        ViewMut { ptr: SyncNonNull::new(ptr), layout, memory: PhantomData }
    }

    /// Returns the layout.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.layout().start(), 0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the shape.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.shape(), [2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn shape(&self) -> Shape {
        self.layout.shape()
    }

    /// Returns the number of axes.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.rank(), 2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.len(), 6);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Whether there are no elements.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// assert!(!x.is_empty());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }

    /// Returns the stride of each axis, in elements.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.strides(), [3, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn strides(&self) -> Strides {
        self.layout.strides()
    }

    /// Borrows the elements for reading.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// x.set(&[0, 0], 7)?;
    /// assert_eq!(x.as_view().to_vec()?, [7, 2, 3, 4, 5, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn as_view(&self) -> View<'_, T> {
        View { ptr: self.ptr, layout: self.layout.clone(), memory: PhantomData }
    }

    /// Borrows the elements for writing, for a shorter time.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// x.reborrow().fill(0);
    /// x.set(&[0, 0], 7)?;
    /// assert_eq!(data, [7, 0, 0, 0, 0, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut { ptr: self.ptr, layout: self.layout.clone(), memory: PhantomData }
    }

    /// Returns the element at an index.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.get(&[1, 0])?, 4);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the index is out of bounds, or has another number of coordinates than axes.
    pub fn get(&self, index: &[usize]) -> Result<T, Error> {
        self.as_view().get(index)
    }

    /// Sets the element at an index.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// x.set(&[1, 0], 7)?;
    /// assert_eq!(data, [1, 2, 3, 7, 5, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the index is out of bounds, or has another number of coordinates than axes.
    pub fn set(&mut self, index: &[usize], value: T) -> Result<(), Error> {
        let offset = self.layout.offset(index)?;
        // SAFETY: `offset` has checked the index, so it is an offset of the layout, which is writable, and
        // no other code accesses it.
        unsafe { self.ptr.get().as_ptr().add(offset).write(value) };
        Ok(())
    }

    /// Sets every element to `value`.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// x.fill(7);
    /// assert_eq!(data, [7; 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn fill(&mut self, value: T) {
        self.map(|_| value);
    }

    /// Replaces every element by the result of a function, in logical order.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// x.map(|value| 10 * value);
    /// assert_eq!(data, [10, 20, 30, 40, 50, 60]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn map(&mut self, mut f: impl FnMut(T) -> T) {
        for offset in self.layout.offsets() {
            // SAFETY: it is an offset of the layout, which is readable and writable, and no other code
            // accesses it.
            unsafe {
                let at = self.ptr.get().as_ptr().add(offset);
                at.write(f(at.read()));
            }
        }
    }

    /// Returns the elements as a slice, if they are contiguous in logical order.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.into_slice().map(|it| it.len()), Some(6));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn into_slice(self) -> Option<&'a mut [T]> {
        if !self.layout.is_contiguous() {
            return None;
        }
        // SAFETY: the elements are at consecutive offsets from the start, and no other code accesses them
        // for `'a`; the view is consumed. An empty layout starts at 0.
        unsafe {
            let first = self.ptr.get().as_ptr().add(self.layout.start());
            Some(std::slice::from_raw_parts_mut(first, self.layout.len()))
        }
    }

    /// Splits an axis at a position: returns the part before it, and the part from there on.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// let (mut left, _) = x.split_at(1, 1)?;
    /// left.fill(0);
    /// assert_eq!(data, [0, 2, 3, 0, 5, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or the position is beyond its end.
    pub fn split_at(
        self,
        axis: isize,
        at: usize,
    ) -> Result<(ViewMut<'a, T>, ViewMut<'a, T>), Error> {
        let (first, second) = self.layout.split_at(axis, at)?;
        // SAFETY: the two parts of a split share no element, and the view is consumed.
        Ok(unsafe { (self.part(first), self.part(second)) })
    }

    /// Iterates over parts of `size` along an axis; the last one may be shorter. The parts share no element,
    /// so that several threads can write to them.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [0; 6];
    /// let view = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// std::thread::scope(|scope| {
    ///     for (k, mut column) in view.chunks(1, 1)?.enumerate() {
    ///         scope.spawn(move || column.fill(k));
    ///     }
    ///     Ok::<(), belvedere::Error>(())
    /// })?;
    /// assert_eq!(data, [0, 1, 2, 0, 1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or the size is 0.
    pub fn chunks(
        self,
        axis: isize,
        size: usize,
    ) -> Result<impl Iterator<Item = ViewMut<'a, T>>, Error> {
        let parts = self.layout.split(axis, size)?;
        // SAFETY: the parts of a split share no element, and the view is consumed.
        Ok(parts.map(move |part| unsafe { self.part(part) }))
    }

    /// Slices several parts at once, which must share no element.
    ///
    /// Overlap is decided exactly, on the index expressions.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut, s};
    ///
    /// let mut data = [0; 8];
    /// let view = ViewMut::new(&mut data, Layout::row_major(&[8])?)?;
    /// let [mut even, mut odd] = view.multi_slice([&s![..;2], &s![1..;2]])?;
    /// even.fill(1);
    /// odd.fill(2);
    /// assert_eq!(data, [1, 2, 1, 2, 1, 2, 1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If two parts share an element, or an index expression does not fit the shape.
    pub fn multi_slice<const N: usize>(
        self,
        parts: [&[Index]; N],
    ) -> Result<[ViewMut<'a, T>; N], Error> {
        let mut layouts = [const { None }; N];
        for (n, part) in parts.iter().enumerate() {
            layouts[n] = Some(self.layout.slice(part)?);
            for (m, other) in parts[..n].iter().enumerate() {
                if self.layout.slices_overlap(other, part)? {
                    return Err(Error::PartsMeet { parts: (m, n) });
                }
            }
        }
        let layouts = layouts.map(|layout| layout.expect("every part was sliced above"));
        // SAFETY: the slices reach elements of this view only, no two of them share one, as was just checked,
        // and the view is consumed.
        Ok(layouts.map(|layout| unsafe { self.part(layout) }))
    }

    /// Returns a part.
    ///
    /// # Safety
    /// - The layout must reach elements of this view only, each by one index.
    /// - Parts that exist at the same time must share no element.
    /// - The view itself must not be used while a part exists.
    unsafe fn part(&self, layout: Layout) -> ViewMut<'a, T> {
        ViewMut { ptr: self.ptr, layout, memory: PhantomData }
    }

    /// Returns the pointer that the offsets of the layout are relative to.
    pub(crate) fn ptr(&self) -> NonNull<T> {
        self.ptr.get()
    }
}

/// Checks that each element of a layout has one index.
///
/// # Errors
/// If an element has two indices, or that could not be decided.
pub(crate) fn check_injective(layout: &Layout) -> Result<(), Error> {
    match layout.injective() {
        Answer::Yes => Ok(()),
        Answer::No | Answer::TooHard => {
            let (shape, strides) = (layout.shape().into(), layout.strides().into());
            Err(Error::Overlapping { shape, strides })
        }
    }
}

/// # Panics
/// If the elements have no size and there are more than `isize::MAX` of them.
impl<'a, T: Copy> From<&'a [T]> for View<'a, T> {
    fn from(data: &'a [T]) -> View<'a, T> {
        let layout = slice_layout(data.len());
        View { ptr: SyncNonNull::new(NonNull::from(data).cast()), layout, memory: PhantomData }
    }
}

impl<'a, T: Copy> From<&View<'a, T>> for View<'a, T> {
    fn from(view: &View<'a, T>) -> View<'a, T> {
        view.clone()
    }
}

impl<'a, T: Copy> From<&'a ViewMut<'_, T>> for View<'a, T> {
    fn from(view: &'a ViewMut<'_, T>) -> View<'a, T> {
        view.as_view()
    }
}

/// # Panics
/// If the elements have no size and there are more than `isize::MAX` of them.
impl<'a, T: Copy> From<&'a mut [T]> for ViewMut<'a, T> {
    fn from(data: &'a mut [T]) -> ViewMut<'a, T> {
        let layout = slice_layout(data.len());
        ViewMut { ptr: SyncNonNull::new(NonNull::from(data).cast()), layout, memory: PhantomData }
    }
}

fn slice_layout(len: usize) -> Layout {
    let layout: Result<Layout, LayoutError> = Layout::row_major(&[len]);
    layout.expect("a slice in memory has fewer than isize::MAX elements")
}

impl<T: Copy + fmt::Debug> fmt::Debug for View<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View {{ layout: {:?} }}", self.layout)
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for ViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ViewMut {{ layout: {:?} }}", self.layout)
    }
}
