//! Several steps in one pass over the elements.

use crate::dtype::Float;

several! {
    /// `x · factor + summand`; rounded once for real numbers.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].mul_add(10, 3)?.to_vec::<i32>()?, [13, 23]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    MUL_ADD: mul_add, mul_add_into =
        Number vectors |x, factor, summand| x.times_plus(factor, summand)
}

several! {
    /// The point between this and `end` that is `weight` of the way from here: exactly this for 0,
    /// and exactly `end` for 1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0, 10.0].lerp(20, 0.25)?.to_vec::<f64>()?, [5.0, 12.5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LERP: lerp, lerp_into = Float vectors |x, end, weight| between(x, end, weight)
}

#[inline(always)]
fn between<T: Float>(start: T, end: T, weight: T) -> T {
    let way = end.minus(start);
    match weight < T::of(0.5) {
        true => start.plus(weight.times(way)),
        false => end.minus(way.times(T::ONE.minus(weight))),
    }
}

several! {
    /// `x + value · a · b`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].addcmul(&tensor![3, 4], 10, 2)?.to_vec::<i32>()?, [61, 82]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ADDCMUL: addcmul, addcmul_into =
        Number vectors |x, a, b, value| x.plus(value.times(a).times(b))
}

several! {
    /// `x + value · a / b`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0].addcdiv(3, 4, 2)?.to_vec::<f64>()?, [2.5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ADDCDIV: addcdiv, addcdiv_into =
        Field vectors |x, a, b, value| x.plus(value.times(a).over(b))
}
