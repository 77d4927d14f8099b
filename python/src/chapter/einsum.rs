//! Sums of products, by the letters of their axes.

use crate::arguments::ArraysArgument;
use crate::array::Array;
use crate::lock::run;
use pyo3::prelude::*;

/// The sum of products that subscripts describe: a letter for each axis of each operand, and behind an
/// arrow those that stay. Without an arrow these are the letters that are there once, in order.
///
/// Where the result is a view of the operand it is one, as in ``"ij->ji"``.
///
/// >>> x = bv.asarray([[1, 2], [3, 4]])
/// >>> bv.einsum("ij,jk->ik", x, x)
/// array([[ 7, 10],
///        [15, 22]])
/// >>> bv.einsum("ii", x)
/// array(5)
#[pyfunction]
#[pyo3(signature = (subscripts, /, *arrays))]
fn einsum(py: Python<'_>, subscripts: &str, arrays: ArraysArgument) -> PyResult<Array> {
    let len = arrays.0.iter().fold(1, |len: usize, it| len.saturating_mul(it.len()));
    run(py, len, || belvedere::einsum(subscripts, &arrays.0)).map(Array::from)
}

/// In which order ``einsum`` multiplies its operands, as text.
///
/// >>> x = bv.zeros((2, 90)), bv.zeros((90, 90)), bv.zeros((90, 3))
/// >>> print(bv.einsum_path("ij,jk,kl->il", *x))
/// ij,jk,kl->il in 2 steps, 16740 multiplications
///   0 and 1: ij,jk->ik (16200)
///   0 and 1: kl,ik->il (540)
#[pyfunction]
#[pyo3(signature = (subscripts, /, *arrays))]
fn einsum_path(py: Python<'_>, subscripts: &str, arrays: ArraysArgument) -> PyResult<String> {
    run(py, 0, || belvedere::einsum_path(subscripts, &arrays.0)).map(|it| it.to_string())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(einsum, module)?)?;
    module.add_function(wrap_pyfunction!(einsum_path, module)?)
}
