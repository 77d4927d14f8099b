//! Integers as bits, and what divides them.

use crate::DType;
use crate::kernel::body::Body;

binary! {
    /// The bits that both elements have; of `bool`, whether both are true.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![6, 5].bitwise_and(3)?.to_vec::<i32>()?, [2, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    BITWISE_AND: bitwise_and, bitwise_and_into, bitwise_and_assign = Bits vectors |x, y| x.and(y)
}

binary! {
    /// The bits that one of two elements has; of `bool`, whether one is true.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![6, 5].bitwise_or(3)?.to_vec::<i32>()?, [7, 7]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    BITWISE_OR: bitwise_or, bitwise_or_into, bitwise_or_assign = Bits vectors |x, y| x.or(y)
}

binary! {
    /// The bits that exactly one of two elements has; of `bool`, whether they differ.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![6, 5].bitwise_xor(3)?.to_vec::<i32>()?, [5, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    BITWISE_XOR: bitwise_xor, bitwise_xor_into, bitwise_xor_assign = Bits vectors |x, y| x.xor(y)
}

unary! {
    /// Every bit turned around; of `bool`, whether it is false.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0, 5].bitwise_invert()?.to_vec::<i32>()?, [-1, -6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    BITWISE_INVERT: bitwise_invert, bitwise_invert_into = Bits by invert_body
}

binary! {
    /// The bits shifted left by `other` places, with zeros below them. A count that is negative, or as
    /// large as there are bits, leaves zero.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![3, 3, 3].bitwise_left_shift(&tensor![1, 40, -1])?;
    /// assert_eq!(x.to_vec::<i32>()?, [6, 0, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    BITWISE_LEFT_SHIFT: bitwise_left_shift, bitwise_left_shift_into, bitwise_left_shift_assign =
        Integer vectors |x, y| x.shift_left(y)
}

binary! {
    /// The bits shifted right by `other` places, with copies of the sign bit above them. A count that is
    /// negative, or as large as there are bits, leaves only the sign: 0 or -1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![7, 7, -7].bitwise_right_shift(&tensor![1, 40, -1])?;
    /// assert_eq!(x.to_vec::<i32>()?, [3, 0, -1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    BITWISE_RIGHT_SHIFT: bitwise_right_shift, bitwise_right_shift_into, bitwise_right_shift_assign =
        Integer vectors |x, y| x.shift_right(y)
}

binary! {
    /// The greatest common divisor; 0 of two zeros.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![12, -9, 0].gcd(6)?.to_vec::<i32>()?, [6, 3, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    GCD: gcd, gcd_into = Integer calls |x, y| x.gcd(y)
}

binary! {
    /// The least common multiple; 0 if one of two is. It wraps around.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![12, -9, 0].lcm(6)?.to_vec::<i32>()?, [12, 18, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LCM: lcm, lcm_into = Integer calls |x, y| x.lcm(y)
}

/// Of a `bool` only the truth is turned around.
fn invert_body(dtype: DType) -> Option<Body<'static, 2>> {
    match dtype {
        DType::Bool => body!(Any vectors |x| -> bool !x.is_true())(dtype),
        integer => body!(Integer vectors |x| x.invert())(integer),
    }
}
