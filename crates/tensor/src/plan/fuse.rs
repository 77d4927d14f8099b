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

    /// Fuses loops that others have come between, where the order of the walk is free.
    pub(super) fn fuse_apart(&mut self) {
        if self.loops.len() < 3 || self.is_empty() {
            return;
        }
        let mut k = self.loops.len() - 1;
        while k > 0 {
            let inner = self.loops[k];
            let whole_run = inner.len as isize;
            let fuses = |outer: &super::Loop<N>| {
                (0..N).all(|n| inner.steps[n].checked_mul(whole_run) == Some(outer.steps[n]))
            };
            match self.loops[..k].iter().position(fuses) {
                Some(outer) => {
                    self.loops[k].len *= self.loops[outer].len;
                    self.loops[outer..].rotate_left(1);
                    let n = self.loops.len() - 1;
                    self.loops.truncate(n);
                    k -= 1;
                }
                None => k -= 1,
            }
        }
    }
}
