//! Loops that are walked by hand: run by run, in pieces, or a stretch in the order of the indices.
//!
//! A [`Plan`](crate::plan::Plan) is for operands of one shape, made of whole layouts. Here the axes of
//! one operand are shared out between two nests, so their loops are put together one by one.

use crate::plan::{CACHE_LINE, GRAIN, Loop, PIECES_PER_THREAD};
use crate::pool;
use std::ops::Range;

/// Where `N` operands begin, and the loops that move them, outermost first. Steps are in elements.
#[derive(Clone, Debug)]
pub(super) struct Nest<const N: usize> {
    pub starts: [isize; N],
    pub loops: Vec<Loop<N>>,
}

impl<const N: usize> Nest<N> {
    /// Loops in the order of the indices, joined where no operand jumps.
    pub(super) fn new(starts: [isize; N], loops: impl IntoIterator<Item = Loop<N>>) -> Nest<N> {
        let mut nest = Nest { starts, loops: loops.into_iter().filter(|it| it.len != 1).collect() };
        nest.join();
        nest
    }

    /// The same in any order: the operand that comes first is walked by small steps inside.
    pub(super) fn sorted(mut self) -> Nest<N> {
        self.loops.sort_by_key(|it| std::cmp::Reverse(it.steps.map(isize::unsigned_abs)));
        self.join();
        self
    }

    fn join(&mut self) {
        if self.is_empty() {
            return;
        }
        let mut joined: Vec<Loop<N>> = Vec::with_capacity(self.loops.len());
        for &inner in &self.loops {
            match joined.last_mut() {
                Some(outer)
                    if (0..N).all(|n| {
                        inner.steps[n].checked_mul(inner.len as isize) == Some(outer.steps[n])
                    }) =>
                {
                    *outer = Loop { len: outer.len * inner.len, steps: inner.steps };
                }
                _ => joined.push(inner),
            }
        }
        self.loops = joined;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.loops.iter().any(|it| it.len == 0)
    }

    /// How many positions there are.
    pub(super) fn len(&self) -> usize {
        if self.is_empty() { 0 } else { self.loops.iter().map(|it| it.len).product() }
    }

    /// Calls `f` with each run: where it begins, and the innermost loop.
    pub(super) fn runs(&self, f: &mut dyn FnMut([isize; N], &Loop<N>)) {
        if self.is_empty() {
            return;
        }
        match self.loops.split_last() {
            None => f(self.starts, &Loop { len: 1, steps: [0; N] }),
            Some((inner, outer)) => turns(outer, self.starts, &mut |at| f(at, inner)),
        }
    }

    /// Calls `f` with every position.
    pub(super) fn positions(&self, f: &mut dyn FnMut([isize; N])) {
        if !self.is_empty() {
            turns(&self.loops, self.starts, f);
        }
    }

    /// Calls `f` with the stretches of some positions, in the order of the loops: where each begins,
    /// and how far it goes along the innermost loop.
    pub(super) fn stretches(&self, range: Range<usize>, f: &mut dyn FnMut([isize; N], &Loop<N>)) {
        let once = Loop { len: 1, steps: [0; N] };
        let (inner, outer) = self.loops.split_last().unwrap_or((&once, &[]));
        let mut flat = range.start;
        while flat < range.end {
            let first = flat % inner.len;
            let len = (inner.len - first).min(range.end - flat);
            let mut at = moved(self.starts, inner, first);
            let mut rest = flat / inner.len;
            for it in outer.iter().rev() {
                at = moved(at, it, rest % it.len);
                rest /= it.len;
            }
            f(at, &Loop { len, steps: inner.steps });
            flat += len;
        }
    }

    /// Into how many pieces it pays to cut it, if each position is so much work.
    pub(super) fn n_pieces(&self, work: usize) -> usize {
        let most = self.longest().map_or(1, |k| self.loops[k].len.div_ceil(self.unit(k)));
        n_threads_for(self.len().saturating_mul(work)).min(most).max(1)
    }

    /// Piece `i` of `n`: a part of the longest loop. Together they visit everything once.
    pub(super) fn piece(&self, i: usize, n: usize) -> Nest<N> {
        let mut piece = self.clone();
        if let Some(k) = self.longest().filter(|_| n > 1) {
            let (it, unit) = (self.loops[k], self.unit(k));
            let turns = it.len.div_ceil(unit);
            let [from, to] = [i, i + 1].map(|i| (turns * i / n * unit).min(it.len));
            piece.starts = moved(self.starts, &it, from);
            piece.loops[k].len = to - from;
        }
        piece
    }

    fn longest(&self) -> Option<usize> {
        (0..self.loops.len()).max_by_key(|&k| (self.loops[k].len, usize::MAX - k))
    }

    /// Turns that stay together: neighbours in a cache line.
    fn unit(&self, k: usize) -> usize {
        if self.loops[k].steps.contains(&1) { CACHE_LINE / 4 } else { 1 }
    }
}

/// How many pieces of work are worth it.
pub(super) fn n_threads_for(work: usize) -> usize {
    match pool::num_threads() {
        1 => 1,
        threads => (work / GRAIN).clamp(1, threads * PIECES_PER_THREAD),
    }
}

/// Calls `f` with every turn of some loops.
fn turns<const N: usize>(loops: &[Loop<N>], at: [isize; N], f: &mut dyn FnMut([isize; N])) {
    match loops {
        [] => f(at),
        [first, rest @ ..] => (0..first.len).for_each(|i| turns(rest, moved(at, first, i), f)),
    }
}

/// Positions after so many turns of a loop.
fn moved<const N: usize>(at: [isize; N], it: &Loop<N>, turns: usize) -> [isize; N] {
    std::array::from_fn(|n| at[n].wrapping_add((turns as isize).wrapping_mul(it.steps[n])))
}
