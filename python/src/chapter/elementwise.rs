//! Elementwise functions: the forms of those that are generated, and those with parameters of their own.

use super::output::{compute_to, deliver};
use super::ufunc::unary_ufunc;
use crate::arguments::{ArrayArgument, Casting, OperandArgument, OutArgument};
use crate::array::{Array, ArrayObject};
use crate::attach::{run, run_to_object, run_to_object_or_else};
use crate::dtype::DTypeArgument;
use crate::error::raise;
use belvedere::{DType, Error, Operand, Shape, Tensor, broadcast_shapes, where_};
use pyo3::exceptions::{PyTypeError, PyValueError};
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
    let recover = |error| unary_of_bools(py, error, x, function);
    run_to_object_or_else(py, x.len(), || function(x), recover)
}

/// Computes a function of two operands.
#[inline]
pub(crate) fn binary<'py>(
    py: Python<'py>,
    x: &OperandArgument,
    y: &OperandArgument,
    function: Binary,
) -> PyResult<Bound<'py, ArrayObject>> {
    let recover = |error| binary_of_bools(py, error, x, y, function);
    run_to_object_or_else(py, x.len().max(y.len()), || function(x.into(), y.into()), recover)
}

/// Computes a function that the core does not have for bools, as NumPy does: a bool is its own absolute value, and is
/// squared as an integer. Other errors are returned as they are.
#[cold]
fn unary_of_bools<'py>(
    py: Python<'py>,
    error: Error,
    x: &Tensor,
    function: Unary,
) -> PyResult<Bound<'py, ArrayObject>> {
    let name = match error {
        Error::Unsupported { op, dtype: DType::Bool } if x.dtype().is_bool() => op,
        _ => return Err(raise(error)),
    };
    match name {
        // A copy in the order of the array's axes.
        "abs" | "ceil" | "floor" | "trunc" => run_to_object(py, x.len(), || x.logical_or(x)),
        "square" => run_to_object(py, x.len(), || function(&x.astype(DType::Int8)?)),
        _ => Err(raise(error)),
    }
}

/// Computes a function that the core does not have for bools, as NumPy does: the sum is the logical OR, the product the
/// logical AND, others are those of integers. Other errors name the shapes of operands that do not broadcast.
#[cold]
fn binary_of_bools<'py>(
    py: Python<'py>,
    error: Error,
    x: &OperandArgument,
    y: &OperandArgument,
    function: Binary,
) -> PyResult<Bound<'py, ArrayObject>> {
    let name = match error {
        Error::Unsupported { op, dtype: DType::Bool } => op,
        _ => return Err(with_shapes(raise(error), &[x, y])),
    };
    let len = x.len().max(y.len());
    match name {
        "add" => run_to_object(py, len, || Operand::from(x).logical_or(y)),
        "mul" => run_to_object(py, len, || Operand::from(x).logical_and(y)),
        "floor_divide"
        | "fmod"
        | "remainder"
        | "pow"
        | "bitwise_left_shift"
        | "bitwise_right_shift" => {
            let integers = |operand: &OperandArgument| match operand {
                OperandArgument::Array(array) => array.get().tensor().astype(DType::Int8),
                OperandArgument::Number(number) => Tensor::full_as([0; 0], *number, DType::Int8),
            };
            let operate = || function((&integers(x)?).into(), (&integers(y)?).into());
            run_to_object(py, len, operate)
        }
        _ => Err(raise(error)),
    }
}

/// Returns an error that names the shapes of the operands, if these do not broadcast; else the error itself.
#[cold]
pub(crate) fn with_shapes(error: PyErr, operands: &[&OperandArgument]) -> PyErr {
    let shapes: Vec<Shape> = operands.iter().map(|&it| Operand::from(it).shape()).collect();
    let shapes: Vec<&[usize]> = shapes.iter().map(|it| &it[..]).collect();
    let Err(reason) = broadcast_shapes(&shapes) else { return error };
    let shown: Vec<String> = shapes.iter().map(|shape| show_shape(shape)).collect();
    let message = format!("shapes {} could not be broadcast: {reason}", shown.join(" and "));
    PyValueError::new_err(message)
}

