//! Creation functions.

use crate::arguments::{
    ArrayArgument, Count, DeviceArgument, Diagonal, Number, Numbers, OneNumber, OperandArgument,
    Order, ShapeArgument,
};
use crate::array::{Array, ArrayObject};
use crate::attach::{run, run_detached, run_to_object};
use crate::dtype::DTypeArgument;
use crate::error::raise;
use crate::exchange;
use belvedere::{DType, Device, Error, Operand, Tensor, copies, s, with_device};
use pyo3::IntoPyObjectExt;
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
#[pyo3(signature = (start = None, stop = None, step = OneNumber(Number::Int(1)), dtype = None, *, device = None),
       text_signature = "(start=None, stop=None, step=1, dtype=None, *, device=None)")]
pub(crate) fn arange<'py>(
    py: Python<'py>,
    start: Option<OneNumber>,
    stop: Option<OneNumber>,
    step: OneNumber,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let OneNumber(step) = step;
    let (start, stop) = match (start, stop) {
        (Some(OneNumber(start)), Some(OneNumber(stop))) => (start, stop),
        (Some(OneNumber(stop)), None) | (None, Some(OneNumber(stop))) => (Number::Int(0), stop),
        (None, None) => return Err(PyTypeError::new_err("arange requires stop")),
    };
    let dtype = dtype.map(|DTypeArgument(dtype)| dtype);
    if let (Some(start), Some(stop), Some(step)) = (start.integer(), stop.integer(), step.integer())
    {
        let dtype = dtype.unwrap_or(DType::Int64);
        let most = usize::try_from(start.abs_diff(stop)).unwrap_or(usize::MAX);
        let make = || Tensor::arange_integers(start, stop, step, dtype);
        return DeviceArgument::run(device, Device::Cpu, || run_to_object(py, most, make));
    }
    let (start, stop, step) = (real(start)?, real(stop)?, real(step)?);
    let dtype = dtype.unwrap_or(DType::Float64);
    let make = || Tensor::arange_step(start, stop, step, dtype);
    let values = DeviceArgument::run(device, Device::Cpu, || run_detached(py, make))?;
    Array::from(values).object(py)
}

fn real(number: Number) -> PyResult<f64> {
    number.real().ok_or_else(|| PyTypeError::new_err("arange requires real numbers"))
}

/// Returns ``num`` evenly spaced numbers from ``start`` to ``stop``.
///
/// With ``endpoint=False``, ``stop`` is excluded. With ``retstep=True``, the step is returned as well. The numbers
/// between the elements of two arrays are along a new ``axis``.
///
/// >>> bv.linspace(0, 1, 5)
/// array([0.  , 0.25, 0.5 , 0.75, 1.  ])
/// >>> bv.linspace([0, 10], [1, 20], 3)
/// array([[ 0. , 10. ],
///        [ 0.5, 15. ],
///        [ 1. , 20. ]])
#[pyfunction]
#[pyo3(signature = (start, stop, /, num = Count(50), endpoint = true, retstep = false, dtype = None, axis = 0, *, device = None),
       text_signature = "(start, stop, /, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None)")]
#[expect(clippy::too_many_arguments, reason = "they are those of NumPy")]
pub(crate) fn linspace<'py>(
    py: Python<'py>,
    start: OperandArgument,
    stop: OperandArgument,
    num: Count,
    endpoint: bool,
    retstep: bool,
    dtype: Option<DTypeArgument>,
    axis: isize,
    device: Option<DeviceArgument>,
) -> PyResult<Bound<'py, PyAny>> {
    let dtype = dtype.map(|DTypeArgument(dtype)| dtype);
    let values = match (start.one(py)?, stop.one(py)?) {
        (Some(start), Some(stop)) => {
            let is_real = start.real().is_some() && stop.real().is_some();
            let default = if is_real { DType::Float64 } else { DType::Complex128 };
            let dtype = dtype.unwrap_or(default);
            // The core has no numbers between two bools.
            let made = if dtype.is_bool() { DType::Float64 } else { dtype };
            let (start, stop) = (start.complex(), stop.complex());
            let make = || match endpoint {
                true => Tensor::linspace(start, stop, num.0, made)?.astype(dtype),
                false => Tensor::linspace_open(start, stop, num.0, made)?.astype(dtype),
            };
            let make = || copies::allow(make);
            DeviceArgument::run(device, Device::Cpu, || run(py, num.0, make))?
        }
        _ => run(py, start.len().max(stop.len()).saturating_mul(num.0), || {
            let values = between(&start, &stop, num.0, endpoint)?;
            dtype.map_or(Ok(values.clone()), |it| values.astype(it))?.moveaxis(0, axis)
        })?,
    };
    let values = Array::from(values).object(py)?;
    if !retstep {
        return Ok(values.into_any());
    }
    let n = num.0.saturating_sub(usize::from(endpoint));
    let step = run(py, 1, || Operand::from(&stop).sub(&start)?.divide(n as f64))?;
    (values, Array::from(step)).into_bound_py_any(py)
}

