//! Axes of an array.

use super::Integers;
use belvedere::{Axes, keep};
use pyo3::prelude::*;

/// `axis=None`, a number, or any sequence of numbers.
pub struct AxesArgument(Option<Vec<isize>>);

impl AxesArgument {
    /// All axes.
    pub const ALL: AxesArgument = AxesArgument(None);

    /// The axes, and whether they stay in the result with length 1.
    pub fn axes(&self, keepdims: bool) -> Axes {
        let axes = match &self.0 {
            None => Axes::from(()),
            Some(axes) => Axes::from(axes),
        };
        if keepdims { keep(axes) } else { axes }
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
