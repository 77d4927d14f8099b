//! Logarithms of `f32`.
//!
//! A number is `2ⁿ (1 + f)` with `1 + f` between 0.6875 and 1.375, and its logarithm `n ln 2 + log(1 + f)` with `log(1 + f) = f + f² q(f)`. Other
//! bases have a factor in the terms of the polynomial, and the sum of `n` and the first term has two parts.

use super::exponential::{LN_2_HIGH, LN_2_LOW, Power, SMALL};
use super::{MulAdd, at_least};
use std::f32::consts::{LN_2, LOG2_E, LOG10_E};

/// The bits of the least `1 + f`: a little below `√½`, where errors are equal at both ends.
const LEAST: u32 = 0.687_5f32.to_bits();

/// The value of the last exponent bit, as an integer.
const EXPONENT_UNIT: f32 = 1.0 / (1 << 23) as f32;

/// The sign bit and the exponent bits.
const EXPONENT: u32 = 0xff80_0000;

/// A positive number as `2ⁿ (1 + f)`.
#[derive(Clone, Copy)]
struct SingleNormalized {
    n: f32,
    f: f32,
}

impl SingleNormalized {
    #[inline(always)]
    fn new<M: MulAdd>(x: f32) -> SingleNormalized {
        let is_subnormal = x < f32::MIN_POSITIVE;
        let (normal, more) = if is_subnormal { (x * 8_388_608.0, -23.0) } else { (x, 0.0) };
        let exponent = normal.to_bits().wrapping_sub(LEAST) & EXPONENT;
        let f = f32::from_bits(normal.to_bits().wrapping_sub(exponent)) - 1.0;
        SingleNormalized { n: M::mul_add(exponent as i32 as f32, EXPONENT_UNIT, more), f }
    }
}

/// Returns `(log(1 + f) - f) / f²` with a relative error of 2⁻²⁷ to `log(1 + f)`.
#[inline(always)]
fn ln_tail<M: MulAdd>(f: f32) -> f32 {
    horner!(
        M::mul_add, f;
        -0.499_999_94, 0.333_332_4, -0.250_009_18, 0.200_082_81, -0.166_343_93, 0.140_535_49, -0.128_458_28, 0.136_844_64, -0.098_082_475,
    )
}

#[inline(always)]
pub(crate) fn ln<M: MulAdd>(x: f32) -> f32 {
    let SingleNormalized { n, f } = SingleNormalized::new::<M>(x);
    or_special(M::mul_add(n, LN_2, M::mul_add(f * f, ln_tail::<M>(f), f)), x)
}

/// `log(1 + x)`.
#[inline(always)]
pub(crate) fn ln_1p<M: MulAdd>(x: f32) -> f32 {
    // A zero keeps its sign.
    or_special(ln_one_plus::<M>(x).copysign(x), 1.0 + x)
}

/// `log(1 + exp(x))`.
#[inline(always)]
pub(crate) fn softplus<M: MulAdd>(x: f32) -> f32 {
    let power = Power::exp::<M>(at_least(-x.abs(), -104.5), 0.0);
    let power = power.mantissa() * power.factor(SMALL) * SMALL;
    let positive = if x > 0.0 { x } else { 0.0 };
    let value = positive + ln_one_plus::<M>(power);
    if x.is_nan() { x } else { value }
}

/// `log(1 + x)` for a number between 0 and 1. Not for a NaN.
#[inline(always)]
pub(super) fn ln_1p_of_fraction<M: MulAdd>(x: f32) -> f32 {
    ln_one_plus::<M>(x)
}

/// Returns `log(1 + x)` for a number above -1. The rounded sum `1 + x` only determines `n`: `f` is `x / 2ⁿ` minus `1 - 1/2ⁿ`.
#[inline(always)]
fn ln_one_plus<M: MulAdd>(x: f32) -> f32 {
    let exponent = (1.0 + x).to_bits().wrapping_sub(LEAST) & EXPONENT;
    let scaled = f32::from_bits(x.to_bits().wrapping_sub(exponent));
    // `4 / 2ⁿ`, which is a normal number for every `n`.
    let inverse = f32::from_bits(4f32.to_bits().wrapping_sub(exponent));
    let less = M::mul_add(inverse, -0.25, 1.0);
    let f = scaled - less;
    // `f` is rounded for numbers from 0.41 to 0.5 only, where the derivative of the logarithm is about 1.4.
    let lost = 1.4 * (scaled - (f + less));
    let n = exponent as i32 as f32;
    let base = n * (LN_2_HIGH * EXPONENT_UNIT);
    let high = base + f;
    let low = M::mul_add(n, LN_2_LOW * EXPONENT_UNIT, (base - high) + f);
    high + M::mul_add(f * f, ln_tail::<M>(f), low + lost)
}

