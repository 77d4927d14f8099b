//! Bounded search for a solution of `Σ stepₖ · zₖ = total` with `0 ≤ zₖ ≤ maxₖ`.
//!
//! Terms are sorted by decreasing step and split into a high and a low part. Let g be the greatest
//! common divisor of the high steps. The sum of the high part is a multiple of g, so the sum of the
//! low part is congruent to the total modulo g; and it cannot exceed the reach of the low part. For
//! the strides of slices of one array, g is at least about the reach of the low part, so one or two
//! sums are possible, and the two parts become separate, smaller problems: g is the common radix,
//! found without knowing the array's shape. The gcd of the low steps reduces the candidates further.
//! The split with the fewest candidates is taken; with a single high term this is a plain depth-first
//! search. Two terms are solved with the extended Euclidean algorithm.

use super::Answer;
use crate::Axis;
use alloc::vec::Vec;

/// One term of the equation: `step · z` with `0 ≤ z ≤ max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) step: i128,
    pub(super) max: i128,
}

impl Term {
    /// Creates the term of an axis of elements of `size` bytes; the sign of its stride is dropped.
    pub(super) fn from_axis(axis: Axis, size: i128) -> Term {
        Term { step: axis.stride.unsigned_abs() as i128 * size, max: axis.len as i128 - 1 }
    }

    /// Returns the largest value of the term.
    pub(super) fn reach(self) -> i128 {
        self.step * self.max
    }
}

/// The number of steps that a search may still take.
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    pub(super) fn new(steps: usize) -> Budget {
        Budget { left: steps }
    }

    /// Subtracts `steps`; returns `None` if fewer are left.
    fn spend(&mut self, steps: usize) -> Option<()> {
        self.left = self.left.checked_sub(steps)?;
        Some(())
    }
}

/// Determines whether the terms can add up to `total`, within [`SEARCH_STEPS`](super::SEARCH_STEPS).
pub(super) fn has_solution(terms: Vec<Term>, total: i128) -> Answer {
    search(terms, total, &mut Budget::new(super::SEARCH_STEPS))
}

/// Determines whether the terms, none with a step of 0, can add up to `total`.
pub(super) fn search(mut terms: Vec<Term>, total: i128, budget: &mut Budget) -> Answer {
    terms.sort_unstable_by_key(|it| core::cmp::Reverse(it.step));
    // Terms with equal steps are merged: their sums are all multiples up to the sum of their maxima.
    terms.dedup_by(|next, kept| {
        let same = next.step == kept.step;
        if same {
            kept.max += next.max;
        }
        same
    });
    match reaches(&terms, total, budget) {
        Some(true) => Answer::Yes,
        Some(false) => Answer::No,
        None => Answer::TooHard,
    }
}

/// Returns whether terms of decreasing steps can add up to `total`, or `None` if the budget is spent.
fn reaches(terms: &[Term], total: i128, budget: &mut Budget) -> Option<bool> {
    budget.spend(terms.len().max(1))?;
    let all = TermSummary::new(terms);
    if total < 0 || total > all.reach {
        return Some(false);
    }
    if total == 0 {
        return Some(true);
    }
    if total % all.divisor != 0 {
        return Some(false);
    }
    match *terms {
        [] => Some(false),
        [only] => Some(total / only.step <= only.max),
        [large, small] => Some(two_terms_reach(large, small, total)),
        _ if is_gapless(terms, all.divisor) => Some(true),
        _ => search_split(terms, total, budget),
    }
}

/// Tries every distribution of `total` between the high and the low part of the best split.
fn search_split(terms: &[Term], total: i128, budget: &mut Budget) -> Option<bool> {
    let split = best_split(terms, total);
    let (high, low) = terms.split_at(split.at);
    let mut low_total = split.first;
    while low_total <= split.last {
        if reaches(low, low_total, budget)? && reaches(high, total - low_total, budget)? {
            return Some(true);
        }
        low_total += split.step;
    }
    Some(false)
}

