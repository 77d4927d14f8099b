//! Matrix factorizations and eigenvalues.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run;
use crate::chapter::result::named;
use crate::chapter::work;
use crate::error::raise;
use belvedere::linalg::{self, Eig, Eigh, Qr, Svd};
use pyo3::prelude::*;

/// Computes the Cholesky factorization of symmetric or Hermitian positive definite matrices.
///
/// >>> bv.linalg.cholesky(bv.asarray([[4.0, 2.0], [2.0, 5.0]]))
/// array([[2., 0.],
///        [1., 2.]])
#[pyfunction]
#[pyo3(signature = (x, /, *, upper=false))]
pub(crate) fn cholesky(py: Python<'_>, x: ArrayArgument<'_>, upper: bool) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::cholesky(x, upper)).map(Array::from)
}

/// Computes the eigenvalues and right eigenvectors of square matrices; both are complex.
///
/// >>> bv.linalg.eig(bv.asarray([[2.0, 0.0], [0.0, 3.0]])).eigenvalues
/// array([2.+0.j, 3.+0.j])
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn eig<'py>(py: Python<'py>, x: ArrayArgument<'_>) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let Eig { eigenvalues, eigenvectors } = run(py, work(x), || linalg::eig(x))?;
    named(py, "EigResult", [eigenvalues, eigenvectors])
}

/// Computes the eigenvalues, in ascending order, and eigenvectors of symmetric or Hermitian matrices.
///
/// Only the lower triangle is read.
///
/// >>> bv.linalg.eigh(bv.asarray([[3.0, 0.0], [0.0, 2.0]])).eigenvalues
/// array([2., 3.])
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn eigh<'py>(py: Python<'py>, x: ArrayArgument<'_>) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let Eigh { eigenvalues, eigenvectors } = run(py, work(x), || linalg::eigh(x))?;
    named(py, "EighResult", [eigenvalues, eigenvectors])
}

/// Computes the QR decomposition.
///
/// In mode ``"reduced"``, Q has ``min(m, n)`` columns; in mode ``"complete"``, ``m``.
///
/// >>> bv.linalg.qr(bv.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), mode="complete").Q.shape
/// (3, 3)
#[pyfunction]
#[pyo3(signature = (x, /, *, mode="reduced"))]
pub(crate) fn qr<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
    mode: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let mode = mode.parse().map_err(raise)?;
    let x = x.tensor();
    let Qr { q, r } = run(py, work(x), || linalg::qr(x, mode))?;
    named(py, "QRResult", [q, r])
}

/// Computes the singular value decomposition.
///
/// The singular values are in descending order.
///
/// >>> bv.linalg.svd(bv.asarray([[3.0, 0.0], [0.0, 4.0]])).S
/// array([4., 3.])
#[pyfunction]
#[pyo3(signature = (x, /, *, full_matrices=true))]
pub(crate) fn svd<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
    full_matrices: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let Svd { u, s, vh } = run(py, work(x), || linalg::svd(x, full_matrices))?;
    named(py, "SVDResult", [u, s, vh])
}
