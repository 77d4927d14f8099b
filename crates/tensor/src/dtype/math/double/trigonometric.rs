//! Sine, cosine and tangent of `f64`: as in `../trigonometric.rs`, reduced by multiples of π/2, in four parts.
//!
//! The remainder is a sum of two numbers, because arguments may be as close to a multiple of π/2 as 2⁻⁵³. Its sine and cosine are
//! the sum of a leading term, of the next term for the first 16 bits of the remainder, both exact, and of a correction below
//! 0.02: results are within 0.6 ULP. (With the rounded next term, which is up to 0.3, they would be within 0.82 ULP, in 0.83 of the
//! time.) Both have polynomials of one degree, so that one evaluation, with coefficients selected for each element, serves both.

use super::extended::Extended;
use crate::dtype::MulAdd;
use std::f64::consts::FRAC_2_PI;

const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;

/// The sign, the exponent and the first 16 bits of a number.
const UPPER: u64 = !((1 << 37) - 1);

/// π/2: three parts with 33 bits each, whose products with a number of 20 bits are exact, and the rest.
const HALF_PI: [f64; 4] = [
    1.570_796_326_734_125_6,
    6.077_100_506_303_966e-11,
    2.022_266_248_711_166_5e-21,
    8.478_427_660_368_9e-32,
];

/// The factor of `r³` in the leading terms of the sine: -1/6, rounded to three bits.
const CUBIC: f64 = -5.0 / 32.0;

/// `(sin(r) - r) / r³ - CUBIC` for |r| ≤ π/4 as a polynomial in `r²`, the constant first, with a relative error of 2⁻⁵⁷ to the
/// sine.
const SINE: [f64; 6] = [
    -0.166_666_666_666_666_3 - CUBIC,
    0.008_333_333_333_322_104,
    -0.000_198_412_698_295_775_48,
    2.755_731_361_706_043e-6,
    -2.505_074_706_177_579_6e-8,
    1.589_618_822_416_289_4e-10,
];

/// `(cos(r) - 1 + r²/2) / r⁴`, with a relative error of 2⁻⁶⁴ to the cosine.
const COSINE: [f64; 6] = [
    0.041_666_666_666_666_595,
    -0.001_388_888_888_887_303_6,
    2.480_158_728_883_830_4e-5,
    -2.755_731_417_532_571e-7,
    2.087_570_028_907_739_4e-9,
    -1.135_850_723_585_861_7e-11,
];

/// Whether the functions of this file are accurate for the number. They are for a NaN, which stays one.
#[inline(always)]
pub(crate) fn in_fast_range(x: f64) -> bool {
    x.abs() <= 1.6e6 || x.is_nan()
}

#[inline(always)]
pub(crate) fn sin_fast<M: MulAdd>(x: f64) -> f64 {
    let sine = in_quadrant(x, 0);
    // A zero keeps its sign.
    if x == 0.0 { x } else { sine }
}

#[inline(always)]
pub(crate) fn cos_fast<M: MulAdd>(x: f64) -> f64 {
    in_quadrant(x, 1)
}

/// An angle, reduced by a multiple of π/2.
#[derive(Clone, Copy)]
struct ReducedAngle {
    /// The multiple in the last bits.
    quadrant: u64,
    /// The rest, at most π/4.
    r: f64,
    /// What `r` loses by rounding.
    low: f64,
}

impl ReducedAngle {
    #[inline(always)]
    fn new(x: f64) -> ReducedAngle {
        let shifted = x * FRAC_2_PI + SHIFT;
        let n = shifted - SHIFT;
        // The first subtraction and the first three products are exact. `low` is what the other subtractions lose.
        let first = x - n * HALF_PI[0];
        let [b, c, d] = [n * HALF_PI[1], n * HALF_PI[2], n * HALF_PI[3]];
        let a = first - b;
        let r = a - c;
        let low = ((first - a) - b) + (((a - r) - c) - d);
        ReducedAngle { quadrant: shifted.to_bits(), r, low }
    }
}

