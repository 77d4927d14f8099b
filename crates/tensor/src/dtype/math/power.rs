//! Powers of `f32`: `exp(y log(x))`, with double-precision intermediates.

use super::{MulAdd, intermediate};

const SIGN: u32 = 1 << 31;

/// Returns `x` to the power of `y`, with the special cases of the C standard.
#[inline(always)]
pub(crate) fn power_fused<M: MulAdd>(x: f32, y: f32) -> f32 {
    let magnitude = x.abs();
    let log = intermediate::ln::<M>(magnitude as f64);
    let bits = magnitude.to_bits();
    let log = if bits == 0 { f64::NEG_INFINITY } else { log };
    let log = if bits == f32::INFINITY.to_bits() { f64::INFINITY } else { log };
    let product = y as f64 * log;
    // Outside of these bounds the result is infinite or zero, as it is at them.
    let product = if -200.0 > product { -200.0 } else { product };
    let product = if 200.0 < product { 200.0 } else { product };
    let value = intermediate::exp::<M>(product) as f32;
    // One to the power of an infinity is one.
    let value = if magnitude == 1.0 { 1.0 } else { value };

    let Parity { is_integer, is_odd } = Parity::new(y);
    let sign = if is_odd { x.to_bits() & SIGN } else { 0 };
    let value = f32::from_bits(value.to_bits() ^ sign);
    // Negative, finite and not zero.
    let is_negative = x.to_bits().wrapping_sub(SIGN + 1) < f32::INFINITY.to_bits() - 1;
    let is_nan = x.is_nan() | y.is_nan() | is_negative & !is_integer;
    let value = if is_nan { f32::NAN } else { value };
    if (y == 0.0) | (x == 1.0) { 1.0 } else { value }
}

#[derive(Clone, Copy)]
struct Parity {
    is_integer: bool,
    is_odd: bool,
}

impl Parity {
    /// Infinities count as even integers.
    #[inline(always)]
    fn new(y: f32) -> Parity {
        /// From here on every number is an integer, and from twice of it an even one.
        const LARGE: f32 = (1 << 23) as f32;
        let magnitude = y.abs();
        let is_small = magnitude < LARGE;
        // The last bit of a number between `LARGE` and twice of it counts ones.
        let shifted = if is_small { magnitude + LARGE } else { magnitude };
        let is_integer = (shifted - LARGE == magnitude) | !is_small;
        let is_odd = is_integer & (shifted.to_bits() & 1 == 1) & (magnitude < 2.0 * LARGE);
        Parity { is_integer, is_odd }
    }
}
