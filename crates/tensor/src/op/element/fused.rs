//! Fused operations on three or four operands: several arithmetic steps in one pass.

use crate::dtype::Float;

several! {
    /// Computes the fused multiply-add `x · factor + summand`, rounded once for real numbers.
    example(tensor![1, 2], 10, 3 => i32 [13, 23])
    MUL_ADD: mul_add, mul_add_into =
        Number vectors |x, factor, summand| x.times_plus(factor, summand)
}

several! {
    /// Interpolates linearly: `x + weight · (end - x)`.
    ///
    /// The result is exactly `x` for a weight of 0, and exactly `end` for 1.
    example(tensor![0.0, 10.0], 20, 0.25 => f64 [5.0, 12.5])
    LERP: lerp, lerp_into = Float vectors |x, end, weight| interpolate(x, end, weight)
}

#[inline(always)]
fn interpolate<T: Float>(start: T, end: T, weight: T) -> T {
    let way = end.minus(start);
    match weight < T::of(0.5) {
        true => start.plus(weight.times(way)),
        false => end.minus(way.times(T::ONE.minus(weight))),
    }
}

several! {
    /// Computes `x + value · a · b` in one pass.
    example(tensor![1, 2], &tensor![3, 4], 10, 2 => i32 [61, 82])
    ADDCMUL: addcmul, addcmul_into =
        Number vectors |x, a, b, value| x.plus(value.times(a).times(b))
}

several! {
    /// Computes `x + value · a / b` in one pass.
    example(tensor![1.0, 2.0], 3, 4, 2 => f64 [2.5, 3.5])
    ADDCDIV: addcdiv, addcdiv_into =
        Field vectors |x, a, b, value| x.plus(value.times(a).over(b))
}
