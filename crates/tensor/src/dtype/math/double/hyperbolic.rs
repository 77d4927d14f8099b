//! Hyperbolic functions of `f64`.

use super::exponential::{DoublePower, between, half_exp_minus_one};
use super::extended::Extended;
use crate::dtype::MulAdd;
use crate::dtype::math::two_sum;

/// Returns `h / (h + 1)` with `h = (exp(2x) - 1) / 2`, and the quotient in two parts.
#[inline(always)]
pub(crate) fn tanh<M: MulAdd>(x: f64) -> f64 {
    // From 20 on the result is 1.
    let above = half_exp_minus_one::<M>(between(0.0, 2.0 * x.abs(), 40.0));
    let (below, below_low) = two_sum(above.high, 1.0);
    let reciprocal = 1.0 / below;
    let quotient = above.high * reciprocal;
    let left = above.low - M::product_error(quotient, below, above.high);
    let left = M::mul_add_f64(-quotient, below_low + above.low, left);
    let value = M::mul_add_f64(left, reciprocal, quotient);
    // Here the result is the argument.
    let value = if x.abs() < f64::EPSILON / 4.0 { x } else { value };
    value.copysign(x)
}

/// Returns a polynomial up to 1; beyond, `exp(x)/2 - exp(-x)/2`.
#[inline(always)]
pub(crate) fn sinh<M: MulAdd>(x: f64) -> f64 {
    let magnitude = x.abs();
    let bounded = if magnitude < 1.0 { magnitude } else { 1.0 };
    let square = bounded * bounded;
    // (sinh(x) - x) / x³, with a relative error of 2⁻⁶³ to sinh(x).
    let p = polynomial!(
        M::mul_add_f64, square;
        0.166_666_666_666_666_69,
        0.008_333_333_333_333_146,
        0.000_198_412_698_414_326_86,
        2.755_731_915_680_350_4e-6,
        2.505_212_318_111_511_4e-8,
        1.605_725_618_649_735_3e-10,
        7.758_861_042_008_394e-13,
    );
    let small = M::mul_add_f64(bounded * square, p, bounded);
    let HalfExp { high, low, quarter, last } = HalfExp::new::<M>(magnitude);
    let large = high + (low - quarter / high);
    (if magnitude < 1.0 { small } else { large * last }).copysign(x)
}

/// `exp(x)/2 + exp(-x)/2`.
#[inline(always)]
pub(crate) fn cosh<M: MulAdd>(x: f64) -> f64 {
    let HalfExp { high, low, quarter, last } = HalfExp::new::<M>(x.abs());
    let quotient = quarter / high;
    // The low part changes the quotient by `low · quotient / high`, where `1 / high = 4 · quotient`.
    let share = M::mul_add_f64(-4.0 * quotient, quotient, 1.0);
    (high + M::mul_add_f64(low, share, quotient)) * last
}

/// Half of the exponential of a number that is not negative: a sum, times the power of two `last`, which is 1 unless the result is large.
#[derive(Clone, Copy)]
struct HalfExp {
    high: f64,
    low: f64,
    /// A quarter of the product of the exponential and its inverse; zero if the latter is negligible.
    quarter: f64,
    last: f64,
}

impl HalfExp {
    #[inline(always)]
    fn new<M: MulAdd>(x: f64) -> HalfExp {
        const LARGE: f64 = f64::from_bits((1023 + 100) << 52);
        let bounded = between(0.0, x, 711.0);
        let DoublePower { mantissa, scale } = DoublePower::exp::<M>(bounded, 0.0);
        let (quarter, last) = if bounded > 80.0 { (0.0, LARGE) } else { (0.25, 1.0) };
        let factor = scale.over(2.0 * last);
        let Extended { high, low } = Extended::sum(mantissa.high, mantissa.low);
        HalfExp { high: high * factor, low: low * factor, quarter, last }
    }
}
