//! Two loops that are one.

use super::{Loop, Plan};

impl<const N: usize> Plan<N> {
    /// Fuses a loop into the next when no operand jumps between the two.
    pub(super) fn fuse_neighbours(&mut self) {
        let mut fused = 0;
        for k in 1..self.loops.len() {
            let (outer, inner) = (self.loops[fused], self.loops[k]);
            // Lengths multiply to a part of the element count, which fits.
            if continues(&outer, &inner) && !self.loops.iter().any(|it| it.len == 0) {
                self.loops[fused] = Loop { len: outer.len * inner.len, steps: inner.steps };
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
        // After one is taken out, the fused loop is the next to be looked at again.
        for k in (1..self.loops.len()).rev() {
            let inner = self.loops[k];
            if let Some(outer) = self.loops[..k].iter().position(|it| continues(it, &inner)) {
                self.loops[k].len *= self.loops[outer].len;
                self.loops[outer..].rotate_left(1);
                let n = self.loops.len() - 1;
                self.loops.truncate(n);
            }
        }
    }
}

/// Whether no operand jumps between the end of one turn of the outer loop and the begin of the next.
fn continues<const N: usize>(outer: &Loop<N>, inner: &Loop<N>) -> bool {
    let whole_run = inner.len as isize;
    (0..N).all(|n| inner.steps[n].checked_mul(whole_run) == Some(outer.steps[n]))
}
