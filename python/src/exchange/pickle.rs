//! Pickling and copying of arrays, lenses and random number generators.
//!
//! The elements are pickled in row-major order; strides and the rest of the memory are not. From protocol 5 on the elements
//! are an out-of-band buffer, which need not be copied. An array without memory has no elements: its strides are pickled
//! instead.

use super::buffer;
use crate::arguments::{List, collect_exact};
use crate::array::{Array, ArrayObject};
use crate::attach::run;
use crate::chapter::random::Generator;
use crate::dtype::{self, DTypeArgument};
use crate::error::raise;
use crate::lens::LensObject;
use belvedere::{Axis, DType, Device, Error, Layout, Storage, Tensor, copies};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

#[pymethods]
impl ArrayObject {
    fn __reduce_ex__<'py>(
        slf: &Bound<'py, Self>,
        protocol: i32,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let tensor = slf.get().tensor();
        if tensor.device() == Device::Meta {
            return reduce_meta(py, tensor);
        }
        let bytes = run(py, tensor.len(), || copies::allow(|| flat_bytes(tensor)))?;
        let bytes = Array::from(bytes).object(py)?.into_any();
        let content = match protocol {
            5.. => py.import("pickle")?.call_method1("PickleBuffer", (bytes,))?,
            _ => py.get_type::<PyBytes>().call1((bytes,))?,
        };
        let shape = PyTuple::new(py, tensor.layout().axes().iter().map(|axis| axis.len))?;
        let dtype = dtype::object(py, tensor.dtype());
        let writable = tensor.storage().is_writable();
        let arguments = (content, dtype, shape, writable).into_pyobject(py)?;
        Ok((py.import("belvedere._native")?.getattr("_unpickle")?, arguments))
    }

    /// Returns the bytes of the object and its elements.
    fn __sizeof__(&self) -> usize {
        let tensor = self.tensor();
        size_of::<ArrayObject>() + tensor.n_bytes().min(tensor.storage().len())
    }

    /// Returns a copy.
    fn __copy__(&self, py: Python<'_>) -> PyResult<Array> {
        run(py, self.tensor().len(), || self.tensor().copy()).map(Array::from)
    }

    fn __deepcopy__(&self, py: Python<'_>, memo: Bound<'_, PyDict>) -> PyResult<Array> {
        // An array refers to no other objects, so that the memo is not needed.
        let _ = memo;
        self.__copy__(py)
    }
}

/// Returns what restores an array without memory: a function and its arguments.
fn reduce_meta<'py>(
    py: Python<'py>,
    tensor: &Tensor,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let (layout, dtype) = (tensor.layout(), dtype::object(py, tensor.dtype()));
    let axes = PyList::new(py, layout.axes().iter().map(|it| (it.len, it.stride)))?;
    // The rest of the storage is not pickled.
    let start = layout.start() - layout.span().start;
    let arguments = (dtype, axes, start).into_pyobject(py)?;
    Ok((py.import("belvedere._native")?.getattr("_unpickle_meta")?, arguments))
}

/// Restores a pickled array without memory from the length and the stride of each axis.
#[pyfunction]
pub(crate) fn _unpickle_meta(
    dtype: DTypeArgument,
    axes: List<(usize, isize)>,
    start: usize,
) -> PyResult<Array> {
    let axes = collect_exact(axes.0.iter().map(|&(len, stride)| Axis::new(len, stride)))?;
    let layout = Layout::new(start, &axes).map_err(|error| raise(error.into()))?;
    let n_bytes = layout.span().end.saturating_mul(dtype.0.size());
    Array::from_view(Tensor::from_storage(Storage::meta(n_bytes), layout, dtype.0))
}

/// The bytes of the elements in row-major order: a view of a contiguous tensor, else a copy.
fn flat_bytes(tensor: &Tensor) -> Result<Tensor, Error> {
    tensor.contiguous()?.reshape([-1])?.bitcast(DType::UInt8)
}

/// Restores a pickled array.
#[pyfunction]
pub(crate) fn _unpickle(
    py: Python<'_>,
    content: &Bound<'_, PyAny>,
    dtype: DTypeArgument,
    shape: List<i64>,
    writable: bool,
) -> PyResult<Array> {
    let content = if writable {
        content.clone()
    } else {
        py.get_type::<pyo3::types::PyMemoryView>().call1((content,))?.call_method0("toreadonly")?
    };
    let Some(bytes) = buffer::import(&content, None)? else {
        return Err(super::not_an_array(&content));
    };
    let restore = || {
        let bytes = bytes.bitcast(DType::UInt8)?.reshape([-1])?;
        // An out-of-band buffer may be unaligned or read-only.
        let is_aligned =
            (bytes.storage().address() + bytes.offset()).is_multiple_of(dtype.0.align());
        let is_good = is_aligned && bytes.storage().is_writable() >= writable;
        let bytes = if is_good { bytes } else { copies::allow(|| bytes.copy())? };
        bytes.bitcast(dtype.0)?.reshape(&shape.0)
    };
    restore().map(Array::from).map_err(raise)
}

#[pymethods]
impl LensObject {
    /// A lens is pickled as an array with its elements, and restored as a lens of that.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Array,))> {
        let lens = self.lens();
        let copy = run(py, lens.len(), || copies::allow(|| lens.copy()))?;
        let restore = py.import("belvedere._native")?.getattr("_unpickle_lens")?;
        Ok((restore, (Array::from(copy),)))
    }
}

/// Restores a pickled lens.
#[pyfunction]
pub(crate) fn _unpickle_lens(array: &Bound<'_, ArrayObject>) -> LensObject {
    LensObject::from(array.get().tensor().lens())
}

#[pymethods]
impl Generator {
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let state = self.state(py)?;
        let restore = py.import("belvedere._native")?.getattr("_unpickle_generator")?;
        Ok((restore, (PyBytes::new(py, &state),)))
    }
}

/// Restores a pickled random number generator.
#[pyfunction]
pub(crate) fn _unpickle_generator(state: &[u8]) -> PyResult<Generator> {
    let state = state.try_into().map_err(|_| {
        PyValueError::new_err(format!("the state of a generator has 48 bytes, got {}", state.len()))
    })?;
    Ok(Generator::restore(state))
}

/// Adds the functions to the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_unpickle_lens, module)?)?;
    module.add_function(wrap_pyfunction!(_unpickle_generator, module)?)?;
    module.add_function(wrap_pyfunction!(_unpickle, module)?)?;
    module.add_function(wrap_pyfunction!(_unpickle_meta, module)?)
}
