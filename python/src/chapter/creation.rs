//! Creation functions.

use crate::arguments::{
    ArrayArgument, Count, DeviceArgument, Diagonal, Number, Numbers, OneNumber, OperandArgument,
    ShapeArgument,
};
use crate::array::Array;
use crate::attach::{run, run_detached};
use crate::dtype::DTypeArgument;
use crate::error::raise;
use belvedere::{DType, Device, Error, Tensor};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Returns evenly spaced values in the half-open interval from ``start`` to ``stop``.
///
/// With one argument, the interval starts at 0. The default dtype is ``int64`` for integers, else ``float64``.
///
/// >>> bv.arange(3)
/// array([0, 1, 2])
/// >>> bv.arange(0, 1, 0.25)
/// array([0.  , 0.25, 0.5 , 0.75])
#[pyfunction]
#[pyo3(signature = (start, /, stop = None, step = OneNumber(Number::Int(1)), *, dtype = None, device = None),
       text_signature = "(start, /, stop=None, step=1, *, dtype=None, device=None)")]
pub(crate) fn arange(
    py: Python<'_>,
    start: OneNumber,
    stop: Option<OneNumber>,
    step: OneNumber,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let (OneNumber(start), OneNumber(step)) = (start, step);
    let (start, stop) = match stop {
        Some(OneNumber(stop)) => (start, stop),
        None => (Number::Int(0), start),
    };
    let dtype = dtype.map(|DTypeArgument(dtype)| dtype);
    if let (Some(start), Some(stop), Some(step)) = (start.integer(), stop.integer(), step.integer())
    {
        let dtype = dtype.unwrap_or(DType::Int64);
        let most = usize::try_from(start.abs_diff(stop)).unwrap_or(usize::MAX);
        let make = || Tensor::arange_integers(start, stop, step, dtype);
        return DeviceArgument::run(device, Device::Cpu, || run(py, most, make)).map(Array::from);
    }
    let (start, stop, step) = (real(start)?, real(stop)?, real(step)?);
    let dtype = dtype.unwrap_or(DType::Float64);
    let make = || Tensor::arange_step(start, stop, step, dtype);
    DeviceArgument::run(device, Device::Cpu, || run_detached(py, make)).map(Array::from)
}

fn real(number: Number) -> PyResult<f64> {
    number.real().ok_or_else(|| PyTypeError::new_err("arange requires real numbers"))
}

/// Returns ``num`` evenly spaced numbers from ``start`` to ``stop``.
///
/// With ``endpoint=False``, ``stop`` is excluded.
///
/// >>> bv.linspace(0, 1, 5)
/// array([0.  , 0.25, 0.5 , 0.75, 1.  ])
#[pyfunction]
#[pyo3(signature = (start, stop, /, num, *, dtype = None, device = None, endpoint = true))]
pub(crate) fn linspace(
    py: Python<'_>,
    start: OneNumber,
    stop: OneNumber,
    num: Count,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
    endpoint: bool,
) -> PyResult<Array> {
    let (OneNumber(start), OneNumber(stop)) = (start, stop);
    let is_real = start.real().is_some() && stop.real().is_some();
    let default = if is_real { DType::Float64 } else { DType::Complex128 };
    let dtype = dtype.map_or(default, |DTypeArgument(dtype)| dtype);
    let (start, stop) = (start.complex(), stop.complex());
    let make = || match endpoint {
        true => Tensor::linspace(start, stop, num.0, dtype),
        false => Tensor::linspace_open(start, stop, num.0, dtype),
    };
    DeviceArgument::run(device, Device::Cpu, || run(py, num.0, make)).map(Array::from)
}

/// Creates an array of a shape; the default dtype is `float64`.
pub(crate) fn create(
    py: Python<'_>,
    shape: &ShapeArgument,
    dtype: Option<DTypeArgument>,
    function: fn(&Numbers, DType) -> Result<Tensor, Error>,
) -> PyResult<Array> {
    let dtype = dtype.map_or(DType::Float64, |DTypeArgument(dtype)| dtype);
    run(py, size(shape), || function(&shape.0, dtype)).map(Array::from)
}

