//! `logsumexp`: the logarithm of a sum of exponentials.
//!
//! The maximum of a block is subtracted first, so that no exponential overflows; blocks are merged relative to the
//! greater of their maxima. Exponentials are computed in the dtype of the elements, and everything else in `f64`.

use crate::dtype::{Comparable, Field, Float, MulAdd, Number, WideFloatTask};
use crate::kernel::reducer::Reducer;
use crate::kernel::reduction::{Setting, TwoPassReduction};
use crate::{DType, Element};
use std::marker::PhantomData;

/// Returns the reducer for `logsumexp`: `float64` for integers, the dtype itself for floats.
pub(crate) fn logsumexp(dtype: DType) -> Option<Reducer> {
    match dtype {
        _ if dtype.is_complex() => None,
        _ if dtype.is_floating() => dtype.with_wide_float(LogSumExpTask),
        _ => DType::Float64.with_wide_float(LogSumExpTask),
    }
}

struct LogSumExpTask;

impl WideFloatTask for LogSumExpTask {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>, W: Element<Wide: Float>>(self) -> Reducer {
        Reducer::two_pass_in::<LogSumExp<T>, LogSumExp<W>>()
    }
}

/// `log(Σ exp(x))`.
struct LogSumExp<T>(PhantomData<T>);

/// The maximum that was subtracted, and the sum of the exponentials of the differences.
type ShiftedSum = (f64, f64);

impl<T: Element<Wide: Float>> TwoPassReduction for LogSumExp<T> {
    type In = T;
    type Base = f64;
    type Sum = f64;
    type Total = ShiftedSum;
    type Out = T;

    const BASE: f64 = f64::NEG_INFINITY;
    const SUM: f64 = 0.0;
    const TOTAL: ShiftedSum = (0.0, 0.0);

    #[inline(always)]
    fn step_base(max: f64, x: T, _: Setting) -> f64 {
        max.greater(x.widen().double())
    }

    #[inline(always)]
    fn join(a: f64, b: f64, _: Setting) -> f64 {
        a.greater(b)
    }

    /// An infinite maximum is not subtracted: the difference would be a NaN, and its exponential is 0 or infinite.
    #[inline(always)]
    fn finish_base(max: f64, _: usize, _: Setting) -> f64 {
        if max.is_finite() { max } else { 0.0 }
    }

    #[inline(always)]
    fn step<M: MulAdd>(sum: f64, x: T, max: f64, _: Setting) -> f64 {
        // The maximum is one of the elements, so the cast is exact.
        sum + x.widen().minus(T::Wide::of(max)).exp::<M>().double()
    }

    #[inline(always)]
    fn plus(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn total(max: f64, sum: f64) -> ShiftedSum {
        (max, sum)
    }

    fn merge(a: ShiftedSum, b: ShiftedSum, _: Setting) -> ShiftedSum {
        if a.1 == 0.0 || b.1 == 0.0 {
            return if a.1 == 0.0 { b } else { a };
        }
        if !a.1.is_finite() || !b.1.is_finite() {
            return (0.0, a.1 + b.1);
        }
        let max = a.0.max(b.0);
        (max, a.1 * (a.0 - max).exp() + b.1 * (b.0 - max).exp())
    }

    fn finish((max, sum): ShiftedSum, _: Setting) -> T {
        T::from_f64(max + sum.ln())
    }
}
