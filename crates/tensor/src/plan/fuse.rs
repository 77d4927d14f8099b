//! Two loops that are one.

use super::Plan;

impl<const N: usize> Plan<N> {
    /// Fuses a loop into the next when no operand jumps between the two.
    pub(super) fn fuse_neighbours(&mut self) {
        let mut fused = 0;
        for k in 1..self.loops.len() {
            let (outer, inner) = (self.loops[fused], self.loops[k]);
            let whole_run = inner.len as isize;
            let fuses =
                (0..N).all(|n| inner.steps[n].checked_mul(whole_run) == Some(outer.steps[n]));
            // Lengths multiply to a part of the element count, which fits.
            if fuses && !self.loops.iter().any(|it| it.len == 0) {
                self.loops[fused] = super::Loop { len: outer.len * inner.len, steps: inner.steps };
            } else {
                fused += 1;
                self.loops[fused] = inner;
            }
        }
        self.loops.truncate(fused + 1);
    }
}
