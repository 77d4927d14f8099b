//! Exact overlap of results.
//!
//! Most pairs are decided by a cheap test: different memories, disjoint spans, a tensor that covers its memory. The
//! rest need a bounded search ([`Answer`]), and a report has a budget of such searches. Pairs beyond it are reported as
//! undecided.

use super::Session;
use super::memory::MAX_LISTED;
use super::value::Array;
use belvedere_layout::{Answer, Bytes, Layout};
use std::collections::HashSet;
use std::ops::Range;

/// The budget of a report for overlap searches: less than a second at worst.
pub(super) const QUESTIONS: usize = 1024;

/// What a search costs, which may take 20 000 steps.
const SEARCH: usize = 2;

/// How many offsets can be looked at for the cost of 1.
const OFFSETS: usize = 1024;

impl Session<'_> {
    /// The earlier steps that share an element with a tensor, and those that cannot be decided.
    pub(super) fn sharing(&mut self, array: &Array) -> (Vec<usize>, Vec<usize>) {
        let (mut shared, mut unknown) = (Vec::new(), Vec::new());
        for (step, earlier) in self.results.iter().enumerate() {
            let Some(earlier) = earlier else { continue };
            match shares(array, earlier, &mut self.questions) {
                Answer::Yes => shared.push(step),
                Answer::TooHard => unknown.push(step),
                Answer::No => {}
            }
        }
        (shared, unknown)
    }
}

/// Whether two tensors have a byte in common.
pub(super) fn shares(a: &Array, b: &Array, questions: &mut usize) -> Answer {
    if a.memory != b.memory || a.chain.is_empty() || b.chain.is_empty() {
        return Answer::No;
    }
    let (Some(one), Some(two)) = (a.chain.base(), b.chain.base()) else {
        // All of it is padding.
        return Answer::No;
    };
    let bases = meet((one, a.dtype.size()), (two, b.dtype.size()), questions);
    // One stage, with padding or without, shows all of its base.
    match (bases, a.chain.depth().max(b.chain.depth())) {
        (Answer::Yes, 2..) => by_looking(a, b, questions),
        (answer, _) => answer,
    }
}

/// Determines whether two layouts over one memory overlap, for elements of the given sizes.
fn meet(
    (a, a_size): (&Layout, usize),
    (b, b_size): (&Layout, usize),
    questions: &mut usize,
) -> Answer {
    let (one, two) = (bytes(a, a_size), bytes(b, b_size));
    if one.end <= two.start || two.end <= one.start {
        return Answer::No;
    }
    // A contiguous layout overlaps every layout that begins or ends within its span.
    let holds = |layout: &Layout, all: &Range<u128>, other: &Range<u128>| {
        let ends = [other.start, other.end - 1];
        layout.is_contiguous() && ends.iter().any(|it| all.contains(it))
    };
    if holds(a, &one, &two) || holds(b, &two, &one) || (a == b && a_size == b_size) {
        return Answer::Yes;
    }
    let Some(left) = questions.checked_sub(SEARCH) else { return Answer::TooHard };
    *questions = left;
    let one = Bytes { address: 0, layout: a, size: a_size };
    one.overlaps(Bytes { address: 0, layout: b, size: b_size })
}

/// The bytes between the first and the last element.
fn bytes(layout: &Layout, size: usize) -> Range<u128> {
    let span = layout.span();
    span.start as u128 * size as u128..span.end as u128 * size as u128
}

/// Compares offsets, all of them if they are few.
fn by_looking(a: &Array, b: &Array, questions: &mut usize) -> Answer {
    let n_offsets = a.chain.len().min(MAX_LISTED) + b.chain.len().min(MAX_LISTED);
    let cost = 1 + n_offsets / OFFSETS;
    let Some(left) = questions.checked_sub(cost).filter(|_| a.dtype == b.dtype) else {
        return Answer::TooHard;
    };
    *questions = left;
    let some =
        |it: &Array| it.chain.offsets().take(MAX_LISTED).flatten().collect::<HashSet<usize>>();
    if !some(a).is_disjoint(&some(b)) {
        return Answer::Yes;
    }
    match a.chain.len().max(b.chain.len()) <= MAX_LISTED {
        true => Answer::No,
        false => Answer::TooHard,
    }
}
