//! Sequences of arrays.

use super::{ArrayArgument, Casting, OutArgument, collect, items, try_with_capacity};
use crate::array::ArrayObject;
use crate::attach::run;
use crate::dtype::DTypeArgument;
use crate::error::raise;
use belvedere::Tensor;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// A sequence of arrays; a single array is split along axis 0.
pub(crate) struct ArraysArgument(pub Vec<Tensor>);

impl ArraysArgument {
    /// The total number of elements.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().fold(0, |sum, it| sum.saturating_add(it.len()))
    }

    /// Casts the arrays to a dtype, if one is given.
    pub(crate) fn cast(
        self,
        py: Python<'_>,
        dtype: Option<DTypeArgument>,
        casting: Casting,
    ) -> PyResult<ArraysArgument> {
        let Some(DTypeArgument(dtype)) = dtype else { return Ok(self) };
        for tensor in &self.0 {
            casting.check(tensor.dtype(), dtype).map_err(raise)?;
        }
        run(py, self.len(), || {
            let mut cast = try_with_capacity(self.0.len())?;
            for tensor in &self.0 {
                cast.push(tensor.astype(dtype)?);
            }
            Ok(ArraysArgument(cast))
        })
    }

    /// Casts the arrays that a function joins, to a dtype or to that of the output.
    pub(crate) fn cast_for(
        self,
        name: &str,
        py: Python<'_>,
        (dtype, casting): (Option<DTypeArgument>, Casting),
        out: Option<&OutArgument<'_>>,
    ) -> PyResult<ArraysArgument> {
        match (dtype, out) {
            (Some(_), Some(_)) => Err(PyTypeError::new_err(format!(
                "{name} takes out or dtype, not both: the dtype of out is that of the result"
            ))),
            (None, Some(out)) if casting != Casting::SameKind => {
                self.cast(py, Some(DTypeArgument(out.tensor().dtype())), casting)
            }
            (dtype, _) => self.cast(py, dtype, casting),
        }
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
        collect(items(&object)?.map(tensor)).map(ArraysArgument)
    }
}
