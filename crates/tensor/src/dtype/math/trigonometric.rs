//! Sine, cosine and tangent of `f32`, for arguments up to a million ([`in_fast_range`]).
//!
//! Range reduction subtracts a multiple `n` of π or π/2 (Cody and Waite). Sine and cosine do it in double precision, where they have one polynomial. π is
//! split in two parts, the first of which has 33 bits, so that its product with `n` is exact while `n` has at most 20 bits. No `f32` up to
//! there is closer to a multiple of π/2 than `2⁻³⁰` of itself, and the second part leaves an error of `2⁻⁶⁶`. The tangent, which has
//! a division, is computed in single precision. Larger arguments need a table of the bits of 2/π (Payne and Hanek); the operations call
//! another function for them.

use super::MulAdd;
use super::intermediate::SHIFT;
use std::f64::consts::FRAC_1_PI;

const PI_HIGH: f64 = 3.141_592_653_468_251_2;
const PI_LOW: f64 = 1.215_420_101_301_238_4e-10;

/// The greatest argument of the functions of this file.
const LARGEST: f32 = (1 << 20) as f32;

/// Whether the functions of this file are accurate for the number. They are for a NaN, which stays one.
#[inline(always)]
pub(crate) fn in_fast_range(x: f32) -> bool {
    x.is_nan() || x.abs() <= LARGEST
}

#[inline(always)]
pub(crate) fn sin_fast<M: MulAdd>(x: f32) -> f32 {
    let x = x as f64;
    let shifted = M::mul_add_f64(x, FRAC_1_PI, SHIFT);
    reduced_sine::<M>(x, shifted - SHIFT, shifted.to_bits()) as f32
}

/// The cosine, as a sine reduced by the nearest odd multiple of π/2.
#[inline(always)]
pub(crate) fn cos_fast<M: MulAdd>(x: f32) -> f32 {
    let x = x as f64;
    let shifted = M::mul_add_f64(x, FRAC_1_PI, -0.5) + SHIFT;
    reduced_sine::<M>(x, (shifted - SHIFT) + 0.5, !shifted.to_bits()) as f32
}

/// Returns the sine of `x - n π`, negated if the last bit is set.
#[inline(always)]
fn reduced_sine<M: MulAdd>(x: f64, n: f64, bits: u64) -> f64 {
    let r = M::mul_add_f64(n, -PI_LOW, M::mul_add_f64(n, -PI_HIGH, x));
    // sin(r) = r + r³ p(r²) for |r| ≤ π/2, with a relative error of 2⁻³⁵.
    let square = r * r;
    let p = horner!(
        M::mul_add_f64, square;
        -0.166_666_666_261_244,
        0.008_333_331_107_416_344,
        -0.000_198_408_680_363_047_76,
        2.752_537_456_651_226_7e-6,
        -2.388_872_029_070_782e-8,
    );
    let sine = r * M::mul_add_f64(square, p, 1.0);
    f64::from_bits(sine.to_bits() ^ bits << 63)
}

/// The tangent after reduction by a multiple of π/2; its negative reciprocal if the multiple is odd. In single precision, with the
/// remainder, its tangent and the reciprocal in two parts.
#[inline(always)]
pub(crate) fn tan_fast<M: MulAdd>(x: f32) -> f32 {
    /// π/2 in three parts. The product of an integer with the first, subtracted from a number near it, is exact.
    const HALF_PI: [f32; 3] = [1.570_796_4, -4.371_139e-8, -1.715_124_5e-15];
    const SHIFT: f32 = 1.5 * (1 << 23) as f32;

    let shifted = M::mul_add(x, std::f32::consts::FRAC_2_PI, SHIFT);
    let n = shifted - SHIFT;
    let first = M::mul_add(n, -HALF_PI[0], x);
    let second = n * HALF_PI[1];
    let second_low = M::mul_add(n, HALF_PI[1], -second);
    let r = first - second;
    let low = M::mul_add(n, -HALF_PI[2], ((first - r) - second) - second_low);
    // (tan(r) - r) / r⁵ - 0.333… / r², with a relative error of 2⁻²⁹ to tan(r). The rounded 2/π moves the nearest multiple: |r| ≤ 0.88.
    let square = r * r;
    let p = horner!(
        M::mul_add, square;
        0.133_339_05, 0.053_888_716, 0.022_398_973, 0.006_944_556_7, 0.007_536_895_6,
        -0.003_010_716, 0.002_968_847_3,
    );
    let cube = r * square;
    // What the square and the cube lose; the derivatives are about `1 + r²`, and 0.4 with respect to the cube.
    let cube_low = M::mul_add(r, M::mul_add(r, r, -square), M::mul_add(r, square, -cube));
    let rest = M::mul_add(0.4, cube_low, M::mul_add(square, low, low));
    let rest = M::mul_add(cube, 0.333_333_2, M::mul_add(cube * square, p, rest));
    let tangent = r + rest;
    let tangent_low = (r - tangent) + rest;
    let reciprocal = -1.0 / tangent;
    let left = M::mul_add(reciprocal, tangent_low, M::mul_add(reciprocal, tangent, 1.0));
    let cotangent = M::mul_add(reciprocal, left, reciprocal);
    let is_odd = shifted.to_bits() & 1 == 1;
    let value = if is_odd { cotangent } else { tangent };
    // Here the result is the argument, also its sign.
    if x.abs() < 1.0 / (1 << 14) as f32 { x } else { value }
}
