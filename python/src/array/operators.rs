//! `+`, `-`, `<`, `@` and the others.

use super::Array;
use crate::arguments::OperandArgument;
use crate::lock::run;
use pyo3::prelude::*;

#[pymethods]
impl Array {
    fn __add__(&self, py: Python<'_>, other: OperandArgument<'_>) -> PyResult<Array> {
        let (x, y) = (self.tensor(), other.given());
        run(py, x.len().max(other.len()), || x.add(y)).map(Array::from)
    }
}
