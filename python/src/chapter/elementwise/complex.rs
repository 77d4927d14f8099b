//! Complex numbers and their parts.

use super::of_one;
use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::error::raise;
use pyo3::prelude::*;

of_one! {
    /// The conjugate: the imaginary part with the other sign. Real numbers are the same array again.
    ///
    /// >>> bv.conj(bv.asarray([1 + 2j]))
    /// array([1.-2.j])
    conj => conj;

    /// The angle of each number in the plane: for real ones 0 or pi.
    ///
    /// >>> bv.angle(bv.asarray([1j, -1j]))
    /// array([ 1.57079633, -1.57079633])
    angle => angle;
}

/// The real parts: a view.
///
/// >>> bv.real(bv.asarray([1 + 2j]))
/// array([1.])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn real(x: ArrayArgument<'_>) -> PyResult<Array> {
    x.tensor().real().map(Array::from).map_err(raise)
}

/// The imaginary parts: a view. Those of real numbers are zeros.
///
/// >>> bv.imag(bv.asarray([1 + 2j]))
/// array([2.])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn imag(x: ArrayArgument<'_>) -> PyResult<Array> {
    x.tensor().imag().map(Array::from).map_err(raise)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_of_one(module)?;
    module.add_function(wrap_pyfunction!(real, module)?)?;
    module.add_function(wrap_pyfunction!(imag, module)?)
}
