//! NumPy's array interface: import of objects that describe their memory in a dictionary, such as images of PIL.

use super::buffer;
use super::format::Format;
use crate::arguments::{Count, Integers, List, collect_exact};
use crate::dtype;
use crate::error::{copy_needed, raise};
use belvedere::{DType, Tensor};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

/// Imports an object with an `__array_interface__`; `None` if it has none.
pub(super) fn import(object: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Option<Tensor>> {
    let py = object.py();
    if object.is_instance_of::<PyType>() {
        return Ok(None);
    }
    let Some(interface) = object.getattr_opt(intern!(py, "__array_interface__"))? else {
        return Ok(None);
    };
    let interface = interface.cast_into::<PyDict>()?;
    let format = read_type(&required(&interface, "typestr")?)?;
    let shape = Count::list(&required(&interface, "shape")?.extract::<Integers>()?)?;
    if given(&interface, "mask")?.is_some() {
        return Err(PyTypeError::new_err("masked arrays are not supported"));
    }
    let strides = given(&interface, "strides")?;
    let strides = strides.map(|it| it.extract::<List<i64>>()).transpose()?;
    let axes = axes(&shape, strides, format.dtype)?;
    let data = given(&interface, "data")?;
    match data {
        Some(data) if data.is_instance_of::<PyTuple>() => {
            let (address, is_read_only): (usize, bool) = data.extract()?;
            let owner = object.clone().unbind();
            // SAFETY: the protocol promises that the object owns the described memory.
            #[allow(unsafe_code)]
            let tensor = unsafe {
                buffer::import_address(py, (address, is_read_only), owner, format, axes, copy)
            };
            tensor.map(Some)
        }
        Some(data) => {
            let offset = given(&interface, "offset")?.map_or(Ok(0), |it| it.extract::<usize>())?;
            of_bytes(&data, offset, format, &shape, &axes, copy).map(Some)
        }
        None => Err(PyTypeError::new_err("an array interface without data is not supported")),
    }
}

/// An entry of the dictionary; `None` if it is missing or None.
fn given<'py>(interface: &Bound<'py, PyDict>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(interface.get_item(name)?.filter(|it| !it.is_none()))
}

fn required<'py>(interface: &Bound<'py, PyDict>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    given(interface, name)?
        .ok_or_else(|| PyValueError::new_err(format!("the array interface has no {name}")))
}

/// Reads a type such as `"<f8"`.
fn read_type(text: &Bound<'_, PyAny>) -> PyResult<Format> {
    let text = text.extract::<String>()?;
    let foreign = if cfg!(target_endian = "little") { '>' } else { '<' };
    let (code, is_foreign) = match text.strip_prefix(foreign) {
        Some(code) => (code, true),
        None => (text.as_str(), false),
    };
    match dtype::of_text(code) {
        Some(dtype) => Ok(Format { dtype, is_swapped: is_foreign && dtype.size() > 1 }),
        None => Err(PyTypeError::new_err(format!("unsupported dtype {text:?}"))),
    }
}

/// The length and the stride in bytes of each axis; without strides, in row-major order.
fn axes(shape: &[usize], strides: Option<List<i64>>, dtype: DType) -> PyResult<Vec<(i64, i64)>> {
    let mut axes = collect_exact(shape.iter().map(|&len| (len as i64, 0)))?;
    match strides.map(|it| it.0) {
        Some(strides) if strides.len() != axes.len() => {
            return Err(PyValueError::new_err(format!(
                "the array interface has {} strides for {} axes",
                strides.len(),
                axes.len()
            )));
        }
        Some(strides) => {
            for (axis, stride) in axes.iter_mut().zip(strides) {
                axis.1 = stride;
            }
        }
        None => {
            let mut dense = dtype.size() as i64;
            for axis in axes.iter_mut().rev() {
                axis.1 = dense;
                dense = dense.saturating_mul(axis.0);
            }
        }
    }
    Ok(axes)
}

/// The elements in an object that exports its bytes as a buffer.
fn of_bytes(
    data: &Bound<'_, PyAny>,
    offset: usize,
    format: Format,
    shape: &[usize],
    axes: &[(i64, i64)],
    copy: Option<bool>,
) -> PyResult<Tensor> {
    let Some(bytes) = buffer::import(data, copy)? else { return Err(super::not_an_array(data)) };
    let size = format.dtype.size();
    let read = || {
        let bytes = bytes.bitcast(DType::UInt8)?.view([-1])?;
        // An offset beyond all memory stays beyond it.
        let start = bytes.offset().saturating_add(offset);
        let mut lengths = shape.to_vec();
        lengths.push(size);
        let mut strides: Vec<isize> = axes.iter().map(|it| it.1 as isize).collect();
        strides.push(1);
        bytes.as_strided(lengths, strides, start)
    };
    let bytes = read().map_err(raise)?;
    // A view of the elements exists if they are aligned, and their strides are multiples of their size.
    if !format.is_swapped
        && let Ok(elements) = bytes.bitcast(format.dtype)
        && let Ok(elements) = elements.squeeze(&[-1_isize])
    {
        return Ok(elements);
    }
    if copy == Some(false) {
        return Err(copy_needed("unaligned or byte-swapped elements must be copied"));
    }
    let (dtype, is_swapped) = (format.dtype, format.is_swapped);
    crate::attach::run(data.py(), bytes.len(), || bytes.assemble(dtype, is_swapped))
}
