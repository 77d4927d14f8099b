//! Whole numbers near others. Integers stay as they are.

use crate::DType;
use crate::kernel::body::Body;
use crate::kernel::cast::cast;

unary! {
    /// The greatest whole number that is not above each element. Integers stay as they are.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.5, -1.5].floor()?.to_vec::<f64>()?, [1.0, -2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    FLOOR: floor, floor_into =
        Real by |dtype| whole(dtype, body!(Float vectors |x| x.floor()))
}

unary! {
    /// The least whole number that is not below each element. Integers stay as they are.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.5, -1.5].ceil()?.to_vec::<f64>()?, [2.0, -1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    CEIL: ceil, ceil_into =
        Real by |dtype| whole(dtype, body!(Float vectors |x| x.ceil()))
}

unary! {
    /// Each element without its fraction. Integers stay as they are.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.5, -1.5].trunc()?.to_vec::<f64>()?, [1.0, -1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    TRUNC: trunc, trunc_into =
        Real by |dtype| whole(dtype, body!(Float vectors |x| x.trunc()))
}

unary! {
    /// The nearest whole number, the even one of two; of complex numbers, part by part. Integers stay
    /// as they are.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.5, 1.5, -2.7].round()?.to_vec::<f64>()?, [0.0, 2.0, -3.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ROUND: round, round_into =
        Number by |dtype| whole(dtype, body!(Field vectors |x| x.round()))
}

/// Integers as they are, and a body for everything else.
fn whole(
    dtype: DType,
    otherwise: fn(DType) -> Option<Body<'static, 2>>,
) -> Option<Body<'static, 2>> {
    if dtype.is_integer() { Some(cast(dtype, dtype)) } else { otherwise(dtype) }
}
