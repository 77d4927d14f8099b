//! The functions `asarray` and `from_dlpack`.

use super::{dlpack, import_foreign, nested, not_an_array};
use crate::arguments::{DeviceArgument, Order};
use crate::array::{Array, ArrayObject};
use crate::attach::run;
use crate::dtype::DTypeArgument;
use crate::error::{copy_needed, raise};
use belvedere::{DType, Device, Tensor};
use pyo3::prelude::*;

/// Converts numbers, nested sequences or arrays of any library to an array.
///
/// Memory that can be shared (NumPy and PyTorch arrays, buffers) is not copied, whatever its
/// strides. It is copied if ``copy=True``, if ``dtype`` differs, or if the elements are unaligned
/// or byte-swapped; ``copy=False`` raises a ``ValueError`` instead. ``device="meta"`` keeps the
/// shape, the dtype and the strides, and none of the memory. ``order`` is ``"C"`` or ``"F"`` for elements in row-major
/// or column-major order, which may need a copy.
///
/// >>> bv.asarray([[1, 2], [3, 4]])
/// array([[1, 2],
///        [3, 4]])
/// >>> bv.asarray([1, 2], dtype=bv.float32)
/// array([1., 2.], dtype=float32)
#[pyfunction]
#[pyo3(signature = (obj, /, dtype=None, order=None, *, device=None, copy=None))]
pub(crate) fn asarray<'py>(
    obj: &Bound<'py, PyAny>,
    dtype: Option<DTypeArgument>,
    order: Option<Order>,
    device: Option<DeviceArgument>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let device = device.map(|it| it.0);
    let array = asarray_there(obj, dtype, device, copy)?;
    let array = in_order(array, order.unwrap_or(Order::Keep), copy)?;
    match device {
        Some(device) => on_device(array, device),
        None => Ok(array),
    }
}

/// Returns an array whose elements are in an order: itself if they are.
fn in_order(
    array: Bound<'_, ArrayObject>,
    order: Order,
    copy: Option<bool>,
) -> PyResult<Bound<'_, ArrayObject>> {
    let tensor = array.get().tensor();
    let (is_ordered, name) = match order {
        Order::RowMajor => (tensor.layout().is_contiguous(), "row-major"),
        Order::ColumnMajor => (tensor.layout().reverse().is_contiguous(), "column-major"),
        Order::Any | Order::Keep => (true, ""),
    };
    if is_ordered {
        return Ok(array);
    }
    if copy == Some(false) {
        return Err(copy_needed(&format!(
            "the array is not {name}, and copy=False forbids a copy"
        )));
    }
    let ordered = || match order {
        Order::ColumnMajor => Ok(tensor.reverse_dims().contiguous()?.reverse_dims()),
        _ => tensor.contiguous(),
    };
    run(array.py(), tensor.len(), ordered).map(Array::from)?.object(array.py())
}

/// Returns a tensor without memory if the device is meta: what is done to it then costs nothing.
fn without_memory(tensor: &Tensor, device: Option<Device>) -> PyResult<Tensor> {
    match device {
        Some(Device::Meta) => tensor.to_device(Device::Meta).map_err(raise),
        _ => Ok(tensor.clone()),
    }
}

/// Returns an array on a device: itself if it is there.
pub(crate) fn on_device(
    array: Bound<'_, ArrayObject>,
    device: Device,
) -> PyResult<Bound<'_, ArrayObject>> {
    let tensor = array.get().tensor();
    match tensor.device() == device {
        true => Ok(array),
        false => Array::from_view(tensor.to_device(device))?.object(array.py()),
    }
}

