//! Tiles: the part of the two innermost loops that is worked on at once.
//!
//! When all operands are contiguous along the innermost loop, a tile is a part of it. When one of them is
//! contiguous along another loop (a + bᵀ), running the innermost loop to its end would fetch a whole cache
//! line of that operand for each of its elements, and evict it before the next element in it is needed.
//! So that other loop is moved next to the innermost one, and the two are tiled: each line is fetched
//! once, and all of it is used.

use super::{BLOCK_ELEMENTS, Loop, Plan};

/// The iterations of the two innermost loops that are worked on at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Iterations of the loop around the innermost one.
    pub rows: usize,
    /// Iterations of the innermost loop.
    pub cols: usize,
}

/// Columns of a tile in which an operand is contiguous along the rows: a few cache lines of the operands
/// that are contiguous along the columns, and as many rows as fit.
const TRANSPOSED_COLS: usize = 32;

/// Operands whose elements are closer together than this share cache lines in any order.
const NEAR_BYTES: usize = 32;

impl Tile {
    /// Returns a tile of whole rows, as many as fit in a block; or of a part of one row.
    pub(super) fn of_rows<const N: usize>(loops: &[Loop<N>]) -> Tile {
        let cols = loops.last().map_or(1, |it| it.len).clamp(1, BLOCK_ELEMENTS);
        let rows = if loops.len() < 2 { 1 } else { loops[loops.len() - 2].len };
        Tile { rows: rows.clamp(1, BLOCK_ELEMENTS / cols), cols }
    }
}

impl<const N: usize> Plan<N> {
    pub(super) fn choose_tile(&mut self, sizes: [usize; N]) {
        self.tile = match self.transposed_loop(sizes) {
            None => Tile::of_rows(self.loops()),
            Some(k) => {
                let loops = &mut self.nest.loops;
                let last = loops.len() - 1;
                loops[k..last].rotate_left(1);
                let cols = loops[last].len.min(TRANSPOSED_COLS);
                let rows = loops[last - 1].len.min(BLOCK_ELEMENTS / cols.max(1));
                Tile { rows: rows.max(1), cols: cols.max(1) }
            }
        };
    }

    /// Returns an outer loop along which the elements of some operand are closer together than along the
    /// innermost loop.
    fn transposed_loop(&self, sizes: [usize; N]) -> Option<usize> {
        let (inner, outer) = self.loops().split_last()?;
        let nearest = |n: usize| {
            let step = inner.steps[n].unsigned_abs();
            let nearer = |k: &usize| {
                let other = outer[*k].steps[n].unsigned_abs();
                other != 0 && other < step
            };
            if step.saturating_mul(sizes[n]) < NEAR_BYTES {
                return None;
            }
            (0..outer.len()).filter(nearer).min_by_key(|&k| outer[k].steps[n].unsigned_abs())
        };
        (0..N).find_map(nearest)
    }
}
