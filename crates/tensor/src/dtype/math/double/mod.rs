//! Functions of `f64`: some of our own, which are vectorised; the standard library's; and what is built on
//! both.
//!
//! Ours have no fused multiplications, which would be too slow to emulate. The error function is from
//! `libm`, as are the inverse hyperbolic functions: the standard library's lose digits near
//! their zeros.

mod circle;
mod exponential;
mod hyperbolic;
mod logarithm;

use super::MulAdd;
use std::f64::consts::FRAC_1_SQRT_2;

pub(crate) use circle::{cos_near, is_near, sin_near};
pub(crate) use hyperbolic::tanh;
pub(crate) use libm::{asinh, atanh, erfc};

/// Functions that the standard library has under the same name.
macro_rules! standard {
    ($($function:ident)*) => {$(
        #[inline(always)]
        pub(crate) fn $function(x: f64) -> f64 {
            x.$function()
        }
    )*};
    (M: $($function:ident)*) => {$(
        #[inline(always)]
        pub(crate) fn $function<M: MulAdd>(x: f64) -> f64 {
            x.$function()
        }
    )*};
}

standard!(M: exp2 ln_1p);
standard!(exp_m1 log2 log10 tan sinh cosh);

pub(crate) fn acosh(x: f64) -> f64 {
    // Theirs is not defined below one.
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
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
    if is_near(x) { sin_near(x) } else { x.sin() }
}

#[inline(always)]
pub(crate) fn cos(x: f64) -> f64 {
    if is_near(x) { cos_near(x) } else { x.cos() }
}

/// There is one way for all numbers.
#[inline(always)]
pub(crate) fn tan_near(x: f64) -> f64 {
    x.tan()
}

#[inline(always)]
pub(crate) fn power(x: f64, exponent: f64) -> f64 {
    x.powf(exponent)
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
    // Beyond the bound the share is zero, and of an infinity it would be no number.
    let bounded = if x < -800.0 { -800.0 } else { x };
    bounded * logistic::<M>(x)
}

#[inline(always)]
pub(crate) fn gelu<M: MulAdd>(x: f64) -> f64 {
    // Beyond the bound the share is zero, and of an infinity it would be no number.
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
