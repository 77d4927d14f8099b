//! Functions of `f32` whose results are rounded to half precision: [`MulAdd::IS_HALF`].
//!
//! Such a result has 11 bits, or 8. With a relative error of 2⁻¹⁹ it is nearly always rounded correctly and at most 0.51 ULP
//! away, so there are no sums in two parts, and polynomials are short. Arguments may be any `f32`: `bfloat16` has all exponents.
//! `tests/all/half_functions.rs` measures the errors for every argument.

use super::exponential::{LARGE, SHIFT, SMALL};
use super::{MulAdd, at_least, at_most};
use std::f32::consts::{FRAC_1_PI, FRAC_2_PI, FRAC_PI_2, LN_2, LOG2_E, LOG10_2, PI};

/// π in two parts, both positive: so zeros keep their sign when a multiple of zero is subtracted.
const PI_HIGH: f32 = 3.141_592_5;
const PI_LOW: f32 = 1.509_957_9e-7;

/// Returns `2^f`, for a number `f` between -½ and ½, with a relative error of 2⁻²³.
#[inline(always)]
fn power_of_two<M: MulAdd>(f: f32) -> f32 {
    horner!(M::mul_add, f; 1.0, 0.693_146_94, 0.240_221_16, 0.055_507_157, 0.009_675_77, 0.001_327_624_4)
}

/// Returns `2ⁿ p`, where `n` is in the last bits of `shifted` and has the sign of `x`.
#[inline(always)]
fn scaled(p: f32, shifted: f32, x: f32) -> f32 {
    let last = if x > 0.0 { LARGE } else { SMALL };
    let ratio = (2 * 1f32.to_bits()).wrapping_sub(last.to_bits());
    p * f32::from_bits((shifted.to_bits() << 23).wrapping_add(ratio)) * last
}

#[inline(always)]
pub(super) fn exp<M: MulAdd>(x: f32) -> f32 {
    // Outside of these bounds the result is infinite or zero, as it is at them.
    let x = at_most(at_least(x, -104.5), 89.0);
    let shifted = M::mul_add(x, LOG2_E, SHIFT);
    let f = M::mul_add(x, LOG2_E, -(shifted - SHIFT));
    scaled(power_of_two::<M>(f), shifted, x)
}

#[inline(always)]
pub(super) fn exp2<M: MulAdd>(x: f32) -> f32 {
    let x = at_most(at_least(x, -151.0), 129.0);
    let shifted = x + SHIFT;
    scaled(power_of_two::<M>(x - (shifted - SHIFT)), shifted, x)
}

/// Returns `2ⁿ⁻¹` and `(exp(x) - 1) / 2`, for the integer `n` nearest to `x / ln 2`.
#[inline(always)]
fn half_exp_m1<M: MulAdd>(x: f32) -> (f32, f32) {
    let shifted = M::mul_add(x, LOG2_E, SHIFT);
    let r = M::mul_add(shifted - SHIFT, -LN_2, x);
    // (exp(r) - 1) / r for |r| ≤ 0.347, with a relative error of 2⁻²⁶.
    let q = horner!(
        M::mul_add, r;
        1.0, 0.499_999_97, 0.166_665_43, 0.041_667_204, 0.008_366_615, 0.001_388_250_4,
    );
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(0.5f32.to_bits()));
    (power, M::mul_add(power, r * q, power - 0.5))
}

#[inline(always)]
pub(super) fn exp_m1<M: MulAdd>(x: f32) -> f32 {
    // Outside of these bounds the result is infinite or -1, as it is at them.
    let (_, half) = half_exp_m1::<M>(at_most(at_least(x, -20.0), 89.0));
    (2.0 * half).copysign(x)
}

/// `(exp(2x) - 1) / (exp(2x) + 1)`.
#[inline(always)]
pub(super) fn tanh<M: MulAdd>(x: f32) -> f32 {
    // From 9.1 on the result is 1.
    let (_, half) = half_exp_m1::<M>(2.0 * at_most(x.abs(), 10.0));
    (half / (half + 1.0)).copysign(x)
}

/// The parts of `sinh(x)` and `cosh(x)`, see `hyperbolic.rs`.
#[derive(Clone, Copy)]
struct ShortSinhCosh {
    /// A quarter of `2ⁿ + 2⁻ⁿ`.
    sum: f32,
    /// A quarter of `2ⁿ - 2⁻ⁿ`.
    difference: f32,
    sinh: f32,
    cosh: f32,
}

