//! Folds over the elements of several operands, in row-major order of the indices.
//!
//! The order is that of the indices, whatever the strides are, so that the result depends on neither layouts nor
//! threads. The rows of an operand are read in place, at their stride. There are three exceptions, which are packed into
//! buffers:
//!
//! - Consecutive elements of a transposed operand are in different cache lines, which the next rows need again. Its rows
//!   are packed in groups of 128 bytes of each column, which use up the lines; unless it is so small that the lines are
//!   still in the cache when the next rows need them.
//! - Rows of fewer than 64 elements are packed to blocks of 1024, so that there are fewer calls.
//! - The elements of a lens have no strides, see `map_lens.rs`. With one, all operands are read in blocks.

use super::closure::{BlockFold, FoldRows};
use super::copy::{Steps, copy_tile};
use super::map::Buffer;
use super::map_lens::{OperandCursor, RowMajorOperand, RowMajorSource};
use crate::arrays::array_of;
use crate::cancel::extend_scratch;
use crate::plan::{Access, BLOCK_ELEMENTS, CACHE_LINE_BYTES, Plan};
use crate::view::AnyView;
use crate::{DType, Shape};

/// The bytes of each column of a transposed operand that are packed at once.
const COLUMN_BLOCK_BYTES: usize = 2 * CACHE_LINE_BYTES;

/// The most bytes of the packed rows of all operands together: about half of the L2 cache.
const PACKED_BYTES: usize = 512 << 10;

/// The most bytes of transposed operands that are read in place: a small part of the L2 cache, also if rows that are a
/// power of two bytes apart use only some of its sets.
const CACHED_BYTES: usize = 64 << 10;

/// Calls a fold for the elements of views, in row-major order.
///
/// # Panics
/// If the shapes differ, or the dtypes are not those of the fold.
pub(crate) fn fold_views<const M: usize>(fold: &mut BlockFold<'_, M>, views: &[AnyView<'_>; M]) {
    assert_eq!(views.each_ref().map(AnyView::dtype), fold.types(), "a fold does not cast");
    let layouts = views.each_ref().map(AnyView::layout);
    let plan = Plan::in_order(layouts).expect("all operands have one shape");
    if plan.is_empty() {
        return;
    }
    let sizes = fold.types().map(DType::size);
    let mut buffers: [Vec<Buffer>; M] = [const { Vec::new() }; M];
    plan.nest().walk(&mut |at, [rows, cols]| {
        let memory = |n: usize| views[n].ptr().as_ptr().cast_const();
        let plane = FoldPlane {
            at: array_of(|n| memory(n).wrapping_offset(at[n] * sizes[n] as isize)),
            counts: [rows.len, cols.len],
            steps: array_of(|n| Steps {
                rows: rows.steps[n] * sizes[n] as isize,
                cols: cols.steps[n] * sizes[n] as isize,
            }),
            sizes,
        };
        // SAFETY: the plane is one of the plan's, which was made from the layouts of views that are borrowed while this
        // runs, of the fold's dtypes.
        unsafe { plane.fold(fold, &mut buffers) };
    });
}

/// The two innermost loops of a plan: where they begin, their lengths and steps in bytes, and the sizes of elements.
struct FoldPlane<const M: usize> {
    at: [*const u8; M],
    counts: [usize; 2],
    steps: [Steps; M],
    sizes: [usize; M],
}

impl<const M: usize> FoldPlane<M> {
    /// Calls a fold for all elements, row by row.
    ///
    /// # Safety
    /// All addresses that the steps lead to must be readable elements of the fold's dtypes.
    unsafe fn fold(&self, fold: &mut BlockFold<'_, M>, buffers: &mut [Vec<Buffer>; M]) {
        let [rows, cols] = self.counts;
        let is_short = Access::has_short_rows(self.counts);
        let (is_packed, n_rows) = if is_short { self.pack_short_rows() } else { self.pack_lines() };
        let dense = |n: usize| self.sizes[n] as isize;
        // Rows that are a power of two bytes apart would conflict in the sets of the cache.
        let gap = if is_short { 0 } else { CACHE_LINE_BYTES as isize };
        let pitch = |n: usize| cols as isize * dense(n) + gap;
        for (n, buffer) in buffers.iter_mut().enumerate().filter(|(n, _)| is_packed[*n]) {
            let bytes = n_rows * pitch(n) as usize;
            let n = bytes.div_ceil(size_of::<Buffer>()).max(buffer.len());
            extend_scratch(buffer, n);
            buffer.resize_with(n, Buffer::new);
        }
        for first in (0..rows).step_by(n_rows) {
            let now = n_rows.min(rows - first);
            let at: [*const u8; M] =
                array_of(|n| self.at[n].wrapping_offset(first as isize * self.steps[n].rows));
            for (n, buffer) in buffers.iter_mut().enumerate().filter(|(n, _)| is_packed[*n]) {
                let to = Steps { rows: pitch(n), cols: dense(n) };
                // SAFETY: the rows are a part of the plane, and the buffers have room for `n_rows` of them.
                unsafe {
                    let buffer = buffer.as_mut_ptr().cast();
                    copy_tile(self.sizes[n], buffer, to, at[n], self.steps[n], [now, cols]);
                }
            }
            let rows = FoldRows {
                at: array_of(|n| match is_packed[n] {
                    true => buffers[n].as_ptr().cast::<u8>(),
                    false => at[n],
                }),
                steps: array_of(|n| match is_packed[n] {
                    true => Steps { rows: pitch(n), cols: dense(n) },
                    false => self.steps[n],
                }),
                // Short rows are at one step together.
                counts: if is_short { [1, now * cols] } else { [now, cols] },
            };
            // SAFETY: the rows are those of the plane or of a buffer; or if they are short they are one row, of elements
            // at one step (`pack_short_rows`).
            unsafe { fold.call(rows) };
        }
    }

