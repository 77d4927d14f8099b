//! Logarithms of `f64`, without FMA.

use super::extended::{Extended, ln_extended};
use crate::dtype::BaselineFma;

#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    at_ends(x, ln_plus(x, 0.0))
}

/// `log(1 + x)`: the logarithm of the rounded sum, plus its rounding error divided by it.
#[inline(always)]
pub(crate) fn ln_1p(x: f64) -> f64 {
    let sum = 1.0 + x;
    let second = sum - 1.0;
    let lost = (1.0 - (sum - second)) + (x - second);
    let value = at_ends(sum, ln_plus(sum, lost / sum));
    // A zero keeps its sign.
    if x == 0.0 { x } else { value }
}

/// Returns `log(x) + correction` for a positive number and a small correction.
///
/// `log(2ⁿ (1 + f)) = n ln 2 + log(1 + f)` with `1 + f` between `√½` and `√2`. The latter is `log((1 + s) / (1 - s))` with
/// `s = f / (2 + f)`, evaluated as `f - f²/2` plus a smaller term. The sum of `n ln 2`, `f` and the first bits of `f²/2`, which are
/// exact, has two parts, so that nearly the only rounding error is that of the last addition: results are within 0.6 ULP.
#[inline(always)]
fn ln_plus(x: f64, correction: f64) -> f64 {
    const ROOT: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    /// The first 33 bits of `ln 2`, so that the product with `n` is exact, and the rest.
    const LN_2_HIGH: f64 = 0.693_147_180_485_539_1;
    const LN_2_LOW: f64 = 7.440_617_110_012_397e-11;
    const TWO_POW_52: f64 = (1u64 << 52) as f64;
    const SCALE: f64 = (1u64 << 54) as f64;
    /// All but the last 27 bits of a number: its square is exact.
    const UPPER: u64 = !((1 << 27) - 1);

    let is_subnormal = x < f64::MIN_POSITIVE;
    let (normal, more) = if is_subnormal { (x * SCALE, 54.0) } else { (x, 0.0) };
    let distance = normal.to_bits().wrapping_sub(ROOT).wrapping_add(1023 << 52);
    let f = f64::from_bits((distance & ((1 << 52) - 1)).wrapping_add(ROOT)) - 1.0;
    let n = f64::from_bits(distance >> 52 | TWO_POW_52.to_bits()) - (TWO_POW_52 + 1023.0) - more;

    let s = f / (2.0 + f);
    let square = s * s;
    // (log((1 + s) / (1 - s)) - 2s) / s³, with a relative error of 2⁻⁵⁸ to the logarithm.
    let p = square * 0.147_958_833_768_421_42 + 0.153_140_608_705_026_96;
    let p = square * p + 0.181_835_637_741_053_27;
    let p = square * p + 0.222_221_985_866_004_97;
    let p = square * p + 0.285_714_287_422_331_35;
    let p = square * p + 0.399_999_999_994_154_4;
    let p = square * p + 0.666_666_666_666_673_4;
    let upper = f64::from_bits(f.to_bits() & UPPER);
    let half_upper = 0.5 * upper * upper;
    let half_lower = 0.5 * (f - upper) * (f + upper);
    let rest = s * (half_upper + half_lower + square * p) - half_lower;

    let linear = Extended::sum(n * LN_2_HIGH, f);
    let quadratic = Extended::sum(linear.high, -half_upper);
    let low = (linear.low + quadratic.low) + (n * LN_2_LOW + correction);
    quadratic.high + (rest + low)
}

/// Returns the logarithm of `x`, given the value for positive finite numbers.
#[inline(always)]
fn at_ends(x: f64, value: f64) -> f64 {
    // The logarithm of an infinity or a NaN is itself.
    let value = if x < f64::INFINITY { value } else { x };
    let value = if x == 0.0 { f64::NEG_INFINITY } else { value };
    if x < 0.0 { f64::NAN } else { value }
}

/// The natural logarithm in two parts, divided by `ln 10`, so that the logarithms of powers of ten are exact.
#[inline(always)]
pub(crate) fn log10(x: f64) -> f64 {
    const LOG10_E: f64 = std::f64::consts::LOG10_E;
    /// The rounding error of that.
    const LOG10_E_LOW: f64 = 1.098_319_650_216_765e-17;
    const SCALE: f64 = (1u64 << 54) as f64;

    let is_subnormal = x < f64::MIN_POSITIVE;
    let (normal, exponent) = if is_subnormal { (x * SCALE, -54.0) } else { (x, 0.0) };
    let log = ln_extended::<BaselineFma>(normal, exponent);
    at_ends(x, log.times::<BaselineFma>(LOG10_E).plus(log.high * LOG10_E_LOW).rounded())
}