impl ShortSinhCosh {
    #[inline(always)]
    fn new<M: MulAdd>(x: f32) -> ShortSinhCosh {
        const QUARTER: i32 = 0.25f32.to_bits() as i32;
        // From here on the result is infinite.
        let bounded = at_most(x.abs(), 89.5);
        let shifted = M::mul_add(bounded, LOG2_E, SHIFT);
        let r = M::mul_add(shifted - SHIFT, -LN_2, bounded);
        let square = r * r;
        // For |r| ≤ 0.347, with relative errors of 2⁻²³ and 2⁻²⁶.
        let cosh = horner!(M::mul_add, square; 1.0, 0.499_991_4, 0.041_899_182);
        let sinh = r * horner!(M::mul_add, square; 1.0, 0.166_665_42, 0.008_366_68);
        let exponent = (shifted.to_bits() << 23) as i32;
        let power = f32::from_bits(QUARTER.wrapping_add(exponent) as u32);
        // The inverse is zero where it would be subnormal.
        let inverse = QUARTER.wrapping_sub(exponent);
        let inverse = f32::from_bits(if inverse < 0 { 0 } else { inverse } as u32);
        ShortSinhCosh { sum: power + inverse, difference: power - inverse, sinh, cosh }
    }
}

#[inline(always)]
pub(super) fn sinh<M: MulAdd>(x: f32) -> f32 {
    let ShortSinhCosh { sum, difference, sinh, cosh } = ShortSinhCosh::new::<M>(x);
    (2.0 * M::mul_add(sum, sinh, difference * cosh)).copysign(x)
}

#[inline(always)]
pub(super) fn cosh<M: MulAdd>(x: f32) -> f32 {
    let ShortSinhCosh { sum, difference, sinh, cosh } = ShortSinhCosh::new::<M>(x);
    2.0 * M::mul_add(difference, sinh, sum * cosh)
}

/// The bits of the least `1 + f`, the unit of exponents and their bits, as in `logarithm.rs`.
const LEAST: u32 = 0.687_5f32.to_bits();
const EXPONENT_UNIT: f32 = 1.0 / (1 << 23) as f32;
const EXPONENT: u32 = 0xff80_0000;

/// Returns `n` and `f` for a number `2ⁿ (1 + f)`.
#[inline(always)]
fn normalized<M: MulAdd>(x: f32) -> (f32, f32) {
    let is_subnormal = x < f32::MIN_POSITIVE;
    let (normal, more) = if is_subnormal { (x * 8_388_608.0, -23.0) } else { (x, 0.0) };
    let exponent = normal.to_bits().wrapping_sub(LEAST) & EXPONENT;
    let f = f32::from_bits(normal.to_bits().wrapping_sub(exponent)) - 1.0;
    (M::mul_add(exponent as i32 as f32, EXPONENT_UNIT, more), f)
}

/// Returns `log(1 + f)` for `f` between -0.3125 and 0.375, with a relative error of 2⁻²⁰.
#[inline(always)]
fn ln_near_one<M: MulAdd>(f: f32) -> f32 {
    f * horner!(
        M::mul_add, f;
        1.000_000_5, -0.500_019_9, 0.333_236_2, -0.248_583_35, 0.202_147_35, -0.192_187_74, 0.141_333_94,
    )
}

#[inline(always)]
pub(super) fn ln<M: MulAdd>(x: f32) -> f32 {
    let (n, f) = normalized::<M>(x);
    or_special(M::mul_add(n, LN_2, ln_near_one::<M>(f)), x)
}

#[inline(always)]
pub(super) fn log2<M: MulAdd>(x: f32) -> f32 {
    let (n, f) = normalized::<M>(x);
    // log2(1 + f) / f, with a relative error of 2⁻²⁰.
    let q = horner!(
        M::mul_add, f;
        1.442_695_9, -0.721_376_24, 0.480_758_2, -0.358_629_97, 0.291_636_97, -0.277_268_3, 0.203_901_77,
    );
    or_special(M::mul_add(f, q, n), x)
}

#[inline(always)]
pub(super) fn log10<M: MulAdd>(x: f32) -> f32 {
    let (n, f) = normalized::<M>(x);
    // log10(1 + f) / f, with a relative error of 2⁻²⁰.
    let q = horner!(
        M::mul_add, f;
        0.434_294_7, -0.217_155_87, 0.144_722_64, -0.107_958_38, 0.087_791_47, -0.083_466_075, 0.061_380_547,
    );
    or_special(M::mul_add(n, LOG10_2, f * q), x)
}

