//! Do two layouts share an element? Does one visit an element twice?
//!
//! **The problem.** Two layouts meet when `a.start + Σ sᵢxᵢ = b.start + Σ tⱼyⱼ` for some indices in
//! range. Walking the second one backwards turns this into one equation with positive coefficients,
//! `Σ cₖzₖ = total` with `0 ≤ zₖ ≤ mₖ`. A layout meets itself when two different indices have one
//! offset: for the first axis on which they differ, that is such an equation too.
//!
//! **The plain solution** is to list all offsets. Where memory is large that is far too slow, and the
//! equation is a form of the knapsack problem: no fast method is known for all of its cases.
//!
//! **What we do.** Quick answers first (spans apart; strides that nest, so that every index has its
//! own offset; ranges without gaps). Then `solve.rs` splits the equation at a radix that the strides
//! have in common, and searches what remains, counting its steps. When the count runs out the answer is
//! [`Answer::TooHard`], never a guess.

mod indices;
mod solve;

use crate::{Axis, InlineVec, Layout};
use alloc::vec::Vec;
use solve::{Budget, Term};

/// The answer to a question that may be too hard to settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Certainly not.
    No,
    /// Certainly so.
    Yes,
    /// The search gave up after [`SEARCH_STEPS`] steps. Take the side on which a mistake does no harm.
    TooHard,
}

/// How many steps the search for a shared element may take: some milliseconds at the
/// very max.
pub const SEARCH_STEPS: usize = 20_000;

impl Layout {
    /// Whether some element belongs to both layouts.
    ///
    /// ```
    /// use belvedere_layout::{Answer, Layout, s};
    ///
    /// let memory = Layout::row_major(&[24])?;
    /// let even = memory.slice(&s![..;2])?;
    /// let odd = memory.slice(&s![1..;2])?;
    /// let thirds = memory.slice(&s![..;3])?;
    /// assert_eq!(even.overlaps(&odd), Answer::No);
    /// assert_eq!(even.overlaps(&thirds), Answer::Yes);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn overlaps(&self, other: &Layout) -> Answer {
        let (one, two) = (self.span(), other.span());
        if one.end <= two.start || two.end <= one.start || self.is_empty() || other.is_empty() {
            return Answer::No;
        }
        if self == other {
            return Answer::Yes;
        }
        let terms = self.axes().iter().chain(other.axes()).map(|&it| Term::of(it, 1));
        solve::has_solution(collect(terms), two.end as i128 - 1 - one.start as i128)
    }

    /// Whether no element is visited twice: whether the layout can be written through.
    ///
    /// ```
    /// use belvedere_layout::{Answer, Layout};
    ///
    /// let memory = Layout::row_major(&[6])?;
    /// assert_eq!(memory.injective(), Answer::Yes);
    /// assert_eq!(memory.windows(0, 3, 1)?.injective(), Answer::No);
    /// // Neither stride is a multiple of the other, and still no two of the six meet.
    /// assert_eq!(Layout::from_strides(0, &[2, 3], &[3, 2])?.injective(), Answer::Yes);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn injective(&self) -> Answer {
        if self.is_empty() || are_nested_in_order(self.axes()) || are_nested(self.axes()) {
            return Answer::Yes;
        }
        let mut axes: InlineVec<Axis> =
            self.axes().iter().filter(|it| it.len != 1).copied().collect();
        axes.sort_unstable_by_key(|it| core::cmp::Reverse(it.stride.unsigned_abs()));
        if axes.last().is_some_and(|it| it.stride == 0) {
            return Answer::No;
        }
        match meets_itself(&axes) {
            Answer::No => Answer::Yes,
            Answer::Yes => Answer::No,
            Answer::TooHard => Answer::TooHard,
        }
    }
}

/// A layout over bytes: where its memory begins and how large its elements are.
///
/// For layouts of different element sizes, or over memory that was handed in twice under different
/// addresses.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a> {
    /// The address of offset 0.
    pub address: usize,
    /// The layout, in elements.
    pub layout: &'a Layout,
    /// Bytes of an element.
    pub size: usize,
}