/// Formats a shape as Python does.
pub(crate) fn show_shape(shape: &[usize]) -> String {
    match shape {
        [only] => format!("({only},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Limits the elements to the interval from ``min`` to ``max``; either bound may be omitted.
///
/// ``a_min`` and ``a_max`` are NumPy's names of the bounds.
///
/// >>> bv.clip(bv.asarray([1, 5, 9]), 3, 7)
/// array([3, 5, 7])
/// >>> bv.clip(bv.asarray([1, 5, 9]), max=7)
/// array([1, 5, 7])
#[pyfunction]
#[pyo3(signature = (x, /, min = None, max = None, out = None, *, a_min = None, a_max = None, dtype = None))]
#[expect(clippy::too_many_arguments, reason = "they are those of NumPy")]
pub(crate) fn clip<'py>(
    py: Python<'py>,
    x: ArrayArgument<'py>,
    min: Option<OperandArgument>,
    max: Option<OperandArgument>,
    out: Option<OutArgument<'py>>,
    a_min: Option<OperandArgument>,
    a_max: Option<OperandArgument>,
    dtype: Option<DTypeArgument>,
) -> PyResult<Bound<'py, ArrayObject>> {
    if (min.is_some() && a_min.is_some()) || (max.is_some() && a_max.is_some()) {
        return Err(PyTypeError::new_err("a_min and min, or a_max and max, are the same bound"));
    }
    let (min, max) = (min.or(a_min), max.or(a_max));
    let (min, max) = (min.as_ref(), max.as_ref());
    let x = x.tensor();
    let cast = match dtype {
        Some(DTypeArgument(dtype)) => Some(run(py, x.len(), || x.astype(dtype))?),
        None => None,
    };
    let x = cast.as_ref().unwrap_or(x);
    let bounds = || (min.map(Operand::from), max.map(Operand::from));
    compute_to(
        py,
        clip_len(x, min, max),
        out,
        || x.clip(bounds().0, bounds().1),
        |out| belvedere::clip_into(x, bounds().0, bounds().1, out),
    )
}

/// The number of elements, as an estimate of the work.
fn clip_len(x: &Tensor, min: Option<&OperandArgument>, max: Option<&OperandArgument>) -> usize {
    let len_of = |it: Option<&OperandArgument>| it.map_or(0, OperandArgument::len);
    x.len().max(len_of(min)).max(len_of(max))
}

/// Limits the elements to an interval, of which either bound may be omitted.
pub(crate) fn clip_to(
    py: Python<'_>,
    x: &Tensor,
    min: Option<&OperandArgument>,
    max: Option<&OperandArgument>,
) -> PyResult<Array> {
    let clip = || x.clip(min.map(Operand::from), max.map(Operand::from));
    run(py, clip_len(x, min, max), clip).map(Array::from)
}

/// Tests whether ``abs(x1 - x2) <= atol + rtol * abs(x2)``.
///
/// >>> bv.isclose(bv.asarray([1.0, 1.1]), bv.asarray([1.0 + 1e-9, 1.2]))
/// array([ True, False])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, rtol = 1e-5, atol = 1e-8, equal_nan = false))]
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
    run(py, len, || x.isclose_with(y, rtol, atol, equal_nan)).map(Array::from)
}

/// Tests whether all elements are equal within a tolerance, as ``isclose`` defines it.
///
/// >>> bv.allclose(bv.asarray([1.0, 2.0]), bv.asarray([1.0, 2.0 + 1e-9]))
/// True
#[pyfunction]
#[pyo3(signature = (x1, x2, /, rtol = 1e-5, atol = 1e-8, equal_nan = false))]
pub(crate) fn allclose(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: OperandArgument,
    rtol: f64,
    atol: f64,
    equal_nan: bool,
) -> PyResult<bool> {
    let (x, y) = (x1.tensor(), &x2);
    let holds = || x.isclose_with(y, rtol, atol, equal_nan)?.all(())?.item::<bool>();
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
/// With ``copy=False`` they are replaced in ``x`` itself.
///
/// >>> bv.nan_to_num(bv.asarray([1.0, bv.nan, bv.inf]), posinf=9.0)
/// array([1., 0., 9.])
#[pyfunction]
#[pyo3(signature = (x, /, copy = true, nan = 0.0, posinf = None, neginf = None))]
pub(crate) fn nan_to_num<'py>(
    py: Python<'py>,
    x: ArrayArgument<'py>,
    copy: bool,
    nan: f64,
    posinf: Option<f64>,
    neginf: Option<f64>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let is_exact = !x.tensor().dtype().is_floating() && !x.tensor().dtype().is_complex();
    if !copy && is_exact {
        // Integers have no NaN: nothing is written, so the memory may be read-only.
        return Ok(x.0);
    }
    let out = (!copy).then(|| OutArgument(x.0.clone()));
    let x = x.tensor();
    compute_to(
        py,
        x.len(),
        out,
        || x.nan_to_num(Some(nan), posinf, neginf),
        |out| belvedere::nan_to_num_into(x, Some(nan), posinf, neginf, out),
    )
}

