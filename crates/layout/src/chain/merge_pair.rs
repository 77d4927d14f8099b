//! Merging two stages into one.
//!
//! **The problem.** The outer stage maps an index x to a flat index a(x) into the shape of the inner
//! stage. The inner stage splits it into digits, one for each axis, and multiplies them by its strides.
//! When is the composition one layout, with one box of padding around it?
//!
//! **Offsets.** Let the inner axes, innermost first, have lengths nⱼ and strides σⱼ, and let Pⱼ be the
//! product of the lengths inside of axis j. The digit of axis j is ⌊a/Pⱼ⌋ - nⱼ⌊a/Pⱼ₊₁⌋, so the
//! offset is `base + Σ δⱼ·⌊a/Pⱼ⌋` with δⱼ = σⱼ - nⱼ₋₁σⱼ₋₁: δⱼ is 0 except at the seams of the inner
//! layout. If each of the remaining quotients is affine on the box (`affine_division.rs`), so is the sum.
//!
//! **Padding.** The digit of axis j is in low..high if and only if a mod nⱼPⱼ is in low·Pⱼ..high·Pⱼ.
//! Where that division does not carry over, the remainder is affine, and the two bounds are
//! half-spaces. The box shrinks to the indices that can satisfy them, which may make other quotients
//! affine; this is repeated until nothing changes. If then every corner of the box satisfies every
//! bound, the box is exactly the set of indices that are not padding.
//!
//! **Limits.** The rule is sufficient, not necessary: carries at several seams can cancel, and the
//! intersection of half-spaces can happen to be a box. Boxes of up to
//! [`merge_by_enumeration::MAX_INDICES`] indices are therefore enumerated where the rule fails.

use super::affine_division::{AffinePositions, IndexBounds};
use super::merge_by_enumeration;
use super::stage::Stage;
use crate::{Axis, InlineVec, Layout, Shape};
use alloc::vec::Vec;
use core::ops::Range;

/// Returns a stage that is equivalent to `outer` on top of `inner`, if it is found.
pub(super) fn merge(outer: &Stage, inner: &Stage) -> Option<Stage> {
    merge_affine(outer, inner)
        .or_else(|| merge_by_enumeration::merge(&[inner.clone(), outer.clone()]))
}

/// Merges two stages by the rule of the module docs, in time independent of the number of elements.
pub(super) fn merge_affine(outer: &Stage, inner: &Stage) -> Option<Stage> {
    let (Some(seen), Some(reached)) = (outer.inside(), inner.inside()) else {
        return Some(Stage::padding(outer.shape().into()));
    };
    let digits = digits(inner, reached);
    let mut positions = AffinePositions::new(seen);
    match keep_valid(&mut positions, &bounded_digits(&digits)) {
        ValidRegion::Box => {}
        ValidRegion::Nothing => return Some(Stage::padding(outer.shape().into())),
        ValidRegion::Unknown => return None,
    }
    let inside = composed(&positions, &digits, reached)?;
    let before: Shape = outer
        .before()
        .iter()
        .zip(&positions.indices)
        .map(|(&before, it)| before + it.low as usize)
        .collect();
    Some(Stage::new(outer.shape().into(), before, Some(inside)))
}

/// One axis of the inner stage, as a digit of a flat index.
#[derive(Clone, Copy, Debug)]
struct Digit {
    /// The place value: the product of the lengths inside of the axis.
    place: i128,
    len: i128,
    /// The values that are not padding: `low..high`.
    low: i128,
    high: i128,
    stride: i128,
}

/// Returns the digits of a stage, innermost first; axes of length 1 have none.
fn digits(stage: &Stage, inside: &Layout) -> Vec<Digit> {
    let mut place = 1;
    let mut digits = Vec::new();
    for (k, &len) in stage.shape().iter().enumerate().rev() {
        let valid = stage.valid(k);
        digits.push(Digit {
            place,
            len: len as i128,
            low: valid.start as i128,
            high: valid.end as i128,
            stride: inside.axes()[k].stride as i128,
        });
        place *= len as i128;
    }
    digits.retain(|it| it.len > 1);
    digits
}

