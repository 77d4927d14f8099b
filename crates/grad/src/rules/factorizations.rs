//! Factorizations of stacks of matrices, and what is computed with them: pseudoinverses and least squares.

use super::eigenvalues::check_phases;
use super::{Rule, Rules, Saves};
use crate::accumulate::in_dtype;
use crate::pullback::Pullback;
use crate::scope::no_tape;
use belvedere::{DType, Error, Tensor, concat, linalg, where_};

/// Returns the conjugate transposes of matrices.
pub(super) fn adjoint(x: &Tensor) -> Result<Tensor, Error> {
    x.mt()?.conj()
}

/// Multiplies the columns of matrices by the elements of vectors: `x diag(v)`.
pub(super) fn scale_columns(x: &Tensor, v: &Tensor) -> Result<Tensor, Error> {
    x.mul(&v.unsqueeze(-2)?)
}

/// Returns the matrices with vectors as their diagonals.
pub(super) fn diagonal_matrix(v: &Tensor) -> Result<Tensor, Error> {
    let n = v.shape()[v.rank() - 1] as isize;
    let is_diagonal = Tensor::eye(n as usize, DType::Bool)?;
    where_(&is_diagonal, &v.unsqueeze(-1)?, 0.0)
}

/// Returns divisors whose zeros are infinite: what is divided by them is zero.
pub(super) fn without_zeros(x: &Tensor) -> Result<Tensor, Error> {
    where_(&x.equal(0.0)?, f64::INFINITY, x)
}

/// Returns whether a part of gradients is more than their rounding errors.
pub(super) fn has_size(part: &Tensor, gradients: &[&Tensor]) -> Result<bool, Error> {
    let greatest = |x: &Tensor| match x.is_empty() {
        true => Ok(0.0),
        false => x.abs()?.max(())?.astype(DType::Float64)?.item::<f64>(),
    };
    let precision = if part.dtype().real() == DType::Float32 { 1e-3 } else { 1e-8 };
    no_tape(|| {
        let sizes: Vec<f64> = gradients.iter().map(|it| greatest(it)).collect::<Result<_, _>>()?;
        Ok(greatest(part)? > precision * sizes.iter().sum::<f64>())
    })
}

/// Returns the columns from `k` on of a gradient, if they are more than rounding errors.
fn has_columns_from(g: &Tensor, k: usize) -> Result<bool, Error> {
    let n = g.shape()[g.rank() - 1];
    Ok(n > k && has_size(&g.narrow(-1, k, n - k)?, &[g])?)
}

/// Returns the lower triangle and half of the diagonal.
fn lower_half(x: &Tensor) -> Result<Tensor, Error> {
    x.tril(0)?.add(&x.tril(-1)?)?.mul(0.5)
}

/// With `x = l lᴴ`: `l⁻ᴴ Φ(lᴴ g) l⁻¹`, made Hermitian, where `Φ` takes the lower triangle and half of the diagonal.
fn cholesky(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (x, mut g) = (p.input(0)?, p.g());
    let l = linalg::cholesky(&x)?;
    if p.flag("upper") {
        g = adjoint(&g)?;
    }
    let inner = lower_half(&adjoint(&l)?.matmul(&g)?)?;
    let inverse = linalg::inv(&l)?;
    let outer = adjoint(&inverse)?.matmul(&inner)?.matmul(&inverse)?;
    p.add(0, outer.add(&adjoint(&outer)?)?.mul(0.5)?);
    Ok(())
}

/// `u diag(g) vᴴ`.
fn svdvals(p: &mut Pullback<'_>) -> Result<(), Error> {
    let x = p.input(0)?;
    let contribution = of_singular_values(&x, &p.g())?;
    p.add(0, contribution);
    Ok(())
}

fn of_singular_values(x: &Tensor, g: &Tensor) -> Result<Tensor, Error> {
    let found = linalg::svd_with(x, false)?;
    scale_columns(&found.u, g)?.matmul(&found.vh)
}

