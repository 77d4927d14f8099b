//! Iteration by chunks: parts of a given length along an axis.

use super::{Elements, View, ViewMut};
use crate::sync_ptr::SyncNonNull;
use crate::{Error, Layout};
use belvedere_layout::LayoutError;
use std::iter::FusedIterator;
use std::marker::PhantomData;

/// The chunks of a layout along an axis that neither end of an iterator has reached.
#[derive(Clone)]
struct ChunkRange {
    layout: Layout,
    axis: usize,
    size: usize,
    /// The positions of the axis that are left.
    start: usize,
    end: usize,
    /// The number of chunks that are left. An axis of length 0 has one, which is empty.
    n_left: usize,
}

impl ChunkRange {
    fn new(layout: &Layout, axis: isize, size: usize) -> Result<ChunkRange, LayoutError> {
        let axis = layout.resolve_axis(axis)?;
        if size == 0 {
            return Err(LayoutError::Zero { what: "size of a part", axis });
        }
        let end = layout.axes()[axis].len;
        let n_left = end.div_ceil(size).max(1);
        Ok(ChunkRange { layout: layout.clone(), axis, size, start: 0, end, n_left })
    }

    fn chunk(&self, start: usize, end: usize) -> Layout {
        let chunk = self.layout.narrow(self.axis as isize, start, end - start);
        chunk.expect("the range is within the axis")
    }

    fn next(&mut self) -> Option<Layout> {
        self.n_left = self.n_left.checked_sub(1)?;
        let start = self.start;
        self.start = (start + self.size.min(self.end - start)).min(self.end);
        Some(self.chunk(start, self.start))
    }

    fn next_back(&mut self) -> Option<Layout> {
        self.n_left = self.n_left.checked_sub(1)?;
        let end = self.end;
        // All chunks begin at `start` plus a multiple of the size.
        self.end = self.start + self.n_left * self.size;
        Some(self.chunk(self.end, end))
    }
}

/// An iterator over parts of a view along an axis; returned by [`Elements::chunks`].
pub struct Chunks<'v, T> {
    /// Invariant: the elements of the range's layout, relative to this pointer, are those of a `View` with the
    /// lifetime `'v`.
    ptr: SyncNonNull<T>,
    range: ChunkRange,
    memory: PhantomData<&'v T>,
}

/// An iterator over parts of a view along an axis, for writing; returned by [`Elements::chunks_mut`].
pub struct ChunksMut<'v, T> {
    /// Invariant: the elements of the range's layout, relative to this pointer, are those of a `ViewMut` with the
    /// lifetime `'v`.
    ptr: SyncNonNull<T>,
    range: ChunkRange,
    memory: PhantomData<&'v mut T>,
}

impl<T> Clone for Chunks<'_, T> {
    fn clone(&self) -> Self {
        Chunks { ptr: self.ptr, range: self.range.clone(), memory: PhantomData }
    }
}

impl<'v, T: Copy> Chunks<'v, T> {
    fn view(&self, layout: Layout) -> View<'v, T> {
        // SAFETY: the layouts of the range reach elements of the view that was divided, which are readable for `'v`.
        unsafe { View::from_parts(self.ptr.get(), layout) }
    }
}

impl<'v, T: Copy> ChunksMut<'v, T> {
    fn view(&mut self, layout: Layout) -> ViewMut<'v, T> {
        // SAFETY: the layouts of the range reach elements of the view that was divided, which no other code accesses
        // for `'v`. It is injective, so each chunk is, and no two share an element; the range returns each once.
        unsafe { ViewMut::from_parts(self.ptr.get(), layout) }
    }
}

macro_rules! walk_chunks {
    ($($chunks:ident => $view:ident)*) => {$(
        impl<'v, T: Copy> Iterator for $chunks<'v, T> {
            type Item = $view<'v, T>;

            fn next(&mut self) -> Option<$view<'v, T>> {
                self.range.next().map(|layout| self.view(layout))
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.range.n_left, Some(self.range.n_left))
            }
        }

        impl<T: Copy> DoubleEndedIterator for $chunks<'_, T> {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.range.next_back().map(|layout| self.view(layout))
            }
        }

        impl<T: Copy> ExactSizeIterator for $chunks<'_, T> {}

        impl<T: Copy> FusedIterator for $chunks<'_, T> {}
    )*};
}

walk_chunks!(Chunks => View ChunksMut => ViewMut);

impl<T: Copy> Elements<T> {
    /// Iterates over parts of `size` along an axis; the last one may be shorter.
    ///
    /// An axis of length 0 has one part, which is empty.
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
    pub fn chunks(&self, axis: isize, size: usize) -> Result<Chunks<'_, T>, Error> {
        let range = ChunkRange::new(self.layout(), axis, size)?;
        Ok(Chunks { ptr: SyncNonNull::new(self.ptr()), range, memory: PhantomData })
    }

    /// Iterates over parts of `size` along an axis, for writing; the last one may be shorter. The parts share no
    /// element, so that several threads can write to them.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [0; 6];
    /// let mut x = ViewMut::new(&mut data, Layout::row_major(&[2, 3])?)?;
    /// std::thread::scope(|scope| {
    ///     for (k, mut column) in x.chunks_mut(1, 1)?.enumerate() {
    ///         scope.spawn(move || column.fill(k));
    ///     }
    ///     Ok::<(), belvedere::Error>(())
    /// })?;
    /// assert_eq!(data, [0, 1, 2, 0, 1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or `size` is 0.
    pub fn chunks_mut(&mut self, axis: isize, size: usize) -> Result<ChunksMut<'_, T>, Error> {
        self.reborrow().into_chunks(axis, size)
    }
}

impl<'a, T: Copy> ViewMut<'a, T> {
    /// Divides the view into parts of `size` along an axis; the last one may be shorter.
    ///
    /// As [`Elements::chunks_mut`], for the lifetime of the view instead of a borrow of it.
    ///
    /// ```
    /// use belvedere::{Layout, ViewMut};
    ///
    /// let mut data = [0; 6];
    /// let layout = Layout::row_major(&[6])?;
    /// std::thread::scope(|scope| {
    ///     let (left, _) = ViewMut::new(&mut data, layout)?.split_at(0, 4)?;
    ///     for (k, mut part) in left.into_chunks(0, 2)?.enumerate() {
    ///         scope.spawn(move || part.fill(k + 1));
    ///     }
    ///     Ok::<(), belvedere::Error>(())
    /// })?;
    /// assert_eq!(data, [1, 1, 2, 2, 0, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or `size` is 0.
    pub fn into_chunks(self, axis: isize, size: usize) -> Result<ChunksMut<'a, T>, Error> {
        let range = ChunkRange::new(self.layout(), axis, size)?;
        Ok(ChunksMut { ptr: SyncNonNull::new(self.ptr()), range, memory: PhantomData })
    }
}
