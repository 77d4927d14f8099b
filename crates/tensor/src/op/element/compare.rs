//! Comparisons, whose results are `bool`.

use crate::DType;
use crate::kernel::body::Body;

binary! {
    /// Tests elementwise whether `self < other`; false if either is NaN.
    example(tensor![1, 2, 3], 2 => bool [true, false, false])
    LESS: less, less_into = comparison Ordered |x, y| x < y
}

binary! {
    /// Tests elementwise whether `self <= other`; false if either is NaN.
    example(tensor![1, 2, 3], 2 => bool [true, true, false])
    LESS_EQUAL: less_equal, less_equal_into = comparison Ordered |x, y| x <= y
}

binary! {
    /// Tests elementwise whether `self > other`; false if either is NaN.
    example(tensor![1, 2, 3], 2 => bool [false, false, true])
    GREATER: greater, greater_into = comparison Ordered |x, y| x > y
}

binary! {
    /// Tests elementwise whether `self >= other`; false if either is NaN.
    example(tensor![1, 2, 3], 2 => bool [false, true, true])
    GREATER_EQUAL: greater_equal, greater_equal_into = comparison Ordered |x, y| x >= y
}

binary! {
    /// Tests elementwise whether `self == other`; false if either is NaN.
    example(tensor![1, 2, 3], 2 => bool [false, true, false])
    EQUAL: equal, equal_into = comparison Any |x, y| x == y
}

binary! {
    /// Tests elementwise whether `self != other`; true if either is NaN.
    example(tensor![1, 2, 3], 2 => bool [true, false, true])
    NOT_EQUAL: not_equal, not_equal_into = comparison Any |x, y| x != y
}

/// Returns the body for a signed integer dtype and `uint64`, in either order; `None` for other dtypes.
fn mixed_integer_body(
    types: &[DType; 2],
    unsigned_second: fn() -> Body<'static, 3>,
    unsigned_first: fn() -> Body<'static, 3>,
) -> Option<Body<'static, 3>> {
    let is_signed = |dtype: DType| dtype.is_integer() && !dtype.is_unsigned();
    match types {
        [x, DType::UInt64] if is_signed(*x) => Some(unsigned_second()),
        [DType::UInt64, y] if is_signed(*y) => Some(unsigned_first()),
        _ => None,
    }
}
