//! Views: borrowed memory with a layout that fits inside it.
//!
//! A view is the proof that kernels need. A [`View`] exists only if every element it reaches may be read for
//! as long as it lives; a [`ViewMut`] only if no other code accesses them meanwhile and each has one index.
//! They hold a pointer and not a slice: the two halves of a split may be interleaved in memory, so that
//! slices of them would overlap.
//!
//! - [`View`], [`ViewMut`]: the user's, with the element type as a parameter; `guard.rs` borrows tensors.
//! - [`Elements`]: what all of these dereference to (`elements.rs` says why it is sound); [`FixedView`]: a view of
//!   constant rank, for element loops.
//! - `AnyView`, `AnyViewMut`, `AnyLens`: those of kernels, with a dtype.
//! - `SmallView`, `SmallViewMut`: those of kernels for rank ≤ 2.
//!
//! Indices and iterators give out references to elements. For memory that other code could write to at the same time, the
//! caller of the `unsafe` constructor that brought it in has promised that it does not while a guard or view
//! exists (`Storage::foreign`, `Storage::map_file`, `io::dlpack::import`). The Python package
//! cannot promise that for memory it shares, so it takes no typed guard; `cargo xtask check` sees to it.
//!
//! Nothing here claims the storages of an operation's operands or calls a kernel: `op/execute/` does both.

mod any;
mod chunks;
mod element_index;
mod element_ptrs;
mod element_run;
mod elements;
mod fixed;
mod fixed_axes;
mod fixed_iter;
mod fixed_mut;
mod guard;
mod iter;
mod lanes;
mod lens;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
mod ndarray;
mod offset_walk;
#[cfg(feature = "rayon")]
mod parallel;
mod runs;
mod small;
mod strided;
mod sub_views;
mod sum;

pub use chunks::{Chunks, ChunksMut};
pub use element_index::ElementIndex;
pub use elements::Elements;
pub use fixed::FixedView;
pub use fixed_axes::FixedIndex;
pub use fixed_iter::FixedWindows;
pub use fixed_mut::FixedViewMut;
pub use guard::{ReadGuard, WriteGuard};
pub use iter::{IndexedIter, Iter, IterMut};
pub use lanes::{Lanes, LanesMut};
#[cfg(feature = "rayon")]
pub use parallel::ParIter;
pub use runs::{RunValues, Runs};
pub use strided::Strided;
pub use sub_views::{SubViews, SubViewsMut};

pub(crate) use any::{AnyView, AnyViewMut, Cell, Shift, Source, Written};
pub(crate) use lens::AnyLens;
pub(crate) use small::{SmallView, SmallViewMut, Strided2};

use crate::{Error, Layout};
use belvedere_layout::{Answer, Index, LayoutError};
use element_ptrs::ElementPtrs;
use elements::{SizedElements, deref_to_elements};
use offset_walk::OffsetWalk;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Elements that are borrowed for reading, with a layout.
///
/// Its methods are those of [`Elements`], and the view operations of [`Strided`].
///
/// ```
/// use belvedere::{Layout, Strided, View};
///
/// let data = [1, 2, 3, 4, 5, 6];
/// let view = View::new(&data, Layout::row_major(&[2, 3])?)?;
/// assert_eq!(view[[1, 0]], 4);
/// assert_eq!(view.t()?.iter().collect::<Vec<i32>>(), [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct View<'a, T> {
    /// Invariant: every offset of its layout is an initialised `T`, valid for reads for `'a`, during which it is not
    /// written.
    elements: SizedElements<T>,
    /// Makes the view `Send` and `Sync` as a `&[T]` is.
    memory: PhantomData<&'a T>,
}

/// Elements that are borrowed for writing, with an injective layout: each element has one index.
///
/// Its methods are those of [`Elements`], and the view operations of [`Strided`].
///
/// ```
/// use belvedere::{Layout, Strided, ViewMut};
///
/// let mut data = [0; 6];
/// let view = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
/// let (mut left, mut right) = view.split_at(1, 1)?;
/// left.fill(7);
/// right[[1, 0]] = 5;
/// assert_eq!(data, [7, 0, 0, 7, 5, 0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct ViewMut<'a, T> {
    /// Invariant: every offset of its layout is an initialised `T`, valid for reads and writes for `'a`, during which
    /// no other code reads or writes it. The layout is injective.
    elements: SizedElements<T>,
    /// Makes the view `Send` and `Sync` as a `&mut [T]` is.
    memory: PhantomData<&'a mut T>,
}

