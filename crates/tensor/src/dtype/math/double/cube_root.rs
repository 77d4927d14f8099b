//! The cube root of `f64`.

use crate::dtype::MulAdd;

/// Returns the cube root, within 0.51 ULP.
///
/// For `x = 2³ᵏ v` with `v` between 1 and 8, a polynomial and one step of a third-order iteration give the reciprocal
/// `v^(-1/3)` with 33 bits, so that there is no division; then one step of Newton's method for `t³ = v`, with the powers in two parts.
#[inline(always)]
pub(crate) fn cbrt<M: MulAdd>(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    /// Subnormal numbers are multiplied by the cube of the reciprocal.
    const SMALL: f64 = 1.0 / (1u64 << 18) as f64;

    let magnitude = x.abs();
    let is_subnormal = magnitude < f64::MIN_POSITIVE;
    let normal = if is_subnormal { magnitude * (1u64 << 54) as f64 } else { magnitude };
    let last = if is_subnormal { SMALL } else { 1.0 };
    let bits = normal.to_bits();
    // The exponent divided by three, and the remainder. Its bias, 1023, is a multiple of three.
    let exponent = bits >> 52;
    let third = (exponent * 21_846) >> 16;
    let remainder = exponent - 3 * third;
    let m = f64::from_bits(bits & MANTISSA | 1023 << 52);
    let v = f64::from_bits(m.to_bits() + (remainder << 52));
    let root = if remainder == 1 { 0.793_700_525_984_099_8 } else { 1.0 };
    let root = if remainder == 2 { 0.629_960_524_947_436_6 } else { root };

    // `v^(-1/3)` for v between 1 and 2, with a relative error of 2⁻¹¹·⁹.
    let y = polynomial!(
        M::mul_add_f64, m;
        1.541_886_704_403_186,
        -0.809_959_469_915_439_8,
        0.317_756_415_420_115_96,
        -0.049_936_720_296_117_454,
    ) * root;
    let h = M::mul_add_f64(-v * y, y * y, 1.0);
    let y = M::mul_add_f64(y * h, M::mul_add_f64(h, 2.0 / 9.0, 1.0 / 3.0), y);
    let y_square = y * y;
    let t = v * y_square;
    let square = t * t;
    let square_low = M::product_error(t, t, square);
    let cube = square * t;
    let cube_low = M::product_error(square, t, cube);
    let excess = (cube - v) + M::mul_add_f64(square_low, t, cube_low);
    let t = M::mul_add_f64(excess * (-1.0 / 3.0), y_square, t);
    let value = t * f64::from_bits((third + (1023 - 341)) << 52) * last;
    let is_regular = (magnitude > 0.0) & (magnitude < f64::INFINITY);
    if is_regular { value.copysign(x) } else { x }
}
