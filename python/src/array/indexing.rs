//! `x[...]`: reading, assigning, walking.

use super::Array;
use crate::arguments::OperandArgument;
use crate::arguments::index;
use crate::error::raise;
use crate::lock::{attempt, run};
use belvedere::{Tensor, assign_into};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

#[pymethods]
impl Array {
    /// A part: a view if it has strides, and a new array if arrays pick its elements.
    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Array>> {
        let (py, x) = (index.py(), &self.tensor);
        let of_view = |view| Bound::new(py, Array::from(view));
        index::find(x, index, of_view, |picked| {
            let list = picked.list();
            match attempt(py, picked.work(x), || x.index(&list)) {
                Ok(part) => Bound::new(py, Array::from(part)),
                Err(error) => Err(index::raise(error)),
            }
        })
    }

    /// Writes to a part, with broadcasting and conversion.
    fn __setitem__(
        &self,
        py: Python<'_>,
        index: &Bound<'_, PyAny>,
        value: OperandArgument<'_>,
    ) -> PyResult<()> {
        let (x, given) = (&self.tensor, value.given());
        let of_view = |view: Tensor| run(py, view.len(), || assign_into(given, &view));
        index::find(x, index, of_view, |picked| {
            let list = picked.list();
            let len = picked.work(x).max(value.len());
            attempt(py, len, || x.index_assign(&list, given)).map_err(index::raise)
        })
    }

    fn __delitem__(&self, _index: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyTypeError::new_err("elements of an array cannot be deleted"))
    }

    fn __len__(&self) -> PyResult<usize> {
        match self.tensor.layout().axes().first() {
            Some(axis) => Ok(axis.len),
            None => Err(PyTypeError::new_err("an array without axes has no len()")),
        }
    }

    fn __iter__(&self) -> PyResult<Rows> {
        match self.tensor.rank() {
            0 => Err(PyTypeError::new_err("an array without axes cannot be iterated over")),
            _ => Ok(Rows { array: Array::from(self.tensor.clone()), next: AtomicUsize::new(0) }),
        }
    }

    /// Whether an element equals a number, or the elements of an array.
    fn __contains__(&self, py: Python<'_>, value: OperandArgument<'_>) -> PyResult<bool> {
        let (x, value) = (&self.tensor, value.given());
        run(py, x.len(), || x.equal(value)?.any(())?.item::<bool>())
    }
}

/// The parts of an array along its first axis, one after the other.
#[pyclass(frozen, name = "ArrayIterator", module = "belvedere")]
pub struct Rows {
    array: Array,
    next: AtomicUsize,
}

#[pymethods]
impl Rows {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self) -> PyResult<Option<Array>> {
        let tensor = self.array.tensor();
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        if at >= tensor.layout().axes()[0].len {
            self.next.store(usize::MAX >> 1, Ordering::Relaxed);
            return Ok(None);
        }
        tensor.select(0, at as isize).map(|row| Some(Array::from(row))).map_err(raise)
    }

    fn __length_hint__(&self) -> usize {
        let len = self.array.tensor().layout().axes()[0].len;
        len.saturating_sub(self.next.load(Ordering::Relaxed))
    }
}
