//! Trigonometric functions and conversions of angles.

use crate::dtype::{Field, FieldTask, Float};
use crate::kernel::body::Body;
use crate::{DType, Element};
use std::f64::consts::PI;

/// The body of a trigonometric function for every dtype: branch-free for arguments in the fast range, and calls
/// for larger ones, whose range reduction needs more digits of π.
macro_rules! circular {
    ($function:ident, $near:ident) => {{
        struct CircularFunction;

        impl FieldTask for CircularFunction {
            type Output = Body<'static, 2>;

            fn run<E: Element<Wide: Field>>(self) -> Body<'static, 2> {
                Body::unary_with_fast_path(
                    |x: E| x.widen().in_fast_range(),
                    |x: E| E::narrow(x.widen().$near()),
                    |x: E| E::narrow(x.widen().$function()),
                )
            }
        }

        |dtype: DType| Option::from(dtype.with_field(CircularFunction))
    }};
}

unary! {
    /// Computes the sine of angles in radians.
    example(tensor![0.0, 1.0] => f64 near [0.0, 0.8415])
    SIN: sin, sin_into = Field by circular!(sin, sin_fast)
}

unary! {
    /// Computes the cosine of angles in radians.
    example(tensor![0.0, 1.0] => f64 near [1.0, 0.5403])
    COS: cos, cos_into = Field by circular!(cos, cos_fast)
}

unary! {
    /// Computes the tangent of angles in radians.
    example(tensor![0.0, 1.0] => f64 near [0.0, 1.5574])
    TAN: tan, tan_into = Field by circular!(tan, tan_fast)
}

unary! {
    /// Computes the inverse sine, an angle from -π/2 to π/2; NaN for real numbers outside [-1, 1].
    example(tensor![0.0, 1.0] => f64 near [0.0, 1.5708])
    ASIN: asin, asin_into = Field calls |x| x.asin()
}

unary! {
    /// Computes the inverse cosine, an angle from 0 to π; NaN for real numbers outside [-1, 1].
    example(tensor![1.0, 0.0] => f64 near [0.0, 1.5708])
    ACOS: acos, acos_into = Field calls |x| x.acos()
}

unary! {
    /// Computes the inverse tangent, an angle from -π/2 to π/2.
    example(tensor![0.0, 1.0] => f64 near [0.0, 0.7854])
    ATAN: atan, atan_into = Field calls |x| x.atan()
}

binary! {
    /// Computes the angle of the point `(other, self)`, from -π to π: the inverse tangent of `self / other` in the right
    /// quadrant.
    example(tensor![0.0, 0.0], &tensor![1.0, -1.0] => f64 [0.0, std::f64::consts::PI])
    ATAN2: atan2, atan2_into = Float calls |x, y| x.atan2(y)
}

unary! {
    /// Converts degrees to radians.
    example(tensor![180.0] => f64 [std::f64::consts::PI])
    DEG2RAD: deg2rad, deg2rad_into = Float vectors |x| x.times(T::of(PI / 180.0))
}

unary! {
    /// Converts radians to degrees.
    example(tensor![std::f64::consts::PI] => f64 [180.0])
    RAD2DEG: rad2deg, rad2deg_into = Float vectors |x| x.times(T::of(180.0 / PI))
}

unary! {
    /// Computes the normalized sinc function `sin(πx) / πx`, which is 1 at zero.
    example(tensor![0.0, 0.5] => f64 near [1.0, 0.6366])
    SINC: sinc, sinc_into = Float calls |x| sinc(x.times(T::of(PI)))
}

/// `sin(x) / x`.
#[inline(always)]
fn sinc<T: Float>(x: T) -> T {
    if x == T::ZERO { T::ONE } else { x.sin().over(x) }
}
