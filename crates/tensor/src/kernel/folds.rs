//! The folds that there are.
//!
//! Sums of integers are 64-bit and wrap around. Sums of floats are made in lanes of the type that is
//! calculated in, and totals are `f64`.

use super::fold::{Fold, Reducer};
use crate::dtype::{
    AnyTask, Comparable, Float, FloatTask, Integer, IntegerTask, Kind, Number, OrderedTask, Scalar,
};
use crate::{Bool, Complex, DType, Element};
use std::marker::PhantomData;

/// The sum: 64-bit for integers, the type itself for floats.
pub(crate) fn sum(dtype: DType) -> Option<Reducer> {
    match dtype.kind() {
        Kind::Bool => Some(Reducer::of::<SumOf<Bool, i64, i64>>()),
        Kind::Signed(_) => dtype.with_integer(Integers::<SumOf<(), i64, i64>>(PhantomData)),
        Kind::Unsigned(_) => dtype.with_integer(Integers::<SumOf<(), u64, u64>>(PhantomData)),
        Kind::Float(_) | Kind::Brain(_) => dtype.with_float(Floats::<false>),
        Kind::Complex(8) => Some(Reducer::of::<ComplexSum<f32, false>>()),
        Kind::Complex(_) => Some(Reducer::of::<ComplexSum<f64, false>>()),
    }
}

/// The mean: `float64` for integers, the type itself for floats.
pub(crate) fn mean(dtype: DType) -> Option<Reducer> {
    match dtype.kind() {
        Kind::Bool => Some(Reducer::of::<SumOf<Bool, f64, f64>>()),
        Kind::Signed(_) | Kind::Unsigned(_) => {
            dtype.with_integer(Integers::<SumOf<(), f64, f64>>(PhantomData))
        }
        Kind::Float(_) | Kind::Brain(_) => dtype.with_float(Floats::<true>),
        Kind::Complex(8) => Some(Reducer::of::<ComplexSum<f32, true>>()),
        Kind::Complex(_) => Some(Reducer::of::<ComplexSum<f64, true>>()),
    }
}

/// The least element; a NaN if there is one.
pub(crate) fn least(dtype: DType) -> Option<Reducer> {
    dtype.with_ordered(Extremes::<false>)
}

/// The greatest element; a NaN if there is one.
pub(crate) fn greatest(dtype: DType) -> Option<Reducer> {
    dtype.with_ordered(Extremes::<true>)
}

/// The position of the least element, or of the first NaN.
pub(crate) fn least_at(dtype: DType) -> Option<Reducer> {
    dtype.with_ordered(Places::<false>)
}

/// The position of the greatest element, or of the first NaN.
pub(crate) fn greatest_at(dtype: DType) -> Option<Reducer> {
    dtype.with_ordered(Places::<true>)
}

/// Whether an element is true.
pub(crate) fn any(dtype: DType) -> Option<Reducer> {
    Some(dtype.with_any(Truths::<true>))
}

/// Whether all elements are true.
pub(crate) fn all(dtype: DType) -> Option<Reducer> {
    Some(dtype.with_any(Truths::<false>))
}

/// The sum of `T` in `L`; a mean if that is `f64`.
struct SumOf<T, L, O>(PhantomData<(T, L, O)>);

/// The reducers of integers, for a sum in the type that a pattern names.
struct Integers<P>(PhantomData<P>);

impl<L: Accumulator> IntegerTask for Integers<SumOf<(), L, L>> {
    type Output = Reducer;

    fn run<T: Element<Wide: Integer>>(self) -> Reducer {
        Reducer::of::<SumOf<T, L, L>>()
    }
}

/// What integers are summed in.
trait Accumulator: Element<Wide = Self> + Number {
    fn result(self, count: usize) -> Self;
}

impl Accumulator for i64 {
    fn result(self, _: usize) -> i64 {
        self
    }
}

impl Accumulator for u64 {
    fn result(self, _: usize) -> u64 {
        self
    }
}

/// Only means are calculated in floats.
impl Accumulator for f64 {
    fn result(self, count: usize) -> f64 {
        self / count as f64
    }
}

impl<T: Element, L: Accumulator> Fold for SumOf<T, L, L> {
    type In = T;
    type Lane = L;
    type Total = L;
    type Out = L;

    const LANE: L = L::ZERO;
    const TOTAL: L = L::ZERO;

