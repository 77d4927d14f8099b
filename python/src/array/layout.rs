//! Memory layout of arrays: strides, offset, contiguity.

use super::{Array, ArrayObject};
use crate::arguments::{Integers, Order};
use crate::attach::run;
use crate::lens::LensObject;
use belvedere::Answer;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

#[pymethods]
impl ArrayObject {
    /// Returns the bytes of one element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.tensor.dtype().size()
    }

    /// Returns the bytes of all elements, counted as if none were shared.
    #[getter]
    fn nbytes(&self) -> usize {
        self.tensor.n_bytes()
    }

    /// Returns the strides in bytes, as in NumPy.
    ///
    /// >>> bv.zeros((2, 3)).strides
    /// (24, 8)
    #[getter]
    pub(crate) fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let size = self.tensor.dtype().size() as isize;
        let strides = self.tensor.layout().axes().iter().map(|it| it.stride.saturating_mul(size));
        PyTuple::new(py, strides)
    }

    /// Returns the strides in elements, of all axes or of one, as in PyTorch.
    ///
    /// >>> bv.zeros((2, 3)).T.stride()
    /// (1, 3)
    #[pyo3(signature = (axis=None))]
    fn stride<'py>(&self, py: Python<'py>, axis: Option<isize>) -> PyResult<Bound<'py, PyAny>> {
        let layout = self.tensor.layout();
        let Some(axis) = axis else {
            let strides = PyTuple::new(py, layout.axes().iter().map(|it| it.stride))?;
            return Ok(strides.into_any());
        };
        let k = layout.resolve_axis(axis).map_err(|error| crate::error::raise(error.into()))?;
        layout.axes()[k].stride.into_bound_py_any(py)
    }

    /// Returns the index of the first element, in elements from the start of the memory.
    ///
    /// >>> bv.zeros(5)[2:].storage_offset()
    /// 2
    fn storage_offset(&self) -> usize {
        self.tensor.offset()
    }

    /// Tests whether the elements are contiguous in row-major order.
    ///
    /// >>> bv.zeros((2, 3)).T.is_contiguous()
    /// False
    fn is_contiguous(&self) -> bool {
        self.tensor.is_contiguous()
    }

    /// Tests whether the memory is read-only.
    #[getter]
    fn readonly(&self) -> bool {
        !self.tensor.storage().is_writable()
    }

    /// Tests whether elements can be written: the memory is writable and no two indices share an element.
    ///
    /// >>> bv.broadcast_to(bv.zeros(1), (3,)).is_writable
    /// False
    #[getter]
    pub(crate) fn is_writable(&self) -> bool {
        self.tensor.storage().is_writable() && self.tensor.layout().injective() == Answer::Yes
    }

    /// Returns the array itself if it is contiguous in row-major order, else a contiguous copy.
    ///
    /// >>> bv.zeros((2, 3)).T.contiguous().stride()
    /// (2, 1)
    fn contiguous(&self, py: Python<'_>) -> PyResult<Array> {
        let x = &self.tensor;
        if x.is_contiguous() {
            return Ok(Array::from(x.clone()));
        }
        run(py, x.len(), || x.contiguous()).map(Array::from)
    }

    /// Copies the elements to new memory, in row-major order or in another one of NumPy's orders.
    ///
    /// >>> x = bv.zeros(2)
    /// >>> bv.shares_memory(x.copy(), x)
    /// False
    #[pyo3(signature = (order=Order::RowMajor), text_signature = "($self, order='C')")]
    fn copy<'py>(&self, py: Python<'py>, order: Order) -> PyResult<Bound<'py, ArrayObject>> {
        order.copy(py, &self.tensor)
    }

    /// Returns a view with any shape and strides, in elements; it must stay within the memory.
    ///
    /// Without ``offset`` the view starts at the array's first element.
    ///
    /// >>> bv.arange(6).as_strided((2, 2), (3, 1), 1)
    /// array([[1, 2],
    ///        [4, 5]])
    #[pyo3(signature = (shape, strides, offset=None))]
    pub fn as_strided(
        &self,
        shape: Integers,
        strides: Integers,
        offset: Option<isize>,
    ) -> PyResult<Array> {
        let shape = crate::arguments::Count::list(&shape)?;
        let offset = match offset.map(usize::try_from) {
            None => self.tensor.offset(),
            Some(Ok(offset)) => offset,
            Some(Err(_)) => {
                return Err(PyIndexError::new_err("offset must not be negative"));
            }
        };
        Array::from_view(self.tensor.as_strided(shape, strides.0, offset))
    }

    /// Returns the array as a lens, on which every movement operation is free.
    ///
    /// >>> bv.asarray([1, 2]).lens().pad([(1, 1)]).copy()
    /// array([0, 1, 2, 0])
    fn lens(&self) -> LensObject {
        LensObject::from(self.tensor.lens())
    }
}
