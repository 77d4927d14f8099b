//! Arithmetic: addition, subtraction, multiplication, division and remainders.

use super::sign::HALF_SIGN;
use crate::kernel::body::Body;
use crate::kernel::cast::cast;
use crate::kernel::division::division;
use crate::{DType, bf16, f16};

binary! {
    /// Computes the elementwise sum; integers wrap around, and the sum of bools is their logical or.
    example(tensor![1, 2, 3], &tensor![10, 20, 30] => i32 [11, 22, 33])
    ADD: add, add_into, add_assign = Any by |dtype| match dtype.is_bool() {
        true => (body!(Bits vectors |x, y| x.or(y)))(dtype),
        false => (body!(Number vectors |x, y| x.plus(y)))(dtype),
    }
}

binary! {
    /// Computes the elementwise difference; integers wrap around.
    example(tensor![10, 20, 30], &tensor![1, 2, 3] => i32 [9, 18, 27])
    SUB: sub, sub_into, sub_assign = Number vectors |x, y| x.minus(y)
}

binary! {
    /// Computes the elementwise product; integers wrap around, and the product of bools is their logical and.
    example(tensor![1.5, 2.0], 2 => f64 [3.0, 4.0])
    MUL: mul, mul_into, mul_assign = Any by |dtype| match dtype.is_bool() {
        true => (body!(Bits vectors |x, y| x.and(y)))(dtype),
        false => (body!(Number vectors |x, y| x.times(y)))(dtype),
    }
}

binary! {
    /// Computes the elementwise quotient as a floating-point number.
    ///
    /// Division by zero gives an infinity or NaN.
    example(tensor![1.0, 2.0, 0.0], &tensor![2.0, 0.0, 1.0] => f64 [0.5, f64::INFINITY, 0.0])
    DIV: div, div_into, div_assign = Field wide_vectors |x, y| x.over(y)
}

binary! {
    /// Computes the elementwise quotient rounded down.
    ///
    /// An integer divided by zero is 0, as in NumPy; a float an infinity or NaN. For infinite operands it is the
    /// rounded quotient, as the Array API requires (-0 for -1 by infinity), and not NumPy's NaN or -1.
    example(tensor![7, -7, 7], &tensor![2, 2, 0] => i32 [3, -4, 0])
    FLOOR_DIVIDE: floor_divide, floor_divide_into, floor_divide_assign =
        Real by |dtype| division::<false>(dtype)
            .or_else(|| (body!(Real calls |x, y| x.floor_divide(y)))(dtype))
}

binary! {
    /// Computes the remainder of [`Tensor::floor_divide`](crate::Tensor::floor_divide), which has the sign of the
    /// divisor, as `%` in Python.
    ///
    /// The remainder of an integer division by zero is 0, as in NumPy; for floats it is NaN.
    example(tensor![7, -7, 7], &tensor![3, 3, -3] => i32 [1, 2, -2])
    REMAINDER: remainder, remainder_into, remainder_assign =
        Real by |dtype| division::<true>(dtype)
            .or_else(|| (body!(Real calls |x, y| x.remainder(y)))(dtype))
}

binary! {
    /// Computes the remainder of the division truncated towards zero, which has the sign of the dividend, as `%` in
    /// Rust and C.
    example(tensor![7, -7, 7], &tensor![3, 3, -3] => i32 [1, -1, 1])
    FMOD: fmod, fmod_into, fmod_assign = Real calls |x, y| x.fmod(y)
}

unary! {
    /// Negates every element; integers wrap around.
    example(tensor![1, -2] => i32 [-1, 2])
    NEGATIVE: negative, negative_into = Number by negative_body
}

fn negative_body(dtype: DType) -> Option<Body<'static, 2>> {
    match dtype {
        DType::Float16 => Some(Body::unary(|x: f16| f16::from_bits(x.to_bits() ^ HALF_SIGN))),
        DType::BFloat16 => Some(Body::unary(|x: bf16| bf16::from_bits(x.to_bits() ^ HALF_SIGN))),
        other => body!(Number vectors |x| x.negative())(other),
    }
}

unary! {
    /// Returns a copy with unchanged values: unary plus.
    example(tensor![1, -2] => i32 [1, -2])
    POSITIVE: positive, positive_into =
        Number by |dtype| (!dtype.is_bool()).then(|| cast(dtype, dtype))
}
