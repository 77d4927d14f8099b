//! Trigonometric functions and conversions of angles.

use crate::dtype::{BaselineFma, ComplexFunction, Float, FloatTask, MulAdd, complex_functions};
use crate::kernel::body::Body;
use crate::kernel::function::FastPathFunction;
use crate::{DType, Element};
use std::f64::consts::PI;

unary! {
    /// Computes the sine of angles in radians.
    example(tensor![0.0, 1.0] => f64 near [0.0, 0.8415])
    SIN: sin, sin_into = Field by |dtype: DType| circular_body::<complex_functions::Sin, _>(dtype, Sin)
}

unary! {
    /// Computes the cosine of angles in radians.
    example(tensor![0.0, 1.0] => f64 near [1.0, 0.5403])
    COS: cos, cos_into = Field by |dtype: DType| circular_body::<complex_functions::Cos, _>(dtype, Cos)
}

unary! {
    /// Computes the tangent of angles in radians.
    example(tensor![0.0, 1.0] => f64 near [0.0, 1.5574])
    TAN: tan, tan_into = Field by |dtype: DType| circular_body::<complex_functions::Tan, _>(dtype, Tan)
}

unary! {
    /// Computes the inverse sine, an angle from -π/2 to π/2; NaN for real numbers outside [-1, 1].
    example(tensor![0.0, 1.0] => f64 near [0.0, 1.5708])
    ASIN: asin, asin_into = Field fused |x| x.asin::<M>()
}

unary! {
    /// Computes the inverse cosine, an angle from 0 to π; NaN for real numbers outside [-1, 1].
    example(tensor![1.0, 0.0] => f64 near [0.0, 1.5708])
    ACOS: acos, acos_into = Field fused |x| x.acos::<M>()
}

unary! {
    /// Computes the inverse tangent, an angle from -π/2 to π/2.
    example(tensor![0.0, 1.0] => f64 near [0.0, 0.7854])
    ATAN: atan, atan_into = Field fused |x| x.atan::<M>()
}

binary! {
    /// Computes the angle of the point `(other, self)`, from -π to π: the inverse tangent of `self / other` in the right
    /// quadrant.
    example(tensor![0.0, 0.0], &tensor![1.0, -1.0] => f64 [0.0, std::f64::consts::PI])
    ATAN2: atan2, atan2_into = Float fused |x, y| x.atan2::<M>(y)
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
    if x == T::ZERO { T::ONE } else { x.sin::<BaselineFma>().over(x) }
}

/// Defines a function of angles with a fast path for those that are not too large: the others need more digits of π.
macro_rules! circular {
    ($name:ident: $fast:ident, $any:ident) => {
        struct $name;

        impl<T: Float> FastPathFunction<T> for $name {
            #[inline(always)]
            fn in_fast_range(x: T) -> bool {
                x.in_fast_range()
            }

            #[inline(always)]
            fn fast<M: MulAdd>(x: T) -> T {
                x.$fast::<M>()
            }

            #[inline(always)]
            fn slow(x: T) -> T {
                x.$any::<BaselineFma>()
            }
        }

        impl FloatTask for $name {
            type Output = Body<'static, 2>;

            fn run<E: Element<Wide: Float>>(self) -> Body<'static, 2> {
                Body::unary_with_fast_path::<E, $name>()
            }
        }
    };
}

/// Returns the body of a function of angles, `F` for complex numbers.
fn circular_body<F, K>(dtype: DType, real: K) -> Option<Body<'static, 2>>
where
    F: ComplexFunction,
    K: FloatTask<Output = Body<'static, 2>>,
{
    match dtype.is_complex() {
        true => Body::complex_with_fast_path::<F>(dtype),
        false => dtype.with_float(real),
    }
}

circular!(Sin: sin_fast, sin);
circular!(Cos: cos_fast, cos);
circular!(Tan: tan_fast, tan);
