//! Arrays from nothing, and arrays like others.

use crate::arguments::{
    ArrayArgument, Count, DeviceArgument, Diagonal, Number, OneNumber, OperandArgument,
    ShapeArgument,
};
use crate::array::Array;
use crate::dtype::DTypeArgument;
use crate::error::raise;
use crate::lock::{release, run};
use belvedere::{DType, Indexing, Tensor};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The numbers from ``start`` on, ``step`` apart, up to ``stop`` and without it; from 0 on if only one
/// is given. Integers are ``int64``, others ``float64``.
///
/// >>> bv.arange(3)
/// array([0, 1, 2])
/// >>> bv.arange(0, 1, 0.25)
/// array([0.  , 0.25, 0.5 , 0.75])
#[pyfunction]
#[pyo3(signature = (start, /, stop = None, step = OneNumber(Number::Int(1)), *, dtype = None, device = None),
       text_signature = "(start, /, stop=None, step=1, *, dtype=None, device=None)")]
fn arange(
    py: Python<'_>,
    start: OneNumber,
    stop: Option<OneNumber>,
    step: OneNumber,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let _ = device;
    let (OneNumber(start), OneNumber(step)) = (start, step);
    let (start, stop) = match stop {
        Some(OneNumber(stop)) => (start, stop),
        None => (Number::Int(0), start),
    };
    let dtype = dtype.map(|DTypeArgument(dtype)| dtype);
    if let (Some(start), Some(stop), Some(step)) = (start.whole(), stop.whole(), step.whole()) {
        let dtype = dtype.unwrap_or(DType::Int64);
        let most = usize::try_from(start.abs_diff(stop)).unwrap_or(usize::MAX);
        let make = || Tensor::arange_integers(start, stop, step, dtype);
        return run(py, most, make).map(Array::from);
    }
    let (start, stop, step) = (real(start)?, real(stop)?, real(step)?);
    let dtype = dtype.unwrap_or(DType::Float64);
    release(py, || Tensor::arange_step(start, stop, step, dtype)).map(Array::from)
}

fn real(number: Number) -> PyResult<f64> {
    number.real().ok_or_else(|| PyTypeError::new_err("complex numbers have no order"))
}

/// ``num`` numbers from ``start`` to ``stop``, all as far from the next; without ``stop`` itself if
/// ``endpoint`` is false.
///
/// >>> bv.linspace(0, 1, 5)
/// array([0.  , 0.25, 0.5 , 0.75, 1.  ])
#[pyfunction]
#[pyo3(signature = (start, stop, /, num, *, dtype = None, device = None, endpoint = true))]
fn linspace(
    py: Python<'_>,
    start: OneNumber,
    stop: OneNumber,
    num: Count,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
    endpoint: bool,
) -> PyResult<Array> {
    let _ = device;
    let (OneNumber(start), OneNumber(stop)) = (start, stop);
    let is_real = start.real().is_some() && stop.real().is_some();
    let default = if is_real { DType::Float64 } else { DType::Complex128 };
    let dtype = dtype.map_or(default, |DTypeArgument(dtype)| dtype);
    let (start, stop) = (start.complex(), stop.complex());
    let make = || match endpoint {
        true => Tensor::linspace(start, stop, num.0, dtype),
        false => Tensor::linspace_open(start, stop, num.0, dtype),
    };
    run(py, num.0, make).map(Array::from)
}

/// Functions that make an array of a shape, `float64` if nothing else is said.
macro_rules! of_shape {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (shape, *, dtype = None, device = None))]
            fn $name(
                py: Python<'_>,
                shape: ShapeArgument,
                dtype: Option<DTypeArgument>,
                device: Option<DeviceArgument>,
            ) -> PyResult<Array> {
                let _ = device;
                let dtype = dtype.map_or(DType::Float64, |DTypeArgument(dtype)| dtype);
                run(py, size(&shape), || Tensor::$name(&shape.0, dtype)).map(Array::from)
            }
        )+

        fn register_of_shape(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)+
            Ok(())
        }
    };
}

