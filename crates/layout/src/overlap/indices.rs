//! Do two index expressions take a common element?
//!
//! Asked of offsets this is the hard question of this folder. Asked of indices it is easy: two slices of
//! one axis are arithmetic progressions, two index expressions meet when they meet along every axis, and
//! two progressions meet when a linear equation in two unknowns has a solution.

use super::solve::{self, Term};
use super::{Answer, collect};
use crate::{Axis, Index, Layout, LayoutError, Slice};

impl Layout {
    /// Whether two index expressions take a common index of this layout. With an injective layout
    /// that is whether what they take overlaps; it is exact, and costs a few divisions an axis.
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
        // Refuses what cannot be sliced; from here on every entry has its axis.
        let (n_one, n_two) = (self.count_axes(one)?.0, self.count_axes(two)?.0);
        let (mut one, mut two) = (AxisEntries::new(one, n_one), AxisEntries::new(two, n_two));
        let mut meet = true;
        for k in 0..self.rank() {
            let (a, b) = (one.next(self, k)?, two.next(self, k)?);
            // No early end: an entry further on may still have to be refused.
            meet &= a.meets(b);
        }
        Ok(meet)
    }
}

/// Walks an index expression axis by axis.
struct AxisEntries<'a> {
    entries: core::slice::Iter<'a, Index>,
    n_ellipsis: usize,
    /// Axes of an ellipsis that are still to come.
    n_left: usize,
}

impl<'a> AxisEntries<'a> {
    fn new(index: &'a [Index], n_ellipsis: usize) -> AxisEntries<'a> {
        AxisEntries { entries: index.iter(), n_ellipsis, n_left: 0 }
    }

    /// What is taken of axis `k`: the first position, how many, how far apart.
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
            Some(&Index::Slice(slice)) => Progression::of(slice, k, len),
            Some(Index::NewAxis) => self.next(layout, k),
            Some(Index::Ellipsis) => {
                self.n_left = self.n_ellipsis;
                self.next(layout, k)
            }
        }
    }
}

/// Positions that are evenly apart.
#[derive(Clone, Copy, Debug)]
struct Progression {
    first: usize,
    n: usize,
    step: isize,
}

impl Progression {
    fn of(slice: Slice, axis: usize, len: usize) -> Result<Progression, LayoutError> {
        match slice.resolve(len) {
            Some((first, n)) => Ok(Progression { first, n, step: slice.step }),
            None => Err(LayoutError::Zero { what: "step", axis }),
        }
    }

    /// Whether the two have a position in common.
    fn meets(self, other: Progression) -> bool {
        if self.n == 0 || other.n == 0 {
            return false;
        }
        let distance = other.highest() as i128 - self.lowest() as i128;
        let terms = [self, other].map(|it| Term::of(it.axis(), 1));
        // Two terms are solved at once: the answer is never `TooHard`.
        solve::has_solution(collect(terms.into_iter()), distance) == Answer::Yes
    }

    /// As an axis; a single position may come with a step of any size, which is never taken.
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
