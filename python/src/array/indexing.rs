//! `x[...]`: reading, assigning, walking.

use super::{Array, ArrayObject};
use crate::arguments::OperandArgument;
use crate::arguments::index::{self, Picked, Reached};
use crate::error::raise;
use crate::lock::{attempt, run};
use belvedere::{Error, Layout, LayoutError, Tensor, assign_into};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

#[pymethods]
impl ArrayObject {
    /// A part: a view if it has strides, and a new array if arrays pick its elements.
    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, ArrayObject>> {
        index::find(&self.tensor, index, Read { array: self, py: index.py() })
    }

    /// Writes to a part, with broadcasting and conversion.
    fn __setitem__(
        &self,
        py: Python<'_>,
        index: &Bound<'_, PyAny>,
        value: OperandArgument<'_>,
    ) -> PyResult<()> {
        index::find(&self.tensor, index, Write { x: &self.tensor, value: &value, py })
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
            _ => Ok(Rows { tensor: self.tensor.clone(), next: AtomicUsize::new(0) }),
        }
    }

    /// Whether an element equals a number, or the elements of an array.
    fn __contains__(&self, py: Python<'_>, value: OperandArgument<'_>) -> PyResult<bool> {
        let (x, value) = (&self.tensor, value.given());
        run(py, x.len(), || x.equal(value)?.any(())?.item::<bool>())
    }
}

/// `x[...]`.
struct Read<'a, 'py> {
    array: &'a ArrayObject,
    py: Python<'py>,
}

impl<'py> Reached<'py> for Read<'_, 'py> {
    type Answer = Bound<'py, ArrayObject>;

    #[inline(always)]
    fn view(
        self,
        change: impl FnOnce(&Layout) -> Result<Layout, LayoutError>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        self.array.through(self.py, change)
    }

    fn picked(self, picked: Picked<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        let (x, list) = (self.array.tensor(), picked.list());
        match attempt(self.py, picked.work(x), || x.index(&list)) {
            Ok(part) => Array::seen(self.py, Ok(part)),
            Err(error) => Err(index::raise(error)),
        }
    }
}

/// `x[...] = value`.
struct Write<'a, 'py> {
    x: &'a Tensor,
    value: &'a OperandArgument<'a>,
    py: Python<'py>,
}

impl<'py> Reached<'py> for Write<'_, 'py> {
    type Answer = ();

    fn view(self, change: impl FnOnce(&Layout) -> Result<Layout, LayoutError>) -> PyResult<()> {
        let view = change(self.x.layout()).map_err(Error::from).and_then(|it| self.x.through(it));
        let view = view.map_err(raise)?;
        let given = self.value.given();
        run(self.py, view.len(), || assign_into(given, &view))
    }

    fn picked(self, picked: Picked<'py>) -> PyResult<()> {
        let (x, list, given) = (self.x, picked.list(), self.value.given());
        let len = picked.work(x).max(self.value.len());
        attempt(self.py, len, || x.index_assign(&list, given)).map_err(index::raise)
    }
}

/// The parts of an array along its first axis, one after the other.
#[pyclass(frozen, name = "ArrayIterator", module = "belvedere")]
pub struct Rows {
    tensor: Tensor,
    next: AtomicUsize,
}

#[pymethods]
impl Rows {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self) -> PyResult<Option<Array>> {
        let tensor = &self.tensor;
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        if at >= tensor.layout().axes()[0].len {
            self.next.store(usize::MAX >> 1, Ordering::Relaxed);
            return Ok(None);
        }
        tensor.select(0, at as isize).map(|row| Some(Array::from(row))).map_err(raise)
    }

    fn __length_hint__(&self) -> usize {
        let len = self.tensor.layout().axes()[0].len;
        len.saturating_sub(self.next.load(Ordering::Relaxed))
    }
}
