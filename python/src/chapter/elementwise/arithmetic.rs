//! Sums, products, quotients, powers and roots.

use super::{of_one, of_two};
use pyo3::prelude::*;

of_two! {
    /// The sum, element by element; integers wrap around.
    ///
    /// >>> bv.add(bv.asarray([1, 2]), 10)
    /// array([11, 12])
    add => add;

    /// The difference, element by element; integers wrap around.
    ///
    /// >>> bv.subtract(bv.asarray([1, 2]), 10)
    /// array([-9, -8])
    subtract => sub;

    /// The product, element by element; integers wrap around.
    ///
    /// >>> bv.multiply(bv.asarray([1, 2]), 10)
    /// array([10, 20])
    multiply => mul;

    /// The quotient, element by element. Integers become ``float64``.
    ///
    /// >>> bv.divide(bv.asarray([1, 2]), 4)
    /// array([0.25, 0.5 ])
    divide => div;

    /// The quotient, rounded down. An integer divided by zero is zero.
    ///
    /// >>> bv.floor_divide(bv.asarray([7, -7]), 2)
    /// array([ 3, -4])
    floor_divide => floor_divide;

    /// What remains of ``floor_divide``; it has the sign of the divisor.
    ///
    /// >>> bv.remainder(bv.asarray([7, -7]), 3)
    /// array([1, 2])
    remainder => remainder;

    /// What remains of a quotient that is rounded towards zero; it has the sign of the dividend.
    ///
    /// >>> bv.fmod(bv.asarray([7, -7]), 3)
    /// array([ 1, -1])
    fmod => fmod;

    /// The power, element by element. Integers have no negative exponents.
    ///
    /// >>> bv.pow(2, bv.asarray([1, 2, 3]))
    /// array([2, 4, 8])
    pow => pow;

    /// The length of the hypotenuse: the root of the sum of the squares, which do not overflow.
    ///
    /// >>> bv.hypot(bv.asarray([3.0, 1e200]), bv.asarray([4.0, 0.0]))
    /// array([5.e+000, 1.e+200])
    hypot => hypot;
}

of_one! {
    /// The number with the other sign.
    ///
    /// >>> bv.negative(bv.asarray([1, -2]))
    /// array([-1,  2])
    negative => negative;

    /// The same numbers, as a new array.
    ///
    /// >>> bv.positive(bv.asarray([1, -2]))
    /// array([ 1, -2])
    positive => positive;

    /// The size of each number: without its sign, and the absolute value of a complex one.
    ///
    /// >>> bv.abs(bv.asarray([-1.5, 2.0]))
    /// array([1.5, 2. ])
    /// >>> bv.abs(bv.asarray([3 + 4j]))
    /// array([5.])
    abs => abs;

    /// -1, 0 or 1; of a complex number the one of size 1 in its direction.
    ///
    /// >>> bv.sign(bv.asarray([-3, 0, 5]))
    /// array([-1,  0,  1])
    sign => sign;

    /// The square root. It is NaN for negative real numbers.
    ///
    /// >>> bv.sqrt(bv.asarray([4.0, 9.0]))
    /// array([2., 3.])
    sqrt => sqrt;

    /// One by the square root.
    ///
    /// >>> bv.rsqrt(bv.asarray([4.0, 16.0]))
    /// array([0.5 , 0.25])
    rsqrt => rsqrt;

    /// The cube root.
    ///
    /// >>> bv.cbrt(bv.asarray([8.0, -27.0]))
    /// array([ 2., -3.])
    cbrt => cbrt;

    /// Each number times itself.
    ///
    /// >>> bv.square(bv.asarray([2, -3]))
    /// array([4, 9])
    square => square;

    /// One by each number. Integers become ``float64``.
    ///
    /// >>> bv.reciprocal(bv.asarray([2.0, 4.0]))
    /// array([0.5 , 0.25])
    reciprocal => reciprocal;
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_of_one(module)?;
    register_of_two(module)
}
