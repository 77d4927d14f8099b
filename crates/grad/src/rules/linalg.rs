//! Linear algebra on stacks of matrices: determinants, inverses and linear systems.

use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::{Complex, Error, Tensor, linalg};

/// `x⁻ᵀ` of each matrix.
fn inverse_transposed(x: &Tensor) -> Result<Tensor, Error> {
    linalg::inv(x)?.mt()
}

/// Returns a number for each matrix with two axes of length 1 more.
fn as_matrices(g: &Tensor) -> Result<Tensor, Error> {
    g.unsqueeze(-1)?.unsqueeze(-1)
}

fn inv(p: &mut Pullback<'_>) -> Result<(), Error> {
    let y = inverse_transposed(&p.input(0)?)?;
    let contribution = y.matmul(&p.g())?.matmul(&y)?.negative()?;
    p.add(0, contribution);
    Ok(())
}

fn det(p: &mut Pullback<'_>) -> Result<(), Error> {
    let x = p.input(0)?;
    let scale = as_matrices(&p.g().mul(&linalg::det(&x)?)?)?;
    p.add(0, inverse_transposed(&x)?.mul(&scale)?);
    Ok(())
}

/// The logarithm has the gradient `x⁻ᵀ`, and the sign `s` of a complex determinant `i s x⁻ᵀ` along its direction.
fn slogdet(p: &mut Pullback<'_>) -> Result<(), Error> {
    let x = p.input(0)?;
    let mut scale = p.gradient(1).cloned();
    if x.dtype().is_complex()
        && let Some(g) = p.gradient(0)
    {
        // The operand is conjugated, and so is its sign.
        let turn = g.mul(&linalg::slogdet(&x)?.sign)?.imag()?.mul(Complex::new(0.0, 1.0))?;
        scale = Some(match scale {
            Some(scale) => turn.add(&scale)?,
            None => turn,
        });
    }
    if let Some(scale) = scale {
        p.add(0, inverse_transposed(&x)?.mul(&as_matrices(&scale)?)?);
    }
    Ok(())
}

/// `a x = b`: the gradient of `b` is `a⁻ᵀ g`, and that of `a` is `-(a⁻ᵀ g) xᵀ`.
fn solve(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (a, b, g) = (p.input(0)?, p.input(1)?, p.g());
    let is_vector = b.rank() == 1;
    let to_b = linalg::solve(&a.mt()?, &g)?;
    if p.needs(0) {
        let x = linalg::solve(&a, &b)?;
        let product = match is_vector {
            true => to_b.unsqueeze(-1)?.matmul(&x.unsqueeze(-2)?)?,
            false => to_b.matmul(&x.mt()?)?,
        };
        p.add(0, product.negative()?);
    }
    p.add(1, to_b);
    Ok(())
}

pub(super) const RULES: Rules = &[
    ("inv", Rule::general(Saves::All, inv).holomorphic()),
    ("det", Rule::general(Saves::All, det).holomorphic()),
    ("slogdet", Rule::general(Saves::All, slogdet).holomorphic()),
    ("solve", Rule::general(Saves::All, solve).holomorphic()),
];
