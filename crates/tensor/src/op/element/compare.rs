//! Comparison: results are `bool`.

use crate::DType;
use crate::kernel::body::Body;

binary! {
    /// Whether each element is less than the other; never if one of them is a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].less(2)?.to_vec::<bool>()?, [true, false, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LESS: less, less_into = comparison Ordered |x, y| x < y
}

binary! {
    /// Whether each element is at most the other; never if one of them is a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].less_equal(2)?.to_vec::<bool>()?, [true, true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LESS_EQUAL: less_equal, less_equal_into = comparison Ordered |x, y| x <= y
}

binary! {
    /// Whether each element is greater than the other; never if one of them is a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].greater(2)?.to_vec::<bool>()?, [false, false, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    GREATER: greater, greater_into = comparison Ordered |x, y| x > y
}

binary! {
    /// Whether each element is at least the other; never if one of them is a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].greater_equal(2)?.to_vec::<bool>()?, [false, true, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    GREATER_EQUAL: greater_equal, greater_equal_into = comparison Ordered |x, y| x >= y
}

binary! {
    /// Whether each element equals the other; a NaN equals nothing.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].equal(2)?.to_vec::<bool>()?, [false, true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    EQUAL: equal, equal_into = comparison Any |x, y| x == y
}

binary! {
    /// Whether each element differs from the other; a NaN differs from everything.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].not_equal(2)?.to_vec::<bool>()?, [true, false, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    NOT_EQUAL: not_equal, not_equal_into = comparison Any |x, y| x != y
}

/// A body for signed integers on one side and `uint64` on the other, if that is what there is.
fn integers_apart(
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
