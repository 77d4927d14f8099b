//! A loop nest over several operands: how loops are fused, and how they are walked.
//!
//! This is the one representation of loops. A [`Plan`](super::Plan) is a nest with a tile; kernels whose
//! operands share only some of their axes, as a gather does, build nests of their own.

use super::{Loop, Loops};
use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

/// The offsets at which `N` operands begin, and the loops that move them, outermost first. Offsets and
/// steps are in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoopNest<const N: usize> {
    pub(super) starts: [isize; N],
    pub(super) loops: Loops<N>,
}

impl<const N: usize> LoopNest<N> {
    /// Creates a nest of exactly these loops.
    pub(crate) fn new(starts: [isize; N], loops: impl IntoIterator<Item = Loop<N>>) -> LoopNest<N> {
        LoopNest { starts, loops: loops.into_iter().collect() }
    }

    /// Drops loops of one iteration and fuses adjacent ones: the positions stay in the same order.
    pub(crate) fn in_order(mut self) -> LoopNest<N> {
        self.drop_unit_loops();
        self.fuse_adjacent();
        self
    }

    /// Sorts the loops by the absolute steps of the first operand, then of the others, the smallest
    /// innermost, and fuses them: for positions that may be visited in any order.
    pub(crate) fn sorted(mut self) -> LoopNest<N> {
        self.drop_unit_loops();
        self.loops.sort_by_key(|it| Reverse(it.steps.map(isize::unsigned_abs)));
        self.fuse_adjacent();
        self
    }

    pub(crate) fn starts(&self) -> [isize; N] {
        self.starts
    }

    pub(crate) fn loops(&self) -> &[Loop<N>] {
        &self.loops
    }

    /// Whether there are no positions.
    pub(crate) fn is_empty(&self) -> bool {
        self.loops.iter().any(|it| it.len == 0)
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> usize {
        // If one loop has no iterations, the product of the others may overflow.
        if self.is_empty() { 0 } else { self.loops.iter().map(|it| it.len).product() }
    }

    pub(super) fn drop_unit_loops(&mut self) {
        if self.loops.iter().any(|it| it.len == 1) {
            self.loops.retain(|it| it.len != 1);
        }
    }

    /// Reverses loop `k`: it runs from its last iteration to its first.
    pub(super) fn reverse(&mut self, k: usize) {
        let it = self.loops[k];
        self.starts = it.advance(self.starts, it.len.wrapping_sub(1));
        self.loops[k].steps = it.steps.map(|step| -step);
    }

    /// Fuses each loop with the next one inside it where no operand jumps between the two.
    pub(super) fn fuse_adjacent(&mut self) {
        if self.is_empty() {
            return;
        }
        let mut fused = 0;
        for k in 1..self.loops.len() {
            let (outer, inner) = (self.loops[fused], self.loops[k]);
            if inner.is_continued_by(outer.steps) {
                // The product divides the number of positions, so it does not overflow.
                self.loops[fused] = Loop { len: outer.len * inner.len, steps: inner.steps };
            } else {
                fused += 1;
                self.loops[fused] = inner;
            }
        }
        self.loops.truncate(fused + 1);
    }

    /// Fuses loops that are not adjacent, where the order of the positions is free.
    pub(super) fn fuse_nonadjacent(&mut self) {
        if self.loops.len() < 3 || self.is_empty() {
            return;
        }
        // Removing an outer loop shifts the fused one to `k - 1`, so it is compared again next.
        for k in (1..self.loops.len()).rev() {
            let inner = self.loops[k];
            let outer = self.loops[..k].iter().position(|it| inner.is_continued_by(it.steps));
            if let Some(outer) = outer {
                self.loops[k].len *= self.loops[outer].len;
                self.loops[outer..].rotate_left(1);
                let n = self.loops.len() - 1;
                self.loops.truncate(n);
            }
        }
    }

    /// Calls `f` for every iteration of all but the `K` innermost loops, with the offsets at which these
    /// begin: for every position (`K = 0`), for every run of the innermost loop (1) or for every plane
    /// of the two innermost loops (2). Loops that a shallow nest does not have are passed as
    /// [`Loop::UNIT`].
    pub(crate) fn walk<const K: usize>(&self, f: &mut dyn FnMut([isize; N], &[Loop<N>; K])) {
        if self.is_empty() {
            return;
        }
        let n_outer = self.loops.len().saturating_sub(K);
        let (outer, inner) = self.loops.split_at(n_outer);
        let mut innermost = [Loop::UNIT; K];
        innermost[K - inner.len()..].copy_from_slice(inner);
        walk_outer(outer, self.starts, &mut |at| f(at, &innermost));
    }

    /// Calls `f` for the runs of the innermost loop that make up a range of positions, in order: with the
    /// offsets at which each begins, and the part of the innermost loop that it is.
    pub(crate) fn runs_in(&self, positions: Range<usize>, f: &mut dyn FnMut([isize; N], &Loop<N>)) {
        let inner = self.loops.last().copied().unwrap_or(Loop::UNIT);
        let mut position = positions.start;
        while position < positions.end {
            let left_in_run = inner.len - position % inner.len;
            let len = left_in_run.min(positions.end - position);
            f(self.offsets_at(position), &Loop { len, ..inner });
            position += len;
        }
    }

    /// Returns the offsets at one position, which must exist: a division for each loop.
    pub(crate) fn offsets_at(&self, position: usize) -> [isize; N] {
        let (mut at, mut rest) = (self.starts, position);
        for it in self.loops.iter().rev() {
            at = it.advance(at, rest % it.len);
            rest /= it.len;
        }
        at
    }
}

/// Returns the steps of row-major positions for axes of these lengths. They wrap around where a broadcast
/// shape has more positions than `isize` counts.
pub(crate) fn row_major_steps(lens: &[usize]) -> Vec<isize> {
    let mut steps = vec![1isize; lens.len()];
    for k in (1..lens.len()).rev() {
        steps[k - 1] = steps[k].wrapping_mul(lens[k] as isize);
    }
    steps
}

/// Calls `f` for every iteration of all of the loops.
fn walk_outer<const N: usize>(loops: &[Loop<N>], at: [isize; N], f: &mut dyn FnMut([isize; N])) {
    match loops {
        [] => f(at),
        [first, rest @ ..] => {
            (0..first.len).for_each(|i| walk_outer(rest, first.advance(at, i), f))
        }
    }
}

/// `2 × (3, -3), 3 × (1, 1) from (0, 3)`: trip counts and steps, outermost first, and starts.
impl<const N: usize> fmt::Display for LoopNest<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, it) in self.loops.iter().enumerate() {
            f.write_str(if k == 0 { "" } else { ", " })?;
            write!(f, "{it}")?;
        }
        f.write_str(if self.loops.is_empty() { "once from " } else { " from " })?;
        write_tuple(f, &self.starts)
    }
}

