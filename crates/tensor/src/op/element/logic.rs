//! Logical operations and tests of elements, whose results are `bool`.

binary! {
    /// Computes the logical AND; nonzero elements count as true.
    example(tensor![false, false, true], &tensor![false, true, true] => bool [false, false, true])
    LOGICAL_AND: logical_and, logical_and_into =
        Any vectors |x, y| -> bool x.is_true() & y.is_true()
}

binary! {
    /// Computes the logical OR; nonzero elements count as true.
    example(tensor![false, false, true], &tensor![false, true, true] => bool [false, true, true])
    LOGICAL_OR: logical_or, logical_or_into = Any vectors |x, y| -> bool x.is_true() | y.is_true()
}

binary! {
    /// Computes the logical XOR; nonzero elements count as true.
    example(tensor![false, false, true], &tensor![false, true, true] => bool [false, true, false])
    LOGICAL_XOR: logical_xor, logical_xor_into =
        Any vectors |x, y| -> bool x.is_true() ^ y.is_true()
}

unary! {
    /// Computes the logical NOT; nonzero elements count as true.
    example(tensor![0, 3] => bool [true, false])
    LOGICAL_NOT: logical_not, logical_not_into = Any vectors |x| -> bool !x.is_true()
}

unary! {
    /// Tests whether each element, or a part of a complex element, is NaN.
    example(tensor![f64::NAN, 1.0] => bool [true, false])
    ISNAN: isnan, isnan_into = Any vectors |x| -> bool x.is_nan()
}

unary! {
    /// Tests whether each element, or a part of a complex element, is infinite.
    example(tensor![f64::NEG_INFINITY, 1.0] => bool [true, false])
    ISINF: isinf, isinf_into = Any vectors |x| -> bool x.is_infinite()
}

unary! {
    /// Tests whether each element is neither infinite nor NaN; of a complex element, both parts.
    example(tensor![f64::NAN, 1.0] => bool [false, true])
    ISFINITE: isfinite, isfinite_into = Any vectors |x| -> bool x.is_finite()
}

unary! {
    /// Tests whether the sign bit of each element is set, as it is for -0.0.
    example(tensor![-0.0, 1.0] => bool [true, false])
    SIGNBIT: signbit, signbit_into = Float vectors |x| -> bool x.has_minus()
}
