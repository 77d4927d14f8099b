//! Positions of elements: arrays, tuples, slices and vectors of `usize`.

use super::Elements;
use crate::{Error, Layout, Shape};
use belvedere_layout::LayoutError;
use std::ops::{Index, IndexMut};

/// The position of an element: one `usize` for each axis, counted from the front.
///
/// Implemented for arrays, tuples of up to six, slices, vectors and [`Shape`], by value and by reference; and for a
/// single `usize`, the position in a view of rank 1. Arrays and tuples are the fast ones: their length is
/// known to the compiler.
///
/// ```
/// use belvedere::{Layout, View};
///
/// let data = [1, 2, 3, 4, 5, 6];
/// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
/// let list = vec![1, 0];
/// assert_eq!([x[[1, 0]], x[(1, 0)], x[&list], x.get(&[1, 0])?], [4; 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub trait ElementIndex: sealed::IndexSealed {
    /// Returns the offset of the element at this position; `None` if it is out of bounds, or has another number of
    /// coordinates than axes.
    #[doc(hidden)]
    fn checked_offset(&self, layout: &Layout) -> Option<usize>;

    /// Returns the error of a position without an offset. It is separate so that loops without errors are not
    /// slowed down by making room for one.
    #[doc(hidden)]
    fn error(&self, layout: &Layout) -> Error;

    /// Returns the offset of the element at this position.
    ///
    /// # Errors
    /// If the position is out of bounds, or has another number of coordinates than axes.
    #[doc(hidden)]
    #[inline(always)]
    fn offset(&self, layout: &Layout) -> Result<usize, Error> {
        match self.checked_offset(layout) {
            Some(offset) => Ok(offset),
            None => Err(self.error(layout)),
        }
    }
}

/// Keeps other crates from implementing the traits of indices: their offsets are not checked again.
pub(super) mod sealed {
    pub trait IndexSealed {}
}

impl<const N: usize> sealed::IndexSealed for [usize; N] {}

impl<const N: usize> ElementIndex for [usize; N] {
    #[inline(always)]
    fn checked_offset(&self, layout: &Layout) -> Option<usize> {
        layout.checked_offset(*self)
    }

    #[inline(always)]
    fn error(&self, layout: &Layout) -> Error {
        match layout.axes_array::<N>() {
            Some(axes) => position_error(*self, axes.map(|axis| axis.len)),
            None => LayoutError::IndexCount { given: N, rank: layout.rank() }.into(),
        }
    }
}

/// Returns the error of a position in a view of the lengths `dims`, which is out of bounds.
///
/// Inlined, without a call: then the compiler sees that a loop does not continue after it, and keeps the layout and
/// floats of the loop in registers.
#[inline(always)]
pub(super) fn position_error<const N: usize>(index: [usize; N], dims: [usize; N]) -> Error {
    let (mut i, mut axis, mut len) = (0, 0, 0);
    for k in (0..N).rev() {
        if index[k] >= dims[k] {
            (i, axis, len) = (index[k], k, dims[k]);
        }
    }
    LayoutError::IndexOutOfRange { index: i as i128, axis, len }.into()
}

macro_rules! tuple_indices {
    ($($tuple:ty { $pattern:pat => $array:expr })*) => {$(
        impl sealed::IndexSealed for $tuple {}

        impl ElementIndex for $tuple {
            #[inline(always)]
            fn checked_offset(&self, layout: &Layout) -> Option<usize> {
                let &$pattern = self;
                layout.checked_offset($array)
            }

            #[inline(always)]
            fn error(&self, layout: &Layout) -> Error {
                let &$pattern = self;
                $array.error(layout)
            }
        }
    )*};
}

tuple_indices!(
    usize { i => [i] }
    () { () => [0; 0] }
    (usize,) { (i,) => [i] }
    (usize, usize) { (i, j) => [i, j] }
    (usize, usize, usize) { (i, j, k) => [i, j, k] }
    (usize, usize, usize, usize) { (i, j, k, l) => [i, j, k, l] }
    (usize, usize, usize, usize, usize) { (i, j, k, l, m) => [i, j, k, l, m] }
    (usize, usize, usize, usize, usize, usize) { (i, j, k, l, m, n) => [i, j, k, l, m, n] }
);

macro_rules! list_indices {
    ($($list:ty)*) => {$(
        impl sealed::IndexSealed for $list {}

        impl ElementIndex for $list {
            #[inline]
            fn checked_offset(&self, layout: &Layout) -> Option<usize> {
                layout.offset(self).ok()
            }

            #[cold]
            fn error(&self, layout: &Layout) -> Error {
                layout.offset(self).expect_err("the position has no offset").into()
            }
        }
    )*};
}

list_indices!([usize] Vec<usize> Shape);

impl<I: ElementIndex + ?Sized> sealed::IndexSealed for &I {}

impl<I: ElementIndex + ?Sized> ElementIndex for &I {
    #[inline(always)]
    fn checked_offset(&self, layout: &Layout) -> Option<usize> {
        (**self).checked_offset(layout)
    }

    #[inline(always)]
    fn error(&self, layout: &Layout) -> Error {
        (**self).error(layout)
    }
}

/// # Panics
/// If the position is out of bounds, or has another number of coordinates than axes.
impl<T: Copy, I: ElementIndex> Index<I> for Elements<T> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &T {
        let Some(offset) = index.checked_offset(self.layout()) else {
            refuse(&index.error(self.layout()));
        };
        // SAFETY: the index has checked itself, so it is an offset of the layout, which is readable and not written
        // while `self` is borrowed.
        unsafe { self.ptr().add(offset).as_ref() }
    }
}

/// # Panics
/// If the position is out of bounds, or has another number of coordinates than axes.
impl<T: Copy, I: ElementIndex> IndexMut<I> for Elements<T> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut T {
        let Some(offset) = index.checked_offset(self.layout()) else {
            refuse(&index.error(self.layout()));
        };
        // SAFETY: the index has checked itself, so it is an offset of the layout, which is writable; no other code
        // accesses it while `self` is borrowed for writing.
        unsafe { self.ptr().add(offset).as_mut() }
    }
}

/// Panics with the text of an error.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn refuse(error: &Error) -> ! {
    panic!("{error}")
}
