//! Bitwise operations, and greatest common divisors.

use crate::DType;
use crate::kernel::body::Body;

binary! {
    /// Computes the bitwise AND; for `bool`, the logical AND.
    example(tensor![6, 5], 3 => i32 [2, 1])
    BITWISE_AND: bitwise_and, bitwise_and_into, bitwise_and_assign = Bits vectors |x, y| x.and(y)
}

binary! {
    /// Computes the bitwise OR; for `bool`, the logical OR.
    example(tensor![6, 5], 3 => i32 [7, 7])
    BITWISE_OR: bitwise_or, bitwise_or_into, bitwise_or_assign = Bits vectors |x, y| x.or(y)
}

binary! {
    /// Computes the bitwise XOR; for `bool`, the logical XOR.
    example(tensor![6, 5], 3 => i32 [5, 6])
    BITWISE_XOR: bitwise_xor, bitwise_xor_into, bitwise_xor_assign = Bits vectors |x, y| x.xor(y)
}

unary! {
    /// Computes the bitwise complement; for `bool`, the logical NOT.
    example(tensor![0, 5] => i32 [-1, -6])
    BITWISE_INVERT: bitwise_invert, bitwise_invert_into = Bits by invert_body
}

binary! {
    /// Shifts the bits left by `other`, filling with zeros.
    ///
    /// A shift that is negative, or not less than the number of bits of the dtype, gives 0.
    example(tensor![3, 3, 3], &tensor![1, 40, -1] => i32 [6, 0, 0])
    BITWISE_LEFT_SHIFT: bitwise_left_shift, bitwise_left_shift_into, bitwise_left_shift_assign =
        Integer vectors |x, y| x.shift_left(y)
}

binary! {
    /// Shifts the bits right by `other`, extending the sign.
    ///
    /// A shift that is negative, or not less than the number of bits of the dtype, leaves only the sign: 0 or -1.
    example(tensor![7, 7, -7], &tensor![1, 40, -1] => i32 [3, 0, -1])
    BITWISE_RIGHT_SHIFT: bitwise_right_shift, bitwise_right_shift_into, bitwise_right_shift_assign =
        Integer vectors |x, y| x.shift_right(y)
}

binary! {
    /// Computes the greatest common divisor; 0 for two zeros.
    example(tensor![12, -9, 0], 6 => i32 [6, 3, 6])
    GCD: gcd, gcd_into = Integer calls |x, y| x.gcd(y)
}

binary! {
    /// Computes the least common multiple, which wraps around; 0 if either element is 0.
    example(tensor![12, -9, 0], 6 => i32 [12, 18, 0])
    LCM: lcm, lcm_into = Integer calls |x, y| x.lcm(y)
}

/// Returns the body of `bitwise_invert`: the complement of all bits, but the logical NOT of a `bool`.
fn invert_body(dtype: DType) -> Option<Body<'static, 2>> {
    match dtype {
        DType::Bool => body!(Any vectors |x| -> bool !x.is_true())(dtype),
        integer => body!(Integer vectors |x| x.invert())(integer),
    }
}
