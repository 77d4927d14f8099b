//! Axis arguments.

use super::{Integers, Numbers};
use belvedere::{Axes, keep};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// `axis=None`, an integer, or any sequence of integers.
pub(crate) struct AxesArgument(Option<Numbers>);

impl AxesArgument {
    /// All axes.
    pub(crate) const ALL: AxesArgument = AxesArgument(None);

    /// The axes of the core; with `keepdims`, they stay in the result with length 1.
    pub(crate) fn axes(&self, keepdims: bool) -> Axes {
        let axes = match &self.0 {
            None => Axes::from(()),
            Some(axes) => Axes::from(&axes[..]),
        };
        if keepdims { keep(axes) } else { axes }
    }

    /// The axes that are given; `None` if all are meant.
    pub(crate) fn list(&self) -> Option<&[isize]> {
        self.0.as_deref()
    }

    /// Reads the axes of `x.flip(0, 1)` or `x.flip((0, 1))`; without arguments, all of them.
    pub(crate) fn of_arguments(arguments: &Bound<'_, PyTuple>) -> PyResult<AxesArgument> {
        match arguments.len() {
            0 => Ok(AxesArgument::ALL),
            1 => arguments.get_item(0)?.extract(),
            _ => arguments.extract(),
        }
    }

    /// The axes of an optional argument; all of them if it is omitted.
    pub(crate) fn or_all(axis: Option<AxesArgument>, keepdims: bool) -> Axes {
        axis.unwrap_or(AxesArgument::ALL).axes(keepdims)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for AxesArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_none() {
            return Ok(AxesArgument::ALL);
        }
        Ok(AxesArgument(Some(Integers::extract(object)?.0)))
    }
}