/// Returns the digits that have invalid values. Two adjacent digits are merged into one where a single
/// bound expresses both: if all values of the inner one are valid, or only one value of the outer one.
fn bounded_digits(digits: &[Digit]) -> Vec<Digit> {
    let mut merged: Vec<Digit> = Vec::new();
    for &outer in digits {
        match merged.last_mut() {
            Some(inner) if inner.low == 0 && inner.high == inner.len => {
                inner.low = outer.low * inner.len;
                inner.high = outer.high * inner.len;
                inner.len *= outer.len;
            }
            Some(inner) if outer.high - outer.low == 1 => {
                inner.low += outer.low * inner.len;
                inner.high += outer.low * inner.len;
                inner.len *= outer.len;
            }
            _ => merged.push(outer),
        }
    }
    merged.retain(|it| it.low != 0 || it.high != it.len);
    merged
}

/// The indices that are not padding.
enum ValidRegion {
    /// They are exactly the box.
    Box,
    /// There are none.
    Nothing,
    /// They may not form a box.
    Unknown,
}

/// The number of times the box may shrink before the rule gives up. A few times for each pair of an
/// axis and a bound are enough; some slopes would otherwise shrink it by one index at a time.
const MAX_ROUNDS: usize = 256;

/// Shrinks the box to the indices whose digits are all valid, if these form a box.
fn keep_valid(positions: &mut AffinePositions, masks: &[Digit]) -> ValidRegion {
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for mask in masks {
            let Some(divided) = positions.divided_by(mask.place * mask.len) else { continue };
            match positions.keep_remainders(&divided, &mask.remainders()) {
                None => return ValidRegion::Nothing,
                Some(shrunk) => changed |= shrunk,
            }
        }
        if !changed {
            let holds = masks.iter().all(|mask| holds_everywhere(positions, mask));
            return if holds { ValidRegion::Box } else { ValidRegion::Unknown };
        }
    }
    ValidRegion::Unknown
}

fn holds_everywhere(positions: &AffinePositions, mask: &Digit) -> bool {
    let Some(divided) = positions.divided_by(mask.place * mask.len) else { return false };
    let (found, wanted) = (divided.remainders(&positions.indices), mask.remainders());
    wanted.start <= found.start && found.end <= wanted.end
}

impl Digit {
    /// Returns the remainders, modulo the next place value, of flat indices with a valid digit.
    fn remainders(&self) -> Range<i128> {
        self.low * self.place..self.high * self.place
    }
}

/// Returns the layout that maps the box to the offsets of the inner layout, if it is affine.
fn composed(positions: &AffinePositions, digits: &[Digit], inside: &Layout) -> Option<Layout> {
    let origin: i128 = digits.iter().map(|it| it.stride * it.low).sum();
    let mut start = inside.start() as i128 - origin;
    let mut strides = InlineVec::repeat(0i128, positions.indices.len());
    let mut continued = 0;
    for digit in digits {
        // δ of the module docs: 0 unless there is a seam inside of this digit.
        let jump = digit.stride - continued;
        continued = digit.stride * digit.len;
        if jump == 0 {
            continue;
        }
        let divided = positions.divided_by(digit.place)?;
        start += jump * divided.quotient;
        for (stride, step) in strides.iter_mut().zip(&divided.steps) {
            *stride += jump * step;
        }
    }
    let axis = |(&IndexBounds { low, high }, &stride): (&IndexBounds, &i128)| {
        // The stride of an axis with one index has no effect, and the sum may not fit.
        Axis::new((high - low + 1) as usize, if high > low { stride as isize } else { 0 })
    };
    let axes = positions.indices.iter().zip(&strides).map(axis).collect();
    Some(Layout::canonical(start as usize, axes))
}
