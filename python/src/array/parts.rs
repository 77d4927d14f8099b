//! Parts of an array that have names: all of them views.

use super::{Array, ArrayObject};
use crate::arguments::{Count, Integers};
use crate::error::raise;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyTuple};

#[pymethods]
impl ArrayObject {
    /// The part at one position of an axis, without that axis.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).select(1, -1)
    /// array([2, 4])
    #[pyo3(signature = (axis, index, /))]
    fn select(&self, axis: isize, index: isize) -> PyResult<Array> {
        Array::of_view(self.tensor.select(axis, index))
    }

    /// So many positions of an axis, from ``start`` on; unlike a slice it does not clamp.
    ///
    /// >>> bv.arange(5).narrow(0, 1, 3)
    /// array([1, 2, 3])
    fn narrow(&self, axis: isize, start: Count, length: Count) -> PyResult<Array> {
        Array::of_view(self.tensor.narrow(axis, start.0, length.0))
    }

    /// A diagonal of two axes, as the last axis.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).diagonal()
    /// array([1, 4])
    #[pyo3(signature = (offset=0, axis1=0, axis2=1))]
    fn diagonal(&self, offset: isize, axis1: isize, axis2: isize) -> PyResult<Array> {
        Array::of_view(self.tensor.diagonal(offset, axis1, axis2))
    }

    /// Windows of a size along an axis, so many steps apart, as the last axis. They may overlap.
    ///
    /// >>> bv.arange(5).unfold(0, 3, 2)
    /// array([[0, 1, 2],
    ///        [2, 3, 4]])
    fn unfold(&self, axis: isize, size: Count, step: Count) -> PyResult<Array> {
        Array::of_view(self.tensor.unfold(axis, size.0, step.0))
    }

    /// Parts along an axis: all of one size, of which the last may be shorter, or of given sizes.
    ///
    /// >>> bv.arange(5).split(2)
    /// (array([0, 1]), array([2, 3]), array([4]))
    #[pyo3(signature = (size, axis=0))]
    fn split<'py>(
        &self,
        py: Python<'py>,
        size: &Bound<'py, PyAny>,
        axis: isize,
    ) -> PyResult<Bound<'py, PyTuple>> {
        if size.is_instance_of::<PyInt>() {
            let parts = self.tensor.split(axis, size.extract::<Count>()?.0).map_err(raise)?;
            return PyTuple::new(py, parts.map(Array::from).collect::<Vec<_>>());
        }
        let sizes = Count::list(&size.extract::<Integers>()?)?;
        let k = self.tensor.layout().resolve_axis(axis).map_err(|error| raise(error.into()))?;
        let len = self.tensor.layout().axes()[k].len;
        let sum = sizes.iter().fold(0usize, |sum, &size| sum.saturating_add(size));
        if sum != len {
            let message =
                format!("sizes {sizes:?} have the sum {sum}, and axis {k} the length {len}");
            return Err(PyValueError::new_err(message));
        }
        let mut start = 0;
        let part = |&size: &usize| {
            let part = Array::of_view(self.tensor.narrow(axis, start, size));
            start += size;
            part
        };
        PyTuple::new(py, sizes.iter().map(part).collect::<PyResult<Vec<_>>>()?)
    }

    /// At most so many parts of one length along an axis; the last may be shorter.
    ///
    /// >>> bv.arange(5).chunk(2)
    /// (array([0, 1, 2]), array([3, 4]))
    #[pyo3(signature = (n, axis=0))]
    fn chunk<'py>(&self, py: Python<'py>, n: Count, axis: isize) -> PyResult<Bound<'py, PyTuple>> {
        let parts = self.tensor.chunk(axis, n.0).map_err(raise)?;
        PyTuple::new(py, parts.map(Array::from).collect::<Vec<_>>())
    }
}
