//! Sums and means.
//!
//! Sums of integers are 64-bit and wrap around. Lane accumulators of floats are of the type that is computed in. Their
//! totals are compensated sums of `f64`: short runs make many totals, whose rounding errors would add up. The
//! setting's choice is the mean.

use crate::dtype::{
    Float, FloatTask, Integer, IntegerTask, Number, NumberKind, Scalar, WideFloatTask,
};
use crate::kernel::reducer::Reducer;
use crate::kernel::reduction::{OnePassReduction, Setting};
use crate::{Bool, Complex, DType, Element};
use std::marker::PhantomData;

/// Returns the reducer for `sum`: 64-bit for integers, the dtype itself for floats.
pub(crate) fn sum(dtype: DType) -> Option<Reducer> {
    match dtype.kind() {
        NumberKind::Bool => Some(Reducer::one_pass::<IntegerSum<Bool, i64>>()),
        NumberKind::Signed(_) => dtype.with_integer(IntegerSumTask::<i64>(PhantomData)),
        NumberKind::Unsigned(_) => dtype.with_integer(IntegerSumTask::<u64>(PhantomData)),
        _ => float_sum::<false>(dtype),
    }
}

/// Returns the reducer for `mean`: `float64` for integers, the dtype itself for floats.
pub(crate) fn mean(dtype: DType) -> Option<Reducer> {
    let reducer = match dtype.kind() {
        NumberKind::Bool | NumberKind::Signed(_) | NumberKind::Unsigned(_) => {
            float_sum::<false>(DType::Float64)
        }
        _ => float_sum::<false>(dtype),
    };
    reducer.map(|it| it.with(Setting { number: 0.0, choice: true }))
}

/// Returns the reducer for `nansum`, which skips NaNs.
pub(crate) fn nansum(dtype: DType) -> Option<Reducer> {
    if dtype.is_floating() || dtype.is_complex() { float_sum::<true>(dtype) } else { sum(dtype) }
}

/// Returns the reducer for `nanmean`, which skips NaNs.
pub(crate) fn nanmean(dtype: DType) -> Option<Reducer> {
    match dtype.kind() {
        NumberKind::Complex(8) => Some(Reducer::one_pass::<ComplexNanMean<f32>>()),
        NumberKind::Complex(_) => Some(Reducer::one_pass::<ComplexNanMean<f64>>()),
        NumberKind::Float(_) | NumberKind::Brain(_) => dtype.with_wide_float(NanMeanTask),
        _ => mean(dtype),
    }
}

fn float_sum<const SKIP: bool>(dtype: DType) -> Option<Reducer> {
    match dtype {
        DType::Complex64 => Some(Reducer::one_pass::<ComplexSum<f32, SKIP>>()),
        DType::Complex128 => Some(Reducer::one_pass::<ComplexSum<f64, SKIP>>()),
        _ if SKIP => dtype.with_wide_float(NanSumTask),
        _ => dtype.with_float(FloatSumTask),
    }
}

/// Makes the reducer for sums of integers in type `L`.
struct IntegerSumTask<L>(PhantomData<L>);

impl<L: Element<Wide = L> + Integer> IntegerTask for IntegerSumTask<L> {
    type Output = Reducer;

    fn run<T: Element<Wide: Integer>>(self) -> Reducer {
        Reducer::one_pass::<IntegerSum<T, L>>()
    }
}

/// The sum of integers, in type `L`.
struct IntegerSum<T, L>(PhantomData<(T, L)>);

impl<T: Element, L: Element<Wide = L> + Integer> OnePassReduction for IntegerSum<T, L> {
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

/// A compensated sum: the sum, and the sum of its rounding errors.
#[derive(Clone, Copy)]
pub(crate) struct CompensatedSum {
    sum: f64,
    lost: f64,
}

impl CompensatedSum {
    pub(crate) const ZERO: CompensatedSum = CompensatedSum { sum: 0.0, lost: 0.0 };

    /// Adds a number; the error of the addition is found by Knuth's TwoSum.
    #[inline(always)]
    pub(crate) fn plus(self, x: f64) -> CompensatedSum {
        let sum = self.sum + x;
        let part = sum - self.sum;
        let error = (self.sum - (sum - part)) + (x - part);
        CompensatedSum { sum, lost: self.lost + error }
    }

    pub(super) fn merge(self, other: CompensatedSum) -> CompensatedSum {
        let both = self.plus(other.sum);
        CompensatedSum { lost: both.lost + other.lost, ..both }
    }

