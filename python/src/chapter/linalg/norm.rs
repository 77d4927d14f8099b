//! Matrix norms.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run;
use crate::chapter::work;
use belvedere::linalg::{self, MatrixNorm};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

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
