//! Inverse trigonometric functions of `f32`: as in `double/inverse_trigonometric.rs`, with fewer terms, and a series of the inverse tangent for
//! arguments up to 1.

use super::{MulAdd, RECIPROCAL_BITS};
use std::f32::consts::{FRAC_PI_2, PI};

/// The rounding errors of `FRAC_PI_2` and `PI`.
const FRAC_PI_2_ERROR: f32 = -4.371_139e-8;
const PI_ERROR: f32 = -8.742_278e-8;

/// Returns `base + t + rest`, where `base` is zero or not smaller than `t`.
#[inline(always)]
fn sum_of_parts(base: f32, t: f32, rest: f32) -> f32 {
    let high = base + t;
    let low = (base - high) + t;
    high + (low + rest)
}

/// Returns `atan(t) - t + constant` for `0 ≤ t ≤ 1`, where `t` has lost `low` by rounding, and the constant is small.
#[inline(always)]
fn atan_tail<M: MulAdd>(t: f32, low: f32, constant: f32) -> f32 {
    const FIRST: f32 = -0.333_332_93;
    let square = t * t;
    let cube = t * square;
    // (atan(t) - t - FIRST t³) / t⁵, with a relative error of 2⁻²⁸ to atan(t). The result for 1 is exact.
    let p = horner!(
        M::mul_add, square;
        0.199_983_18, -0.142_614_78, 0.109_362_91, -0.083_532_28, 0.057_038_337, -0.030_206_729,
        0.010_365_435, -0.001_664_975_8,
    );
    // What the square and the cube lose, times a derivative near -1/4; and `low` times `1 / (1 + t²)`, which is near `1 - t²/2`.
    let cube_low = M::mul_add(t, M::mul_add(t, t, -square), M::mul_add(t, square, -cube));
    let rest = M::mul_add(-0.25, cube_low, M::mul_add(-0.5 * square, low, low + constant));
    M::mul_add(cube, FIRST, M::mul_add(cube * square, p, rest))
}

/// A condition as bits that are all set or all zero. Selections by it are no branches, around which a compiler would evaluate polynomials twice.
#[derive(Clone, Copy)]
struct Mask(u32);

impl Mask {
    /// Whether the sign of a number is negative.
    #[inline(always)]
    fn is_negative(x: f32) -> Mask {
        Mask((x.to_bits() as i32 >> 31) as u32)
    }

    /// Returns the number, or zero if the condition does not hold.
    #[inline(always)]
    fn select(self, x: f32) -> f32 {
        f32::from_bits(x.to_bits() & self.0)
    }

    /// Returns the number, negated if the condition holds.
    #[inline(always)]
    fn negate(self, x: f32) -> f32 {
        f32::from_bits(x.to_bits() ^ (self.0 << 31))
    }
}

/// The inverse tangent of the number, or π/2 minus that of its reciprocal.
#[inline(always)]
pub(crate) fn atan<M: MulAdd>(x: f32) -> f32 {
    /// From here on the result is π/2.
    const LARGE: f32 = (1 << 30) as f32;
    let magnitude = x.abs();
    let bounded = if LARGE < magnitude { LARGE } else { magnitude };
    let reciprocal = 1.0 / bounded;
    let low = M::mul_add(-reciprocal, bounded, 1.0) * reciprocal;
    let t = if reciprocal < bounded { reciprocal } else { bounded };
    let is_steep = Mask::is_negative(1.0 - bounded);
    // With the sign of `rest`.
    let base_error = is_steep.select(-FRAC_PI_2_ERROR);
    let rest = atan_tail::<M>(t, is_steep.select(low), base_error);
    let base = is_steep.select(FRAC_PI_2);
    sum_of_parts(base, is_steep.negate(t), is_steep.negate(rest)).copysign(x)
}

/// Returns the angle of the point `(x, y)`, with the special cases of the C standard.
#[inline(always)]
pub(crate) fn atan2<M: MulAdd>(y: f32, x: f32) -> f32 {
    const EXPONENT: u32 = 0xff << 23;
    /// The power of two of a number beyond these bounds counts as that of the bound.
    const LEAST: u32 = 1 << 23;
    const MOST: u32 = 253 << 23;
    /// Below, what a quotient loses by rounding is not computed: it may underflow.
    const TINY: f32 = f32::from_bits((127 - 90) << 23);

    let (across, along) = (y.abs(), x.abs());
    let less = if across < along { across } else { along };
    let more = if across > along { across } else { along };
    let quotient = less / more;
    // What the quotient loses: the remainder, divided by the greater number. Four bits of that suffice.
    let exponent = (more.to_bits() & EXPONENT).clamp(LEAST, MOST);
    let scale = f32::from_bits((254 << 23) - exponent);
    let scaled = more * scale;
    let remainder = M::mul_add(-quotient, scaled, less * scale);
    let low = remainder * f32::from_bits(RECIPROCAL_BITS.wrapping_sub(scaled.to_bits()));
    let low = if quotient > TINY { low } else { 0.0 };
    // If both are infinite or zero, they count as equal.
    let is_equal = less == more;
    let equal = if more == 0.0 { 0.0 } else { 1.0 };
    let t = if is_equal { equal } else { quotient };
    let low = if is_equal { 0.0 } else { low };
    let is_left = Mask::is_negative(x);
    let is_steep = Mask(((along.to_bits() as i32 - across.to_bits() as i32) >> 31) as u32);
    let is_reversed = Mask(is_left.0 ^ is_steep.0);
    let select = |steep: f32, left: f32| {
        f32::from_bits(steep.to_bits() & is_steep.0 | is_left.select(left).to_bits() & !is_steep.0)
    };
    let (base, base_error) = (select(FRAC_PI_2, PI), select(FRAC_PI_2_ERROR, PI_ERROR));
    let rest = atan_tail::<M>(t, low, is_reversed.negate(base_error));
    let (t, rest) = (is_reversed.negate(t), is_reversed.negate(rest));
    let value = sum_of_parts(base, t, rest).copysign(y);
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
    sum_of_parts(base, factor * w, M::mul_add(factor, rest, base_error)).copysign(x)
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
    sum_of_parts(base, factor * w, M::mul_add(factor, rest, base_error))
}
