//! The least and the greatest elements, and where they are.

use crate::dtype::{Comparable, Float, FloatTask, OrderedTask, Scalar};
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

/// The position of the least element, or of the first NaN.
pub(crate) fn least_at(dtype: DType) -> Option<Reducer> {
    dtype.with_ordered(Places::<false>)
}

/// The position of the greatest element, or of the first NaN.
pub(crate) fn greatest_at(dtype: DType) -> Option<Reducer> {
    dtype.with_ordered(Places::<true>)
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
    fn step(lane: T::Wide, x: T, _: isize) -> T::Wide {
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
const fn worst<W: Comparable>(greatest: bool) -> W {
    if greatest { W::LOWEST } else { W::HIGHEST }
}

/// Where the least or the greatest elements are.
struct Places<const GREATEST: bool>;

impl<const GREATEST: bool> OrderedTask for Places<GREATEST> {
    type Output = Reducer;

    fn run<T: Element<Wide: Comparable>>(self) -> Reducer {
        Reducer::of::<Place<T, GREATEST>>()
    }
}

struct Place<T, const GREATEST: bool>(PhantomData<T>);

/// A value and its position.
type At<W> = (W, isize);

impl<T: Element<Wide: Comparable>, const GREATEST: bool> Fold for Place<T, GREATEST> {
    type In = T;
    type Lane = At<T::Wide>;
    type Total = At<T::Wide>;
    type Out = i64;

    const LANE: At<T::Wide> = (worst::<T::Wide>(GREATEST), isize::MAX);
    const TOTAL: At<T::Wide> = Self::LANE;

    #[inline(always)]
    fn step(lane: At<T::Wide>, x: T, position: isize) -> At<T::Wide> {
        Self::join(lane, (x.widen(), position))
    }

    /// The better of two values, and of two equal ones that which comes first.
    #[inline(always)]
    fn join(a: At<T::Wide>, b: At<T::Wide>) -> At<T::Wide> {
        let better = if GREATEST { b.0 > a.0 } else { b.0 < a.0 };
        let wins = better && !a.0.is_nan() || b.0.is_nan() && !a.0.is_nan();
        let equal = b.0 == a.0 || b.0.is_nan() && a.0.is_nan();
        if wins || equal && b.1 < a.1 { b } else { a }
    }

    #[inline(always)]
    fn add(total: At<T::Wide>, lane: At<T::Wide>) -> At<T::Wide> {
        Self::join(total, lane)
    }

    fn merge(a: At<T::Wide>, b: At<T::Wide>) -> At<T::Wide> {
        Self::join(a, b)
    }

    fn finish(total: At<T::Wide>, _: usize, _: Setting) -> i64 {
        total.1 as i64
    }
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
    fn step(lane: f64, x: T, _: isize) -> f64 {
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
