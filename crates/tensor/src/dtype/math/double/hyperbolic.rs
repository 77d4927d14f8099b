//! Hyperbolic functions of `f64`.

use super::extended::{Extended, half_exp_extended};
use crate::dtype::BaselineFma;

/// Returns `x` plus a rational function near zero; beyond, `1 - 1 / (exp(2x)/2 + 1/2)`, with the quotient in two parts. There
/// is one division for both.
#[inline(always)]
pub(crate) fn tanh(x: f64) -> f64 {
    let magnitude = x.abs();
    let is_small = magnitude < 0.55;
    // (tanh(x) - x) / x³ as a function of x² ≤ 0.31, with a relative error of 2⁻⁶⁸.
    let square = magnitude * magnitude;
    let p = square * -1.750_211_654_380_492_7e-8 - 0.000_243_904_069_337_327_66;
    let p = square * p - 0.021_422_460_052_252_044;
    let p = square * p - 0.333_333_333_333_333_3;
    let q = square * 0.000_254_979_416_768_417 + 0.024_533_902_365_952_563;
    let q = square * q + 0.464_267_380_156_756_1;
    let q = square * q + 1.0;

    // From 20 on the result is 1.
    let bounded = if magnitude > 20.0 { 20.0 } else { magnitude };
    let half = half_exp_extended(2.0 * bounded);
    let sum = Extended::sum(half.high, 0.5).plus(half.low);
    let (above, below) = if is_small { (magnitude * square * p, q) } else { (1.0, sum.high) };
    let quotient = above / below;
    let product = Extended::product::<BaselineFma>(quotient, sum.high);
    let left = ((1.0 - product.high) - product.low) - quotient * sum.low;
    let difference = Extended::sum(1.0, -quotient);
    let large = difference.high + (difference.low - quotient * left);
    (if is_small { magnitude + quotient } else { large }).copysign(x)
}

/// Returns a polynomial up to 1; beyond, `exp(x)/2 - exp(-x)/2`.
#[inline(always)]
pub(crate) fn sinh(x: f64) -> f64 {
    let magnitude = x.abs();
    let square = magnitude * magnitude;
    // (sinh(x) - x) / x³, with a relative error of 2⁻⁶³ to sinh(x).
    let p = square * 7.758_861_042_008_394e-13 + 1.605_725_618_649_735_3e-10;
    let p = square * p + 2.505_212_318_111_511_4e-8;
    let p = square * p + 2.755_731_915_680_350_4e-6;
    let p = square * p + 0.000_198_412_698_414_326_86;
    let p = square * p + 0.008_333_333_333_333_146;
    let p = square * p + 0.166_666_666_666_666_69;
    let small = magnitude + magnitude * (square * p);
    let half = half_exp_extended(magnitude);
    let large = half.high + (half.low - 0.25 / half.high);
    (if magnitude < 1.0 { small } else { large }).copysign(x)
}

/// `exp(x)/2 + exp(-x)/2`.
#[inline(always)]
pub(crate) fn cosh(x: f64) -> f64 {
    let half = half_exp_extended(x.abs());
    let quotient = 0.25 / half.high;
    // The low part changes the quotient by `low · quotient / high`, where `1 / high = 4 · quotient`.
    let low = half.low * (1.0 - 4.0 * (quotient * quotient));
    half.high + (low + quotient)
}
