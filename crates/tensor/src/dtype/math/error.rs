//! The error function, GELU and its tanh approximation, in single precision.

use super::exponential::{Power, SMALL};
use super::{MulAdd, at_least, at_most, intermediate};

/// The error function: a polynomial up to 0.9; beyond, `1 - exp(q(t))` with a polynomial `q` for `log(1 - erf(t))`.
#[inline(always)]
pub(crate) fn erf<M: MulAdd>(x: f32) -> f32 {
    let t = at_most(x.abs(), 3.93);
    // erf(t) = t + t p(t²) for t ≤ 0.9, with a relative error of 2⁻³⁰.
    let square = t * t;
    let p = M::mul_add(square, 8.513_099_6e-5, -0.000_817_564_43);
    let p = M::mul_add(square, p, 0.005_203_860_3);
    let p = M::mul_add(square, p, -0.026_860_509);
    let p = M::mul_add(square, p, 0.112_837_15);
    let p = M::mul_add(square, p, -0.376_126_35);
    let p = M::mul_add(square, p, 0.128_379_17);
    let near = M::mul_add(t, p, t);
    // log(1 - erf(t)) for 0.9 ≤ t ≤ 3.93, from where on erf rounds to 1: 1 - exp(q) has an absolute error of 2⁻²⁷.
    let q = M::mul_add(t, -2.055_702_5e-5, 0.000_428_259_78);
    let q = M::mul_add(t, q, -0.004_141_118);
    let q = M::mul_add(t, q, 0.025_040_928);
    let q = M::mul_add(t, q, -0.108_159_35);
    let q = M::mul_add(t, q, -0.633_455_93);
    let q = M::mul_add(t, q, -1.129_461_4);
    let q = M::mul_add(t, q, 0.000_163_639_36);
    let power = Power::exp::<M>(q, 0.0);
    let far = M::mul_add(power.mantissa(), -power.factor(1.0), 1.0);
    (if t < 0.9 { near } else { far }).copysign(x)
}

/// GELU: `x Φ(x)` with the cumulative distribution function `Φ` of the normal distribution.
///
/// It is `max(x, 0)` minus `t Φ(-t)` with `t = |x|`. The latter is `exp(-t²/2)` times a slowly varying function. The
/// square is computed in double-`f32` arithmetic, because its absolute error is a relative error of the result.
#[inline(always)]
pub(crate) fn gelu<M: MulAdd>(x: f32) -> f32 {
    let t = at_most(x.abs(), 14.5);
    let half = 0.5 * t;
    let square = half * t;
    let power = Power::exp::<M>(-square, -M::mul_add(half, t, -square));

    // t Φ(-t) exp(t²/2) = s p(3/8 - s) with s = t / (t + C), with a relative error of 2⁻²⁵. C was chosen for the lowest
    // degree.
    const C: f32 = 3.757_812_5;
    const FIRST: f32 = 0.922_334_43;
    let sum = t + C;
    let s = t / sum;
    let u = 0.375 - s;
    let p = M::mul_add(u, 0.114_548_914, 0.044_745_18);
    let p = M::mul_add(u, p, -0.278_570_92);
    let p = M::mul_add(u, p, -0.242_332_52);
    let p = M::mul_add(u, p, 0.525_678);
    let p = M::mul_add(u, p, 1.510_633_6);
    let p = M::mul_add(u, p, 1.929_738_6);
    let inner = M::mul_add(u, p, 1.593_666_3);
    let p = M::mul_add(u, inner, FIRST);
    let product = s * p;

    // The rounding errors of the polynomial and the product; and of the sum and the quotient, which matter where
    // they are small.
    let lost_p = M::mul_add(u, inner, FIRST - p);
    let lost_p = M::mul_add(s, lost_p, M::mul_add(s, p, -product));
    let lost_quotient = M::mul_add(-s, t - (sum - C), M::mul_add(-s, sum, t));
    let weight = at_least(M::mul_add(s, -1.6, 0.5), 0.0);
    let lost = M::mul_add(weight, lost_quotient, lost_p);

    let below = M::mul_add(product, power.high, M::mul_add(product, power.low, lost * power.high));
    let below = below * power.factor(SMALL) * SMALL;
    if x < 0.0 { -below } else { x - below }
}

/// The tanh approximation of GELU, `x / (1 + exp(-2 √(2/π) (x + 0.044715 x³)))`, with double-precision intermediates.
#[inline(always)]
pub(crate) fn gelu_tanh<M: MulAdd>(x: f32) -> f32 {
    // Outside of these bounds the exponential overflows the result to 0, or is negligible.
    let t = at_most(at_least(x, -15.0), 15.0) as f64;
    let twice = 1.595_769_121_605_730_7 * t * (1.0 + 0.044_715 * t * t);
    let above = at_least(x, -15.0) as f64;
    (above / (1.0 + intermediate::exp::<M>(-twice))) as f32
}
