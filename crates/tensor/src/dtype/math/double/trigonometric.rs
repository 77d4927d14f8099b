//! Sine and cosine of `f64`: as in `../trigonometric.rs`, with more terms and π in three parts.

use std::f64::consts::FRAC_1_PI;

const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;

/// Two parts with 33 bits each, whose products with a number of 20 bits are exact, and the rest.
const PI: [f64; 3] =
    [3.141_592_653_468_251_2, 1.215_420_101_260_793_2e-10, 4.044_532_497_591_901e-21];

/// Whether the functions of this file are accurate for the number. They are for a NaN, which stays one.
#[inline(always)]
pub(crate) fn in_fast_range(x: f64) -> bool {
    x.abs() <= 3e6 || x.is_nan()
}

#[inline(always)]
pub(crate) fn sin_fast(x: f64) -> f64 {
    let shifted = x * FRAC_1_PI + SHIFT;
    reduced_sine(x, shifted - SHIFT, shifted.to_bits())
}

/// The cosine, as a sine reduced by the nearest odd multiple of π/2.
#[inline(always)]
pub(crate) fn cos_fast(x: f64) -> f64 {
    let shifted = (x * FRAC_1_PI - 0.5) + SHIFT;
    reduced_sine(x, (shifted - SHIFT) + 0.5, !shifted.to_bits())
}

/// Returns the sine of `x - n π`, negated if the last bit is set.
#[inline(always)]
fn reduced_sine(x: f64, n: f64, bits: u64) -> f64 {
    // The first subtraction is exact. The rounding errors of the others are `low`.
    let (first, second, third) = (x - n * PI[0], n * PI[1], n * PI[2]);
    let middle = first - second;
    let r = middle - third;
    let low = ((first - middle) - second) + ((middle - r) - third);
    // sin(r) = r + r³ p(r²) for |r| ≤ π/2, with a relative error of 2⁻⁵⁷.
    let square = r * r;
    let p = square * 2.721_182_358_820_045e-15 - 7.642_992_260_965_007e-13;
    let p = square * p + 1.605_893_973_815_18e-10;
    let p = square * p - 2.505_210_687_349_18e-8;
    let p = square * p + 2.755_731_921_114_524_6e-6;
    let p = square * p - 0.000_198_412_698_412_092_67;
    let p = square * p + 0.008_333_333_333_333_194;
    let p = square * p - 0.166_666_666_666_666_66;
    // sin(r + low) ≈ sin(r) + low cos(r).
    let sine = r + (r * (square * p) + low * (1.0 - 0.5 * square));
    // A zero keeps its sign.
    let sine = if x == 0.0 && n == 0.0 { x } else { sine };
    f64::from_bits(sine.to_bits() ^ bits << 63)
}