/// Returns the split with the fewest totals to try.
fn best_split(terms: &[Term], total: i128) -> TermSplit {
    let mut lows: Vec<TermSummary> = Vec::with_capacity(terms.len());
    let mut low = TermSummary::default();
    for &term in terms[1..].iter().rev() {
        low = low.with(term);
        lows.push(low);
    }
    let mut high = TermSummary::default();
    let splits = terms.iter().zip(lows.iter().rev()).enumerate().map(|(i, (&term, &low))| {
        high = high.with(term);
        TermSplit::new(i + 1, high, low, total)
    });
    splits.min_by_key(TermSplit::n_candidates).expect("there are three terms or more")
}

/// The greatest common divisor of the steps of several terms, and their largest sum.
#[derive(Clone, Copy, Default)]
struct TermSummary {
    divisor: i128,
    reach: i128,
}

impl TermSummary {
    fn new(terms: &[Term]) -> TermSummary {
        terms.iter().fold(TermSummary::default(), |summary, &term| summary.with(term))
    }

    fn with(self, term: Term) -> TermSummary {
        TermSummary { divisor: gcd(self.divisor, term.step), reach: self.reach + term.reach() }
    }
}

/// A split of terms before the `at`-th, and the possible totals of the low part: `first`,
/// `first + step`, … `last`.
struct TermSplit {
    at: usize,
    first: i128,
    last: i128,
    step: i128,
}

impl TermSplit {
    fn new(at: usize, high: TermSummary, low: TermSummary, total: i128) -> TermSplit {
        let (radix, unit) = (high.divisor, low.divisor);
        // The sum of the low part is `unit · u` with `unit · u ≡ total` modulo `radix`. The gcd of
        // `unit` and `radix` divides `total`, so u exists and is unique modulo `radix / shared`.
        let (shared, inverse) = inverse_modulo(unit, radix);
        let modulus = radix / shared;
        let u = ((total / shared) % modulus * (inverse % modulus)) % modulus;
        let step = unit * modulus;
        let first = first_from((total - high.reach).max(0), unit * u, step);
        TermSplit { at, first, last: low.reach.min(total), step }
    }

    fn n_candidates(&self) -> i128 {
        if self.first > self.last { 0 } else { (self.last - self.first) / self.step + 1 }
    }
}

/// Returns whether `large` and `small` can add up to `total`, which the gcd of their steps divides.
fn two_terms_reach(large: Term, small: Term, total: i128) -> bool {
    // The smallest number x of large steps such that the rest is a multiple of the small step. All
    // other such numbers differ from it by multiples of `small.step / shared`.
    let (shared, inverse) = inverse_modulo(large.step, small.step);
    let period = small.step / shared;
    let x = ((total / shared) % period * (inverse % period)) % period;
    // At least as many large steps that the small term can reach the rest, and no more than `total`.
    let least = (total - small.reach() + large.step - 1).div_euclid(large.step).max(0);
    let max = large.max.min(total / large.step);
    first_from(least, x, period) <= max
}

/// Returns the first of `residue`, `residue + step`, … that is at least `least`.
fn first_from(least: i128, residue: i128, step: i128) -> i128 {
    residue
        + (least - residue).max(0).div_euclid(step) * step
        + if (least - residue).max(0) % step == 0 { 0 } else { step }
}

/// Returns the greatest common divisor g of `a` and `m`, both positive, and an x with `a·x ≡ g`
/// modulo `m` (extended Euclidean algorithm).
fn inverse_modulo(a: i128, m: i128) -> (i128, i128) {
    let (mut r, mut next_r) = (m, a % m);
    let (mut x, mut next_x) = (0, 1);
    while next_r != 0 {
        let quotient = r / next_r;
        (r, next_r) = (next_r, r - quotient * next_r);
        (x, next_x) = (next_x, x - quotient * next_x);
    }
    (r, x.rem_euclid(m))
}

/// Returns whether every multiple of `unit` from 0 to the reach of the terms is a sum: whether each
/// step exceeds the reach of the smaller ones by at most `unit`.
fn is_gapless(terms: &[Term], unit: i128) -> bool {
    let mut reached = 0;
    terms.iter().rev().all(|it| {
        let has_gap = it.step > reached + unit;
        reached += it.reach();
        !has_gap
    })
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
