//! Scans: cumulative sums, products, minima, maxima and log-sum-exps along an axis.
//!
//! Sums of floats are compensated sums of `f64`, so that the last element is as accurate as `sum`. Integers wrap
//! around. A lane of the output that is longer than that of the input begins with the identity.

use super::lanes::map_lanes_of_source;
use super::raw_slice::RawSlice;
use super::reductions::CompensatedSum;
use crate::dtype::{Comparable, Float, FloatTask, Integer, IntegerTask, Number, OrderedTask};
use crate::view::{AnyViewMut, Source, Written};
use crate::{Complex, DType, Element};

/// The operation of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScanKind {
    Sum,
    Product,
    Min,
    Max,
    /// `log(Σ exp(x))`.
    LogSumExp,
}

/// Writes for each element the reduction of all elements up to and including it. The input is cast to the dtype of the
/// output first.
///
/// Sums and products are defined for numbers, minima and maxima for ordered dtypes, log-sum-exps for real floats.
///
/// # Panics
/// For other dtypes.
pub(crate) fn scan<'x>(
    kind: ScanKind,
    out: AnyViewMut<'x>,
    source: &Source<'_>,
    axis: usize,
) -> Written<'x> {
    let dtype = out.dtype();
    let job = ScanJob { out, source, axis, kind };
    let written = match kind {
        ScanKind::Min | ScanKind::Max => dtype.with_ordered(MinMaxScan(job)),
        ScanKind::Sum | ScanKind::Product if dtype == DType::Complex64 => {
            Some(job.complex::<f32>())
        }
        ScanKind::Sum | ScanKind::Product if dtype == DType::Complex128 => {
            Some(job.complex::<f64>())
        }
        _ if dtype.is_floating() => dtype.with_float(FloatScan(job)),
        ScanKind::LogSumExp => None,
        _ => dtype.with_integer(IntegerScan(job)),
    };
    written.expect("the operation has checked the dtype")
}

/// The arguments of a scan.
struct ScanJob<'x, 's> {
    out: AnyViewMut<'x>,
    source: &'s Source<'s>,
    axis: usize,
    kind: ScanKind,
}

impl<'x> ScanJob<'x, '_> {
    /// Calls a function for each lane.
    fn for_each_lane<T: Element>(
        self,
        cost: usize,
        f: &(dyn Fn(RawSlice<'_, T>, &mut [T]) + Sync),
    ) -> Written<'x> {
        map_lanes_of_source(
            self.out,
            self.source,
            self.axis,
            cost,
            |_| (),
            |(), lane, out| f(lane, out),
        )
    }

    /// Writes `value` of a state that accumulates one element after the other.
    fn accumulate<T: Element, S: Copy + Sync>(
        self,
        cost: usize,
        start: S,
        step: impl Fn(S, T) -> S + Sync,
        value: impl Fn(S) -> T + Sync,
    ) -> Written<'x> {
        self.for_each_lane(cost, &|lane: RawSlice<'_, T>, out: &mut [T]| {
            let (initial, rest) = out.split_at_mut(out.len() - lane.len());
            initial.fill(value(start));
            let mut total = start;
            for (out, x) in rest.iter_mut().zip(lane.iter()) {
                total = step(total, x);
                *out = value(total);
            }
        })
    }

    fn complex<R: Float>(self) -> Written<'x>
    where
        Complex<R>: Element,
    {
        let wide = |x: Complex<R>| x.cast::<Complex<f64>>();
        match self.kind {
            ScanKind::Sum => self.accumulate(
                4,
                [CompensatedSum::ZERO; 2],
                |[re, im], x: Complex<R>| [re.plus(wide(x).re), im.plus(wide(x).im)],
                |[re, im]| Complex::<R>::from_complex(re.value(), im.value()),
            ),
            _ => self.accumulate(
                4,
                Complex::new(1.0, 0.0),
                |total, x: Complex<R>| total * wide(x),
                |total| Complex::<R>::from_complex(total.re, total.im),
            ),
        }
    }
}

/// A scan of integers.
struct IntegerScan<'x, 's>(ScanJob<'x, 's>);

impl<'x> IntegerTask for IntegerScan<'x, '_> {
    type Output = Written<'x>;

    fn run<T: Element<Wide: Integer>>(self) -> Written<'x> {
        let (zero, one) = (T::Wide::ZERO, T::Wide::ONE);
        match self.0.kind {
            ScanKind::Sum => {
                self.0.accumulate(2, zero, |total, x: T| total.plus(x.widen()), T::narrow)
            }
            _ => self.0.accumulate(2, one, |total, x: T| total.times(x.widen()), T::narrow),
        }
    }
}

/// A scan of real floats.
struct FloatScan<'x, 's>(ScanJob<'x, 's>);

impl<'x> FloatTask for FloatScan<'x, '_> {
    type Output = Written<'x>;

    fn run<T: Element<Wide: Float>>(self) -> Written<'x> {
        let wide = |x: T| x.widen().double();
        match self.0.kind {
            ScanKind::Sum => {
                let step = |total: CompensatedSum, x: T| total.plus(wide(x));
                self.0.accumulate(4, CompensatedSum::ZERO, step, |total| T::from_f64(total.value()))
            }
            ScanKind::Product => {
                self.0.accumulate(2, 1.0, |total: f64, x: T| total * wide(x), T::from_f64)
            }
            _ => {
                let step = |total: f64, x: T| log_add_exp(total, wide(x));
                self.0.accumulate(32, f64::NEG_INFINITY, step, T::from_f64)
            }
        }
    }
}

/// Returns `log(exp(a) + exp(b))`.
fn log_add_exp(a: f64, b: f64) -> f64 {
    let (max, other) = if a >= b || a.is_nan() { (a, b) } else { (b, a) };
    match max.is_infinite() {
        // The difference of two infinities is a NaN; the logarithm of their sum is one of them.
        true if !other.is_nan() => max,
        _ => max + (other - max).exp().ln_1p(),
    }
}

/// A minimum or maximum scan.
struct MinMaxScan<'x, 's>(ScanJob<'x, 's>);

impl<'x> OrderedTask for MinMaxScan<'x, '_> {
    type Output = Written<'x>;

    fn run<T: Element<Wide: Comparable>>(self) -> Written<'x> {
        let is_max = self.0.kind == ScanKind::Max;
        self.0.for_each_lane(2, &|lane: RawSlice<'_, T>, out: &mut [T]| {
            if lane.is_empty() {
                return;
            }
            let mut best = lane.get(0).widen();
            for (out, x) in out.iter_mut().zip(lane.iter()) {
                let x = x.widen();
                best = if is_max { best.greater(x) } else { best.smaller(x) };
                *out = T::narrow(best);
            }
        })
    }
}
