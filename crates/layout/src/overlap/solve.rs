//! Is a total a sum of bounded multiples: `Σ stepₖ · zₖ = total` with `0 ≤ zₖ ≤ mostₖ`?
//!
//! Terms are sorted, the largest step first, and cut into a high and a low part. Let g be the common
//! divisor of the high steps. Whatever the high part adds up to is a multiple of g, so the low part
//! must add up to something that leaves the total's remainder modulo g; and it cannot exceed its own
//! reach. For the strides of slices of one array, g is longer than the low part reaches (or nearly),
//! so one or two sums are possible and the parts are separate, smaller questions: that is the common
//! radix, found without being told the array's shape. The common divisor of the low steps thins the
//! candidates further. The cut with the fewest candidates is taken; with the high part a single term,
//! this is plain depth-first search. Two terms are solved by Euclid's algorithm.

use super::Answer;
use crate::Axis;
use alloc::vec::Vec;

/// `0..=max` steps of size `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub step: i128,
    pub max: i128,
}

impl Term {
    /// The steps along an axis of elements of `size` bytes, forwards whatever its direction.
    pub fn of(axis: Axis, size: i128) -> Term {
        Term { step: axis.stride.unsigned_abs() as i128 * size, max: axis.len as i128 - 1 }
    }

    /// The largest sum.
    pub fn reach(self) -> i128 {
        self.step * self.max
    }
}

/// How many steps a search may still take.
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    pub fn new(steps: usize) -> Budget {
        Budget { left: steps }
    }

    /// Takes `steps` more; `None` when there are not as many left.
    fn spend(&mut self, steps: usize) -> Option<()> {
        self.left = self.left.checked_sub(steps)?;
        Some(())
    }
}

/// Whether the terms can add up to `total`, within the ordinary budget.
pub(super) fn has_solution(terms: Vec<Term>, total: i128) -> Answer {
    search(terms, total, &mut Budget::new(super::SEARCH_STEPS))
}

/// Whether the terms, all of them with a step, can add up to `total`.
pub(super) fn search(mut terms: Vec<Term>, total: i128, budget: &mut Budget) -> Answer {
    terms.sort_unstable_by_key(|it| core::cmp::Reverse(it.step));
    // Equal steps are one term: their multiples add up to any multiple in between.
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

/// Whether terms of falling steps can add up to `total`; `None` when the budget is spent.
fn reaches(terms: &[Term], total: i128, budget: &mut Budget) -> Option<bool> {
    budget.spend(terms.len().max(1))?;
    let all = TermSummary::of(terms);
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
        _ => split(terms, total, budget),
    }
}

/// Tries every way to share `total` between the high and the low part of the best cut.
fn split(terms: &[Term], total: i128, budget: &mut Budget) -> Option<bool> {
    let cut = best_split(terms, total);
    let (high, low) = terms.split_at(cut.at);
    let mut low_total = cut.first;
    while low_total <= cut.last {
        if reaches(low, low_total, budget)? && reaches(high, total - low_total, budget)? {
            return Some(true);
        }
        low_total += cut.step;
    }
    Some(false)
}

/// The cut that leaves the fewest totals to try.
fn best_split(terms: &[Term], total: i128) -> TermSplit {
    let mut lows: Vec<TermSummary> = Vec::with_capacity(terms.len());
    let mut low = TermSummary::default();
    for &term in terms[1..].iter().rev() {
        low = low.with(term);
        lows.push(low);
    }
    let mut high = TermSummary::default();
    let cuts = terms.iter().zip(lows.iter().rev()).enumerate().map(|(i, (&term, &low))| {
        high = high.with(term);
        TermSplit::new(i + 1, high, low, total)
    });
    cuts.min_by_key(TermSplit::n_candidates).expect("there are three terms or more")
}

/// What matters of some terms as a whole.
#[derive(Clone, Copy, Default)]
struct TermSummary {
    divisor: i128,
    reach: i128,
}

impl TermSummary {
    fn of(terms: &[Term]) -> TermSummary {
        terms.iter().fold(TermSummary::default(), |part, &term| part.with(term))
    }

    fn with(self, term: Term) -> TermSummary {
        TermSummary { divisor: gcd(self.divisor, term.step), reach: self.reach + term.reach() }
    }
}

/// Terms cut in two in front of the `at`-th, and the totals that the low part may then have:
/// `first`, `first + step`, … `last`.
struct TermSplit {
    at: usize,
    first: i128,
    last: i128,
    step: i128,
}

impl TermSplit {
    fn new(at: usize, high: TermSummary, low: TermSummary, total: i128) -> TermSplit {
        let (radix, unit) = (high.divisor, low.divisor);
        // The low part is `unit · u` with `unit · u ≡ total` modulo `radix`. What divides both
        // divides `total`, so u exists and is unique modulo `radix / shared`.
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

/// Whether `large` and `small`, whose common divisor divides `total`, can add up to it.
fn two_terms_reach(large: Term, small: Term, total: i128) -> bool {
    // The smallest number x of large steps that leaves a multiple of the small one: all others
    // differ by `small.step / shared`.
    let (shared, inverse) = inverse_modulo(large.step, small.step);
    let period = small.step / shared;
    let x = ((total / shared) % period * (inverse % period)) % period;
    // So many that the small ones can make up the rest, and that nothing is left over.
    let least = (total - small.reach() + large.step - 1).div_euclid(large.step).max(0);
    let max = large.max.min(total / large.step);
    first_from(least, x, period) <= max
}

/// The first of `residue`, `residue + step`, … that is not below `least`.
fn first_from(least: i128, residue: i128, step: i128) -> i128 {
    residue
        + (least - residue).max(0).div_euclid(step) * step
        + if (least - residue).max(0) % step == 0 { 0 } else { step }
}

/// The common divisor g of `a` and `m`, both positive, and an x with `a·x ≡ g` modulo `m`.
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

/// Whether every multiple of `unit` from 0 to the terms' reach is a sum: whether each step is at
/// max one unit longer than all that the smaller ones reach.
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
