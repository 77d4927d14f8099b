//! [`Elements`]: what views and guards dereference to, as vectors and boxes do to slices.
//!
//! `View`, `ViewMut`, `ReadGuard` and `WriteGuard` all have elements with a layout, and differ in what makes the
//! access sound and for how long. The methods that need no more than a borrow are defined here, once.
//! Whatever they return is bounded by the borrow of `self`, so it ends before the guard or the view does.
//!
//! Two other designs would be unsound.
//!
//! - A guard that dereferences to `View<'static, T>`: a view can be cloned, and the clone would outlive the
//!   guard and its claim on the memory. `Elements` has no lifetime to misstate and cannot be cloned.
//! - A sized `Elements`: `std::mem::swap(&mut *a, &mut *b)` on two guards would exchange their pointers, and after
//!   `b` is dropped `a` would access memory that nothing claims. `Elements<T>` is unsized, as `[T]` is, so
//!   that it cannot be moved, swapped or replaced. Its last field is a slice of no items; owners
//!   hold the type with an array of no items in its place and coerce references to it.
//!
//! A `&Elements<T>` gives the rights of a `&[T]`, and a `&mut Elements<T>` those of a `&mut [T]`.

use super::{ElementIndex, Iter, IterMut, View, ViewMut};
use crate::sync_ptr::SyncNonNull;
use crate::tensor::reserve;
use crate::{Error, Layout, Shape, Strides};
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Elements in memory with a layout: what [`View`], [`ViewMut`], [`ReadGuard`](crate::ReadGuard) and
/// [`WriteGuard`](crate::WriteGuard) dereference to.
///
/// It relates to them as `[T]` to `Vec<T>`: it holds the methods that they share, and a function that takes
/// `&Elements<T>` or `&mut Elements<T>` accepts each of them. Elements are read and written by
/// position (`x[[i, j]]`), iterated over in logical order, and divided into rows, lanes, windows and chunks.
/// `Tail` makes the type unsized, and is always the default.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::Elements;
///
/// fn trace(x: &Elements<f64>) -> f64 {
///     (0..x.shape()[0].min(x.shape()[1])).map(|i| x[[i, i]]).sum()
/// }
///
/// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!(trace(&x.read()?), 5.0);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct Elements<T, Tail: ?Sized = [()]> {
    /// Invariant: every offset of `layout` from here is an initialised `T`. While a `&Elements` exists, it is valid for
    /// reads and is not written. While a `&mut Elements` exists, it is valid for reads and writes, no other code
    /// accesses it, and the layout is injective.
    ptr: SyncNonNull<T>,
    layout: Layout,
    /// Makes the type `Send` and `Sync` as a `[T]` is.
    memory: PhantomData<T>,
    /// Makes the type unsized.
    _tail: Tail,
}

/// [`Elements`] of known size: the field of views and guards, which coerces to `Elements<T>` by reference.
pub(super) type SizedElements<T> = Elements<T, [(); 0]>;

impl<T> SizedElements<T> {
    /// Returns elements for an owner to give out references to.
    ///
    /// # Safety
    /// - The invariant of `Elements::ptr` must hold for every reference to the result that leaves the owner.
    #[inline]
    pub(super) unsafe fn new(ptr: NonNull<T>, layout: Layout) -> SizedElements<T> {
        Elements { ptr: SyncNonNull::new(ptr), layout, memory: PhantomData, _tail: [] }
    }
}

impl<T, Tail: ?Sized> Elements<T, Tail> {
    /// Returns the pointer that the offsets of the layout are relative to.
    #[inline]
    pub(crate) fn ptr(&self) -> NonNull<T> {
        self.ptr.get()
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
    #[inline]
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
    #[inline]
    pub fn shape(&self) -> Shape {
        self.layout.shape()
    }

    /// Returns the shape as an array, whose length is the rank.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let guard = tensor![[1, 2, 3], [4, 5, 6]].read::<i32>()?;
    /// let [rows, cols] = guard.dims()?;
    /// assert_eq!((rows, cols), (2, 3));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the rank is not `N`.
    #[inline]
    pub fn dims<const N: usize>(&self) -> Result<[usize; N], Error> {
        Ok(self.layout.dims()?)
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
    #[inline]
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
    #[inline]
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
    #[inline]
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
}

// Reading.
impl<T: Copy> Elements<T> {
    /// Borrows the elements as a view, for reading.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// x.set([0, 0], 7)?;
    /// assert_eq!(x.as_view().to_vec()?, [7, 2, 3, 4, 5, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn as_view(&self) -> View<'_, T> {
        // SAFETY: the elements are readable and not written while `self` is borrowed, by the invariant.
        unsafe { View::from_parts(self.ptr(), self.layout.clone()) }
    }

    /// Returns the element at an index.
    ///
    /// `x[[1, 0]]` is the same with a panic in place of the error. For a loop over many elements an iterator or a
    /// [`FixedView`](crate::FixedView) is faster.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.get([1, 0])?, 4);
    /// assert_eq!(x.get((1, 0))?, 4);
    /// assert!(x.get([2, 0]).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the index is out of bounds, or has another number of coordinates than axes.
    #[inline(always)]
    pub fn get(&self, index: impl ElementIndex) -> Result<T, Error> {
        match index.checked_offset(&self.layout) {
            // SAFETY: `index` has checked itself, so it is an offset of the layout, which is readable.
            Some(offset) => Ok(unsafe { self.ptr().add(offset).read() }),
            None => Err(index.error(&self.layout)),
        }
    }

    /// Iterates over the elements in logical order.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.iter().max(), Some(6));
    /// assert!(x.iter().rev().take(2).eq([6, 5]));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, T> {
        // SAFETY: the layout is in bounds of the memory, which is readable and not written while `self` is
        // borrowed, by the invariant.
        unsafe { Iter::new(self.ptr(), &self.layout) }
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
        let mut values = reserve(self.len())?;
        self.runs().for_each(|run| run.append_to(&mut values, |it| it));
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
    #[inline]
    pub fn as_slice(&self) -> Option<&[T]> {
        if !self.layout.is_contiguous() {
            return None;
        }
        // SAFETY: the elements are at consecutive offsets from the start, readable and not written while
        // `self` is borrowed. An empty layout starts at 0.
        unsafe {
            let first = self.ptr().add(self.layout.start());
            Some(NonNull::slice_from_raw_parts(first, self.layout.len()).as_ref())
        }
    }
}

// Writing.
impl<T: Copy> Elements<T> {
    /// Borrows the elements as a view, for writing.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// x.reborrow().fill(0);
    /// x.set([0, 0], 7)?;
    /// assert_eq!(data, [7, 0, 0, 0, 0, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        // SAFETY: no other code accesses the elements while `self` is borrowed for writing, and the layout is
        // injective, by the invariant.
        unsafe { ViewMut::from_parts(self.ptr(), self.layout.clone()) }
    }

