//! The smaller and the greater of two, and limits to all.

use super::of_two;
use crate::arguments::{ArrayArgument, OperandArgument};
use crate::array::Array;
use crate::lock::run;
use belvedere::Operand;
use pyo3::prelude::*;

of_two! {
    /// The smaller of the two; a NaN if one is.
    ///
    /// >>> bv.minimum(bv.asarray([1, 5]), 3)
    /// array([1, 3])
    minimum => minimum;

    /// The greater of the two; a NaN if one is.
    ///
    /// >>> bv.maximum(bv.asarray([1, 5]), 3)
    /// array([3, 5])
    maximum => maximum;

    /// The smaller of the two; of a number and a NaN the number.
    ///
    /// >>> bv.fmin(bv.asarray([1.0, bv.nan]), 3.0)
    /// array([1., 3.])
    fmin => fmin;

    /// The greater of the two; of a number and a NaN the number.
    ///
    /// >>> bv.fmax(bv.asarray([1.0, bv.nan]), 3.0)
    /// array([3., 3.])
    fmax => fmax;

    /// The size of the first with the sign of the second.
    ///
    /// >>> bv.copysign(bv.asarray([1.0, 2.0]), -0.0)
    /// array([-1., -2.])
    copysign => copysign;

    /// The next number that the type has, towards the second.
    ///
    /// >>> bv.nextafter(bv.asarray([1.0]), 2.0) - 1.0 == bv.finfo(bv.float64).eps
    /// array([ True])
    nextafter => nextafter;

    /// 0 below zero and 1 above; at zero the second.
    ///
    /// >>> bv.heaviside(bv.asarray([-1.5, 0.0, 2.0]), 0.5)
    /// array([0. , 0.5, 1. ])
    heaviside => heaviside;
}

/// Each number, but at least ``min`` and at most ``max``.
///
/// >>> bv.clip(bv.asarray([1, 5, 9]), 3, 7)
/// array([3, 5, 7])
/// >>> bv.clip(bv.asarray([1, 5, 9]), max=7)
/// array([1, 5, 7])
#[pyfunction]
#[pyo3(signature = (x, /, min = None, max = None))]
fn clip(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    min: Option<OperandArgument<'_>>,
    max: Option<OperandArgument<'_>>,
) -> PyResult<Array> {
    let x = x.tensor();
    let len_of = |it: &Option<OperandArgument<'_>>| it.as_ref().map_or(0, OperandArgument::len);
    let len = x.len().max(len_of(&min)).max(len_of(&max));
    let min = min.as_ref().map(OperandArgument::given);
    let max = max.as_ref().map(OperandArgument::given);
    let clip = || x.clip(min.map(Operand::from), max.map(Operand::from));
    run(py, len, clip).map(Array::from)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_of_two(module)?;
    module.add_function(wrap_pyfunction!(clip, module)?)
}
