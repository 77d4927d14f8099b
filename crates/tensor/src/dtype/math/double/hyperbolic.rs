//! Hyperbolic functions of `f64`.

use super::exponential::{DoublePower, between, exp_plus_one};
use super::extended::Extended;
use crate::dtype::MulAdd;

/// Returns a polynomial up to 0.6; beyond, `1 - 2 / (exp(2x) + 1)`.
#[inline(always)]
pub(crate) fn tanh<M: MulAdd>(x: f64) -> f64 {
    const BOUND: f64 = 0.6;
    let magnitude = x.abs();
    let square = magnitude * magnitude;
    // (tanh(x) - x) / x³, with a relative error of 2⁻⁵⁶ to tanh(x).
    let p = polynomial!(
        M::mul_add_f64, square;
        -0.333_333_333_333_329_26,
        0.133_333_333_332_717_02,
        -0.053_968_253_935_749_3,
        0.021_869_487_679_080_77,
        -0.008_863_222_356_652_121,
        0.003_592_000_142_550_655,
        -0.001_455_015_484_948_483_8,
        0.000_586_503_082_394_818,
        -0.000_228_944_124_936_666_07,
        7.757_993_230_859_22e-5,
        -1.628_751_218_255_466_4e-5,
    );
    let near = M::mul_add_f64(square * magnitude, p, magnitude);
    // From 20 on the result is 1.
    let Extended { high, low } = exp_plus_one::<M>(between(0.0, 2.0 * magnitude, 40.0));
    let quotient = 2.0 / high;
    let left = M::mul_add_f64(-quotient, low, M::mul_add_f64(-quotient, high, 2.0));
    let less = Extended::sum(1.0, -quotient);
    let far = less.high + M::mul_add_f64(-0.5 * quotient, left, less.low);
    (if magnitude < BOUND { near } else { far }).copysign(x)
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
