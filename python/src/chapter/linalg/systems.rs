//! Linear systems, inverses and determinants.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run;
use crate::chapter::result::named;
use crate::chapter::work;
use belvedere::linalg::{self, LeastSquares, Slogdet};
use pyo3::prelude::*;

/// Computes the determinant of square matrices.
///
/// >>> bv.linalg.det(bv.asarray([[2.0, 0.0], [1.0, 3.0]]))
/// array(6.)
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn det(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::det(x)).map(Array::from)
}

/// Computes the inverse of square matrices.
///
/// >>> bv.linalg.inv(bv.asarray([[2.0, 0.0], [0.0, 4.0]]))
/// array([[0.5 , 0.  ],
///        [0.  , 0.25]])
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn inv(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::inv(x)).map(Array::from)
}

/// Computes minimum-norm least-squares solutions, ranks and singular values.
///
/// >>> bv.linalg.lstsq(bv.asarray([[2.0], [0.0]]), bv.asarray([[6.0], [1.0]])).x
/// array([[3.]])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, rtol=None))]
pub(crate) fn lstsq<'py>(
    py: Python<'py>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
    rtol: Option<f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let (a, b) = (x1.tensor(), x2.tensor());
    let LeastSquares { x, rank, singular_values } =
        run(py, work(a).max(work(b)), || linalg::lstsq(a, b, rtol))?;
    named(py, "LstsqResult", [x, rank, singular_values])
}

/// Raises square matrices to an integer power; negative powers use the inverse.
///
/// >>> bv.linalg.matrix_power(bv.asarray([[1, 1], [0, 1]]), 5)
/// array([[1, 5],
///        [0, 1]])
#[pyfunction]
#[pyo3(signature = (x, n, /))]
pub(crate) fn matrix_power(py: Python<'_>, x: ArrayArgument<'_>, n: i64) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::matrix_power(x, n)).map(Array::from)
}

/// Computes the rank: the number of singular values above ``rtol`` times the largest.
///
/// There may be a tolerance for each matrix.
///
/// >>> bv.linalg.matrix_rank(bv.asarray([[1.0, 2.0], [2.0, 4.0]]))
/// array(1)
#[pyfunction]
#[pyo3(signature = (x, /, *, rtol=None))]
pub(crate) fn matrix_rank(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    rtol: Option<ArrayArgument<'_>>,
) -> PyResult<Array> {
    let (x, rtol) = (x.tensor(), rtol.as_ref().map(ArrayArgument::tensor));
    let operation = || match rtol {
        None => linalg::matrix_rank(x, None),
        Some(rtol) => linalg::matrix_rank_by(x, rtol),
    };
    run(py, work(x), operation).map(Array::from)
}

/// Computes the Moore-Penrose pseudoinverse.
///
/// Singular values below ``rtol`` times the largest count as zero. There may be a tolerance for
/// each matrix.
///
/// >>> bv.linalg.pinv(bv.asarray([[2.0], [0.0]]))
/// array([[0.5, 0. ]])
#[pyfunction]
#[pyo3(signature = (x, /, *, rtol=None))]
pub(crate) fn pinv(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    rtol: Option<ArrayArgument<'_>>,
) -> PyResult<Array> {
    let (x, rtol) = (x.tensor(), rtol.as_ref().map(ArrayArgument::tensor));
    let operation = || match rtol {
        None => linalg::pinv(x, None),
        Some(rtol) => linalg::pinv_by(x, rtol),
    };
    run(py, work(x), operation).map(Array::from)
}

/// Computes the sign and the natural logarithm of the absolute value of the determinant.
///
/// >>> bv.linalg.slogdet(bv.asarray([[-1.0, 0.0], [0.0, 1.0]])).sign
/// array(-1.)
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn slogdet<'py>(py: Python<'py>, x: ArrayArgument<'_>) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let Slogdet { sign, logabsdet } = run(py, work(x), || linalg::slogdet(x))?;
    named(py, "SlogdetResult", [sign, logabsdet])
}

/// Solves the linear systems ``x1 @ x = x2``.
///
/// >>> bv.linalg.solve(bv.asarray([[2.0, 0.0], [0.0, 4.0]]), bv.asarray([6.0, 4.0]))
/// array([3., 1.])
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
pub(crate) fn solve(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
) -> PyResult<Array> {
    let (a, b) = (x1.tensor(), x2.tensor());
    run(py, work(a).max(work(b)), || linalg::solve(a, b)).map(Array::from)
}