/// Evenly spaced values between the elements of two operands, along a new first axis.
fn between(
    start: &OperandArgument,
    stop: &OperandArgument,
    num: usize,
    endpoint: bool,
) -> Result<Tensor, Error> {
    let distance = Operand::from(stop).sub(start)?;
    let rank = distance.rank();
    let mut shape = vec![1; rank + 1];
    shape[0] = num;
    let end = if endpoint { num.saturating_sub(1) } else { num };
    let steps = Tensor::arange_integers(0, num as i128, 1, DType::Float64)?.reshape(shape)?;
    let parts = steps.divide(end.max(1) as f64)?;
    let values = distance.multiply(&parts)?.add(start)?;
    if endpoint && num > 1 {
        // The last value is exactly the given one.
        values.slice(s![-1..])?.assign(s![..], stop)?;
    }
    Ok(values)
}

/// Creates an array of a shape; the default dtype is `float64`.
pub(crate) fn create<'py>(
    py: Python<'py>,
    shape: &ShapeArgument,
    dtype: Option<DTypeArgument>,
    order: Order,
    function: fn(&Numbers, DType) -> Result<Tensor, Error>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let dtype = dtype.map_or(DType::Float64, |DTypeArgument(dtype)| dtype);
    let make = || in_order(&shape.0, order, |shape| function(shape, dtype));
    run_to_object(py, size(shape), make)
}

/// Creates an array in row-major order, or in column-major order: that of the reversed axes, reversed again.
fn in_order(
    shape: &Numbers,
    order: Order,
    create: impl Fn(&Numbers) -> Result<Tensor, Error>,
) -> Result<Tensor, Error> {
    match order {
        Order::ColumnMajor if shape.len() > 1 => {
            let reversed: Numbers = shape.iter().rev().copied().collect();
            Ok(create(&reversed)?.reverse_dims())
        }
        _ => create(shape),
    }
}

/// Creates an array with the shape of another one, on its device unless another one is given.
pub(crate) fn create_like(
    py: Python<'_>,
    x: &Tensor,
    (device, order, shape): (Option<DeviceArgument>, Order, Option<ShapeArgument>),
    create: impl Fn(&Tensor) -> Result<Tensor, Error> + Send + Sync,
) -> PyResult<Array> {
    let x = &match (order, shape) {
        (Order::Keep, None) => x.clone(),
        (order, shape) => {
            let own = || x.shape().iter().map(|&len| len as isize).collect();
            let shape: Numbers = shape.map_or_else(own, |it| it.0);
            let column_major = order.is_column_major(x.layout());
            let order = if column_major { Order::ColumnMajor } else { Order::RowMajor };
            let empty = |shape: &Numbers| Tensor::empty(shape, x.dtype());
            with_device(x.device(), || in_order(&shape, order, empty)).map_err(raise)?
        }
    };
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
#[pyo3(signature = (shape, fill_value, dtype = None, order = Order::RowMajor, *, device = None),
       text_signature = "(shape, fill_value, dtype=None, order='C', *, device=None)")]
pub(crate) fn full(
    py: Python<'_>,
    shape: ShapeArgument,
    fill_value: &Bound<'_, PyAny>,
    dtype: Option<DTypeArgument>,
    order: Order,
    device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let (dtype, value) = match dtype {
        Some(DTypeArgument(dtype)) => (dtype, exchange::assigned(fill_value, dtype)?),
        None => {
            let value: OperandArgument = fill_value.extract()?;
            let dtype = match &value {
                OperandArgument::Array(array) => array.get().tensor().dtype(),
                OperandArgument::Number(number) => number.dtype(),
            };
            (dtype, value)
        }
    };
    let value = &value;
    if let OperandArgument::Array(_) = value {
        // Values are cast to the dtype and broadcast to the shape.
        let fill = || {
            let filled = in_order(&shape.0, order, |shape| Tensor::empty(shape, dtype))?;
            belvedere::astype_into(value, &filled)?;
            Ok(filled)
        };
        return run(py, size(&shape), fill).map(Array::from);
    }
    let make = || in_order(&shape.0, order, |shape| Tensor::full_as(shape, value, dtype));
    DeviceArgument::run(device, Device::Cpu, || run(py, size(&shape), make)).map(Array::from)
}

/// Returns an array filled with one value, with the shape and, unless given, the dtype of ``x``.
///
/// >>> bv.full_like(bv.asarray([5, 6]), 9)
/// array([9, 9])
#[pyfunction]
#[pyo3(signature = (x, /, fill_value, dtype = None, order = Order::Keep, subok = true, shape = None, *, device = None),
       text_signature = "(x, /, fill_value, dtype=None, order='K', subok=True, shape=None, *, device=None)")]
