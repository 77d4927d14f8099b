//! The cube root of `f64`.

use crate::dtype::MulAdd;

/// Returns the cube root, within 0.51 ULP.
///
/// As in `../cube_root.rs`, with a second step for `x^(-1/3)`, which leaves 36 bits, and the powers of the last step in two parts.
#[inline(always)]
pub(crate) fn cbrt<M: MulAdd>(x: f64) -> f64 {
    const TWO_POW_52: f64 = (1u64 << 52) as f64;
    /// The constant, without its last 32 bits, for a number to which `2⁵²` is added.
    const FIRST: f64 = 1_430_184_556.0 + TWO_POW_52 / 3.0 + TWO_POW_52;
    /// Smaller numbers are multiplied by `2⁵⁴`, because remainders underflow.
    const LEAST: f64 = f64::from_bits((1023 - 900) << 52);

    let magnitude = x.abs();
    let is_small = magnitude < LEAST;
    let v = if is_small { magnitude * (1u64 << 54) as f64 } else { magnitude };
    let last = if is_small { 1.0 / (1u64 << 18) as f64 } else { 1.0 };
    // An integer below 2⁵² is converted to a float, and back, by its exponent bits.
    let shifted = f64::from_bits(v.to_bits() >> 32 | TWO_POW_52.to_bits());
    let y = f64::from_bits(M::mul_add_f64(shifted, -1.0 / 3.0, FIRST).to_bits() << 32);
    let h = M::mul_add_f64(-v * y, y * y, 1.0);
    // ((1 - h)^(-1/3) - 1) / h for |h| ≤ 0.11, with an error of 2⁻¹⁸ relative to the power.
    let p = horner!(M::mul_add_f64, h; 0.333_325_65, 0.223_678, 0.174_999_42);
    let y = M::mul_add_f64(y * h, p, y);
    let h = M::mul_add_f64(-v * y, y * y, 1.0);
    let y = M::mul_add_f64(y * h, 1.0 / 3.0, y);
    let y_square = y * y;
    let t = v * y_square;
    let square = t * t;
    let square_low = M::product_error(t, t, square);
    let excess = M::mul_add_f64(square_low, t, M::mul_add_f64(square, t, -v));
    let value = M::mul_add_f64(excess * (-1.0 / 3.0), y_square, t) * last;
    // Infinities and NaNs stay as they are.
    let is_finite = magnitude.to_bits() < f64::INFINITY.to_bits();
    (if is_finite { value } else { x }).copysign(x)
}
