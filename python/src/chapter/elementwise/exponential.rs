//! Exponentials and logarithms.

use super::{of_one, of_two};
use pyo3::prelude::*;

of_one! {
    /// The exponential function.
    ///
    /// >>> bv.exp(bv.asarray([0.0, 1.0]))
    /// array([1.        , 2.71828183])
    exp => exp;

    /// Powers of two.
    ///
    /// >>> bv.exp2(bv.asarray([3.0, -1.0]))
    /// array([8. , 0.5])
    exp2 => exp2;

    /// The exponential function minus one, with all digits near zero.
    ///
    /// >>> bv.expm1(bv.asarray([0.0, 1e-10]))
    /// array([0.e+00, 1.e-10])
    expm1 => expm1;

    /// The natural logarithm.
    ///
    /// >>> bv.log(bv.asarray([1.0, bv.e]))
    /// array([0., 1.])
    log => log;

    /// The natural logarithm of one plus each number, with all digits near zero.
    ///
    /// >>> bv.log1p(bv.asarray([0.0, 1e-10]))
    /// array([0.e+00, 1.e-10])
    log1p => log1p;

    /// The logarithm to base 2.
    ///
    /// >>> bv.log2(bv.asarray([8.0, 0.5]))
    /// array([ 3., -1.])
    log2 => log2;

    /// The logarithm to base 10.
    ///
    /// >>> bv.log10(bv.asarray([100.0, 0.1]))
    /// array([ 2., -1.])
    log10 => log10;
}

of_two! {
    /// The logarithm of the sum of the exponentials, which do not overflow.
    ///
    /// >>> bv.logaddexp(bv.asarray([1000.0]), 0.0)
    /// array([1000.])
    logaddexp => logaddexp;
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_of_one(module)?;
    register_of_two(module)
}
