//! Numbers with more than 53 bits: sums of a high and a low part; and logarithms with as many.
//!
//! The rounding error of a sum is the result of a few more additions, that of a product one FMA
//! ([`MulAdd::product_error`]). Only the leading terms of a series need them.

use super::exponential::{LN_2_HIGH, LN_2_LOW};
use super::logarithm::Normalized;
use crate::dtype::MulAdd;

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
        Extended { high, low: M::mul_add_f64(self.low, factor, low) }
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

/// Returns the natural logarithm of a positive, finite and normal number, with a relative error of 2⁻⁶⁵.
///
/// As in `logarithm.rs`, `log(1 + f) = 2s + s³ p(s²)` with `s = f / (2 + f)`. Here `s`, and the term `2s³/3`, have two parts.
#[inline(always)]
pub(super) fn ln_extended<M: MulAdd>(x: f64) -> Extended {
    /// 2/3, and the rounding error of that.
    const TWO_THIRDS: Extended =
        Extended { high: 0.666_666_666_666_666_6, low: 3.700_743_415_417_188e-17 };

    let Normalized { n, f, .. } = Normalized::from_normal(x);
    // `s` is the quotient; what is left of `f - s (2 + f)` gives its low part.
    let below = Extended::sum(2.0, f);
    let reciprocal = 1.0 / below.high;
    let s = f * reciprocal;
    let left = -M::product_error(s, below.high, f);
    let s_low = M::mul_add_f64(-s, below.low, left) * reciprocal;

    let square = Extended::product::<M>(s, s).plus(2.0 * (s * s_low));
    let z = square.high;
    // (log((1 + s) / (1 - s)) - 2s - 2s³/3) / s⁵, with an error of 2⁻⁶⁶ relative to the logarithm.
    let p = polynomial!(
        M::mul_add_f64, z;
        0.400_000_000_000_022_5,
        0.285_714_285_701_021_8,
        0.222_222_225_194_747_1,
        0.181_817_844_049_507_77,
        0.153_867_556_496_743_86,
        0.132_568_555_531_689_03,
        0.131_959_896_904_172_06,
    );
    // The product of `s` and 2s²/3 + s⁴p.
    let more = M::mul_add_f64(z * z, p, z * TWO_THIRDS.low);
    let w = square.times::<M>(TWO_THIRDS.high).plus(more);
    let correction = w.times::<M>(s);

    let sum = Extended::sum(2.0 * s, correction.high);
    let total = Extended::sum(n * LN_2_HIGH, sum.high);
    let low = sum.low + M::mul_add_f64(w.high + 2.0, s_low, correction.low);
    Extended::sum(total.high, total.low + M::mul_add_f64(n, LN_2_LOW, low))
}
