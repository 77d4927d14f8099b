//! `x[...]`: indexing, assignment and iteration.

use super::{Array, ArrayObject, new_object};
use crate::arguments::OperandArgument;
use crate::arguments::index::{self, AdvancedIndex, IndexAction};
use crate::attach::{run, try_run};
use crate::error::raise;
use belvedere::trace::Param;
use belvedere::{Layout, LayoutError, Tensor};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

#[pymethods]
impl ArrayObject {
    /// Returns a view, or a new array if index arrays or masks select the elements.
    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, ArrayObject>> {
        index::evaluate(&self.tensor, index, Read { array: self, index })
    }

    /// Assigns to the selected elements, with broadcasting and casting.
    fn __setitem__(
        &self,
        py: Python<'_>,
        index: &Bound<'_, PyAny>,
        value: OperandArgument,
    ) -> PyResult<()> {
        index::evaluate(&self.tensor, index, Write { x: &self.tensor, value: &value, py })
    }

    fn __delitem__(&self, _index: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyTypeError::new_err("cannot delete array elements"))
    }

    fn __len__(&self) -> PyResult<usize> {
        match self.tensor.layout().axes().first() {
            Some(axis) => Ok(axis.len),
            None => Err(PyTypeError::new_err("len() of a 0-d array")),
        }
    }

    fn __iter__(&self) -> PyResult<Rows> {
        match self.tensor.rank() {
            0 => Err(PyTypeError::new_err("iteration over a 0-d array")),
            _ => Ok(Rows { tensor: self.tensor.clone(), next: AtomicUsize::new(0) }),
        }
    }

    /// Tests whether any element equals the value.
    fn __contains__(&self, py: Python<'_>, value: OperandArgument) -> PyResult<bool> {
        let (x, value) = (&self.tensor, &value);
        run(py, x.len(), || x.equal(value)?.any(())?.item::<bool>())
    }
}

/// `x[...]`.
struct Read<'a, 'py> {
    array: &'a ArrayObject,
    index: &'a Bound<'py, PyAny>,
}

impl<'py> IndexAction<'py> for Read<'_, 'py> {
    type Answer = Bound<'py, ArrayObject>;

    #[inline(always)]
    fn view(
        self,
        change: impl FnOnce(&Layout) -> Result<Layout, LayoutError>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let params = || [("index", Param::Text(index::text(self.index).into()))];
        self.array.through(self.index.py(), "getitem", params, change)
    }

    fn advanced(self, index: AdvancedIndex<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        let (x, list) = (self.array.tensor(), index.list());
        let py = self.index.py();
        match try_run(py, index.work(x), || x.index(&list)) {
            Ok(part) => new_object(py, |slot| Ok(slot.write(part))),
            Err(error) => Err(index::raise(error)),
        }
    }
}

/// `x[...] = value`.
struct Write<'a, 'py> {
    x: &'a Tensor,
    value: &'a OperandArgument,
    py: Python<'py>,
}

impl<'py> IndexAction<'py> for Write<'_, 'py> {
    type Answer = ();

    fn view(self, change: impl FnOnce(&Layout) -> Result<Layout, LayoutError>) -> PyResult<()> {
        let layout = change(self.x.layout()).map_err(|error| raise(error.into()))?;
        let (x, given) = (self.x, self.value);
        run(self.py, layout.len(), || x.assign_through(layout.clone(), given))
    }

    fn advanced(self, index: AdvancedIndex<'py>) -> PyResult<()> {
        let (x, list, given) = (self.x, index.list(), self.value);
        let len = index.work(x).max(self.value.len());
        try_run(self.py, len, || x.index_assign(&list, given)).map_err(index::raise)
    }
}

/// An iterator over the first axis.
#[pyclass(frozen, name = "ArrayIterator", module = "belvedere")]
pub(super) struct Rows {
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
