//! Inverse hyperbolic functions of `f64`: logarithms of sums and quotients in two parts, with errors below 0.6 ULP.

use super::extended::{Extended, ln_extended};
use crate::dtype::BaselineFma;

/// Beyond this number, its square plus or minus one is its square.
const LARGE: f64 = (1u64 << 28) as f64;

/// Below this number, each function but `acosh` is its argument.
const SMALL: f64 = 1.0 / (1u64 << 28) as f64;

/// `log(x + √(x² + 1))`, or `log(2x)`.
#[inline(always)]
pub(crate) fn asinh(x: f64) -> f64 {
    let magnitude = x.abs();
    let is_large = magnitude > LARGE;
    let bounded = if is_large { 1.0 } else { magnitude };
    let square = Extended::product::<BaselineFma>(bounded, bounded);
    let (greater, less) = if bounded < 1.0 { (1.0, square.high) } else { (square.high, 1.0) };
    let root = sqrt_extended(Extended::sum(greater, less).plus(square.low));
    let sum = Extended::sum(root.high, bounded).plus(root.low);
    let value = ln_of(sum, magnitude, is_large);
    let value = if magnitude < SMALL { magnitude } else { value };
    // Also for a NaN.
    (if magnitude < f64::INFINITY { value } else { magnitude }).copysign(x)
}

/// `log(x + √(x² - 1))`, or `log(2x)`.
#[inline(always)]
pub(crate) fn acosh(x: f64) -> f64 {
    let is_large = x > LARGE;
    let bounded = if (1.0..=LARGE).contains(&x) { x } else { 1.0 };
    let square = Extended::product::<BaselineFma>(bounded, bounded);
    let root = sqrt_extended(Extended::sum(square.high, -1.0).plus(square.low));
    let value = ln_of(Extended::sum(bounded, root.high).plus(root.low), x, is_large);
    let value = if x < f64::INFINITY { value } else { x };
    if x < 1.0 { f64::NAN } else { value }
}

/// `log((1 + x) / (1 - x)) / 2`.
#[inline(always)]
pub(crate) fn atanh(x: f64) -> f64 {
    let magnitude = x.abs();
    let bounded = if magnitude < 1.0 { magnitude } else { 0.5 };
    let (above, below) = (Extended::sum(1.0, bounded), Extended::sum(1.0, -bounded));
    let high = above.high / below.high;
    let product = Extended::product::<BaselineFma>(high, below.high);
    let left = (above.high - product.high) - product.low;
    let low = (left + (above.low - high * below.low)) / below.high;
    let value = 0.5 * ln_of(Extended { high, low }, 1.0, false);
    let value = if magnitude < SMALL { magnitude } else { value };
    let value = if magnitude < 1.0 { value } else { f64::INFINITY };
    // A NaN is not at most one either.
    (if magnitude <= 1.0 { value } else { f64::NAN }).copysign(x)
}

/// Returns the square root of a sum that is not negative.
#[inline(always)]
fn sqrt_extended(x: Extended) -> Extended {
    let high = x.high.sqrt();
    let square = Extended::product::<BaselineFma>(high, high);
    let low = (((x.high - square.high) - square.low) + x.low) / (2.0 * high);
    Extended { high, low: if high == 0.0 { 0.0 } else { low } }
}

/// Returns the logarithm of a sum, whose low part adds its quotient by the high one; or that of `2x` if it is large.
#[inline(always)]
fn ln_of(sum: Extended, x: f64, is_large: bool) -> f64 {
    let (high, low) = if is_large { (x, 0.0) } else { (sum.high, sum.low) };
    let log = ln_extended::<BaselineFma>(high, if is_large { 1.0 } else { 0.0 });
    log.plus(low / high).rounded()
}
