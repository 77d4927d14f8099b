//! Inverse trigonometric functions of `f32`: as in `double/inverse_trigonometric.rs`, with fewer terms.

use super::MulAdd;
use std::f32::consts::{FRAC_PI_2, PI};

/// The rounding errors of `FRAC_PI_2` and `PI`.
const FRAC_PI_2_ERROR: f32 = -4.371_139e-8;
const PI_ERROR: f32 = -8.742_278e-8;

/// Returns `base + t + rest`, where `base` is zero or not smaller than `t`.
#[inline(always)]
fn sum_of_parts(base: f32, base_error: f32, t: f32, rest: f32) -> f32 {
    let high = base + t;
    let low = (base - high) + t;
    high + (low + (base_error + rest))
}

/// The inverse tangent of a quotient of at most 1, in two parts: `steps · π/4 + atan(t)`.
#[derive(Clone, Copy)]
struct SingleInverseTangent {
    steps: f32,
    t: f32,
    low: f32,
}

impl SingleInverseTangent {
    #[inline(always)]
    fn of_quotient<M: MulAdd>(above: f32, below: f32) -> SingleInverseTangent {
        const TAN_PI_8: f32 = 0.414_213_57;
        let is_reduced = above > TAN_PI_8 * below;
        let (difference, sum) = (above - below, above + below);
        let difference_low = above - (difference + below);
        let sum_low = above - (sum - below);
        let (above, above_low) =
            if is_reduced { (difference, difference_low) } else { (above, 0.0) };
        let (below, below_low) = if is_reduced { (sum, sum_low) } else { (below, 0.0) };
        let reciprocal = 1.0 / below;
        let t = above * reciprocal;
        let left = M::mul_add(-t, below, above) + above_low;
        let low = M::mul_add(-t, below_low, left) * reciprocal;
        SingleInverseTangent { steps: if is_reduced { 1.0 } else { 0.0 }, t, low }
    }

    /// Returns `base · π/4` plus the angle times `sign`, which is 1 or -1.
    #[inline(always)]
    fn added_to<M: MulAdd>(self, base: f32, sign: f32) -> f32 {
        /// The first 20 bits of π/4, so that small multiples are exact, and the rest.
        const QUARTER_HIGH: f32 = 0.785_397_5;
        const QUARTER_LOW: f32 = 6.337_954e-7;

        let square = self.t * self.t;
        // (atan(t) - t) / t³ for |t| ≤ 0.4145, with a relative error of 2⁻³⁰ to atan(t).
        let p = horner!(
            M::mul_add, square;
            -0.333_333_16, 0.199_984_67, -0.142_434_37, 0.105_930_224, -0.060_760_457,
        );
        // The derivative is `1 / (1 + t²)`.
        let low = M::mul_add(-square, self.low, self.low);
        let rest = M::mul_add(self.t * square, p, low);
        let quarters = M::mul_add(sign, self.steps, base);
        sum_of_parts(quarters * QUARTER_HIGH, quarters * QUARTER_LOW, sign * self.t, sign * rest)
    }
}

/// The inverse tangent of the number, or π/2 minus that of its reciprocal.
#[inline(always)]
pub(crate) fn atan<M: MulAdd>(x: f32) -> f32 {
    /// From here on the result is π/2.
    const LARGE: f32 = (1 << 30) as f32;
    /// Below, the result is the argument.
    const SMALL: f32 = 1.0 / (1 << 14) as f32;
    let magnitude = x.abs();
    let bounded = if LARGE < magnitude { LARGE } else { magnitude };
    let is_steep = bounded > 1.0;
    let (above, below) = if is_steep { (1.0, bounded) } else { (bounded, 1.0) };
    let (base, sign) = if is_steep { (2.0, -1.0) } else { (0.0, 1.0) };
    let value = SingleInverseTangent::of_quotient::<M>(above, below).added_to::<M>(base, sign);
    (if magnitude < SMALL { magnitude } else { value }).copysign(x)
}

