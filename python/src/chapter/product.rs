//! Products of vectors, matrices and tensors.

use super::work;
use crate::arguments::{ArrayArgument, Count, Integers, items};
use crate::array::Array;
use crate::attach::run;
use belvedere::{Pairs, Tensor};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Computes the matrix product; leading axes are broadcast.
///
/// >>> bv.matmul(bv.asarray([[1, 2], [3, 4]]), bv.asarray([10, 1]))
/// array([12, 34])
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
pub(crate) fn matmul(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
) -> PyResult<Array> {
    multiply_matrices(py, x1.tensor(), x2.tensor())
}

/// Computes the matrix product, whose work is more than the number of elements.
pub(crate) fn multiply_matrices(py: Python<'_>, x: &Tensor, y: &Tensor) -> PyResult<Array> {
    let inner = x.layout().axes().last().map_or(1, |axis| axis.len);
    let work = y.len().max(inner).saturating_mul(x.len() / inner.max(1));
    run(py, work, || x.matmul(y)).map(Array::from)
}

/// Transposes the last two axes; the result is a view.
///
/// >>> bv.matrix_transpose(bv.asarray([[1, 2], [3, 4]]))
/// array([[1, 3],
///        [2, 4]])
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn matrix_transpose(x: ArrayArgument<'_>) -> PyResult<Array> {
    Array::from_view(x.tensor().matrix_transpose())
}

/// Computes the tensor contraction over axes of both arrays.
///
/// >>> bv.tensordot(bv.asarray([[1, 2], [3, 4]]), bv.asarray([10, 1]), axes=1)
/// array([12, 34])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, axes=PairsArgument::TWO),
       text_signature = "(x1, x2, /, *, axes=2)")]
pub(crate) fn tensordot(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
    axes: PairsArgument,
) -> PyResult<Array> {
    let (x, y, pairs) = (x1.tensor(), x2.tensor(), axes.pairs());
    let len = x.len().saturating_mul(y.len());
    run(py, len, || x.tensordot(y, pairs.clone())).map(Array::from)
}

/// Computes the dot product of vectors along an axis; ``x1`` is conjugated.
///
/// >>> bv.vecdot(bv.asarray([[1, 2], [3, 4]]), bv.asarray([10, 1]))
/// array([12, 34])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, axis=-1), text_signature = "(x1, x2, /, *, axis=-1)")]
pub(crate) fn vecdot(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
    axis: isize,
) -> PyResult<Array> {
    let (x, y) = (x1.tensor(), x2.tensor());
    run(py, x.len().max(y.len()), || x.vecdot(y, axis)).map(Array::from)
}

/// Computes the dot product over the last axis of ``x1`` and the second-to-last axis of ``x2``.
///
/// For matrices and vectors this is ``matmul``.
///
/// >>> bv.dot(bv.asarray([1, 2]), bv.asarray([10, 1]))
/// array(12)
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
pub(crate) fn dot(py: Python<'_>, x1: ArrayArgument<'_>, x2: ArrayArgument<'_>) -> PyResult<Array> {
    dot_product(py, x1.tensor(), x2.tensor())
}

/// Computes NumPy's `dot`.
pub(crate) fn dot_product(py: Python<'_>, x: &Tensor, y: &Tensor) -> PyResult<Array> {
    run(py, work(x).max(work(y)), || x.dot(y)).map(Array::from)
}

/// Computes the inner product over the last axes.
///
/// >>> bv.inner(bv.asarray([[1, 2], [3, 4]]), bv.asarray([10, 1]))
/// array([12, 34])
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
pub(crate) fn inner(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
) -> PyResult<Array> {
    let (x, y) = (x1.tensor(), x2.tensor());
    run(py, work(x).max(work(y)), || x.inner(y)).map(Array::from)
}

/// Computes the Kronecker product.
///
/// >>> bv.kron(bv.asarray([1, 10]), bv.asarray([1, 2]))
/// array([ 1,  2, 10, 20])
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
pub(crate) fn kron(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
) -> PyResult<Array> {
    let (x, y) = (x1.tensor(), x2.tensor());
    run(py, x.len().saturating_mul(y.len()), || x.kron(y)).map(Array::from)
}

/// The axes that `tensordot` sums over.
pub(crate) enum PairsArgument {
    Count(usize),
    Axes(Integers, Integers),
}

impl PairsArgument {
    const TWO: PairsArgument = PairsArgument::Count(2);

    fn pairs(&self) -> Pairs {
        match self {
            PairsArgument::Count(count) => (*count).into(),
            PairsArgument::Axes(left, right) => (&left.0[..], &right.0[..]).into(),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for PairsArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.hasattr("__len__")? && object.len().is_ok() {
            let items = items(&object)?.collect::<PyResult<Vec<_>>>()?;
            return match &items[..] {
                [left, right] => Ok(PairsArgument::Axes(left.extract()?, right.extract()?)),
                _ => {
                    Err(PyTypeError::new_err("axes must be an integer or a pair of lists of axes"))
                }
            };
        }
        Ok(PairsArgument::Count(object.extract::<Count>()?.0))
    }
}
