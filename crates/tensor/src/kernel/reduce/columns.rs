//! Folds in which the innermost loop is kept: stretches of results at once, row by row.

use super::{At, FEW, Job, Loop3, Sink, Totals};
use crate::kernel::copy::Steps;
use crate::kernel::fold::{Block, COLS, ROWS, TOTAL_SIZE};
use crate::kernel::map::Buffer;
use crate::plan::{BLOCK, Loop};

/// The columns that are packed at once.
const PACKED_COLS: usize = 64;

/// Columns whose totals are no burden for the stack of a small call.
const FEW_COLS: usize = 256;

/// The bytes of a row that are worked on at once, if it is that long: with what the columns take up, they
/// stay in the second-level cache.
const ROW_BYTES: usize = 1 << 14;

impl Job {
    /// # Safety
    /// That of `results`, for the results of one loop.
    pub(super) unsafe fn columns(
        &self,
        cols: &Loop3,
        folded: &[Loop3],
        at: At,
        number: usize,
        sink: Sink,
    ) {
        let n = self.rows_in_one(cols, folded);
        if n > 1 {
            // SAFETY: the caller's promise.
            return unsafe {
                self.few_columns(cols, folded[0], n, at, |c, total| {
                    self.put(total, at.after(c, cols), number + c, sink);
                })
            };
        }
        // SAFETY: the caller's promise.
        unsafe {
            match cols.len <= FEW_COLS {
                true => self.columns_in::<FEW_COLS>(cols, folded, at, number, sink),
                false => self.columns_in::<COLS>(cols, folded, at, number, sink),
            }
        }
    }

    /// How many rows are as good as one: if there are few columns and nothing between the rows, several make
    /// one that is worth its vectors. Not if positions are asked for, which are those of rows.
    fn rows_in_one(&self, cols: &Loop3, folded: &[Loop3]) -> usize {
        match folded {
            // So few columns are never cut between threads: the order of a sum is the same for all.
            [rows] if cols.len < FEW && self.is_direct(cols.steps[1]) => {
                let is_dense = rows.steps[1] == cols.len as isize && rows.steps[2] == 0;
                // Each takes a total more to join in the end.
                let most = (FEW_COLS / cols.len).min(rows.len / 32).max(1);
                if is_dense { most } else { 1 }
            }
            _ => 1,
        }
    }

    /// Columns that are few, of which several rows make one.
    ///
    /// # Safety
    /// That of `columns`, for rows that `rows_in_one` said so many of.
    unsafe fn few_columns(
        &self,
        cols: &Loop3,
        rows: Loop3,
        n: usize,
        at: At,
        put: impl Fn(usize, *mut u8),
    ) {
        let mut totals = Totals::<FEW_COLS>::new();
        let wide = Loop { len: rows.len / n, steps: rows.steps.map(|step| step * n as isize) };
        let rest = Loop { len: rows.len % n, ..rows };
        // SAFETY: there is room for as many totals as a wide row has columns, all of which are started. The
        // rows follow one another, so that what is read is all of them.
        unsafe {
            self.reducer.start(totals.ptr(), n * cols.len);
            self.rows(&[wide], 1, n * cols.len, at, totals.ptr());
            if rest.len > 0 {
                let at = at.after(wide.len * n, &rows);
                self.rows(&[rest], 1, cols.len, at, totals.ptr());
            }
            for i in 1..n {
                let others = totals.ptr().add(i * cols.len * TOTAL_SIZE);
                self.reducer.merge(totals.ptr(), others, cols.len);
            }
            for c in 0..cols.len {
                put(c, totals.ptr().add(c * TOTAL_SIZE));
            }
        }
    }

    /// The columns of a loop that are worked on at once.
    pub(super) fn widest(&self, cols: &Loop3) -> usize {
        match self.is_direct(cols.steps[1]) {
            true => (ROW_BYTES / self.size).min(COLS),
            false => PACKED_COLS,
        }
    }

    /// # Safety
    /// That of `columns`.
    #[inline(never)]
    unsafe fn columns_in<const N: usize>(
        &self,
        cols: &Loop3,
        folded: &[Loop3],
        at: At,
        number: usize,
        sink: Sink,
    ) {
        let mut totals = Totals::<N>::new();
        let most = self.widest(cols).min(N);
        for from in (0..cols.len).step_by(most) {
            let width = most.min(cols.len - from);
            let part = at.after(from, cols);
            // SAFETY: there is room for the totals, which are started before they are used; the
            // columns lie inside of the loop.
            unsafe {
                self.reducer.start(totals.ptr(), width);
                self.rows(folded, cols.steps[1], width, part, totals.ptr());
                for c in 0..width {
                    let total = totals.ptr().add(c * TOTAL_SIZE);
                    self.put(total, part.after(c, cols), number + from + c, sink);
                }
            }
        }
    }

    /// Takes the rows of a nest of folded loops up into totals, one for each column.
    ///
    /// # Safety
    /// The loops must lead to elements of the input, and the totals be started.
    unsafe fn rows(&self, folded: &[Loop3], col: isize, cols: usize, at: At, totals: *mut u8) {
        let once = Loop { len: 1, steps: [0; 3] };
        let rows = match folded {
            [] => &once,
            [rows] => rows,
            [first, rest @ ..] => {
                for i in 0..first.len {
                    // SAFETY: each turn begins a nest of the caller's.
                    unsafe { self.rows(rest, col, cols, at.after(i, first), totals) };
                }
                return;
            }
        };
        let size = self.size as isize;
        let is_direct = self.is_direct(col);
        // Never by the number of columns: that depends on the cuts between threads.
        let most = if is_direct { ROWS } else { BLOCK / PACKED_COLS };
        let mut buffers = [Buffer::new(), Buffer::new()];
        for from in (0..rows.len).step_by(most) {
            let count = most.min(rows.len - from);
            let part = at.after(from, rows);
            let mut row_step = rows.steps[1] * size;
            // SAFETY: the rows lie inside of the loop; a buffer has room for a block of elements.
            unsafe {
                let mut at = self.element(part.input);
                if !is_direct {
                    let from = Steps { rows: row_step, cols: col * size };
                    at = self.pack(&mut buffers, at, from, [count, cols]);
                    row_step = (cols * self.inside) as isize;
                }
                let (position, stride) = (part.position, rows.steps[2]);
                let block = Block { at, row_step, rows: count, cols, position, stride };
                self.reducer.vertical(block, totals);
            }
        }
    }
}
