//! Einstein summation.

use crate::arguments::ArraysArgument;
use crate::array::Array;
use crate::attach::run;
use pyo3::prelude::*;

/// Evaluates the Einstein summation of the operands.
///
/// Each axis of each operand has a letter; the letters behind ``->`` are the axes of the result.
/// Without an arrow these are the letters that occur once, in alphabetical order. The result is a
/// view where one exists, as for ``"ij->ji"``.
///
/// >>> x = bv.asarray([[1, 2], [3, 4]])
/// >>> bv.einsum("ij,jk->ik", x, x)
/// array([[ 7, 10],
///        [15, 22]])
/// >>> bv.einsum("ii", x)
/// array(5)
#[pyfunction]
#[pyo3(signature = (subscripts, /, *arrays))]
pub(crate) fn einsum(py: Python<'_>, subscripts: &str, arrays: ArraysArgument) -> PyResult<Array> {
    let len = arrays.0.iter().fold(1, |len: usize, it| len.saturating_mul(it.len()));
    run(py, len, || belvedere::einsum(subscripts, &arrays.0)).map(Array::from)
}

/// Describes the contraction order that ``einsum`` chooses.
///
/// >>> x = bv.zeros((2, 90)), bv.zeros((90, 90)), bv.zeros((90, 3))
/// >>> print(bv.einsum_path("ij,jk,kl->il", *x))
/// ij,jk,kl->il in 2 steps, 16740 multiplications
///   0 and 1: ij,jk->ik (16200)
///   0 and 1: kl,ik->il (540)
#[pyfunction]
#[pyo3(signature = (subscripts, /, *arrays))]
pub(crate) fn einsum_path(
    py: Python<'_>,
    subscripts: &str,
    arrays: ArraysArgument,
) -> PyResult<String> {
    run(py, 0, || belvedere::einsum_path(subscripts, &arrays.0)).map(|it| it.to_string())
}
