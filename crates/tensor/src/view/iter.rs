//! Iterators over the elements of a view in logical order.

use super::View;
use crate::Layout;
use belvedere_layout::{Axis, Offsets};
use std::ptr::NonNull;

/// An iterator over the elements of a view in logical order; returned by [`View::iter`].
///
/// ```
/// use belvedere::View;
///
/// assert_eq!(View::from(&[3, 1, 2][..]).iter().max(), Some(3));
/// ```
pub struct Iter<'v, T> {
    view: &'v View<'v, T>,
    offsets: Offsets<'v>,
}

impl<'v, T: Copy> Iter<'v, T> {
    pub(super) fn new(view: &'v View<'_, T>) -> Iter<'v, T> {
        Iter { view, offsets: view.layout().offsets() }
    }
}

impl<T: Copy> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let offset = self.offsets.next()?;
        // SAFETY: it is an offset of the view's layout, which is readable while the view is borrowed.
        Some(unsafe { self.view.ptr().as_ptr().add(offset).read() })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.offsets.size_hint()
    }
}

impl<T: Copy> ExactSizeIterator for Iter<'_, T> {}

/// An iterator over the longest runs of one stride in a view; returned by [`View::runs`].
///
/// ```
/// use belvedere::{Layout, Strided, View};
///
/// let data = [0, 1, 2, 3, 4, 5, 6, 7];
/// let view = View::new(&data, Layout::row_major(&[2, 4])?)?.narrow(1, 1, 2)?;
/// let sums: Vec<i32> = view.runs().map(|run| run.sum()).collect();
/// assert_eq!(sums, [1 + 2, 5 + 6]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct Runs<'v, T> {
    ptr: NonNull<T>,
    /// The coalesced layout without its innermost axis.
    outer: Layout,
    inner: Axis,
    /// The index of the next run in `outer`, or `None` at the end.
    next: Option<Vec<usize>>,
    view: std::marker::PhantomData<&'v T>,
}

impl<'v, T: Copy> Runs<'v, T> {
    pub(super) fn new(view: &'v View<'_, T>) -> Runs<'v, T> {
        let coalesced = view.layout().coalesced();
        let inner = coalesced.axes().last().copied().unwrap_or(Axis { len: 1, stride: 0 });
        let outer = match coalesced.rank() {
            0 => coalesced,
            _ => match coalesced.is_empty() {
                true => coalesced,
                false => coalesced.select(-1, 0).expect("the last axis has a first position"),
            },
        };
        let next = (!view.layout().is_empty()).then(|| vec![0; outer.rank()]);
        Runs { ptr: view.ptr(), outer, inner, next, view: std::marker::PhantomData }
    }
}

impl<'v, T: Copy> Iterator for Runs<'v, T> {
    type Item = RunValues<'v, T>;

    fn next(&mut self) -> Option<RunValues<'v, T>> {
        let index = self.next.as_mut()?;
        let offset = self.outer.offset(index).expect("the index counts through the outer axes");
        let more = index.iter_mut().zip(self.outer.axes()).rev().any(|(at, axis)| {
            *at = if *at + 1 < axis.len { *at + 1 } else { 0 };
            *at != 0
        });
        if !more {
            self.next = None;
        }
        let Axis { len, stride } = self.inner;
        Some(RunValues { ptr: self.ptr, offset, stride, left: len, view: self.view })
    }
}

/// An iterator over the elements of one run; returned by [`Runs`].
pub struct RunValues<'v, T> {
    ptr: NonNull<T>,
    offset: usize,
    stride: isize,
    left: usize,
    view: std::marker::PhantomData<&'v T>,
}

impl<T> RunValues<'_, T> {
    /// Returns the stride, in elements.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let view = View::new(&data, Layout::row_major(&[6])?)?.step(0, 2)?;
    /// assert_eq!(view.runs().next().map(|run| run.stride()), Some(2));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn stride(&self) -> isize {
        self.stride
    }
}

impl<T: Copy> Iterator for RunValues<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        let at = self.offset;
        self.offset = at.wrapping_add_signed(self.stride);
        // SAFETY: `Runs` sets the offset, the stride and the length of a run to those of the view's
        // innermost axis, so `at` is an offset of the layout; the view is borrowed.
        Some(unsafe { self.ptr.as_ptr().add(at).read() })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T: Copy> ExactSizeIterator for RunValues<'_, T> {}
