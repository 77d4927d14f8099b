//! The cube root of `f32`: as in `double/cube_root.rs`.

use super::MulAdd;

#[inline(always)]
pub(crate) fn cbrt<M: MulAdd>(x: f32) -> f32 {
    const MANTISSA: u32 = (1 << 23) - 1;
    /// Subnormal numbers are multiplied by the cube of the reciprocal.
    const SMALL: f32 = 1.0 / (1 << 8) as f32;

    let magnitude = x.abs();
    let is_subnormal = magnitude < f32::MIN_POSITIVE;
    let normal = if is_subnormal { magnitude * (1 << 24) as f32 } else { magnitude };
    let last = if is_subnormal { SMALL } else { 1.0 };
    let bits = normal.to_bits();
    // The exponent divided by three, and the remainder. Its bias, 127 + 2, is a multiple of three.
    let exponent = (bits >> 23) + 2;
    let third = (exponent * 171) >> 9;
    let remainder = exponent - 3 * third;
    let m = f32::from_bits(bits & MANTISSA | 127 << 23);
    let v = f32::from_bits(m.to_bits() + (remainder << 23));
    let root = if remainder == 1 { 0.793_700_5 } else { 1.0 };
    let root = if remainder == 2 { 0.629_960_5 } else { root };

    // v^(-1/3) for v between 1 and 2, with a relative error of 2⁻¹¹·⁹.
    let y = horner!(M::mul_add, m; 1.541_886_7, -0.809_959_5, 0.317_756_4, -0.049_936_72) * root;
    let h = M::mul_add(-v * y, y * y, 1.0);
    let y = M::mul_add(y * h, M::mul_add(h, 2.0 / 9.0, 1.0 / 3.0), y);
    let y_square = y * y;
    let t = v * y_square;
    let square = t * t;
    let square_low = M::mul_add(t, t, -square);
    let cube = square * t;
    let cube_low = M::mul_add(square, t, -cube);
    let excess = (cube - v) + M::mul_add(square_low, t, cube_low);
    let t = M::mul_add(excess * (-1.0 / 3.0), y_square, t);
    let value = t * f32::from_bits((third + (127 - 43)) << 23) * last;
    let is_regular = (magnitude > 0.0) & (magnitude < f32::INFINITY);
    if is_regular { value.copysign(x) } else { x }
}
