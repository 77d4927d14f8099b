//! The gradients of activation functions as operations of their own: their rules are second derivatives.

use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::{Error, Tensor, where_};
use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

/// The factor of x³ in `gelu_tanh`.
const CUBE_FACTOR: f64 = 0.044_715;

/// The second derivative of `gelu` is 0 beyond this argument in every dtype, where squares may overflow.
const MAX_GELU: f64 = 40.0;

/// The same of `gelu_tanh`.
const MAX_GELU_TANH: f64 = 10.0;

/// Adds the contributions of `grad(x, g) = g · f′(x)`, given f″.
fn add_contributions(
    p: &mut Pullback<'_>,
    gradient: fn(&Tensor, &Tensor) -> Result<Tensor, Error>,
    second: fn(&Tensor) -> Result<Tensor, Error>,
) -> Result<(), Error> {
    let (x, g, outer) = (p.input(0)?, p.input(1)?, p.g());
    if p.needs(0) {
        p.add(0, outer.mul(&g)?.mul(&second(&x)?)?);
    }
    p.add(1, gradient(&x, &outer)?);
    Ok(())
}

/// `φ(x) (2 - x²)`, where φ is the density of the normal distribution.
fn second_of_gelu(x: &Tensor) -> Result<Tensor, Error> {
    let square = x.clip(-MAX_GELU, MAX_GELU)?.square()?;
    let density = square.mul(-0.5)?.exp()?.mul(FRAC_2_SQRT_PI / (2.0 * SQRT_2))?;
    density.mul(&square.negative()?.add(2.0)?)
}

/// `(1 - tanh² u) (u′ + x u″ / 2 - x tanh(u) u′²)` for `u = √(2/π) (x + a x³)`.
fn second_of_gelu_tanh(x: &Tensor) -> Result<Tensor, Error> {
    let scale = FRAC_2_SQRT_PI / SQRT_2;
    let x = &x.clip(-MAX_GELU_TANH, MAX_GELU_TANH)?;
    let square = x.square()?;
    let t = square.mul(CUBE_FACTOR)?.add(1.0)?.mul(x)?.mul(scale)?.tanh()?;
    let first = square.mul(3.0 * CUBE_FACTOR)?.add(1.0)?.mul(scale)?;
    let half_second = square.mul(3.0 * scale * CUBE_FACTOR)?;
    let inner = first.add(&half_second)?.sub(&x.mul(&t)?.mul(&first.square()?)?)?;
    t.square()?.negative()?.add(1.0)?.mul(&inner)
}

/// 1/3 between the kinks.
fn second_of_hard_swish(x: &Tensor) -> Result<Tensor, Error> {
    where_(&x.abs()?.less(3.0)?, 1.0 / 3.0, 0.0)?.astype(x.dtype())
}

pub(super) const RULES: Rules = &[
    (
        "gelu_grad",
        Rule::general(Saves::All, |p| add_contributions(p, |x, g| x.gelu_grad(g), second_of_gelu)),
    ),
    (
        "gelu_tanh_grad",
        Rule::general(Saves::All, |p| {
            add_contributions(p, |x, g| x.gelu_tanh_grad(g), second_of_gelu_tanh)
        }),
    ),
    (
        "hard_sigmoid_grad",
        Rule::general(Saves::Only(0), |p| {
            let contribution = p.input(0)?.hard_sigmoid_grad(&p.g())?;
            p.add(1, contribution);
            Ok(())
        }),
    ),
    (
        "hard_swish_grad",
        Rule::general(Saves::All, |p| {
            add_contributions(p, |x, g| x.hard_swish_grad(g), second_of_hard_swish)
        }),
    ),
];