/// Creates an array with the shape of another one, on its device unless another one is given.
pub(crate) fn create_like(
    py: Python<'_>,
    x: &Tensor,
    device: Option<DeviceArgument>,
    create: impl Fn(&Tensor) -> Result<Tensor, Error> + Send + Sync,
) -> PyResult<Array> {
    let like = match device {
        Some(DeviceArgument(Device::Meta)) => x.to_device(Device::Meta),
        Some(DeviceArgument(Device::Cpu)) if x.device() == Device::Meta => {
            Tensor::empty_on(x.shape(), x.dtype(), Device::Cpu)
        }
        _ => Ok(x.clone()),
    };
    let like = like.map_err(raise)?;
    run(py, like.len(), || create(&like)).map(Array::from)
}

/// The number of elements, as an estimate of the work.
fn size(shape: &ShapeArgument) -> usize {
    shape.0.iter().fold(1, |size: usize, &len| size.saturating_mul(len.unsigned_abs()))
}

/// Returns an array filled with one value; the default dtype is that of the value's kind.
///
/// >>> bv.full((2, 2), 7)
/// array([[7, 7],
///        [7, 7]])
#[pyfunction]
#[pyo3(signature = (shape, fill_value, *, dtype = None, device = None))]
pub(crate) fn full(
    py: Python<'_>,
    shape: ShapeArgument,
    fill_value: OperandArgument,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let dtype = match (dtype, &fill_value) {
        (Some(DTypeArgument(dtype)), _) => dtype,
        (None, OperandArgument::Array(array)) => array.get().tensor().dtype(),
        (None, OperandArgument::Number(number)) => number.dtype(),
    };
    let value = &fill_value;
    let make = || Tensor::full_as(&shape.0, value, dtype);
    DeviceArgument::run(device, Device::Cpu, || run(py, size(&shape), make)).map(Array::from)
}

/// Returns an array filled with one value, with the shape and, unless given, the dtype of ``x``.
///
/// >>> bv.full_like(bv.asarray([5, 6]), 9)
/// array([9, 9])
#[pyfunction]
#[pyo3(signature = (x, /, fill_value, *, dtype = None, device = None))]
pub(crate) fn full_like(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    fill_value: OperandArgument,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let (x, value) = (x.tensor(), &fill_value);
    let dtype = dtype.map_or(x.dtype(), |DTypeArgument(dtype)| dtype);
    create_like(py, x, device, |x| x.full_like_as(value, dtype))
}

/// Returns a matrix with ones on diagonal ``k`` and zeros elsewhere.
///
/// Positive ``k`` counts diagonals above the main diagonal, negative ``k`` below.
///
/// >>> bv.eye(2, 3, k=1)
/// array([[0., 1., 0.],
///        [0., 0., 1.]])
#[pyfunction]
#[pyo3(signature = (n_rows, n_cols = None, /, *, k = Diagonal(0), dtype = None, device = None),
       text_signature = "(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)")]
pub(crate) fn eye(
    py: Python<'_>,
    n_rows: Count,
    n_cols: Option<Count>,
    k: Diagonal,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let (Count(rows), Count(cols)) = (n_rows, n_cols.unwrap_or(n_rows));
    let dtype = dtype.map_or(DType::Float64, |DTypeArgument(dtype)| dtype);
    let make = || Tensor::eye(rows, cols, k.0, dtype);
    let work = rows.saturating_mul(cols);
    DeviceArgument::run(device, Device::Cpu, || run(py, work, make)).map(Array::from)
}

/// Returns the ``n`` by ``n`` identity matrix.
///
/// >>> bv.identity(2, dtype=bv.int64)
/// array([[1, 0],
///        [0, 1]])
#[pyfunction]
#[pyo3(signature = (n, /, *, dtype = None, device = None))]
pub(crate) fn identity(
    py: Python<'_>,
    n: Count,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
) -> PyResult<Array> {
    eye(py, n, None, Diagonal(0), dtype, device)
}

/// Returns the coordinate arrays of a grid as broadcast views.
///
/// >>> bv.meshgrid(bv.asarray([1, 2]), bv.asarray([3, 4, 5]))[0]
/// array([[1, 2],
///        [1, 2],
///        [1, 2]])
#[pyfunction]
#[pyo3(signature = (*arrays, indexing = "xy"))]
pub(crate) fn meshgrid<'py>(
    py: Python<'py>,
    arrays: Vec<ArrayArgument<'py>>,
    indexing: &str,
) -> PyResult<Bound<'py, PyTuple>> {
    let indexing = indexing.parse().map_err(raise)?;
    let tensors: Vec<&Tensor> = arrays.iter().map(ArrayArgument::tensor).collect();
    let grids = belvedere::meshgrid(&tensors, indexing).map_err(raise)?;
    PyTuple::new(py, grids.into_iter().map(Array::from))
}
