//! The namespace `nn`: neural network layers.

use crate::arguments::{ArrayArgument, AxesArgument, Count, Integers};
use crate::array::Array;
use crate::attach::{run, run_detached};
use crate::dtype::DTypeArgument;
use belvedere::nn::{self as core, Conv, Padding, Pool};
use belvedere::{Axes, DType};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Reads one number for each of `N` axes; a single number is used for all.
fn one_per_axis<const N: usize>(numbers: &Integers) -> PyResult<[usize; N]> {
    let lengths = Count::list(numbers)?;
    if let [one] = lengths[..] {
        return Ok([one; N]);
    }
    let n_given = lengths.len();
    let message = || format!("expected 1 or {N} numbers, got {n_given}");
    lengths.try_into().map_err(|_| PyValueError::new_err(message()))
}

/// Zero padding: `"valid"`, `"same"`, or widths.
#[derive(FromPyObject)]
pub(crate) enum PaddingArgument {
    #[pyo3(transparent)]
    Named(String),
    #[pyo3(transparent)]
    Zeros(Integers),
}

impl PaddingArgument {
    fn padding<const N: usize>(&self) -> PyResult<Padding<N>> {
        match self {
            PaddingArgument::Named(name) => match name.as_str() {
                "valid" => Ok(Padding::Valid),
                "same" => Ok(Padding::Same),
                _ => {
                    let message = format!("padding must be valid, same or a number, got {name:?}");
                    Err(PyValueError::new_err(message))
                }
            },
            PaddingArgument::Zeros(numbers) => one_per_axis(numbers).map(Padding::Zeros),
        }
    }
}

/// Reads the parameters of a convolution.
pub(crate) fn convolution<const N: usize>(
    stride: &Integers,
    padding: &PaddingArgument,
    dilation: &Integers,
    groups: Count,
) -> PyResult<Conv<N>> {
    let (stride, padding, dilation) =
        (one_per_axis(stride)?, padding.padding()?, one_per_axis(dilation)?);
    Ok(Conv { stride, padding, dilation, groups: groups.0 })
}

/// Reads the windows of a pooling function.
pub(crate) fn pool<const N: usize>(
    size: &Integers,
    stride: Option<&Integers>,
    padding: &Integers,
    ceil: bool,
    count_padding: bool,
) -> PyResult<Pool<N>> {
    let size = one_per_axis(size)?;
    let stride = stride.map_or(Ok(size), one_per_axis)?;
    Ok(Pool { stride, padding: one_per_axis(padding)?, ceil, count_padding, ..Pool::new(size) })
}

/// The axes of a normalization; by default the last one.
fn axes(axis: Option<AxesArgument>) -> Axes {
    axis.map_or(Axes::from(-1), |it| it.axes(false))
}

/// Normalizes over axes: ``(x - mean) / sqrt(var + epsilon)``, then scale and shift.
///
/// The result is multiplied by ``weight``, and ``bias`` is added.
///
/// >>> bv.nn.layer_norm(bv.asarray([[1.0, 3.0], [10.0, 30.0]]), epsilon=0.0)
/// array([[-1.,  1.],
///        [-1.,  1.]])
#[pyfunction]
#[pyo3(signature = (x, /, weight=None, bias=None, *, axis=None, epsilon=1e-5),
       text_signature = "(x, /, weight=None, bias=None, *, axis=-1, epsilon=1e-05)")]
pub(crate) fn layer_norm(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    weight: Option<ArrayArgument<'_>>,
    bias: Option<ArrayArgument<'_>>,
    axis: Option<AxesArgument>,
    epsilon: f64,
) -> PyResult<Array> {
    let (x, axes) = (x.tensor(), axes(axis));
    let [weight, bias] = [&weight, &bias].map(|it| it.as_ref().map(ArrayArgument::tensor));
    run(py, x.len(), || core::layer_norm(x, axes.clone(), weight, bias, epsilon)).map(Array::from)
}

/// Normalizes over axes by the root mean square: ``x / sqrt(mean(x**2) + epsilon)``.
///
/// The result is multiplied by ``weight``.
///
/// >>> bv.nn.rms_norm(bv.asarray([2.0, -2.0]), epsilon=0.0)
/// array([ 1., -1.])
#[pyfunction]
#[pyo3(signature = (x, /, weight=None, *, axis=None, epsilon=1e-5),
       text_signature = "(x, /, weight=None, *, axis=-1, epsilon=1e-05)")]
pub(crate) fn rms_norm(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    weight: Option<ArrayArgument<'_>>,
    axis: Option<AxesArgument>,
    epsilon: f64,
) -> PyResult<Array> {
    let (x, axes) = (x.tensor(), axes(axis));
    let weight = weight.as_ref().map(ArrayArgument::tensor);
    run(py, x.len(), || core::rms_norm(x, axes.clone(), weight, epsilon)).map(Array::from)
}

/// Normalizes each channel with given means and variances: ``(x - mean) / sqrt(variance + epsilon)``.
///
/// The channels are along axis 1. The result is multiplied by ``weight``, and ``bias`` is added.
///
/// >>> x = bv.asarray([[1.0, 8.0], [3.0, 24.0]])
/// >>> bv.nn.batch_norm(x, bv.mean(x, axis=0), bv.var(x, axis=0), epsilon=0.0)
/// array([[-1., -1.],
///        [ 1.,  1.]])
#[pyfunction]
#[pyo3(signature = (x, mean, variance, /, weight=None, bias=None, *, epsilon=1e-5),
       text_signature = "(x, mean, variance, /, weight=None, bias=None, *, epsilon=1e-05)")]
pub(crate) fn batch_norm(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    mean: ArrayArgument<'_>,
    variance: ArrayArgument<'_>,
    weight: Option<ArrayArgument<'_>>,
    bias: Option<ArrayArgument<'_>>,
    epsilon: f64,
) -> PyResult<Array> {
    let (x, mean, variance) = (x.tensor(), mean.tensor(), variance.tensor());
    let [weight, bias] = [&weight, &bias].map(|it| it.as_ref().map(ArrayArgument::tensor));
    let operation = || core::batch_norm(x, mean, variance, weight, bias, epsilon);
    run(py, x.len(), operation).map(Array::from)
}

/// Gathers rows of a table by index.
///
/// >>> bv.nn.embedding(bv.asarray([[1, 2], [3, 4], [5, 6]]), bv.asarray([2, 0]))
/// array([[5, 6],
///        [1, 2]])
#[pyfunction]
#[pyo3(signature = (table, indices, /))]
pub(crate) fn embedding(
    py: Python<'_>,
    table: ArrayArgument<'_>,
    indices: ArrayArgument<'_>,
) -> PyResult<Array> {
    let (table, indices) = (table.tensor(), indices.tensor());
    run_detached(py, || core::embedding(table, indices)).map(Array::from)
}

/// Returns the one-hot encoding of indices along a new last axis.
///
/// >>> bv.nn.one_hot(bv.asarray([2, 0]), 3)
/// array([[0., 0., 1.],
///        [1., 0., 0.]])
#[pyfunction]
#[pyo3(signature = (indices, n, /, *, dtype=None))]
pub(crate) fn one_hot(
    py: Python<'_>,
    indices: ArrayArgument<'_>,
    n: Count,
    dtype: Option<DTypeArgument>,
) -> PyResult<Array> {
    let (indices, dtype) = (indices.tensor(), dtype.map_or(DType::Float64, |it| it.0));
    let len = indices.len().saturating_mul(n.0);
    run(py, len, || core::one_hot(indices, n.0, dtype)).map(Array::from)
}
