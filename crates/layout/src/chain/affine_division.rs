//! When division by a number is linear on a box.
//!
//! Reading a position through a shape is dividing it by products of lengths. Where no division carries
//! over, the quotient grows by the same amount with every step along an axis, and stacked layouts
//! become one.

use crate::{InlineVec, Layout};
use core::ops::Range;

/// An affine map on a box of indices: the positions that a layout gives.
#[derive(Clone, Debug)]
pub(super) struct AffinePositions {
    /// The position of the index 0, which may lie outside of the box.
    start: i128,
    strides: InlineVec<i128>,
    /// The indices that are looked at, at least one along each axis.
    pub indices: InlineVec<IndexBounds>,
}

/// A range of indices that is not empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct IndexBounds {
    pub low: i128,
    pub high: i128,
}

impl IndexBounds {
    fn n_steps(self) -> i128 {
        self.high - self.low
    }

    fn meet(self, other: IndexBounds) -> Option<IndexBounds> {
        let met = IndexBounds { low: self.low.max(other.low), high: self.high.min(other.high) };
        (met.low <= met.high).then_some(met)
    }
}

impl AffinePositions {
    /// All positions of a layout that has elements.
    pub fn of(layout: &Layout) -> AffinePositions {
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

    /// The position of the lowest corner of the box.
    pub fn at_lowest(&self) -> i128 {
        let steps = self.strides.iter().zip(&self.indices);
        self.start + steps.map(|(stride, it)| stride * it.low).sum::<i128>()
    }

    /// What division by `divisor` does on the box, if it carries over nowhere.
    pub fn divided_by(&self, divisor: i128) -> Option<AffineQuotient> {
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
                // The quotient one step on, if the remainder is to stay one.
                let step = (lowest + stride).div_euclid(divisor) - quotient;
                divided.steps[k] = step;
                divided.slopes[k] = stride - step * divisor;
            }
        }
        let Range { start, end } = divided.remainders(&self.indices);
        (start >= 0 && end <= divisor).then_some(divided)
    }

    /// Shrinks the box to the indices along each axis that can have a remainder in `wanted`.
    /// `None` when there is none; else whether anything changed.
    pub fn keep_remainders(
        &mut self,
        divided: &AffineQuotient,
        wanted: &Range<i128>,
    ) -> Option<bool> {
        let mut changed = false;
        let all = divided.remainders(&self.indices);
        for (bounds, &slope) in self.indices.iter_mut().zip(&divided.slopes) {
            let own = slope * bounds.n_steps();
            // With the other axes at their best, the remainder at step x along this one is
            // highest + slope·x at most and lowest + slope·x at least.
            let highest = all.end - 1 - own.max(0);
            let lowest = all.start - own.min(0);
            let at_least = steps_until(slope, wanted.start - highest);
            let at_most = steps_until(-slope, lowest - (wanted.end - 1));
            let kept =
                at_least.within(bounds.n_steps())?.meet(at_most.within(bounds.n_steps())?)?;
            let shrunk = IndexBounds { low: bounds.low + kept.low, high: bounds.low + kept.high };
            changed |= shrunk != *bounds;
            *bounds = shrunk;
            if changed {
                // The rest was reckoned for the larger box; the caller comes again.
                return Some(true);
            }
        }
        Some(changed)
    }
}

/// Quotient and remainder of the positions in a box: both affine, relative to its lowest corner.
pub(super) struct AffineQuotient {
    pub quotient: i128,
    pub steps: InlineVec<i128>,
    remainder: i128,
    slopes: InlineVec<i128>,
}

impl AffineQuotient {
    /// The range of remainders in the box that this was made for.
    pub fn remainders(&self, indices: &[IndexBounds]) -> Range<i128> {
        let (mut low, mut high) = (self.remainder, self.remainder);
        for (slope, bounds) in self.slopes.iter().zip(indices) {
            let reach = slope * bounds.n_steps();
            low += reach.min(0);
            high += reach.max(0);
        }
        low..high + 1
    }
}

/// The x with `slope · x ≥ needed`: from some x on, up to some x, all or none.
fn steps_until(slope: i128, needed: i128) -> HalfLine {
    match slope {
        0 if needed <= 0 => HalfLine::All,
        0 => HalfLine::None,
        _ if slope > 0 => HalfLine::From((needed + slope - 1).div_euclid(slope)),
        _ => HalfLine::UpTo((-needed).div_euclid(-slope)),
    }
}

enum HalfLine {
    All,
    None,
    From(i128),
    UpTo(i128),
}

impl HalfLine {
    /// The part of `0..=most` in this half, if any.
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
