//! Functions of `f32`: those of the files around this one, and a few that are calls.
//!
//! The latter are from `libm`, because the standard library's inverse hyperbolic functions lose digits near
//! their zeros.

pub(crate) use super::circle::{cos_near, is_near, sin_near, tan_near};
pub(crate) use super::error::{erf, gelu, gelu_tanh};
pub(crate) use super::exponential::{exp, exp2, logistic, swish};
pub(crate) use super::hyperbolic::{cosh, exp_m1, sinh, tanh};
pub(crate) use super::logarithm::{ln, ln_1p, log2, log10, softplus};
pub(crate) use super::power::power;
pub(crate) use libm::{asinhf as asinh, atanhf as atanh, erfcf as erfc};

pub(crate) fn acosh(x: f32) -> f32 {
    // Theirs is not defined below one.
    if x < 1.0 { f32::NAN } else { libm::acoshf(x) }
}

#[inline(always)]
pub(crate) fn sin(x: f32) -> f32 {
    if is_near(x) { sin_near(x) } else { libm::sinf(x) }
}

#[inline(always)]
pub(crate) fn cos(x: f32) -> f32 {
    if is_near(x) { cos_near(x) } else { libm::cosf(x) }
}

#[inline(always)]
pub(crate) fn tan(x: f32) -> f32 {
    if is_near(x) { tan_near(x) } else { libm::tanf(x) }
}
