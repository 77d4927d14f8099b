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

/// Computes ``log(softmax(x))`` along an axis without underflow.
///
/// >>> bv.log_softmax(bv.asarray([0.0, -1000.0]))
/// array([    0., -1000.])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=-1), text_signature = "(x, /, *, axis=-1)")]
pub(crate) fn log_softmax(py: Python<'_>, x: ArrayArgument<'_>, axis: isize) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.log_softmax(axis)).map(Array::from)
}

/// Computes ``exp(x) / sum(exp(x))`` along an axis without overflow.
///
/// >>> bv.softmax(bv.asarray([1000.0, 1000.0]))
/// array([0.5, 0.5])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=-1), text_signature = "(x, /, *, axis=-1)")]
pub(crate) fn softmax(py: Python<'_>, x: ArrayArgument<'_>, axis: isize) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.softmax(axis)).map(Array::from)
}
