//! Logarithms of `f64`.
//!
//! `log(2ⁿ (1 + f)) = n ln 2 + log(1 + f)` with `1 + f` between `√½` and `√2`, and `log(1 + f) = f - f²/2 + s (f²/2 + s² p(s²))` with
//! `s = f / (2 + f)`. The first two terms have two parts, so that nearly the only rounding error is that of the last addition:
//! results are within 0.6 ULP.

use super::exponential::{LN_2_HIGH, LN_2_LOW};
use super::extended::Extended;
use crate::dtype::MulAdd;
use crate::dtype::math::two_sum;
use std::f64::consts::{LOG2_E, LOG10_E};

/// Subnormal numbers are multiplied by `2⁵⁴` first.
const SCALE: f64 = (1u64 << 54) as f64;
const SCALE_EXPONENT: f64 = 54.0;

/// The rounding errors of `LOG2_E` and `LOG10_E`.
const LOG2_E_ERROR: f64 = 2.035_527_374_093_103_3e-17;
const LOG10_E_ERROR: f64 = 1.098_319_650_216_765e-17;

/// The first 42 bits of `log10(2)`, so that products with exponents are exact, and the rest.
const LOG10_2_HIGH: f64 = 0.301_029_995_664_066_5;
const LOG10_2_LOW: f64 = -8.532_344_317_057_107e-14;

/// A positive normal number as `2ⁿ (1 + f)`.
#[derive(Clone, Copy)]
pub(super) struct Normalized {
    pub n: f64,
    pub f: f64,
    /// `2^(1-n)`, or zero if `n` is 1024.
    inverse: f64,
}

impl Normalized {
    #[inline(always)]
    pub(super) fn from_normal(x: f64) -> Normalized {
        const ROOT: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
        const TWO_POW_52: f64 = (1u64 << 52) as f64;
        const MANTISSA: u64 = (1 << 52) - 1;
        // The difference of the bits to those of the root. With 1023 added, the exponent is never negative.
        let distance = x.to_bits().wrapping_sub(ROOT).wrapping_add(1023 << 52);
        let f = f64::from_bits((distance & MANTISSA).wrapping_add(ROOT)) - 1.0;
        // An integer below 2⁵² is converted to a float by setting the exponent bits.
        let n = f64::from_bits(distance >> 52 | TWO_POW_52.to_bits()) - (TWO_POW_52 + 1023.0);
        let inverse = f64::from_bits((2047u64 << 52).wrapping_sub(distance & !MANTISSA));
        Normalized { n, f, inverse }
    }

    #[inline(always)]
    fn from_positive(x: f64) -> Normalized {
        let is_subnormal = x < f64::MIN_POSITIVE;
        let normal = Normalized::from_normal(if is_subnormal { x * SCALE } else { x });
        let more = if is_subnormal { SCALE_EXPONENT } else { 0.0 };
        Normalized { n: normal.n - more, ..normal }
    }

    /// Returns `log(1 + f)`.
    #[inline(always)]
    fn ln_mantissa<M: MulAdd>(self) -> Extended {
        let f = self.f;
        let s = f / (2.0 + f);
        let square = s * s;
        // (log((1 + s) / (1 - s)) - 2s) / s³, with a relative error of 2⁻⁵⁹ to the logarithm.
        let p = polynomial!(
            M::mul_add_f64, square;
            0.666_666_666_666_673_4,
            0.399_999_999_994_159_6,
            0.285_714_287_421_123,
            0.222_221_986_003_540_1,
            0.181_835_629_743_528_57,
            0.153_140_835_638_327_03,
            0.147_956_350_856_771_1,
        );
        let half = 0.5 * f;
        let quadratic = half * f;
        let quadratic_low = M::product_error(half, f, quadratic);
        let leading = Extended::sum(f, -quadratic);
        let rest = M::mul_add_f64(square, p, quadratic);
        Extended { high: leading.high, low: M::mul_add_f64(s, rest, leading.low - quadratic_low) }
    }

    /// Returns `low / x`, where `low` is at most an ULP of `x`. The relative error is `f⁴`: `low` is the smaller compared to
    /// the logarithm, the larger `f` is.
    #[inline(always)]
    fn share<M: MulAdd>(self, low: f64) -> f64 {
        let half = M::mul_add_f64(-0.5, self.f, 0.5);
        let half = M::mul_add_f64(self.f * self.f, half, half);
        low * self.inverse * half
    }

