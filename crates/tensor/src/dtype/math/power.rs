//! Powers of `f32`: `2^(y log2(x))` in single precision, with the logarithm and the product in two parts.
//!
//! The product is up to 150, and its absolute error is the relative error of the result. So the logarithm has a relative error of 2⁻³².

use super::exponential::{LARGE, SHIFT, SMALL};
use super::{MulAdd, at_least, at_most};
use std::f32::consts::LN_2;

const SIGN: u32 = 1 << 31;

/// Whether [`power_of_magnitude`] is the power: the base is positive and finite, and the exponent is finite.
#[inline(always)]
pub(crate) fn power_in_fast_range(x: f32, y: f32) -> bool {
    (x.to_bits().wrapping_sub(1) < f32::INFINITY.to_bits() - 1) & (y.abs() < f32::INFINITY)
}

/// Returns `x` to the power of `y`, with the special cases of the C standard, and an error below 0.95 ULP: operations compute the steps
/// for many elements at a time.
#[cfg(test)]
pub(crate) fn power_fused<M: MulAdd>(x: f32, y: f32) -> f32 {
    power_with_cases(x, y, power_from_logarithm::<M>(power_logarithm::<M>(x, y)))
}

/// Returns `y log2(|x|)` in two parts, for a number that is finite and not zero.
///
/// The number is `2ⁿ m` with `m` between 0.692 and 1.384. Divided by 4/5, 1 or 16/13 it is `1 + f` with `|f|` below 0.136: `f` is exact. Its
/// logarithm is the series of `atanh` for `s = f / (2 + f)`.
#[inline(always)]
pub(crate) fn power_logarithm<M: MulAdd>(x: f32, y: f32) -> [f32; 2] {
    const LEAST: u32 = 0.692f32.to_bits();
    const EXPONENT: u32 = 0xff80_0000;
    const EXPONENT_UNIT: f32 = 1.0 / (1 << 23) as f32;
    /// `2 / ln 2`, and its rounding error.
    const SCALE: [f32; 2] = [2.885_39, 3.851_926e-8];

    let magnitude = x.abs();
    let is_subnormal = magnitude < f32::MIN_POSITIVE;
    let (normal, more) =
        if is_subnormal { (magnitude * 8_388_608.0, -23.0) } else { (magnitude, 0.0) };
    let exponent = normal.to_bits().wrapping_sub(LEAST) & EXPONENT;
    let m = f32::from_bits(normal.to_bits().wrapping_sub(exponent));
    // The factor, and its negative logarithm in two parts: the sum of the first and `n` is exact.
    let (factor, log, log_low) = (1.0, 0.0, 0.0);
    let is_less = m < 0.875;
    let factor = if is_less { 1.25 } else { factor };
    let log = if is_less { -0.321_899_4 } else { log };
    let log_low = if is_less { -2.868_082_4e-5 } else { log_low };
    let is_more = m > 1.125;
    let factor = if is_more { 0.812_5 } else { factor };
    let log = if is_more { 0.299_560_55 } else { log };
    let log_low = if is_more { -2.650_161e-7 } else { log_low };
    let base = M::mul_add(exponent as i32 as f32, EXPONENT_UNIT, more) + log;

    let f = M::mul_add(m, factor, -1.0);
    let below = 2.0 + f;
    let below_low = f - (below - 2.0);
    let reciprocal = 1.0 / below;
    let s = f * reciprocal;
    let s_low = M::mul_add(-s, below_low, M::mul_add(-s, below, f)) * reciprocal;
    let square = s * s;
    // (atanh(s) - s) / s³ for |s| ≤ 0.0726, with a relative error of 2⁻⁴⁰ to atanh(s).
    let q = square * horner!(M::mul_add, square; 0.333_333_34, 0.199_996_53, 0.143_988_9);
    let first = s * SCALE[0];
    let rest = M::mul_add(s, SCALE[1], M::mul_add(s, SCALE[0], -first));
    // The derivative of `atanh` is nearly `1 + s²`.
    let s_low = M::mul_add(s_low, square, s_low);
    let rest = M::mul_add(first, q, M::mul_add(s_low, SCALE[0], rest));
    let sum = base + first;
    let rest = ((base - sum) + first) + (rest + log_low);
    let high = sum + rest;
    let low = (sum - high) + rest;

    let product = y * high;
    [product, M::mul_add(y, low, M::mul_add(y, high, -product))]
}

