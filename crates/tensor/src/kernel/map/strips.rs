//! Elementwise loops over large planes with a transposed input.
//!
//! Tiles use every cache line of a transposed input, but divide the rows of the other operands into pieces of a
//! few lines, which the hardware prefetcher does not follow: with tiles, a sum with a transposed matrix takes
//! four times as long as one without. Here the plane is divided into strips of whole rows instead. The
//! transposed input is packed into a buffer in the cache, four lines of each column at a time, which are
//! prefetched some columns ahead; then the body runs along whole rows. That takes half of the time of tiles
//! (`cargo xtask bench`, "a + bᵀ").

use super::{Access, MapJob, Plane, Steps, broadcast_mask};
use crate::Storage;
use crate::arrays::array_of;
use crate::kernel::copy::copy_tile;
use crate::kernel::prefetch::prefetch;
use crate::plan::CACHE_LINE_BYTES;

/// Elements of a plane from which strips are used.
const MIN_PLANE_ELEMENTS: usize = 1 << 18;

/// Bytes that are allocated for the buffers: an allocation of this size is in huge pages, and is kept in the free list.
/// Buffers in small pages would compete for TLB entries with the columns, each of which is in a page of its own.
const BUFFER_BYTES: usize = 4 << 20;

/// Bytes of a strip in all buffers together. Strips of whole rows, partly in the L3 cache, are faster than parts of rows in the L2
/// cache, since the hardware prefetcher follows the other operand and the output (4096² `float32`: 7.1 ms instead of 9.6).
const STRIP_BYTES: usize = 2 << 20;

/// Bytes of each column that are packed at once: the height of a strip.
const COLUMN_BLOCK_BYTES: usize = 4 * CACHE_LINE_BYTES;

/// Columns that are packed at a time, and the number of such groups that are prefetched ahead.
const GROUP_COLUMNS: usize = 16;
const GROUPS_AHEAD: usize = 2;

impl<const N: usize> MapJob<'_, '_, N> {
    /// Calls the body for the rows of a plane strip by strip. Returns false, with nothing done, if the plane is
    /// not large, a packed operand is not a transposed input, or there is no memory for the buffers.
    ///
    /// # Safety
    /// That of `walk`.
    pub(super) unsafe fn strips(&self, plane: &Plane<N>) -> bool {
        let [rows, cols] = plane.counts;
        let packed = |n: usize| plane.access[n] == Access::Packed;
        let is_transposed = |n: usize| {
            n >= self.body.n_outputs()
                && self.convert[n].is_none()
                && !self.is_shifted[n]
                && plane.steps[n].rows == self.sizes[n] as isize
        };
        if rows.saturating_mul(cols) < MIN_PLANE_ELEMENTS
            || !(0..N).all(|n| !packed(n) || is_transposed(n))
        {
            return false;
        }
        // SAFETY: `strip` writes every byte of the buffers that it reads, before it reads it.
        let Ok(memory) = (unsafe { Storage::uninit(BUFFER_BYTES) }) else { return false };
        let n_packed = (0..N).filter(|&n| packed(n)).count();
        let widest = (0..N).filter(|&n| packed(n)).map(|n| self.sizes[n]).max().unwrap_or(1);
        let height = COLUMN_BLOCK_BYTES / widest;
        let share = BUFFER_BYTES / n_packed;
        let width =
            cols.min(STRIP_BYTES / n_packed / COLUMN_BLOCK_BYTES / GROUP_COLUMNS * GROUP_COLUMNS);
        let buffers: [*mut u8; N] = array_of(|n| {
            let n_before = (0..n).filter(|&n| packed(n)).count();
            memory.ptr().as_ptr().wrapping_add(n_before * share)
        });
        // The first strip ends at a cache line of the columns, so that the others use whole lines.
        let first_packed = (0..N).find(|&n| packed(n)).unwrap_or(0);
        let n_unaligned_rows = plane.at[first_packed].addr().wrapping_neg() % CACHE_LINE_BYTES
            / self.sizes[first_packed];
        let mut r = 0;
        while r < rows {
            let now = if r == 0 && n_unaligned_rows > 0 { n_unaligned_rows } else { height }
                .min(rows - r);
            for c in (0..cols).step_by(width) {
                let counts = [now, width.min(cols - c)];
                let (r, c) = (r as isize, c as isize);
                // SAFETY: the strip is inside of the plane, and its packed operands fit in their buffers.
                unsafe {
                    let at = array_of(|n| {
                        let Steps { rows, cols } = plane.steps[n];
                        plane.at[n].offset(r * rows + c * cols)
                    });
                    let strip = Plane { at, counts, ..*plane };
                    self.strip(&strip, &buffers);
                }
            }
            r += now;
        }
        true
    }

    /// Packs the transposed inputs of a strip and calls the body for each row.
    ///
    /// # Safety
    /// That of `walk`. Each packed operand needs a buffer with room for its rows, with a cache line between
    /// them.
    unsafe fn strip(&self, strip: &Plane<N>, buffers: &[*mut u8; N]) {
        let [rows, cols] = strip.counts;
        let pitch = |n: usize| (cols * self.sizes[n] + CACHE_LINE_BYTES) as isize;
        for n in (0..N).filter(|&n| strip.access[n] == Access::Packed) {
            // SAFETY: the operand is readable, and the buffer has room for it.
            unsafe { self.pack_columns(n, strip, buffers[n], pitch(n)) };
        }
        let broadcast = broadcast_mask(&strip.access);
        for r in 0..rows as isize {
            // SAFETY: rows of a buffer are `pitch` bytes apart; the others are where the steps lead to. All
            // have `cols` elements of the body's dtypes, or one if they are broadcast.
            unsafe {
                let blocks = array_of(|n| match strip.access[n] {
                    Access::Packed => buffers[n].offset(r * pitch(n)),
                    _ => strip.at[n].offset(r * strip.steps[n].rows),
                });
                self.body.call(blocks, cols, broadcast);
            }
        }
    }

    /// Packs a transposed input into a buffer, and prefetches its columns.
    ///
    /// # Safety
    /// The operand must be readable, and the buffer must have room for its rows, `pitch` bytes apart.
    unsafe fn pack_columns(&self, n: usize, strip: &Plane<N>, buffer: *mut u8, pitch: isize) {
        let ([rows, cols], size, from) = (strip.counts, self.sizes[n], strip.steps[n]);
        let to = Steps { rows: pitch, cols: size as isize };
        for c in (0..cols).step_by(GROUP_COLUMNS) {
            for k in (c..cols.min(c + GROUP_COLUMNS)).map(|k| k + GROUPS_AHEAD * GROUP_COLUMNS) {
                let column = strip.at[n].wrapping_offset(k as isize * from.cols);
                let before = column.addr() % CACHE_LINE_BYTES;
                for byte in (0..before + rows * size).step_by(CACHE_LINE_BYTES) {
                    prefetch(column.wrapping_sub(before).wrapping_add(byte));
                }
            }
            // SAFETY: the columns are inside of the strip, and the buffer has room for them.
            unsafe {
                let source = strip.at[n].offset(c as isize * from.cols);
                let counts = [rows, GROUP_COLUMNS.min(cols - c)];
                copy_tile(size, buffer.add(c * size), to, source, from, counts);
            }
        }
    }
}