/// Returns the angle of the point `(x, y)`, with the special cases of the C standard.
#[inline(always)]
pub(crate) fn atan2<M: MulAdd>(y: f32, x: f32) -> f32 {
    const EXPONENT: u32 = 0xff << 23;
    /// Beyond these bounds, numbers are scaled as at them: the quotient still does not overflow.
    const LEAST: f32 = f32::MIN_POSITIVE;
    const MOST: f32 = f32::from_bits((127 + 126) << 23);
    /// Smaller quotients are scaled, because remainders underflow.
    const TINY: f32 = f32::from_bits((127 - 70) << 23);
    const LIFT: f32 = f32::from_bits((127 + 60) << 23);

    let (across, along) = (y.abs(), x.abs());
    let is_steep = across > along;
    let (less, more) = if is_steep { (along, across) } else { (across, along) };
    let bounded = if more > LEAST { more } else { LEAST };
    let bounded = if bounded < MOST { bounded } else { MOST };
    let scale = f32::from_bits((254 << 23) - (bounded.to_bits() & EXPONENT));
    let is_tiny = less < TINY * more;
    let lifted = if is_tiny { less * LIFT } else { less };
    let (above, below) = (lifted * scale, more * scale);
    // If both are infinite or zero, they count as equal.
    let above = if less == more { 1.0 } else { above };
    let below = if less == more { 1.0 } else { below };
    let is_finite = below < f32::INFINITY;
    let above = if is_finite & (more > 0.0) { above } else { 0.0 };
    let below = if is_finite { below } else { 1.0 };
    let angle = SingleInverseTangent::of_quotient::<M>(above, below);
    let t = if is_tiny { (angle.t + angle.low) * (1.0 / LIFT) } else { angle.t };
    let low = if is_tiny { 0.0 } else { angle.low };
    let angle = SingleInverseTangent { t, low, ..angle };

    let is_left = x.is_sign_negative();
    let sign = if is_left != is_steep { -1.0 } else { 1.0 };
    let flat = if is_left { 4.0 } else { 0.0 };
    let base = if is_steep { 2.0 } else { flat };
    let value = angle.added_to::<M>(base, sign).copysign(y);
    if x.is_nan() | y.is_nan() { x + y } else { value }
}

/// The parts of an inverse sine: `asin(w) = w + rest` for a number `w` of at most ½, which is `x`, or `√((1 - |x|) / 2)` if that is large.
#[derive(Clone, Copy)]
struct SingleInverseSine {
    is_large: bool,
    w: f32,
    rest: f32,
}

impl SingleInverseSine {
    #[inline(always)]
    fn new<M: MulAdd>(x: f32) -> SingleInverseSine {
        /// Subtracted from it, half of the bits of a number are nearly those of the reciprocal of its square root.
        const ROOT_BITS: u32 = 0x5f37_59df;

        let is_large = x.abs() > 0.5;
        let half = M::mul_add(-0.5, x.abs(), 0.5);
        let root = half.sqrt();
        // What the root loses is its remainder, divided by twice the root. Five bits of that suffice.
        let reciprocal = f32::from_bits(ROOT_BITS.wrapping_sub(half.to_bits() >> 1));
        let root_low = 0.5 * reciprocal * M::mul_add(-root, root, half);
        let w = if is_large { root } else { x };
        let square = if is_large { half } else { x * x };
        let low = if is_large { root_low } else { 0.0 };
        // (asin(w) - w) / w³ for |w| ≤ ½, with a relative error of 2⁻²⁷ to asin(w).
        let p = horner!(
            M::mul_add, square;
            0.166_667_52, 0.074_953_01, 0.045_470_055, 0.024_180_567, 0.042_165_235,
        );
        SingleInverseSine { is_large, w, rest: M::mul_add(w * square, p, low) }
    }
}

/// The inverse sine; π/2 minus twice that of the root if the number is large.
#[inline(always)]
pub(crate) fn asin<M: MulAdd>(x: f32) -> f32 {
    let SingleInverseSine { is_large, w, rest } = SingleInverseSine::new::<M>(x.abs());
    let base = if is_large { FRAC_PI_2 } else { 0.0 };
    let base_error = if is_large { FRAC_PI_2_ERROR } else { 0.0 };
    let factor = if is_large { -2.0 } else { 1.0 };
    sum_of_parts(base, base_error, factor * w, factor * rest).copysign(x)
}

/// π/2 minus the inverse sine; if the number is large, twice that of the root, or π minus twice that.
#[inline(always)]
pub(crate) fn acos<M: MulAdd>(x: f32) -> f32 {
    let SingleInverseSine { is_large, w, rest } = SingleInverseSine::new::<M>(x);
    let is_left = x < 0.0;
    let (end, end_error) = if is_left { (PI, PI_ERROR) } else { (0.0, 0.0) };
    let (base, base_error) = if is_large { (end, end_error) } else { (FRAC_PI_2, FRAC_PI_2_ERROR) };
    let twice = if is_left { -2.0 } else { 2.0 };
    let factor = if is_large { twice } else { -1.0 };
    sum_of_parts(base, base_error, factor * w, factor * rest)
}
