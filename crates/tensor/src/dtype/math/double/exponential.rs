//! Exponentials of `f64`: as in `../exponential.rs`, with more terms.

use super::extended::Extended;
use crate::dtype::MulAdd;
use std::f64::consts::{LN_2, LOG2_E};

/// Added to a small number, it leaves the nearest integer in the last bits.
const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;

/// The first 42 bits of `ln 2`, so that products with exponents are exact, and the rest.
pub(super) const LN_2_HIGH: f64 = 0.693_147_180_559_890_3;
pub(super) const LN_2_LOW: f64 = 5.497_923_018_708_371e-14;

/// The rounding error of `LN_2`.
const LN_2_ERROR: f64 = 2.319_046_813_846_299_6e-17;

/// The constant factors of `2ⁿ`, for small results and for large ones.
const SMALL: f64 = f64::from_bits((1023 - 600) << 52);
const LARGE: f64 = f64::from_bits((1023 + 600) << 52);

/// An exponential: a number between `√½` and `√2` as an unevaluated sum, times `2ⁿ`.
#[derive(Clone, Copy)]
pub(super) struct DoublePower {
    pub mantissa: Extended,
    pub scale: PowerOfTwo,
}

impl DoublePower {
    /// Returns `exp(x + low)`, where `low` is much smaller than `x`, which must be between -746 and 711, or a NaN. The
    /// error of the mantissa is below 2⁻⁵⁶.
    #[inline(always)]
    pub(super) fn exp<M: MulAdd>(x: f64, low: f64) -> DoublePower {
        let (high, low, scale) = reduced::<M>(x, low);
        DoublePower::from_reduced::<M>(high, low, scale)
    }

    /// Returns `2^x` for a number between -1076 and 1025, or a NaN.
    #[inline(always)]
    fn exp2<M: MulAdd>(x: f64) -> DoublePower {
        let shifted = x + SHIFT;
        let rest = x - (shifted - SHIFT);
        let high = rest * LN_2;
        let low = M::mul_add_f64(rest, LN_2_ERROR, M::product_error(rest, LN_2, high));
        DoublePower::from_reduced::<M>(high, low, PowerOfTwo { shifted })
    }

    #[inline(always)]
    fn from_reduced<M: MulAdd>(high: f64, low: f64, scale: PowerOfTwo) -> DoublePower {
        let r = high + low;
        // (exp(r) - 1 - r) / r² for |r| ≤ 0.3468, with a relative error of 2⁻⁵⁷ to exp(r).
        let q = polynomial!(
            M::mul_add_f64, r;
            0.500_000_000_000_001_1,
            0.166_666_666_666_664_1,
            0.041_666_666_666_529_59,
            0.008_333_333_333_495_15,
            0.001_388_888_894_380_527_6,
            0.000_198_412_695_056_007_32,
            2.480_149_289_473_758_6e-5,
            2.755_758_679_542_081_7e-6,
            2.763_032_818_280_114e-7,
            2.500_006_916_534_803_2e-8,
        );
        let sum = Extended::sum(1.0, high);
        let rest = M::mul_add_f64(r * r, q, sum.low + low);
        DoublePower { mantissa: Extended { high: sum.high, low: rest }, scale }
    }

    /// Returns the value; `is_large` must be right for powers beyond `2⁴⁰⁰` in either direction.
    #[inline(always)]
    pub(super) fn value(self, is_large: bool) -> f64 {
        let last = if is_large { LARGE } else { SMALL };
        self.mantissa.rounded() * self.scale.over(last) * last
    }
}

/// A power of two, by its exponent plus `SHIFT`: the last bits are those of the exponent.
#[derive(Clone, Copy)]
pub(super) struct PowerOfTwo {
    shifted: f64,
}

impl PowerOfTwo {
    /// Divides by another power of two. The quotient must be a normal number.
    #[inline(always)]
    pub(super) fn over(self, divisor: f64) -> f64 {
        let one = 1f64.to_bits();
        let ratio = one.wrapping_sub(divisor.to_bits().wrapping_sub(one));
        f64::from_bits((self.shifted.to_bits() << 52).wrapping_add(ratio))
    }
}

/// Returns `x + low - n ln 2` as a sum, and `2ⁿ`.
#[inline(always)]
fn reduced<M: MulAdd>(x: f64, low: f64) -> (f64, f64, PowerOfTwo) {
    let shifted = M::mul_add_f64(x, LOG2_E, SHIFT);
    let n = shifted - SHIFT;
    let high = M::mul_add_f64(n, -LN_2_HIGH, x);
    (high, M::mul_add_f64(n, -LN_2_LOW, low), PowerOfTwo { shifted })
}

