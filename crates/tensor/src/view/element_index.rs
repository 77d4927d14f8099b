//! Positions of elements: arrays, tuples, slices and vectors of `usize`.

use super::Elements;
use crate::{Error, Layout, Shape};
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
pub trait ElementIndex: sealed::Sealed {
    /// Returns the offset of the element at this position.
    ///
    /// # Errors
    /// If the position is out of bounds, or has another number of coordinates than axes.
    #[doc(hidden)]
    fn offset(&self, layout: &Layout) -> Result<usize, Error>;
}

/// Keeps other crates from implementing the trait: its offsets are not checked again.
mod sealed {
    pub trait Sealed {}
}

impl<const N: usize> sealed::Sealed for [usize; N] {}

impl<const N: usize> ElementIndex for [usize; N] {
    #[inline(always)]
    fn offset(&self, layout: &Layout) -> Result<usize, Error> {
        match layout.checked_offset(*self) {
            Some(offset) => Ok(offset),
            None => Err(out_of_bounds(self, layout)),
        }
    }
}

/// Returns the error of a position that a layout has not.
#[cold]
#[inline(never)]
fn out_of_bounds(index: &[usize], layout: &Layout) -> Error {
    layout.offset(index).expect_err("the position was found to be out of bounds").into()
}

macro_rules! tuple_indices {
    ($($tuple:ty { $pattern:pat => $array:expr })*) => {$(
        impl sealed::Sealed for $tuple {}

        impl ElementIndex for $tuple {
            #[inline(always)]
            fn offset(&self, layout: &Layout) -> Result<usize, Error> {
                let &$pattern = self;
                $array.offset(layout)
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
        impl sealed::Sealed for $list {}

        impl ElementIndex for $list {
            #[inline]
            fn offset(&self, layout: &Layout) -> Result<usize, Error> {
                Ok(layout.offset(self)?)
            }
        }
    )*};
}

list_indices!([usize] Vec<usize> Shape);

impl<I: ElementIndex + ?Sized> sealed::Sealed for &I {}

impl<I: ElementIndex + ?Sized> ElementIndex for &I {
    #[inline(always)]
    fn offset(&self, layout: &Layout) -> Result<usize, Error> {
        (**self).offset(layout)
    }
}

/// # Panics
/// If the position is out of bounds, or has another number of coordinates than axes.
impl<T: Copy, I: ElementIndex> Index<I> for Elements<T> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &T {
        match self.get_ref(index) {
            Ok(element) => element,
            Err(error) => refuse(&error),
        }
    }
}

/// # Panics
/// If the position is out of bounds, or has another number of coordinates than axes.
impl<T: Copy, I: ElementIndex> IndexMut<I> for Elements<T> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut T {
        match self.get_mut(index) {
            Ok(element) => element,
            Err(error) => refuse(&error),
        }
    }
}

/// Panics with the text of an error.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn refuse(error: &Error) -> ! {
    panic!("{error}")
}
