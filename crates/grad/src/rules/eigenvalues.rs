//! Eigendecompositions of stacks of matrices.

use super::factorizations::{adjoint, diagonal_matrix, has_size, scale_columns, without_zeros};
use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::{Error, Tensor, linalg};

/// Why the derivative does not exist.
const PHASES: &str = "eigenvectors are determined up to their phases, which the result depends on";

/// Checks that the result does not depend on the phases of complex vectors `v`, given `vᴴ g` for their gradients.
///
/// Rules factorize again, so that a derivative of higher order is a sum over factorizations that have the same phases, of
/// which only all together do not depend on them: that was checked when the first derivative was computed.
pub(super) fn check_phases(
    p: &Pullback<'_>,
    projected: &Tensor,
    gradients: &[&Tensor],
    reason: &'static str,
) -> Result<(), Error> {
    if !projected.dtype().is_complex() || p.is_higher_order() {
        return Ok(());
    }
    let along = projected.diagonal(0, -2, -1)?.imag()?;
    match has_size(&along, gradients)? {
        true => Err(p.undefined(reason)),
        false => Ok(()),
    }
}

/// Returns `λⱼ - λᵢ` for all pairs.
fn gaps(values: &Tensor) -> Result<Tensor, Error> {
    values.unsqueeze(-2)?.sub(&values.unsqueeze(-1)?)
}

/// `v diag(g) vᴴ`, and for the eigenvectors `v (F ∘ vᴴ g) vᴴ` with `Fᵢⱼ = 1 / (λⱼ - λᵢ)`; made Hermitian, as one triangle
/// determines the matrix.
fn eigh(p: &mut Pullback<'_>) -> Result<(), Error> {
    let found = linalg::eigh(&p.input(0)?)?;
    let (values, v) = (found.eigenvalues, found.eigenvectors);
    let mut inner = match p.gradient(0) {
        Some(g) => diagonal_matrix(g)?,
        None => v.zeros_like()?,
    };
    if p.n_outputs() > 1
        && let Some(g) = p.gradient(1)
    {
        let projected = adjoint(&v)?.matmul(g)?;
        check_phases(p, &projected, &[g], PHASES)?;
        inner = projected.div(&without_zeros(&gaps(&values)?)?)?.add(&inner)?;
    }
    let outer = v.matmul(&inner)?.matmul(&adjoint(&v)?)?;
    p.add(0, outer.add(&adjoint(&outer)?)?.mul(0.5)?);
    Ok(())
}

/// `v⁻ᴴ diag(g) vᴴ`, and for the eigenvectors `v⁻ᴴ (conj(F) ∘ (vᴴ g - vᴴ v Re diag(vᴴ g))) vᴴ`: they have length 1.
fn eig(p: &mut Pullback<'_>) -> Result<(), Error> {
    let found = linalg::eig(&p.input(0)?)?;
    let (values, v) = (found.eigenvalues, found.eigenvectors);
    let to_v = adjoint(&v)?;
    let mut inner = match p.gradient(0) {
        Some(g) => diagonal_matrix(g)?,
        None => v.zeros_like()?,
    };
    if p.n_outputs() > 1
        && let Some(g) = p.gradient(1)
    {
        let projected = to_v.matmul(g)?;
        check_phases(p, &projected, &[g], PHASES)?;
        let lengths = projected.diagonal(0, -2, -1)?.real()?;
        let turned = projected.sub(&to_v.matmul(&scale_columns(&v, &lengths)?)?)?;
        inner = turned.div(&without_zeros(&gaps(&values.conj()?)?)?)?.add(&inner)?;
    }
    p.add(0, linalg::solve(&to_v, &inner.matmul(&to_v)?)?);
    Ok(())
}

pub(super) const RULES: Rules = &[
    ("eigh", Rule::general(Saves::All, eigh).complex()),
    ("eigvalsh", Rule::general(Saves::All, eigh).complex()),
    ("eig", Rule::general(Saves::All, eig).complex()),
    ("eigvals", Rule::general(Saves::All, eig).complex()),
];
