//! The least and the greatest elements.

use crate::dtype::{Comparable, Float, FloatTask, OrderedTask};
use crate::kernel::fold::{Fold, Setting};
use crate::kernel::reducer::Reducer;
use crate::{DType, Element};
use std::marker::PhantomData;

/// The least element; a NaN if there is one.
pub(crate) fn least(dtype: DType) -> Option<Reducer> {
    dtype.with_ordered(Extremes::<false>)
}

/// The greatest element; a NaN if there is one.
pub(crate) fn greatest(dtype: DType) -> Option<Reducer> {
    dtype.with_ordered(Extremes::<true>)
}

/// The least element that is no NaN; a NaN if all are.
pub(crate) fn least_number(dtype: DType) -> Option<Reducer> {
    dtype.with_float(Numbers::<false>).or_else(|| least(dtype))
}

/// The greatest element that is no NaN; a NaN if all are.
pub(crate) fn greatest_number(dtype: DType) -> Option<Reducer> {
    dtype.with_float(Numbers::<true>).or_else(|| greatest(dtype))
}

/// The least or the greatest elements.
struct Extremes<const GREATEST: bool>;

impl<const GREATEST: bool> OrderedTask for Extremes<GREATEST> {
    type Output = Reducer;

    fn run<T: Element<Wide: Comparable>>(self) -> Reducer {
        Reducer::of::<Extreme<T, GREATEST>>()
    }
}

struct Extreme<T, const GREATEST: bool>(PhantomData<T>);

impl<T: Element<Wide: Comparable>, const GREATEST: bool> Fold for Extreme<T, GREATEST> {
    type In = T;
    type Lane = T::Wide;
    type Total = T::Wide;
    type Out = T;

    const LANE: T::Wide = worst::<T::Wide>(GREATEST);
    const TOTAL: T::Wide = worst::<T::Wide>(GREATEST);

    #[inline(always)]
    fn step(lane: T::Wide, x: T) -> T::Wide {
        Self::join(lane, x.widen())
    }

    #[inline(always)]
    fn join(a: T::Wide, b: T::Wide) -> T::Wide {
        if GREATEST { a.greater(b) } else { a.smaller(b) }
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

/// What every value is at least as good as.
pub(super) const fn worst<W: Comparable>(greatest: bool) -> W {
    if greatest { W::LOWEST } else { W::HIGHEST }
}

/// The least or the greatest elements that are no NaNs.
struct Numbers<const GREATEST: bool>;

impl<const GREATEST: bool> FloatTask for Numbers<GREATEST> {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>>(self) -> Reducer {
        Reducer::of::<ExtremeNumber<T, GREATEST>>()
    }
}

/// In `f64`, which has all values of the others: a lane that has taken up nothing is a NaN.
struct ExtremeNumber<T, const GREATEST: bool>(PhantomData<T>);

impl<T: Element<Wide: Float>, const GREATEST: bool> Fold for ExtremeNumber<T, GREATEST> {
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
        let is_better = if GREATEST { b > a } else { b < a };
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
