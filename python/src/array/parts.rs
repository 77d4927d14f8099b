//! Views of parts of an array: select, narrow, split and the like.

use super::{Array, ArrayObject};
use crate::arguments::{Count, Integers};
use crate::chapter::result::tuple;
use crate::error::raise;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyTuple};

/// Returns the start of ``narrow``, which may count from the end of the axis.
pub(crate) fn narrow_start(shape: &[usize], axis: isize, start: isize) -> PyResult<usize> {
    let rank = shape.len() as isize;
    let axis = if axis < 0 { axis.saturating_add(rank) } else { axis };
    // The tensor reports an axis that does not exist.
    let len = usize::try_from(axis).ok().and_then(|axis| shape.get(axis)).copied().unwrap_or(0);
    let from_front = if start < 0 { start.saturating_add_unsigned(len) } else { start };
    usize::try_from(from_front).map_err(|_| {
        PyIndexError::new_err(format!("start {start} is out of range for an axis of length {len}"))
    })
}

#[pymethods]
impl ArrayObject {
    /// Returns the part at one index of an axis, without that axis; the result is a view.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).select(1, -1)
    /// array([2, 4])
    #[pyo3(signature = (axis, index, /))]
    fn select(&self, axis: isize, index: isize) -> PyResult<Array> {
        Array::from_view(self.tensor.select(axis, index))
    }

    /// Returns ``length`` positions of an axis from ``start`` on; out-of-range is an error. A negative start counts from
    /// the end. The result is a view.
    ///
    /// >>> bv.arange(5).narrow(0, 1, 3)
    /// array([1, 2, 3])
    /// >>> bv.arange(5).narrow(0, -2, 2)
    /// array([3, 4])
    fn narrow(&self, axis: isize, start: isize, length: Count) -> PyResult<Array> {
        let start = narrow_start(&self.tensor.shape(), axis, start)?;
        Array::from_view(self.tensor.narrow(axis, start, length.0))
    }

    /// Returns a diagonal of two axes as the last axis; the result is a view.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).diagonal()
    /// array([1, 4])
    #[pyo3(signature = (offset=0, axis1=0, axis2=1))]
    fn diagonal(&self, offset: isize, axis1: isize, axis2: isize) -> PyResult<Array> {
        Array::from_view(self.tensor.diagonal(offset, axis1, axis2))
    }

    /// Returns windows of a size along an axis at a given step, as a new last axis; the result is a view.
    ///
    /// >>> bv.arange(5).unfold(0, 3, 2)
    /// array([[0, 1, 2],
    ///        [2, 3, 4]])
    fn unfold(&self, axis: isize, size: Count, step: Count) -> PyResult<Array> {
        Array::from_view(self.tensor.unfold(axis, size.0, step.0))
    }

    /// Splits an array into parts of given lengths along an axis; the parts are views.
    ///
    /// >>> bv.arange(5).split(2)
    /// (array([0, 1]), array([2, 3]), array([4]))
    #[pyo3(signature = (size, axis=0))]
    pub(crate) fn split<'py>(
        &self,
        py: Python<'py>,
        size: &Bound<'py, PyAny>,
        axis: isize,
    ) -> PyResult<Bound<'py, PyTuple>> {
        if size.is_instance_of::<PyInt>() {
            let parts = self.tensor.split(axis, size.extract::<Count>()?.0).map_err(raise)?;
            return tuple(py, parts);
        }
        let sizes = Count::list(&size.extract::<Integers>()?)?;
        let k = self.tensor.layout().resolve_axis(axis).map_err(|error| raise(error.into()))?;
        let len = self.tensor.layout().axes()[k].len;
        let sum = sizes.iter().fold(0usize, |sum, &size| sum.saturating_add(size));
        if sum != len {
            let message =
                format!("the sizes {sizes:?} add up to {sum}, but axis {k} has length {len}");
            return Err(PyValueError::new_err(message));
        }
        let parts = self.tensor.split_sizes(axis, &sizes).map_err(raise)?;
        tuple(py, parts)
    }

    /// Splits an array into at most ``n`` parts of equal length along an axis; the parts are views.
    ///
    /// >>> bv.arange(5).chunk(2)
    /// (array([0, 1, 2]), array([3, 4]))
    #[pyo3(signature = (n, axis=0))]
    pub(crate) fn chunk<'py>(
        &self,
        py: Python<'py>,
        n: Count,
        axis: isize,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let parts = self.tensor.chunk(axis, n.0).map_err(raise)?;
        tuple(py, parts)
    }
}
