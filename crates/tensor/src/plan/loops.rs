//! One loop over several operands, and a list of loops that is stored inline.

use crate::arrays::array_of;
use std::ops::{Deref, DerefMut};

/// One level of a loop nest: its trip count, and the stride of each operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop<const N: usize> {
    /// The trip count: the number of iterations.
    pub len: usize,
    /// How far each operand moves with each iteration, in elements.
    pub steps: [isize; N],
}

impl<const N: usize> Loop<N> {
    /// The loop of a single iteration.
    pub const UNIT: Loop<N> = Loop { len: 1, steps: [0; N] };

    /// Returns the offsets `n` iterations after `offsets`.
    pub(crate) fn advance(&self, offsets: [isize; N], n: usize) -> [isize; N] {
        array_of(|k| offsets[k].wrapping_add((n as isize).wrapping_mul(self.steps[k])))
    }

    /// Whether an outer loop with these steps continues this one: no operand jumps between the end of
    /// one run of this loop and the start of the next. This is the fusing test; two loops that pass it
    /// are one loop of `len * outer.len` iterations.
    pub(crate) fn is_continued_by(&self, outer: [isize; N]) -> bool {
        // If the product overflows, it equals no step.
        (0..N).all(|n| self.steps[n].checked_mul(self.len as isize) == Some(outer[n]))
    }
}

/// How many loops are stored inline.
const INLINE_LOOPS: usize = 6;

/// A list of loops, outermost first: stored inline up to six, on the heap beyond.
#[derive(Clone, Debug)]
pub(crate) struct Loops<const N: usize> {
    inline: [Loop<N>; INLINE_LOOPS],
    n: usize,
    /// All of the loops if there are more than fit inline, else empty.
    heap: Vec<Loop<N>>,
}

impl<const N: usize> Loops<N> {
    /// Keeps the loops for which `keep` returns true, in order.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&Loop<N>) -> bool) {
        let mut kept = 0;
        for k in 0..self.len() {
            let it = self[k];
            if keep(&it) {
                self[kept] = it;
                kept += 1;
            }
        }
        self.truncate(kept);
    }

    pub(super) fn truncate(&mut self, n: usize) {
        self.n = self.n.min(n);
        self.heap.truncate(n);
    }
}

impl<const N: usize> FromIterator<Loop<N>> for Loops<N> {
    fn from_iter<I: IntoIterator<Item = Loop<N>>>(loops: I) -> Loops<N> {
        let mut list = Loops { inline: [Loop::UNIT; INLINE_LOOPS], n: 0, heap: Vec::new() };
        for it in loops {
            if list.n == INLINE_LOOPS {
                list.heap.extend(list.inline);
            }
            match list.n < INLINE_LOOPS {
                true => list.inline[list.n] = it,
                false => list.heap.push(it),
            }
            list.n += 1;
        }
        list
    }
}

impl<const N: usize> Deref for Loops<N> {
    type Target = [Loop<N>];

    fn deref(&self) -> &[Loop<N>] {
        if self.heap.is_empty() { &self.inline[..self.n] } else { &self.heap }
    }
}

impl<const N: usize> DerefMut for Loops<N> {
    fn deref_mut(&mut self) -> &mut [Loop<N>] {
        if self.heap.is_empty() { &mut self.inline[..self.n] } else { &mut self.heap }
    }
}

impl<const N: usize> PartialEq for Loops<N> {
    fn eq(&self, other: &Loops<N>) -> bool {
        **self == **other
    }
}

impl<const N: usize> Eq for Loops<N> {}
