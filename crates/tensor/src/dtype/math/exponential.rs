//! Exponentials in single precision.
//!
//! `exp(x) = 2ⁿ · exp(r)` with the integer `n` nearest to `x / ln 2`, so that `|r| ≤ ln 2 / 2`. Range reduction subtracts
//! `n ln 2` in two parts (Cody and Waite), the first of which has so few bits that its product with `n` is exact. Then
//! `exp(r) = 1 + r + r² q(r)`. The rounding error of `1 + r` is computed exactly and added to the last term, so that
//! the sum is rounded once.
//!
//! `2ⁿ` is assembled from bits, as two factors of which one is constant: for the smallest results it is subnormal, and for
//! the greatest it overflows.

use super::{MulAdd, at_least, at_most};
use std::f32::consts::{LN_2, LOG2_E};

/// Added to a small number, it leaves the nearest integer in the last bits.
pub(super) const SHIFT: f32 = 1.5 * (1 << 23) as f32;

/// The first 15 bits of `ln 2`, and the rest of it.
pub(super) const LN_2_HIGH: f32 = 0.693_145_75;
pub(super) const LN_2_LOW: f32 = 1.428_606_8e-6;

/// The constant factor of `2ⁿ` for small results.
pub(super) const SMALL: f32 = f32::from_bits((127 - 64) << 23);
/// The constant factor of `2ⁿ` for large results.
pub(super) const LARGE: f32 = f32::from_bits((127 + 64) << 23);

/// Returns `(exp(r) - 1 - r) / r²` for `|r| ≤ 0.347`, with a relative error of 2⁻²⁸ to `exp(r)`.
#[inline(always)]
fn exp_remainder<M: MulAdd>(r: f32) -> f32 {
    horner!(M::mul_add, r; 0.499_999_94, 0.166_665_2, 0.041_668_396, 0.008_368_797, 0.001_381_443_3)
}

/// Returns `2ⁿ` divided by a power of two, for `n + SHIFT`. The quotient must be a normal number.
#[inline(always)]
fn power_of_two(shifted: f32, divisor: f32) -> f32 {
    let ratio = 1f32.to_bits().wrapping_sub(divisor.to_bits().wrapping_sub(1f32.to_bits()));
    f32::from_bits((shifted.to_bits() << 23).wrapping_add(ratio))
}

/// `exp(r)` as an unevaluated sum `high + low`, and `n + SHIFT`, whose last bits are those of `n`.
#[derive(Clone, Copy)]
pub(super) struct Power {
    pub(super) high: f32,
    pub(super) low: f32,
    shifted: f32,
}

impl Power {
    /// Returns the power for a reduced argument `r = high + low`; the rounding error of `1 + high` must be
    /// representable.
    #[inline(always)]
    fn from_reduced<M: MulAdd>(high: f32, low: f32, shifted: f32) -> Power {
        let r = high + low;
        let sum = 1.0 + high;
        let lost = (1.0 - sum) + high;
        let low = M::mul_add(r * r, exp_remainder::<M>(r), lost + low);
        Power { high: sum, low, shifted }
    }

    /// Returns the power for `x + low`, where `low` is much smaller than `x`, which must be between -125 and 125, or a
    /// NaN.
    #[inline(always)]
    pub(super) fn exp<M: MulAdd>(x: f32, low: f32) -> Power {
        let shifted = M::mul_add(x, LOG2_E, SHIFT);
        let n = shifted - SHIFT;
        Power::from_reduced::<M>(
            M::mul_add(n, -LN_2_HIGH, x),
            M::mul_add(n, -LN_2_LOW, low),
            shifted,
        )
    }

    /// Returns `2ⁿ` divided by a power of two. The quotient must be a normal number.
    #[inline(always)]
    pub(super) fn factor(self, divisor: f32) -> f32 {
        power_of_two(self.shifted, divisor)
    }

    /// Returns `exp(r)`.
    #[inline(always)]
    pub(super) fn mantissa(self) -> f32 {
        self.high + self.low
    }

    /// Returns `exp(r)` times another number.
    #[inline(always)]
    pub(super) fn times<M: MulAdd>(self, other: f32) -> f32 {
        M::mul_add(other, self.high, other * self.low)
    }

    /// Returns `2ⁿ exp(r)`; `is_large` must be right for powers beyond `2⁶²` in either direction.
    #[inline(always)]
    fn value(self, is_large: bool) -> f32 {
        let last = if is_large { LARGE } else { SMALL };
        self.mantissa() * self.factor(last) * last
    }
}

#[inline(always)]
pub(crate) fn exp<M: MulAdd>(x: f32) -> f32 {
    // Outside of these bounds the result is infinite or zero, as it is at them.
    let x = at_most(at_least(x, -104.5), 89.0);
    Power::exp::<M>(x, 0.0).value(x > 0.0)
}

#[inline(always)]
pub(crate) fn exp2<M: MulAdd>(x: f32) -> f32 {
    let x = at_most(at_least(x, -151.0), 129.0);
    let shifted = x + SHIFT;
    Power::from_reduced::<M>((x - (shifted - SHIFT)) * LN_2, 0.0, shifted).value(x > 0.0)
}

/// Below this, `p / (1 + p)` with `p = exp(x)` is computed as the difference `p - p · (p / (1 + p))`.
const DIFFERENCE_BOUND: f32 = -1.0;

/// `1 / (1 + exp(-x))`. The exponential is rounded more often than that of `exp`, in five instructions fewer: what is left
/// of its error in the quotient is 0.15 ULP.
#[inline(always)]
pub(crate) fn logistic<M: MulAdd>(x: f32) -> f32 {
    let bounded = at_least(-x.abs(), -104.5);
    let shifted = M::mul_add(bounded, LOG2_E, SHIFT);
    let n = shifted - SHIFT;
    let r = M::mul_add(n, -LN_2_LOW, M::mul_add(n, -LN_2_HIGH, bounded));
    let less_one = M::mul_add(r * r, exp_remainder::<M>(r), r);
    let factor = power_of_two(shifted, SMALL);
    let power = M::mul_add(factor, less_one, factor) * SMALL;
    let quotient = (if x < 0.0 { power } else { 1.0 }) / (1.0 + power);
    // The rounding errors of the sum and the quotient are scaled down with the term that is subtracted.
    let difference = M::mul_add(-power, quotient, power);
    if x < DIFFERENCE_BOUND { difference } else { quotient }
}

/// `x / (1 + exp(-x))`.
#[inline(always)]
pub(crate) fn swish<M: MulAdd>(x: f32) -> f32 {
    let power = Power::exp::<M>(at_least(-x.abs(), -112.0), 0.0);
    // For negative numbers, `x` times the exponential: with the last factor only at the end, because the product may be
    // a normal number where the exponential is subnormal.
    let factor = power.factor(SMALL);
    let negative = power.times::<M>(at_least(x, -112.0)) * factor;
    let (above, last) = if x < 0.0 { (negative, SMALL) } else { (x, 1.0) };
    let value = power.mantissa() * factor;
    let is_difference = x < DIFFERENCE_BOUND;
    let quotient =
        (if is_difference { value * SMALL } else { above }) / M::mul_add(value, SMALL, 1.0);
    let difference = M::mul_add(-negative, quotient, negative);
    (if is_difference { difference } else { quotient }) * last
}
