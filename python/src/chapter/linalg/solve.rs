//! Equations, inverses, determinants.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::chapter::result::named;
use crate::chapter::work;
use crate::lock::run;
use belvedere::linalg::{self, LeastSquares, Slogdet};
use pyo3::prelude::*;

/// The determinants of square matrices.
///
/// >>> bv.linalg.det(bv.asarray([[2.0, 0.0], [1.0, 3.0]]))
/// array(6.)
#[pyfunction]
#[pyo3(signature = (x, /))]
fn det(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::det(x)).map(Array::from)
}

/// The inverses of square matrices.
///
/// >>> bv.linalg.inv(bv.asarray([[2.0, 0.0], [0.0, 4.0]]))
/// array([[0.5 , 0.  ],
///        [0.  , 0.25]])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn inv(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::inv(x)).map(Array::from)
}

/// The shortest of the best solutions of equations, the ranks of the matrices and their singular values.
///
/// >>> bv.linalg.lstsq(bv.asarray([[2.0], [0.0]]), bv.asarray([[6.0], [1.0]])).x
/// array([[3.]])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, rtol=None))]
fn lstsq<'py>(
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

/// The powers of square matrices; negative ones are powers of the inverse.
///
/// >>> bv.linalg.matrix_power(bv.asarray([[1, 1], [0, 1]]), 5)
/// array([[1, 5],
///        [0, 1]])
#[pyfunction]
#[pyo3(signature = (x, n, /))]
fn matrix_power(py: Python<'_>, x: ArrayArgument<'_>, n: i64) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::matrix_power(x, n)).map(Array::from)
}

/// The ranks of matrices: how many singular values are greater than ``rtol`` times the greatest.
/// There may be a tolerance for each matrix.
///
/// >>> bv.linalg.matrix_rank(bv.asarray([[1.0, 2.0], [2.0, 4.0]]))
/// array(1)
#[pyfunction]
#[pyo3(signature = (x, /, *, rtol=None))]
fn matrix_rank(
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

/// The pseudoinverses of matrices. Singular values below ``rtol`` times the greatest count as zero.
/// There may be a tolerance for each matrix.
///
/// >>> bv.linalg.pinv(bv.asarray([[2.0], [0.0]]))
/// array([[0.5, 0. ]])
#[pyfunction]
#[pyo3(signature = (x, /, *, rtol=None))]
fn pinv(py: Python<'_>, x: ArrayArgument<'_>, rtol: Option<ArrayArgument<'_>>) -> PyResult<Array> {
    let (x, rtol) = (x.tensor(), rtol.as_ref().map(ArrayArgument::tensor));
    let operation = || match rtol {
        None => linalg::pinv(x, None),
        Some(rtol) => linalg::pinv_by(x, rtol),
    };
    run(py, work(x), operation).map(Array::from)
}

/// The signs of determinants, and the logarithms of their sizes.
///
/// >>> bv.linalg.slogdet(bv.asarray([[-1.0, 0.0], [0.0, 1.0]])).sign
/// array(-1.)
#[pyfunction]
#[pyo3(signature = (x, /))]
fn slogdet<'py>(py: Python<'py>, x: ArrayArgument<'_>) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let Slogdet { sign, logabsdet } = run(py, work(x), || linalg::slogdet(x))?;
    named(py, "SlogdetResult", [sign, logabsdet])
}

/// The solutions of equations: what the matrices ``x1`` have to be multiplied by to give ``x2``.
///
/// >>> bv.linalg.solve(bv.asarray([[2.0, 0.0], [0.0, 4.0]]), bv.asarray([6.0, 4.0]))
/// array([3., 1.])
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
fn solve(py: Python<'_>, x1: ArrayArgument<'_>, x2: ArrayArgument<'_>) -> PyResult<Array> {
    let (a, b) = (x1.tensor(), x2.tensor());
    run(py, work(a).max(work(b)), || linalg::solve(a, b)).map(Array::from)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(det, module)?)?;
    module.add_function(wrap_pyfunction!(inv, module)?)?;
    module.add_function(wrap_pyfunction!(lstsq, module)?)?;
    module.add_function(wrap_pyfunction!(matrix_power, module)?)?;
    module.add_function(wrap_pyfunction!(matrix_rank, module)?)?;
    module.add_function(wrap_pyfunction!(pinv, module)?)?;
    module.add_function(wrap_pyfunction!(slogdet, module)?)?;
    module.add_function(wrap_pyfunction!(solve, module)?)
}
