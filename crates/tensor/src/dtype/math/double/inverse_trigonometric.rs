//! Inverse trigonometric functions of `f64`.
//!
//! Each is a constant plus or minus a series `t + t³ p(t²)`. The sum of the constant and `t` has two parts, and so has a `t` that
//! is a quotient or a root: results are within 0.7 ULP.

use super::extended::Extended;
use crate::dtype::MulAdd;
use std::f64::consts::{FRAC_PI_2, PI};

/// The rounding errors of `FRAC_PI_2` and `PI`.
const FRAC_PI_2_ERROR: f64 = 6.123_233_995_736_766e-17;
const PI_ERROR: f64 = 1.224_646_799_147_353_2e-16;

/// Returns `base + t + rest`, where `base` is zero or not smaller than `t`.
#[inline(always)]
fn sum_of_parts(base: f64, base_error: f64, t: f64, rest: f64) -> f64 {
    let leading = Extended::sum(base, t);
    leading.high + (leading.low + (base_error + rest))
}

/// The inverse tangent of a quotient of at most 1, in two parts: `steps · π/4 + atan(t)`.
///
/// Above `tan(π/8)`, `t` is `(above - below) / (above + below)` and one step is added: `t` is at most `tan(π/8)`.
#[derive(Clone, Copy)]
struct InverseTangent {
    steps: f64,
    t: f64,
    low: f64,
}

impl InverseTangent {
    #[inline(always)]
    fn of_quotient<M: MulAdd>(above: f64, below: f64) -> InverseTangent {
        const TAN_PI_8: f64 = 0.414_213_562_373_095_03;
        let is_reduced = above > TAN_PI_8 * below;
        // Both are exact: the numbers are near each other, or the first is the greater one.
        let difference = Extended::sum(-below, above);
        let sum = Extended::sum(below, above);
        let (above, above_low) =
            if is_reduced { (difference.high, difference.low) } else { (above, 0.0) };
        let (below, below_low) = if is_reduced { (sum.high, sum.low) } else { (below, 0.0) };
        let reciprocal = 1.0 / below;
        let t = above * reciprocal;
        let left = above_low - M::product_error(t, below, above);
        let low = M::mul_add_f64(-t, below_low, left) * reciprocal;
        InverseTangent { steps: if is_reduced { 1.0 } else { 0.0 }, t, low }
    }

    /// Returns `base · π/4` plus the angle times `sign`, which is 1 or -1.
    #[inline(always)]
    fn added_to<M: MulAdd>(self, base: f64, sign: f64) -> f64 {
        /// The first 50 bits of π/4, so that small multiples are exact, and the rest.
        const QUARTER_HIGH: f64 = 0.785_398_163_397_447_4;
        const QUARTER_LOW: f64 = 9.187_945_896_788_09e-16;

        let square = self.t * self.t;
        // (atan(t) - t) / t³ for |t| ≤ 0.4145, with a relative error of 2⁻⁵⁹ to atan(t).
        let p = polynomial!(
            M::mul_add_f64, square;
            -0.333_333_333_333_331_9,
            0.199_999_999_999_528_14,
            -0.142_857_142_801_211_2,
            0.111_111_107_797_981_7,
            -0.090_908_976_552_438_93,
            0.076_920_584_353_603_74,
            -0.066_630_842_409_548_27,
            0.058_477_477_434_349_85,
            -0.050_386_766_127_211_88,
            0.038_048_814_442_101_98,
            -0.017_890_165_075_729_905,
        );
        // The derivative is `1 / (1 + t²)`.
        let low = M::mul_add_f64(-square, self.low, self.low);
        let rest = M::mul_add_f64(self.t * square, p, low);
        let quarters = M::mul_add_f64(sign, self.steps, base);
        let (high, low) = (quarters * QUARTER_HIGH, quarters * QUARTER_LOW);
        sum_of_parts(high, low, sign * self.t, sign * rest)
    }
}

/// The inverse tangent of the number, or π/2 minus that of its reciprocal.
#[inline(always)]
pub(crate) fn atan<M: MulAdd>(x: f64) -> f64 {
    /// From here on the result is π/2.
    const LARGE: f64 = (1u64 << 60) as f64;
    /// Below, the result is the argument.
    const SMALL: f64 = 1.0 / (1u64 << 30) as f64;
    let magnitude = x.abs();
    let bounded = if LARGE < magnitude { LARGE } else { magnitude };
    // No selections by one condition: a compiler would make them a branch, with a division on either side.
    let above = if 1.0 < bounded { 1.0 } else { bounded };
    let below = if 1.0 > bounded { 1.0 } else { bounded };
    let sign = 1f64.copysign(1.0 - bounded);
    let base = 1.0 - sign;
    let value = InverseTangent::of_quotient::<M>(above, below).added_to::<M>(base, sign);
    (if magnitude < SMALL { magnitude } else { value }).copysign(x)
}

