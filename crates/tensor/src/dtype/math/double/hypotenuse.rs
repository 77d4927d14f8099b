//! `sqrt(x² + y²)` of `f64` without intermediate overflow or underflow.
//!
//! Both numbers are scaled by a power of two such that the larger one is between 1 and 2, and their squares are added in two
//! parts. As in C99, an infinity counts more than a NaN.

use super::extended::Extended;
use super::logarithm::ln_of_sum;
use crate::dtype::MulAdd;

/// Returns the modulus of a complex number, with an error of 0.86 ULP.
#[inline(always)]
pub(crate) fn modulus<M: MulAdd>(x: f64, y: f64) -> f64 {
    let (square, unit) = scaled_square::<M>(x, y);
    infinite_if_a_part_is(x, y, square.rounded().sqrt() * unit)
}

/// The modulus after a step of Newton's method, with an error of 0.51 ULP. The step takes a division, which doubles the time.
#[inline(always)]
pub(crate) fn hypot<M: MulAdd>(x: f64, y: f64) -> f64 {
    let (square, unit) = scaled_square::<M>(x, y);
    let square = Extended::sum(square.high, square.low);
    let root = square.high.sqrt();
    let excess = M::product_error(root, root, square.high);
    let root_of_nonzero = root + (square.low - excess) * (0.5 / root);
    let root = if square.high == 0.0 { 0.0 } else { root_of_nonzero };
    infinite_if_a_part_is(x, y, root * unit)
}

/// Returns the natural logarithm of the modulus, which must be finite and not zero: half of that of its square.
#[inline(always)]
pub(crate) fn ln_norm<M: MulAdd>(x: f64, y: f64) -> f64 {
    /// An integer below it is converted to a float by setting its exponent bits.
    const TWO_POW_52: f64 = (1u64 << 52) as f64;

    let (square, unit) = scaled_square::<M>(x, y);
    let exponent =
        f64::from_bits(unit.to_bits() >> 52 | TWO_POW_52.to_bits()) - (TWO_POW_52 + 1023.0);
    0.5 * ln_of_sum::<M>(Extended::sum(square.high, square.low), 2.0 * exponent)
}

/// Returns `(x² + y²) / unit²`, and the power of two `unit`.
#[inline(always)]
fn scaled_square<M: MulAdd>(x: f64, y: f64) -> (Extended, f64) {
    const EXPONENT: u64 = 0x7ff << 52;
    /// Beyond these bounds, numbers are scaled as at them: it suffices that squares neither overflow nor underflow.
    const LEAST: f64 = f64::from_bits((1023 - 1000) << 52);
    const MOST: f64 = f64::from_bits((1023 + 1000) << 52);

    let (x, y) = (x.abs(), y.abs());
    let larger = if x > y { x } else { y };
    let smaller = if x > y { y } else { x };
    let bounded = if larger > LEAST { larger } else { LEAST };
    let bounded = if bounded < MOST { bounded } else { MOST };
    let power = bounded.to_bits() & EXPONENT;
    let scale = f64::from_bits((2046 << 52) - power);
    let (larger, smaller) = (larger * scale, smaller * scale);
    let a = Extended::product::<M>(larger, larger);
    let b = Extended::product::<M>(smaller, smaller);
    let sum = Extended::sum(a.high, b.high);
    (sum.plus(a.low + b.low), f64::from_bits(power))
}

#[inline(always)]
fn infinite_if_a_part_is(x: f64, y: f64, value: f64) -> f64 {
    let is_infinite = (x.abs() == f64::INFINITY) | (y.abs() == f64::INFINITY);
    if is_infinite { f64::INFINITY } else { value }
}
