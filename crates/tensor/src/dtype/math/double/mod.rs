//! Functions of `f64`: vectorized ones, the standard library's, and functions that are built on both.
//!
//! The vectorized functions use FMA only for the rounding errors of products: in other places it would be too slow to
//! emulate. The error function is that of `libm`.

mod exponential;
mod extended;
mod hyperbolic;
mod hypotenuse;
mod inverse_hyperbolic;
mod logarithm;
mod power;
mod trigonometric;

use super::MulAdd;
use std::f64::consts::FRAC_1_SQRT_2;

pub(crate) use hyperbolic::{cosh, sinh, tanh};
pub(crate) use hypotenuse::{hypot, modulus};
pub(crate) use inverse_hyperbolic::{acosh, asinh, atanh};
pub(crate) use libm::erfc;
pub(crate) use logarithm::log10;
pub(crate) use power::{power, power_fast, power_in_fast_range};
pub(crate) use trigonometric::{cos_fast, in_fast_range, sin_fast};

#[inline(always)]
pub(crate) fn exp2<M: MulAdd>(x: f64) -> f64 {
    x.exp2()
}

#[inline(always)]
pub(crate) fn ln_1p<M: MulAdd>(x: f64) -> f64 {
    logarithm::ln_1p(x)
}

#[inline(always)]
pub(crate) fn exp_m1(x: f64) -> f64 {
    x.exp_m1()
}

#[inline(always)]
pub(crate) fn log2(x: f64) -> f64 {
    x.log2()
}

#[inline(always)]
pub(crate) fn tan(x: f64) -> f64 {
    x.tan()
}

#[inline(always)]
pub(crate) fn exp<M: MulAdd>(x: f64) -> f64 {
    exponential::exp(x)
}

#[inline(always)]
pub(crate) fn ln<M: MulAdd>(x: f64) -> f64 {
    logarithm::ln(x)
}

#[inline(always)]
pub(crate) fn sin(x: f64) -> f64 {
    if in_fast_range(x) { sin_fast(x) } else { x.sin() }
}

#[inline(always)]
pub(crate) fn cos(x: f64) -> f64 {
    if in_fast_range(x) { cos_fast(x) } else { x.cos() }
}

/// There is no fast path.
#[inline(always)]
pub(crate) fn tan_fast(x: f64) -> f64 {
    x.tan()
}

#[inline(always)]
pub(crate) fn erf<M: MulAdd>(x: f64) -> f64 {
    libm::erf(x)
}

#[inline(always)]
pub(crate) fn logistic<M: MulAdd>(x: f64) -> f64 {
    exponential::logistic(x)
}

#[inline(always)]
pub(crate) fn softplus<M: MulAdd>(x: f64) -> f64 {
    let positive = if x < 0.0 { 0.0 } else { x };
    positive + ln_1p::<M>(exp::<M>(-x.abs()))
}

#[inline(always)]
pub(crate) fn swish<M: MulAdd>(x: f64) -> f64 {
    // Below the bound the factor is zero, and its product with an infinity would be a NaN.
    let bounded = if x < -800.0 { -800.0 } else { x };
    bounded * logistic::<M>(x)
}

#[inline(always)]
pub(crate) fn gelu<M: MulAdd>(x: f64) -> f64 {
    // Below the bound the factor is zero, and its product with an infinity would be a NaN.
    let bounded = if x < -40.0 { -40.0 } else { x };
    0.5 * bounded * erfc(-bounded * FRAC_1_SQRT_2)
}

#[inline(always)]
pub(crate) fn gelu_tanh(x: f64) -> f64 {
    let bounded = if x < -40.0 { -40.0 } else { x };
    let t = if 40.0 < bounded { 40.0 } else { bounded };
    let twice = 1.595_769_121_605_730_7 * t * (1.0 + 0.044_715 * t * t);
    bounded / (1.0 + (-twice).exp())
}