/// The number of elements, as far as it says how long an operation takes.
fn size(shape: &ShapeArgument) -> usize {
    shape.0.iter().fold(1, |size: usize, &len| size.saturating_mul(len.unsigned_abs()))
}

of_shape! {
    /// An array whose elements nobody has set; they are zeros.
    ///
    /// >>> bv.empty((2, 3)).shape
    /// (2, 3)
    empty;

    /// Ones.
    ///
    /// >>> bv.ones((2, 2), dtype=bv.float32)
    /// array([[1., 1.],
    ///        [1., 1.]], dtype=float32)
    ones;

    /// Zeros.
    ///
    /// >>> bv.zeros(3)
    /// array([0., 0., 0.])
    zeros;
}

/// One value everywhere. Without ``dtype`` the array has the default type of the value's kind.
///
/// >>> bv.full((2, 2), 7)
/// array([[7, 7],
///        [7, 7]])
#[pyfunction]
#[pyo3(signature = (shape, fill_value, *, dtype = None, device = None))]
fn full(
    py: Python<'_>,
    shape: ShapeArgument,
    fill_value: OperandArgument<'_>,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let _ = device;
    let dtype = match (dtype, &fill_value) {
        (Some(DTypeArgument(dtype)), _) => dtype,
        (None, OperandArgument::Array(array)) => array.get().tensor().dtype(),
        (None, OperandArgument::Number(number)) => number.dtype(),
    };
    let value = fill_value.given();
    run(py, size(&shape), || Tensor::full_as(&shape.0, value, dtype)).map(Array::from)
}

/// Functions that make an array of the shape of another.
macro_rules! like_another {
    ($($(#[$doc:meta])* $name:ident => $method:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, /, *, dtype = None, device = None))]
            fn $name(
                py: Python<'_>,
                x: ArrayArgument<'_>,
                dtype: Option<DTypeArgument>,
                device: Option<DeviceArgument>,
            ) -> PyResult<Array> {
                let _ = device;
                let x = x.tensor();
                let dtype = dtype.map_or(x.dtype(), |DTypeArgument(dtype)| dtype);
                run(py, x.len(), || x.$method(dtype)).map(Array::from)
            }
        )+

        fn register_like_another(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)+
            Ok(())
        }
    };
}

like_another! {
    /// An array of the shape of another and, if no other is named, its type. Its elements are zeros.
    ///
    /// >>> bv.empty_like(bv.asarray([1, 2])).shape
    /// (2,)
    empty_like => zeros_like_as;

    /// Ones in the shape of another array and, if no other is named, of its type.
    ///
    /// >>> bv.ones_like(bv.asarray([5, 6]))
    /// array([1, 1])
    ones_like => ones_like_as;

    /// Zeros in the shape of another array and, if no other is named, of its type.
    ///
    /// >>> bv.zeros_like(bv.asarray([1, 2]))
    /// array([0, 0])
    zeros_like => zeros_like_as;
}

/// One value in the shape of another array and, if no other is named, of its type.
///
/// >>> bv.full_like(bv.asarray([5, 6]), 9)
/// array([9, 9])
#[pyfunction]
#[pyo3(signature = (x, /, fill_value, *, dtype = None, device = None))]
fn full_like(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    fill_value: OperandArgument<'_>,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let _ = device;
    let (x, value) = (x.tensor(), fill_value.given());
    let dtype = dtype.map_or(x.dtype(), |DTypeArgument(dtype)| dtype);
    run(py, x.len(), || x.full_like_as(value, dtype)).map(Array::from)
}

/// Ones on a diagonal and zeros elsewhere; ``k`` is the diagonal, above the middle if it is positive.
///
/// >>> bv.eye(2, 3, k=1)
/// array([[0., 1., 0.],
///        [0., 0., 1.]])
#[pyfunction]
#[pyo3(signature = (n_rows, n_cols = None, /, *, k = Diagonal(0), dtype = None, device = None),
       text_signature = "(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)")]
