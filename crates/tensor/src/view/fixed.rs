//! Views of constant rank, for element loops.
//!
//! A [`View`] can have any rank, so an index into it reads the number of axes, lengths and strides from memory for every
//! element. A [`FixedView`] keeps them in arrays of constant length. It is `Copy` and small, so that the compiler keeps
//! all of it in registers, unrolls the sum over axes, and moves bounds checks out of loops.

use super::element_index::refuse;
use super::{Elements, Iter, View, ViewMut};
use crate::sync_ptr::SyncPtr;
use crate::{Error, Layout};
use belvedere_layout::{Axis, LayoutError};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::ptr::NonNull;

/// A position in a view of `N` axes: an array, a tuple, or for one axis a `usize`.
///
/// ```
/// use belvedere::{FixedView, View};
///
/// let x: FixedView<i32, 1> = View::from(&[1, 2, 3][..]).fixed()?;
/// assert_eq!([x[2], x[[2]], x[(2,)]], [3; 3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub trait FixedIndex<const N: usize>: sealed::Sealed {
    /// Returns the position as an array.
    #[doc(hidden)]
    fn coordinates(self) -> [usize; N];
}

/// Keeps other crates from implementing the trait, so that it can be extended.
mod sealed {
    pub trait Sealed {}
}

impl<const N: usize> sealed::Sealed for [usize; N] {}

impl<const N: usize> FixedIndex<N> for [usize; N] {
    #[inline(always)]
    fn coordinates(self) -> [usize; N] {
        self
    }
}

macro_rules! fixed_indices {
    ($($n:literal $tuple:ty { $pattern:pat => $array:expr })*) => {$(
        impl sealed::Sealed for $tuple {}

        impl FixedIndex<$n> for $tuple {
            #[inline(always)]
            fn coordinates(self) -> [usize; $n] {
                let $pattern = self;
                $array
            }
        }
    )*};
}

fixed_indices!(
    1 usize { i => [i] }
    0 () { () => [] }
    1 (usize,) { (i,) => [i] }
    2 (usize, usize) { (i, j) => [i, j] }
    3 (usize, usize, usize) { (i, j, k) => [i, j, k] }
    4 (usize, usize, usize, usize) { (i, j, k, l) => [i, j, k, l] }
    5 (usize, usize, usize, usize, usize) { (i, j, k, l, m) => [i, j, k, l, m] }
    6 (usize, usize, usize, usize, usize, usize) { (i, j, k, l, m, n) => [i, j, k, l, m, n] }
);

/// A pointer to the first element, and the lengths and strides of `N` axes.
///
/// Invariant: the elements that they lead to are in bounds of the memory that the pointer was made for. `Layout::new`
/// accepts the axes.
struct FixedAxes<T, const N: usize> {
    ptr: SyncPtr<T>,
    dims: [usize; N],
    strides: [isize; N],
}

impl<T, const N: usize> Clone for FixedAxes<T, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for FixedAxes<T, N> {}

impl<T: Copy, const N: usize> FixedAxes<T, N> {
    /// Returns the axes of elements.
    ///
    /// # Errors
    /// If there are not `N` of them.
    fn new(elements: &Elements<T>, operation: &'static str) -> Result<FixedAxes<T, N>, Error> {
        let layout = elements.layout();
        let Ok(axes) = <&[Axis; N]>::try_from(layout.axes()) else {
            let rank = layout.rank();
            return Err(LayoutError::WrongRank { operation, least: N, most: N, rank }.into());
        };
        let ptr = SyncPtr::new(elements.ptr().as_ptr().wrapping_add(layout.start()));
        Ok(FixedAxes { ptr, dims: axes.map(|it| it.len), strides: axes.map(|it| it.stride) })
    }

    /// Returns the pointer to the element at a position.
    ///
    /// # Safety
    /// - The position must be in bounds.
    #[inline(always)]
    unsafe fn at(&self, index: [usize; N]) -> *mut T {
        let mut offset = 0;
        for k in 0..N {
            offset += index[k] as isize * self.strides[k];
        }
        // SAFETY: the position is in bounds, and so the element, by the invariant.
        unsafe { self.ptr.get().offset(offset) }
    }

    /// Returns the pointer to the element at a position, which is in bounds.
    ///
    /// # Panics
    /// If the position is out of bounds.
    #[inline(always)]
    #[track_caller]
    fn checked_at(&self, index: [usize; N]) -> *mut T {
        for k in 0..N {
            if index[k] >= self.dims[k] {
                refuse_position(index, self.dims);
            }
        }
        // SAFETY: the position was just compared with the lengths.
        unsafe { self.at(index) }
    }

    #[inline(always)]
    fn contains(&self, index: [usize; N]) -> bool {
        index.iter().zip(&self.dims).all(|(i, len)| i < len)
    }

