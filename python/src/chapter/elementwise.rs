//! Elementwise functions: the forms of those that are generated, and those with parameters of their own.

use crate::arguments::{ArrayArgument, OperandArgument};
use crate::array::{Array, ArrayObject};
use crate::attach::{run, run_to_object};
use belvedere::{Error, Operand, Tensor};
use pyo3::prelude::*;

/// A function of one array.
pub(crate) type Unary = fn(&Tensor) -> Result<Tensor, Error>;

/// A function of two operands.
pub(crate) type Binary = for<'a> fn(Operand<'a>, Operand<'a>) -> Result<Tensor, Error>;

/// Computes a function of one array.
#[inline]
pub(crate) fn unary<'py>(
    py: Python<'py>,
    x: &Tensor,
    function: Unary,
) -> PyResult<Bound<'py, ArrayObject>> {
    run_to_object(py, x.len(), || function(x))
}

/// Computes a function of two operands.
#[inline]
pub(crate) fn binary<'py>(
    py: Python<'py>,
    x: &OperandArgument,
    y: &OperandArgument,
    function: Binary,
) -> PyResult<Bound<'py, ArrayObject>> {
    run_to_object(py, x.len().max(y.len()), || function(x.into(), y.into()))
}

/// Limits the elements to the interval from ``min`` to ``max``; either bound may be omitted.
///
/// >>> bv.clip(bv.asarray([1, 5, 9]), 3, 7)
/// array([3, 5, 7])
/// >>> bv.clip(bv.asarray([1, 5, 9]), max=7)
/// array([1, 5, 7])
#[pyfunction]
#[pyo3(signature = (x, /, min = None, max = None))]
pub(crate) fn clip(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    min: Option<OperandArgument>,
    max: Option<OperandArgument>,
) -> PyResult<Array> {
    clip_to(py, x.tensor(), min.as_ref(), max.as_ref())
}

/// Limits the elements to an interval, of which either bound may be omitted.
pub(crate) fn clip_to(
    py: Python<'_>,
    x: &Tensor,
    min: Option<&OperandArgument>,
    max: Option<&OperandArgument>,
) -> PyResult<Array> {
    let len_of = |it: Option<&OperandArgument>| it.map_or(0, OperandArgument::len);
    let clip = || x.clip(min.map(Operand::from), max.map(Operand::from));
    run(py, x.len().max(len_of(min)).max(len_of(max)), clip).map(Array::from)
}

/// Tests whether ``abs(x1 - x2) <= atol + rtol * abs(x2)``.
///
/// >>> bv.isclose(bv.asarray([1.0, 1.1]), bv.asarray([1.0 + 1e-9, 1.2]))
/// array([ True, False])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, rtol = 1e-5, atol = 1e-8, equal_nan = false))]
pub(crate) fn isclose(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: OperandArgument,
    rtol: f64,
    atol: f64,
    equal_nan: bool,
) -> PyResult<Array> {
    let (x, y) = (x1.tensor(), &x2);
    let len = x.len().max(x2.len());
    run(py, len, || x.isclose(y, rtol, atol, equal_nan)).map(Array::from)
}

/// Tests whether all elements are equal within a tolerance, as ``isclose`` defines it.
///
/// >>> bv.allclose(bv.asarray([1.0, 2.0]), bv.asarray([1.0, 2.0 + 1e-9]))
/// True
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, rtol = 1e-5, atol = 1e-8, equal_nan = false))]
pub(crate) fn allclose(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: OperandArgument,
    rtol: f64,
    atol: f64,
    equal_nan: bool,
) -> PyResult<bool> {
    let (x, y) = (x1.tensor(), &x2);
    let holds = || x.isclose(y, rtol, atol, equal_nan)?.all(())?.item::<bool>();
    run(py, x.len().max(x2.len()), holds)
}

/// Interpolates linearly: ``start + weight * (end - start)``.
///
/// >>> bv.lerp(bv.asarray([0.0, 10.0]), bv.asarray([1.0, 20.0]), 0.5)
/// array([ 0.5, 15. ])
#[pyfunction]
#[pyo3(signature = (start, end, weight, /))]
pub(crate) fn lerp(
    py: Python<'_>,
    start: ArrayArgument<'_>,
    end: OperandArgument,
    weight: OperandArgument,
) -> PyResult<Array> {
    let x = start.tensor();
    let len = x.len().max(end.len()).max(weight.len());
    let (end, weight) = (&end, &weight);
    run(py, len, || x.lerp(end, weight)).map(Array::from)
}

/// Replaces NaN with 0 and infinities with the largest finite numbers, or with given values.
///
/// >>> bv.nan_to_num(bv.asarray([1.0, bv.nan, bv.inf]), posinf=9.0)
/// array([1., 0., 9.])
#[pyfunction]
#[pyo3(signature = (x, /, *, nan = 0.0, posinf = None, neginf = None))]
pub(crate) fn nan_to_num(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    nan: f64,
    posinf: Option<f64>,
    neginf: Option<f64>,
) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.nan_to_num(Some(nan), posinf, neginf)).map(Array::from)
}
