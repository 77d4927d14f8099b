//! Functions that neural networks put between their layers.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::lock::run;
use pyo3::prelude::*;

/// Functions of one array.
macro_rules! activations {
    ($($(#[$doc:meta])* $name:ident => $method:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, /))]
            fn $name(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Array> {
                let x = x.tensor();
                run(py, x.len(), || x.$method()).map(Array::from)
            }
        )+

        fn register_activations(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)+
            Ok(())
        }
    };
}

activations! {
    /// The Gaussian error linear unit, exactly: ``x`` times the share of a normal distribution below it.
    ///
    /// >>> bv.gelu(bv.asarray([0.0, 10.0]))
    /// array([ 0., 10.])
    gelu => gelu;

    /// A logistic function of three straight lines.
    ///
    /// >>> bv.hard_sigmoid(bv.asarray([-3.0, 0.0, 5.0]))
    /// array([0. , 0.5, 1. ])
    hard_sigmoid => hard_sigmoid;

    /// ``x * hard_sigmoid(x)``.
    ///
    /// >>> bv.hard_swish(bv.asarray([0.0, 3.0]))
    /// array([0., 3.])
    hard_swish => hard_swish;

    /// The positive part.
    ///
    /// >>> bv.relu(bv.asarray([-1.0, 2.0]))
    /// array([0., 2.])
    relu => relu;

    /// The positive part, up to 6.
    ///
    /// >>> bv.relu6(bv.asarray([-1.0, 2.0, 9.0]))
    /// array([0., 2., 6.])
    relu6 => relu6;

    /// The logistic function: ``1 / (1 + exp(-x))``.
    ///
    /// >>> bv.sigmoid(bv.asarray([0.0]))
    /// array([0.5])
    sigmoid => sigmoid;

    /// ``x * sigmoid(x)``, also called swish.
    ///
    /// >>> bv.silu(bv.asarray([0.0]))
    /// array([0.])
    silu => swish;

    /// A smooth positive part: ``log(1 + exp(x))``.
    ///
    /// >>> bv.softplus(bv.asarray([1000.0]))
    /// array([1000.])
    softplus => softplus;

    /// ``x * sigmoid(x)``, also called silu.
    ///
    /// >>> bv.swish(bv.asarray([0.0]))
    /// array([0.])
    swish => swish;
}

/// ``x`` where it is positive, and else ``alpha * (exp(x) - 1)``.
///
/// >>> bv.elu(bv.asarray([0.0, 2.0]))
/// array([0., 2.])
#[pyfunction]
#[pyo3(signature = (x, /, alpha=1.0))]
fn elu(py: Python<'_>, x: ArrayArgument<'_>, alpha: f64) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.elu(alpha)).map(Array::from)
}

/// ``x`` where it is positive, and else ``alpha * x``.
///
/// >>> bv.leaky_relu(bv.asarray([-1.0, 2.0]), alpha=0.5)
/// array([-0.5,  2. ])
#[pyfunction]
#[pyo3(signature = (x, /, alpha=0.01))]
fn leaky_relu(py: Python<'_>, x: ArrayArgument<'_>, alpha: f64) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.leaky_relu(alpha)).map(Array::from)
}

/// The logarithm of ``softmax``, exact where that would be 0.
///
/// >>> bv.log_softmax(bv.asarray([0.0, -1000.0]))
/// array([    0., -1000.])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=-1), text_signature = "(x, /, *, axis=-1)")]
fn log_softmax(py: Python<'_>, x: ArrayArgument<'_>, axis: isize) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.log_softmax(axis)).map(Array::from)
}

/// The exponentials along an axis, divided by their sum.
///
/// >>> bv.softmax(bv.asarray([1000.0, 1000.0]))
/// array([0.5, 0.5])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=-1), text_signature = "(x, /, *, axis=-1)")]
fn softmax(py: Python<'_>, x: ArrayArgument<'_>, axis: isize) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.softmax(axis)).map(Array::from)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_activations(module)?;
    module.add_function(wrap_pyfunction!(elu, module)?)?;
    module.add_function(wrap_pyfunction!(leaky_relu, module)?)?;
    module.add_function(wrap_pyfunction!(log_softmax, module)?)?;
    module.add_function(wrap_pyfunction!(softmax, module)?)
}
