//! Axes of an array.

use super::{Integers, Numbers};
use belvedere::{Axes, keep};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// `axis=None`, a number, or any sequence of numbers.
pub struct AxesArgument(Option<Numbers>);

impl AxesArgument {
    /// All axes.
    pub const ALL: AxesArgument = AxesArgument(None);

    /// The axes, and whether they stay in the result with length 1.
    pub fn axes(&self, keepdims: bool) -> Axes {
        let axes = match &self.0 {
            None => Axes::from(()),
            Some(axes) => Axes::from(&axes[..]),
        };
        if keepdims { keep(axes) } else { axes }
    }

    /// The axes of `x.flip(0, 1)` or `x.flip((0, 1))`; without one, all of them.
    pub fn of_arguments(arguments: &Bound<'_, PyTuple>) -> PyResult<AxesArgument> {
        match arguments.len() {
            0 => Ok(AxesArgument::ALL),
            1 => arguments.get_item(0)?.extract(),
            _ => arguments.extract(),
        }
    }

    /// The same for an argument that may be left out: then it is all of them.
    pub fn or_all(axis: Option<AxesArgument>, keepdims: bool) -> Axes {
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
