//! Linear systems, inverses and determinants.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run;
use crate::chapter::product::multiply_or_test;
use crate::chapter::result::named;
use crate::chapter::work;
use belvedere::linalg::{self, LeastSquares, Slogdet};
use belvedere::{DType, Error, Tensor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Computes minimum-norm least-squares solutions, the sums of squared residuals, ranks and singular values.
///
/// Singular values below ``rcond`` times the largest count as zero; the standard's name of this parameter is ``rtol``.
/// The residuals are empty unless ``x1`` has more rows than columns and full rank.
///
/// >>> bv.linalg.lstsq(bv.asarray([[2.0], [0.0]]), bv.asarray([[6.0], [1.0]])).x
/// array([[3.]])
/// >>> x, residuals, rank, s = bv.linalg.lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 2.0, 2.0])
/// >>> rank
/// array(2)
#[pyfunction]
#[pyo3(signature = (x1, x2, /, rcond=None, *, rtol=None))]
pub(crate) fn lstsq<'py>(
    py: Python<'py>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
    rcond: Option<f64>,
    rtol: Option<f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let rtol = one_of(rcond, rtol, "rcond and rtol")?.filter(|it| *it >= 0.0);
    let (a, b) = (x1.tensor(), x2.tensor());
    let is_vector = b.rank() == 1;
    let results = run(py, work(a).max(work(b)), || {
        let columns = if is_vector { b.unsqueeze(-1)? } else { b.clone() };
        let LeastSquares { x, rank, singular_values } = linalg::lstsq_with(a, &columns, rtol)?;
        let residuals = residuals(a, &x, &columns, &rank)?;
        let x = if is_vector { x.squeeze(&[-1])? } else { x };
        Ok([x, residuals, rank, singular_values])
    })?;
    named(py, "LstsqResult", results)
}

/// The sums of squared residuals of each column, or none if a solution is exact or not unique.
fn residuals(a: &Tensor, x: &Tensor, b: &Tensor, rank: &Tensor) -> Result<Tensor, Error> {
    let [m, n] = match a.shape()[..] {
        [.., m, n] => [m, n],
        _ => [0, 0],
    };
    let squares = a.matmul(x)?.subtract(b)?.abs()?.square()?.sum(-2)?;
    let has_full_rank = rank.equal(n as i64)?.all(())?.item::<bool>()?;
    match m > n && has_full_rank {
        true => Ok(squares),
        false => squares.reshape([-1])?.narrow(0, 0, 0),
    }
}

/// Returns the value of a parameter that has two names.
///
/// # Errors
/// If both are given.
pub(super) fn one_of<T>(first: Option<T>, second: Option<T>, names: &str) -> PyResult<Option<T>> {
    match (first, second) {
        (Some(_), Some(_)) => {
            Err(PyValueError::new_err(format!("{names} are the same parameter: give one of them")))
        }
        (first, second) => Ok(first.or(second)),
    }
}

/// Computes the rank: the number of singular values above ``tol``, or above ``rtol`` times the largest.
///
/// There may be a tolerance for each matrix.
///
/// >>> bv.linalg.matrix_rank(bv.asarray([[1.0, 2.0], [2.0, 4.0]]))
/// array(1)
#[pyfunction]
#[pyo3(signature = (x, /, tol=None, hermitian=false, *, rtol=None))]
pub(crate) fn matrix_rank(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    tol: Option<ArrayArgument<'_>>,
    #[expect(unused_variables, reason = "there is one algorithm")] hermitian: bool,
    rtol: Option<ArrayArgument<'_>>,
) -> PyResult<Array> {
    let x = x.tensor();
    let [tol, rtol] = [&tol, &rtol].map(|it| it.as_ref().map(ArrayArgument::tensor));
    let operation = || match (tol, rtol) {
        _ if x.rank() < 2 => x.any(())?.astype(DType::Int64),
        (Some(tol), _) => {
            let tol = if tol.rank() == 0 { tol.clone() } else { tol.unsqueeze(-1)? };
            linalg::svdvals(x)?.greater(&tol)?.count_nonzero(-1)
        }
        (None, Some(rtol)) => linalg::matrix_rank_by(x, rtol),
        (None, None) => linalg::matrix_rank(x),
    };
    run(py, work(x), operation).map(Array::from)
}

/// Computes the Moore-Penrose pseudoinverse.
///
/// Singular values below ``rcond`` times the largest count as zero; the standard's name of this parameter is ``rtol``.
/// There may be a tolerance for each matrix.
///
/// >>> bv.linalg.pinv(bv.asarray([[2.0], [0.0]]))
/// array([[0.5, 0. ]])
#[pyfunction]
#[pyo3(signature = (x, /, rcond=None, hermitian=false, *, rtol=None))]
pub(crate) fn pinv(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    rcond: Option<ArrayArgument<'_>>,
    #[expect(unused_variables, reason = "there is one algorithm")] hermitian: bool,
    rtol: Option<ArrayArgument<'_>>,
) -> PyResult<Array> {
    let (x, rtol) = (x.tensor(), one_of(rcond, rtol, "rcond and rtol")?);
    let rtol = rtol.as_ref().map(ArrayArgument::tensor);
    let operation = || match rtol {
        None => linalg::pinv(x),
        Some(rtol) => linalg::pinv_by(x, rtol),
    };
    run(py, work(x), operation).map(Array::from)
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
    let operation = || match x.dtype().is_bool() {
        true if n > 0 && is_square(x) => power_of_bools(x, n),
        true if n >= 0 => linalg::matrix_power(&x.astype(DType::Int8)?, n)?.astype(DType::Bool),
        true => linalg::matrix_power(&x.astype(DType::Float64)?, n),
        false => linalg::matrix_power(x, n),
    };
    run(py, work(x), operation).map(Array::from)
}

/// Whether the last two axes have the same length.
fn is_square(x: &Tensor) -> bool {
    matches!(x.shape()[..], [.., rows, columns] if rows == columns)
}

/// Raises matrices of bools to a positive power, in products of bools: by squaring.
fn power_of_bools(x: &Tensor, n: i64) -> Result<Tensor, Error> {
    let multiply = |x: &Tensor, y: &Tensor| multiply_or_test(x, y, |x, y| x.matmul(y));
    let half = match n / 2 {
        0 => return Ok(x.clone()),
        half => power_of_bools(x, half)?,
    };
    let squared = multiply(&half, &half)?;
    if n % 2 == 0 { Ok(squared) } else { multiply(&squared, x) }
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
