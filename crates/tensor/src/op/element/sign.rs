//! Absolute values, signs, and neighbouring floating-point numbers.

use crate::dtype::{Float, MulAdd, double};
use crate::kernel::body::Body;
use crate::kernel::complex_loop::complex_sign;
use crate::kernel::function::UnaryFunction;
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
    SIGN: sign, sign_into = Number by sign_body
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
    HEAVISIDE: heaviside, heaviside_into = Float vectors |x, y| heaviside(x, y)
}

/// The absolute value of a complex number.
struct Modulus;

impl UnaryFunction<Complex<f64>, f64> for Modulus {
    #[inline(always)]
    fn call<M: MulAdd>(x: Complex<f64>) -> f64 {
        double::modulus::<M>(x.re, x.im)
    }
}

/// The sign bit of half-precision floats.
pub(super) const HALF_SIGN: u16 = 1 << 15;

impl UnaryFunction<Complex<f32>, f32> for Modulus {
    #[inline(always)]
    fn call<M: MulAdd>(x: Complex<f32>) -> f32 {
        Float::hypot::<M>(x.re, x.im)
    }
}

/// Returns the body of `abs`, whose result is real for complex elements.
fn abs_body(dtype: DType) -> Option<Body<'static, 2>> {
    match dtype {
        DType::Bool => None,
        // The bits: a conversion to `f32` and back takes eight times as long.
        DType::Float16 => Some(Body::unary(|x: f16| f16::from_bits(x.to_bits() & !HALF_SIGN))),
        DType::BFloat16 => Some(Body::unary(|x: bf16| bf16::from_bits(x.to_bits() & !HALF_SIGN))),
        DType::Complex64 => Some(Body::unary_fused_to::<Complex<f32>, f32, Modulus>()),
        DType::Complex128 => Some(Body::unary_fused_to::<Complex<f64>, f64, Modulus>()),
        real => body!(Ordered vectors |x| x.magnitude())(real),
    }
}

fn sign_body(dtype: DType) -> Option<Body<'static, 2>> {
    match dtype {
        DType::Complex64 => Some(complex_sign()),
        other => body!(Number vectors |x| x.sign())(other),
    }
}

#[inline(always)]
fn heaviside<T: Float>(x: T, at_zero: T) -> T {
    match (x < T::ZERO, x > T::ZERO) {
        (true, _) => T::ZERO,
        (_, true) => T::ONE,
        _ if x == T::ZERO => at_zero,
        _ => x,
    }
}

/// Computes in the dtype itself: the next number depends on its digits.
fn next_body(dtype: DType) -> Option<Body<'static, 3>> {
    Some(match dtype {
        DType::Float16 => Body::binary(|x: f16, y: f16| {
            let next = |is_up| f16::from_bits(next_half(x.to_bits(), is_up));
            next_towards(x, y, f16::NAN, next)
        }),
        DType::BFloat16 => Body::binary(|x: bf16, y: bf16| {
            let next = |is_up| bf16::from_bits(next_half(x.to_bits(), is_up));
            next_towards(x, y, bf16::NAN, next)
        }),
        DType::Float32 => Body::binary(|x: f32, y: f32| {
            next_towards(x, y, f32::NAN, |is_up| if is_up { x.next_up() } else { x.next_down() })
        }),
        DType::Float64 => Body::binary(|x: f64, y: f64| {
            next_towards(x, y, f64::NAN, |is_up| if is_up { x.next_up() } else { x.next_down() })
        }),
        _ => return None,
    })
}

/// Returns the number next to `x` in the direction of `y`, given the next one upwards and downwards.
#[inline(always)]
fn next_towards<T: PartialOrd>(x: T, y: T, nan: T, next: impl Fn(bool) -> T) -> T {
    match (x < y, x > y) {
        (false, false) if x == y => y,
        (false, false) => nan,
        (is_up, _) => next(is_up),
    }
}

/// Returns the bits of the number next to a half-precision one that is not NaN, given its bits.
#[inline(always)]
fn next_half(bits: u16, is_up: bool) -> u16 {
    match bits & !HALF_SIGN == 0 {
        // From zero to the smallest subnormal number.
        true => u16::from(!is_up) << 15 | 1,
        // Away from zero the bits count up, whatever the sign.
        false if is_up == (bits & HALF_SIGN == 0) => bits + 1,
        false => bits - 1,
    }
}