fn eye(
    py: Python<'_>,
    n_rows: Count,
    n_cols: Option<Count>,
    k: Diagonal,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
) -> PyResult<Array> {
    let _ = device;
    let (Count(rows), Count(cols)) = (n_rows, n_cols.unwrap_or(n_rows));
    let dtype = dtype.map_or(DType::Float64, |DTypeArgument(dtype)| dtype);
    let make = || Tensor::eye(rows, cols, k.0, dtype);
    run(py, rows.saturating_mul(cols), make).map(Array::from)
}

/// The square matrix with ones in the middle: ``eye(n)``.
///
/// >>> bv.identity(2, dtype=bv.int64)
/// array([[1, 0],
///        [0, 1]])
#[pyfunction]
#[pyo3(signature = (n, /, *, dtype = None, device = None))]
fn identity(
    py: Python<'_>,
    n: Count,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
) -> PyResult<Array> {
    eye(py, n, None, Diagonal(0), dtype, device)
}

/// The coordinates of a grid: for each array one of the whole grid's shape. They are views.
///
/// >>> bv.meshgrid(bv.asarray([1, 2]), bv.asarray([3, 4, 5]))[0]
/// array([[1, 2],
///        [1, 2],
///        [1, 2]])
#[pyfunction]
#[pyo3(signature = (*arrays, indexing = "xy"))]
fn meshgrid<'py>(
    py: Python<'py>,
    arrays: Vec<ArrayArgument<'py>>,
    indexing: &str,
) -> PyResult<Bound<'py, PyTuple>> {
    let indexing = match indexing {
        "xy" => Indexing::Xy,
        "ij" => Indexing::Ij,
        other => {
            let message = format!("indexing is \"xy\" or \"ij\", and not {other:?}");
            return Err(PyValueError::new_err(message));
        }
    };
    let tensors: Vec<&Tensor> = arrays.iter().map(ArrayArgument::tensor).collect();
    let grids = belvedere::meshgrid(&tensors, indexing).map_err(raise)?;
    PyTuple::new(py, grids.into_iter().map(Array::from))
}

/// What is on a diagonal and below it; zeros elsewhere.
///
/// >>> bv.tril(bv.ones((2, 2)))
/// array([[1., 0.],
///        [1., 1.]])
#[pyfunction]
#[pyo3(signature = (x, /, *, k = Diagonal(0)), text_signature = "(x, /, *, k=0)")]
fn tril(py: Python<'_>, x: ArrayArgument<'_>, k: Diagonal) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.tril(k.0)).map(Array::from)
}

/// What is on a diagonal and above it; zeros elsewhere.
///
/// >>> bv.triu(bv.ones((2, 2)))
/// array([[1., 1.],
///        [0., 1.]])
#[pyfunction]
#[pyo3(signature = (x, /, *, k = Diagonal(0)), text_signature = "(x, /, *, k=0)")]
fn triu(py: Python<'_>, x: ArrayArgument<'_>, k: Diagonal) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.triu(k.0)).map(Array::from)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_of_shape(module)?;
    register_like_another(module)?;
    module.add_function(wrap_pyfunction!(arange, module)?)?;
    module.add_function(wrap_pyfunction!(eye, module)?)?;
    module.add_function(wrap_pyfunction!(full, module)?)?;
    module.add_function(wrap_pyfunction!(full_like, module)?)?;
    module.add_function(wrap_pyfunction!(identity, module)?)?;
    module.add_function(wrap_pyfunction!(linspace, module)?)?;
    module.add_function(wrap_pyfunction!(meshgrid, module)?)?;
    module.add_function(wrap_pyfunction!(tril, module)?)?;
    module.add_function(wrap_pyfunction!(triu, module)?)
}
