//! Factorizations, pseudoinverses and least squares: tall, wide, square and stacked matrices.

use crate::differences::{ALL, Case, SMALL, case, complex, definite, square};
use belvedere::linalg::{QrMode, Svd};
use belvedere::prelude::*;

fn tall(x: &Tensor) -> Result<Tensor, Error> {
    x.t()?.add(&Tensor::eye(4, DType::Float64)?.slice(s![.., ..3])?.mul(3.0)?)
}

fn wide(x: &Tensor) -> Result<Tensor, Error> {
    tall(x)?.t()
}

/// A matrix with different eigenvalues.
fn distinct(x: &Tensor) -> Result<Tensor, Error> {
    square(x)?.add(&tensor![[0.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 8.0]])
}

fn stacked(x: &[Tensor]) -> Result<Tensor, Error> {
    stack(&[&wide(&x[0])?, &wide(&x[1])?], 0)
}

/// Returns what does not depend on the phases of the singular vectors.
fn without_phases(found: &Svd) -> Result<Tensor, Error> {
    let (u, vh) = (found.u.abs()?.square()?, found.vh.abs()?.square()?);
    u.sum(())?.add(&u.mul(&u)?.sum(())?)?.add(&vh.mul(&vh)?.sum(())?)
}

pub(crate) const CASES: &[Case] = &[
    case("svd u", 1, SMALL, |x| Ok(linalg::svd_with(&wide(&x[0])?, false)?.u)),
    case("svd u tall", 1, SMALL, |x| Ok(linalg::svd_with(&tall(&x[0])?, false)?.u)),
    case("svd s", 1, SMALL, |x| Ok(linalg::svd(&tall(&x[0])?)?.s)),
    case("svd vh", 1, SMALL, |x| Ok(linalg::svd_with(&wide(&x[0])?, false)?.vh)),
    case("svd vh tall", 1, SMALL, |x| Ok(linalg::svd_with(&tall(&x[0])?, false)?.vh)),
    case("svd all", 1, SMALL, |x| {
        let Svd { u, s, vh } = linalg::svd_with(&tall(&x[0])?, false)?;
        u.mul(&s)?.exp()?.matmul(&vh.square()?)
    }),
    case("svd square", 1, SMALL, |x| {
        let found = linalg::svd(&square(&x[0])?)?;
        found.u.mul(&found.s)?.matmul(&found.vh.square()?)
    }),
    case("svd full", 1, SMALL, |x| {
        let Svd { u, s, vh } = linalg::svd(&tall(&x[0])?)?;
        u.slice(s![.., ..3])?.mul(&s)?.square()?.matmul(&vh)
    }),
    case("svd stacked", 2, SMALL, |x| {
        let Svd { u, s, vh } = linalg::svd_with(&stacked(x)?, false)?;
        u.mul(&s.unsqueeze(1)?)?.square()?.matmul(&vh)
    }),
    case("svd of rank 1", 2, SMALL, |x| {
        let x = x[0].slice(s![.., 1])?.outer(&x[1].slice(s![0])?)?;
        let Svd { u, s, vh } = linalg::svd_with(&x, false)?;
        let first = u.slice(s![.., ..1])?.square()?.matmul(&vh.slice(s![..1])?.square()?)?;
        first.mul(&s.slice(s![0])?)
    }),
    complex("svd of rank 1 complex", 2, SMALL, |x| {
        let x = x[0].slice(s![.., 1])?.outer(&x[1].slice(s![0])?)?;
        let Svd { u, s, vh } = linalg::svd_with(&x, false)?;
        let first = u.slice(s![.., ..1])?.matmul(&vh.slice(s![..1])?.mul(2.0)?)?;
        first.square()?.mul(&s.slice(s![0])?)
    }),
    complex("svd s complex", 1, SMALL, |x| Ok(linalg::svd(&wide(&x[0])?)?.s)),
    complex("svd polar", 1, SMALL, |x| {
        let Svd { u, vh, .. } = linalg::svd_with(&wide(&x[0])?, false)?;
        u.matmul(&vh)
    }),
    complex("svd polar tall", 1, SMALL, |x| {
        let Svd { u, vh, .. } = linalg::svd_with(&tall(&x[0])?, false)?;
        u.matmul(&vh)
    }),
    complex("svd sizes", 1, SMALL, |x| without_phases(&linalg::svd_with(&wide(&x[0])?, false)?)),
    complex("svd sizes u", 1, SMALL, |x| linalg::svd_with(&tall(&x[0])?, false)?.u.abs()?.square()),
    complex("svd sizes vh", 1, SMALL, |x| linalg::svd(&square(&x[0])?)?.vh.abs()?.square()),
    complex("svdvals complex", 1, SMALL, |x| linalg::svdvals(&x[0])),
    case("qr q", 1, SMALL, |x| Ok(linalg::qr(&tall(&x[0])?)?.q)),
    case("qr r", 1, SMALL, |x| Ok(linalg::qr(&tall(&x[0])?)?.r)),
    case("qr both", 1, SMALL, |x| {
        let found = linalg::qr(&square(&x[0])?)?;
        found.q.square()?.matmul(&found.r)
    }),
    case("qr wide q", 1, SMALL, |x| Ok(linalg::qr(&wide(&x[0])?)?.q)),
    case("qr wide r", 1, SMALL, |x| Ok(linalg::qr(&wide(&x[0])?)?.r)),
    case("qr complete wide", 1, SMALL, |x| {
        let found = linalg::qr_with(&wide(&x[0])?, QrMode::Complete)?;
        found.q.square()?.matmul(&found.r)
    }),
    case("qr complete tall", 1, SMALL, |x| {
        let found = linalg::qr_with(&tall(&x[0])?, QrMode::Complete)?;
        found.q.slice(s![.., ..3])?.square()?.matmul(&found.r.slice(s![..3])?)
    }),
    case("qr stacked", 2, SMALL, |x| {
        let found = linalg::qr(&stacked(x)?)?;
        found.q.square()?.matmul(&found.r)
    }),
    complex("qr complex", 1, SMALL, |x| {
        let found = linalg::qr(&tall(&x[0])?)?;
        found.q.abs()?.matmul(&found.r.abs()?.square()?)?.add(&found.q.matmul(&found.r.triu(1)?)?)
    }),
    complex("qr complex wide", 1, SMALL, |x| {
        let found = linalg::qr(&wide(&x[0])?)?;
        found.q.abs()?.matmul(&found.r.abs()?.square()?)?.add(&found.q.matmul(&found.r.triu(1)?)?)
    }),
    case("pinv", 1, SMALL, |x| linalg::pinv(&wide(&x[0])?)),
    case("pinv tall", 1, SMALL, |x| linalg::pinv_with(&tall(&x[0])?, 1e-9)),
    case("pinv by", 2, SMALL, |x| linalg::pinv_by(&stacked(x)?, &tensor![1e-9, 1e-8])),
    case("pinv of rank 1", 2, SMALL, |x| {
        linalg::pinv_with(&x[0].slice(s![.., 1])?.outer(&x[1].slice(s![0])?)?, 1e-6)
    }),
    complex("pinv complex", 1, SMALL, |x| linalg::pinv(&wide(&x[0])?)),
    complex("pinv complex tall", 1, SMALL, |x| linalg::pinv(&tall(&x[0])?)),
    case("lstsq", 2, SMALL, |x| Ok(linalg::lstsq(&tall(&x[0])?, &x[1].t()?)?.x)),
    case("lstsq wide", 2, SMALL, |x| Ok(linalg::lstsq(&wide(&x[0])?, &x[1])?.x)),
    case("lstsq vector", 2, SMALL, |x| Ok(linalg::lstsq(&tall(&x[0])?, &x[1].slice(s![0])?)?.x)),
    case("lstsq values", 2, SMALL, |x| {
        let found = linalg::lstsq(&tall(&x[0])?, &x[1].slice(s![0])?)?;
        found.x.mul(&found.singular_values)
    }),
    case("lstsq stacked", 2, SMALL, |x| {
        Ok(linalg::lstsq(&stacked(x)?, &x[1].slice(s![.., ..2])?)?.x)
    }),
    complex(
        "lstsq complex",
        2,
        SMALL,
        |x| Ok(linalg::lstsq(&tall(&x[0])?, &x[1].slice(s![0])?)?.x),
    ),
    case("eigvals", 1, SMALL, |x| linalg::eigvals(&distinct(&x[0])?)),
    complex("eigvals complex", 1, SMALL, |x| linalg::eigvals(&distinct(&x[0])?)),
    case("eig", 1, SMALL, |x| linalg::eig(&distinct(&x[0])?)?.eigenvectors.abs()?.square()),
    complex("eig complex", 1, SMALL, |x| {
        let found = linalg::eig(&distinct(&x[0])?)?;
        found.eigenvectors.abs()?.square()?.mul(&found.eigenvalues)
    }),
    complex("eig stacked", 2, SMALL, |x| {
        let x = stack(&[&distinct(&x[0])?, &distinct(&x[1])?], 0)?;
        linalg::eig(&x)?.eigenvectors.abs()?.square()
    }),
    complex("eigh complex", 1, SMALL, |x| {
        let found = linalg::eigh(&definite(&x[0])?)?;
        found.eigenvectors.abs()?.square()?.mul(&found.eigenvalues)
    }),
    complex("eigvalsh complex", 1, SMALL, |x| linalg::eigvalsh(&definite(&x[0])?)),
    complex("cholesky complex", 1, SMALL, |x| linalg::cholesky(&definite(&x[0])?)),
    complex("cholesky upper", 1, SMALL, |x| linalg::cholesky_with(&definite(&x[0])?, true)),
    complex("inv complex", 1, SMALL, |x| linalg::inv(&square(&x[0])?)),
    complex("det complex", 1, SMALL, |x| linalg::det(&square(&x[0])?)),
    complex("slogdet complex", 1, SMALL, |x| {
        let found = linalg::slogdet(&square(&x[0])?)?;
        found.sign.mul(&found.logabsdet)
    }),
    complex("solve complex", 2, SMALL, |x| linalg::solve(&square(&x[0])?, &x[1])),
    complex("matrix_power complex", 1, SMALL, |x| linalg::matrix_power(&square(&x[0])?, -2)),
    complex("matrix_norm complex", 1, ALL, |x| linalg::matrix_norm(&x[0])),
    complex("cond complex", 1, SMALL, |x| linalg::cond(&square(&x[0])?)),
];