    /// Returns the natural logarithm plus a small number.
    #[inline(always)]
    fn ln<M: MulAdd>(self, low: f64) -> f64 {
        let mantissa = self.ln_mantissa::<M>();
        let leading = Extended::sum(self.n * LN_2_HIGH, mantissa.high);
        let rest = leading.low + (mantissa.low + low);
        leading.high + M::mul_add_f64(self.n, LN_2_LOW, rest)
    }

    /// Returns `log(1 + f)` times a factor with the rounding error `error`, plus `high + low`.
    #[inline(always)]
    fn scaled<M: MulAdd>(self, factor: f64, error: f64, high: f64, low: f64) -> f64 {
        let mantissa = self.ln_mantissa::<M>();
        let product = mantissa.high * factor;
        let product_low = M::product_error(mantissa.high, factor, product);
        let leading = Extended::sum(high, product);
        let rest = M::mul_add_f64(mantissa.high, error, product_low + (leading.low + low));
        leading.high + M::mul_add_f64(mantissa.low, factor, rest)
    }
}

#[inline(always)]
pub(crate) fn ln<M: MulAdd>(x: f64) -> f64 {
    at_ends(x, Normalized::from_positive(x).ln::<M>(0.0))
}

/// `log(1 + x)`: the logarithm of the rounded sum, plus its rounding error divided by it; two terms of the series near zero.
#[inline(always)]
pub(crate) fn ln_1p<M: MulAdd>(x: f64) -> f64 {
    let (sum, lost) = two_sum(1.0, x);
    let value = at_ends(sum, ln_of_sum::<M>(Extended { high: sum, low: lost }, 0.0));
    let near_zero = M::mul_add_f64(-0.5 * x, x, x);
    if x.abs() < 1.0 / (1u64 << 28) as f64 { near_zero } else { value }
}

/// `log(1 + x)` for a number between 0 and 1. Not for a NaN.
#[inline(always)]
pub(crate) fn ln_1p_of_fraction<M: MulAdd>(x: f64) -> f64 {
    let value = ln_of_sum::<M>(Extended::sum(1.0, x), 0.0);
    let near_zero = M::mul_add_f64(-0.5 * x, x, x);
    if x < 1.0 / (1u64 << 28) as f64 { near_zero } else { value }
}

/// Returns the logarithm of a sum times `2^exponent`; its high part must be positive, finite and normal.
#[inline(always)]
pub(super) fn ln_of_sum<M: MulAdd>(x: Extended, exponent: f64) -> f64 {
    let normal = Normalized::from_normal(x.high);
    let low = normal.share::<M>(x.low);
    Normalized { n: normal.n + exponent, ..normal }.ln::<M>(low)
}

/// Exact for powers of two.
#[inline(always)]
pub(crate) fn log2<M: MulAdd>(x: f64) -> f64 {
    let normal = Normalized::from_positive(x);
    at_ends(x, normal.scaled::<M>(LOG2_E, LOG2_E_ERROR, normal.n, 0.0))
}

/// Exact for powers of ten.
#[inline(always)]
pub(crate) fn log10<M: MulAdd>(x: f64) -> f64 {
    let normal = Normalized::from_positive(x);
    let (high, low) = (normal.n * LOG10_2_HIGH, normal.n * LOG10_2_LOW);
    at_ends(x, normal.scaled::<M>(LOG10_E, LOG10_E_ERROR, high, low))
}

/// Returns the logarithm of `x`, given the value for positive finite numbers.
///
/// Comparisons of bits, as in `../logarithm.rs`.
#[inline(always)]
fn at_ends(x: f64, value: f64) -> f64 {
    let bits = x.to_bits();
    // Infinities and NaNs stay as they are; negative numbers become a NaN.
    let special = f64::from_bits(bits | (bits as i64 >> 63) as u64);
    let special = if bits << 1 == 0 { f64::NEG_INFINITY } else { special };
    let is_regular = bits.wrapping_sub(1) < f64::INFINITY.to_bits() - 1;
    if is_regular { value } else { special }
}
