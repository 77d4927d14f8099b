//! Norms and condition numbers.

use crate::arguments::{ArrayArgument, AxesArgument};
use crate::array::Array;
use crate::attach::run;
use crate::chapter::reduction::reduce;
use crate::chapter::work;
use belvedere::linalg::{self, MatrixNorm};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Computes the condition number in the 2-norm.
///
/// >>> bv.linalg.cond(bv.asarray([[8.0, 0.0], [0.0, 2.0]]))
/// array(4.)
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn cond(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::cond(x)).map(Array::from)
}

/// Computes a matrix norm over the last two axes.
///
/// ``ord`` is ``"fro"``, ``"nuc"``, 1, -1, 2, -2, infinity or minus infinity.
///
/// >>> bv.linalg.matrix_norm(bv.asarray([[1.0, 2.0], [2.0, 4.0]]))
/// array(5.)
#[pyfunction]
#[pyo3(signature = (x, /, *, keepdims=false, ord=NormArgument::FROBENIUS),
       text_signature = "(x, /, *, keepdims=False, ord='fro')")]
pub(crate) fn matrix_norm(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    keepdims: bool,
    ord: NormArgument,
) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::matrix_norm(x, ord.0, keepdims)).map(Array::from)
}

/// Computes a vector norm over axes.
///
/// For finite ``ord`` other than 0 it is ``sum(abs(x)**ord)**(1 / ord)``.
///
/// >>> bv.linalg.vector_norm(bv.asarray([3.0, 4.0]))
/// array(5.)
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=None, keepdims=false, ord=2.0),
       text_signature = "(x, /, *, axis=None, keepdims=False, ord=2)")]
pub(crate) fn vector_norm(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: Option<AxesArgument>,
    keepdims: bool,
    ord: f64,
) -> PyResult<Array> {
    reduce(py, x.tensor(), axis, keepdims, |x, axes| x.norm(axes, ord))
}

/// The order of a matrix norm, by name or number.
pub(crate) struct NormArgument(MatrixNorm);

impl NormArgument {
    const FROBENIUS: NormArgument = NormArgument(MatrixNorm::Frobenius);
}

impl<'a, 'py> FromPyObject<'a, 'py> for NormArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_none() {
            return Ok(NormArgument::FROBENIUS);
        }
        let unknown = || {
            let message = format!(
                "ord of a matrix norm must be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, got {}",
                &*object
            );
            PyValueError::new_err(message)
        };
        if let Ok(name) = object.extract::<&str>() {
            return match name {
                "fro" => Ok(NormArgument::FROBENIUS),
                "nuc" => Ok(NormArgument(MatrixNorm::Nuclear)),
                _ => Err(unknown()),
            };
        }
        Ok(NormArgument(match object.extract::<f64>()? {
            1.0 => MatrixNorm::One,
            -1.0 => MatrixNorm::MinusOne,
            2.0 => MatrixNorm::Two,
            -2.0 => MatrixNorm::MinusTwo,
            f64::INFINITY => MatrixNorm::Infinity,
            f64::NEG_INFINITY => MatrixNorm::MinusInfinity,
            _ => return Err(unknown()),
        }))
    }
}
