//! Trigonometric functions and conversions of angles.

use crate::dtype::{Field, FieldTask, Float};
use crate::kernel::body::Body;
use crate::{DType, Element};
use std::f64::consts::PI;
use std::marker::PhantomData;

unary! {
    /// Computes the sine of angles in radians.
    example(tensor![0.0, 1.0] => f64 near [0.0, 0.8415])
    SIN: sin, sin_into = Field by circular::<Sin>
}

unary! {
    /// Computes the cosine of angles in radians.
    example(tensor![0.0, 1.0] => f64 near [1.0, 0.5403])
    COS: cos, cos_into = Field by circular::<Cos>
}

unary! {
    /// Computes the tangent of angles in radians.
    example(tensor![0.0, 1.0] => f64 near [0.0, 1.5574])
    TAN: tan, tan_into = Field by circular::<Tan>
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

/// Returns `sin(x) / x`.
#[inline(always)]
fn sinc<T: Float>(x: T) -> T {
    if x == T::ZERO { T::ONE } else { x.sin().over(x) }
}

/// A function of angles with a fast path for those that are not too large: the others need more digits of π.
trait CircularFunction {
    /// Returns the value for an angle in the fast range, without branches.
    fn fast<T: Field>(x: T) -> T;

    /// Returns the value for any angle.
    fn any<T: Field>(x: T) -> T;
}

struct Sin;
struct Cos;
struct Tan;

impl CircularFunction for Sin {
    #[inline(always)]
    fn fast<T: Field>(x: T) -> T {
        x.sin_fast()
    }

    #[inline(always)]
    fn any<T: Field>(x: T) -> T {
        x.sin()
    }
}

impl CircularFunction for Cos {
    #[inline(always)]
    fn fast<T: Field>(x: T) -> T {
        x.cos_fast()
    }

    #[inline(always)]
    fn any<T: Field>(x: T) -> T {
        x.cos()
    }
}

impl CircularFunction for Tan {
    #[inline(always)]
    fn fast<T: Field>(x: T) -> T {
        x.tan_fast()
    }

    #[inline(always)]
    fn any<T: Field>(x: T) -> T {
        x.tan()
    }
}

/// Returns the body of a circular function for a dtype.
fn circular<F: CircularFunction>(dtype: DType) -> Option<Body<'static, 2>> {
    struct CircularTask<F>(PhantomData<F>);

    impl<F: CircularFunction> FieldTask for CircularTask<F> {
        type Output = Body<'static, 2>;

        fn run<E: Element<Wide: Field>>(self) -> Body<'static, 2> {
            Body::unary_with_fast_path(
                |x: E| x.widen().in_fast_range(),
                |x: E| E::narrow(F::fast(x.widen())),
                |x: E| E::narrow(F::any(x.widen())),
            )
        }
    }

    dtype.with_field(CircularTask::<F>(PhantomData))
}
