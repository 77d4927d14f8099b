//! The part of the two innermost loops that is worked on at once.
//!
//! When all operands run along the innermost loop, a tile is a stretch of it. When one of them runs
//! along another loop (a + bᵀ), walking the innermost loop to its end would fetch a whole cache line
//! of that operand for each of its elements, and drop it before the next element in it is needed.
//! So that other loop is moved next to the innermost one, and the two are walked in tiles: each line
//! is fetched once, and all of it is used.

use super::{BLOCK, Loops, Plan};

/// How many turns of the two innermost loops are worked on at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Turns of the loop around the innermost one.
    pub rows: usize,
    /// Turns of the innermost loop.
    pub cols: usize,
}

/// The columns of a tile in which an operand runs along the rows: a few cache lines of whatever runs
/// along the columns, and of the rows as much as fits.
const CROSSED_COLS: usize = 32;

impl Tile {
    /// A tile of whole rows, as many as fit in a block; or of a part of one row.
    pub(super) fn of_rows<const N: usize>(loops: &Loops<N>) -> Tile {
        let cols = loops.last().map_or(1, |it| it.len).clamp(1, BLOCK);
        let rows = if loops.len() < 2 { 1 } else { loops[loops.len() - 2].len };
        Tile { rows: rows.clamp(1, BLOCK / cols), cols }
    }
}

impl<const N: usize> Plan<N> {
    pub(super) fn choose_tile(&mut self, sizes: [usize; N]) {
        if let Some(k) = self.crossing_loop(sizes) {
            let last = self.loops.len() - 1;
            self.loops[k..last].rotate_left(1);
            let cols = self.loops[last].len.min(CROSSED_COLS);
            let rows = self.loops[last - 1].len.min(BLOCK / cols.max(1));
            self.tile = Tile { rows: rows.max(1), cols: cols.max(1) };
        } else {
            self.tile = Tile::of_rows(&self.loops);
        }
    }

    /// The loop that an operand runs along which does not run along the innermost one.
    fn crossing_loop(&self, sizes: [usize; N]) -> Option<usize> {
        let (inner, outer) = self.loops.split_last()?;
        let crossed = |n: usize| {
            let step = inner.steps[n].unsigned_abs();
            let nearer = |k: &usize| {
                let other = outer[*k].steps[n].unsigned_abs();
                other != 0 && other < step
            };
            // Steps within a few elements share cache lines anyway.
            if step.saturating_mul(sizes[n]) < 32 {
                return None;
            }
            (0..outer.len()).filter(nearer).min_by_key(|&k| outer[k].steps[n].unsigned_abs())
        };
        (0..N).find_map(crossed)
    }
}
