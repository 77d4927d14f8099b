//! Inverse hyperbolic functions of `f64`: logarithms of sums and quotients in two parts.

use super::exponential::{LN_2_HIGH, LN_2_LOW};
use super::extended::Extended;
use super::logarithm::ln_of_sum;
use crate::dtype::MulAdd;
use crate::dtype::math::two_sum;

/// Beyond this number, its square plus or minus one is its square.
const LARGE: f64 = (1u64 << 28) as f64;

/// Below this number, `asinh` is its argument.
const SMALL: f64 = 1.0 / (1u64 << 28) as f64;

/// `log(x + √(x² + 1))`, or `log(2x)`.
#[inline(always)]
pub(crate) fn asinh<M: MulAdd>(x: f64) -> f64 {
    let magnitude = x.abs();
    let is_large = magnitude > LARGE;
    let bounded = if is_large { 1.0 } else { magnitude };
    let bounded = if bounded < SMALL { SMALL } else { bounded };
    let square = Extended::product::<M>(bounded, bounded);
    let (greater, less) = if bounded < 1.0 { (1.0, square.high) } else { (square.high, 1.0) };
    let root = sqrt_extended::<M>(Extended::sum(greater, less).plus(square.low));
    let sum = Extended::sum(root.high, bounded).plus(root.low);
    let value = ln_of_sum_or_double::<M>(sum, magnitude, is_large);
    let value = if magnitude < SMALL { magnitude } else { value };
    // Also for a NaN.
    (if magnitude < f64::INFINITY { value } else { magnitude }).copysign(x)
}

/// `log(x + √(x² - 1))`, or `log(2x)`.
#[inline(always)]
pub(crate) fn acosh<M: MulAdd>(x: f64) -> f64 {
    let is_large = x > LARGE;
    let bounded = if (x >= 1.0) & !is_large { x } else { 1.0 };
    let square = Extended::product::<M>(bounded, bounded);
    let root = sqrt_extended::<M>(Extended::sum(square.high, -1.0).plus(square.low));
    let sum = Extended::sum(bounded, root.high).plus(root.low);
    let value = ln_of_sum_or_double::<M>(sum, x, is_large);
    let value = if x < f64::INFINITY { value } else { x };
    if x < 1.0 { f64::NAN } else { value }
}

/// Returns the square root of a sum that is not negative.
#[inline(always)]
fn sqrt_extended<M: MulAdd>(x: Extended) -> Extended {
    let high = x.high.sqrt();
    let low = (x.low - M::product_error(high, high, x.high)) * (0.5 / high);
    Extended { high, low: if high == 0.0 { 0.0 } else { low } }
}

/// Returns the logarithm of a sum, or that of `2x` if it is large.
#[inline(always)]
fn ln_of_sum_or_double<M: MulAdd>(sum: Extended, x: f64, is_large: bool) -> f64 {
    let sum = Extended {
        high: if is_large { x } else { sum.high },
        low: if is_large { 0.0 } else { sum.low },
    };
    ln_of_sum::<M>(sum, if is_large { 1.0 } else { 0.0 })
}

/// `log((1 + x) / (1 - x)) / 2`: with the power of two `2ⁿ` next to the quotient, `n ln 2 / 2` plus the series of `atanh` for
/// `s = (1 + x - 2ⁿ (1 - x)) / (1 + x + 2ⁿ (1 - x))`. Without the power of two, `s` is `x`.
#[inline(always)]
pub(crate) fn atanh<M: MulAdd>(x: f64) -> f64 {
    const EXPONENT: u64 = 0xfff << 52;
    const TWO_POW_52: f64 = (1u64 << 52) as f64;

    let magnitude = x.abs();
    let bounded = if magnitude < 1.0 { magnitude } else { 0.5 };
    let (above, below) = (Extended::sum(1.0, bounded), Extended::sum(1.0, -bounded));
    // The difference of the bits is nearly that of the logarithms; it is rounded to an integer.
    let distance = above.high.to_bits().wrapping_sub(below.high.to_bits());
    let rounded = distance.wrapping_add(1 << 51) & EXPONENT;
    let scale = f64::from_bits(rounded.wrapping_add(1023 << 52));
    let n = f64::from_bits(rounded >> 52 | TWO_POW_52.to_bits()) - TWO_POW_52;
    let (below_high, below_low) = (below.high * scale, below.low * scale);

    let (sum, sum_error) = two_sum(above.high, below_high);
    let sum_low = sum_error + (above.low + below_low);
    let reciprocal = 1.0 / sum;
    let difference = above.high - below_high;
    let s = difference * reciprocal;
    let left = (above.low - below_low) - M::product_error(s, sum, difference);
    let s_low = M::mul_add_f64(-s, sum_low, left) * reciprocal;

    let square = s * s;
    // (atanh(s) - s) / s³ for |s| ≤ 0.202, with a relative error of 2⁻⁶⁰ to atanh(s).
    let p = polynomial!(
        M::mul_add_f64, square;
        0.333_333_333_333_332_9,
        0.200_000_000_000_325_8,
        0.142_857_142_769_191_34,
        0.111_111_122_579_955_22,
        0.090_908_265_064_528_37,
        0.076_957_618_559_001_74,
        0.065_834_014_097_297_25,
        0.069_441_363_730_787_15,
    );
    let leading = Extended::sum(n * (0.5 * LN_2_HIGH), s);
    let rest = M::mul_add_f64(n, 0.5 * LN_2_LOW, leading.low + s_low);
    let value = leading.high + M::mul_add_f64(s * square, p, rest);
    let value = if magnitude < 1.0 { value } else { f64::INFINITY };
    // A NaN is not at most one either.
    (if magnitude <= 1.0 { value } else { f64::NAN }).copysign(x)
}
