//! Rounding to integers: `floor`, `ceil`, `trunc` and `round`.

use crate::DType;
use crate::kernel::body::Body;
use crate::kernel::cast::cast;

unary! {
    /// Rounds towards negative infinity; integers stay unchanged.
    example(tensor![1.5, -1.5] => f64 [1.0, -2.0])
    FLOOR: floor, floor_into =
        Real by |dtype| integers_unchanged(dtype, body!(Float vectors |x| x.floor()))
}

unary! {
    /// Rounds towards positive infinity; integers stay unchanged.
    example(tensor![1.5, -1.5] => f64 [2.0, -1.0])
    CEIL: ceil, ceil_into =
        Real by |dtype| integers_unchanged(dtype, body!(Float vectors |x| x.ceil()))
}

unary! {
    /// Rounds towards zero; integers stay unchanged.
    example(tensor![1.5, -1.5] => f64 [1.0, -1.0])
    TRUNC: trunc, trunc_into =
        Real by |dtype| integers_unchanged(dtype, body!(Float vectors |x| x.trunc()))
}

unary! {
    /// Rounds to the nearest integer, halfway cases to even; of complex numbers both parts. Integers stay unchanged.
    example(tensor![0.5, 1.5, -2.7] => f64 [0.0, 2.0, -3.0])
    ROUND: round, round_into =
        Number by |dtype| integers_unchanged(dtype, body!(Field vectors |x| x.round()))
}

/// Returns a body that copies integers, and `otherwise` for the other dtypes.
fn integers_unchanged(
    dtype: DType,
    otherwise: fn(DType) -> Option<Body<'static, 2>>,
) -> Option<Body<'static, 2>> {
    if dtype.is_integer() { Some(cast(dtype, dtype)) } else { otherwise(dtype) }
}
