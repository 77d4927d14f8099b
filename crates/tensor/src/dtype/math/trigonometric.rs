//! Sine, cosine and tangent of `f32`, with double-precision intermediates.
//!
//! Range reduction subtracts a multiple `n` of π (Cody and Waite). π is split in two parts, the first of which has 33 bits,
//! so that its product with `n` is exact while `n` has at most 20 bits: for arguments up to three million
//! ([`in_fast_range`]). No `f32` up to there is closer to a multiple of π/2 than `2⁻³⁰` of itself, and the second part
//! leaves an error of `2⁻⁶⁶`. Larger arguments need a table of the bits of 2/π (Payne and Hanek); the operations call
//! another function for them.

use super::MulAdd;
use super::intermediate::SHIFT;
use std::f64::consts::{FRAC_1_PI, FRAC_2_PI};

const PI_HIGH: f64 = 3.141_592_653_468_251_2;
const PI_LOW: f64 = 1.215_420_101_301_238_4e-10;

/// Whether the functions of this file are accurate for the number. They are for a NaN, which stays one.
#[inline(always)]
pub(crate) fn in_fast_range(x: f32) -> bool {
    x.abs() <= 3e6 || x.is_nan()
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

/// The quotient of sine and cosine after reduction by a multiple of π/2; its negative reciprocal if the multiple is odd.
#[inline(always)]
pub(crate) fn tan_fast<M: MulAdd>(x: f32) -> f32 {
    let wide = x as f64;
    let shifted = M::mul_add_f64(wide, FRAC_2_PI, SHIFT);
    let n = shifted - SHIFT;
    let r = M::mul_add_f64(n, -PI_LOW / 2.0, M::mul_add_f64(n, -PI_HIGH / 2.0, wide));
    // For |r| ≤ π/4, with relative errors of 2⁻³⁷ and 2⁻³³.
    let square = r * r;
    let p = horner!(
        M::mul_add_f64, square;
        -0.166_666_666_414_406_58,
        0.008_333_329_362_932_315,
        -0.000_198_393_271_797_089_42,
        2.718_236_829_818_293e-6,
    );
    let sine = M::mul_add_f64(r * square, p, r);
    let q = horner!(
        M::mul_add_f64, square;
        -0.5,
        0.041_666_646_765_581_95,
        -0.001_388_736_199_361_642_2,
        2.443_776_912_926_532e-5,
    );
    let cosine = M::mul_add_f64(q, square, 1.0);
    let is_odd = shifted.to_bits() & 1 == 1;
    let (above, below) = if is_odd { (-cosine, sine) } else { (sine, cosine) };
    let value = (above / below) as f32;
    // Here the result is the argument, also its sign.
    if x.abs() < 1.0 / (1 << 14) as f32 { x } else { value }
}
