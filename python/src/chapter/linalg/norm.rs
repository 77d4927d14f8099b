//! Matrix norms.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run;
use crate::chapter::work;
use crate::error::raise;
use belvedere::linalg::{self, MatrixNorm};
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
    run(py, work(x), || linalg::matrix_norm_with(x, ord.0, keepdims)).map(Array::from)
}

/// Computes the condition number: the norm times the norm of the inverse; in the 2-norm if ``p`` is None.
///
/// >>> bv.linalg.cond(bv.asarray([[8.0, 0.0], [0.0, 2.0]]))
/// array(4.)
/// >>> bv.linalg.cond([[8.0, 0.0], [0.0, 2.0]], 1)
/// array(4.)
#[pyfunction]
#[pyo3(signature = (x, /, p=None))]
pub(crate) fn cond(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    p: Option<NormArgument>,
) -> PyResult<Array> {
    let x = x.tensor();
    let operation = || match &p {
        None => linalg::cond(x),
        Some(NormArgument(ord)) if *ord == MatrixNorm::Two => linalg::cond(x),
        Some(NormArgument(ord)) => {
            let inverse = linalg::inv(x)?;
            linalg::matrix_norm_with(x, *ord, false)?
                .multiply(&linalg::matrix_norm_with(&inverse, *ord, false)?)
        }
    };
    run(py, work(x), operation).map(Array::from)
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
        let name = match object.extract::<String>() {
            Ok(name) => name,
            // A float is formatted without a fraction if it has none: `1.0` as `1`.
            Err(_) => object.extract::<f64>()?.to_string(),
        };
        name.parse().map(NormArgument).map_err(raise)
    }
}
