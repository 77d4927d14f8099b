//! Products of vectors, matrices and tensors.

use super::output::{compute_to, deliver};
use super::work;
use crate::arguments::{
    ArrayArgument, Casting, Count, Integers, List, Order, OutArgument, collect, items,
};
use crate::array::{Array, ArrayObject};
use crate::attach::run;
use crate::dtype::DTypeArgument;
use crate::error::raise;
use crate::trace::tracer;
use belvedere::{DType, Error, Pairs, Tensor, copies};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Computes the matrix product; leading axes are broadcast.
///
/// ``axes`` lists the axes of the rows and columns of both operands and of the result, if they are not the last two.
///
/// >>> bv.matmul(bv.asarray([[1, 2], [3, 4]]), bv.asarray([10, 1]))
/// array([12, 34])
/// >>> bv.matmul(bv.ones((3, 4, 2)), bv.ones((4, 5, 2)), axes=[(0, 1), (0, 1), (0, 1)]).shape
/// (3, 5, 2)
#[pyfunction]
#[pyo3(signature = (x1, x2, /, out=None, *, casting=Casting::SameKind, order=Order::Keep, dtype=None, subok=true, axes=None),
       text_signature = "(x1, x2, /, out=None, *, casting='same_kind', order='K', dtype=None, subok=True, axes=None)")]
#[expect(clippy::too_many_arguments, reason = "they are those of NumPy")]
pub(crate) fn matmul<'py>(
    py: Python<'py>,
    x1: ArrayArgument<'py>,
    x2: ArrayArgument<'py>,
    out: Option<OutArgument<'py>>,
    casting: Casting,
    #[expect(unused_variables, reason = "the result is row-major")] order: Order,
    dtype: Option<DTypeArgument>,
    #[expect(unused_variables, reason = "there are no subclasses")] subok: bool,
    axes: Option<List<Integers>>,
) -> PyResult<Bound<'py, ArrayObject>> {
    if let Some(axes) = axes {
        return matmul_along(py, [x1, x2], out, (dtype, casting), &axes.0);
    }
    let cast = cast_both(py, [x1.tensor(), x2.tensor()], dtype, casting)?;
    let (x, y) = cast.as_ref().map_or((x1.tensor(), x2.tensor()), |[x, y]| (x, y));
    if x.dtype().is_bool() && y.dtype().is_bool() {
        return deliver(py, multiply_matrices(py, x, y)?.into(), out);
    }
    let into = |out: &Tensor| belvedere::matmul_into(x, y, out);
    compute_to(py, work_of_matmul(x, y), out, || x.matmul(y), into)
}

/// Computes the matrix product of matrices and vectors along given axes of the operands and of the result.
#[cold]
fn matmul_along<'py>(
    py: Python<'py>,
    [x, y]: [ArrayArgument<'py>; 2],
    out: Option<OutArgument<'py>>,
    (dtype, casting): (Option<DTypeArgument>, Casting),
    axes: &[Integers],
) -> PyResult<Bound<'py, ArrayObject>> {
    let last = |n: usize| Integers((-(n as isize)..0).collect());
    let [of_x, of_y, of_result] = axes else {
        let n = axes.len();
        let message = format!("axes must have 3 entries, of both operands and the result, got {n}");
        return Err(PyValueError::new_err(message));
    };
    let at_end = |x: &Tensor, axes: &Integers| {
        let moved = x.moveaxis(&*axes.0, &*last(axes.0.len()).0);
        Array::from_view(moved)?.object(py)
    };
    let x = ArrayArgument(at_end(x.tensor(), of_x)?);
    let y = ArrayArgument(at_end(y.tensor(), of_y)?);
    let target = out.as_ref().map(|out| at_end(out.tensor(), of_result)).transpose()?;
    let result =
        matmul(py, x, y, target.map(OutArgument), casting, Order::Keep, dtype, true, None)?;
    match out {
        Some(out) => Ok(out.0),
        None => {
            let moved = result.get().tensor().moveaxis(&*last(of_result.0.len()).0, &*of_result.0);
            Array::from_view(moved)?.object(py)
        }
    }
}

/// Casts both operands to a dtype; None if none is given.
fn cast_both(
    py: Python<'_>,
    operands: [&Tensor; 2],
    dtype: Option<DTypeArgument>,
    casting: Casting,
) -> PyResult<Option<[Tensor; 2]>> {
    let Some(DTypeArgument(dtype)) = dtype else { return Ok(None) };
    for operand in operands {
        casting.check(operand.dtype(), dtype).map_err(raise)?;
    }
    let [x, y] = operands;
    run(py, x.len().max(y.len()), || Ok(Some([x.astype(dtype)?, y.astype(dtype)?])))
}

/// Estimates the work of a matrix product, in elements.
fn work_of_matmul(x: &Tensor, y: &Tensor) -> usize {
    let inner = x.layout().axes().last().map_or(1, |axis| axis.len);
    y.len().max(inner).saturating_mul(x.len() / inner.max(1))
}