/// Exact for powers of two.
#[inline(always)]
pub(crate) fn log2<M: MulAdd>(x: f32) -> f32 {
    /// What `LOG2_E` loses, as a coefficient of the polynomial.
    const LOG2_E_ERROR: f32 = 2.344_834_9e-8;

    let SingleNormalized { n, f } = SingleNormalized::new::<M>(x);
    // (log2(1 + f) / f - LOG2_E - LOG2_E_ERROR) / f, with a relative error of 2⁻²⁷ to log2(1 + f).
    let p = horner!(
        M::mul_add, f;
        -0.721_347_4, 0.480_896_5, -0.360_690_4, 0.288_673_8, -0.239_905_1, 0.202_566_42, -0.186_000_7, 0.198_176_62, -0.139_682_7,
    );
    let first = f * LOG2_E;
    let first_low = M::mul_add(f, LOG2_E_ERROR, M::mul_add(f, LOG2_E, -first));
    let high = n + first;
    let low = ((n - high) + first) + first_low;
    or_special(high + M::mul_add(f * f, p, low), x)
}

/// Exact for powers of ten.
#[inline(always)]
pub(crate) fn log10<M: MulAdd>(x: f32) -> f32 {
    /// The first 15 bits of `log10(2)`, so that products with exponents are exact, and the rest.
    const LOG10_2_HIGH: f32 = 0.301_025_4;
    const LOG10_2_LOW: f32 = 4.605_039e-6;
    /// What `LOG10_E` loses, as a coefficient of the polynomial.
    const LOG10_E_ERROR: f32 = -8.842_12e-9;

    let SingleNormalized { n, f } = SingleNormalized::new::<M>(x);
    // (log10(1 + f) / f - LOG10_E - LOG10_E_ERROR) / f, with a relative error of 2⁻²⁷ to log10(1 + f).
    let p = horner!(
        M::mul_add, f;
        -0.217_147_2, 0.144_764_27, -0.108_578_734, 0.086_899_28, -0.072_215_03, 0.060_982_49, -0.056_035_705, 0.059_634_11, -0.041_869_476,
    );
    let first = f * LOG10_E;
    let first_low = M::mul_add(f, LOG10_E_ERROR, M::mul_add(f, LOG10_E, -first));
    let base = n * LOG10_2_HIGH;
    let high = base + first;
    let low = M::mul_add(n, LOG10_2_LOW, ((base - high) + first) + first_low);
    or_special(high + M::mul_add(f * f, p, low), x)
}

/// Returns the logarithm where the argument is not a positive finite number, else `value`.
///
/// Comparisons of bits: those of numbers become a classification of the argument, which takes twice as many instructions.
#[inline(always)]
pub(super) fn or_special(value: f32, x: f32) -> f32 {
    let bits = x.to_bits();
    // Infinities and NaNs stay as they are; negative numbers become a NaN.
    let special = f32::from_bits(bits | (bits as i32 >> 31) as u32);
    let special = if bits << 1 == 0 { f32::NEG_INFINITY } else { special };
    let is_regular = bits.wrapping_sub(1) < f32::INFINITY.to_bits() - 1;
    if is_regular { value } else { special }
}

/// Returns `log(2^more (high + low))`, where `high` is positive, finite and normal, and `low` at most an ULP of it.
#[inline(always)]
pub(super) fn ln_of_sum<M: MulAdd>(high: f32, low: f32, more: f32) -> f32 {
    let exponent = high.to_bits().wrapping_sub(LEAST) & EXPONENT;
    let f = f32::from_bits(high.to_bits().wrapping_sub(exponent)) - 1.0;
    let n = M::mul_add(exponent as i32 as f32, EXPONENT_UNIT, more);
    // `low / high`, with a relative error of `f³`: it is the smaller compared to the logarithm, the larger `f` is.
    // `4 / 2ⁿ` is a normal number for every `n`.
    let scaled = 0.25 * low * f32::from_bits(4f32.to_bits().wrapping_sub(exponent));
    let share = M::mul_add(scaled, M::mul_add(f, f, -f), scaled);
    let base = n * LN_2_HIGH;
    let sum = base + f;
    let rest = M::mul_add(n, LN_2_LOW, (base - sum) + f) + share;
    sum + M::mul_add(f * f, ln_tail::<M>(f), rest)
}
