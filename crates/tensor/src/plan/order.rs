//! The order of the loops: which one goes innermost.
//!
//! The innermost loop should touch as little memory as possible in each iteration. An iteration costs an
//! operand its step in bytes, but never more than a cache line; a broadcast operand (step 0) costs nothing.
//! The sum over all operands is a number for each loop, so the order is always consistent. Loops that cost
//! the same are ordered by the bytes that the output steps over, because transposed inputs are packed faster than a
//! transposed output is written; then by those of all operands.

use super::{CACHE_LINE_BYTES, Loop, Plan};

impl<const N: usize> Plan<N> {
    pub(super) fn sort_outermost_first(&mut self, sizes: [usize; N]) {
        let loops = &mut self.nest.loops;
        // A stable insertion sort: lists are short, and loops that tie keep the order of the axes.
        for i in 1..loops.len() {
            let moved = cost(&loops[i], sizes);
            let mut to = i;
            while to > 0 && cost(&loops[to - 1], sizes) < moved {
                to -= 1;
            }
            loops[to..=i].rotate_right(1);
        }
    }
}

/// Returns the bytes of cache lines that an iteration touches, and the bytes that the output and all operands step
/// over.
fn cost<const N: usize>(it: &Loop<N>, sizes: [usize; N]) -> (usize, usize, usize) {
    let bytes = |n: usize| it.steps[n].unsigned_abs().saturating_mul(sizes[n]);
    // A line that is written is fetched first and written back afterwards: it counts twice.
    let weight = |n: usize| if n == 0 { 2 } else { 1 };
    let lines = (0..N).map(|n| weight(n) * bytes(n).min(CACHE_LINE_BYTES)).sum();
    let distance = (0..N).fold(0, |sum: usize, n| sum.saturating_add(bytes(n)));
    (lines, bytes(0), distance)
}
