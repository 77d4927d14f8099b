//! Matrix factorizations and eigenvalues.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run;
use crate::chapter::result::named;
use crate::chapter::work;
use crate::error::raise;
use belvedere::linalg::{self, Eig, Eigh, Qr, Svd};
use belvedere::{Error, Tensor};
use pyo3::exceptions::PyValueError;
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
    run(py, work(x), || linalg::cholesky_with(x, upper)).map(Array::from)
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
/// Only the lower triangle is read, or with ``UPLO="U"`` the upper one.
///
/// >>> bv.linalg.eigh(bv.asarray([[3.0, 0.0], [0.0, 2.0]])).eigenvalues
/// array([2., 3.])
#[pyfunction]
#[pyo3(signature = (x, /, UPLO="L"))]
#[expect(non_snake_case, reason = "the name is NumPy's")]
pub(crate) fn eigh<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
    UPLO: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let upper = is_upper(UPLO)?;
    let x = x.tensor();
    let Eigh { eigenvalues, eigenvectors } =
        run(py, work(x), || linalg::eigh(&with_lower(x, upper)?))?;
    named(py, "EighResult", [eigenvalues, eigenvectors])
}

/// Computes the eigenvalues of symmetric or Hermitian matrices, in ascending order.
///
/// Only the lower triangle is read, or with ``UPLO="U"`` the upper one.
///
/// >>> bv.linalg.eigvalsh(bv.asarray([[3.0, 0.0], [0.0, 2.0]]))
/// array([2., 3.])
#[pyfunction]
#[pyo3(signature = (x, /, UPLO="L"))]
#[expect(non_snake_case, reason = "the name is NumPy's")]
pub(crate) fn eigvalsh(py: Python<'_>, x: ArrayArgument<'_>, UPLO: &str) -> PyResult<Array> {
    let upper = is_upper(UPLO)?;
    let x = x.tensor();
    run(py, work(x), || linalg::eigvalsh(&with_lower(x, upper)?)).map(Array::from)
}

fn is_upper(triangle: &str) -> PyResult<bool> {
    match triangle {
        "L" | "l" => Ok(false),
        "U" | "u" => Ok(true),
        other => Err(PyValueError::new_err(format!("UPLO must be 'L' or 'U', got {other:?}"))),
    }
}

/// Matrices whose lower triangles are those to be read.
fn with_lower(x: &Tensor, upper: bool) -> Result<Tensor, Error> {
    if upper { x.mt()?.conj() } else { Ok(x.clone()) }
}

/// Computes the QR decomposition.
///
/// In mode ``"reduced"``, Q has ``min(m, n)`` columns; in mode ``"complete"``, ``m``. In mode ``"r"``, only R is
/// returned.
///
/// >>> bv.linalg.qr(bv.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), mode="complete").Q.shape
/// (3, 3)
#[pyfunction]
#[pyo3(signature = (x, /, mode="reduced"))]
pub(crate) fn qr<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
    mode: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let (r_alone, mode) = if mode == "r" { (true, "reduced") } else { (false, mode) };
    let mode = mode.parse().map_err(raise)?;
    let x = x.tensor();
    let Qr { q, r } = run(py, work(x), || linalg::qr_with(x, mode))?;
    match r_alone {
        true => Array::from(r).object(py).map(Bound::into_any),
        false => named(py, "QRResult", [q, r]),
    }
}

/// Computes the singular value decomposition.
///
/// The singular values are in descending order. With ``compute_uv=False``, only they are returned.
///
/// >>> bv.linalg.svd(bv.asarray([[3.0, 0.0], [0.0, 4.0]])).S
/// array([4., 3.])
#[pyfunction]
#[pyo3(signature = (x, /, full_matrices=true, compute_uv=true, hermitian=false))]
pub(crate) fn svd<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
    full_matrices: bool,
    compute_uv: bool,
    #[expect(unused_variables, reason = "there is one algorithm")] hermitian: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    if !compute_uv {
        let values = run(py, work(x), || linalg::svdvals(x))?;
        return Array::from(values).object(py).map(Bound::into_any);
    }
    let Svd { u, s, vh } = run(py, work(x), || linalg::svd_with(x, full_matrices))?;
    named(py, "SVDResult", [u, s, vh])
}
