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
        let name = match object.extract::<String>() {
            Ok(name) => name,
            // A float is formatted without a fraction if it has none: `1.0` as `1`.
            Err(_) => object.extract::<f64>()?.to_string(),
        };
        name.parse().map(NormArgument).map_err(raise)
    }
}
