//! Norms of vectors.
//!
//! How many sizes are not zero, their sum, the greatest and the least are plain folds. For any other order `p` the root
//! of a sum of powers is needed, which overflows long before the norm does: sizes are measured by the
//! greatest of their block first (by the least if `p` is negative). Of squares only those out of the
//! way of numbers are, by a power of two. The setting's number is `p`.

use super::sum::Exact;
use crate::dtype::{Comparable, Float, FloatTask, MulAdd};
use crate::kernel::fold::{Fold, Setting, Twice};
use crate::kernel::reducer::Reducer;
use crate::{Complex, DType, Element};
use std::marker::PhantomData;

/// How many sizes are not zero, as a float.
pub(crate) fn count_of_sizes(dtype: DType) -> Option<Reducer> {
    of_sizes(dtype, Which::Count)
}

/// The sum of the sizes.
pub(crate) fn sum_of_sizes(dtype: DType) -> Option<Reducer> {
    of_sizes(dtype, Which::Sum)
}

/// The greatest size, and 0 of nothing.
pub(crate) fn greatest_size(dtype: DType) -> Option<Reducer> {
    of_sizes(dtype, Which::Greatest)
}

/// The least size.
pub(crate) fn least_size(dtype: DType) -> Option<Reducer> {
    of_sizes(dtype, Which::Least)
}

/// The root of the sum of the squares of the sizes.
pub(crate) fn root_of_squares(dtype: DType) -> Option<Reducer> {
    of_sizes(dtype, Which::Squares)
}

/// The root of the sum of the powers of the sizes.
pub(crate) fn root_of_powers(dtype: DType) -> Option<Reducer> {
    of_sizes(dtype, Which::Powers)
}

/// Which fold of the sizes.
#[derive(Clone, Copy)]
enum Which {
    Count,
    Sum,
    Greatest,
    Least,
    Squares,
    Powers,
}

/// Integers are taken as `float64`.
fn of_sizes(dtype: DType, which: Which) -> Option<Reducer> {
    match dtype {
        DType::Complex64 => Some(which.of::<ComplexSize<f32>>()),
        DType::Complex128 => Some(which.of::<ComplexSize<f64>>()),
        _ if dtype.is_floating() => dtype.with_float(which),
        _ => DType::Float64.with_float(which),
    }
}

impl FloatTask for Which {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>>(self) -> Reducer {
        self.of::<RealSize<T>>()
    }
}

impl Which {
    fn of<S: Size>(self) -> Reducer {
        match self {
            Which::Count => Reducer::of::<SizeSum<S, true>>(),
            Which::Sum => Reducer::of::<SizeSum<S, false>>(),
            Which::Greatest => Reducer::of::<ExtremeSize<S, true>>(),
            Which::Least => Reducer::of::<ExtremeSize<S, false>>(),
            Which::Squares => Reducer::twice::<Squares<S>>(),
            Which::Powers => Reducer::twice::<Powers<S>>(),
        }
    }
}

/// How large numbers are.
trait Size: 'static {
    type In: Element;
    type Out: Element;

    fn of(x: Self::In) -> f64;
}

struct RealSize<T>(PhantomData<T>);

impl<T: Element<Wide: Float>> Size for RealSize<T> {
    type In = T;
    type Out = T;

    #[inline(always)]
    fn of(x: T) -> f64 {
        x.widen().double().abs()
    }
}

struct ComplexSize<R>(PhantomData<R>);

impl<R: Float + Element> Size for ComplexSize<R>
where
    Complex<R>: Element,
{
    type In = Complex<R>;
    type Out = R;

    #[inline(always)]
    fn of(x: Complex<R>) -> f64 {
        x.cast::<Complex<f64>>().norm()
    }
}

struct SizeSum<S, const COUNT: bool>(PhantomData<S>);

impl<S: Size, const COUNT: bool> Fold for SizeSum<S, COUNT> {
    type In = S::In;
    type Lane = f64;
    type Total = Exact;
    type Out = S::Out;

    const LANE: f64 = 0.0;
    const TOTAL: Exact = Exact::ZERO;

    #[inline(always)]
    fn step(lane: f64, x: S::In) -> f64 {
        let size = S::of(x);
        lane + if COUNT { f64::from(size != 0.0) } else { size }
    }

    #[inline(always)]
    fn join(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn add(total: Exact, lane: f64) -> Exact {
        total.plus(lane)
    }

    fn merge(a: Exact, b: Exact) -> Exact {
        a.merge(b)
    }

    fn finish(total: Exact, _: usize, _: Setting) -> S::Out {
        S::Out::from_f64(total.value())
    }
}

struct ExtremeSize<S, const GREATEST: bool>(PhantomData<S>);

impl<S: Size, const GREATEST: bool> Fold for ExtremeSize<S, GREATEST> {
    type In = S::In;
    type Lane = f64;
    type Total = f64;
    type Out = S::Out;

    const LANE: f64 = if GREATEST { 0.0 } else { f64::INFINITY };
    const TOTAL: f64 = Self::LANE;

    #[inline(always)]
    fn step(lane: f64, x: S::In) -> f64 {
        Self::join(lane, S::of(x))
    }

    #[inline(always)]
    fn join(a: f64, b: f64) -> f64 {
        if GREATEST { a.greater(b) } else { a.smaller(b) }
    }

    #[inline(always)]
    fn add(total: f64, lane: f64) -> f64 {
        Self::join(total, lane)
    }

