//! Whole numbers near others. Integers stay as they are.

use super::of_one;
use pyo3::prelude::*;

of_one! {
    /// The greatest whole number that is not above.
    ///
    /// >>> bv.floor(bv.asarray([1.5, -1.5]))
    /// array([ 1., -2.])
    floor => floor;

    /// The smallest whole number that is not below.
    ///
    /// >>> bv.ceil(bv.asarray([1.5, -1.5]))
    /// array([ 2., -1.])
    ceil => ceil;

    /// The whole number, without what comes after the point.
    ///
    /// >>> bv.trunc(bv.asarray([1.5, -1.5]))
    /// array([ 1., -1.])
    trunc => trunc;

    /// The nearest whole number; of two that are as near, the even one.
    ///
    /// >>> bv.round(bv.asarray([0.5, 1.5, 2.4]))
    /// array([0., 2., 2.])
    round => round;
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_of_one(module)
}