#[expect(clippy::too_many_arguments, reason = "they are those of NumPy")]
pub(crate) fn full_like(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    fill_value: &Bound<'_, PyAny>,
    dtype: Option<DTypeArgument>,
    order: Order,
    #[expect(unused_variables, reason = "there are no subclasses")] subok: bool,
    shape: Option<ShapeArgument>,
    device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let x = x.tensor();
    let dtype = dtype.map_or(x.dtype(), |DTypeArgument(dtype)| dtype);
    let value = &exchange::assigned(fill_value, dtype)?;
    let how = (device, order, shape);
    if let OperandArgument::Array(_) = value {
        return create_like(py, x, how, |x| {
            let filled = x.zeros_like_as(dtype)?;
            belvedere::astype_into(value, &filled)?;
            Ok(filled)
        });
    }
    create_like(py, x, how, |x| x.full_like_as(value, dtype))
}

/// Returns a matrix with ones on diagonal ``k`` and zeros elsewhere.
///
/// Positive ``k`` counts diagonals above the main diagonal, negative ``k`` below.
///
/// >>> bv.eye(2, 3, k=1)
/// array([[0., 1., 0.],
///        [0., 0., 1.]])
#[pyfunction]
#[pyo3(signature = (n_rows, n_cols = None, /, k = Diagonal(0), dtype = None, order = Order::RowMajor, *, device = None),
       text_signature = "(n_rows, n_cols=None, /, k=0, dtype=None, order='C', *, device=None)")]
pub(crate) fn eye(
    py: Python<'_>,
    n_rows: Count,
    n_cols: Option<Count>,
    k: Diagonal,
    dtype: Option<DTypeArgument>,
    order: Order,
    device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let (Count(rows), Count(cols)) = (n_rows, n_cols.unwrap_or(n_rows));
    let dtype = dtype.map_or(DType::Float64, |DTypeArgument(dtype)| dtype);
    let make = || match order {
        Order::ColumnMajor => {
            Ok(Tensor::eye_with((cols, rows), k.0.saturating_neg(), dtype)?.reverse_dims())
        }
        _ => Tensor::eye_with((rows, cols), k.0, dtype),
    };
    let work = rows.saturating_mul(cols);
    DeviceArgument::run(device, Device::Cpu, || run(py, work, make)).map(Array::from)
}

/// Returns the ``n`` by ``n`` identity matrix.
///
/// >>> bv.identity(2, dtype=bv.int64)
/// array([[1, 0],
///        [0, 1]])
#[pyfunction]
#[pyo3(signature = (n, /, dtype = None, *, device = None))]
pub(crate) fn identity(
    py: Python<'_>,
    n: Count,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
) -> PyResult<Array> {
    eye(py, n, None, Diagonal(0), dtype, Order::RowMajor, device)
}

/// Returns the coordinate arrays of a grid as broadcast views.
///
/// With ``sparse=True`` they have length 1 along the axes on which they do not depend. With ``copy=True`` they are
/// no views.
///
/// >>> bv.meshgrid(bv.asarray([1, 2]), bv.asarray([3, 4, 5]))[0]
/// array([[1, 2],
///        [1, 2],
///        [1, 2]])
/// >>> bv.meshgrid([1, 2], [3, 4, 5], sparse=True)[0]
/// array([[1, 2]])
#[pyfunction]
#[pyo3(signature = (*arrays, copy = false, sparse = false, indexing = "xy"))]
pub(crate) fn meshgrid<'py>(
    py: Python<'py>,
    arrays: Vec<ArrayArgument<'py>>,
    copy: bool,
    sparse: bool,
    indexing: &str,
) -> PyResult<Bound<'py, PyTuple>> {
    let is_xy = indexing == "xy";
    let indexing = indexing.parse().map_err(raise)?;
    // NumPy flattens the arrays.
    let flat = |it: &ArrayArgument<'_>| it.tensor().atleast_1d()?.reshape([-1]);
    let tensors: Vec<Tensor> = arrays.iter().map(flat).collect::<Result<_, _>>().map_err(raise)?;
    let grids = match sparse {
        false => belvedere::meshgrid(&tensors, indexing).map_err(raise)?,
        true => sparse_grid(&tensors, is_xy).map_err(raise)?,
    };
    let grids = match copy {
        false => grids,
        true => run_detached(py, || grids.iter().map(Tensor::copy).collect::<Result<_, _>>())?,
    };
    PyTuple::new(py, grids.into_iter().map(Array::from))
}

/// Gives vectors an axis each; the first two are swapped in Cartesian order.
fn sparse_grid(tensors: &[Tensor], is_xy: bool) -> Result<Vec<Tensor>, Error> {
    let n = tensors.len();
    let shaped = |(i, tensor): (usize, &Tensor)| {
        let mut shape = vec![1; n];
        let axis = if is_xy && n > 1 && i < 2 { 1 - i } else { i };
        shape[axis] = tensor.len();
        tensor.reshape(shape)
    };
    tensors.iter().enumerate().map(shaped).collect()
}