#[inline(always)]
pub(super) fn ln_1p<M: MulAdd>(x: f32) -> f32 {
    or_special(ln_one_plus::<M>(x).copysign(x), 1.0 + x)
}

/// `log(1 + x)` for a number between 0 and 1. Not for a NaN.
#[inline(always)]
pub(super) fn ln_1p_of_fraction<M: MulAdd>(x: f32) -> f32 {
    ln_one_plus::<M>(x)
}

/// Returns `log(1 + x)` for a number above -1. The rounded sum `1 + x` only determines `n`: `f` is `x / 2ⁿ` minus `1 - 1/2ⁿ`.
#[inline(always)]
fn ln_one_plus<M: MulAdd>(x: f32) -> f32 {
    let exponent = (1.0 + x).to_bits().wrapping_sub(LEAST) & EXPONENT;
    let scaled = f32::from_bits(x.to_bits().wrapping_sub(exponent));
    // `4 / 2ⁿ`, which is a normal number for every `n`.
    let inverse = f32::from_bits(4f32.to_bits().wrapping_sub(exponent));
    let f = scaled - M::mul_add(inverse, -0.25, 1.0);
    M::mul_add(exponent as i32 as f32, LN_2 * EXPONENT_UNIT, ln_near_one::<M>(f))
}

/// Returns the logarithm where the argument is not a positive finite number, else `value`.
#[inline(always)]
fn or_special(value: f32, x: f32) -> f32 {
    super::logarithm::or_special(value, x)
}

/// Returns `sin(x - n π)`, negated if the last bit is set. The products with `n` and the first difference are exact.
#[inline(always)]
fn reduced_sine<M: MulAdd>(x: f32, n: f32, bits: u32) -> f32 {
    let r = M::mul_add(n, -PI_LOW, M::mul_add(n, -PI_HIGH, x));
    let square = r * r;
    // sin(r) / r for |r| ≤ π/2, with a relative error of 2⁻²⁰.
    let p =
        horner!(M::mul_add, square; 0.999_999_05, -0.166_655_42, 0.008_311_749, -0.000_184_834_93);
    let sine = r * p;
    f32::from_bits(sine.to_bits() ^ bits << 31)
}

#[inline(always)]
pub(super) fn sin_fast<M: MulAdd>(x: f32) -> f32 {
    let shifted = M::mul_add(x, FRAC_1_PI, SHIFT);
    reduced_sine::<M>(x, shifted - SHIFT, shifted.to_bits())
}

/// The cosine, as a sine reduced by the nearest odd multiple of π/2.
#[inline(always)]
pub(super) fn cos_fast<M: MulAdd>(x: f32) -> f32 {
    let shifted = M::mul_add(x, FRAC_1_PI, -0.5) + SHIFT;
    reduced_sine::<M>(x, (shifted - SHIFT) + 0.5, !shifted.to_bits())
}

/// The tangent after reduction by a multiple of π/2; its negative reciprocal if the multiple is odd.
#[inline(always)]
pub(super) fn tan_fast<M: MulAdd>(x: f32) -> f32 {
    let shifted = M::mul_add(x, FRAC_2_PI, SHIFT);
    let n = shifted - SHIFT;
    let r = M::mul_add(n, -0.5 * PI_LOW, M::mul_add(n, -0.5 * PI_HIGH, x));
    let square = r * r;
    // tan(r) / r for |r| ≤ 0.79, with a relative error of 2⁻²².
    let p = horner!(
        M::mul_add, square;
        0.999_999_76, 0.333_361_5, 0.132_818_79, 0.057_341_85, 0.012_200_058, 0.020_626_418,
    );
    let tangent = r * p;
    let is_odd = shifted.to_bits() & 1 == 1;
    let (above, below) = if is_odd { (-1.0, tangent) } else { (tangent, 1.0) };
    above / below
}

/// Returns `asin(w)` for a number of at most ½ and its square, with a relative error of 2⁻²³.
#[inline(always)]
fn asin_near_zero<M: MulAdd>(w: f32, square: f32) -> f32 {
    w * horner!(
        M::mul_add, square;
        1.000_000_1, 0.166_651_31, 0.075_471_535, 0.039_677_892, 0.050_592_024,
    )
}

