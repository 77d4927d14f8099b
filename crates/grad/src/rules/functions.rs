//! Elementwise functions of one operand.

use super::{Rule, Rules, Saves, quotient_or_zero};
use belvedere::{Complex, Error, Tensor, where_};
use std::f64::consts::{LN_2, LN_10, PI};

/// 2 / √π.
const TWO_OVER_ROOT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;

/// The derivative of `sinc(x) = sin(πx) / (πx)`: `(cos(πx) - sinc(x)) / x`, and 0 at 0.
fn sinc_slope(x: &Tensor) -> Result<Tensor, Error> {
    let slope = x.mul(PI)?.cos()?.sub(&x.sinc()?)?.div(x)?;
    where_(&x.equal(0.0)?, 0.0, &slope)
}

/// The direction `s = x / |x|` of a complex number: `(g - s Re(conj(s) g)) / |x|`, and 0 at 0.
fn sign(x: &Tensor, g: &Tensor) -> Result<Tensor, Error> {
    let (s, size) = (x.sign()?, x.abs()?);
    let along = s.conj()?.mul(g)?.real()?.mul(&s)?;
    quotient_or_zero(&g.sub(&along)?, &size)
}

/// The angle of a complex number: `i x / |x|²`.
fn angle(x: &Tensor, g: &Tensor) -> Result<Tensor, Error> {
    x.mul(Complex::new(0.0, 1.0))?.div(&x.abs()?.square()?)?.mul(g)
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
    ("sinc", Rule::unary(|x, g| g.mul(&sinc_slope(x)?))),
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