/// Returns the angle of the point `(x, y)`, with the special cases of the C standard.
#[inline(always)]
pub(crate) fn atan2<M: MulAdd>(y: f64, x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    /// Beyond these bounds, numbers are scaled as at them: the quotient still does not overflow.
    const LEAST: f64 = f64::MIN_POSITIVE;
    const MOST: f64 = f64::from_bits((1023 + 1022) << 52);
    /// Smaller quotients are scaled, because remainders underflow.
    const TINY: f64 = f64::from_bits((1023 - 800) << 52);
    const LIFT: f64 = f64::from_bits((1023 + 600) << 52);

    let (across, along) = (y.abs(), x.abs());
    let is_steep = across > along;
    let (less, more) = if is_steep { (along, across) } else { (across, along) };
    let bounded = if more > LEAST { more } else { LEAST };
    let bounded = if bounded < MOST { bounded } else { MOST };
    let scale = f64::from_bits((2046 << 52) - (bounded.to_bits() & EXPONENT));
    let is_tiny = less < TINY * more;
    let lifted = if is_tiny { less * LIFT } else { less };
    let (above, below) = (lifted * scale, more * scale);
    // If both are infinite or zero, they count as equal; also if one is a NaN.
    let above = if less == more { 1.0 } else { above };
    let below = if less == more { 1.0 } else { below };
    let is_finite = below < f64::INFINITY;
    let above = if is_finite & (more > 0.0) { above } else { 0.0 };
    let below = if is_finite { below } else { 1.0 };
    let angle = InverseTangent::of_quotient::<M>(above, below);
    let t = if is_tiny { (angle.t + angle.low) * (1.0 / LIFT) } else { angle.t };
    let low = if is_tiny { 0.0 } else { angle.low };
    let angle = InverseTangent { t, low, ..angle };

    let is_left = x.is_sign_negative();
    let sign = if is_left != is_steep { -1.0 } else { 1.0 };
    let flat = if is_left { 4.0 } else { 0.0 };
    let base = if is_steep { 2.0 } else { flat };
    let value = angle.added_to::<M>(base, sign).copysign(y);
    if x.is_nan() | y.is_nan() { x + y } else { value }
}

/// The parts of an inverse sine: `asin(w) = w + rest` for a number `w` of at most ½, which is `x`, or `√((1 - |x|) / 2)` if that is large.
#[derive(Clone, Copy)]
struct InverseSine {
    is_large: bool,
    w: f64,
    rest: f64,
}

impl InverseSine {
    #[inline(always)]
    fn new<M: MulAdd>(x: f64) -> InverseSine {
        /// Subtracted from it, half of the bits of a number are nearly those of the reciprocal of its square root.
        const ROOT_BITS: u64 = 0x5fe6_eb50_c7b5_37a9;

        let is_large = x.abs() > 0.5;
        let half = M::mul_add_f64(-0.5, x.abs(), 0.5);
        let root = half.sqrt();
        // What the root loses is its remainder, divided by twice the root. Five bits of that suffice.
        let reciprocal = f64::from_bits(ROOT_BITS.wrapping_sub(half.to_bits() >> 1));
        let root_low = -0.5 * reciprocal * M::product_error(root, root, half);
        let w = if is_large { root } else { x };
        let square = if is_large { half } else { x * x };
        let low = if is_large { root_low } else { 0.0 };
        // (asin(w) - w) / w³ for |w| ≤ ½, with a relative error of 2⁻⁶⁰ to asin(w).
        let p = polynomial!(
            M::mul_add_f64, square;
            0.166_666_666_666_667_6,
            0.074_999_999_999_708_01,
            0.044_642_857_174_609_89,
            0.030_381_942_707_885_468,
            0.022_372_214_984_782_892,
            0.017_351_612_063_929_205,
            0.013_980_819_963_854_073,
            0.011_398_916_803_142_716,
            0.010_780_228_415_379_125,
            0.003_706_495_660_589_605,
            0.021_707_247_756_658_592,
            -0.020_998_796_450_007_77,
            0.032_628_466_526_101_97,
        );
        InverseSine { is_large, w, rest: M::mul_add_f64(w * square, p, low) }
    }
}

/// The inverse sine; π/2 minus twice that of the root if the number is large.
#[inline(always)]
pub(crate) fn asin<M: MulAdd>(x: f64) -> f64 {
    let InverseSine { is_large, w, rest } = InverseSine::new::<M>(x.abs());
    let base = if is_large { FRAC_PI_2 } else { 0.0 };
    let base_error = if is_large { FRAC_PI_2_ERROR } else { 0.0 };
    let factor = if is_large { -2.0 } else { 1.0 };
    sum_of_parts(base, base_error, factor * w, factor * rest).copysign(x)
}

/// π/2 minus the inverse sine; if the number is large, twice that of the root, or π minus twice that.
#[inline(always)]
pub(crate) fn acos<M: MulAdd>(x: f64) -> f64 {
    let InverseSine { is_large, w, rest } = InverseSine::new::<M>(x);
    let is_left = x < 0.0;
    let (end, end_error) = if is_left { (PI, PI_ERROR) } else { (0.0, 0.0) };
    let (base, base_error) = if is_large { (end, end_error) } else { (FRAC_PI_2, FRAC_PI_2_ERROR) };
    let twice = if is_left { -2.0 } else { 2.0 };
    let factor = if is_large { twice } else { -1.0 };
    sum_of_parts(base, base_error, factor * w, factor * rest)
}
