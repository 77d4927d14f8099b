//! Lists of Python as vectors.
//!
//! A sequence may report any length, as a `range` does, and memory may be exhausted. The conversion of PyO3 to a `Vec`
//! allocates the reported length infallibly: it would abort the process.

use crate::error::raise;
use belvedere::Error;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The maximum number of items that are read from a sequence: ranges and broadcast arrays may have any length.
const MAX_ITEMS: usize = 1 << 20;

/// The items of a sequence, at most [`MAX_ITEMS`].
pub(crate) struct List<T>(pub Vec<T>);

impl<'a, 'py, T: for<'b> FromPyObject<'b, 'py, Error: Into<PyErr>>> FromPyObject<'a, 'py>
    for List<T>
{
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("expected a sequence, got str"));
        }
        collect(items(&object)?.map(|item| item?.extract().map_err(Into::into))).map(List)
    }
}

/// Iterates over a sequence of at most [`MAX_ITEMS`] items.
pub(crate) fn items<'py>(
    object: &Bound<'py, PyAny>,
) -> PyResult<impl Iterator<Item = PyResult<Bound<'py, PyAny>>>> {
    let n = object.len()?;
    if n > MAX_ITEMS {
        return Err(too_long(n));
    }
    // An iterator may yield more items than `__len__` says.
    let bounded = |(i, item)| if i < MAX_ITEMS { item } else { Err(too_long(i + 1)) };
    Ok(object.try_iter()?.take(MAX_ITEMS + 1).enumerate().map(bounded))
}

/// Collects items up to the first error; without enough memory it raises a `MemoryError`.
pub(crate) fn collect<T>(items: impl Iterator<Item = PyResult<T>>) -> PyResult<Vec<T>> {
    let mut list = Vec::new();
    for item in items {
        reserve(&mut list, 1)?;
        list.push(item?);
    }
    Ok(list)
}

/// Collects items of a known number, which may be any; without enough memory it raises a `MemoryError`.
pub(crate) fn collect_exact<T>(items: impl ExactSizeIterator<Item = T>) -> PyResult<Vec<T>> {
    let mut list = try_with_capacity(items.len()).map_err(raise)?;
    list.extend(items);
    Ok(list)
}

/// Makes room for `n` more items; without enough memory it raises a `MemoryError`.
pub(crate) fn reserve<T>(list: &mut Vec<T>, n: usize) -> PyResult<()> {
    let bytes = n.saturating_mul(size_of::<T>());
    list.try_reserve(n).map_err(|_| raise(Error::OutOfMemory { bytes }))
}

/// Returns an empty vector with capacity for `n` items.
///
/// # Errors
/// If there is not enough memory.
pub(crate) fn try_with_capacity<T>(n: usize) -> Result<Vec<T>, Error> {
    let (mut list, bytes) = (Vec::new(), n.saturating_mul(size_of::<T>()));
    list.try_reserve_exact(n).map_err(|_| Error::OutOfMemory { bytes })?;
    Ok(list)
}

#[cold]
fn too_long(n: usize) -> PyErr {
    PyValueError::new_err(format!(
        "a sequence of {n} items is longer than the maximum of {MAX_ITEMS}"
    ))
}
