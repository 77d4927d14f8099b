//! Hyperbolic functions of `f32`.
//!
//! With `x = n ln 2 + r` as in `exponential.rs`, the exponential functions of `x` are sums of `2ⁿ` and `2⁻ⁿ`, times `cosh(r)` and `sinh(r)`.
//! The leading terms of such a sum have two parts, the others are below 0.07. No division is needed but that of `tanh`.

use super::exponential::{LN_2_HIGH, LN_2_LOW, SHIFT};
use super::logarithm::ln_of_sum;
use super::{MulAdd, RECIPROCAL_BITS, at_least, at_most};
use std::f32::consts::{LN_2, LOG2_E};

/// Returns `base + factor · r + rest`. The product has at most the magnitude of `base`, which may be zero.
#[inline(always)]
fn sum_with_product<M: MulAdd>(base: f32, factor: f32, r: f32, rest: f32) -> f32 {
    let high = M::mul_add(factor, r, base);
    let low = M::mul_add(factor, r, base - high);
    high + (low + rest)
}

/// `exp(x) - 1`, as `2ⁿ - 1 + 2ⁿ (exp(r) - 1)`; half of it, which does not overflow.
#[inline(always)]
pub(crate) fn exp_m1<M: MulAdd>(x: f32) -> f32 {
    // Outside of these bounds the result is infinite or -1, as it is at them.
    let bounded = at_most(at_least(x, -20.0), 89.0);
    let shifted = M::mul_add(bounded, LOG2_E, SHIFT);
    let n = shifted - SHIFT;
    let high = M::mul_add(n, -LN_2_HIGH, bounded);
    let low = n * -LN_2_LOW;
    let r = high + low;
    // (exp(r) - 1 - r) / r² for |r| ≤ 0.347, with a relative error of 2⁻³¹ to exp(r) - 1.
    let q = horner!(
        M::mul_add, r;
        0.5, 0.166_666_66, 0.041_666_493, 0.008_333_543, 0.001_393_238, 0.000_197_643_87,
    );
    let rest = M::mul_add(r * r, q, low);
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(0.5f32.to_bits()));
    let less = power - 0.5;
    // What the difference loses, if it is large.
    let lost = (power - less) - 0.5;
    let half = sum_with_product::<M>(less, power, high, M::mul_add(power, rest, lost));
    // Here the result is the argument, and half of it may not be a number.
    let value = if x.abs() < TINY { x } else { 2.0 * half };
    value.copysign(x)
}

/// Below this number, the functions that are odd, and `exp(x) - 1`, are their argument.
const TINY: f32 = 1.0 / (1 << 26) as f32;

/// The parts of `sinh(x)` and `cosh(x)`, for a number that is not negative.
#[derive(Clone, Copy)]
struct SinhCosh {
    /// A quarter of `2ⁿ`.
    power: f32,
    /// A quarter of `2⁻ⁿ`, or zero.
    inverse: f32,
    r: f32,
    /// `sinh(r) - r`.
    sinh: f32,
    /// `cosh(r) - 1`.
    cosh: f32,
}

impl SinhCosh {
    #[inline(always)]
    fn new<M: MulAdd>(x: f32) -> SinhCosh {
        const QUARTER: i32 = 0.25f32.to_bits() as i32;
        // From here on the result is infinite.
        let bounded = at_most(x, 89.5);
        let shifted = M::mul_add(bounded, LOG2_E, SHIFT);
        let n = shifted - SHIFT;
        let high = M::mul_add(n, -LN_2_HIGH, bounded);
        let low = n * -LN_2_LOW;
        let r = high + low;
        let square = r * r;
        // (cosh(r) - 1) / r² for |r| ≤ 0.347, with a relative error of 2⁻³³ to cosh(r).
        let c = horner!(M::mul_add, square; 0.5, 0.041_666_46, 0.001_393_546_6);
        // (sinh(r) - r) / r³, with a relative error of 2⁻³⁴ to sinh(r).
        let s = horner!(M::mul_add, square; 0.166_666_67, 0.008_333_175, 0.000_199_739_88);

        let exponent = (shifted.to_bits() << 23) as i32;
        let power = f32::from_bits(QUARTER.wrapping_add(exponent) as u32);
        // The inverse is zero where it would be subnormal.
        let inverse = QUARTER.wrapping_sub(exponent);
        let inverse = f32::from_bits(if inverse < 0 { 0 } else { inverse } as u32);
        SinhCosh { power, inverse, r: high, sinh: M::mul_add(square * r, s, low), cosh: square * c }
    }
}

