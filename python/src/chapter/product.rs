//! Linear algebra functions: products of matrices and vectors.

use super::work;
use crate::arguments::{ArrayArgument, Count, Integers, items};
use crate::array::Array;
use crate::error::raise;
use crate::lock::run;
use belvedere::Pairs;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// The product of matrices, or of stacks of them.
///
/// >>> bv.matmul(bv.asarray([[1, 2], [3, 4]]), bv.asarray([10, 1]))
/// array([12, 34])
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
fn matmul(py: Python<'_>, x1: ArrayArgument<'_>, x2: ArrayArgument<'_>) -> PyResult<Array> {
    let (x, y) = (x1.tensor(), x2.tensor());
    run(py, work(x).max(work(y)), || x.matmul(y)).map(Array::from)
}

/// The array with its last two axes exchanged: a view.
///
/// >>> bv.matrix_transpose(bv.asarray([[1, 2], [3, 4]]))
/// array([[1, 3],
///        [2, 4]])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn matrix_transpose(x: ArrayArgument<'_>) -> PyResult<Array> {
    x.tensor().matrix_transpose().map(Array::from).map_err(raise)
}

/// The sums of products over pairs of axes: the last and first so many, or those that two lists name.
///
/// >>> bv.tensordot(bv.asarray([[1, 2], [3, 4]]), bv.asarray([10, 1]), axes=1)
/// array([12, 34])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, axes=PairsArgument::TWO),
       text_signature = "(x1, x2, /, *, axes=2)")]
fn tensordot(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
    axes: PairsArgument,
) -> PyResult<Array> {
    let (x, y, pairs) = (x1.tensor(), x2.tensor(), axes.pairs());
    let len = x.len().saturating_mul(y.len());
    run(py, len, || x.tensordot(y, pairs.clone())).map(Array::from)
}

/// The sums of products along an axis, of which the left factor is conjugated.
///
/// >>> bv.vecdot(bv.asarray([[1, 2], [3, 4]]), bv.asarray([10, 1]))
/// array([12, 34])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, axis=-1), text_signature = "(x1, x2, /, *, axis=-1)")]
fn vecdot(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
    axis: isize,
) -> PyResult<Array> {
    let (x, y) = (x1.tensor(), x2.tensor());
    run(py, x.len().max(y.len()), || x.vecdot(y, axis)).map(Array::from)
}

/// The sums of products over the last axis of the first array and the second last of the other, or its
/// only one: ``matmul`` for matrices and vectors.
///
/// >>> bv.dot(bv.asarray([1, 2]), bv.asarray([10, 1]))
/// array(12)
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
fn dot(py: Python<'_>, x1: ArrayArgument<'_>, x2: ArrayArgument<'_>) -> PyResult<Array> {
    let (x, y) = (x1.tensor(), x2.tensor());
    run(py, work(x).max(work(y)), || x.dot(y)).map(Array::from)
}

/// The sums of products over the last axes of both arrays.
///
/// >>> bv.inner(bv.asarray([[1, 2], [3, 4]]), bv.asarray([10, 1]))
/// array([12, 34])
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
fn inner(py: Python<'_>, x1: ArrayArgument<'_>, x2: ArrayArgument<'_>) -> PyResult<Array> {
    let (x, y) = (x1.tensor(), x2.tensor());
    run(py, work(x).max(work(y)), || x.inner(y)).map(Array::from)
}

/// The products of each element of one array with the whole other: Kronecker's.
///
/// >>> bv.kron(bv.asarray([1, 10]), bv.asarray([1, 2]))
/// array([ 1,  2, 10, 20])
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
fn kron(py: Python<'_>, x1: ArrayArgument<'_>, x2: ArrayArgument<'_>) -> PyResult<Array> {
    let (x, y) = (x1.tensor(), x2.tensor());
    run(py, x.len().saturating_mul(y.len()), || x.kron(y)).map(Array::from)
}

/// Which axes `tensordot` sums over.
enum PairsArgument {
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
                _ => Err(PyTypeError::new_err("axes are a number, or two lists of axes")),
            };
        }
        Ok(PairsArgument::Count(object.extract::<Count>()?.0))
    }
}

/// Those that are not in the standard.
pub fn register_more(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(dot, module)?)?;
    module.add_function(wrap_pyfunction!(inner, module)?)?;
    module.add_function(wrap_pyfunction!(kron, module)?)
}

/// These are in the namespace `linalg` as well.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(matmul, module)?)?;
    module.add_function(wrap_pyfunction!(matrix_transpose, module)?)?;
    module.add_function(wrap_pyfunction!(tensordot, module)?)?;
    module.add_function(wrap_pyfunction!(vecdot, module)?)
}