    fn len(&self) -> usize {
        self.dims.iter().product()
    }

    /// Returns a pointer, and the layout relative to it.
    fn with_layout(&self) -> (NonNull<T>, Layout) {
        let mut axes = [Axis::new(0, 0); N];
        for k in 0..N {
            axes[k] = Axis::new(self.dims[k], self.strides[k]);
        }
        let reach = |axis: &Axis| axis.len.saturating_sub(1) as isize * axis.stride;
        let below: isize = match self.len() {
            0 => 0,
            _ => axes.iter().map(|axis| reach(axis).min(0)).sum(),
        };
        let layout =
            Layout::new(below.unsigned_abs(), &axes).expect("the axes are those of a layout");
        let ptr = NonNull::new(self.ptr.element(below));
        (ptr.expect("the lowest element is in memory"), layout)
    }

    /// Restricts an axis to `count` positions from `start` on.
    fn narrow(mut self, axis: isize, start: usize, count: usize) -> Result<Self, Error> {
        let (_, layout) = self.with_layout();
        let k = layout.resolve_axis(axis)?;
        if !layout.narrow(axis, start, count)?.is_empty() {
            self.ptr = SyncPtr::new(self.ptr.element(start as isize * self.strides[k]));
        }
        self.dims[k] = count;
        Ok(self)
    }

    /// Selects position `i` of an axis: `M` is `N - 1`.
    ///
    /// # Panics
    /// If there is no such axis or position.
    #[inline(always)]
    #[track_caller]
    fn select<const M: usize>(&self, axis: usize, i: usize) -> FixedAxes<T, M> {
        const { assert!(M + 1 == N, "one axis is removed") };
        assert!(axis < N, "axis {axis} is out of range for a view of rank {N}");
        let len = self.dims[axis];
        assert!(i < len, "index {i} is out of range for axis {axis} of length {len}");
        let mut part = FixedAxes { ptr: self.ptr, dims: [0; M], strides: [0; M] };
        part.ptr = SyncPtr::new(self.ptr.element(i as isize * self.strides[axis]));
        for k in 0..M {
            let from = if k < axis { k } else { k + 1 };
            part.dims[k] = self.dims[from];
            part.strides[k] = self.strides[from];
        }
        part
    }

    /// Whether the elements are contiguous in logical order.
    #[inline]
    fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        for k in (0..N).rev() {
            if self.dims[k] != 1 && self.strides[k] != expected {
                return self.len() == 0;
            }
            expected *= self.dims[k] as isize;
        }
        true
    }
}

/// Panics with the error of a position that is out of bounds.
#[cold]
#[inline(never)]
#[track_caller]
fn refuse_position<const N: usize>(index: [usize; N], dims: [usize; N]) -> ! {
    refuse(&position_error(index, dims))
}

#[cold]
#[inline(never)]
fn position_error<const N: usize>(index: [usize; N], dims: [usize; N]) -> Error {
    let k = (0..N).find(|&k| index[k] >= dims[k]).expect("the position is out of bounds");
    LayoutError::IndexOutOfRange { index: index[k] as i128, axis: k, len: dims[k] }.into()
}

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

impl<T, const N: usize> Clone for FixedView<'_, T, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for FixedView<'_, T, N> {}

impl<T: Copy> Elements<T> {
    /// Returns a view of constant rank, for element loops.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.fixed::<2>()?[[1, 0]], 4);
    /// assert_eq!(x.fixed::<3>().map(drop).unwrap_err().to_string(), "fixed needs rank 3 or more, got rank 2");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the rank is not `N`.
    pub fn fixed<const N: usize>(&self) -> Result<FixedView<'_, T, N>, Error> {
        // The invariant: the elements are readable while `self` is borrowed.
        Ok(FixedView { axes: FixedAxes::new(self, "fixed")?, memory: PhantomData })
    }

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

    /// Returns the stride of each axis, in elements; 0 for an axis of length 1.
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
        if !self.axes.contains(index) {
            return Err(position_error(index, self.axes.dims));
        }
        // SAFETY: the position is in bounds, as was just checked, and the element readable.
        Ok(unsafe { self.axes.at(index).read() })
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
    #[inline]
    pub fn iter(&self) -> Iter<'a, T> {
        self.as_view().iter()
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
        let (dims, mut next) = (self.axes.dims, [0; N]);
        self.iter().map(move |value| {
            let index = next;
            for k in (0..N).rev() {
                next[k] += 1;
                if next[k] < dims[k] {
                    break;
                }
                next[k] = 0;
            }
            (index, value)
        })
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

    /// Returns the stride of each axis, in elements; 0 for an axis of length 1.
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
        // The invariant: nothing writes to the elements while `self` is borrowed.
        FixedView { axes: self.axes, memory: PhantomData }
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
