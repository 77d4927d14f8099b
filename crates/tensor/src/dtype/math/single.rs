//! Functions of `f32`: the vectorized ones of the parent module, and a few that are calls.

pub(crate) use super::error::{erf, gelu, gelu_tanh};
pub(crate) use super::exponential::{exp, exp2, logistic, swish};
pub(crate) use super::hyperbolic::{acosh, asinh, atanh, cosh, exp_m1, sinh, tanh};
pub(crate) use super::logarithm::{ln, ln_1p, log2, log10, softplus};
pub(crate) use super::power::power;
pub(crate) use super::trigonometric::{cos_fast, in_fast_range, sin_fast, tan_fast};
pub(crate) use libm::erfcf as erfc;

#[inline(always)]
pub(crate) fn sin(x: f32) -> f32 {
    if in_fast_range(x) { sin_fast(x) } else { libm::sinf(x) }
}

#[inline(always)]
pub(crate) fn cos(x: f32) -> f32 {
    if in_fast_range(x) { cos_fast(x) } else { libm::cosf(x) }
}

#[inline(always)]
pub(crate) fn tan(x: f32) -> f32 {
    if in_fast_range(x) { tan_fast(x) } else { libm::tanf(x) }
}