/// `u (((F ∘ skew(uᴴ gᵤ)) s + s (F ∘ skew(vᴴ gᵥ)) + diag(gₛ)) vᴴ` with `Fᵢⱼ = 1 / (sⱼ² - sᵢ²)`, and the parts of `gᵤ` and
/// `gᵥ` that are orthogonal to `u` and `v`, divided by `s`.
fn svd(p: &mut Pullback<'_>) -> Result<(), Error> {
    let found = linalg::svd_with(&p.input(0)?, false)?;
    let (u, s, vh) = (found.u, found.s, found.vh);
    let k = s.shape()[s.rank() - 1];
    let of_v = p.gradient(2).map(adjoint).transpose()?;
    for g in [p.gradient(0), of_v.as_ref()].into_iter().flatten() {
        if has_columns_from(g, k)? {
            let reason = "singular vectors beyond min(m, n) are not determined, and the result depends on them";
            return Err(p.undefined(reason));
        }
    }
    let leading = |g: &Tensor| g.narrow(-1, 0, k);
    let to_u = p.gradient(0).map(leading).transpose()?;
    let to_v = of_v.as_ref().map(leading).transpose()?;
    let v = adjoint(&vh)?;
    let inner = inner_of_svd(p, (&u, to_u.as_ref()), &s, (&v, to_v.as_ref()))?;
    let mut contribution = u.matmul(&inner)?.matmul(&vh)?;
    // What is orthogonal to the singular vectors, if those do not span the space.
    let outside = |own: &Tensor, g: &Tensor| -> Result<Tensor, Error> {
        let scaled = g.div(&without_zeros(&s.unsqueeze(-2)?)?)?;
        scaled.sub(&own.matmul(&adjoint(own)?.matmul(&scaled)?)?)
    };
    if let Some(g) = to_u.filter(|it| it.shape()[it.rank() - 2] > k) {
        contribution = contribution.add(&outside(&u, &g)?.matmul(&vh)?)?;
    }
    if let Some(g) = to_v.filter(|it| it.shape()[it.rank() - 2] > k) {
        contribution = contribution.add(&u.matmul(&adjoint(&outside(&v, &g)?)?)?)?;
    }
    p.add(0, contribution);
    Ok(())
}

/// Returns the part of the gradient between `u` and `vᴴ`.
fn inner_of_svd(
    p: &Pullback<'_>,
    (u, to_u): (&Tensor, Option<&Tensor>),
    s: &Tensor,
    (v, to_v): (&Tensor, Option<&Tensor>),
) -> Result<Tensor, Error> {
    let mut inner = match p.gradient(1) {
        Some(g) => diagonal_matrix(g)?,
        None => diagonal_matrix(&s.zeros_like()?)?,
    };
    let skew = |own: &Tensor, g: Option<&Tensor>| -> Result<Option<Tensor>, Error> {
        let Some(g) = g else { return Ok(None) };
        let projected = adjoint(own)?.matmul(g)?;
        Ok(Some(projected.sub(&adjoint(&projected)?)?))
    };
    let (of_u, of_v) = (skew(u, to_u)?, skew(v, to_v)?);
    let Some(both) = (match (&of_u, &of_v) {
        (Some(a), Some(b)) => Some(a.add(b)?),
        (one, other) => one.clone().or(other.clone()),
    }) else {
        return Ok(inner);
    };
    let reason = "singular vectors are determined up to their phases, which the result depends on";
    let gradients: Vec<&Tensor> = [to_u, to_v].into_iter().flatten().collect();
    check_phases(p, &both, &gradients, reason)?;
    let squares = s.square()?;
    let gaps = without_zeros(&squares.unsqueeze(-2)?.sub(&squares.unsqueeze(-1)?)?)?;
    if let Some(of_u) = &of_u {
        inner = scale_columns(&of_u.div(&gaps)?, s)?.add(&inner)?;
        if of_u.dtype().is_complex() {
            // The phase of a pair of vectors may be in either.
            let phases = of_u.diagonal(0, -2, -1)?.div(&without_zeros(&s.mul(2.0)?)?)?;
            inner = diagonal_matrix(&phases)?.add(&inner)?;
        }
    }
    match of_v {
        Some(of_v) => s.unsqueeze(-1)?.mul(&of_v.div(&gaps)?)?.add(&inner),
        None => Ok(inner),
    }
}

/// With `x = q r`: `(g_q + q Σ(triu(g_r rᴴ - qᴴ g_q))) r⁻ᴴ`, where `Σ(a)` is `a + aᴴ` with half of the diagonal, if the matrices are not
/// wide; those columns of `r` that a wide one has beyond the first square are `qᴴ` times those of `x`.
fn qr(p: &mut Pullback<'_>) -> Result<(), Error> {
    let x = p.input(0)?;
    let [m, n] = [x.shape()[x.rank() - 2], x.shape()[x.rank() - 1]];
    let k = m.min(n);
    let found = linalg::qr(&x)?;
    let (q, r) = (found.q, found.r);
    let (mut to_q, mut to_r) = (q.zeros_like()?, r.zeros_like()?);
    if let Some(g) = p.gradient(0) {
        if has_columns_from(g, k)? {
            let reason = "the columns of q beyond min(m, n) are not determined, and the result depends on them";
            return Err(p.undefined(reason));
        }
        to_q = g.narrow(-1, 0, k)?;
    }
    if let Some(g) = p.gradient(1) {
        to_r = g.narrow(-2, 0, k)?;
    }
    if n <= m {
        let contribution = of_tall_qr(p, (&q, &to_q), (&r, &to_r))?;
        p.add(0, contribution);
        return Ok(());
    }
    let rest = |x: &Tensor| x.narrow(-1, m, n - m);
    let to_q = to_q.add(&rest(&x)?.matmul(&adjoint(&rest(&to_r)?)?)?)?;
    let first = of_tall_qr(p, (&q, &to_q), (&r.narrow(-1, 0, m)?, &to_r.narrow(-1, 0, m)?))?;
    let others = q.matmul(&rest(&to_r)?)?;
    p.add(0, concat(&[&first, &others], -1)?);
    Ok(())
}