/// `3 × (1, -1)`: the trip count and the steps.
impl<const N: usize> fmt::Display for Loop<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} × ", self.len)?;
        write_tuple(f, &self.steps)
    }
}

pub(super) fn write_tuple(f: &mut fmt::Formatter<'_>, items: &[impl fmt::Display]) -> fmt::Result {
    f.write_str("(")?;
    for (n, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if n == 0 { "" } else { ", " })?;
    }
    f.write_str(")")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nest(loops: &[(usize, [isize; 2])]) -> LoopNest<2> {
        LoopNest::new([3, 5], loops.iter().map(|&(len, steps)| Loop { len, steps }))
    }

    #[test]
    fn loops_are_fused_where_no_operand_jumps() {
        let whole = nest(&[(2, [12, 12]), (1, [9, 9]), (3, [4, 4]), (4, [1, 1])]);
        assert_eq!(whole.in_order().to_string(), "24 × (1, 1) from (3, 5)");
        let gap = nest(&[(2, [12, 24]), (3, [4, 4]), (4, [1, 1])]);
        assert_eq!(gap.in_order().to_string(), "2 × (12, 24), 12 × (1, 1) from (3, 5)");
        let transposed = nest(&[(4, [1, 2]), (3, [4, 8])]);
        assert_eq!(transposed.clone().in_order(), transposed, "the order is kept");
        assert_eq!(transposed.sorted().to_string(), "12 × (1, 2) from (3, 5)");
        let none = nest(&[(2, [isize::MAX, 0]), (0, [1, 1])]);
        assert_eq!((none.len(), none.clone().in_order()), (0, none));
        assert_eq!(nest(&[]).to_string(), "once from (3, 5)");
    }

    #[test]
    fn walks_at_every_depth_visit_the_same_positions() {
        let nest = nest(&[(2, [12, -1]), (3, [4, 0]), (4, [1, 7])]);
        let wanted: Vec<_> = (0..nest.len()).map(|i| nest.offsets_at(i)).collect();
        let mut found = [const { Vec::new() }; 4];
        nest.walk(&mut |at, []| found[0].push(at));
        nest.walk(&mut |at, [run]| found[1].extend((0..run.len).map(|i| run.advance(at, i))));
        nest.walk(&mut |at, [rows, cols]| {
            let rows = (0..rows.len).map(|i| rows.advance(at, i));
            found[2].extend(rows.flat_map(|at| (0..cols.len).map(move |i| cols.advance(at, i))));
        });
        for range in [0..1, 1..7, 7..20, 20..24] {
            nest.runs_in(range, &mut |at, run| {
                found[3].extend((0..run.len).map(|i| run.advance(at, i)));
            });
        }
        assert!(found.iter().all(|offsets| *offsets == wanted), "{found:?}");
    }

    #[test]
    fn pieces_are_everything_once() {
        let nests = [
            nest(&[(1000, [1, 3])]),
            nest(&[(5, [1000, 1]), (100, [1, 10])]),
            nest(&[(3, [0, 1]), (7, [5, 10])]),
            nest(&[]),
        ];
        for nest in nests {
            for (n, rows) in [(1, 1), (2, 1), (3, 4), (5, 2)] {
                let mut found = Vec::new();
                for i in 0..n {
                    nest.piece(i, n, rows).walk(&mut |at, []| found.push(at));
                }
                let mut wanted: Vec<_> = (0..nest.len()).map(|i| nest.offsets_at(i)).collect();
                found.sort();
                wanted.sort();
                assert_eq!(found, wanted, "{nest} in {n} pieces");
            }
        }
    }
}
