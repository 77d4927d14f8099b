//! Sums, and the means made of them.
//!
//! Sums of integers are 64-bit and wrap around. Sums of floats are made in lanes of the type that is
//! calculated in. Their totals are `f64` with what rounding took from them: short runs make many
//! totals, whose errors would add up. The setting chooses the mean.

use crate::dtype::{Float, FloatTask, Integer, IntegerTask, Number, NumberKind, Scalar};
use crate::kernel::fold::{Fold, Setting};
use crate::kernel::reducer::Reducer;
use crate::{Bool, Complex, DType, Element};
use std::marker::PhantomData;

/// The sum: 64-bit for integers, the type itself for floats.
pub(crate) fn sum(dtype: DType) -> Option<Reducer> {
    match dtype.kind() {
        NumberKind::Bool => Some(Reducer::of::<IntegerSum<Bool, i64>>()),
        NumberKind::Signed(_) => dtype.with_integer(Integers::<i64>(PhantomData)),
        NumberKind::Unsigned(_) => dtype.with_integer(Integers::<u64>(PhantomData)),
        _ => of_floats::<false>(dtype),
    }
}

/// The mean: `float64` for integers, the type itself for floats.
pub(crate) fn mean(dtype: DType) -> Option<Reducer> {
    let reducer = match dtype.kind() {
        NumberKind::Bool | NumberKind::Signed(_) | NumberKind::Unsigned(_) => {
            of_floats::<false>(DType::Float64)
        }
        _ => of_floats::<false>(dtype),
    };
    reducer.map(|it| it.with(Setting { number: 0.0, choice: true }))
}

/// The sum of all that is no NaN.
pub(crate) fn sum_of_numbers(dtype: DType) -> Option<Reducer> {
    if dtype.is_floating() || dtype.is_complex() { of_floats::<true>(dtype) } else { sum(dtype) }
}

/// The mean of all that is no NaN.
pub(crate) fn mean_of_numbers(dtype: DType) -> Option<Reducer> {
    match dtype.kind() {
        NumberKind::Complex(8) => Some(Reducer::of::<ComplexMean<f32>>()),
        NumberKind::Complex(_) => Some(Reducer::of::<ComplexMean<f64>>()),
        NumberKind::Float(_) | NumberKind::Brain(_) => dtype.with_float(Means),
        _ => mean(dtype),
    }
}

fn of_floats<const SKIP: bool>(dtype: DType) -> Option<Reducer> {
    match dtype {
        DType::Complex64 => Some(Reducer::of::<ComplexSum<f32, SKIP>>()),
        DType::Complex128 => Some(Reducer::of::<ComplexSum<f64, SKIP>>()),
        _ => dtype.with_float(Floats::<SKIP>),
    }
}

/// The sums of integers in a type.
struct Integers<L>(PhantomData<L>);

impl<L: Element<Wide = L> + Integer> IntegerTask for Integers<L> {
    type Output = Reducer;

    fn run<T: Element<Wide: Integer>>(self) -> Reducer {
        Reducer::of::<IntegerSum<T, L>>()
    }
}

struct IntegerSum<T, L>(PhantomData<(T, L)>);

impl<T: Element, L: Element<Wide = L> + Integer> Fold for IntegerSum<T, L> {
    type In = T;
    type Lane = L;
    type Total = L;
    type Out = L;

    const LANE: L = L::ZERO;
    const TOTAL: L = L::ZERO;

    #[inline(always)]
    fn step(lane: L, x: T) -> L {
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

    fn finish(total: L, _: usize, _: Setting) -> L {
        total
    }
}

/// A sum, and what rounding took from it.
#[derive(Clone, Copy)]
pub(crate) struct Exact {
    sum: f64,
    lost: f64,
}

impl Exact {
    pub(crate) const ZERO: Exact = Exact { sum: 0.0, lost: 0.0 };

    /// The sum with one number more, by Knuth's way to find the error of an addition.
    #[inline(always)]
    pub(crate) fn plus(self, x: f64) -> Exact {
        let sum = self.sum + x;
        let part = sum - self.sum;
        let error = (self.sum - (sum - part)) + (x - part);
        Exact { sum, lost: self.lost + error }
    }

    pub(super) fn merge(self, other: Exact) -> Exact {
        let both = self.plus(other.sum);
        Exact { lost: both.lost + other.lost, ..both }
    }

