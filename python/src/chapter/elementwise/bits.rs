//! Integers as bits, and what divides them.

use super::{of_one, of_two};
use pyo3::prelude::*;

of_two! {
    /// The bits that both have; of ``bool`` whether both are true.
    ///
    /// >>> bv.bitwise_and(bv.asarray([1, 2, 3]), 2)
    /// array([0, 2, 2])
    bitwise_and => bitwise_and;

    /// The bits that at least one has; of ``bool`` whether one is true.
    ///
    /// >>> bv.bitwise_or(bv.asarray([1, 2, 3]), 2)
    /// array([3, 2, 3])
    bitwise_or => bitwise_or;

    /// The bits that one has and the other has not; of ``bool`` whether they differ.
    ///
    /// >>> bv.bitwise_xor(bv.asarray([1, 2, 3]), 2)
    /// array([3, 0, 1])
    bitwise_xor => bitwise_xor;

    /// The bits, shifted to the left; beyond the width of the type nothing is left.
    ///
    /// >>> bv.bitwise_left_shift(bv.asarray([1, 2]), 3)
    /// array([ 8, 16])
    bitwise_left_shift => bitwise_left_shift;

    /// The bits, shifted to the right; negative numbers stay negative.
    ///
    /// >>> bv.bitwise_right_shift(bv.asarray([16, -16]), 3)
    /// array([ 2, -2])
    bitwise_right_shift => bitwise_right_shift;

    /// The greatest integer that divides both.
    ///
    /// >>> bv.gcd(bv.asarray([12, 18]), 8)
    /// array([4, 2])
    gcd => gcd;

    /// The smallest positive integer that both divide.
    ///
    /// >>> bv.lcm(bv.asarray([4, 6]), 10)
    /// array([20, 30])
    lcm => lcm;
}

of_one! {
    /// The other bits; of ``bool`` the opposite.
    ///
    /// >>> bv.bitwise_invert(bv.asarray([0, 1]))
    /// array([-1, -2])
    bitwise_invert => bitwise_invert;
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_of_one(module)?;
    register_of_two(module)
}
