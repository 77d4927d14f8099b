//! Two stages as one.
//!
//! **The problem.** The outer stage gives positions a(x) in the inner stage's shape; the inner stage
//! cuts a position into digits, one an axis, and weighs them with its strides. When is the whole one
//! layout, with one box of padding around it?
//!
//! **Offsets.** Say the inner axes, innermost first, have lengths nⱼ and strides σⱼ, and let Pⱼ be the
//! product of the lengths inside of axis j. The digit of axis j is ⌊a/Pⱼ⌋ - nⱼ⌊a/Pⱼ₊₁⌋, so the
//! offset is `base + Σ δⱼ·⌊a/Pⱼ⌋` with δⱼ = σⱼ - nⱼ₋₁σⱼ₋₁: only divisions at seams of the inner layout
//! count. If each of them carries over nowhere on the box (`affine_division.rs`), the sum is affine.
//!
//! **Padding.** That the digit of axis j lies in low..high says that the remainder of a modulo
//! nⱼPⱼ lies in low·Pⱼ..high·Pⱼ. Where that division does not carry, the remainder is affine, and the
//! bounds cut the box with two planes. The box shrinks to what can still satisfy them, which may stop
//! other divisions from carrying; so again, until nothing changes. If then every corner of the box
//! satisfies every bound, the box is exactly what is not padding.
//!
//! **What it misses.** Carries at several seams can cancel, and planes can happen to cut out a box. For
//! boxes of up to [`merge_by_enumeration::MAX_INDICES`] indices `merge_by_enumeration.rs` simply looks.

use super::affine_division::{AffinePositions, IndexBounds};
use super::merge_by_enumeration;
use super::stage::Stage;
use crate::{Axis, InlineVec, Layout, Shape};
use alloc::vec::Vec;
use core::ops::Range;

/// One stage that does what `outer` on top of `inner` does, if it is found.
pub(super) fn merge(outer: &Stage, inner: &Stage) -> Option<Stage> {
    merge_affine(outer, inner)
        .or_else(|| merge_by_enumeration::merge(&[inner.clone(), outer.clone()]))
}

/// The same by the rule alone, in time that does not depend on the number of elements.
pub(super) fn merge_affine(outer: &Stage, inner: &Stage) -> Option<Stage> {
    let (Some(seen), Some(reached)) = (outer.inside(), inner.inside()) else {
        return Some(Stage::padding(outer.shape().into()));
    };
    let digits = digits(inner, reached);
    let mut positions = AffinePositions::of(seen);
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

/// One axis of the inner stage, as a digit of a position.
#[derive(Clone, Copy, Debug)]
struct Digit {
    /// The product of the lengths inside of it.
    place: i128,
    len: i128,
    /// The values that are not padding: `low..high`.
    low: i128,
    high: i128,
    stride: i128,
}

/// The digits of a stage, innermost first.
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

/// Digits joined where one bound says what two did: over a digit of which every value is valid, or
/// under a digit of which only one is.
fn bounded_digits(digits: &[Digit]) -> Vec<Digit> {
    let mut joined: Vec<Digit> = Vec::new();
    for &outer in digits {
        match joined.last_mut() {
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
            _ => joined.push(outer),
        }
    }
    joined.retain(|it| it.low != 0 || it.high != it.len);
    joined
}

enum ValidRegion {
    /// The box is exactly what is not padding.
    Box,
    /// Everything is padding.
    Nothing,
    /// It may be no box at all.
    Unknown,
}

/// How often the box may shrink before the rule gives up: a few times for each pair of an axis and a
/// bound is plenty, and odd slopes could otherwise creep.
const MAX_ROUNDS: usize = 256;

/// Shrinks the box to the indices whose digits are all valid.
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
    /// The remainders, modulo the place above, of positions with a valid digit here.
    fn remainders(&self) -> Range<i128> {
        self.low * self.place..self.high * self.place
    }
}

/// The layout that weighs the digits of the positions in the box, if it is one.
fn composed(positions: &AffinePositions, digits: &[Digit], inside: &Layout) -> Option<Layout> {
    let origin: i128 = digits.iter().map(|it| it.stride * it.low).sum();
    let mut start = inside.start() as i128 - origin;
    let mut strides = InlineVec::repeat(0i128, positions.indices.len());
    let mut continued = 0;
    for digit in digits {
        // What a carry into this digit changes, beyond what the digits inside make of it.
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
        // Along an axis with one position the sum may be anything; it is never used.
        Axis::new((high - low + 1) as usize, if high > low { stride as isize } else { 0 })
    };
    let axes = positions.indices.iter().zip(&strides).map(axis).collect();
    Some(Layout::canonical(start as usize, axes))
}
