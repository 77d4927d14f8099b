//! How large vectors and matrices are.

use crate::arguments::{ArrayArgument, AxesArgument};
use crate::array::Array;
use crate::chapter::work;
use crate::lock::run;
use belvedere::linalg::{self, MatrixNorm};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The greatest singular value over the least: how much the solution of equations may change beyond what
/// changes in them.
///
/// >>> bv.linalg.cond(bv.asarray([[8.0, 0.0], [0.0, 2.0]]))
/// array(4.)
#[pyfunction]
#[pyo3(signature = (x, /))]
fn cond(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::cond(x)).map(Array::from)
}

/// The norms of matrices: ``"fro"``, ``"nuc"``, 1, -1, 2, -2, infinity or minus infinity.
///
/// >>> bv.linalg.matrix_norm(bv.asarray([[1.0, 2.0], [2.0, 4.0]]))
/// array(5.)
#[pyfunction]
#[pyo3(signature = (x, /, *, keepdims=false, ord=NormArgument::FROBENIUS),
       text_signature = "(x, /, *, keepdims=False, ord='fro')")]
fn matrix_norm(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    keepdims: bool,
    ord: NormArgument,
) -> PyResult<Array> {
    let x = x.tensor();
    run(py, work(x), || linalg::matrix_norm(x, ord.0, keepdims)).map(Array::from)
}

/// The norms of vectors along axes: the root of order ``ord`` of the sum of the sizes to its power.
///
/// >>> bv.linalg.vector_norm(bv.asarray([3.0, 4.0]))
/// array(5.)
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=None, keepdims=false, ord=2.0),
       text_signature = "(x, /, *, axis=None, keepdims=False, ord=2)")]
pub fn vector_norm(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: Option<AxesArgument>,
    keepdims: bool,
    ord: f64,
) -> PyResult<Array> {
    let (x, axes) = (x.tensor(), AxesArgument::or_all(axis, keepdims));
    run(py, x.len(), || x.norm(axes.clone(), ord)).map(Array::from)
}

/// A norm of matrices, by its name or its number.
struct NormArgument(MatrixNorm);

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
                "a norm of matrices is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not {}",
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

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(cond, module)?)?;
    module.add_function(wrap_pyfunction!(matrix_norm, module)?)?;
    module.add_function(wrap_pyfunction!(vector_norm, module)?)
}
