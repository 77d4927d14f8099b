//! Functions that statistics asks for, and what stands in for what is no number.

use super::{of_one, of_two};
use crate::arguments::{ArrayArgument, OperandArgument};
use crate::array::Array;
use crate::lock::run;
use pyo3::prelude::*;

of_one! {
    /// The error function.
    ///
    /// >>> bv.erf(bv.asarray([0.0, 1.0]))
    /// array([0.        , 0.84270079])
    erf => erf;

    /// One minus the error function, with all digits where that is small.
    ///
    /// >>> bv.erfc(bv.asarray([0.0, 1.0]))
    /// array([1.        , 0.15729921])
    erfc => erfc;

    /// The inverse of the error function.
    ///
    /// >>> bv.erfinv(bv.asarray([0.0, 0.5]))
    /// array([0.        , 0.47693628])
    erfinv => erfinv;

    /// The logarithm of the odds: ``log(x / (1 - x))``.
    ///
    /// >>> bv.logit(bv.asarray([0.5, 0.75]))
    /// array([0.        , 1.09861229])
    logit => logit;

    /// ``sin(pi * x) / (pi * x)``, and 1 at zero.
    ///
    /// >>> bv.sinc(bv.asarray([0.0, 0.5]))
    /// array([1.        , 0.63661977])
    sinc => sinc;
}

of_two! {
    /// ``x1 * log(x2)``, and 0 where ``x1`` is.
    ///
    /// >>> bv.xlogy(bv.asarray([0.0, 2.0]), bv.asarray([0.0, bv.e]))
    /// array([0., 2.])
    xlogy => xlogy;
}

/// The way from ``start`` to ``end``, of which ``weight`` is gone.
///
/// >>> bv.lerp(bv.asarray([0.0, 10.0]), bv.asarray([1.0, 20.0]), 0.5)
/// array([ 0.5, 15. ])
#[pyfunction]
#[pyo3(signature = (start, end, weight, /))]
fn lerp(
    py: Python<'_>,
    start: ArrayArgument<'_>,
    end: OperandArgument<'_>,
    weight: OperandArgument<'_>,
) -> PyResult<Array> {
    let x = start.tensor();
    let len = x.len().max(end.len()).max(weight.len());
    let (end, weight) = (end.given(), weight.given());
    run(py, len, || x.lerp(end, weight)).map(Array::from)
}

/// The numbers, with others in place of NaN and the infinities: zero, and the limits of the type.
///
/// >>> bv.nan_to_num(bv.asarray([1.0, bv.nan, bv.inf]), posinf=9.0)
/// array([1., 0., 9.])
#[pyfunction]
#[pyo3(signature = (x, /, *, nan = 0.0, posinf = None, neginf = None))]
fn nan_to_num(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    nan: f64,
    posinf: Option<f64>,
    neginf: Option<f64>,
) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.nan_to_num(Some(nan), posinf, neginf)).map(Array::from)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_of_one(module)?;
    register_of_two(module)?;
    module.add_function(wrap_pyfunction!(lerp, module)?)?;
    module.add_function(wrap_pyfunction!(nan_to_num, module)?)
}
