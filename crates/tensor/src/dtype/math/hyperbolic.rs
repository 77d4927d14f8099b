//! Hyperbolic functions of `f32`, with double-precision intermediates.
//!
//! They are computed from `exp(|x|) - 1`, which is accurate near zero; the sign is copied to the result.

use super::{MulAdd, at_least, at_most, intermediate};

/// `exp(x) - 1`.
#[inline(always)]
pub(crate) fn exp_m1<M: MulAdd>(x: f32) -> f32 {
    let value = intermediate::exp_m1::<M>(at_most(at_least(x, -100.0), 100.0) as f64) as f32;
    // A zero keeps its sign.
    if x == 0.0 { x } else { value }
}

#[inline(always)]
pub(crate) fn sinh<M: MulAdd>(x: f32) -> f32 {
    let minus_one = intermediate::exp_m1::<M>(at_most(x.abs(), 100.0) as f64);
    let quotient = minus_one / (minus_one + 1.0);
    ((0.5 * (minus_one + quotient)) as f32).copysign(x)
}

#[inline(always)]
pub(crate) fn cosh<M: MulAdd>(x: f32) -> f32 {
    let power = intermediate::exp::<M>(at_most(x.abs(), 100.0) as f64);
    (0.5 * (power + 1.0 / power)) as f32
}

#[inline(always)]
pub(crate) fn tanh<M: MulAdd>(x: f32) -> f32 {
    let minus_one = intermediate::exp_m1::<M>(2.0 * at_most(x.abs(), 10.0) as f64);
    let quotient = minus_one / (minus_one + 2.0);
    (quotient as f32).copysign(x)
}

/// Below this number, the series of the inverse functions are used: the sums in the logarithms would round.
const SMALL: f64 = 1.0 / (1 << 12) as f64;

/// `log(x + √(x² + 1))`.
#[inline(always)]
pub(crate) fn asinh<M: MulAdd>(x: f32) -> f32 {
    let wide = x.abs() as f64;
    let square = wide * wide;
    let log = intermediate::ln::<M>(wide + (square + 1.0).sqrt());
    let series = M::mul_add_f64(wide * square, -1.0 / 6.0, wide);
    let value = if wide < SMALL { series } else { log };
    let value = if wide < f64::INFINITY { value as f32 } else { x };
    value.copysign(x)
}

/// `log(x + √(x² - 1))`.
#[inline(always)]
pub(crate) fn acosh<M: MulAdd>(x: f32) -> f32 {
    let wide = x as f64;
    let less_one = wide - 1.0;
    let log = intermediate::ln::<M>(1.0 + (less_one + (less_one * (wide + 1.0)).sqrt()));
    let value = if wide < f64::INFINITY { log as f32 } else { x };
    if x < 1.0 { f32::NAN } else { value }
}

/// `log((1 + x) / (1 - x)) / 2`.
#[inline(always)]
pub(crate) fn atanh<M: MulAdd>(x: f32) -> f32 {
    let wide = x.abs() as f64;
    let quotient = (1.0 + wide) / (1.0 - wide);
    let log = 0.5 * intermediate::ln::<M>(quotient);
    let series = M::mul_add_f64(wide * wide * wide, 1.0 / 3.0, wide);
    let value = if wide < SMALL { series } else { log } as f32;
    let value = if wide < 1.0 { value } else { f32::INFINITY };
    // A NaN is not below one either.
    let value = if (wide > 1.0) | x.is_nan() { f32::NAN } else { value };
    value.copysign(x)
}
