//! Functions of `f32`: the vectorized ones of the parent module, and a few that are calls.

use super::MulAdd;

pub(crate) use super::cube_root::cbrt;
pub(crate) use super::error::{erf, gelu, gelu_tanh};
pub(crate) use super::exponential::{exp, exp2, logistic, swish};
pub(crate) use super::hyperbolic::{acosh, asinh, atanh, cosh, exp_m1, sinh, tanh};
pub(crate) use super::inverse_trigonometric::{acos, asin, atan, atan2};
pub(crate) use super::logarithm::{ln, ln_1p, log2, log10, softplus};
pub(crate) use super::power::power_fused;
pub(crate) use super::trigonometric::{cos_fast, in_fast_range, sin_fast, tan_fast};
pub(crate) use libm::erfcf as erfc;

#[inline(always)]
pub(crate) fn sin<M: MulAdd>(x: f32) -> f32 {
    if in_fast_range(x) { sin_fast::<M>(x) } else { libm::sinf(x) }
}

#[inline(always)]
pub(crate) fn cos<M: MulAdd>(x: f32) -> f32 {
    if in_fast_range(x) { cos_fast::<M>(x) } else { libm::cosf(x) }
}

#[inline(always)]
pub(crate) fn tan<M: MulAdd>(x: f32) -> f32 {
    if in_fast_range(x) { tan_fast::<M>(x) } else { libm::tanf(x) }
}

/// Computed in double precision, where the squares are exact and do not overflow. An infinity counts more than a NaN, as in
/// C99.
#[inline(always)]
pub(crate) fn hypot<M: MulAdd>(x: f32, y: f32) -> f32 {
    let is_infinite = (x.abs() == f32::INFINITY) | (y.abs() == f32::INFINITY);
    let (x, y) = (x as f64, y as f64);
    if is_infinite { f32::INFINITY } else { (x * x + y * y).sqrt() as f32 }
}