/// Returns `(exp(x) - 1) / 2` as a sum, for a number between -50 and 710, or a NaN.
///
/// It is the sum of `(2ⁿ - 1) / 2`, which has two parts if it is large, and of `2ⁿ (exp(r) - 1) / 2`, of which the first two terms of the
/// series have two parts.
#[inline(always)]
fn half_exp_minus_one<M: MulAdd>(x: f64) -> Extended {
    let (high, low, scale) = reduced::<M>(x, 0.0);
    let Extended { high: r, low } = Extended::sum(high, low);
    // (exp(r) - 1 - r - r²/2) / r³ for |r| ≤ 0.3468, with a relative error of 2⁻⁶¹ to exp(r) - 1.
    let q = polynomial!(
        M::mul_add_f64, r;
        0.166_666_666_666_666_77,
        0.041_666_666_666_666_574,
        0.008_333_333_333_322_115,
        0.001_388_888_888_894_284_6,
        0.000_198_412_698_850_778_05,
        2.480_158_719_802_76e-05,
        2.755_724_513_765_488_7e-06,
        2.755_738_704_779_746e-07,
        2.510_874_744_756_552e-08,
        2.087_896_313_137_682_7e-09,
    );
    let half = 0.5 * r;
    let quadratic = half * r;
    let quadratic_low = M::product_error(half, r, quadratic);
    let leading = Extended::sum(r, quadratic);
    let low = M::mul_add_f64(low, r, low) + (quadratic_low + leading.low);
    let rest = M::mul_add_f64(quadratic * r, 2.0 * q, low);

    let half_power = scale.over(2.0);
    let less = half_power - 0.5;
    let less_lost = (half_power - less) - 0.5;
    let sum = Extended::sum(less, half_power * leading.high);
    let low = M::mul_add_f64(half_power, rest, sum.low + less_lost);
    Extended::sum(sum.high, low)
}

/// Returns `exp(x) + 1` for a number between 0 and 40, or a NaN, as `2ⁿ + 1 + 2ⁿ (exp(r) - 1)`.
#[inline(always)]
pub(super) fn exp_plus_one<M: MulAdd>(x: f64) -> Extended {
    let (high, low, scale) = reduced::<M>(x, 0.0);
    let r = high + low;
    // (exp(r) - 1) / r for |r| ≤ 0.3468, with an error of 2⁻⁵⁸ relative to exp(r).
    let q = polynomial!(
        M::mul_add_f64, r;
        1.0,
        0.500_000_000_000_001_3,
        0.166_666_666_666_666_69,
        0.041_666_666_666_510_48,
        0.008_333_333_333_329_244,
        0.001_388_888_894_835_165,
        0.000_198_412_698_643_125_5,
        2.480_148_851_289_233_8e-5,
        2.755_726_841_823_324e-6,
        2.763_180_685_665_573e-7,
        2.509_989_642_261_578_6e-8,
    );
    let power = scale.over(1.0);
    let leading = power + 1.0;
    let high = M::mul_add_f64(power * r, q, leading);
    Extended { high, low: M::mul_add_f64(power * r, q, leading - high) }
}

/// Returns the number, or the bound that it is beyond; a NaN stays one.
#[inline(always)]
pub(super) fn between(least: f64, x: f64, most: f64) -> f64 {
    let x = if least > x { least } else { x };
    if most < x { most } else { x }
}

#[inline(always)]
pub(crate) fn exp<M: MulAdd>(x: f64) -> f64 {
    // Outside of these bounds the result is infinite or zero, as it is at them.
    let x = between(-746.0, x, 710.0);
    DoublePower::exp::<M>(x, 0.0).value(x > 0.0)
}

#[inline(always)]
pub(crate) fn exp2<M: MulAdd>(x: f64) -> f64 {
    let x = between(-1076.0, x, 1025.0);
    DoublePower::exp2::<M>(x).value(x > 0.0)
}

/// `exp(x) - 1`.
#[inline(always)]
pub(crate) fn exp_m1<M: MulAdd>(x: f64) -> f64 {
    // Below, the result is -1.
    let half = half_exp_minus_one::<M>(between(-50.0, x, 710.0));
    // Here the result is the argument, also its sign.
    if x.abs() < f64::EPSILON / 4.0 { x } else { 2.0 * half.high }
}

/// `1 / (1 + exp(-x))`, or `exp(x) / (1 + exp(x))` for a negative number, with the exponential and the quotient in two parts.
#[inline(always)]
pub(crate) fn logistic<M: MulAdd>(x: f64) -> f64 {
    let DoublePower { mantissa, scale } =
        DoublePower::exp::<M>(between(-746.0, -x.abs(), 0.0), 0.0);
    let mantissa = Extended::sum(mantissa.high, mantissa.low);
    let factor = scale.over(SMALL);
    let power = mantissa.high * factor * SMALL;
    let power_low = mantissa.low * factor * SMALL;
    let is_left = x < 0.0;
    let (above, above_low) = if is_left { (power, power_low) } else { (1.0, 0.0) };
    let below = Extended::sum(1.0, power).plus(power_low);
    let reciprocal = 1.0 / below.high;
    let quotient = above * reciprocal;
    let left = above_low - M::product_error(quotient, below.high, above);
    let left = M::mul_add_f64(-quotient, below.low, left);
    let value = M::mul_add_f64(left, reciprocal, quotient);
    // Products with smaller numbers underflow, and the divisor is 1.
    if x < -500.0 { power } else { value }
}