fn of_tall_qr(
    p: &Pullback<'_>,
    (q, to_q): (&Tensor, &Tensor),
    (r, to_r): (&Tensor, &Tensor),
) -> Result<Tensor, Error> {
    let of_r = to_r.matmul(&adjoint(r)?)?;
    let inner = of_r.sub(&adjoint(q)?.matmul(to_q)?)?;
    let reason = "the columns of q are determined up to their phases, which the result depends on";
    check_phases(p, &inner, &[&of_r, to_q], reason)?;
    let upper = adjoint(&lower_half(&adjoint(&inner)?)?)?;
    let sum = to_q.add(&q.matmul(&upper.add(&adjoint(&upper)?)?)?)?;
    adjoint(&linalg::solve(r, &adjoint(&sum)?)?)
}

/// `-pᴴ gₓ pᴴ + (1 - x p) gᴴ p pᴴ + pᴴ p gᴴ (1 - p x)` for the pseudoinverse `p` of `x`.
fn of_pseudoinverse(x: &Tensor, inverse: &Tensor, g: &Tensor) -> Result<Tensor, Error> {
    let (adjoint_inverse, adjoint_g) = (adjoint(inverse)?, adjoint(g)?);
    let inside = adjoint_inverse.matmul(g)?.matmul(&adjoint_inverse)?;
    let left = adjoint_g.sub(&x.matmul(&inverse.matmul(&adjoint_g)?)?)?;
    let left = left.matmul(inverse)?.matmul(&adjoint_inverse)?;
    let right = adjoint_g.sub(&adjoint_g.matmul(inverse)?.matmul(x)?)?;
    let right = adjoint_inverse.matmul(&inverse.matmul(&right)?)?;
    left.add(&right)?.sub(&inside)
}

fn pinv(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (x, g) = (p.input(0)?, p.g());
    let inverse = match p.n_inputs() {
        1 => linalg::pinv_with(&x, p.number("rtol"))?,
        _ => linalg::pinv_by(&x, &p.input(1)?)?,
    };
    p.add(0, of_pseudoinverse(&x, &inverse, &g)?);
    Ok(())
}

/// The solution is `p b` with the pseudoinverse `p` of `a`.
fn lstsq(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (a, b) = (p.input(0)?, p.input(1)?);
    if let Some(g) = p.gradient(0).cloned() {
        let is_vector = b.rank() == 1;
        let as_columns = |x: &Tensor| if is_vector { x.unsqueeze(-1) } else { Ok(x.clone()) };
        // The operation computes in the dtype of its result.
        let (a, b) = (in_dtype(a.clone(), g.dtype())?, in_dtype(b, g.dtype())?);
        let (g, b) = (as_columns(&g)?, as_columns(&b)?);
        let inverse = linalg::pinv_with(&a, p.number("rtol"))?;
        if p.needs(1) {
            let to_b = adjoint(&inverse)?.matmul(&g)?;
            p.add(1, if is_vector { to_b.squeeze([-1])? } else { to_b });
        }
        if p.needs(0) {
            p.add(0, of_pseudoinverse(&a, &inverse, &g.matmul(&adjoint(&b)?)?)?);
        }
    }
    if let Some(g) = p.gradient(2).cloned() {
        p.add(0, of_singular_values(&a, &g)?);
    }
    Ok(())
}

pub(super) const RULES: Rules = &[
    ("cholesky", Rule::general(Saves::All, cholesky).complex()),
    ("lstsq", Rule::general(Saves::All, lstsq).complex()),
    ("pinv", Rule::general(Saves::All, pinv).complex()),
    ("qr", Rule::general(Saves::All, qr).complex()),
    ("svd", Rule::general(Saves::All, svd).complex()),
    ("svdvals", Rule::general(Saves::All, svdvals).complex()),
];
