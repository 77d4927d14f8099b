//! Overlap of results: which steps share an element.
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
pub(super) const OVERLAP_BUDGET: usize = 1024;

/// The cost of one search, which may take 20 000 iterations.
const SEARCH_COST: usize = 2;

/// The number of offsets that can be compared at a cost of 1.
const OFFSETS_PER_COST: usize = 1024;

impl Session<'_> {
    /// Returns the earlier steps that share an element with a tensor, and those for which that was not decided.
    pub(super) fn overlapping_steps(&mut self, array: &Array) -> (Vec<usize>, Vec<usize>) {
        let (mut shared, mut unknown) = (Vec::new(), Vec::new());
        for (step, earlier) in self.results.iter().enumerate() {
            let Some(earlier) = earlier else { continue };
            match tensors_overlap(array, earlier, &mut self.overlap_budget) {
                Answer::Yes => shared.push(step),
                Answer::TooHard => unknown.push(step),
                Answer::No => {}
            }
        }
        (shared, unknown)
    }
}

/// Determines whether two tensors have a byte in common.
pub(super) fn tensors_overlap(a: &Array, b: &Array, overlap_budget: &mut usize) -> Answer {
    if a.memory != b.memory || a.chain.is_empty() || b.chain.is_empty() {
        return Answer::No;
    }
    let (Some(one), Some(two)) = (a.chain.base(), b.chain.base()) else {
        // All of it is padding.
        return Answer::No;
    };
    let bases = layouts_overlap((one, a.dtype.size()), (two, b.dtype.size()), overlap_budget);
    // A chain of one stage, with padding or without, contains every element of its base.
    match (bases, a.chain.depth().max(b.chain.depth())) {
        (Answer::Yes, 2..) => offsets_overlap(a, b, overlap_budget),
        (answer, _) => answer,
    }
}

/// Determines whether two layouts over one memory overlap, for elements of the given sizes.
fn layouts_overlap(
    (a, a_size): (&Layout, usize),
    (b, b_size): (&Layout, usize),
    overlap_budget: &mut usize,
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
    let Some(left) = overlap_budget.checked_sub(SEARCH_COST) else { return Answer::TooHard };
    *overlap_budget = left;
    let one = Bytes { address: 0, layout: a, size: a_size };
    one.overlaps(Bytes { address: 0, layout: b, size: b_size })
}

/// Returns the range of bytes that a layout spans.
fn bytes(layout: &Layout, size: usize) -> Range<u128> {
    let span = layout.span();
    span.start as u128 * size as u128..span.end as u128 * size as u128
}

/// Compares the sets of offsets; exact if both tensors have at most `MAX_LISTED` elements.
fn offsets_overlap(a: &Array, b: &Array, overlap_budget: &mut usize) -> Answer {
    let n_offsets = a.chain.len().min(MAX_LISTED) + b.chain.len().min(MAX_LISTED);
    let cost = 1 + n_offsets / OFFSETS_PER_COST;
    let Some(left) = overlap_budget.checked_sub(cost).filter(|_| a.dtype == b.dtype) else {
        return Answer::TooHard;
    };
    *overlap_budget = left;
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