    fn merge(a: f64, b: f64) -> f64 {
        Self::join(a, b)
    }

    fn finish(total: f64, _: usize, _: Setting) -> S::Out {
        S::Out::from_f64(total)
    }
}

/// A sum of powers of sizes, each divided by a unit.
#[derive(Clone, Copy)]
struct Sum {
    unit: f64,
    sum: f64,
}

struct Squares<S>(PhantomData<S>);

/// Squares of sizes beyond these are not safe from infinity, or from zero.
const SAFE: [f64; 2] = [1e-140, 1e140];

/// What unsafe sizes are measured by: 2 to the power of 600.
const FAR: f64 = f64::from_bits((1023 + 600) << 52);

impl<S: Size> Twice for Squares<S> {
    type In = S::In;
    /// The greatest size, then the unit; and what to multiply by.
    type Base = [f64; 2];
    type Sum = f64;
    type Total = Sum;
    type Out = S::Out;

    const BASE: [f64; 2] = [0.0; 2];
    const SUM: f64 = 0.0;
    const TOTAL: Sum = Sum { unit: 1.0, sum: 0.0 };

    #[inline(always)]
    fn look([greatest, _]: [f64; 2], x: S::In, _: Setting) -> [f64; 2] {
        [greatest.greater(S::of(x)), 0.0]
    }

    #[inline(always)]
    fn join(a: [f64; 2], b: [f64; 2], _: Setting) -> [f64; 2] {
        [a[0].greater(b[0]), 0.0]
    }

    #[inline(always)]
    fn base([greatest, _]: [f64; 2], _: usize, _: Setting) -> [f64; 2] {
        match greatest {
            it if it > SAFE[1] => [FAR, 1.0 / FAR],
            it if it < SAFE[0] && it > 0.0 => [1.0 / FAR, FAR],
            _ => [1.0, 1.0],
        }
    }

    #[inline(always)]
    fn step<M: MulAdd>(sum: f64, x: S::In, [_, factor]: [f64; 2], _: Setting) -> f64 {
        let size = S::of(x) * factor;
        sum + size * size
    }

    #[inline(always)]
    fn plus(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn total([unit, _]: [f64; 2], sum: f64) -> Sum {
        Sum { unit, sum }
    }

    #[inline(always)]
    fn merge(a: Sum, b: Sum, _: Setting) -> Sum {
        let (large, small) = if a.unit >= b.unit { (a, b) } else { (b, a) };
        if large.sum == 0.0 {
            return small;
        }
        let ratio = small.unit / large.unit;
        // In two steps: the square of the ratio may be no number.
        Sum { unit: large.unit, sum: large.sum + small.sum * ratio * ratio }
    }

    fn finish(total: Sum, _: Setting) -> S::Out {
        S::Out::from_f64(total.unit * total.sum.sqrt())
    }
}

struct Powers<S>(PhantomData<S>);

impl<S: Size> Powers<S> {
    /// The sum of two in the unit of the one that counts more.
    #[inline(always)]
    fn plus(a: Sum, b: Sum, p: f64) -> Sum {
        if a.unit == b.unit {
            return Sum { unit: a.unit, sum: a.sum + b.sum };
        }
        let first = if p > 0.0 { a.unit > b.unit } else { a.unit < b.unit };
        let (large, small) = if first { (a, b) } else { (b, a) };
        if small.sum == 0.0 {
            return large;
        }
        Sum { unit: large.unit, sum: large.sum + small.sum * (small.unit / large.unit).powf(p) }
    }
}

impl<S: Size> Twice for Powers<S> {
    type In = S::In;
    /// The size that counts most; of nothing, one that counts least.
    type Base = f64;
    type Sum = f64;
    type Total = Sum;
    type Out = S::Out;

    const BASE: f64 = f64::NEG_INFINITY;
    const SUM: f64 = 0.0;
    const TOTAL: Sum = Sum { unit: f64::NEG_INFINITY, sum: 0.0 };

    #[inline(always)]
    fn look(unit: f64, x: S::In, setting: Setting) -> f64 {
        Self::join(unit, S::of(x), setting)
    }

    #[inline(always)]
    fn join(a: f64, b: f64, setting: Setting) -> f64 {
        let is_first = if setting.number > 0.0 { a > b } else { a < b };
        if b < 0.0 || is_first && a >= 0.0 || a.is_nan() { a } else { b }
    }

    #[inline(always)]
    fn base(unit: f64, _: usize, _: Setting) -> f64 {
        unit
    }

    #[inline(always)]
    fn step<M: MulAdd>(sum: f64, x: S::In, unit: f64, setting: Setting) -> f64 {
        let size = S::of(x);
        // Also zeros and infinities are of the size that they are.
        sum + if size == unit { 1.0 } else { (size / unit).powf(setting.number) }
    }

    #[inline(always)]
    fn plus(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn total(unit: f64, sum: f64) -> Sum {
        Sum { unit, sum }
    }

    fn merge(a: Sum, b: Sum, setting: Setting) -> Sum {
        match (a.unit < 0.0, b.unit < 0.0) {
            (true, _) => b,
            (false, true) => a,
            (false, false) => Self::plus(a, b, setting.number),
        }
    }

    fn finish(total: Sum, setting: Setting) -> S::Out {
        let p = setting.number;
        S::Out::from_f64(match total.unit < 0.0 {
            // Nothing: the root of zero.
            true => 0f64.powf(1.0 / p),
            false => total.unit * total.sum.powf(1.0 / p),
        })
    }
}
