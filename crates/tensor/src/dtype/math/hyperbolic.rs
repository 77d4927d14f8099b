//! Hyperbolic functions of `f32`, with double-precision intermediates.
//!
//! They are computed from `exp(|x|) - 1`, which is accurate near zero; the sign is copied to the result.

use super::{at_least, at_most, intermediate};

/// `exp(x) - 1`.
#[inline(always)]
pub(crate) fn exp_m1(x: f32) -> f32 {
    let value = intermediate::exp_m1(at_most(at_least(x, -100.0), 100.0) as f64) as f32;
    // A zero keeps its sign.
    if x == 0.0 { x } else { value }
}

#[inline(always)]
pub(crate) fn sinh(x: f32) -> f32 {
    let minus_one = intermediate::exp_m1(at_most(x.abs(), 100.0) as f64);
    let twice = minus_one + minus_one / (minus_one + 1.0);
    ((0.5 * twice) as f32).copysign(x)
}

#[inline(always)]
pub(crate) fn cosh(x: f32) -> f32 {
    let power = intermediate::exp(at_most(x.abs(), 100.0) as f64);
    (0.5 * (power + 1.0 / power)) as f32
}

#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let minus_one = intermediate::exp_m1(2.0 * at_most(x.abs(), 10.0) as f64);
    ((minus_one / (minus_one + 2.0)) as f32).copysign(x)
}