/// `sinh(x)`, as `(2ⁿ - 2⁻ⁿ)/2 cosh(r) + (2ⁿ + 2⁻ⁿ)/2 sinh(r)`.
#[inline(always)]
pub(crate) fn sinh<M: MulAdd>(x: f32) -> f32 {
    let SinhCosh { power, inverse, r, sinh, cosh } = SinhCosh::new::<M>(x.abs());
    let (sum, difference) = (power + inverse, power - inverse);
    let lost = (power - difference) - inverse;
    let rest = M::mul_add(difference, cosh, M::mul_add(sum, sinh, lost));
    let half = sum_with_product::<M>(difference, sum, r, rest);
    (if x.abs() < TINY { x } else { 2.0 * half }).copysign(x)
}

/// `cosh(x)`, as `(2ⁿ + 2⁻ⁿ)/2 cosh(r) + (2ⁿ - 2⁻ⁿ)/2 sinh(r)`.
#[inline(always)]
pub(crate) fn cosh<M: MulAdd>(x: f32) -> f32 {
    let SinhCosh { power, inverse, r, sinh, cosh } = SinhCosh::new::<M>(x.abs());
    let (sum, difference) = (power + inverse, power - inverse);
    let lost = (power - sum) + inverse;
    let rest = M::mul_add(sum, cosh, M::mul_add(difference, sinh, lost));
    2.0 * sum_with_product::<M>(sum, difference, r, rest)
}

/// `tanh(x)`: a polynomial up to 0.9; beyond, `1 - 2 / (exp(2x) + 1)`.
#[inline(always)]
pub(crate) fn tanh<M: MulAdd>(x: f32) -> f32 {
    const BOUND: f32 = 0.9;
    let magnitude = x.abs();
    let square = magnitude * magnitude;
    // (tanh(x) - x) / x³, with a relative error of 2⁻²⁹ to tanh(x).
    let p = horner!(
        M::mul_add, square;
        -0.333_333_22, 0.133_329_81, -0.053_929_474, 0.021_664_092, -0.008_265_454, 0.002_583_423_2,
        -0.000_455_708_1,
    );
    let near = M::mul_add(square * magnitude, p, magnitude);

    // From 9.1 on the result is 1.
    let twice = 2.0 * at_most(magnitude, 10.0);
    let shifted = M::mul_add(twice, LOG2_E, SHIFT);
    let r = M::mul_add(shifted - SHIFT, -LN_2, twice);
    // (exp(r) - 1) / r for |r| ≤ 0.347, with an error of 2⁻²⁸ relative to exp(r).
    let q =
        horner!(M::mul_add, r; 1.0, 0.5, 0.166_665_2, 0.041_666_385, 0.008_368_861, 0.001_394_222);
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1f32.to_bits()));
    let far = 1.0 - 2.0 / M::mul_add(power * r, q, power + 1.0);
    (if magnitude < BOUND { near } else { far }).copysign(x)
}

/// Beyond this number, the root of its square plus or minus one counts as the number; its square does not overflow.
const LARGE: f32 = (1u64 << 60) as f32;

/// A polynomial up to ½; beyond, `log(x + √(x² + 1))`.
#[inline(always)]
pub(crate) fn asinh<M: MulAdd>(x: f32) -> f32 {
    const BOUND: f32 = 0.5;
    let magnitude = x.abs();
    let bounded = at_most(magnitude, LARGE);
    let square = bounded * bounded;
    let square_low = M::mul_add(bounded, bounded, -square);
    let greater = at_least(square, 1.0);
    let less = at_most(square, 1.0);
    let sum = greater + less;
    let sum_low = ((greater - sum) + less) + square_low;
    let (root, root_low) = sqrt_of_sum::<M>(sum, sum_low);
    let root = if root < magnitude { magnitude } else { root };
    let far = ln_of_root::<M>(root, root_low, magnitude);

    // (asinh(x) - x) / x³ for x ≤ ½, with a relative error of 2⁻²⁹ to asinh(x).
    let p = horner!(
        M::mul_add, square;
        -0.166_666_43, 0.074_986_406, -0.044_382_96, 0.028_161_08, -0.013_223_541,
    );
    let near = M::mul_add(square * magnitude, p, magnitude);
    let value = if magnitude < BOUND { near } else { far };
    // Infinities and NaNs stay as they are.
    let is_finite = magnitude.to_bits() < f32::INFINITY.to_bits();
    (if is_finite { value } else { x }).copysign(x)
}

