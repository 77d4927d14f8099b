//! Overlap of two layouts, and injectivity of one.
//!
//! **The problem.** Two layouts overlap when `a.start + Σ sᵢxᵢ = b.start + Σ tⱼyⱼ` for some indices in
//! range. Reversing the axes of the second (and those with negative strides) turns this into a linear
//! Diophantine equation with positive coefficients and bounded unknowns, `Σ cₖzₖ = total` with
//! `0 ≤ zₖ ≤ mₖ`. A layout is not injective when two different indices have the same offset: for the
//! first axis on which they differ, this is such an equation too.
//!
//! **The plain solution** is to enumerate all offsets, whose cost grows with the number of elements.
//! The equation itself is a bounded subset-sum problem, which is NP-complete.
//!
//! **What is done.** Cheap sufficient tests come first: disjoint spans, nested strides (every index has
//! its own offset), ranges without gaps. Then `solve.rs` splits the equation at a common radix of the
//! strides and searches the rest with a bounded number of steps. When the budget is spent the answer
//! is [`Answer::TooHard`], never a guess.

mod indices;
mod solve;

use crate::{Axis, InlineVec, Layout};
use alloc::vec::Vec;
use solve::{Budget, Term};

/// The answer to an overlap question: exact, or [`TooHard`](Answer::TooHard) if the search for one
/// was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// No, proven.
    No,
    /// Yes, proven.
    Yes,
    /// Unknown: the search gave up after [`SEARCH_STEPS`] steps. Callers must assume the unsafe case.
    TooHard,
}

/// The number of steps after which the search for a shared element gives up: a few milliseconds at
/// most.
pub const SEARCH_STEPS: usize = 20_000;

impl Layout {
    /// Determines whether some offset belongs to both layouts.
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
        let terms = self.axes().iter().chain(other.axes()).map(|&it| Term::from_axis(it, 1));
        solve::has_solution(collect(terms), two.end as i128 - 1 - one.start as i128)
    }

    /// Determines whether every index has an offset of its own, which a layout that is written
    /// through must satisfy.
    ///
    /// ```
    /// use belvedere_layout::{Answer, Layout};
    ///
    /// let memory = Layout::row_major(&[6])?;
    /// assert_eq!(memory.injective(), Answer::Yes);
    /// assert_eq!(memory.windows(0, 3, 1)?.injective(), Answer::No);
    /// // Neither stride is a multiple of the other, and the six offsets are still distinct.
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
        match has_repeated_offset(&axes) {
            Answer::No => Answer::Yes,
            Answer::Yes => Answer::No,
            Answer::TooHard => Answer::TooHard,
        }
    }
}

/// A layout over bytes: a layout with the address of its memory and the size of its elements.
///
/// Used to compare layouts of different element sizes, or of memories with different addresses.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a> {
    /// The address of offset 0.
    pub address: usize,
    /// The layout, in elements.
    pub layout: &'a Layout,
    /// The size of an element in bytes.
    pub size: usize,
}

impl Bytes<'_> {
    /// Determines whether some byte belongs to both.
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

    /// Returns the addresses of the lowest byte and of the byte after the highest, or `None` if their
    /// distance exceeds `isize::MAX`, which no allocation does.
    fn ends(&self) -> Option<(i128, i128)> {
        let span = self.layout.span();
        isize::try_from((span.end - span.start).checked_mul(self.size)?).ok()?;
        let at = |offset: usize| self.address as i128 + offset as i128 * self.size as i128;
        Some((at(span.start), at(span.end)))
    }

    /// Iterates over the axes, in bytes, and one more axis for the bytes of an element.
    fn terms(&self) -> impl Iterator<Item = Term> {
        let size = self.size as i128;
        let inside = Term { step: 1, max: size - 1 };
        self.layout.axes().iter().map(move |&it| Term::from_axis(it, size)).chain([inside])
    }
}

fn collect(terms: impl Iterator<Item = Term>) -> Vec<Term> {
    terms.filter(|it| it.step != 0 && it.max != 0).collect()
}

/// Returns whether each stride exceeds the reach of all axes further in, so that an offset determines
/// its index digit by digit. True of row-major layouts and of most views of them.
fn are_nested_in_order(axes: &[Axis]) -> bool {
    let mut within = 0;
    axes.iter().rev().all(|it| {
        let is_longer = it.len == 1 || it.stride.unsigned_abs() > within;
        // The sum of reaches is the width of the span, which fits.
        within += it.reach().unsigned_abs();
        is_longer
    })
}

/// Returns whether each stride exceeds the reach of all axes with strides not longer than itself, in
/// any order of axes. Sufficient for injectivity, not necessary.
fn are_nested(axes: &[Axis]) -> bool {
    axes.iter().enumerate().filter(|(_, it)| it.len != 1).all(|(k, outer)| {
        let stride = outer.stride.unsigned_abs();
        let others = axes.iter().enumerate().filter(|(j, _)| *j != k);
        let within = others.filter(|(_, it)| it.stride.unsigned_abs() <= stride);
        // The sum of reaches is at most the width of the span, which fits.
        stride > within.map(|(_, it)| it.reach().unsigned_abs()).sum()
    })
}

/// Determines whether two different indices of these axes, the longest stride first, have the same
/// offset.
///
/// Let k be the first axis on which the indices differ, by d > 0, and let them differ by dⱼ in
/// `-mⱼ..=mⱼ` on each axis j after it. With zₖ = d - 1 and zⱼ = dⱼ + mⱼ, all non-negative, the offsets
/// are equal when `sₖzₖ + Σ sⱼzⱼ = Σ sⱼmⱼ - sₖ`.
fn has_repeated_offset(axes: &[Axis]) -> Answer {
    let mut budget = Budget::new(SEARCH_STEPS);
    for (k, &first) in axes.iter().enumerate() {
        let first = Term::from_axis(first, 1);
        let rest = axes[k + 1..].iter().map(|&it| Term::from_axis(it, 1));
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