/// Computes the matrix product, whose work is more than the number of elements.
pub(crate) fn multiply_matrices(py: Python<'_>, x: &Tensor, y: &Tensor) -> PyResult<Array> {
    run(py, work_of_matmul(x, y), || multiply_or_test(x, y, |x, y| x.matmul(y))).map(Array::from)
}

/// Computes a product. That of bools is true where a product of two elements is: sums of zeros and ones are positive in
/// `float32`, however long.
pub(crate) fn multiply_or_test(
    x: &Tensor,
    y: &Tensor,
    product: impl Fn(&Tensor, &Tensor) -> Result<Tensor, Error>,
) -> Result<Tensor, Error> {
    if !x.dtype().is_bool() || !y.dtype().is_bool() {
        return product(x, y);
    }
    copies::allow(|| {
        let (x, y) = (x.astype(DType::Float32)?, y.astype(DType::Float32)?);
        product(&x, &y)?.not_equal(0)
    })
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
#[pyo3(signature = (x1, x2, /, axes=PairsArgument::TWO), text_signature = "(x1, x2, /, axes=2)")]
pub(crate) fn tensordot(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
    axes: PairsArgument,
) -> PyResult<Array> {
    let (x, y, pairs) = (x1.tensor(), x2.tensor(), axes.pairs());
    let len = x.len().saturating_mul(y.len());
    let operation = || multiply_or_test(x, y, |x, y| x.tensordot(y, pairs.clone()));
    run(py, len, operation).map(Array::from)
}

/// Computes the dot product of vectors along an axis; ``x1`` is conjugated.
///
/// >>> bv.vecdot(bv.asarray([[1, 2], [3, 4]]), bv.asarray([10, 1]))
/// array([12, 34])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, out=None, *, axis=-1, dtype=None),
       text_signature = "(x1, x2, /, out=None, *, axis=-1, dtype=None)")]
pub(crate) fn vecdot<'py>(
    py: Python<'py>,
    x1: ArrayArgument<'py>,
    x2: ArrayArgument<'py>,
    out: Option<OutArgument<'py>>,
    axis: isize,
    dtype: Option<DTypeArgument>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let cast = cast_both(py, [x1.tensor(), x2.tensor()], dtype, Casting::SameKind)?;
    let (x, y) = cast.as_ref().map_or((x1.tensor(), x2.tensor()), |[x, y]| (x, y));
    let result =
        run(py, x.len().max(y.len()), || multiply_or_test(x, y, |x, y| x.vecdot(y, axis)))?;
    deliver(py, result, out)
}

/// Multiplies matrices by vectors: the last axis of ``x2``; leading axes are broadcast.
///
/// >>> bv.matvec([[1, 2], [3, 4]], [10, 1])
/// array([12, 34])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, out=None))]
pub(crate) fn matvec<'py>(
    py: Python<'py>,
    x1: ArrayArgument<'py>,
    x2: ArrayArgument<'py>,
    out: Option<OutArgument<'py>>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let (x, y) = (x1.tensor(), x2.tensor());
    let result = run(py, work(x).max(work(y)), || multiply_or_test(x, y, |x, y| x.matvec(y)))?;
    deliver(py, result, out)
}

/// Multiplies vectors, the last axis of ``x1``, by matrices; the vectors are conjugated and leading axes broadcast.
///
/// >>> bv.vecmat([10, 1], [[1, 2], [3, 4]])
/// array([13, 24])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, out=None))]
pub(crate) fn vecmat<'py>(
    py: Python<'py>,
    x1: ArrayArgument<'py>,
    x2: ArrayArgument<'py>,
    out: Option<OutArgument<'py>>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let (x, y) = (x1.tensor(), x2.tensor());
    let result = run(py, work(x).max(work(y)), || multiply_or_test(x, y, |x, y| x.vecmat(y)))?;
    deliver(py, result, out)
}

/// Computes the outer product of two arrays, which are flattened.
///
/// >>> bv.outer([1, 2], [10, 1])
/// array([[10,  1],
///        [20,  2]])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, out=None))]
pub(crate) fn outer<'py>(
    py: Python<'py>,
    x1: ArrayArgument<'py>,
    x2: ArrayArgument<'py>,
    out: Option<OutArgument<'py>>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let (x, y) = (x1.tensor(), x2.tensor());
    let result = run(py, x.len().saturating_mul(y.len()), || {
        x.atleast_1d()?.reshape([-1])?.outer(&y.atleast_1d()?.reshape([-1])?)
    })?;
    deliver(py, result, out)
}

/// Computes the cross product of vectors of length 2 or 3.
///
/// The vectors are along ``axisa`` and ``axisb``, and those of the result along ``axisc``; ``axis`` is short for the
/// three. Vectors of length 2 lie in a plane: the cross product of two of them is a number.
///
/// >>> bv.cross([1, 0, 0], [0, 1, 0])
/// array([0, 0, 1])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, axisa=-1, axisb=-1, axisc=-1, axis=None),
       text_signature = "(x1, x2, /, axisa=-1, axisb=-1, axisc=-1, axis=None)")]
