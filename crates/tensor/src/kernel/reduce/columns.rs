//! Reductions whose innermost loop is kept: several columns are reduced at once, row by row.

use super::{At, FEW_RESULTS, Loop3, ReduceJob, Sink};
use crate::kernel::copy::Steps;
use crate::kernel::map::Buffer;
use crate::kernel::reducer::{Accumulators, Slot};
use crate::kernel::reduction::{MAX_COLS, MAX_ROWS, Positions};
use crate::kernel::row_block::RowBlock;
use crate::plan::{BLOCK_ELEMENTS, Loop};

/// The columns that are packed at once.
const PACKED_COLS: usize = 64;

/// The number of columns up to which the totals take a small stack frame.
const FEW_COLS: usize = 256;

/// The bytes of a row that are read at once, if it is that long: together with the accumulators of the columns they
/// stay in the L2 cache.
const ROW_BYTES: usize = 1 << 14;

impl ReduceJob {
    /// # Safety
    /// That of `results`, for the results of one loop.
    pub(super) unsafe fn columns(
        &self,
        cols: &Loop3,
        reduced: &[Loop3],
        at: At,
        number: usize,
        sink: &mut Sink<'_, '_>,
    ) {
        // SAFETY: forwarded: same contract as this function.
        unsafe {
            match self.rows_in_one(cols, reduced) {
                1 if cols.len <= FEW_COLS => {
                    self.columns_in::<FEW_COLS>(cols, reduced, at, number, sink);
                }
                1 => self.columns_in::<MAX_COLS>(cols, reduced, at, number, sink),
                n => self.few_columns(cols, reduced[0], n, at, number, sink),
            }
        }
    }

    /// Returns how many rows are reduced as one: if there are few columns and the rows are contiguous, several
    /// rows fill the vectors. Not if positions are needed, which are those of rows.
    fn rows_in_one(&self, cols: &Loop3, reduced: &[Loop3]) -> usize {
        match reduced {
            // Fewer columns than `FEW_RESULTS` are never cut between threads, so the order of a sum is fixed.
            [rows] if cols.len < FEW_RESULTS && self.is_direct(cols.steps[1]) => {
                let is_dense = rows.steps[1] == cols.len as isize && rows.steps[2] == 0;
                // Each additional row costs one merge per column in the end.
                let most = (FEW_COLS / cols.len).min(rows.len / 32).max(1);
                if is_dense { most } else { 1 }
            }
            _ => 1,
        }
    }

    /// Reduces few columns, with `n` rows as one.
    ///
    /// # Safety
    /// That of `columns`, for an `n` that `rows_in_one` returned.
    unsafe fn few_columns(
        &self,
        cols: &Loop3,
        rows: Loop3,
        n: usize,
        at: At,
        number: usize,
        sink: &mut Sink<'_, '_>,
    ) {
        let mut slots = Slot::empty::<FEW_COLS>();
        let mut totals = Accumulators::new(&self.reducer, &mut slots[..n * cols.len]);
        let wide = Loop { len: rows.len / n, steps: rows.steps.map(|step| step * n as isize) };
        let rest = Loop { len: rows.len % n, ..rows };
        // SAFETY: the rows are contiguous, so `n` of them are one row of `n * cols.len` elements of the loops.
        unsafe {
            self.rows(&[wide], 1, n * cols.len, at, &mut totals);
            if rest.len > 0 {
                let at = at.after(wide.len * n, &rows);
                self.rows(&[rest], 1, cols.len, at, &mut totals);
            }
        }
        for i in 1..n {
            totals.merge_within(i * cols.len, cols.len);
        }
        self.complete(&mut totals, sink);
        for c in 0..cols.len {
            // SAFETY: forwarded: same contract as this function.
            unsafe { self.put(&totals, c, at.after(c, cols), number + c, sink) };
        }
    }

    /// Returns the columns of a loop that are reduced at once.
    pub(super) fn widest(&self, cols: &Loop3) -> usize {
        match self.is_direct(cols.steps[1]) {
            true => (ROW_BYTES / self.size).min(MAX_COLS),
            false => PACKED_COLS,
        }
    }

    /// # Safety
    /// That of `columns`.
    #[inline(never)]
    unsafe fn columns_in<const N: usize>(
        &self,
        cols: &Loop3,
        reduced: &[Loop3],
        at: At,
        number: usize,
        sink: &mut Sink<'_, '_>,
    ) {
        let mut slots = Slot::empty::<N>();
        let most = self.widest(cols).min(N);
        for from in (0..cols.len).step_by(most) {
            let width = most.min(cols.len - from);
            let part = at.after(from, cols);
            let mut totals = Accumulators::new(&self.reducer, &mut slots[..width]);
            // SAFETY: the columns lie in the loop.
            unsafe {
                self.rows(reduced, cols.steps[1], width, part, &mut totals);
                self.complete(&mut totals, sink);
                for c in 0..width {
                    self.put(&totals, c, part.after(c, cols), number + from + c, sink);
                }
            }
        }
    }

    /// Accumulates the rows of a nest of reduced loops, each column into its own total.
    ///
    /// # Safety
    /// The loops must lead to elements of the input, and so must `cols` steps of `col` from each of them.
    unsafe fn rows(
        &self,
        reduced: &[Loop3],
        col: isize,
        cols: usize,
        at: At,
        totals: &mut Accumulators<'_>,
    ) {
        let once = Loop { len: 1, steps: [0; 3] };
        let (rows, outer) = reduced.split_last().unwrap_or((&once, &[]));
        let size = self.size as isize;
        let is_direct = self.is_direct(col);
        // Independent of the number of columns, which depends on the cuts between threads.
        let most = if is_direct { MAX_ROWS } else { BLOCK_ELEMENTS / PACKED_COLS };
        let mut buffers = [Buffer::new(), Buffer::new()];
        super::walk(outer, at, &mut |at| {
            for from in (0..rows.len).step_by(most) {
                if totals.are_final() {
                    return;
                }
                let count = most.min(rows.len - from);
                let part = at.after(from, rows);
                let mut row_step = rows.steps[1] * size;
                let positions = Positions { first: part.position, stride: rows.steps[2] };
                // SAFETY: the rows lie in the loops; if they are packed, they are at most `BLOCK_ELEMENTS` elements, and
                // contiguous elements of the reducer's dtype afterwards.
                unsafe {
                    let mut at = self.element(part.input);
                    if !is_direct {
                        let from = Steps { rows: row_step, cols: col * size };
                        at = self.pack(&mut buffers, at, from, [count, cols]);
                        row_step = (cols * self.reducer_size) as isize;
                    }
                    totals.add_rows(RowBlock { at, row_step, rows: count, cols, positions });
                }
            }
        });
    }
}
