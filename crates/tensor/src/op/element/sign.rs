//! Signs and sizes.

use crate::dtype::Float;
use crate::kernel::body::Body;
use crate::{Complex, DType, bf16, f16};

unary! {
    /// The distance from zero, element by element; that of complex numbers is real. The least signed
    /// integer has none, and stays as it is.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![-3, 4].abs()?.to_vec::<i32>()?, [3, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ABS: abs, abs_into = Number by abs_body
}

unary! {
    /// The sign: -1, 0 or 1, or a NaN; of complex numbers the direction, `x / |x|`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![-3.5, 0.0, 2.0].sign()?.to_vec::<f64>()?, [-1.0, 0.0, 1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    SIGN: sign, sign_into = Number vectors |x| x.sign()
}

binary! {
    /// Each element with the sign of the other, which may be a zero.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0, -2.0].copysign(-0.0)?.to_vec::<f64>()?, [-1.0, -2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    COPYSIGN: copysign, copysign_into = Float vectors |x, y| x.copysign(y)
}

binary! {
    /// The next number of the type in the direction of the other; if they are equal, the other.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0].nextafter(2)?.to_vec::<f64>()?, [1.0 + f64::EPSILON]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    NEXTAFTER: nextafter, nextafter_into = Float by next_body
}

binary! {
    /// 0 below zero, 1 above it, and at zero the other; a NaN stays one.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![-1.5, 0.0, 2.0].heaviside(0.5)?.to_vec::<f64>()?, [0.0, 0.5, 1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    HEAVISIDE: heaviside, heaviside_into = Float vectors |x, y| step(x, y)
}

/// The magnitude of a complex number is real, so it has bodies of its own.
fn abs_body(dtype: DType) -> Option<Body<'static, 2>> {
    match dtype {
        DType::Bool => None,
        DType::Complex64 => Some(Body::unary_calls(|x: Complex<f32>| x.norm())),
        DType::Complex128 => Some(Body::unary_calls(|x: Complex<f64>| x.norm())),
        real => body!(Ordered vectors |x| x.magnitude())(real),
    }
}

#[inline(always)]
fn step<T: Float>(x: T, at_zero: T) -> T {
    match (x < T::ZERO, x > T::ZERO) {
        (true, _) => T::ZERO,
        (_, true) => T::ONE,
        _ if x == T::ZERO => at_zero,
        _ => x,
    }
}

/// What is next depends on the digits that a type has, so nothing is calculated in another one.
fn next_body(dtype: DType) -> Option<Body<'static, 3>> {
    /// The body for one type, by its bits.
    macro_rules! next {
        ($type:ty) => {
            Body::binary(|x: $type, y: $type| match (x < y, x > y) {
                // From zero to the smallest number that there is.
                (true, _) | (_, true) if x.to_bits() << 1 == 0 => {
                    let sign = y.to_bits() >> (8 * size_of::<$type>() - 1);
                    <$type>::from_bits(sign << (8 * size_of::<$type>() - 1) | 1)
                }
                (false, false) if x == y => y,
                (false, false) => <$type>::NAN,
                // Away from zero the bits count up, whatever the sign.
                (is_less, _) if is_less == x.is_sign_positive() => {
                    <$type>::from_bits(x.to_bits() + 1)
                }
                _ => <$type>::from_bits(x.to_bits() - 1),
            })
        };
    }

    Some(match dtype {
        DType::Float16 => next!(f16),
        DType::BFloat16 => next!(bf16),
        DType::Float32 => next!(f32),
        DType::Float64 => next!(f64),
        _ => return None,
    })
}
