//! Linear systems, inverses and determinants.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run;
use crate::chapter::result::named;
use crate::chapter::work;
use belvedere::linalg::{self, LeastSquares, Slogdet};
use pyo3::prelude::*;

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
