//! Elementwise functions of one operand.

use super::{Rule, Rules, Saves, quotient_or_zero};
use crate::custom::custom_rule;
use belvedere::{Complex, Error, Tensor, where_};
use std::f64::consts::{LN_2, LN_10, PI};

/// 2 / √π.
const TWO_OVER_ROOT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;

/// A derivative of `sinc(x) = sin(πx) / (πx)`, whose own derivative is that of the next order.
fn sinc_derivative(x: &Tensor, order: u32) -> Result<Tensor, Error> {
    custom_rule(
        &[x],
        move |it| sinc_derivative_value(&it[0], order),
        move |g, it| Ok(vec![Some(g[0].mul(&sinc_derivative(&it[0], order + 1)?)?)]),
    )
}

/// The derivatives of `s(t) = sin(t) / t` satisfy `t s⁽ᵏ⁾ + k s⁽ᵏ⁻¹⁾ = sin(t + kπ/2)`. The difference of almost equal numbers
/// loses all digits near 0, where they are sums of powers: `Σ (-1)ⁿ (2n)! / ((2n - k)! (2n + 1)!) t²ⁿ⁻ᵏ`.
fn sinc_derivative_value(x: &Tensor, order: u32) -> Result<Tensor, Error> {
    let t = x.mul(PI)?;
    let near = 1.0 + f64::from(order);
    let is_near = t.abs()?.less(near)?;
    let far = where_(&is_near, 1.0, &t)?;
    let mut value = far.sin()?.div(&far)?;
    for k in 1..=order {
        let sine = match k % 4 {
            0 => far.sin()?,
            1 => far.cos()?,
            2 => far.sin()?.negative()?,
            _ => far.cos()?.negative()?,
        };
        value = sine.sub(&value.mul(f64::from(k))?)?.div(&far)?;
    }
    let small = where_(&is_near, &t, 0.0)?;
    let series = sinc_series(&small, order, near)?;
    where_(&is_near, &series, &value)?.mul(PI.powi(order as i32))
}

/// The series of the derivative of order `k` of `sin(t) / t` for `|t| < near`, by Horner's rule in `t²`.
fn sinc_series(t: &Tensor, order: u32, near: f64) -> Result<Tensor, Error> {
    let k = f64::from(order);
    // The coefficient of t²ⁿ⁻ᵏ: ± 1 / ((2n - k)! (2n + 1)).
    let first = order.div_ceil(2);
    let sign = if first.is_multiple_of(2) { 1.0 } else { -1.0 };
    let mut coefficients = vec![sign / f64::from(2 * first + 1)];
    let (mut n, mut size) = (f64::from(first), 1.0);
    while size > 1e-18 {
        let (a, b) = (2.0 * n - k + 1.0, 2.0 * n - k + 2.0);
        let ratio = -(2.0 * n + 1.0) / (a * b * (2.0 * n + 3.0));
        coefficients.push(coefficients[coefficients.len() - 1] * ratio);
        size *= ratio.abs() * near * near;
        n += 1.0;
    }
    let square = t.square()?;
    let mut sum = t.zeros_like()?;
    for &coefficient in coefficients.iter().rev() {
        sum = sum.mul(&square)?.add(coefficient)?;
    }
    if order.is_multiple_of(2) { Ok(sum) } else { sum.mul(t) }
}

/// The direction `s = x / |x|` of a complex number: `(g - s Re(conj(s) g)) / |x|`, and 0 at 0.
fn sign(x: &Tensor, g: &Tensor) -> Result<Tensor, Error> {
    let (s, size) = (x.sign()?, x.abs()?);
    let along = s.conj()?.mul(g)?.real()?.mul(&s)?;
    quotient_or_zero(&g.sub(&along)?, &size)
}

/// The angle of a complex number: `i x / |x|²`, and 0 at 0.
fn angle(x: &Tensor, g: &Tensor) -> Result<Tensor, Error> {
    quotient_or_zero(&x.mul(Complex::new(0.0, 1.0))?.mul(g)?, &x.abs()?.square()?)
}

/// Each part of a complex number is replaced by itself.
fn nan_to_num(x: &Tensor, g: &Tensor) -> Result<Tensor, Error> {
    let kept = |x: &Tensor, g: &Tensor| where_(&x.isfinite()?, g, 0.0);
    if !x.dtype().is_complex() {
        return kept(x, g);
    }
    let both = g.zeros_like()?;
    both.real()?.copy_from(&kept(&x.real()?, &g.real()?)?)?;
    both.imag()?.copy_from(&kept(&x.imag()?, &g.imag()?)?)?;
    Ok(both)
}

