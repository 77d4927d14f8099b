//! Minimum and maximum.

use super::any_all;
use crate::dtype::{Comparable, Float, OrderedTask, Scalar, WideFloatTask};
use crate::kernel::raw_slice::RawSlice;
use crate::kernel::reducer::Reducer;
use crate::kernel::reduction::{OnePassReduction, Setting, join_lanes, moved_to_memory, step_each};
use crate::{DType, Element};
use std::hint::black_box;
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

    const RUNS_HAVE_AVX512: bool = true;
    const ROWS_HAVE_AVX512: bool = true;
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

    #[inline(always)]
    fn add_run(total: T::Wide, elements: RawSlice<'_, T>) -> T::Wide {
        Self::join(total, extremum::<T, MAX>(elements))
    }

    fn merge(a: T::Wide, b: T::Wide) -> T::Wide {
        Self::join(a, b)
    }

    fn finish(total: T::Wide, _: usize, _: Setting) -> T {
        T::narrow(total)
    }
}

/// Returns the minimum or the maximum of contiguous elements; the first NaN if there is one.
#[inline(always)]
pub(super) fn extremum<T: Element<Wide: Comparable>, const MAX: bool>(
    elements: RawSlice<'_, T>,
) -> T::Wide {
    // Lane accumulators of 128 bytes: a fourth of the vector registers.
    match const { size_of::<T::Wide>() } {
        1 => extremum_in::<T, MAX, 128>(elements),
        2 => extremum_in::<T, MAX, 64>(elements),
        4 => extremum_in::<T, MAX, 32>(elements),
        _ => extremum_in::<T, MAX, 16>(elements),
    }
}

/// The same with `N` lane accumulators. These ignore NaNs, which takes one instruction instead of three that depend on each
/// other. Whether there is a NaN is found at the same time, and which one afterwards.
#[inline(always)]
fn extremum_in<T: Element<Wide: Comparable>, const MAX: bool, const N: usize>(
    elements: RawSlice<'_, T>,
) -> T::Wide {
    // Of a number and a NaN, or of two equal ones, the second: what an instruction does.
    let better = |best: T::Wide, x: T::Wide| {
        let is_best = if MAX { best > x } else { best < x };
        if is_best { best } else { x }
    };
    let step = |best: T::Wide, x: T| better(best, x.widen());
    let chunks = elements.chunks::<N>();
    let mut has_nan = false;
    let best = if chunks.is_empty() {
        let (mut best, mut k) = (identity::<T::Wide>(MAX), 0);
        while k < elements.len() {
            let x = elements.get(k);
            best = step(best, x);
            has_nan |= x.widen().is_nan();
            k += 1;
        }
        best
    } else {
        let mut best = [identity::<T::Wide>(MAX); N];
        let mut i = 0;
        while i < chunks.len() {
            let xs = chunks.get(i);
            best = step_each(best, xs, &step);
            has_nan |= any_nan(xs);
            // As in `reduce_to_lanes`.
            black_box(());
            i += 1;
        }
        // Else the loop above is compiled to single elements for AVX-512.
        let best = moved_to_memory(best);
        // The last elements once more, together with the rest.
        let xs = elements.part(elements.len() - N, N).chunks::<N>().get(0);
        has_nan |= any_nan(xs);
        join_lanes(step_each(best, xs, &step), better)
    };
    if has_nan {
        // Foreign memory may have changed meanwhile: then it is one of the elements.
        return elements.iter().map(T::widen).find(|x| x.is_nan()).unwrap_or(best);
    }
    best
}

/// Whether one of the elements is a NaN: an `or` of all comparisons, which is one of vectors and their masks. (A blend of the
/// NaNs of each lane is compiled to single `f32`.)
#[inline(always)]
pub(super) fn any_nan<T: Element<Wide: Comparable>, const N: usize>(xs: [T; N]) -> bool {
    let (mut any, mut k) = (false, 0);
    while k < N {
        any |= xs[k].widen().is_nan();
        k += 1;
    }
    any
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