impl Bytes<'_> {
    /// Whether some byte belongs to both.
    ///
    /// ```
    /// use belvedere_layout::{Answer, Bytes, Layout, s};
    ///
    /// let words = Layout::row_major(&[4])?; // 4 bytes each, at 0, 4, 8, 12
    /// let shorts = Layout::row_major(&[8])?.slice(&s![1..;2])?; // 2 bytes each, at 2, 6, 10, 14
    /// let words = Bytes { address: 0, layout: &words, size: 4 };
    /// assert_eq!(words.overlaps(Bytes { address: 0, layout: &shorts, size: 2 }), Answer::Yes);
    /// assert_eq!(words.overlaps(Bytes { address: 16, layout: &shorts, size: 2 }), Answer::No);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn overlaps(self, other: Bytes<'_>) -> Answer {
        if self.is_empty() || other.is_empty() {
            return Answer::No;
        }
        let (Some((low, end)), Some((other_low, other_end))) = (self.ends(), other.ends()) else {
            return Answer::TooHard;
        };
        if end <= other_low || other_end <= low {
            return Answer::No;
        }
        let terms = self.terms().chain(other.terms());
        solve::has_solution(collect(terms), other_end - 1 - low)
    }

    fn is_empty(&self) -> bool {
        self.layout.is_empty() || self.size == 0
    }

    /// The lowest byte and the one behind the highest. `None` when they are further apart than any
    /// memory is long.
    fn ends(&self) -> Option<(i128, i128)> {
        let span = self.layout.span();
        isize::try_from((span.end - span.start).checked_mul(self.size)?).ok()?;
        let at = |offset: usize| self.address as i128 + offset as i128 * self.size as i128;
        Some((at(span.start), at(span.end)))
    }

    /// The axes in bytes, and the bytes of one element as one more.
    fn terms(&self) -> impl Iterator<Item = Term> {
        let size = self.size as i128;
        let inside = Term { step: 1, max: size - 1 };
        self.layout.axes().iter().map(move |&it| Term::of(it, size)).chain([inside])
    }
}

fn collect(terms: impl Iterator<Item = Term>) -> Vec<Term> {
    terms.filter(|it| it.step != 0 && it.max != 0).collect()
}

/// Whether each stride is longer than all that lies within the axes behind it. Then the offset tells
/// the index, digit by digit. So it is in fresh memory and max views of it.
fn are_nested_in_order(axes: &[Axis]) -> bool {
    let mut within = 0;
    axes.iter().rev().all(|it| {
        let is_longer = it.len == 1 || it.stride.unsigned_abs() > within;
        // The sum of reaches is the width of the span, which fits.
        within += it.reach().unsigned_abs();
        is_longer
    })
}

/// The same in any order: whether each stride is longer than all that lies within the others that are
/// not longer. Sufficient, not necessary.
fn are_nested(axes: &[Axis]) -> bool {
    axes.iter().enumerate().filter(|(_, it)| it.len != 1).all(|(k, outer)| {
        let stride = outer.stride.unsigned_abs();
        let others = axes.iter().enumerate().filter(|(j, _)| *j != k);
        let within = others.filter(|(_, it)| it.stride.unsigned_abs() <= stride);
        // The sum of reaches is the width of the span at max, which fits.
        stride > within.map(|(_, it)| it.reach().unsigned_abs()).sum()
    })
}

/// Whether two different indices of these axes, the longest stride first, have one offset.
///
/// Say they first differ on axis k, by d > 0 there, and by dⱼ in -mⱼ..=mⱼ on the axes j behind it.
/// With zₖ = d - 1 and zⱼ = dⱼ + mⱼ, all of `0..`, the difference vanishes when
/// `sₖzₖ + Σ sⱼzⱼ = Σ sⱼmⱼ - sₖ`.
fn meets_itself(axes: &[Axis]) -> Answer {
    let mut budget = Budget::new(SEARCH_STEPS);
    for (k, &first) in axes.iter().enumerate() {
        let first = Term::of(first, 1);
        let rest = axes[k + 1..].iter().map(|&it| Term::of(it, 1));
        let total = rest.clone().map(Term::reach).sum::<i128>() - first.step;
        let doubled = rest.map(|it| Term { max: 2 * it.max, ..it });
        let first = Term { max: first.max - 1, ..first };
        match solve::search(collect(doubled.chain([first])), total, &mut budget) {
            Answer::No => {}
            found => return found,
        }
    }
    Answer::No
}
