//! Functions of `f32`: the vectorized ones of the parent module, and a few that are calls.

use super::{
    MulAdd, cube_root, exponential, half, hyperbolic, inverse_trigonometric, logarithm,
    trigonometric,
};

pub(crate) use super::error::{erf, gelu, gelu_tanh};
pub(crate) use super::exponential::{logistic, swish};
pub(crate) use super::hyperbolic::acosh;
pub(crate) use super::inverse_trigonometric::atan2;
pub(crate) use super::logarithm::softplus;
#[cfg(test)]
pub(crate) use super::power::power_fused;
pub(crate) use super::power::{
    power_from_logarithm, power_in_fast_range, power_logarithm, power_with_cases,
};
pub(crate) use super::trigonometric::in_fast_range;
pub(crate) use libm::erfcf as erfc;

/// Functions of a module that have a shorter variant for results in half precision.
macro_rules! by_precision {
    ($($module:ident: $($name:ident)*;)*) => {$($(
        #[inline(always)]
        pub(crate) fn $name<M: MulAdd>(x: f32) -> f32 {
            if M::IS_HALF { half::$name::<M>(x) } else { $module::$name::<M>(x) }
        }
    )*)*};
}

by_precision! {
    cube_root: cbrt;
    exponential: exp exp2;
    hyperbolic: asinh atanh cosh exp_m1 sinh tanh;
    inverse_trigonometric: acos asin atan;
    logarithm: ln ln_1p ln_1p_of_fraction log2 log10;
    trigonometric: cos_fast sin_fast tan_fast;
}

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

/// Both numbers are scaled by a power of two such that the larger one is between 1 and 2. The squares and their sum have two parts, so
/// that the error is below 0.51 ULP. An infinity counts more than a NaN, as in C99.
#[inline(always)]
pub(crate) fn hypot<M: MulAdd>(x: f32, y: f32) -> f32 {
    const EXPONENT: u32 = 0xff << 23;
    /// The power of two of a number beyond these bounds counts as that of the bound.
    const LEAST: u32 = 1 << 23;
    const MOST: u32 = 253 << 23;

    let (across, along) = (x.abs(), y.abs());
    let larger = if across > along { across } else { along };
    let exponent = (larger.to_bits() & EXPONENT).clamp(LEAST, MOST);
    let scale = f32::from_bits((254 << 23) - exponent);
    let smaller = if across > along { along } else { across };
    let (larger, smaller) = (larger * scale, smaller * scale);
    let (a, b) = (larger * larger, smaller * smaller);
    let sum = a + b;
    let lost = M::mul_add(larger, larger, -a) + M::mul_add(smaller, smaller, -b);
    let (root, root_low) = hyperbolic::sqrt_of_sum::<M>(sum, ((a - sum) + b) + lost);
    let value = (root + root_low) * f32::from_bits(exponent);
    let is_infinite = (across == f32::INFINITY) | (along == f32::INFINITY);
    if is_infinite { f32::INFINITY } else { value }
}
