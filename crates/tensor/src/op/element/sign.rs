//! Absolute values, signs, and neighbouring floating-point numbers.

use crate::dtype::Float;
use crate::kernel::body::Body;
use crate::{Complex, DType, bf16, f16};

unary! {
    /// Computes the absolute value; for complex numbers, the modulus.
    ///
    /// The least signed integer has no absolute value in its dtype and stays unchanged.
    example(tensor![-3, 4] => i32 [3, 4])
    ABS: abs, abs_into = Number by abs_body
}

unary! {
    /// Returns the sign, -1, 0 or 1; for complex numbers, `x / |x|`. NaN stays NaN.
    example(tensor![-3.5, 0.0, 2.0] => f64 [-1.0, 0.0, 1.0])
    SIGN: sign, sign_into = Number vectors |x| x.sign()
}

binary! {
    /// Returns the elements with the sign of `other`, which may be a signed zero.
    example(tensor![1.0, -2.0], -0.0 => f64 [-1.0, -2.0])
    COPYSIGN: copysign, copysign_into = Float vectors |x, y| x.copysign(y)
}

binary! {
    /// Returns the next representable number towards `other`; `other` if the two are equal.
    example(tensor![1.0], 2 => f64 [1.0 + f64::EPSILON])
    NEXTAFTER: nextafter, nextafter_into = Float by next_body
}

binary! {
    /// Computes the Heaviside step function: 0 for negative elements, 1 for positive ones, and `other` at zero. NaN
    /// stays NaN.
    example(tensor![-1.5, 0.0, 2.0], 0.5 => f64 [0.0, 0.5, 1.0])
    HEAVISIDE: heaviside, heaviside_into = Float vectors |x, y| step(x, y)
}

/// Returns the body of `abs`, whose result is real for complex elements.
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

/// Returns the body of `nextafter`, which works on the bits of each dtype: a wider type has other neighbours.
fn next_body(dtype: DType) -> Option<Body<'static, 3>> {
    /// The body for one type, by its bits.
    macro_rules! next {
        ($type:ty) => {
            Body::binary(|x: $type, y: $type| match (x < y, x > y) {
                // From zero to the smallest subnormal number.
                (true, _) | (_, true) if x.to_bits() << 1 == 0 => {
                    let sign = y.to_bits() >> (8 * size_of::<$type>() - 1);
                    <$type>::from_bits(sign << (8 * size_of::<$type>() - 1) | 1)
                }
                (false, false) if x == y => y,
                (false, false) => <$type>::NAN,
                // Away from zero the bits increase, for both signs.
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