pub(super) const RULES: Rules = &[
    (
        "negative",
        Rule::general(Saves::Nothing, |p| {
            let contribution = p.g().negative()?;
            p.add(0, contribution);
            Ok(())
        })
        .holomorphic(),
    ),
    (
        "positive",
        Rule::general(Saves::Nothing, |p| {
            let g = p.g();
            p.add(0, g);
            Ok(())
        })
        .holomorphic(),
    ),
    ("abs", Rule::unary(|x, g| g.mul(&x.sign()?)).complex()),
    ("sign", Rule::unary(sign).only_complex()),
    ("angle", Rule::unary(angle).only_complex()),
    ("square", Rule::unary(|x, g| g.mul(&x.mul(2.0)?)).holomorphic()),
    ("sqrt", Rule::unary(|x, g| g.mul(0.5)?.div(&x.sqrt()?)).holomorphic()),
    ("rsqrt", Rule::unary(|x, g| g.mul(-0.5)?.mul(&x.rsqrt()?.div(x)?)).holomorphic()),
    ("cbrt", Rule::unary(|x, g| g.div(&x.cbrt()?.square()?.mul(3.0)?))),
    ("reciprocal", Rule::unary(|x, g| g.div(&x.square()?)?.negative()).holomorphic()),
    ("exp", Rule::unary(|x, g| g.mul(&x.exp()?)).holomorphic()),
    ("exp2", Rule::unary(|x, g| g.mul(&x.exp2()?.mul(LN_2)?)).holomorphic()),
    ("expm1", Rule::unary(|x, g| g.mul(&x.exp()?)).holomorphic()),
    ("log", Rule::unary(|x, g| g.div(x)).holomorphic()),
    ("log1p", Rule::unary(|x, g| g.div(&x.add(1.0)?)).holomorphic()),
    ("log2", Rule::unary(|x, g| g.div(&x.mul(LN_2)?)).holomorphic()),
    ("log10", Rule::unary(|x, g| g.div(&x.mul(LN_10)?)).holomorphic()),
    ("sin", Rule::unary(|x, g| g.mul(&x.cos()?)).holomorphic()),
    ("cos", Rule::unary(|x, g| g.mul(&x.sin()?)?.negative()).holomorphic()),
    ("tan", Rule::unary(|x, g| g.mul(&x.tan()?.square()?.add(1.0)?)).holomorphic()),
    ("asin", Rule::unary(|x, g| g.div(&one_minus_square(x)?.sqrt()?)).holomorphic()),
    ("acos", Rule::unary(|x, g| g.div(&one_minus_square(x)?.sqrt()?)?.negative()).holomorphic()),
    ("atan", Rule::unary(|x, g| g.div(&x.square()?.add(1.0)?)).holomorphic()),
    ("sinh", Rule::unary(|x, g| g.mul(&x.cosh()?)).holomorphic()),
    ("cosh", Rule::unary(|x, g| g.mul(&x.sinh()?)).holomorphic()),
    ("tanh", Rule::unary(|x, g| g.mul(&one_minus_square(&x.tanh()?)?)).holomorphic()),
    ("asinh", Rule::unary(|x, g| g.div(&x.square()?.add(1.0)?.sqrt()?)).holomorphic()),
    // One root of x² - 1 would have the wrong sign for complex numbers with a negative real part.
    (
        "acosh",
        Rule::unary(|x, g| g.div(&x.sub(1.0)?.sqrt()?)?.div(&x.add(1.0)?.sqrt()?)).holomorphic(),
    ),
    ("atanh", Rule::unary(|x, g| g.div(&one_minus_square(x)?)).holomorphic()),
    ("deg2rad", Rule::unary(|_, g| g.mul(PI / 180.0))),
    ("rad2deg", Rule::unary(|_, g| g.mul(180.0 / PI))),
    ("sinc", Rule::unary(|x, g| g.mul(&sinc_derivative(x, 1)?))),
    ("erf", Rule::unary(|x, g| g.mul(&gaussian(x)?))),
    ("erfc", Rule::unary(|x, g| g.mul(&gaussian(x)?)?.negative())),
    ("erfinv", Rule::unary(|x, g| g.div(&gaussian(&x.erfinv()?)?))),
    ("logit", Rule::unary(|x, g| g.div(&x.sub(&x.square()?)?))),
    ("nan_to_num", Rule::unary(nan_to_num).complex()),
];

fn one_minus_square(x: &Tensor) -> Result<Tensor, Error> {
    x.square()?.negative()?.add(1.0)
}

/// The derivative of `erf`: `2 / √π · exp(-x²)`.
fn gaussian(x: &Tensor) -> Result<Tensor, Error> {
    x.square()?.negative()?.exp()?.mul(TWO_OVER_ROOT_PI)
}
