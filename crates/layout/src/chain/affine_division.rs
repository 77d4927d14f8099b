//! Integer division of an affine map on a box of indices, where the quotient is affine too.
//!
//! A stage splits a flat index into digits by dividing it by products of lengths. If no remainder
//! carries over within the box, the quotient increases by the same amount with every step along an
//! axis, and two stacked layouts are one.

use crate::{InlineVec, Layout};
use core::ops::Range;

/// An affine map on a box of indices: the offsets of a layout, as flat indices into another shape.
#[derive(Clone, Debug)]
pub(super) struct AffinePositions {
    /// The value at index 0, which may be outside of the box.
    start: i128,
    strides: InlineVec<i128>,
    /// The box: at least one index along each axis.
    pub(super) indices: InlineVec<IndexBounds>,
}

/// A range of indices, both ends included. Never empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct IndexBounds {
    pub(super) low: i128,
    pub(super) high: i128,
}

impl IndexBounds {
    fn n_steps(self) -> i128 {
        self.high - self.low
    }

    fn intersection(self, other: IndexBounds) -> Option<IndexBounds> {
        let common = IndexBounds { low: self.low.max(other.low), high: self.high.min(other.high) };
        (common.low <= common.high).then_some(common)
    }
}

impl AffinePositions {
    /// Creates the map of a layout that has elements, on all of its indices.
    pub(super) fn new(layout: &Layout) -> AffinePositions {
        AffinePositions {
            start: layout.start() as i128,
            strides: layout.axes().iter().map(|it| it.stride as i128).collect(),
            indices: layout
                .axes()
                .iter()
                .map(|it| IndexBounds { low: 0, high: it.len as i128 - 1 })
                .collect(),
        }
    }

    /// Returns the value at the lowest corner of the box.
    pub(super) fn at_lowest(&self) -> i128 {
        let steps = self.strides.iter().zip(&self.indices);
        self.start + steps.map(|(stride, it)| stride * it.low).sum::<i128>()
    }

    /// Divides by `divisor`: returns the quotient and the remainder if both are affine on the box.
    pub(super) fn divided_by(&self, divisor: i128) -> Option<AffineQuotient> {
        let lowest = self.at_lowest();
        let quotient = lowest.div_euclid(divisor);
        let mut divided = AffineQuotient {
            quotient,
            steps: InlineVec::repeat(0, self.strides.len()),
            remainder: lowest - quotient * divisor,
            slopes: InlineVec::repeat(0, self.strides.len()),
        };
        for (k, &stride) in self.strides.iter().enumerate() {
            if self.indices[k].n_steps() > 0 {
                // The only slope of the quotient with which the remainder at the next index is valid.
                let step = (lowest + stride).div_euclid(divisor) - quotient;
                divided.steps[k] = step;
                divided.slopes[k] = stride - step * divisor;
            }
        }
        let Range { start, end } = divided.remainders(&self.indices);
        (start >= 0 && end <= divisor).then_some(divided)
    }

    /// Shrinks the box to the indices along each axis whose remainder can be in `wanted`. Returns
    /// whether the box changed, or `None` if there are no such indices.
    pub(super) fn keep_remainders(
        &mut self,
        divided: &AffineQuotient,
        wanted: &Range<i128>,
    ) -> Option<bool> {
        let mut changed = false;
        let all = divided.remainders(&self.indices);
        for (bounds, &slope) in self.indices.iter_mut().zip(&divided.slopes) {
            let own = slope * bounds.n_steps();
            // Over all indices of the other axes, the remainder at step x along this one is at most
            // highest + slope·x and at least lowest + slope·x.
            let highest = all.end - 1 - own.max(0);
            let lowest = all.start - own.min(0);
            let at_least = steps_until(slope, wanted.start - highest);
            let at_most = steps_until(-slope, lowest - (wanted.end - 1));
            let kept = at_least
                .within(bounds.n_steps())?
                .intersection(at_most.within(bounds.n_steps())?)?;
            let shrunk = IndexBounds { low: bounds.low + kept.low, high: bounds.low + kept.high };
            changed |= shrunk != *bounds;
            *bounds = shrunk;
            if changed {
                // `all` is for the larger box. The caller repeats until nothing changes.
                return Some(true);
            }
        }
        Some(changed)
    }
}

/// The quotient and the remainder of a division: two affine maps, relative to the lowest corner of the
/// box.
pub(super) struct AffineQuotient {
    pub(super) quotient: i128,
    pub(super) steps: InlineVec<i128>,
    remainder: i128,
    slopes: InlineVec<i128>,
}

impl AffineQuotient {
    /// Returns the range of remainders in the box.
    pub(super) fn remainders(&self, indices: &[IndexBounds]) -> Range<i128> {
        let (mut low, mut high) = (self.remainder, self.remainder);
        for (slope, bounds) in self.slopes.iter().zip(indices) {
            let reach = slope * bounds.n_steps();
            low += reach.min(0);
            high += reach.max(0);
        }
        low..high + 1
    }
}

/// Returns the set of x with `slope · x ≥ needed`.
fn steps_until(slope: i128, needed: i128) -> HalfLine {
    match slope {
        0 if needed <= 0 => HalfLine::All,
        0 => HalfLine::None,
        _ if slope > 0 => HalfLine::From((needed + slope - 1).div_euclid(slope)),
        _ => HalfLine::UpTo((-needed).div_euclid(-slope)),
    }
}

/// A set of integers that is a half-line, all or none.
enum HalfLine {
    All,
    None,
    From(i128),
    UpTo(i128),
}

impl HalfLine {
    /// Returns the intersection with `0..=most`, if it is not empty.
    fn within(self, most: i128) -> Option<IndexBounds> {
        let bounds = match self {
            HalfLine::All => IndexBounds { low: 0, high: most },
            HalfLine::None => return None,
            HalfLine::From(x) => IndexBounds { low: x.max(0), high: most },
            HalfLine::UpTo(x) => IndexBounds { low: 0, high: x.min(most) },
        };
        (bounds.low <= bounds.high).then_some(bounds)
    }
}
