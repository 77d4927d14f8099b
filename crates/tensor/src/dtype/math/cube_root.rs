//! The cube root of `f32`.

use super::MulAdd;

/// The argument scaled, and an estimate.
///
/// A third of the bits, subtracted from a constant, are those of `x^(-1/3)` with a relative error of 4 %.
#[derive(Clone, Copy)]
pub(super) struct Start {
    /// The magnitude, scaled if it is small.
    pub(super) v: f32,
    /// Nearly `v^(-1/3)`.
    pub(super) y: f32,
    /// The error of its cube, relative to `1 / v`: at most 0.115.
    pub(super) h: f32,
    /// The factor of the result.
    pub(super) last: f32,
}

impl Start {
    #[inline(always)]
    pub(super) fn new<M: MulAdd>(x: f32) -> Start {
        const TWO_POW_23: f32 = (1 << 23) as f32;
        /// The constant, without its last eight bits, for a number to which `2²³` is added.
        const FIRST: f32 = 5_546_430.0 + TWO_POW_23 / 3.0 + TWO_POW_23;
        /// Smaller numbers are multiplied by `2²⁴`, because remainders underflow.
        const LEAST: f32 = f32::from_bits((127 - 100) << 23);

        let magnitude = x.abs();
        let is_small = magnitude < LEAST;
        let v = if is_small { magnitude * (1 << 24) as f32 } else { magnitude };
        let last = if is_small { 1.0 / (1 << 8) as f32 } else { 1.0 };
        // An integer below 2²³ is converted to a float, and back, by its exponent bits.
        let shifted = f32::from_bits(v.to_bits() >> 8 | TWO_POW_23.to_bits());
        let y = f32::from_bits(M::mul_add(shifted, -1.0 / 3.0, FIRST).to_bits() << 8);
        Start { v, y, h: M::mul_add(-v * y, y * y, 1.0), last }
    }
}

/// Returns `value` with the sign of `x`, or `x` if that is an infinity or a NaN.
#[inline(always)]
pub(super) fn or_special(value: f32, x: f32) -> f32 {
    let is_finite = x.abs().to_bits() < f32::INFINITY.to_bits();
    (if is_finite { value } else { x }).copysign(x)
}

/// Returns the cube root: a polynomial in the error of the estimate leaves 18 bits, then one step of Newton's method for
/// `t³ = x`.
#[inline(always)]
pub(crate) fn cbrt<M: MulAdd>(x: f32) -> f32 {
    let Start { v, y, h, last } = Start::new::<M>(x);
    // ((1 - h)^(-1/3) - 1) / h for |h| ≤ 0.11, with an error of 2⁻¹⁸ relative to the power.
    let p = horner!(M::mul_add, h; 0.333_325_65, 0.223_678, 0.174_999_42);
    let y = M::mul_add(y * h, p, y);
    let y_square = y * y;
    let t = v * y_square;
    let excess = M::mul_add(t * t, t, -v);
    or_special(M::mul_add(excess * (-1.0 / 3.0), y_square, t) * last, x)
}
