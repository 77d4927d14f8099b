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