/// The tangent of half the reduced angle, `t`, gives `2t / (1 - t²)`, or the negative reciprocal of that if the multiple of π/2
/// is odd. Numerator, denominator and quotient have two parts.
#[inline(always)]
pub(crate) fn tan_fast<M: MulAdd>(x: f64) -> f64 {
    /// Below this number, the tangent is its argument.
    const SMALL: f64 = 1.0 / (1u64 << 28) as f64;

    let ReducedAngle { quadrant, r, low } = ReducedAngle::new(x);
    let half = 0.5 * r;
    let square = half * half;
    // (tan(t) - t) / t³ for |t| ≤ π/8, with a relative error of 2⁻⁵⁸ to tan(t).
    let p = polynomial!(
        M::mul_add_f64, square;
        0.333_333_333_333_335_04,
        0.133_333_333_332_888_16,
        0.053_968_254_007_942_695,
        0.021_869_486_804_348_75,
        0.008_863_278_176_058_302,
        0.003_591_496_074_881_066,
        0.001_461_568_232_310_408_7,
        0.000_559_055_976_959_112_5,
        0.000_328_830_091_128_407_5,
    );
    let half_low = 0.5 * low;
    let rest = M::mul_add_f64(half * square, p, M::mul_add_f64(half_low, square, half_low));
    let t = Extended::sum(half, rest);
    let t_square = Extended::product::<M>(t.high, t.high);
    let less = Extended::sum(1.0, -t_square.high);
    let less_low = M::mul_add_f64(-2.0 * t.high, t.low, less.low - t_square.low);

    let is_odd = quadrant & 1 == 1;
    let (above, above_low) =
        if is_odd { (-less.high, -less_low) } else { (2.0 * t.high, 2.0 * t.low) };
    let (below, below_low) =
        if is_odd { (2.0 * t.high, 2.0 * t.low) } else { (less.high, less_low) };
    let reciprocal = 1.0 / below;
    let quotient = above * reciprocal;
    let left = above_low - M::product_error(quotient, below, above);
    let value = M::mul_add_f64(M::mul_add_f64(-quotient, below_low, left), reciprocal, quotient);
    if x.abs() < SMALL { x } else { value }
}

/// Returns the sine of `x + quadrant π/2`.
#[inline(always)]
fn in_quadrant(x: f64, quadrant: u64) -> f64 {
    let ReducedAngle { quadrant: multiple, r, low } = ReducedAngle::new(x);
    let quadrant = multiple.wrapping_add(quadrant);
    let is_cosine = quadrant & 1 == 1;

    let square = r * r;
    let term = |i: usize| if is_cosine { COSINE[i] } else { SINE[i] };
    let p = square * term(5) + term(4);
    let p = square * p + term(3);
    let p = square * p + term(2);
    let p = square * p + term(1);
    let p = square * p + term(0);
    let p = square * p;

    let select = |cosine: f64, sine: f64| if is_cosine { cosine } else { sine };
    // cos(r) ≈ 1 - r²/2 and sin(r) ≈ r + CUBIC r³. For the upper bits of `r`, the second term is exact.
    let upper = f64::from_bits(r.to_bits() & UPPER);
    let factor = select(-0.5, CUBIC * upper);
    let leading = select(1.0, r);
    let second = factor * (upper * upper);
    let high = leading + second;
    let lost = (leading - high) + second;
    // The second term for the lower bits: r² - upper² = (r - upper) (r + upper), and accordingly for r³.
    let lower = (r - upper) * (factor * (r + upper) + select(0.0, CUBIC * square));
    // The derivative times `low`.
    let of_low = low * select(-r, 1.0 - 0.5 * square);
    let value = high + (select(square, r) * p + (lower + (lost + of_low)));
    f64::from_bits(value.to_bits() ^ (quadrant & 2) << 62)
}