/// The inverse sine; π/2 minus twice that of `√((1 - |x|) / 2)` if the number is large.
#[inline(always)]
pub(super) fn asin<M: MulAdd>(x: f32) -> f32 {
    let magnitude = x.abs();
    let is_large = magnitude > 0.5;
    let half = M::mul_add(-0.5, magnitude, 0.5);
    let w = if is_large { half.sqrt() } else { magnitude };
    let square = if is_large { half } else { magnitude * magnitude };
    let angle = asin_near_zero::<M>(w, square);
    (if is_large { M::mul_add(-2.0, angle, FRAC_PI_2) } else { angle }).copysign(x)
}

/// π/2 minus the inverse sine; if the number is large, twice that of the root, or π minus twice that.
#[inline(always)]
pub(super) fn acos<M: MulAdd>(x: f32) -> f32 {
    let magnitude = x.abs();
    let is_large = magnitude > 0.5;
    let half = M::mul_add(-0.5, magnitude, 0.5);
    let w = if is_large { half.sqrt() } else { magnitude };
    let square = if is_large { half } else { magnitude * magnitude };
    let angle = asin_near_zero::<M>(w, square);
    // The angle of the magnitude.
    let acute = if is_large { angle + angle } else { FRAC_PI_2 - angle };
    if x < 0.0 { PI - acute } else { acute }
}

/// The inverse tangent of the number, or π/2 minus that of its reciprocal.
#[inline(always)]
pub(super) fn atan<M: MulAdd>(x: f32) -> f32 {
    let magnitude = x.abs();
    let reciprocal = 1.0 / magnitude;
    let t = if reciprocal < magnitude { reciprocal } else { magnitude };
    let square = t * t;
    // atan(t) / t for 0 ≤ t ≤ 1, with a relative error of 2⁻²⁰.
    let angle = t
        * horner!(
            M::mul_add, square;
            0.999_999_34, -0.333_265_16, 0.198_814_82, -0.134_871_91, 0.083_871_19, -0.037_013, 0.007_863_377,
        );
    (if magnitude > 1.0 { FRAC_PI_2 - angle } else { angle }).copysign(x)
}

/// A polynomial up to ½; beyond, `log(x/2 + √(x² + 1)/2) + log 2`.
#[inline(always)]
pub(super) fn asinh<M: MulAdd>(x: f32) -> f32 {
    /// From here on the root counts as the number; the square does not overflow.
    const ROOT_BOUND: f32 = (1u64 << 60) as f32;
    let magnitude = x.abs();
    let square = magnitude * magnitude;
    let root = (square + 1.0).sqrt();
    let root = if magnitude > ROOT_BOUND { magnitude } else { root };
    let half = M::mul_add(0.5, magnitude, 0.5 * root);
    let exponent = half.to_bits().wrapping_sub(LEAST) & EXPONENT;
    let f = f32::from_bits(half.to_bits().wrapping_sub(exponent)) - 1.0;
    let n = M::mul_add(exponent as i32 as f32, EXPONENT_UNIT, 1.0);
    let far = M::mul_add(n, LN_2, ln_near_one::<M>(f));
    // asinh(x) / x for x ≤ ½, with a relative error of 2⁻²⁰.
    let p = horner!(M::mul_add, square; 0.999_999_4, -0.166_584_61, 0.073_280_714, -0.032_653_883);
    let value = if magnitude < 0.5 { magnitude * p } else { far };
    // Infinities and NaNs stay as they are.
    let is_finite = magnitude.to_bits() < f32::INFINITY.to_bits();
    (if is_finite { value } else { x }).copysign(x)
}

/// Half of `log(1 + 2x / (1 - x))`.
#[inline(always)]
pub(super) fn atanh<M: MulAdd>(x: f32) -> f32 {
    let magnitude = x.abs();
    let value = 0.5 * ln_one_plus::<M>((magnitude + magnitude) / (1.0 - magnitude));
    let bits = magnitude.to_bits();
    let special = if bits == 1f32.to_bits() { f32::INFINITY } else { f32::NAN };
    (if bits < 1f32.to_bits() { value } else { special }).copysign(x)
}

/// As in `cube_root.rs`, with a longer polynomial and without Newton's step.
#[inline(always)]
pub(super) fn cbrt<M: MulAdd>(x: f32) -> f32 {
    let super::cube_root::Start { v, y, h, last } = super::cube_root::Start::new::<M>(x);
    // ((1 - h)^(-1/3) - 1) / h for |h| ≤ 0.115, with an error of 2⁻²² relative to the power.
    let p = horner!(M::mul_add, h; 0.333_326_55, 0.222_211_91, 0.174_913_64, 0.146_259_95);
    let y = M::mul_add(y * h, p, y);
    super::cube_root::or_special(v * (y * y) * last, x)
}
