//! Typed borrows of memory, seen through a layout that fits inside it.
//!
//! A [`View`] is the proof that kernels need: it exists only if every element it reaches may be read
//! for as long as it lives, and a [`ViewMut`] only if they may be written by nobody else, and each
//! by one index. They hold a pointer and never a slice: the interleaved halves of a split lie in
//! one another's slices.

mod any;
mod guard;
mod iter;
mod lens;
mod small;
mod source;
mod strided;

pub use guard::{ReadGuard, WriteGuard};
pub use iter::{Iter, RunValues, Runs};
pub use strided::Strided;

pub(crate) use any::{AnyView, AnyViewMut, Cell};
pub(crate) use lens::AnyLens;
pub(crate) use small::{SmallView, SmallViewMut, Strided2};
pub(crate) use source::{Shift, Source, Written};

use crate::{Error, Layout, Shape, Strides};
use belvedere_layout::{Answer, Index, LayoutError};
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Elements that are borrowed for reading, seen through a layout.
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
    /// `'a`, during which nobody writes to it.
    ptr: NonNull<T>,
    layout: Layout,
    memory: PhantomData<&'a T>,
}

/// Elements that are borrowed for writing, seen through a layout that has one index for each.
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
    /// writes for `'a`, during which nobody else reads or writes it.
    ptr: NonNull<T>,
    /// Invariant: injective.
    layout: Layout,
    memory: PhantomData<&'a mut T>,
}

// SAFETY: a `View` is used like the `&[T]` that it stands for.
unsafe impl<T: Sync> Send for View<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for View<'_, T> {}
// SAFETY: a `ViewMut` is used like a `&mut` to each of its elements.
unsafe impl<T: Send> Send for ViewMut<'_, T> {}
// SAFETY: through a shared `ViewMut` elements can only be read.
unsafe impl<T: Sync> Sync for ViewMut<'_, T> {}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        View { ptr: self.ptr, layout: self.layout.clone(), memory: PhantomData }
    }
}

impl<'a, T: Copy> View<'a, T> {
    /// Sees `data` through `layout`.
    ///
    /// # Errors
    /// If the layout reaches outside of it.
    pub fn new(data: &'a [T], layout: Layout) -> Result<View<'a, T>, Error> {
        layout.check_fits(data.len())?;
        Ok(View { ptr: NonNull::from(data).cast(), layout, memory: PhantomData })
    }

    /// Sees memory through a layout.
    ///
    /// # Safety
    /// The invariant of `View` must hold for the pointer and the layout.
    pub(crate) unsafe fn from_parts(ptr: NonNull<T>, layout: Layout) -> View<'a, T> {
        View { ptr, layout, memory: PhantomData }
    }

    /// How its elements are found.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The lengths of its axes.
    pub fn shape(&self) -> Shape {
        self.layout.shape()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }

    /// How far apart neighbours along each axis lie, in elements.
    pub fn strides(&self) -> Strides {
        self.layout.strides()
    }

    /// The element at an index.
    ///
    /// # Errors
    /// If there is no such element.
    pub fn get(&self, index: &[usize]) -> Result<T, Error> {
        let offset = self.layout.offset(index)?;
        // SAFETY: the offset is one of the layout's, each of which is readable.
        Ok(unsafe { self.ptr.as_ptr().add(offset).read() })
    }

    /// The elements, in logical order.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(self)
    }

    /// The stretches that are walked with one stride, in logical order.
    pub fn runs(&self) -> Runs<'_, T> {
        Runs::new(self)
    }

    /// The part before position `at` of an axis, and the part from there on.
    ///
    /// # Errors
    /// If there is no such axis, or no such position in it.
    pub fn split_at(&self, axis: isize, at: usize) -> Result<(View<'a, T>, View<'a, T>), Error> {
        let (first, second) = self.layout.split_at(axis, at)?;
        let part = |layout| View { ptr: self.ptr, layout, memory: PhantomData };
        Ok((part(first), part(second)))
    }

    /// Parts of `size` along an axis; the last one may be shorter.
    ///
    /// # Errors
    /// If there is no such axis, or the size is 0.
    pub fn chunks(
        &self,
        axis: isize,
        size: usize,
    ) -> Result<impl Iterator<Item = View<'a, T>>, Error> {
        let ptr = self.ptr;
        let parts = self.layout.split(axis, size)?;
        Ok(parts.map(move |layout| View { ptr, layout, memory: PhantomData }))
    }

    /// The elements, in logical order.
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

    /// The elements as a slice, if they lie one behind the other in logical order.
    pub fn as_slice(&self) -> Option<&'a [T]> {
        if !self.layout.is_contiguous() {
            return None;
        }
        // SAFETY: the elements are at consecutive offsets from the start, readable and not written
        // to for `'a`. An empty layout starts at 0.
        unsafe {
            let first = self.ptr.as_ptr().add(self.layout.start());
            Some(std::slice::from_raw_parts(first, self.layout.len()))
        }
    }

    /// Where offset 0 is.
    pub(crate) fn ptr(&self) -> NonNull<T> {
        self.ptr
    }
}

