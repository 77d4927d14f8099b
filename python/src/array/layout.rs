//! Where the elements of an array lie.

use super::{Array, ArrayObject};
use crate::arguments::Integers;
use crate::lens::LensObject;
use crate::lock::run;
use belvedere::Answer;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

#[pymethods]
impl ArrayObject {
    /// Bytes of one element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.tensor.dtype().size()
    }

    /// Bytes of all elements, as if none of them were shared.
    #[getter]
    fn nbytes(&self) -> usize {
        self.tensor.n_bytes()
    }

    /// For each axis the bytes from an element to the next, as in NumPy.
    ///
    /// >>> bv.zeros((2, 3)).strides
    /// (24, 8)
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let size = self.tensor.dtype().size() as isize;
        let strides = self.tensor.layout().axes().iter().map(|it| it.stride.saturating_mul(size));
        PyTuple::new(py, strides)
    }

    /// For each axis the elements from an element to the next, as in PyTorch; or for one axis.
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

    /// The first element, counted in elements from the beginning of the memory.
    ///
    /// >>> bv.zeros(5)[2:].storage_offset()
    /// 2
    fn storage_offset(&self) -> usize {
        self.tensor.offset()
    }

    /// Whether the elements lie one behind the other, in the order of the indices.
    ///
    /// >>> bv.zeros((2, 3)).T.is_contiguous()
    /// False
    fn is_contiguous(&self) -> bool {
        self.tensor.is_contiguous()
    }

    /// Whether the memory may not be written to.
    #[getter]
    fn readonly(&self) -> bool {
        !self.tensor.storage().is_writable()
    }

    /// Whether elements can be written: the memory is no one's that forbids it, and no two indices lead
    /// to one element.
    ///
    /// >>> bv.broadcast_to(bv.zeros(1), (3,)).is_writable
    /// False
    #[getter]
    fn is_writable(&self) -> bool {
        self.tensor.storage().is_writable() && self.tensor.layout().injective() == Answer::Yes
    }

    /// The array if its elements lie one behind the other, and else a copy.
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

    /// A copy in memory of its own.
    ///
    /// >>> x = bv.zeros(2)
    /// >>> bv.shares_memory(x.copy(), x)
    /// False
    fn copy(&self, py: Python<'_>) -> PyResult<Array> {
        let x = &self.tensor;
        run(py, x.len(), || x.copy()).map(Array::from)
    }

    /// Any strides from any element of the memory, counted in elements; what would lie outside is
    /// refused. Without an offset it begins where this array does.
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
                return Err(PyIndexError::new_err("the memory has no elements before 0"));
            }
        };
        Array::of_view(self.tensor.as_strided(shape, strides.0, offset))
    }

    /// The array as a lens, on which every movement is free.
    ///
    /// >>> bv.asarray([1, 2]).lens().pad([(1, 1)]).copy()
    /// array([0, 1, 2, 0])
    fn lens(&self) -> LensObject {
        LensObject::from(self.tensor.lens())
    }
}
