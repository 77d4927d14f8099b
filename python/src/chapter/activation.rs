//! Activation functions with parameters.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run;
use pyo3::prelude::*;

/// Computes the exponential linear unit: ``x`` if positive, else ``alpha * (exp(x) - 1)``.
///
/// >>> bv.elu(bv.asarray([0.0, 2.0]))
/// array([0., 2.])
#[pyfunction]
#[pyo3(signature = (x, /, alpha=1.0))]
pub(crate) fn elu(py: Python<'_>, x: ArrayArgument<'_>, alpha: f64) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.elu(alpha)).map(Array::from)
}

/// Computes ``x`` if positive, else ``alpha * x``.
///
/// >>> bv.leaky_relu(bv.asarray([-1.0, 2.0]), alpha=0.5)
/// array([-0.5,  2. ])
#[pyfunction]
#[pyo3(signature = (x, /, alpha=0.01))]
pub(crate) fn leaky_relu(py: Python<'_>, x: ArrayArgument<'_>, alpha: f64) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.leaky_relu(alpha)).map(Array::from)
}