    #[inline(always)]
    fn step(lane: L, x: T, _: isize) -> L {
        lane.plus(x.cast::<L>())
    }

    #[inline(always)]
    fn join(a: L, b: L) -> L {
        a.plus(b)
    }

    #[inline(always)]
    fn add(total: L, lane: L) -> L {
        total.plus(lane)
    }

    fn merge(a: L, b: L) -> L {
        a.plus(b)
    }

    fn finish(total: L, count: usize) -> L {
        total.result(count)
    }
}

/// Sums of floats, or their means.
struct Floats<const MEAN: bool>;

impl<const MEAN: bool> FloatTask for Floats<MEAN> {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>>(self) -> Reducer {
        Reducer::of::<FloatSum<T, MEAN>>()
    }
}

struct FloatSum<T, const MEAN: bool>(PhantomData<T>);

impl<T: Element<Wide: Float>, const MEAN: bool> Fold for FloatSum<T, MEAN> {
    type In = T;
    type Lane = T::Wide;
    type Total = f64;
    type Out = T;

    const LANE: T::Wide = T::Wide::ZERO;
    const TOTAL: f64 = 0.0;

    #[inline(always)]
    fn step(lane: T::Wide, x: T, _: isize) -> T::Wide {
        lane.plus(x.widen())
    }

    #[inline(always)]
    fn join(a: T::Wide, b: T::Wide) -> T::Wide {
        a.plus(b)
    }

    #[inline(always)]
    fn add(total: f64, lane: T::Wide) -> f64 {
        total + lane.double()
    }

    fn merge(a: f64, b: f64) -> f64 {
        a + b
    }

    fn finish(total: f64, count: usize) -> T {
        T::from_f64(if MEAN { total / count as f64 } else { total })
    }
}

struct ComplexSum<R, const MEAN: bool>(PhantomData<R>);

impl<R: Float, const MEAN: bool> Fold for ComplexSum<R, MEAN>
where
    Complex<R>: Element<Wide = Complex<R>> + Number,
{
    type In = Complex<R>;
    type Lane = Complex<R>;
    type Total = Complex<f64>;
    type Out = Complex<R>;

    const LANE: Complex<R> = <Complex<R> as Number>::ZERO;
    const TOTAL: Complex<f64> = Complex::new(0.0, 0.0);

    #[inline(always)]
    fn step(lane: Complex<R>, x: Complex<R>, _: isize) -> Complex<R> {
        lane.plus(x)
    }

    #[inline(always)]
    fn join(a: Complex<R>, b: Complex<R>) -> Complex<R> {
        a.plus(b)
    }

    #[inline(always)]
    fn add(total: Complex<f64>, lane: Complex<R>) -> Complex<f64> {
        total + lane.cast::<Complex<f64>>()
    }

    fn merge(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
        a + b
    }

    fn finish(total: Complex<f64>, count: usize) -> Complex<R> {
        let total = if MEAN { total / count as f64 } else { total };
        Complex::<R>::from_complex(total.re, total.im)
    }
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

    fn finish(total: T::Wide, _: usize) -> T {
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

    fn finish(total: At<T::Wide>, _: usize) -> i64 {
        total.1 as i64
    }
}

/// Whether one or all elements are true.
struct Truths<const ANY: bool>;

impl<const ANY: bool> AnyTask for Truths<ANY> {
    type Output = Reducer;

    fn run<T: Element>(self) -> Reducer {
        Reducer::of::<Truth<T, ANY>>()
    }
}

struct Truth<T, const ANY: bool>(PhantomData<T>);

impl<T: Element, const ANY: bool> Fold for Truth<T, ANY> {
    type In = T;
    type Lane = bool;
    type Total = bool;
    type Out = Bool;

    const LANE: bool = !ANY;
    const TOTAL: bool = !ANY;

    #[inline(always)]
    fn step(lane: bool, x: T, _: isize) -> bool {
        Self::join(lane, x.widen().is_true())
    }

    #[inline(always)]
    fn join(a: bool, b: bool) -> bool {
        if ANY { a | b } else { a & b }
    }

    #[inline(always)]
    fn add(total: bool, lane: bool) -> bool {
        Self::join(total, lane)
    }

    fn merge(a: bool, b: bool) -> bool {
        Self::join(a, b)
    }

    fn finish(total: bool, _: usize) -> Bool {
        Bool::from(total)
    }
}
