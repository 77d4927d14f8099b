//! Inverse hyperbolic functions of `f64`: logarithms of sums and quotients in two parts, with errors below 0.6 ULP.

use super::extended::{Extended, ln_extended};
use crate::dtype::BaselineFma;

/// Beyond this number, its square plus or minus one is its square.
const LARGE: f64 = (1u64 << 28) as f64;

/// Below this number, each function but `acosh` is its argument.
const SMALL: f64 = 1.0 / (1u64 << 28) as f64;

pub(crate) fn asinh(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude < SMALL || !magnitude.is_finite() {
        return x;
    }
    if magnitude > LARGE {
        return ln_extended::<BaselineFma>(magnitude, 1.0).rounded().copysign(x);
    }
    let square = Extended::product::<BaselineFma>(magnitude, magnitude);
    let sum = match magnitude < 1.0 {
        true => Extended::sum(1.0, square.high),
        false => Extended::sum(square.high, 1.0),
    };
    let root = sqrt_extended(sum.plus(square.low));
    let sum = Extended::sum(root.high, magnitude).plus(root.low);
    ln_of(sum).rounded().copysign(x)
}

pub(crate) fn acosh(x: f64) -> f64 {
    if x < 1.0 {
        return f64::NAN;
    }
    if x == 1.0 {
        return 0.0;
    }
    if !x.is_finite() {
        return x;
    }
    if x > LARGE {
        return ln_extended::<BaselineFma>(x, 1.0).rounded();
    }
    let square = Extended::product::<BaselineFma>(x, x);
    let root = sqrt_extended(Extended::sum(square.high, -1.0).plus(square.low));
    let sum = Extended::sum(x, root.high).plus(root.low);
    ln_of(sum).rounded()
}

/// `log((1 + x) / (1 - x)) / 2`.
pub(crate) fn atanh(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude < SMALL || x.is_nan() {
        return x;
    }
    if magnitude >= 1.0 {
        return if magnitude == 1.0 { f64::INFINITY.copysign(x) } else { f64::NAN };
    }
    let (above, below) = (Extended::sum(1.0, magnitude), Extended::sum(1.0, -magnitude));
    let high = above.high / below.high;
    let product = Extended::product::<BaselineFma>(high, below.high);
    let left = (above.high - product.high) - product.low;
    let low = (left + (above.low - high * below.low)) / below.high;
    let log = ln_of(Extended { high, low });
    (0.5 * log.rounded()).copysign(x)
}

/// Returns the square root of a positive sum.
fn sqrt_extended(x: Extended) -> Extended {
    let high = x.high.sqrt();
    let square = Extended::product::<BaselineFma>(high, high);
    Extended { high, low: (((x.high - square.high) - square.low) + x.low) / (2.0 * high) }
}

/// Returns the logarithm of a sum: the low part adds its quotient by the high one.
fn ln_of(x: Extended) -> Extended {
    let log = ln_extended::<BaselineFma>(x.high, 0.0);
    Extended::sum(log.high, log.low + x.low / x.high)
}
