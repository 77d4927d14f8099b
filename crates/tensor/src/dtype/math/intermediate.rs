//! Exponentials in double precision for `f32` results: with a relative error of `2⁻³²` or less.
//!
//! There are no subnormal arguments (an `f32` is a normal `f64` or zero), no results that overflow, and 20 bits to
//! spare, so that nothing has to be split or compensated.

use super::MulAdd;
use std::f64::consts::{LN_2, LOG2_E};

/// Added to a small number, it leaves the nearest integer in the last bits.
pub(super) const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;

const ONE: u64 = 1f64.to_bits();

/// Returns the exponential of a number between -700 and 700, or a NaN.
#[inline(always)]
pub(super) fn exp<M: MulAdd>(x: f64) -> f64 {
    let shifted = M::mul_add_f64(x, LOG2_E, SHIFT);
    let r = M::mul_add_f64(shifted - SHIFT, -LN_2, x);
    // (exp(r) - 1 - r) / r² for |r| ≤ 0.347, with a relative error of 2⁻³² to exp(r) - 1.
    let q = horner!(
        M::mul_add_f64, r;
        0.500_000_004_671_629_7,
        0.166_666_668_192_825_44,
        0.041_666_353_219_307_49,
        0.008_333_272_544_314_664,
        0.001_394_113_029_582_026_5,
        0.000_199_144_466_761_198_33,
    );
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(ONE));
    M::mul_add_f64(power, M::mul_add_f64(r * r, q, r), power)
}
