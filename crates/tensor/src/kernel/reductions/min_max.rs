//! Minimum and maximum.

use super::any_all;
use crate::dtype::{Comparable, Float, OrderedTask, WideFloatTask};
use crate::kernel::reducer::Reducer;
use crate::kernel::reduction::{OnePassReduction, Setting};
use crate::{DType, Element};
use std::marker::PhantomData;

/// Returns the reducer for `min`: a NaN if there is one. That of booleans is `all`.
pub(crate) fn min(dtype: DType) -> Option<Reducer> {
    match dtype {
        DType::Bool => any_all::all(dtype),
        _ => dtype.with_ordered(MinMaxTask::<false>),
    }
}

/// Returns the reducer for `max`: a NaN if there is one. That of booleans is `any`.
pub(crate) fn max(dtype: DType) -> Option<Reducer> {
    match dtype {
        DType::Bool => any_all::any(dtype),
        _ => dtype.with_ordered(MinMaxTask::<true>),
    }
}

/// Returns the reducer for `nanmin`: the minimum of the elements that are not NaN; a NaN if all are.
pub(crate) fn nanmin(dtype: DType) -> Option<Reducer> {
    dtype.with_wide_float(NanMinMaxTask::<false>).or_else(|| min(dtype))
}

/// Returns the reducer for `nanmax`: the maximum of the elements that are not NaN; a NaN if all are.
pub(crate) fn nanmax(dtype: DType) -> Option<Reducer> {
    dtype.with_wide_float(NanMinMaxTask::<true>).or_else(|| max(dtype))
}

/// Makes the reducer for `min` or `max` of a dtype.
struct MinMaxTask<const MAX: bool>;

impl<const MAX: bool> OrderedTask for MinMaxTask<MAX> {
    type Output = Reducer;

    fn run<T: Element<Wide: Comparable>>(self) -> Reducer {
        Reducer::one_pass::<MinMax<T, MAX>>()
    }
}

/// The minimum or the maximum; a NaN if there is one.
struct MinMax<T, const MAX: bool>(PhantomData<T>);

impl<T: Element<Wide: Comparable>, const MAX: bool> OnePassReduction for MinMax<T, MAX> {
    type In = T;
    type Lane = T::Wide;
    type Total = T::Wide;
    type Out = T;

    const LANE: T::Wide = identity::<T::Wide>(MAX);
    const TOTAL: T::Wide = identity::<T::Wide>(MAX);

    #[inline(always)]
    fn step(lane: T::Wide, x: T) -> T::Wide {
        Self::join(lane, x.widen())
    }

    #[inline(always)]
    fn join(a: T::Wide, b: T::Wide) -> T::Wide {
        if MAX { a.greater(b) } else { a.smaller(b) }
    }

    #[inline(always)]
    fn add(total: T::Wide, lane: T::Wide) -> T::Wide {
        Self::join(total, lane)
    }

    fn merge(a: T::Wide, b: T::Wide) -> T::Wide {
        Self::join(a, b)
    }

    fn finish(total: T::Wide, _: usize, _: Setting) -> T {
        T::narrow(total)
    }
}

/// Returns the identity of the minimum or the maximum.
pub(super) const fn identity<W: Comparable>(is_max: bool) -> W {
    if is_max { W::LOWEST } else { W::HIGHEST }
}

/// Makes the reducer for `nanmin` or `nanmax` of a dtype.
struct NanMinMaxTask<const MAX: bool>;

impl<const MAX: bool> WideFloatTask for NanMinMaxTask<MAX> {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>, W: Element<Wide: Float>>(self) -> Reducer {
        Reducer::one_pass_in::<NanMinMax<T, MAX>, NanMinMax<W, MAX>>()
    }
}

/// The minimum or the maximum of the elements that are not NaN. It is computed in `f64`, which holds all values of the
/// other dtypes; the lane accumulator of no elements is a NaN.
struct NanMinMax<T, const MAX: bool>(PhantomData<T>);

impl<T: Element<Wide: Float>, const MAX: bool> OnePassReduction for NanMinMax<T, MAX> {
    type In = T;
    type Lane = f64;
    type Total = f64;
    type Out = T;

    const LANE: f64 = f64::NAN;
    const TOTAL: f64 = f64::NAN;

    #[inline(always)]
    fn step(lane: f64, x: T) -> f64 {
        Self::join(lane, x.widen().double())
    }

    #[inline(always)]
    fn join(a: f64, b: f64) -> f64 {
        let is_better = if MAX { b > a } else { b < a };
        if is_better || a.is_nan() { b } else { a }
    }

    #[inline(always)]
    fn add(total: f64, lane: f64) -> f64 {
        Self::join(total, lane)
    }

    fn merge(a: f64, b: f64) -> f64 {
        Self::join(a, b)
    }

    fn finish(total: f64, _: usize, _: Setting) -> T {
        T::from_f64(total)
    }
}
