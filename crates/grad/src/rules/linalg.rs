//! Linear algebra on stacks of real matrices.

use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::{Error, Tensor, linalg, where_};

/// `x⁻ᵀ` of each matrix.
fn inverse_transposed(x: &Tensor) -> Result<Tensor, Error> {
    linalg::inv(x)?.mt()
}

/// Returns a number for each matrix with two axes of length 1 more.
fn as_matrices(g: &Tensor) -> Result<Tensor, Error> {
    g.unsqueeze(-1)?.unsqueeze(-1)
}

/// Multiplies the columns of matrices by the elements of vectors: `x · diag(v)`.
fn scale_columns(x: &Tensor, v: &Tensor) -> Result<Tensor, Error> {
    x.mul(&v.unsqueeze(-2)?)
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

fn slogdet(p: &mut Pullback<'_>) -> Result<(), Error> {
    let Some(g) = p.gradient(1).cloned() else { return Ok(()) };
    let contribution = inverse_transposed(&p.input(0)?)?.mul(&as_matrices(&g)?)?;
    p.add(0, contribution);
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

/// With `x = l lᵀ`: `l⁻ᵀ Φ(lᵀ g) l⁻¹`, made symmetric, where `Φ` takes the lower triangle and half of the diagonal.
fn cholesky(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (x, mut g) = (p.input(0)?, p.g());
    let l = linalg::cholesky(&x)?;
    if p.flag("upper") {
        g = g.mt()?;
    }
    let inner = l.mt()?.matmul(&g)?;
    let inner = inner.tril(0)?.add(&inner.tril(-1)?)?.mul(0.5)?;
    let inverse = linalg::inv(&l)?;
    let outer = inverse.mt()?.matmul(&inner)?.matmul(&inverse)?;
    p.add(0, outer.add(&outer.mt()?)?.mul(0.5)?);
    Ok(())
}

/// `v diag(g) vᵀ`, and for the eigenvectors `v (F ∘ vᵀ g) vᵀ` with `Fᵢⱼ = 1 / (λⱼ - λᵢ)`; made symmetric, as one triangle
/// determines the matrix.
fn eigh(p: &mut Pullback<'_>) -> Result<(), Error> {
    let found = linalg::eigh(&p.input(0)?)?;
    let (values, v) = (found.eigenvalues, found.eigenvectors);
    let mut inner = v.zeros_like()?;
    let to_values = p.gradient(0).cloned();
    if let Some(g) = to_values {
        inner.diagonal(0, -2, -1)?.add_assign(&g)?;
    }
    if p.n_outputs() > 1
        && let Some(g) = p.gradient(1).cloned()
    {
        let gaps = values.unsqueeze(-2)?.sub(&values.unsqueeze(-1)?)?;
        let weights = where_(&gaps.equal(0.0)?, 0.0, &gaps.reciprocal()?)?;
        inner = inner.add(&weights.mul(&v.mt()?.matmul(&g)?)?)?;
    }
    let outer = v.matmul(&inner)?.matmul(&v.mt()?)?;
    p.add(0, outer.add(&outer.mt()?)?.mul(0.5)?);
    Ok(())
}

/// `u diag(g) vᴴ`.
fn svdvals(p: &mut Pullback<'_>) -> Result<(), Error> {
    let found = linalg::svd_with(&p.input(0)?, false)?;
    let contribution = scale_columns(&found.u, &p.g())?.matmul(&found.vh)?;
    p.add(0, contribution);
    Ok(())
}

pub(super) const RULES: Rules = &[
    ("inv", Rule::general(Saves::All, inv)),
    ("det", Rule::general(Saves::All, det)),
    ("slogdet", Rule::general(Saves::All, slogdet)),
    ("solve", Rule::general(Saves::All, solve)),
    ("cholesky", Rule::general(Saves::All, cholesky)),
    ("eigh", Rule::general(Saves::All, eigh)),
    ("eigvalsh", Rule::general(Saves::All, eigh)),
    ("svdvals", Rule::general(Saves::All, svdvals)),
];