pub(crate) fn cross(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
    axisa: isize,
    axisb: isize,
    axisc: isize,
    axis: Option<isize>,
) -> PyResult<Array> {
    let [a, b, c] = axis.map_or([axisa, axisb, axisc], |axis| [axis; 3]);
    let (x, y) = (x1.tensor(), x2.tensor());
    let operation = || {
        let (x, y) = (x.moveaxis(&[a][..], &[-1][..])?, y.moveaxis(&[b][..], &[-1][..])?);
        let len = |x: &Tensor| x.shape().last().copied().unwrap_or(0);
        if let (2, 2) = (len(&x), len(&y)) {
            let [x0, x1, y0, y1] =
                [x.select(-1, 0)?, x.select(-1, 1)?, y.select(-1, 0)?, y.select(-1, 1)?];
            return x0.multiply(&y1)?.subtract(&x1.multiply(&y0)?);
        }
        let (x, y) = (in_space(&x)?, in_space(&y)?);
        x.cross(&y, -1)?.moveaxis(&[-1][..], &[c][..])
    };
    run(py, x.len().max(y.len()), operation).map(Array::from)
}

/// Appends a third component of 0 to vectors of length 2.
fn in_space(x: &Tensor) -> Result<Tensor, Error> {
    if x.shape().last() != Some(&2) {
        return Ok(x.clone());
    }
    let mut widths = vec![(0, 0); x.rank()];
    widths[x.rank() - 1] = (0, 1);
    x.pad(&widths)
}

/// Returns a diagonal of two axes as the last axis; the result is a view.
///
/// >>> bv.diagonal([[1, 2], [3, 4]])
/// array([1, 4])
/// >>> bv.diagonal([[1, 2], [3, 4]], 1)
/// array([2])
#[pyfunction]
#[pyo3(signature = (x, /, offset=0, axis1=0, axis2=1))]
pub(crate) fn diagonal(
    x: ArrayArgument<'_>,
    offset: isize,
    axis1: isize,
    axis2: isize,
) -> PyResult<Array> {
    Array::from_view(x.tensor().diagonal(offset, axis1, axis2))
}

/// Computes the sum along a diagonal of two axes; without an array, traces what operations do to memory.
///
/// Without an array it returns a context manager. That records the operations of the thread that enters it, or with
/// ``all_threads=True`` those of all threads. ``print`` shows them as a table; ``by_line()`` sums them up for each
/// line of the program.
///
/// >>> bv.trace([[1, 2], [3, 4]])
/// array(5)
/// >>> x = bv.zeros((2, 3))
/// >>> with bv.trace() as t:
/// ...     y = x.T.reshape(6)
/// >>> [(event.op, event.kind, event.bytes_copied) for event in t]
/// [('T', 'view', 0), ('reshape', 'copy', 48)]
#[pyfunction]
#[pyo3(signature = (x=None, /, offset=0, axis1=0, axis2=1, dtype=None, out=None, *, all_threads=false))]
#[expect(clippy::too_many_arguments, reason = "they are those of NumPy")]
pub(crate) fn trace<'py>(
    py: Python<'py>,
    x: Option<ArrayArgument<'py>>,
    offset: isize,
    axis1: isize,
    axis2: isize,
    dtype: Option<DTypeArgument>,
    out: Option<OutArgument<'py>>,
    all_threads: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(x) = x else {
        return Bound::new(py, tracer(all_threads)).map(Bound::into_any);
    };
    let diagonal = x.tensor().diagonal(offset, axis1, axis2).map_err(raise)?;
    let result = run(py, diagonal.len(), || match dtype {
        None => diagonal.sum(-1),
        Some(DTypeArgument(dtype)) => diagonal.sum_as(-1, dtype),
    })?;
    deliver(py, result, out).map(Bound::into_any)
}

/// Computes the dot product over the last axis of ``x1`` and the second-to-last axis of ``x2``.
///
/// For matrices and vectors this is ``matmul``.
///
/// >>> bv.dot(bv.asarray([1, 2]), bv.asarray([10, 1]))
/// array(12)
#[pyfunction]
#[pyo3(signature = (x1, x2, /, out=None))]
pub(crate) fn dot<'py>(
    py: Python<'py>,
    x1: ArrayArgument<'py>,
    x2: ArrayArgument<'py>,
    out: Option<OutArgument<'py>>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let (x, y) = (x1.tensor(), x2.tensor());
    let result = run(py, work(x).max(work(y)), || multiply_or_test(x, y, |x, y| x.dot(y)))?;
    deliver(py, result, out)
}

/// Computes NumPy's `dot`.
pub(crate) fn dot_product(py: Python<'_>, x: &Tensor, y: &Tensor) -> PyResult<Array> {
    run(py, work(x).max(work(y)), || multiply_or_test(x, y, |x, y| x.dot(y))).map(Array::from)
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
    run(py, work(x).max(work(y)), || multiply_or_test(x, y, |x, y| x.inner(y))).map(Array::from)
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
            let items = collect(items(&object)?)?;
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