impl<'a, T: Copy> ViewMut<'a, T> {
    /// Sees `data` through `layout`.
    ///
    /// # Errors
    /// If the layout reaches outside of it, or reaches an element twice.
    pub fn new(data: &'a mut [T], layout: Layout) -> Result<ViewMut<'a, T>, Error> {
        layout.check_fits(data.len())?;
        check_injective(&layout)?;
        Ok(ViewMut { ptr: NonNull::from(data).cast(), layout, memory: PhantomData })
    }

    /// Sees memory through a layout.
    ///
    /// # Safety
    /// The invariants of `ViewMut` must hold for the pointer and the layout.
    pub(crate) unsafe fn from_parts(ptr: NonNull<T>, layout: Layout) -> ViewMut<'a, T> {
        ViewMut { ptr, layout, memory: PhantomData }
    }

    /// How its elements are found.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The lengths of its axes.
    pub fn shape(&self) -> Shape {
        self.layout.shape()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }

    /// How far apart neighbours along each axis lie, in elements.
    pub fn strides(&self) -> Strides {
        self.layout.strides()
    }

    /// The same elements for reading, while this view waits.
    pub fn as_view(&self) -> View<'_, T> {
        View { ptr: self.ptr, layout: self.layout.clone(), memory: PhantomData }
    }

    /// The same elements for writing, while this view waits.
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut { ptr: self.ptr, layout: self.layout.clone(), memory: PhantomData }
    }

    /// The element at an index.
    ///
    /// # Errors
    /// If there is no such element.
    pub fn get(&self, index: &[usize]) -> Result<T, Error> {
        self.as_view().get(index)
    }

    /// Changes the element at an index.
    ///
    /// # Errors
    /// If there is no such element.
    pub fn set(&mut self, index: &[usize], value: T) -> Result<(), Error> {
        let offset = self.layout.offset(index)?;
        // SAFETY: the offset is one of the layout's, each of which is writable and ours.
        unsafe { self.ptr.as_ptr().add(offset).write(value) };
        Ok(())
    }

    /// Changes every element.
    pub fn fill(&mut self, value: T) {
        self.map(|_| value);
    }

    /// Replaces every element by what a function makes of it, in logical order.
    pub fn map(&mut self, mut f: impl FnMut(T) -> T) {
        for offset in self.layout.offsets() {
            // SAFETY: the offset is one of the layout's, each of which is writable and ours.
            unsafe {
                let at = self.ptr.as_ptr().add(offset);
                at.write(f(at.read()));
            }
        }
    }

    /// The elements as a slice, if they lie one behind the other in logical order.
    pub fn into_slice(self) -> Option<&'a mut [T]> {
        if !self.layout.is_contiguous() {
            return None;
        }
        // SAFETY: the elements are at consecutive offsets from the start, and nobody else's for
        // `'a`; the view is consumed. An empty layout starts at 0.
        unsafe {
            let first = self.ptr.as_ptr().add(self.layout.start());
            Some(std::slice::from_raw_parts_mut(first, self.layout.len()))
        }
    }

    /// The part before position `at` of an axis, and the part from there on.
    ///
    /// # Errors
    /// If there is no such axis, or no such position in it.
    pub fn split_at(
        self,
        axis: isize,
        at: usize,
    ) -> Result<(ViewMut<'a, T>, ViewMut<'a, T>), Error> {
        let (first, second) = self.layout.split_at(axis, at)?;
        // SAFETY: the two parts of a split share no element, and the view is consumed.
        Ok(unsafe { (self.part(first), self.part(second)) })
    }

    /// Parts of `size` along an axis; the last one may be shorter.
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

    /// Several parts at once, none of which share an element.
    ///
    /// Whether they do is decided exactly, on the index expressions.
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
    /// If two parts share an element, or an index expression is wrong.
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
        // SAFETY: no two of the parts meet, as was just asked, and the view is consumed.
        Ok(layouts.map(|layout| unsafe { self.part(layout) }))
    }

    /// One of several parts.
    ///
    /// # Safety
    /// The layout must reach elements of this view only, and each by one index. Parts that exist at
    /// the same time must share no element, and the view itself must not be used beside them.
    unsafe fn part(&self, layout: Layout) -> ViewMut<'a, T> {
        ViewMut { ptr: self.ptr, layout, memory: PhantomData }
    }

    /// Where offset 0 is.
    pub(crate) fn ptr(&self) -> NonNull<T> {
        self.ptr
    }
}

/// Refuses a layout that reaches an element by two indices, or that nobody can tell of.
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
        View { ptr: NonNull::from(data).cast(), layout, memory: PhantomData }
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
        ViewMut { ptr: NonNull::from(data).cast(), layout, memory: PhantomData }
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