    /// Returns a reference to the element at an index, for writing.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// *x.get_mut([1, 0])? *= 10;
    /// assert_eq!(data, [1, 2, 3, 40, 5, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the index is out of bounds, or has another number of coordinates than axes.
    #[inline(always)]
    pub fn get_mut(&mut self, index: impl ElementIndex) -> Result<&mut T, Error> {
        match index.checked_offset(&self.layout) {
            // SAFETY: `index` has checked itself, so it is an offset of the layout, which is writable; no other code
            // accesses it while `self` is borrowed for writing.
            Some(offset) => Ok(unsafe { self.ptr().add(offset).as_mut() }),
            None => Err(index.error(&self.layout)),
        }
    }

    /// Sets the element at an index.
    ///
    /// `x[[1, 0]] = 7` is the same with a panic in place of the error.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// x.set([1, 0], 7)?;
    /// x[[1, 1]] = 8;
    /// assert_eq!(data, [1, 2, 3, 7, 8, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the index is out of bounds, or has another number of coordinates than axes.
    #[inline(always)]
    pub fn set(&mut self, index: impl ElementIndex, value: T) -> Result<(), Error> {
        *self.get_mut(index)? = value;
        Ok(())
    }

    /// Iterates over references to the elements in logical order.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// for value in x.iter_mut().rev().take(2) {
    ///     *value = 0;
    /// }
    /// assert_eq!(data, [1, 2, 3, 4, 0, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        // SAFETY: the layout is in bounds of the memory and injective, and no other code accesses the elements while
        // `self` is borrowed for writing, by the invariant.
        unsafe { IterMut::new(self.ptr(), &self.layout) }
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
        self.iter_mut().for_each(|element| *element = value);
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
        self.iter_mut().for_each(|element| *element = f(*element));
    }

    /// Returns the elements as a slice for writing, if they are contiguous in logical order.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [3, 1, 2];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[3])?)?;
    /// x.as_mut_slice().expect("a contiguous layout").sort();
    /// assert_eq!(data, [1, 2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        if !self.layout.is_contiguous() {
            return None;
        }
        // SAFETY: the elements are at consecutive offsets from the start, and no other code accesses them while
        // `self` is borrowed for writing. An empty layout starts at 0.
        unsafe {
            let first = self.ptr().add(self.layout.start());
            Some(NonNull::slice_from_raw_parts(first, self.layout.len()).as_mut())
        }
    }
}

impl<T> fmt::Debug for Elements<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Elements {{ layout: {:?} }}", self.layout)
    }
}

impl<'v, T: Copy> IntoIterator for &'v Elements<T> {
    type Item = T;
    type IntoIter = Iter<'v, T>;

    #[inline]
    fn into_iter(self) -> Iter<'v, T> {
        self.iter()
    }
}

impl<'v, T: Copy> IntoIterator for &'v mut Elements<T> {
    type Item = &'v mut T;
    type IntoIter = IterMut<'v, T>;

    #[inline]
    fn into_iter(self) -> IterMut<'v, T> {
        self.iter_mut()
    }
}

/// Implements `Deref` and iteration by reference for an owner of elements, by the field that holds them.
macro_rules! deref_to_elements {
    ($owner:ident<$($lifetime:lifetime,)? $T:ident: $bound:path>, $($field:ident).+) => {
        impl<$($lifetime,)? $T: $bound> std::ops::Deref for $owner<$($lifetime,)? $T> {
            type Target = Elements<$T>;

            #[inline(always)]
            fn deref(&self) -> &Elements<$T> {
                &self.$($field).+
            }
        }

        impl<'v, $($lifetime,)? $T: $bound> IntoIterator for &'v $owner<$($lifetime,)? $T> {
            type Item = $T;
            type IntoIter = $crate::view::Iter<'v, $T>;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                (**self).iter()
            }
        }
    };
    (mut $owner:ident<$($lifetime:lifetime,)? $T:ident: $bound:path>, $($field:ident).+) => {
        deref_to_elements!($owner<$($lifetime,)? $T: $bound>, $($field).+);

        impl<$($lifetime,)? $T: $bound> std::ops::DerefMut for $owner<$($lifetime,)? $T> {
            #[inline(always)]
            fn deref_mut(&mut self) -> &mut Elements<$T> {
                &mut self.$($field).+
            }
        }

        impl<'v, $($lifetime,)? $T: $bound> IntoIterator for &'v mut $owner<$($lifetime,)? $T> {
            type Item = &'v mut $T;
            type IntoIter = $crate::view::IterMut<'v, $T>;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                (**self).iter_mut()
            }
        }
    };
}

pub(super) use deref_to_elements;
