//! `asarray` and `from_dlpack`.

use super::{dlpack, foreign, nested, no_array};
use crate::arguments::DeviceArgument;
use crate::array::{Array, ArrayObject};
use crate::dtype::DTypeArgument;
use crate::error::copy_needed;
use crate::lock::run;
use belvedere::{DType, Tensor};
use pyo3::prelude::*;

/// An array of anything that holds numbers.
///
/// What has memory to share (arrays of NumPy and PyTorch, buffers) is seen where it is, with any
/// strides. It is copied if ``copy=True``, if ``dtype`` is another one, or if its elements are not
/// aligned or of the other byte order; ``copy=False`` refuses that with a ``ValueError``.
///
/// >>> bv.asarray([[1, 2], [3, 4]])
/// array([[1, 2],
///        [3, 4]])
/// >>> bv.asarray([1, 2], dtype=bv.float32)
/// array([1., 2.], dtype=float32)
#[pyfunction]
#[pyo3(signature = (obj, /, *, dtype=None, device=None, copy=None))]
fn asarray<'py>(
    obj: &Bound<'py, PyAny>,
    dtype: Option<DTypeArgument>,
    device: Option<DeviceArgument>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let _ = device;
    let py = obj.py();
    let dtype = dtype.map(|it| it.0);
    if let Ok(own) = obj.cast::<ArrayObject>() {
        let tensor = own.get().tensor();
        return match is_ready(tensor, dtype, copy)? {
            true => Ok(own.clone()),
            false => made_ready(py, tensor, dtype),
        };
    }
    if !nested::is_plain(obj)
        && let Some(tensor) = foreign(obj, copy)?
    {
        // A number of NumPy's cannot be written to; an array of it can.
        let copy = if is_numpy_number(obj, &tensor)? { Some(true) } else { copy };
        return match is_ready(&tensor, dtype, copy)? {
            true => Array::from(tensor).object(py),
            false => made_ready(py, &tensor, dtype),
        };
    }
    if !nested::is_plain(obj) && !nested::is_list(obj) {
        return Err(no_array(obj));
    }
    if copy == Some(false) {
        return Err(copy_needed("numbers have no memory to share: they must be copied"));
    }
    Array::from(nested::tensor(obj, dtype)?).object(py)
}

/// Whether a tensor is what was asked for.
fn is_ready(tensor: &Tensor, dtype: Option<DType>, copy: Option<bool>) -> PyResult<bool> {
    let is_type = dtype.is_none_or(|it| it == tensor.dtype());
    if !is_type && copy == Some(false) {
        return Err(copy_needed("elements of another type must be copied"));
    }
    Ok(is_type && copy != Some(true))
}

fn made_ready<'py>(
    py: Python<'py>,
    tensor: &Tensor,
    dtype: Option<DType>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let ready = run(py, tensor.len(), || match dtype {
        Some(dtype) if dtype != tensor.dtype() => tensor.astype(dtype),
        _ => tensor.copy(),
    })?;
    Array::from(ready).object(py)
}

/// Whether what came as a tensor is one of NumPy's scalars.
fn is_numpy_number(object: &Bound<'_, PyAny>, tensor: &Tensor) -> PyResult<bool> {
    if tensor.rank() != 0 {
        return Ok(false);
    }
    let modules = object.py().import("sys")?.getattr("modules")?;
    match modules.get_item("numpy") {
        Ok(numpy) => object.is_instance(&numpy.getattr("generic")?),
        Err(_) => Ok(false),
    }
}

/// An array of another library, with its memory shared, by the DLPack protocol.
///
/// ``copy=True`` copies the elements; ``copy=False`` asks the other library not to.
///
/// >>> import numpy
/// >>> x = numpy.arange(3)
/// >>> y = bv.from_dlpack(x)
/// >>> x[0] = 7
/// >>> y
/// array([7, 1, 2])
#[pyfunction]
#[pyo3(signature = (x, /, *, device=None, copy=None))]
fn from_dlpack<'py>(
    x: &Bound<'py, PyAny>,
    device: Option<DeviceArgument>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let py = x.py();
    // The other library is not asked for a copy, but for none: a copy of ours lies as we want it.
    let wish = dlpack::Wish { here: device.is_some(), uncopied: copy == Some(false) };
    let tensor = match x.cast::<ArrayObject>() {
        Ok(own) => own.get().tensor().clone(),
        Err(_) => dlpack::import_from(x, wish)?,
    };
    if copy == Some(true) {
        return made_ready(py, &tensor, None);
    }
    Array::from(tensor).object(py)
}

/// Puts the functions into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(asarray, module)?)?;
    module.add_function(wrap_pyfunction!(from_dlpack, module)?)
}
