//! Large planes in which an input runs across the rows.
//!
//! Tiles use every line of such an input well, but cut the rows of the other operands into pieces of a few
//! lines, which the processor does not foresee: a sum with a transposed matrix takes four times as
//! long as one without. Here the plane is cut into strips of whole rows instead. What runs across is
//! brought into a buffer in the second-level cache first, a few lines of each column, which are asked for
//! some columns ahead; then the body walks along rows that are as long as those of any other operand.
//! That takes half of the time that tiles take (`cargo xtask bench`, "a + bᵀ").

use super::{Access, Job, Plane, Steps, still_of};
use crate::Storage;
use crate::kernel::copy::copy_tile;
use crate::kernel::prefetch::prefetch;
use crate::plan::CACHE_LINE;

/// Planes of as many elements are worth a buffer of their own.
const LARGE: usize = 1 << 18;

/// Bytes that are asked for: such a block lies in huge pages, and is kept for the next time. Buffers in
/// small pages would compete with the columns, which are in a page each, for the places of addresses.
const MEMORY: usize = 4 << 20;

/// Bytes of all buffers that are used: about half of the second-level cache.
const STRIP: usize = 512 << 10;

/// Bytes that are taken of each column at once.
const BLOCK: usize = 2 * CACHE_LINE;

/// Columns that are brought into the buffer at a time, and how many of these groups are asked for ahead.
const GROUP: usize = 16;
const GROUPS_AHEAD: usize = 2;

impl<const N: usize> Job<'_, '_, N> {
    /// Calls the body for the rows of a plane strip by strip, and says whether it has: that is for large
    /// planes in which inputs run across the rows, if there is memory for it.
    ///
    /// # Safety
    /// That of `walk`.
    pub(super) unsafe fn strips(&self, plane: &Plane<N>) -> bool {
        let [rows, cols] = plane.counts;
        let packed = |n: usize| plane.access[n] == Access::Packed;
        let crosses = |n: usize| {
            n > 0
                && self.convert[n].is_none()
                && !self.is_shifted[n]
                && plane.steps[n].rows == self.sizes[n] as isize
        };
        if rows.saturating_mul(cols) < LARGE || !(0..N).all(|n| !packed(n) || crosses(n)) {
            return false;
        }
        // SAFETY: what is read of the memory has been written before.
        let Ok(memory) = (unsafe { Storage::uninit(MEMORY) }) else { return false };
        let n_packed = (0..N).filter(|&n| packed(n)).count();
        let widest = (0..N).filter(|&n| packed(n)).map(|n| self.sizes[n]).max().unwrap_or(1);
        let height = BLOCK / widest;
        let share = MEMORY / n_packed;
        let width = cols.min(STRIP / n_packed / BLOCK / GROUP * GROUP);
        let buffers: [*mut u8; N] = std::array::from_fn(|n| {
            let n_before = (0..n).filter(|&n| packed(n)).count();
            memory.ptr().as_ptr().wrapping_add(n_before * share)
        });
        // The first strip ends where a line of the columns does, so that the others use whole lines.
        let across = (0..N).find(|&n| packed(n)).unwrap_or(0);
        let ends = plane.at[across].addr().wrapping_neg() % CACHE_LINE / self.sizes[across];
        let mut r = 0;
        while r < rows {
            let now = if r == 0 && ends > 0 { ends } else { height }.min(rows - r);
            for c in (0..cols).step_by(width) {
                let counts = [now, width.min(cols - c)];
                let (r, c) = (r as isize, c as isize);
                // SAFETY: the strip lies inside of the plane, and its packed operands in their buffers.
                unsafe {
                    let at = std::array::from_fn(|n| {
                        let Steps { rows, cols } = plane.steps[n];
                        plane.at[n].offset(r * rows + c * cols)
                    });
                    let strip = Plane { at, counts, steps: plane.steps, access: plane.access };
                    self.strip(&strip, &buffers);
                }
            }
            r += now;
        }
        true
    }

    /// # Safety
    /// That of `walk`. Each packed operand needs a buffer with room for its elements, with a line between
    /// the rows.
    unsafe fn strip(&self, strip: &Plane<N>, buffers: &[*mut u8; N]) {
        let [rows, cols] = strip.counts;
        let pitch = |n: usize| (cols * self.sizes[n] + CACHE_LINE) as isize;
        for n in (0..N).filter(|&n| strip.access[n] == Access::Packed) {
            // SAFETY: the operand is readable, and the buffer has room for it.
            unsafe { self.bring(n, strip, buffers[n], pitch(n)) };
        }
        let still = still_of(&strip.access);
        for r in 0..rows as isize {
            // SAFETY: rows of a buffer are so far apart; others lie where the steps lead to. All have
            // `cols` elements of the body's types, or one if they stand still.
            unsafe {
                let blocks = std::array::from_fn(|n| match strip.access[n] {
                    Access::Packed => buffers[n].offset(r * pitch(n)),
                    _ => strip.at[n].offset(r * strip.steps[n].rows),
                });
                self.body.call(blocks, cols, still);
            }
        }
    }

    /// Brings an operand that runs across the rows into a buffer, and asks for its lines ahead.
    ///
    /// # Safety
    /// The operand must be readable, and the buffer have room for its rows, so far apart.
    unsafe fn bring(&self, n: usize, strip: &Plane<N>, buffer: *mut u8, pitch: isize) {
        let ([rows, cols], size, from) = (strip.counts, self.sizes[n], strip.steps[n]);
        let to = Steps { rows: pitch, cols: size as isize };
        for c in (0..cols).step_by(GROUP) {
            for k in (c..cols.min(c + GROUP)).map(|k| k + GROUPS_AHEAD * GROUP) {
                let column = strip.at[n].wrapping_offset(k as isize * from.cols);
                let before = column.addr() % CACHE_LINE;
                for byte in (0..before + rows * size).step_by(CACHE_LINE) {
                    prefetch(column.wrapping_sub(before).wrapping_add(byte));
                }
            }
            // SAFETY: the columns lie inside of the strip.
            unsafe {
                let source = strip.at[n].offset(c as isize * from.cols);
                let counts = [rows, GROUP.min(cols - c)];
                copy_tile(size, buffer.add(c * size), to, source, from, counts);
            }
        }
    }
}