/// `log(x + √(x² - 1))`.
#[inline(always)]
pub(crate) fn acosh<M: MulAdd>(x: f32) -> f32 {
    // `x² - 1` is `d² + 2d` with `d = x - 1`, which is exact near one.
    let d = at_most(x, LARGE) - 1.0;
    let square = d * d;
    let square_low = M::mul_add(d, d, -square);
    let twice = 2.0 * d;
    let greater = at_least(square, twice);
    let less = at_most(square, twice);
    let sum = greater + less;
    let sum_low = ((greater - sum) + less) + square_low;
    let (root, root_low) = sqrt_of_sum::<M>(sum, sum_low);
    let bits = x.to_bits();
    let root = if bits > LARGE.to_bits() { x } else { root };
    let value = ln_of_root::<M>(x, root_low, root);
    let is_regular = bits.wrapping_sub(1f32.to_bits()) < f32::INFINITY.to_bits() - 1f32.to_bits();
    let special = if bits == f32::INFINITY.to_bits() { x } else { f32::NAN };
    if is_regular { value } else { special }
}

/// Returns `log(a + b + low)`, where `b` is at most `a` in magnitude; the half of the sum does not overflow.
#[inline(always)]
fn ln_of_root<M: MulAdd>(a: f32, low: f32, b: f32) -> f32 {
    let half = 0.5 * a;
    let high = M::mul_add(0.5, b, half);
    let low = M::mul_add(0.5, low, M::mul_add(0.5, b, half - high));
    ln_of_sum::<M>(high, low, 1.0)
}

/// Returns the square root of a sum, and what it loses by rounding with a relative error of 1/25. The sum is not negative.
#[inline(always)]
pub(super) fn sqrt_of_sum<M: MulAdd>(high: f32, low: f32) -> (f32, f32) {
    /// Subtracted from it, half of the bits of a number are nearly those of the reciprocal of its square root.
    const ROOT_BITS: u32 = 0x5f37_59df;
    let root = high.sqrt();
    let reciprocal = f32::from_bits(ROOT_BITS.wrapping_sub(high.to_bits() >> 1));
    (root, 0.5 * reciprocal * (M::mul_add(-root, root, high) + low))
}

/// `log((1 + x) / (1 - x)) / 2`: with a power of two `2ⁿ` just below the quotient, `n ln 2 / 2` plus the series of `atanh` for
/// `s = (1 + x - 2ⁿ (1 - x)) / (1 + x + 2ⁿ (1 - x))`. Without the power of two, `s` is `x`.
#[inline(always)]
pub(crate) fn atanh<M: MulAdd>(x: f32) -> f32 {
    const EXPONENT: u32 = 0x1ff << 23;
    const MOST: u32 = 24 << 23;
    const UNIT: f32 = 1.0 / (1 << 23) as f32;
    /// The first 15 bits of `ln 2 / 2`, so that products with exponents are exact, and the rest.
    const HALF_LN_2_HIGH: f32 = 0.346_572_88;
    const HALF_LN_2_LOW: f32 = 7.143_034e-7;

    let magnitude = x.abs();
    // The difference of the bits is nearly that of the logarithms.
    let distance = (1.0 + magnitude).to_bits().wrapping_sub((1.0 - magnitude).to_bits());
    let exponent = distance & EXPONENT;
    // The difference of the greatest number below one is rounded; with this power, the sums below are exact.
    let exponent = if exponent > MOST { MOST } else { exponent };
    let power = f32::from_bits(exponent.wrapping_add(1f32.to_bits()));
    let n = exponent as i32 as f32;
    let less = 1.0 - power;
    let above = magnitude + M::mul_add(magnitude, power, less);
    let below = M::mul_add(magnitude, less, power) + 1.0;
    let s = above / below;
    // What the quotient loses: the remainder, divided by `below`. Four bits of that suffice.
    let reciprocal = f32::from_bits(RECIPROCAL_BITS.wrapping_sub(below.to_bits()));
    let s_low = M::mul_add(-s, below, above) * reciprocal;
    let square = s * s;
    // (atanh(s) - s) / s³ for |s| ≤ 0.365, with a relative error of 2⁻³¹ to atanh(s).
    let p = horner!(
        M::mul_add, square;
        0.333_333_46, 0.199_986_73, 0.143_296_94, 0.104_844_49, 0.129_961_54,
    );
    let base = n * (HALF_LN_2_HIGH * UNIT);
    let high = base + s;
    let low = M::mul_add(n, HALF_LN_2_LOW * UNIT, (base - high) + s) + s_low;
    let value = high + M::mul_add(s * square, p, low);
    let bits = magnitude.to_bits();
    let special = if bits == 1f32.to_bits() { f32::INFINITY } else { f32::NAN };
    (if bits < 1f32.to_bits() { value } else { special }).copysign(x)
}
