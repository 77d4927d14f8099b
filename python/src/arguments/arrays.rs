//! Sequences of arrays.

use super::{ArrayArgument, items};
use crate::array::ArrayObject;
use crate::error::raise;
use belvedere::Tensor;
use pyo3::prelude::*;

/// A sequence of arrays; a single array is split along axis 0.
pub(crate) struct ArraysArgument(pub Vec<Tensor>);

impl ArraysArgument {
    /// The total number of elements.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().fold(0, |sum, it| sum.saturating_add(it.len()))
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for ArraysArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.cast::<ArrayObject>() {
            return array.get().tensor().unstack(0).map(ArraysArgument).map_err(raise);
        }
        let tensor = |item: PyResult<Bound<'py, PyAny>>| {
            Ok(item?.extract::<ArrayArgument<'_>>()?.tensor().clone())
        };
        items(&object)?.map(tensor).collect::<PyResult<_>>().map(ArraysArgument)
    }
}
