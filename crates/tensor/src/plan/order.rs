//! Which loop goes where.
//!
//! The innermost loop should touch as little memory as possible in each turn. A turn costs an operand
//! its step in bytes, but never more than a cache line; a step of zero costs nothing. The sum over
//! all operands is a number for each loop, so the order is always consistent; loops that cost the
//! same (all of them beyond a cache line) are ordered by the bytes they step over.

use super::{CACHE_LINE, Loop, Plan};

impl<const N: usize> Plan<N> {
    pub(super) fn sort_outermost_first(&mut self, sizes: [usize; N]) {
        // Stable and by insertion: lists are short, and loops that tie keep the user's order.
        for i in 1..self.loops.len() {
            let moved = cost(&self.loops[i], sizes);
            let mut to = i;
            while to > 0 && cost(&self.loops[to - 1], sizes) < moved {
                to -= 1;
            }
            self.loops[to..=i].rotate_right(1);
        }
    }
}

/// The cache-line cost of a turn, and the bytes that are stepped over.
fn cost<const N: usize>(it: &Loop<N>, sizes: [usize; N]) -> (usize, usize) {
    let bytes = |n: usize| it.steps[n].unsigned_abs().saturating_mul(sizes[n]);
    // What is written has to be fetched first and brought back afterwards: it counts twice.
    let weight = |n: usize| if n == 0 { 2 } else { 1 };
    let lines = (0..N).map(|n| weight(n) * bytes(n).min(CACHE_LINE)).sum();
    let distance = (0..N).fold(0, |sum: usize, n| sum.saturating_add(bytes(n)));
    (lines, distance)
}
