//! Functions of `f64`: vectorized ones, and functions that are built on them. The error function is that of `libm`.

mod cube_root;
mod exponential;
mod extended;
mod hyperbolic;
mod hypotenuse;
mod inverse_hyperbolic;
mod inverse_trigonometric;
mod logarithm;
mod power;
mod trigonometric;

use super::MulAdd;
use std::f64::consts::FRAC_1_SQRT_2;

pub(crate) use cube_root::cbrt;
pub(crate) use exponential::{exp, exp_m1, exp2, logistic};
pub(crate) use hyperbolic::{cosh, sinh, tanh};
pub(crate) use hypotenuse::{hypot, ln_norm, modulus};
pub(crate) use inverse_hyperbolic::{acosh, asinh, atanh};
pub(crate) use inverse_trigonometric::{acos, asin, atan, atan2};
pub(crate) use libm::erfc;
pub(crate) use logarithm::{ln, ln_1p, ln_1p_of_fraction, log2, log10};
#[cfg(test)]
pub(crate) use power::power_fast;
pub(crate) use power::{power_from_logarithm, power_fused, power_in_fast_range, power_logarithm};
pub(crate) use trigonometric::{cos_fast, in_fast_range, sin_fast, tan_fast};

#[inline(always)]
pub(crate) fn sin<M: MulAdd>(x: f64) -> f64 {
    if in_fast_range(x) { sin_fast::<M>(x) } else { libm::sin(x) }
}

#[inline(always)]
pub(crate) fn cos<M: MulAdd>(x: f64) -> f64 {
    if in_fast_range(x) { cos_fast::<M>(x) } else { libm::cos(x) }
}

#[inline(always)]
pub(crate) fn tan<M: MulAdd>(x: f64) -> f64 {
    if in_fast_range(x) { tan_fast::<M>(x) } else { libm::tan(x) }
}

#[inline(always)]
pub(crate) fn erf<M: MulAdd>(x: f64) -> f64 {
    libm::erf(x)
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
pub(crate) fn gelu_tanh<M: MulAdd>(x: f64) -> f64 {
    let bounded = if x < -40.0 { -40.0 } else { x };
    let t = if 40.0 < bounded { 40.0 } else { bounded };
    let twice = 1.595_769_121_605_730_7 * t * (1.0 + 0.044_715 * t * t);
    bounded / (1.0 + exp::<M>(-twice))
}
