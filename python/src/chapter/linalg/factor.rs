//! Matrices as products of others.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::chapter::result::named;
use crate::chapter::work;
use crate::lock::run;
use belvedere::linalg::{self, Eig, Eigh, Qr, QrMode, Svd};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The triangle whose product with its adjoint is a positive definite matrix: the lower one, or the upper.
///
/// >>> bv.linalg.cholesky(bv.asarray([[4.0, 2.0], [2.0, 5.0]]))
/// array([[2., 0.],
///        [1., 2.]])
#[pyfunction]
#[pyo3(signature = (x, /, *, upper=false))]
fn cholesky(py: Python<'_>, x: ArrayArgument<'_>, upper: bool) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::cholesky(x, upper)).map(Array::from)
}

/// The eigenvalues and eigenvectors of square matrices, always complex, in no order.
///
/// >>> bv.linalg.eig(bv.asarray([[2.0, 0.0], [0.0, 3.0]])).eigenvalues
/// array([2.+0.j, 3.+0.j])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn eig<'py>(py: Python<'py>, x: ArrayArgument<'_>) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let Eig { eigenvalues, eigenvectors } = run(py, work(x), || linalg::eig(x))?;
    named(py, "EigResult", [eigenvalues, eigenvectors])
}

/// The eigenvalues of symmetric or Hermitian matrices, the least first, and their eigenvectors as
/// columns. Only the lower triangle is read.
///
/// >>> bv.linalg.eigh(bv.asarray([[3.0, 0.0], [0.0, 2.0]])).eigenvalues
/// array([2., 3.])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn eigh<'py>(py: Python<'py>, x: ArrayArgument<'_>) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let Eigh { eigenvalues, eigenvectors } = run(py, work(x), || linalg::eigh(x))?;
    named(py, "EighResult", [eigenvalues, eigenvectors])
}

/// The eigenvalues of square matrices, always complex, in no order.
///
/// >>> bv.linalg.eigvals(bv.asarray([[2.0, 0.0], [0.0, 3.0]]))
/// array([2.+0.j, 3.+0.j])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn eigvals(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::eigvals(x)).map(Array::from)
}

/// The eigenvalues of symmetric or Hermitian matrices, the least first.
///
/// >>> bv.linalg.eigvalsh(bv.asarray([[3.0, 0.0], [0.0, 2.0]]))
/// array([2., 3.])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn eigvalsh(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::eigvalsh(x)).map(Array::from)
}

/// Matrices as products of orthonormal columns and an upper triangle: ``"reduced"`` to as many columns as
/// are needed, or ``"complete"``.
///
/// >>> bv.linalg.qr(bv.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), mode="complete").Q.shape
/// (3, 3)
#[pyfunction]
#[pyo3(signature = (x, /, *, mode="reduced"))]
fn qr<'py>(py: Python<'py>, x: ArrayArgument<'_>, mode: &str) -> PyResult<Bound<'py, PyAny>> {
    let mode = match mode {
        "reduced" => QrMode::Reduced,
        "complete" => QrMode::Complete,
        _ => {
            let message = format!("mode is reduced or complete, not {mode:?}");
            return Err(PyValueError::new_err(message));
        }
    };
    let x = x.tensor();
    let Qr { q, r } = run(py, work(x), || linalg::qr(x, mode))?;
    named(py, "QRResult", [q, r])
}

/// Matrices as products of orthonormal columns, singular values (the greatest first), and orthonormal
/// rows.
///
/// >>> bv.linalg.svd(bv.asarray([[3.0, 0.0], [0.0, 4.0]])).S
/// array([4., 3.])
#[pyfunction]
#[pyo3(signature = (x, /, *, full_matrices=true))]
fn svd<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
    full_matrices: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let Svd { u, s, vh } = run(py, work(x), || linalg::svd(x, full_matrices))?;
    named(py, "SVDResult", [u, s, vh])
}

/// The singular values of matrices, the greatest first.
///
/// >>> bv.linalg.svdvals(bv.asarray([[3.0, 0.0], [0.0, 4.0]]))
/// array([4., 3.])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn svdvals(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::svdvals(x)).map(Array::from)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(cholesky, module)?)?;
    module.add_function(wrap_pyfunction!(eig, module)?)?;
    module.add_function(wrap_pyfunction!(eigh, module)?)?;
    module.add_function(wrap_pyfunction!(eigvals, module)?)?;
    module.add_function(wrap_pyfunction!(eigvalsh, module)?)?;
    module.add_function(wrap_pyfunction!(qr, module)?)?;
    module.add_function(wrap_pyfunction!(svd, module)?)?;
    module.add_function(wrap_pyfunction!(svdvals, module)?)
}
