//! Exponentials of `f64`: as in `../exponential.rs`, with more terms and without FMA.

use std::f64::consts::LOG2_E;

/// Added to a small number, it leaves the nearest integer in the last bits.
const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;

/// The first 41 bits of `ln 2`, and the rest of it.
const LN_2_HIGH: f64 = 0.693_147_180_559_663;
const LN_2_LOW: f64 = 2.823_529_056_303_157_7e-13;

/// The constant factors of `2ⁿ`, for small results and for large ones.
const SMALL: f64 = f64::from_bits((1023 - 600) << 52);
const LARGE: f64 = f64::from_bits((1023 + 600) << 52);

#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    // Outside of these bounds the result is infinite or zero, as it is at them.
    let x = if -746.0 > x { -746.0 } else { x };
    let x = if 710.0 < x { 710.0 } else { x };
    let shifted = x * LOG2_E + SHIFT;
    let n = shifted - SHIFT;
    let (high, low) = (x - n * LN_2_HIGH, -(n * LN_2_LOW));
    let r = high + low;
    // (exp(r) - 1 - r) / r² for |r| ≤ 0.3466, with a relative error of 2⁻⁵⁶ to exp(r).
    let q = r * 2.499_937_233_701_609e-8 + 2.763_022_466_373_324_7e-7;
    let q = r * q + 2.755_758_863_560_408_3e-6;
    let q = r * q + 2.480_149_316_984_413_7e-5;
    let q = r * q + 0.000_198_412_695_039_344_2;
    let q = r * q + 0.001_388_888_894_355_564_4;
    let q = r * q + 0.008_333_333_333_495_74;
    let q = r * q + 0.041_666_666_666_530_475;
    let q = r * q + 0.166_666_666_666_664_1;
    let q = r * q + 0.500_000_000_000_001_1;
    let sum = 1.0 + high;
    let lost = (1.0 - sum) + high;
    let mantissa = sum + (r * r * q + (lost + low));

    let last = if x > 0.0 { LARGE } else { SMALL };
    let one = 1f64.to_bits();
    let ratio = one.wrapping_sub(last.to_bits().wrapping_sub(one));
    mantissa * f64::from_bits((shifted.to_bits() << 52).wrapping_add(ratio)) * last
}

/// `1 / (1 + exp(-x))`, where the exponential never overflows.
#[inline(always)]
pub(crate) fn logistic(x: f64) -> f64 {
    let power = exp(-x.abs());
    let quotient = (if x < 0.0 { power } else { 1.0 }) / (1.0 + power);
    // The rounding errors of the sum and the quotient are scaled down with the term that is subtracted.
    if x < -1.0 { power - power * quotient } else { quotient }
}
