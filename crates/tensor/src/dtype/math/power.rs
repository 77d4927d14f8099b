//! Powers of `f32`, with double-precision intermediates.

use super::intermediate::{self, SHIFT};
use std::f64::consts::LN_2;

/// Returns `x` to the power of `y`: `exp(y log |x|)`, with the special cases of the C standard.
#[inline(always)]
pub(crate) fn power(x: f32, y: f32) -> f32 {
    let magnitude = x.abs();
    let (n, rest) = intermediate::logarithm(magnitude as f64);
    let log = rest + n * LN_2;
    let log = if magnitude == 0.0 { f64::NEG_INFINITY } else { log };
    let log = if magnitude == f32::INFINITY { f64::INFINITY } else { log };
    let product = y as f64 * log;
    // Outside of these bounds the result is infinite or zero, as it is at them.
    let product = if -200.0 > product { -200.0 } else { product };
    let product = if 200.0 < product { 200.0 } else { product };
    let value = intermediate::exp(product) as f32;
    let value = if magnitude == 1.0 { 1.0 } else { value };

    let is_integer = is_integer(y as f64);
    let is_odd = is_integer & !self::is_integer(0.5 * y as f64);
    let value = if x.is_sign_negative() & is_odd { -value } else { value };
    let is_finite_negative = (x < 0.0) & (magnitude < f32::INFINITY);
    let value = if is_finite_negative & !is_integer { f32::NAN } else { value };
    let value = if x.is_nan() | y.is_nan() { f32::NAN } else { value };
    if (y == 0.0) | (x == 1.0) { 1.0 } else { value }
}

/// Whether a number is an integer. Infinities count as even integers.
#[inline(always)]
fn is_integer(x: f64) -> bool {
    // Numbers from `SHIFT` on are integers, and the sum would round them.
    ((x.abs() + SHIFT) - SHIFT == x.abs()) | (x.abs() >= SHIFT)
}
