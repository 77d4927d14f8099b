//! Logarithms and exponentials of `f64` with more than 53 bits: values are sums of a high and a low part.
//!
//! The rounding error of a sum is the result of a few more additions, that of a product one FMA
//! ([`MulAdd::product_error`]). Only the leading terms of a series need them.

use crate::dtype::MulAdd;
use std::f64::consts::LOG2_E;

/// Added to a small number, it leaves the nearest integer in the last bits.
const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;

/// The first 42 bits of `ln 2`, so that products with exponents are exact, and the rest.
const LN_2_HIGH: f64 = 0.693_147_180_559_890_3;
const LN_2_LOW: f64 = 5.497_923_018_708_371e-14;

/// The sum of a number and a smaller one, unevaluated.
#[derive(Clone, Copy)]
pub(super) struct Extended {
    pub high: f64,
    pub low: f64,
}

impl Extended {
    /// Adds two numbers; the first must be zero or not smaller in magnitude.
    #[inline(always)]
    pub(super) fn sum(a: f64, b: f64) -> Extended {
        let high = a + b;
        Extended { high, low: (a - high) + b }
    }

    /// Multiplies two numbers.
    #[inline(always)]
    pub(super) fn product<M: MulAdd>(a: f64, b: f64) -> Extended {
        let high = a * b;
        Extended { high, low: M::product_error(a, b, high) }
    }

    /// Multiplies by a number.
    #[inline(always)]
    pub(super) fn times<M: MulAdd>(self, factor: f64) -> Extended {
        let Extended { high, low } = Extended::product::<M>(self.high, factor);
        Extended { high, low: low + self.low * factor }
    }

    /// Adds a small number.
    #[inline(always)]
    pub(super) fn plus(self, low: f64) -> Extended {
        Extended { high: self.high, low: self.low + low }
    }

    /// The value, rounded.
    #[inline(always)]
    pub(super) fn rounded(self) -> f64 {
        self.high + self.low
    }
}

/// Returns the natural logarithm of `x · 2^exponent`, with a relative error of 2⁻⁶⁵. The number must be positive, finite and
/// normal.
///
/// As in `logarithm.rs`, `x = 2ⁿ (1 + f)` and `log(1 + f) = 2s + s³ p(s²)` with `s = f / (2 + f)`. Here `s`, and
/// the term `2s³/3`, have two parts.
#[inline(always)]
pub(super) fn ln_extended<M: MulAdd>(x: f64, exponent: f64) -> Extended {
    const ROOT: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    const TWO_POW_52: f64 = (1u64 << 52) as f64;
    /// 2/3, and the rounding error of that.
    const TWO_THIRDS: Extended =
        Extended { high: 0.666_666_666_666_666_6, low: 3.700_743_415_417_188e-17 };

    let distance = x.to_bits().wrapping_sub(ROOT).wrapping_add(1023 << 52);
    let f = f64::from_bits((distance & ((1 << 52) - 1)).wrapping_add(ROOT)) - 1.0;
    let n =
        f64::from_bits(distance >> 52 | TWO_POW_52.to_bits()) - (TWO_POW_52 + 1023.0 - exponent);

    // `s` is the quotient; what is left of `f - s (2 + f)` gives its low part.
    let below = Extended::sum(2.0, f);
    let reciprocal = 1.0 / below.high;
    let s = f * reciprocal;
    let product = Extended::product::<M>(s, below.high);
    let s_low = (((f - product.high) - product.low) - s * below.low) * reciprocal;

    let square = Extended::product::<M>(s, s).plus(2.0 * (s * s_low));
    let z = square.high;
    // (log((1 + s) / (1 - s)) - 2s - 2s³/3) / s⁵, with an error of 2⁻⁶⁶ relative to the logarithm.
    // By Estrin's scheme: the chain of dependent operations limits the speed.
    let z2 = z * z;
    let high =
        (z * 0.132_568_161_796_358_1 + 0.153_867_574_082_889_54) + z2 * 0.131_963_414_663_420_8;
    let middle = z * 0.181_817_843_651_955_94 + 0.222_222_225_199_484_62;
    let p = (z * 0.285_714_285_700_994_05 + 0.400_000_000_000_022_56) + z2 * (middle + z2 * high);
    // The product of `s` and 2s²/3 + s⁴p.
    let w = square.times::<M>(TWO_THIRDS.high).plus(z * TWO_THIRDS.low + z2 * p);
    let correction = w.times::<M>(s).plus(w.high * s_low);

    let sum = Extended::sum(2.0 * s, correction.high);
    let total = Extended::sum(n * LN_2_HIGH, sum.high);
    let low = (sum.low + (2.0 * s_low + correction.low)) + n * LN_2_LOW;
    Extended::sum(total.high, total.low + low)
}

/// Returns the exponential of a sum, with an error of 0.6 ULP.
#[inline(always)]
pub(super) fn exp_of_extended(x: Extended) -> f64 {
    let (mantissa, [first, last]) = exp_parts(x);
    mantissa.rounded() * first * last
}

/// Returns half of the exponential of a number, as a sum with a relative error of 2⁻⁵⁷.
#[inline(always)]
pub(super) fn half_exp_extended(x: f64) -> Extended {
    let (mantissa, [first, last]) = exp_parts(Extended { high: x, low: 0.0 });
    let scaled = |part: f64| part * first * (0.5 * last);
    Extended { high: scaled(mantissa.high), low: scaled(mantissa.low) }
}

/// Returns a number between `√½` and `√2`, and two powers of two, whose product is the exponential.
#[inline(always)]
fn exp_parts(x: Extended) -> (Extended, [f64; 2]) {
    const SMALL: f64 = f64::from_bits((1023 - 600) << 52);
    const LARGE: f64 = f64::from_bits((1023 + 600) << 52);

    // Outside of these bounds the result is infinite or zero, as it is at them.
    let low = if x.high.abs() < 800.0 { x.low } else { 0.0 };
    let x = if -746.0 > x.high { -746.0 } else { x.high };
    let x = if 711.0 < x { 711.0 } else { x };
    let shifted = x * LOG2_E + SHIFT;
    let n = shifted - SHIFT;
    let (high, low) = (x - n * LN_2_HIGH, low - n * LN_2_LOW);
    let r = high + low;
    let low = (high - r) + low;
    // (exp(r) - 1 - r - r²/2) / r³ for |r| ≤ 0.3467, with a relative error of 2⁻⁵⁷ to exp(r).
    let square = r * r;
    let fourth = square * square;
    let low_half = (r * 0.041_666_666_666_603_81 + 0.166_666_666_666_664_33)
        + square * (r * 0.001_388_888_892_686_172_6 + 0.008_333_333_333_500_368);
    let high_half = (r * 2.480_150_859_192_791_3e-5 + 0.000_198_412_694_656_697_6)
        + square * (r * 2.762_522_601_689_162_6e-7 + 2.755_764_116_017_890_4e-6);
    let q = low_half + fourth * (high_half + fourth * 2.497_835_872_748_751_7e-8);
    // 1 + r + r²/2 without rounding, and the rest.
    let linear = Extended::sum(1.0, r);
    let quadratic = Extended::sum(linear.high, 0.5 * square);
    let rest = r * (square * q) + (low + low * r);
    let mantissa = Extended::sum(quadratic.high, rest + (linear.low + quadratic.low));

    let last = if x > 0.0 { LARGE } else { SMALL };
    let one = 1f64.to_bits();
    let ratio = one.wrapping_sub(last.to_bits().wrapping_sub(one));
    (mantissa, [f64::from_bits((shifted.to_bits() << 52).wrapping_add(ratio)), last])
}