    /// The nearest number. Beyond all numbers the error is one of infinities.
    pub(crate) fn value(self) -> f64 {
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

/// Sums of floats, with NaNs or without.
struct Floats<const SKIP: bool>;

impl<const SKIP: bool> FloatTask for Floats<SKIP> {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>>(self) -> Reducer {
        Reducer::of::<FloatSum<T, SKIP>>()
    }
}

struct FloatSum<T, const SKIP: bool>(PhantomData<T>);

impl<T: Element<Wide: Float>, const SKIP: bool> Fold for FloatSum<T, SKIP> {
    type In = T;
    type Lane = T::Wide;
    type Total = Exact;
    type Out = T;

    const LANE: T::Wide = T::Wide::ZERO;
    const TOTAL: Exact = Exact::ZERO;

    #[inline(always)]
    fn step(lane: T::Wide, x: T) -> T::Wide {
        let x = x.widen();
        lane.plus(if SKIP && x.is_nan() { T::Wide::ZERO } else { x })
    }

    #[inline(always)]
    fn join(a: T::Wide, b: T::Wide) -> T::Wide {
        a.plus(b)
    }

    #[inline(always)]
    fn add(total: Exact, lane: T::Wide) -> Exact {
        total.plus(lane.double())
    }

    fn merge(a: Exact, b: Exact) -> Exact {
        a.merge(b)
    }

    fn finish(total: Exact, count: usize, setting: Setting) -> T {
        let total = total.value();
        T::from_f64(if setting.choice { total / count as f64 } else { total })
    }
}

struct ComplexSum<R, const SKIP: bool>(PhantomData<R>);

impl<R: Float, const SKIP: bool> Fold for ComplexSum<R, SKIP>
where
    Complex<R>: Element<Wide = Complex<R>> + Number,
{
    type In = Complex<R>;
    type Lane = Complex<R>;
    type Total = [Exact; 2];
    type Out = Complex<R>;

    const LANE: Complex<R> = <Complex<R> as Number>::ZERO;
    const TOTAL: [Exact; 2] = [Exact::ZERO; 2];

    #[inline(always)]
    fn step(lane: Complex<R>, x: Complex<R>) -> Complex<R> {
        lane.plus(if SKIP && is_nan(x) { <Complex<R> as Number>::ZERO } else { x })
    }

    #[inline(always)]
    fn join(a: Complex<R>, b: Complex<R>) -> Complex<R> {
        a.plus(b)
    }

    #[inline(always)]
    fn add([re, im]: [Exact; 2], lane: Complex<R>) -> [Exact; 2] {
        [re.plus(lane.re.double()), im.plus(lane.im.double())]
    }

    fn merge(a: [Exact; 2], b: [Exact; 2]) -> [Exact; 2] {
        [a[0].merge(b[0]), a[1].merge(b[1])]
    }

    fn finish(total: [Exact; 2], count: usize, setting: Setting) -> Complex<R> {
        let count = if setting.choice { count as f64 } else { 1.0 };
        let [re, im] = total.map(|part| part.value() / count);
        Complex::<R>::from_complex(re, im)
    }
}

/// Whether a part of a number is a NaN.
#[inline(always)]
pub(super) fn is_nan<R: Float>(x: Complex<R>) -> bool {
    x.re.is_nan() || x.im.is_nan()
}

/// Means that pass over NaNs.
struct Means;

impl FloatTask for Means {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>>(self) -> Reducer {
        Reducer::of::<FloatMean<T>>()
    }
}

struct FloatMean<T>(PhantomData<T>);

impl<T: Element<Wide: Float>> Fold for FloatMean<T> {
    type In = T;
    type Lane = (T::Wide, u32);
    type Total = (Exact, u64);
    type Out = T;

    const LANE: (T::Wide, u32) = (T::Wide::ZERO, 0);
    const TOTAL: (Exact, u64) = (Exact::ZERO, 0);

    #[inline(always)]
    fn step((sum, n): (T::Wide, u32), x: T) -> (T::Wide, u32) {
        let x = x.widen();
        if x.is_nan() { (sum, n) } else { (sum.plus(x), n + 1) }
    }

    #[inline(always)]
    fn join(a: (T::Wide, u32), b: (T::Wide, u32)) -> (T::Wide, u32) {
        (a.0.plus(b.0), a.1 + b.1)
    }

    #[inline(always)]
    fn add(total: (Exact, u64), lane: (T::Wide, u32)) -> (Exact, u64) {
        (total.0.plus(lane.0.double()), total.1 + u64::from(lane.1))
    }

    fn merge(a: (Exact, u64), b: (Exact, u64)) -> (Exact, u64) {
        (a.0.merge(b.0), a.1 + b.1)
    }

    fn finish((total, n): (Exact, u64), _: usize, _: Setting) -> T {
        T::from_f64(total.value() / n as f64)
    }
}

struct ComplexMean<R>(PhantomData<R>);

impl<R: Float> Fold for ComplexMean<R>
where
    Complex<R>: Element<Wide = Complex<R>> + Number,
{
    type In = Complex<R>;
    type Lane = (Complex<R>, u32);
    type Total = (Complex<f64>, u64);
    type Out = Complex<R>;

    const LANE: (Complex<R>, u32) = (<Complex<R> as Number>::ZERO, 0);
    const TOTAL: (Complex<f64>, u64) = (Complex::new(0.0, 0.0), 0);

    #[inline(always)]
    fn step((sum, n): (Complex<R>, u32), x: Complex<R>) -> (Complex<R>, u32) {
        if is_nan(x) { (sum, n) } else { (sum.plus(x), n + 1) }
    }

    #[inline(always)]
    fn join(a: (Complex<R>, u32), b: (Complex<R>, u32)) -> (Complex<R>, u32) {
        (a.0.plus(b.0), a.1 + b.1)
    }

    #[inline(always)]
    fn add(total: (Complex<f64>, u64), lane: (Complex<R>, u32)) -> (Complex<f64>, u64) {
        (total.0 + lane.0.cast::<Complex<f64>>(), total.1 + u64::from(lane.1))
    }

    fn merge(a: (Complex<f64>, u64), b: (Complex<f64>, u64)) -> (Complex<f64>, u64) {
        (a.0 + b.0, a.1 + b.1)
    }

    fn finish((total, n): (Complex<f64>, u64), _: usize, _: Setting) -> Complex<R> {
        let mean = total / n as f64;
        Complex::<R>::from_complex(mean.re, mean.im)
    }
}