    /// Returns the nearest `f64`. The error of an infinite sum is a NaN, and is not added.
    pub(crate) fn value(self) -> f64 {
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

/// Makes the reducer for sums of real elements.
struct FloatSumTask;

impl FloatTask for FloatSumTask {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>>(self) -> Reducer {
        Reducer::one_pass::<FloatSum<T, false>>()
    }
}

/// Makes the reducer for sums of real elements that skip NaNs.
struct NanSumTask;

impl WideFloatTask for NanSumTask {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>, W: Element<Wide: Float>>(self) -> Reducer {
        Reducer::one_pass_in::<FloatSum<T, true>, FloatSum<W, true>>()
    }
}

/// The sum or the mean of real elements; NaNs are skipped if `SKIP`.
struct FloatSum<T, const SKIP: bool>(PhantomData<T>);

impl<T: Element<Wide: Float>, const SKIP: bool> OnePassReduction for FloatSum<T, SKIP> {
    type In = T;
    type Lane = T::Wide;
    type Total = CompensatedSum;
    type Out = T;

    const LANE: T::Wide = T::Wide::ZERO;
    const TOTAL: CompensatedSum = CompensatedSum::ZERO;

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
    fn add(total: CompensatedSum, lane: T::Wide) -> CompensatedSum {
        total.plus(lane.double())
    }

    fn merge(a: CompensatedSum, b: CompensatedSum) -> CompensatedSum {
        a.merge(b)
    }

    fn finish(total: CompensatedSum, count: usize, setting: Setting) -> T {
        let total = total.value();
        T::from_f64(if setting.choice { total / count as f64 } else { total })
    }
}

/// The sum or the mean of complex elements; NaNs are skipped if `SKIP`.
struct ComplexSum<R, const SKIP: bool>(PhantomData<R>);

impl<R: Float, const SKIP: bool> OnePassReduction for ComplexSum<R, SKIP>
where
    Complex<R>: Element<Wide = Complex<R>> + Number,
{
    type In = Complex<R>;
    type Lane = Complex<R>;
    type Total = [CompensatedSum; 2];
    type Out = Complex<R>;

    const LANE: Complex<R> = <Complex<R> as Number>::ZERO;
    const TOTAL: [CompensatedSum; 2] = [CompensatedSum::ZERO; 2];

    #[inline(always)]
    fn step(lane: Complex<R>, x: Complex<R>) -> Complex<R> {
        lane.plus(if SKIP && is_nan(x) { <Complex<R> as Number>::ZERO } else { x })
    }

    #[inline(always)]
    fn join(a: Complex<R>, b: Complex<R>) -> Complex<R> {
        a.plus(b)
    }

    #[inline(always)]
    fn add([re, im]: [CompensatedSum; 2], lane: Complex<R>) -> [CompensatedSum; 2] {
        [re.plus(lane.re.double()), im.plus(lane.im.double())]
    }

    fn merge(a: [CompensatedSum; 2], b: [CompensatedSum; 2]) -> [CompensatedSum; 2] {
        [a[0].merge(b[0]), a[1].merge(b[1])]
    }

    fn finish(total: [CompensatedSum; 2], count: usize, setting: Setting) -> Complex<R> {
        let count = if setting.choice { count as f64 } else { 1.0 };
        let [re, im] = total.map(|part| part.value() / count);
        Complex::<R>::from_complex(re, im)
    }
}

/// Whether the real or the imaginary part is a NaN.
#[inline(always)]
pub(super) fn is_nan<R: Float>(x: Complex<R>) -> bool {
    x.re.is_nan() || x.im.is_nan()
}

/// Makes the reducer for means of real elements that skip NaNs.
struct NanMeanTask;

impl WideFloatTask for NanMeanTask {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>, W: Element<Wide: Float>>(self) -> Reducer {
        Reducer::one_pass_in::<NanMean<T>, NanMean<W>>()
    }
}

/// The mean of the real elements that are not NaN.
struct NanMean<T>(PhantomData<T>);

impl<T: Element<Wide: Float>> OnePassReduction for NanMean<T> {
    type In = T;
    type Lane = (T::Wide, u32);
    type Total = (CompensatedSum, u64);
    type Out = T;

    const LANE: (T::Wide, u32) = (T::Wide::ZERO, 0);
    const TOTAL: (CompensatedSum, u64) = (CompensatedSum::ZERO, 0);

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
    fn add(total: (CompensatedSum, u64), lane: (T::Wide, u32)) -> (CompensatedSum, u64) {
        (total.0.plus(lane.0.double()), total.1 + u64::from(lane.1))
    }

    fn merge(a: (CompensatedSum, u64), b: (CompensatedSum, u64)) -> (CompensatedSum, u64) {
        (a.0.merge(b.0), a.1 + b.1)
    }

    fn finish((total, n): (CompensatedSum, u64), _: usize, _: Setting) -> T {
        T::from_f64(total.value() / n as f64)
    }
}

/// The mean of the complex elements that are not NaN.
struct ComplexNanMean<R>(PhantomData<R>);

impl<R: Float> OnePassReduction for ComplexNanMean<R>
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