/// Converts an object to an array, which is on the device if that is meta and the object has memory.
fn asarray_there<'py>(
    obj: &Bound<'py, PyAny>,
    dtype: Option<DTypeArgument>,
    device: Option<Device>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let py = obj.py();
    let dtype = dtype.map(|it| it.0);
    if let Ok(own) = obj.cast::<ArrayObject>() {
        let tensor = own.get().tensor();
        return match can_be_returned(tensor, dtype, copy)? {
            true => Ok(own.clone()),
            false => cast_or_copy(py, &without_memory(tensor, device)?, dtype),
        };
    }
    if !nested::is_plain(obj)
        && let Some(tensor) = import_foreign(obj, copy)?
    {
        // A NumPy scalar is read-only; an array of it is not.
        let copy = if is_numpy_scalar(obj, &tensor)? { Some(true) } else { copy };
        return match can_be_returned(&tensor, dtype, copy)? {
            true => Array::from(tensor).object(py),
            false => cast_or_copy(py, &without_memory(&tensor, device)?, dtype),
        };
    }
    if !nested::is_plain(obj) && !nested::is_list(obj) {
        return Err(not_an_array(obj));
    }
    if copy == Some(false) {
        return Err(copy_needed("Python numbers have no memory to share and must be copied"));
    }
    Array::from(nested::tensor(obj, dtype)?).object(py)
}

/// Whether a tensor satisfies the arguments `dtype` and `copy` as it is; an error if it needs a copy that `copy` forbids.
fn can_be_returned(tensor: &Tensor, dtype: Option<DType>, copy: Option<bool>) -> PyResult<bool> {
    let is_type = dtype.is_none_or(|it| it == tensor.dtype());
    if !is_type && copy == Some(false) {
        return Err(copy_needed("elements of another dtype must be copied"));
    }
    Ok(is_type && copy != Some(true))
}

/// Casts a tensor if it has another dtype, else copies it; the axes stay in the order that they have in memory.
fn cast_or_copy<'py>(
    py: Python<'py>,
    tensor: &Tensor,
    dtype: Option<DType>,
) -> PyResult<Bound<'py, ArrayObject>> {
    match dtype {
        Some(dtype) if dtype != tensor.dtype() => {
            let ready = run(py, tensor.len(), || tensor.astype(dtype))?;
            Array::from(ready).object(py)
        }
        _ => Order::Keep.copy(py, tensor),
    }
}

/// Whether an object is a NumPy scalar.
fn is_numpy_scalar(object: &Bound<'_, PyAny>, tensor: &Tensor) -> PyResult<bool> {
    if tensor.rank() != 0 {
        return Ok(false);
    }
    let modules = object.py().import("sys")?.getattr("modules")?;
    match modules.get_item("numpy") {
        Ok(numpy) => object.is_instance(&numpy.getattr("generic")?),
        Err(_) => Ok(false),
    }
}

/// Imports an array of another library through DLPack, sharing its memory.
///
/// ``copy=True`` copies the elements; ``copy=False`` asks the other library not to copy.
/// ``device="meta"`` keeps the shape, the dtype and the strides, and none of the memory.
///
/// >>> import numpy
/// >>> x = numpy.arange(3)
/// >>> y = bv.from_dlpack(x)
/// >>> x[0] = 7
/// >>> y
/// array([7, 1, 2])
#[pyfunction]
#[pyo3(signature = (x, /, *, device=None, copy=None))]
pub(crate) fn from_dlpack<'py>(
    x: &Bound<'py, PyAny>,
    device: Option<DeviceArgument>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let py = x.py();
    // With `copy=True` the exporter is not asked for a copy: the one made here is contiguous.
    let request =
        dlpack::DlpackRequest { on_cpu: device.is_some(), without_copy: copy == Some(false) };
    let tensor = match x.cast::<ArrayObject>() {
        Ok(own) => own.get().tensor().clone(),
        Err(_) => dlpack::import_from(x, request)?,
    };
    let device = device.map(|it| it.0);
    let tensor = without_memory(&tensor, device)?;
    let array = match copy {
        Some(true) => cast_or_copy(py, &tensor, None)?,
        _ => Array::from(tensor).object(py)?,
    };
    match device {
        Some(device) => on_device(array, device),
        None => Ok(array),
    }
}