/// Computes the reciprocals; those of integers are integers: 1 and -1 their own, and 0 for all others, as NumPy's.
pub(crate) fn reciprocal(x: &Tensor) -> Result<Tensor, Error> {
    match x.dtype() {
        DType::Bool => x.astype(DType::Int8),
        dtype if dtype.is_integer() => {
            // Zero is its own result as well.
            let lowest = if dtype.is_unsigned() { 0 } else { -1 };
            where_(&x.clip(lowest, 1)?.equal(x)?, x, 0)?.astype(dtype)
        }
        _ => x.reciprocal(),
    }
}

/// Writes the reciprocals to an existing array.
pub(crate) fn reciprocal_into(x: &Tensor, out: &Tensor) -> Result<(), Error> {
    match x.dtype() {
        dtype if dtype.is_integer() || dtype.is_bool() => assign_in_kind(&reciprocal(x)?, out),
        _ => belvedere::reciprocal_into(x, out),
    }
}

/// Computes the normalized sinc function, also of complex numbers.
pub(crate) fn sinc(x: &Tensor) -> Result<Tensor, Error> {
    if !x.dtype().is_complex() {
        return x.sinc();
    }
    let angle = x.multiply(std::f64::consts::PI)?;
    where_(&angle.equal(0)?, 1, &angle.sin()?.divide(&angle)?)
}

/// Writes the normalized sinc function to an existing array.
pub(crate) fn sinc_into(x: &Tensor, out: &Tensor) -> Result<(), Error> {
    match x.dtype().is_complex() {
        true => assign_in_kind(&sinc(x)?, out),
        false => belvedere::sinc_into(x, out),
    }
}

/// Assigns a result to an array, with a cast to the same or a greater kind.
fn assign_in_kind(result: &Tensor, out: &Tensor) -> Result<(), Error> {
    Casting::SameKind.check(result.dtype(), out.dtype())?;
    belvedere::astype_into(result, out)
}

/// Rounds to the nearest integer, halfway cases to even; the result is a float.
///
/// >>> bv.rint([0.5, 1.5, 2.4])
/// array([0., 2., 2.])
#[pyfunction]
#[pyo3(signature = (x, /, out=None, *, r#where=None, casting=None, order=None, dtype=None, subok=None),
       text_signature = "(x, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True)")]
#[expect(clippy::too_many_arguments, reason = "they are those of NumPy")]
pub(crate) fn rint<'py>(
    py: Python<'py>,
    x: ArrayArgument<'py>,
    out: Option<OutArgument<'py>>,
    r#where: Option<Bound<'py, PyAny>>,
    casting: Option<Bound<'py, PyAny>>,
    #[expect(unused_variables, reason = "the order follows the operand")] order: Option<
        Bound<'py, PyAny>,
    >,
    dtype: Option<Bound<'py, PyAny>>,
    #[expect(unused_variables, reason = "there are no subclasses")] subok: Option<
        Bound<'py, PyAny>,
    >,
) -> PyResult<Bound<'py, ArrayObject>> {
    let tensor = x.tensor();
    let is_float = tensor.dtype().is_floating() || tensor.dtype().is_complex();
    let x = match is_float {
        true => x,
        false => {
            let cast = run_to_object(py, tensor.len(), || tensor.astype(DType::Float64))?;
            ArrayArgument(cast)
        }
    };
    let keywords = [r#where, casting, dtype];
    unary_ufunc(py, &x, out, keywords, |x| x.round(), |x, out| belvedere::round_into(x, out))
}

/// Rounds to a number of digits after the point; before it if the number is negative.
pub(crate) fn round_to<'py>(
    py: Python<'py>,
    x: ArrayArgument<'py>,
    decimals: i32,
    out: Option<OutArgument<'py>>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let tensor = x.tensor();
    let x = match tensor.dtype() {
        // Bools are rounded as numbers, and the results are floats, as NumPy's.
        DType::Bool => {
            let cast = || tensor.astype(DType::Float64);
            ArrayArgument(run_to_object(py, tensor.len(), cast)?)
        }
        _ => x,
    };
    if decimals == 0 {
        let into = |x: &Tensor, out: &Tensor| belvedere::round_into(x, out);
        return unary_ufunc(py, &x, out, [None, None, None], |x| x.round(), into);
    }
    let x = x.tensor();
    let result = run(py, x.len(), || x.round_decimals(decimals))?;
    deliver(py, result, out)
}
