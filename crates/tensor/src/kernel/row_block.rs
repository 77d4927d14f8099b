//! Blocks of rows, each column of which is reduced to one total.

use super::raw_slice::RawSlice;
use super::reduction::Positions;
use super::row_loops::STREAMS;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Rows of contiguous elements, with their element type erased. Each column is reduced to one total; positions are
/// those of the rows.
#[derive(Clone, Copy)]
pub(super) struct RowBlock {
    pub at: *const u8,
    /// Bytes from one row to the next.
    pub row_step: isize,
    pub rows: usize,
    pub cols: usize,
    pub positions: Positions,
}

// Not generic, so that the loops of all reductions share them.
impl RowBlock {
    /// Returns the rows of each stream, see [`reduce_rows`](super::row_loops::reduce_rows).
    pub(super) fn rows_in_stream(&self) -> usize {
        (self.rows / STREAMS).max(1)
    }

    /// Returns row `r` of each stream; after the last, the rows that are left over.
    fn streams(&self, r: usize) -> RowBlock {
        let in_stream = self.rows_in_stream();
        let streams = self.rows / in_stream;
        match r < in_stream {
            true => self.part(r, streams, in_stream),
            false => self.part(streams * r, self.rows - streams * r, 1),
        }
    }

    /// Returns `count` rows, from row `first` on and `every` rows apart.
    fn part(&self, first: usize, count: usize, every: usize) -> RowBlock {
        let last = first + count.saturating_sub(1) * every;
        assert!(count == 0 || last < self.rows, "row {last} of {}", self.rows);
        RowBlock {
            at: self.at.wrapping_offset(first as isize * self.row_step),
            row_step: every as isize * self.row_step,
            rows: count,
            positions: Positions {
                first: self.positions.at(first),
                stride: every as isize * self.positions.stride,
            },
            ..*self
        }
    }

    /// Returns the rows in reverse order.
    fn reversed(&self) -> RowBlock {
        let last = self.rows.saturating_sub(1);
        RowBlock {
            at: self.at.wrapping_offset(last as isize * self.row_step),
            row_step: -self.row_step,
            positions: Positions { first: self.positions.at(last), stride: -self.positions.stride },
            ..*self
        }
    }
}

/// A [`RowBlock`] of readable elements of type `T`.
pub(super) struct TypedRows<'a, T> {
    block: RowBlock,
    elements: PhantomData<&'a [T]>,
}

impl<T> Clone for TypedRows<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TypedRows<'_, T> {}

impl<'a, T: Copy> TypedRows<'a, T> {
    /// # Safety
    /// All rows must be readable elements of type `T`, aligned for it, for the lifetime `'a`.
    #[inline(always)]
    pub(super) unsafe fn new(block: RowBlock) -> TypedRows<'a, T> {
        TypedRows { block, elements: PhantomData }
    }

    #[inline(always)]
    pub(super) fn block(&self) -> RowBlock {
        self.block
    }

    /// Returns the elements of row `r`.
    #[inline(always)]
    pub(super) fn row(&self, r: usize) -> RawSlice<'a, T> {
        assert!(r < self.block.rows, "a row of the block");
        let at = self.block.at.wrapping_offset(r as isize * self.block.row_step);
        // SAFETY: `r` is a row of the block, whose elements are readable for `'a` (`new`).
        unsafe { RawSlice::new(at.cast::<T>(), self.block.cols) }
    }

    /// Returns `count` rows, from row `first` on and `every` rows apart.
    #[inline(always)]
    pub(super) fn part(self, first: usize, count: usize, every: usize) -> TypedRows<'a, T> {
        TypedRows { block: self.block.part(first, count, every), ..self }
    }

    /// Returns row `r` of each stream; after the last, the rows that are left over.
    #[inline(always)]
    pub(super) fn streams(self, r: usize) -> TypedRows<'a, T> {
        TypedRows { block: self.block.streams(r), ..self }
    }

    /// Returns `count` columns, from column `first` on.
    #[inline(always)]
    pub(super) fn columns(self, first: usize, count: usize) -> TypedRows<'a, T> {
        assert!(first + count <= self.block.cols, "columns of the block");
        let at = self.block.at.wrapping_add(first * size_of::<T>());
        TypedRows { block: RowBlock { at, cols: count, ..self.block }, ..self }
    }

    /// Returns the rows in reverse order.
    #[inline(always)]
    pub(super) fn reversed(self) -> TypedRows<'a, T> {
        TypedRows { block: self.block.reversed(), ..self }
    }
}

/// Room for one value per column of a block.
pub(super) struct Columns<L, const N: usize>([MaybeUninit<L>; N]);

impl<L: Copy, const N: usize> Columns<L, N> {
    #[inline(always)]
    pub(super) fn new() -> Columns<L, N> {
        Columns([const { MaybeUninit::uninit() }; N])
    }

    /// Fills and returns the room of the first `cols` columns.
    #[inline(always)]
    pub(super) fn filled(&mut self, value: L, cols: usize) -> &mut [L] {
        let room = &mut self.0[..cols];
        let mut c = 0;
        while c < cols {
            room[c].write(value);
            c += 1;
        }
        // SAFETY: all of them have just been written.
        unsafe { room.assume_init_mut() }
    }
}
