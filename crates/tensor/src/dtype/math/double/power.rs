//! Powers of `f64`: `exp(y log x)` with the logarithm and the product in two parts.

use super::exponential::{DoublePower, LN_2_HIGH, LN_2_LOW, between};
use super::extended::{Extended, ln_extended};
use crate::dtype::MulAdd;

/// Whether [`power_fast`] is accurate for the numbers: the base is positive, finite and normal, and the product of the
/// exponent with its logarithm does not overflow.
#[inline(always)]
pub(crate) fn power_in_fast_range(x: f64, y: f64) -> bool {
    (f64::MIN_POSITIVE..f64::INFINITY).contains(&x) & (y.abs() < 1e200)
}

/// Returns `x` to the power of `y`, with an error of at most 1.2 ULP: 0.7 ULP unless the logarithm of the result is large.
#[inline(always)]
pub(crate) fn power_fast<M: MulAdd>(x: f64, y: f64) -> f64 {
    power_from_logarithm::<M>(power_logarithm::<M>(x, y))
}

/// Returns the logarithm of the power in two parts.
#[inline(always)]
pub(crate) fn power_logarithm<M: MulAdd>(x: f64, y: f64) -> [f64; 2] {
    let Extended { high, low } = ln_extended::<M>(x).times::<M>(y);
    [high, low]
}

/// Returns the power with this logarithm.
#[inline(always)]
pub(crate) fn power_from_logarithm<M: MulAdd>([high, low]: [f64; 2]) -> f64 {
    exp_of_extended::<M>(Extended { high, low })
}

/// Returns the exponential of a sum.
#[inline(always)]
fn exp_of_extended<M: MulAdd>(x: Extended) -> f64 {
    // Outside of these bounds the result is infinite or zero, as it is at them.
    let low = if x.high.abs() < 800.0 { x.low } else { 0.0 };
    let bounded = between(-746.0, x.high, 711.0);
    DoublePower::exp::<M>(bounded, low).value(bounded > 0.0)
}

/// Returns `x` to the power of `y` for all numbers, with the special cases of the C standard: [`power_fast`] where that is
/// accurate. The standard library decides only where the result is exact.
pub(crate) fn power_fused<M: MulAdd>(x: f64, y: f64) -> f64 {
    const SCALE: f64 = (1u64 << 54) as f64;
    let magnitude = x.abs();
    // From 2⁵³ on every number is an even integer.
    let is_odd = y.abs() < 2.0 / f64::EPSILON && (0.5 * y).trunc() != 0.5 * y;
    let sign = match x < 0.0 {
        true if y.trunc() != y => return x.powf(y),
        true if is_odd => -1.0,
        _ => 1.0,
    };
    if power_in_fast_range(magnitude, y) {
        return sign * power_fast::<M>(magnitude, y);
    }
    if power_in_fast_range(magnitude * SCALE, y) && magnitude < f64::MIN_POSITIVE {
        let log = ln_extended::<M>(magnitude * SCALE);
        let log = Extended::sum(log.high - 54.0 * LN_2_HIGH, log.low - 54.0 * LN_2_LOW);
        return sign * exp_of_extended::<M>(log.times::<M>(y));
    }
    x.powf(y)
}
