//! Powers of `f32`, with double-precision intermediates.

use super::{MulAdd, intermediate};

/// Returns `x` to the power of `y`: `exp(y log |x|)`, with the special cases of the C standard.
#[inline(always)]
pub(crate) fn power_fused<M: MulAdd>(x: f32, y: f32) -> f32 {
    let magnitude = x.abs();
    let log = intermediate::ln::<M>(magnitude as f64);
    let log = if magnitude == 0.0 { f64::NEG_INFINITY } else { log };
    let log = if magnitude == f32::INFINITY { f64::INFINITY } else { log };
    let product = y as f64 * log;
    // Outside of these bounds the result is infinite or zero, as it is at them.
    let product = if -200.0 > product { -200.0 } else { product };
    let product = if 200.0 < product { 200.0 } else { product };
    let value = intermediate::exp::<M>(product) as f32;
    let value = if magnitude == 1.0 { 1.0 } else { value };

    let is_integer = is_integer(y);
    let is_odd = is_integer & !self::is_integer(0.5 * y);
    let value = if x.is_sign_negative() & is_odd { -value } else { value };
    let is_finite_negative = (x < 0.0) & (magnitude < f32::INFINITY);
    let value = if is_finite_negative & !is_integer { f32::NAN } else { value };
    let value = if x.is_nan() | y.is_nan() { f32::NAN } else { value };
    if (y == 0.0) | (x == 1.0) { 1.0 } else { value }
}

/// Whether a number is an integer. Infinities count as even integers.
#[inline(always)]
fn is_integer(x: f32) -> bool {
    /// From here on every number is an integer.
    const LARGE: f32 = (1 << 23) as f32;
    ((x.abs() + LARGE) - LARGE == x.abs()) | (x.abs() >= LARGE)
}
