//! Pickling and copying of arrays.
//!
//! The elements are pickled in row-major order; strides and the rest of the memory are not. From protocol 5 on the elements
//! are an out-of-band buffer, which need not be copied.

use super::buffer;
use crate::array::{Array, ArrayObject};
use crate::attach::run;
use crate::dtype::{self, DTypeArgument};
use crate::error::raise;
use belvedere::{DType, Error, Tensor, copies};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

#[pymethods]
impl ArrayObject {
    fn __reduce_ex__<'py>(
        slf: &Bound<'py, Self>,
        protocol: i32,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let tensor = slf.get().tensor();
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
    shape: Vec<i64>,
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
        bytes.bitcast(dtype.0)?.reshape(&shape)
    };
    restore().map(Array::from).map_err(raise)
}

/// Adds the function to the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_unpickle, module)?)
}
