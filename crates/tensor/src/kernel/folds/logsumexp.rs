//! The logarithm of a sum of exponentials.
//!
//! The greatest element of a block is subtracted first, so that nothing overflows; blocks are joined by
//! theirs. Exponentials are calculated in the type of the elements, and all the rest in `f64`.

use crate::dtype::{Comparable, Field, Float, FloatTask, MulAdd, Number};
use crate::kernel::fold::{Setting, Twice};
use crate::kernel::reducer::Reducer;
use crate::{DType, Element};
use std::marker::PhantomData;

/// `float64` for integers, the type itself for floats.
pub(crate) fn logsumexp(dtype: DType) -> Option<Reducer> {
    match dtype {
        _ if dtype.is_complex() => None,
        _ if dtype.is_floating() => dtype.with_float(Floats),
        _ => DType::Float64.with_float(Floats),
    }
}

struct Floats;

impl FloatTask for Floats {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>>(self) -> Reducer {
        Reducer::twice::<LogSumExp<T>>()
    }
}

struct LogSumExp<T>(PhantomData<T>);

/// What was subtracted, and the sum of the exponentials of the rest.
type Share = (f64, f64);

impl<T: Element<Wide: Float>> Twice for LogSumExp<T> {
    type In = T;
    type Base = f64;
    type Sum = f64;
    type Total = Share;
    type Out = T;

    const BASE: f64 = f64::NEG_INFINITY;
    const SUM: f64 = 0.0;
    const TOTAL: Share = (0.0, 0.0);

    #[inline(always)]
    fn look(top: f64, x: T, _: Setting) -> f64 {
        top.greater(x.widen().double())
    }

    #[inline(always)]
    fn join(a: f64, b: f64, _: Setting) -> f64 {
        a.greater(b)
    }

    /// From an infinity nothing can be subtracted, and nothing need be: its exponential is 0 or all
    /// there is.
    #[inline(always)]
    fn base(top: f64, _: usize, _: Setting) -> f64 {
        if top.is_finite() { top } else { 0.0 }
    }

    #[inline(always)]
    fn step<M: MulAdd>(sum: f64, x: T, top: f64, _: Setting) -> f64 {
        // The greatest element has no more digits than the others.
        sum + x.widen().minus(T::Wide::of(top)).exp::<M>().double()
    }

    #[inline(always)]
    fn plus(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn total(top: f64, sum: f64) -> Share {
        (top, sum)
    }

    fn merge(a: Share, b: Share, _: Setting) -> Share {
        if a.1 == 0.0 || b.1 == 0.0 {
            return if a.1 == 0.0 { b } else { a };
        }
        if !a.1.is_finite() || !b.1.is_finite() {
            return (0.0, a.1 + b.1);
        }
        let top = a.0.max(b.0);
        (top, a.1 * (a.0 - top).exp() + b.1 * (b.0 - top).exp())
    }

    fn finish((top, sum): Share, _: Setting) -> T {
        T::from_f64(top + sum.ln())
    }
}
