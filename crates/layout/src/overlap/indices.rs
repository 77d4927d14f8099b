//! Overlap of two index expressions of the same layout.
//!
//! Overlap of offsets is NP-complete in general. Overlap of indices is not: two slices of one axis are
//! arithmetic progressions, two index expressions overlap when they do along every axis, and two
//! progressions overlap when a linear Diophantine equation in two unknowns has a solution.

use super::solve::{self, Term};
use super::{Answer, collect};
use crate::{Axis, Index, Layout, LayoutError, Slice};

impl Layout {
    /// Returns whether two index expressions select a common index of this layout.
    ///
    /// For an injective layout this is whether the two slices share an element. The result is exact and
    /// takes a few divisions for each axis.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, s};
    /// let image = Layout::row_major(&[480, 640, 3])?;
    /// assert!(!image.slices_overlap(&s![..;2], &s![1..;2])?); // even and odd rows
    /// assert!(image.slices_overlap(&s![..;2], &s![..;3])?); // row 6 is in both
    /// assert!(!image.slices_overlap(&s![..;2, ..320], &s![..;3, 320..])?); // apart along axis 1
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`slice`](Layout::slice), for either of the two.
    pub fn slices_overlap(&self, one: &[Index], two: &[Index]) -> Result<bool, LayoutError> {
        // Checks the number of entries: from here on every entry has an axis.
        let (n_one, n_two) = (self.count_axes(one)?.0, self.count_axes(two)?.0);
        let (mut one, mut two) = (AxisEntries::new(one, n_one), AxisEntries::new(two, n_two));
        let mut overlap = true;
        for k in 0..self.rank() {
            let (a, b) = (one.next(self, k)?, two.next(self, k)?);
            // No early exit: a later entry may be an error.
            overlap &= a.overlaps(b);
        }
        Ok(overlap)
    }
}

/// The entries of an index expression, one for each axis of the layout.
struct AxisEntries<'a> {
    entries: core::slice::Iter<'a, Index>,
    /// The number of axes that an ellipsis stands for.
    n_ellipsis: usize,
    /// The number of axes of the current ellipsis that are still to come.
    n_left: usize,
}

impl<'a> AxisEntries<'a> {
    fn new(index: &'a [Index], n_ellipsis: usize) -> AxisEntries<'a> {
        AxisEntries { entries: index.iter(), n_ellipsis, n_left: 0 }
    }

    /// Returns the positions that are selected of axis `k`.
    fn next(&mut self, layout: &Layout, k: usize) -> Result<Progression, LayoutError> {
        let len = layout.axes()[k].len;
        let whole = Progression { first: 0, n: len, step: 1 };
        if self.n_left > 0 {
            self.n_left -= 1;
            return Ok(whole);
        }
        match self.entries.next() {
            None => Ok(whole),
            Some(&Index::At(at)) => {
                Ok(Progression { first: layout.position(k, at)?, n: 1, step: 1 })
            }
            Some(&Index::Slice(slice)) => Progression::from_slice(slice, k, len),
            Some(Index::NewAxis) => self.next(layout, k),
            Some(Index::Ellipsis) => {
                self.n_left = self.n_ellipsis;
                self.next(layout, k)
            }
        }
    }
}

/// An arithmetic progression of positions along an axis.
#[derive(Clone, Copy, Debug)]
struct Progression {
    first: usize,
    n: usize,
    step: isize,
}

impl Progression {
    fn from_slice(slice: Slice, axis: usize, len: usize) -> Result<Progression, LayoutError> {
        match slice.resolve(len) {
            Some((first, n)) => Ok(Progression { first, n, step: slice.step }),
            None => Err(LayoutError::Zero { what: "step", axis }),
        }
    }

    /// Returns whether the two have a position in common.
    fn overlaps(self, other: Progression) -> bool {
        if self.n == 0 || other.n == 0 {
            return false;
        }
        let distance = other.highest() as i128 - self.lowest() as i128;
        let terms = [self, other].map(|it| Term::from_axis(it.axis(), 1));
        // Two terms are solved without a search, so the answer is never `TooHard`.
        solve::has_solution(collect(terms.into_iter()), distance) == Answer::Yes
    }

    /// Returns the progression as an axis. The step of a single position has no effect.
    fn axis(self) -> Axis {
        Axis::new(self.n, if self.n == 1 { 0 } else { self.step })
    }

    fn last(self) -> usize {
        (self.first as isize + self.axis().reach()) as usize
    }

    fn lowest(self) -> usize {
        self.first.min(self.last())
    }

    fn highest(self) -> usize {
        self.first.max(self.last())
    }
}