/// Returns `2^(high + low)`.
#[inline(always)]
pub(crate) fn power_from_logarithm<M: MulAdd>([high, low]: [f32; 2]) -> f32 {
    // Outside of these bounds the result is infinite or zero, as it is at them; there the low part may be a NaN.
    let low = if high.abs() < 160.0 { low } else { 0.0 };
    let bounded = at_most(at_least(high, -152.0), 130.0);
    let shifted = bounded + SHIFT;
    let r = bounded - (shifted - SHIFT);
    let sum = r + low;
    // (2^r - 1 - r ln 2) / r² for |r| ≤ ½, with an error of 2⁻²⁹ relative to 2^r.
    let q = horner!(
        M::mul_add, sum;
        0.240_226_48, 0.055_503_324, 0.009_618_437, 0.001_339_887_4, 0.000_153_533_62,
    );
    let leading = M::mul_add(r, LN_2, 1.0);
    let lost = M::mul_add(low, LN_2, M::mul_add(r, LN_2, 1.0 - leading));
    let mantissa = leading + M::mul_add(sum * sum, q, lost);
    let last = if bounded > 0.0 { LARGE } else { SMALL };
    let ratio = (2 * 1f32.to_bits()).wrapping_sub(last.to_bits());
    let scale = f32::from_bits((shifted.to_bits() << 23).wrapping_add(ratio));
    mantissa * scale * last
}

/// Returns `x` to the power of `y`, given that of `|x|` where that is finite and not zero.
#[inline(always)]
pub(crate) fn power_with_cases(x: f32, y: f32, power: f32) -> f32 {
    let magnitude = x.abs();
    // Powers of zero and infinity, and infinite powers.
    let is_large = (magnitude > 1.0) == (y > 0.0);
    let is_extreme = (magnitude == 0.0) | (magnitude == f32::INFINITY) | (y.abs() == f32::INFINITY);
    let extreme = if is_large { f32::INFINITY } else { 0.0 };
    let value = if is_extreme { extreme } else { power };
    // One to the power of an infinity is one.
    let value = if magnitude == 1.0 { 1.0 } else { value };

    let Parity { is_integer, is_odd } = Parity::new(y);
    let sign = if is_odd { x.to_bits() & SIGN } else { 0 };
    let value = f32::from_bits(value.to_bits() ^ sign);
    // Negative, finite and not zero.
    let is_negative = x.to_bits().wrapping_sub(SIGN + 1) < f32::INFINITY.to_bits() - 1;
    let is_nan = x.is_nan() | y.is_nan() | is_negative & !is_integer;
    let value = if is_nan { f32::NAN } else { value };
    if (y == 0.0) | (x == 1.0) { 1.0 } else { value }
}

#[derive(Clone, Copy)]
struct Parity {
    is_integer: bool,
    is_odd: bool,
}

impl Parity {
    /// Infinities count as even integers.
    #[inline(always)]
    fn new(y: f32) -> Parity {
        /// From here on every number is an integer, and from twice of it an even one.
        const LARGE: f32 = (1 << 23) as f32;
        let magnitude = y.abs();
        let is_small = magnitude < LARGE;
        // The last bit of a number between `LARGE` and twice of it counts ones.
        let shifted = if is_small { magnitude + LARGE } else { magnitude };
        let is_integer = (shifted - LARGE == magnitude) | !is_small;
        let is_odd = is_integer & (shifted.to_bits() & 1 == 1) & (magnitude < 2.0 * LARGE);
        Parity { is_integer, is_odd }
    }
}