deref_to_elements!(View<'a, T: Copy>, elements);
deref_to_elements!(mut ViewMut<'a, T: Copy>, elements);

impl<T: Copy> Clone for View<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        // SAFETY: forwarded: the invariant of `self`.
        unsafe { View::from_parts(self.ptr(), self.layout().clone()) }
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
    /// assert_eq!(x.get([1, 0])?, 4);
    /// assert!(View::new(&data, Layout::row_major(&[7])?).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the layout reaches outside of `data`.
    pub fn new(data: &'a [T], layout: Layout) -> Result<View<'a, T>, Error> {
        layout.check_fits(data.len())?;
        // SAFETY: the layout is within the slice, which is borrowed for `'a`.
        Ok(unsafe { View::from_parts(NonNull::from(data).cast(), layout) })
    }

    /// Returns a view of memory.
    ///
    /// # Safety
    /// - The invariant of `View::elements` must hold for the pointer and the layout.
    #[inline]
    pub(crate) unsafe fn from_parts(ptr: NonNull<T>, layout: Layout) -> View<'a, T> {
        // SAFETY: the view gives out shared references for at most `'a`; the rest is forwarded.
        View { elements: unsafe { SizedElements::new(ptr, layout) }, memory: PhantomData }
    }

    /// Iterates over the elements in logical order. Unlike [`Elements::iter`] it does not borrow the view itself.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert!(x.rows().rev().flat_map(|row| row.iter()).eq([4, 5, 6, 1, 2, 3]));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'a, T> {
        // SAFETY: the layout is in bounds of the memory, which is readable and not written for `'a`.
        unsafe { Iter::new(self.ptr(), self.layout()) }
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
        let (first, second) = self.layout().split_at(axis, at)?;
        // SAFETY: the parts reach only elements of this view, which are readable for `'a`.
        let part = |layout| unsafe { View::from_parts(self.ptr(), layout) };
        Ok((part(first), part(second)))
    }

    /// Returns the elements as a slice, if they are contiguous in logical order. Unlike [`Elements::as_slice`] it does
    /// not borrow the view itself.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let slice = View::new(&data, Layout::row_major(&[2, 3])?)?.as_slice();
    /// assert_eq!(slice, Some(&data[..]));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn as_slice(&self) -> Option<&'a [T]> {
        if !self.layout().is_contiguous() {
            return None;
        }
        // SAFETY: the elements are at consecutive offsets from the start, readable and not written for
        // `'a`. An empty layout starts at 0.
        unsafe {
            let first = self.ptr().add(self.layout().start());
            Some(NonNull::slice_from_raw_parts(first, self.layout().len()).as_ref())
        }
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
    /// x.set([1, 0], 7)?;
    /// assert_eq!(data[3], 7);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the layout reaches outside of `data`, or an element has two indices.
    pub fn new(data: &'a mut [T], layout: Layout) -> Result<ViewMut<'a, T>, Error> {
        layout.check_fits(data.len())?;
        check_injective(&layout)?;
        // SAFETY: the layout is within the slice, which is borrowed for writing for `'a`, and injective.
        Ok(unsafe { ViewMut::from_parts(NonNull::from(data).cast(), layout) })
    }

    /// Returns a view of memory.
    ///
    /// # Safety
    /// - The invariant of `ViewMut::elements` must hold for the pointer and the layout.
    #[inline]
    pub(crate) unsafe fn from_parts(ptr: NonNull<T>, layout: Layout) -> ViewMut<'a, T> {
        // SAFETY: the view gives out references for at most `'a`, shared while it is borrowed and unique while it is
        // borrowed for writing; the rest is forwarded.
        ViewMut { elements: unsafe { SizedElements::new(ptr, layout) }, memory: PhantomData }
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
        if !self.layout().is_contiguous() {
            return None;
        }
        // SAFETY: the elements are at consecutive offsets from the start, and no other code accesses them
        // for `'a`; the view is consumed. An empty layout starts at 0.
        unsafe {
            let first = self.ptr().add(self.layout().start());
            Some(NonNull::slice_from_raw_parts(first, self.layout().len()).as_mut())
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
        let (first, second) = self.layout().split_at(axis, at)?;
        // SAFETY: the two parts of a split share no element, and the view is consumed.
        Ok(unsafe { (self.part(first), self.part(second)) })
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
            layouts[n] = Some(self.layout().slice(part)?);
            for (m, other) in parts[..n].iter().enumerate() {
                if self.layout().slices_overlap(other, part)? {
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
        // SAFETY: forwarded: same contract as this function.
        unsafe { ViewMut::from_parts(self.ptr(), layout) }
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
        // SAFETY: the layout is that of the slice, which is borrowed for `'a`.
        unsafe { View::from_parts(NonNull::from(data).cast(), layout) }
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
        // SAFETY: the layout is that of the slice, which is borrowed for writing for `'a`, and injective.
        unsafe { ViewMut::from_parts(NonNull::from(data).cast(), layout) }
    }
}

fn slice_layout(len: usize) -> Layout {
    let layout: Result<Layout, LayoutError> = Layout::row_major(&[len]);
    layout.expect("a slice in memory has fewer than isize::MAX elements")
}

impl<'a, T: Copy> IntoIterator for View<'a, T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T: Copy> IntoIterator for ViewMut<'a, T> {
    type Item = &'a mut T;
    type IntoIter = IterMut<'a, T>;

    #[inline]
    fn into_iter(self) -> IterMut<'a, T> {
        // SAFETY: the layout is in bounds of the memory and injective; no other code accesses the elements for `'a`,
        // and the view is consumed.
        unsafe { IterMut::new(self.ptr(), self.layout()) }
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for View<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View {{ layout: {:?} }}", self.layout())
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for ViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ViewMut {{ layout: {:?} }}", self.layout())
    }
}
