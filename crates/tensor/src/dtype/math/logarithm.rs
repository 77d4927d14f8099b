//! Logarithms of `f32`.
//!
//! A number is `2ⁿ (1 + f)` with `1 + f` between 2/3 and 4/3, and its logarithm `n ln 2 + log(1 + f)`. The natural logarithm is
//! computed in single precision, with `log(1 + f) = f + f² q(f)`. Other bases need one more product, and integer
//! results are expected to be exact: they have double-precision intermediates.

use super::exponential::{Power, SMALL};
use super::{MulAdd, at_least, intermediate};
use std::f32::consts::LN_2;
use std::f64::consts::{LOG2_E, LOG10_2, LOG10_E};

const TWO_THIRDS: u32 = 0x3f2a_aaab;

/// Returns the exponent of a positive number divided by 2/3, at the position of the exponent bits.
#[inline(always)]
fn exponent(x: f32) -> u32 {
    x.to_bits().wrapping_sub(TWO_THIRDS) & 0xff80_0000
}

/// Returns `log(1 + f) + (n + more) ln 2`, with the bits of `n` at the position of the exponent bits.
#[inline(always)]
fn from_parts<M: MulAdd>(f: f32, exponent: u32, more: f32) -> f32 {
    const SCALE: f32 = 1.0 / (1 << 23) as f32;
    // (log(1 + f) - f) / f² for |f| ≤ 1/3, with a relative error of 2⁻²⁷ to log(1 + f).
    let q = M::mul_add(f, -0.133_115_07, 0.140_069_75);
    let q = M::mul_add(f, q, -0.120_780_416);
    let q = M::mul_add(f, q, 0.140_007_17);
    let q = M::mul_add(f, q, -0.166_895_3);
    let q = M::mul_add(f, q, 0.200_107_75);
    let q = M::mul_add(f, q, -0.249_995_05);
    let q = M::mul_add(f, q, 0.333_332_1);
    let q = M::mul_add(f, q, -0.5);
    let n = M::mul_add(exponent as i32 as f32, SCALE, more);
    M::mul_add(n, LN_2, M::mul_add(f * f, q, f))
}

#[inline(always)]
pub(crate) fn ln<M: MulAdd>(x: f32) -> f32 {
    let is_subnormal = x < f32::MIN_POSITIVE;
    let (normal, more) = if is_subnormal { (x * 8_388_608.0, -23.0) } else { (x, 0.0) };
    let exponent = exponent(normal);
    let f = f32::from_bits(normal.to_bits().wrapping_sub(exponent)) - 1.0;
    or_special(from_parts::<M>(f, exponent, more), x)
}

/// `log(1 + x)`, of the sum in double precision; near zero the series, because the sum rounds.
#[inline(always)]
pub(crate) fn ln_1p<M: MulAdd>(x: f32) -> f32 {
    const SMALL: f64 = 1.0 / (1 << 16) as f64;
    let wide = x as f64;
    let series = M::mul_add_f64(-0.5 * wide, wide, wide);
    let value = if wide.abs() < SMALL { series } else { intermediate::ln::<M>(1.0 + wide) };
    // A zero keeps its sign.
    or_special(if x == 0.0 { x } else { value as f32 }, 1.0 + x)
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

/// Returns `log(1 + x)` for a number above -1. The rounded sum `1 + x` only determines `n`: `f` is `x / 2ⁿ` plus `1/2ⁿ - 1`,
/// which is exact.
#[inline(always)]
fn ln_one_plus<M: MulAdd>(x: f32) -> f32 {
    let exponent = exponent(1.0 + x);
    let scaled = f32::from_bits(x.to_bits().wrapping_sub(exponent));
    // `4 / 2ⁿ`, which is a normal number for every `n`.
    let inverse = f32::from_bits(4f32.to_bits().wrapping_sub(exponent));
    from_parts::<M>(scaled + M::mul_add(inverse, 0.25, -1.0), exponent, 0.0)
}

#[inline(always)]
pub(crate) fn log2<M: MulAdd>(x: f32) -> f32 {
    let (n, rest) = intermediate::logarithm::<M>(x as f64);
    or_special(M::mul_add_f64(rest, LOG2_E, n) as f32, x)
}

#[inline(always)]
pub(crate) fn log10<M: MulAdd>(x: f32) -> f32 {
    let (n, rest) = intermediate::logarithm::<M>(x as f64);
    or_special(M::mul_add_f64(rest, LOG10_E, n * LOG10_2) as f32, x)
}

/// Returns the logarithm where the argument is not a positive finite number, else `value`.
#[inline(always)]
fn or_special(value: f32, x: f32) -> f32 {
    // The logarithm of an infinity or a NaN is itself.
    let value = if x < f32::INFINITY { value } else { x };
    let value = if x == 0.0 { f32::NEG_INFINITY } else { value };
    if x < 0.0 { f32::NAN } else { value }
}
