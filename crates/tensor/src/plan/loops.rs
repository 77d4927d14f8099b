//! A short list of loops on the stack.

use std::ops::{Deref, DerefMut};

/// One level of a loop nest: how often it turns, and each operand's step in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop<const N: usize> {
    /// How often it turns.
    pub len: usize,
    /// How far each operand moves with each turn.
    pub steps: [isize; N],
}

/// How many loops fit without an allocation.
const INLINE: usize = 6;

/// A list of loops, outermost first: on the stack up to six, on the heap beyond.
#[derive(Clone, Debug)]
pub struct Loops<const N: usize> {
    inside: [Loop<N>; INLINE],
    n: usize,
    /// All of the loops if there are more than fit inside, else empty.
    heap: Vec<Loop<N>>,
}

impl<const N: usize> Loops<N> {
    const NOTHING: Loop<N> = Loop { len: 1, steps: [0; N] };

    /// Keeps the loops that a condition holds for.
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
        let mut list = Loops { inside: [Loops::NOTHING; INLINE], n: 0, heap: Vec::new() };
        for it in loops {
            if list.n == INLINE {
                list.heap.extend(list.inside);
            }
            match list.n < INLINE {
                true => list.inside[list.n] = it,
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
        if self.heap.is_empty() { &self.inside[..self.n] } else { &self.heap }
    }
}

impl<const N: usize> DerefMut for Loops<N> {
    fn deref_mut(&mut self) -> &mut [Loop<N>] {
        if self.heap.is_empty() { &mut self.inside[..self.n] } else { &mut self.heap }
    }
}

impl<const N: usize> PartialEq for Loops<N> {
    fn eq(&self, other: &Loops<N>) -> bool {
        **self == **other
    }
}

impl<const N: usize> Eq for Loops<N> {}