    /// Returns which operands are packed if rows are short, and how many rows are a block: all whose rows are not at one
    /// step together.
    fn pack_short_rows(&self) -> ([bool; M], usize) {
        let is_packed = array_of(|n| {
            let Steps { rows, cols } = self.steps[n];
            rows != cols * self.counts[1] as isize
        });
        (is_packed, (BLOCK_ELEMENTS / self.counts[1]).max(1))
    }

    /// Returns which operands are packed if rows are long, and how many rows at once: the transposed ones, and as many rows
    /// as use up their cache lines; or none, and all rows.
    fn pack_lines(&self) -> ([bool; M], usize) {
        let is_transposed: [bool; M] = array_of(|n| {
            let (rows, cols) =
                (self.steps[n].rows.unsigned_abs(), self.steps[n].cols.unsigned_abs());
            rows != 0 && rows < CACHE_LINE_BYTES && cols >= CACHE_LINE_BYTES
        });
        let packed = || (0..M).filter(|&n| is_transposed[n]);
        let nearest = packed().map(|n| self.steps[n].rows.unsigned_abs()).min().unwrap_or(1);
        let row_bytes: usize = packed().map(|n| self.counts[1].saturating_mul(self.sizes[n])).sum();
        let n_rows = (COLUMN_BLOCK_BYTES / nearest).min(PACKED_BYTES / row_bytes.max(1));
        let is_cached = row_bytes.saturating_mul(self.counts[0]) <= CACHED_BYTES;
        match row_bytes > 0 && !is_cached && n_rows.min(self.counts[0]) > 1 {
            true => (is_transposed, n_rows),
            false => ([false; M], self.counts[0]),
        }
    }
}

/// Calls a fold for the elements of sources of which some are lenses, in row-major order, block by block.
///
/// # Panics
/// If a source has another shape or dtype, or is an output.
pub(crate) fn fold_lenses<const M: usize>(
    fold: &mut BlockFold<'_, M>,
    sources: &[RowMajorSource<'_>; M],
    shape: &Shape,
) {
    let has_shape = |source: &RowMajorSource<'_>| source.shape(shape) == *shape;
    assert!(sources.iter().all(has_shape), "all operands have one shape");
    if shape.contains(&0) {
        return;
    }
    let (types, len) = (fold.types(), shape.iter().product());
    let operands: [RowMajorOperand<'_>; M] =
        std::array::from_fn(|n| RowMajorOperand::input(&sources[n], types[n]));
    let block = BLOCK_ELEMENTS.min(len);
    let mut buffers = [const { Buffer::new() }; M];
    let mut buffer = buffers.iter_mut();
    let mut cursors: [OperandCursor<'_>; M] = std::array::from_fn(|n| {
        let buffer = buffer.next().expect("one buffer for each operand");
        OperandCursor::new(&operands[n], 0, buffer, block)
    });
    let mut scratch = Buffer::new();
    let steps = types.map(|dtype| Steps { rows: 0, cols: dtype.size() as isize });
    for from in (0..len).step_by(block) {
        let len = block.min(len - from);
        let at = cursors.each_mut().map(|it| it.fetch(len, &mut scratch).cast_const());
        // SAFETY: each block has `len` contiguous elements of the fold's dtypes, in memory that is borrowed for reading or
        // in a buffer of its own.
        unsafe { fold.call(FoldRows { at, steps, counts: [1, len] }) };
    }
}
