//! Angles, circles and hyperbolas.

use super::{of_one, of_two};
use pyo3::prelude::*;

of_one! {
    /// The sine of an angle in radians.
    ///
    /// >>> bv.sin(bv.asarray([0.0, bv.pi / 2]))
    /// array([0., 1.])
    sin => sin;

    /// The cosine of an angle in radians.
    ///
    /// >>> bv.cos(bv.asarray([0.0, bv.pi]))
    /// array([ 1., -1.])
    cos => cos;

    /// The tangent of an angle in radians.
    ///
    /// >>> bv.tan(bv.asarray([0.0, 1.0]))
    /// array([0.        , 1.55740772])
    tan => tan;

    /// The angle that has this sine, from -pi/2 to pi/2.
    ///
    /// >>> bv.asin(bv.asarray([0.0, 1.0]))
    /// array([0.        , 1.57079633])
    asin => asin;

    /// The angle that has this cosine, from 0 to pi.
    ///
    /// >>> bv.acos(bv.asarray([1.0, 0.0]))
    /// array([0.        , 1.57079633])
    acos => acos;

    /// The angle that has this tangent, from -pi/2 to pi/2.
    ///
    /// >>> bv.atan(bv.asarray([0.0, 1.0]))
    /// array([0.        , 0.78539816])
    atan => atan;

    /// The hyperbolic sine.
    ///
    /// >>> bv.sinh(bv.asarray([0.0, 1.0]))
    /// array([0.        , 1.17520119])
    sinh => sinh;

    /// The hyperbolic cosine.
    ///
    /// >>> bv.cosh(bv.asarray([0.0, 1.0]))
    /// array([1.        , 1.54308063])
    cosh => cosh;

    /// The hyperbolic tangent.
    ///
    /// >>> bv.tanh(bv.asarray([0.0, 1.0]))
    /// array([0.        , 0.76159416])
    tanh => tanh;

    /// The inverse of the hyperbolic sine.
    ///
    /// >>> bv.asinh(bv.asarray([0.0, 1.0]))
    /// array([0.        , 0.88137359])
    asinh => asinh;

    /// The inverse of the hyperbolic cosine.
    ///
    /// >>> bv.acosh(bv.asarray([1.0, 2.0]))
    /// array([0.       , 1.3169579])
    acosh => acosh;

    /// The inverse of the hyperbolic tangent.
    ///
    /// >>> bv.atanh(bv.asarray([0.0, 0.5]))
    /// array([0.        , 0.54930614])
    atanh => atanh;

    /// Degrees as radians.
    ///
    /// >>> bv.deg2rad(bv.asarray([180.0]))
    /// array([3.14159265])
    deg2rad => deg2rad;

    /// Radians as degrees.
    ///
    /// >>> bv.rad2deg(bv.asarray([bv.pi]))
    /// array([180.])
    rad2deg => rad2deg;
}

of_two! {
    /// The angle of the point with ``x1`` as its height and ``x2`` as its width, from -pi to pi.
    ///
    /// >>> bv.atan2(bv.asarray([1.0, -1.0]), -1.0)
    /// array([ 2.35619449, -2.35619449])
    atan2 => atan2;
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_of_one(module)?;
    register_of_two(module)
}
