//! Elementwise functions of one operand.

use super::{Rule, Rules, Saves};
use belvedere::{Error, Tensor, where_};
use std::f64::consts::{LN_2, LN_10, PI};

/// 2 / √π.
const TWO_OVER_ROOT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;

/// The derivative of `sinc(x) = sin(πx) / (πx)`: `(cos(πx) - sinc(x)) / x`, and 0 at 0.
fn sinc_slope(x: &Tensor) -> Result<Tensor, Error> {
    let slope = x.mul(PI)?.cos()?.sub(&x.sinc()?)?.div(x)?;
    where_(&x.equal(0.0)?, 0.0, &slope)
}

pub(super) const RULES: Rules = &[
    (
        "negative",
        Rule::general(Saves::Nothing, |p| {
            let contribution = p.g().negative()?;
            p.add(0, contribution);
            Ok(())
        }),
    ),
    (
        "positive",
        Rule::general(Saves::Nothing, |p| {
            let g = p.g();
            p.add(0, g);
            Ok(())
        }),
    ),
    ("abs", Rule::unary(|x, g| g.mul(&x.sign()?))),
    ("square", Rule::unary(|x, g| g.mul(&x.mul(2.0)?))),
    ("sqrt", Rule::unary(|x, g| g.mul(0.5)?.div(&x.sqrt()?))),
    ("rsqrt", Rule::unary(|x, g| g.mul(-0.5)?.mul(&x.rsqrt()?.div(x)?))),
    ("cbrt", Rule::unary(|x, g| g.div(&x.cbrt()?.square()?.mul(3.0)?))),
    ("reciprocal", Rule::unary(|x, g| g.div(&x.square()?)?.negative())),
    ("exp", Rule::unary(|x, g| g.mul(&x.exp()?))),
    ("exp2", Rule::unary(|x, g| g.mul(&x.exp2()?.mul(LN_2)?))),
    ("expm1", Rule::unary(|x, g| g.mul(&x.exp()?))),
    ("log", Rule::unary(|x, g| g.div(x))),
    ("log1p", Rule::unary(|x, g| g.div(&x.add(1.0)?))),
    ("log2", Rule::unary(|x, g| g.div(&x.mul(LN_2)?))),
    ("log10", Rule::unary(|x, g| g.div(&x.mul(LN_10)?))),
    ("sin", Rule::unary(|x, g| g.mul(&x.cos()?))),
    ("cos", Rule::unary(|x, g| g.mul(&x.sin()?)?.negative())),
    ("tan", Rule::unary(|x, g| g.mul(&x.tan()?.square()?.add(1.0)?))),
    ("asin", Rule::unary(|x, g| g.div(&one_minus_square(x)?.sqrt()?))),
    ("acos", Rule::unary(|x, g| g.div(&one_minus_square(x)?.sqrt()?)?.negative())),
    ("atan", Rule::unary(|x, g| g.div(&x.square()?.add(1.0)?))),
    ("sinh", Rule::unary(|x, g| g.mul(&x.cosh()?))),
    ("cosh", Rule::unary(|x, g| g.mul(&x.sinh()?))),
    ("tanh", Rule::unary(|x, g| g.mul(&one_minus_square(&x.tanh()?)?))),
    ("asinh", Rule::unary(|x, g| g.div(&x.square()?.add(1.0)?.sqrt()?))),
    ("acosh", Rule::unary(|x, g| g.div(&x.square()?.sub(1.0)?.sqrt()?))),
    ("atanh", Rule::unary(|x, g| g.div(&one_minus_square(x)?))),
    ("deg2rad", Rule::unary(|_, g| g.mul(PI / 180.0))),
    ("rad2deg", Rule::unary(|_, g| g.mul(180.0 / PI))),
    ("sinc", Rule::unary(|x, g| g.mul(&sinc_slope(x)?))),
    ("erf", Rule::unary(|x, g| g.mul(&gaussian(x)?))),
    ("erfc", Rule::unary(|x, g| g.mul(&gaussian(x)?)?.negative())),
    ("erfinv", Rule::unary(|x, g| g.div(&gaussian(&x.erfinv()?)?))),
    ("logit", Rule::unary(|x, g| g.div(&x.sub(&x.square()?)?))),
    ("nan_to_num", Rule::unary(|x, g| where_(&x.isfinite()?, g, 0.0))),
];

fn one_minus_square(x: &Tensor) -> Result<Tensor, Error> {
    x.square()?.negative()?.add(1.0)
}

/// The derivative of `erf`: `2 / √π · exp(-x²)`.
fn gaussian(x: &Tensor) -> Result<Tensor, Error> {
    x.square()?.negative()?.exp()?.mul(TWO_OVER_ROOT_PI)
}
