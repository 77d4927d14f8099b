//! Angles and circles.

use crate::dtype::{Field, FieldTask, Float};
use crate::kernel::body::Body;
use crate::{DType, Element};
use std::f64::consts::PI;

/// The body of a circular function, for every type: for numbers that are not too large in a straight line,
/// and by calls for those that need many digits of π.
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
    /// The sine of an angle in radians.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].sin()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    SIN: sin, sin_into = Field by circular!(sin, sin_fast)
}

unary! {
    /// The cosine of an angle in radians.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].cos()?.to_vec::<f64>()?, [1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    COS: cos, cos_into = Field by circular!(cos, cos_fast)
}

unary! {
    /// The tangent of an angle in radians.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].tan()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    TAN: tan, tan_into = Field by circular!(tan, tan_fast)
}

unary! {
    /// The inverse sine: an angle from -π/2 to π/2; a NaN for real numbers beyond ±1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].asin()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ASIN: asin, asin_into = Field calls |x| x.asin()
}

unary! {
    /// The inverse cosine: an angle from 0 to π; a NaN for real numbers beyond ±1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0].acos()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ACOS: acos, acos_into = Field calls |x| x.acos()
}

unary! {
    /// The inverse tangent: an angle from -π/2 to π/2.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].atan()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ATAN: atan, atan_into = Field calls |x| x.atan()
}

binary! {
    /// The angle of the point whose height is this and whose width is the other: from -π to π.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let angles = tensor![0.0, 0.0].atan2(&tensor![1.0, -1.0])?;
    /// assert_eq!(angles.to_vec::<f64>()?, [0.0, std::f64::consts::PI]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ATAN2: atan2, atan2_into = Float calls |x, y| x.atan2(y)
}

unary! {
    /// Degrees as radians.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![180.0].deg2rad()?.to_vec::<f64>()?, [std::f64::consts::PI]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    DEG2RAD: deg2rad, deg2rad_into = Float vectors |x| x.times(T::of(PI / 180.0))
}

unary! {
    /// Radians as degrees.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![std::f64::consts::PI].rad2deg()?.to_vec::<f64>()?, [180.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    RAD2DEG: rad2deg, rad2deg_into = Float vectors |x| x.times(T::of(180.0 / PI))
}

unary! {
    /// `sin(πx) / πx`, which is 1 at zero.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0, 0.5].sinc()?.to_vec::<f64>()?, [1.0, std::f64::consts::FRAC_2_PI]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    SINC: sinc, sinc_into = Float calls |x| sinc(x.times(T::of(PI)))
}

/// `sin(x) / x`.
#[inline(always)]
fn sinc<T: Float>(x: T) -> T {
    if x == T::ZERO { T::ONE } else { x.sin().over(x) }
}
