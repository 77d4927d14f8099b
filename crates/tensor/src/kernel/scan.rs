//! Running totals along an axis.
//!
//! Totals of floats are `f64`, with what rounding took from them, so that the last of many is as good
//! as the sum. Integers wrap around. A lane of the output that is longer than that of the input begins
//! with the total of nothing.

use super::folds::Exact;
use super::lanes::lanes_of;
use crate::dtype::{Comparable, Float, FloatTask, Integer, IntegerTask, Number, OrderedTask};
use crate::view::{AnyViewMut, Source, Written};
use crate::{Complex, DType, Element};

/// What is totalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Running {
    Sum,
    Product,
    Least,
    Greatest,
    /// The logarithm of the sum of exponentials.
    LogSumExp,
}

/// Writes the totals of all elements up to each. The input is converted to the type of the output first.
///
/// Sums and products are of numbers, extremes of what has an order, and the rest of real floats; for
/// other types this panics.
pub(crate) fn scan<'x>(
    running: Running,
    out: AnyViewMut<'x>,
    source: &Source<'_>,
    axis: usize,
) -> Written<'x> {
    let dtype = out.dtype();
    let job = Job { out, source, axis, running };
    let written = match running {
        Running::Least | Running::Greatest => dtype.with_ordered(Extremes(job)),
        Running::Sum | Running::Product if dtype == DType::Complex64 => Some(job.complex::<f32>()),
        Running::Sum | Running::Product if dtype == DType::Complex128 => Some(job.complex::<f64>()),
        _ if dtype.is_floating() => dtype.with_float(Floats(job)),
        Running::LogSumExp => None,
        _ => dtype.with_integer(Integers(job)),
    };
    written.expect("an operation asks for types that there are")
}

struct Job<'x, 's> {
    out: AnyViewMut<'x>,
    source: &'s Source<'s>,
    axis: usize,
    running: Running,
}

impl<'x> Job<'x, '_> {
    /// Calls a function for each lane.
    fn along<T: Element>(self, cost: usize, f: &(dyn Fn(&[T], &mut [T]) + Sync)) -> Written<'x> {
        lanes_of(self.out, self.source, self.axis, cost, || (), |(), lane, place| f(lane, place))
    }

    /// The totals of a state that takes up one element after the other.
    fn totals<T: Element, S: Copy + Sync>(
        self,
        cost: usize,
        start: S,
        step: impl Fn(S, T) -> S + Sync,
        value: impl Fn(S) -> T + Sync,
    ) -> Written<'x> {
        self.along(cost, &|lane: &[T], place: &mut [T]| {
            let (initial, rest) = place.split_at_mut(place.len() - lane.len());
            initial.fill(value(start));
            let mut total = start;
            for (place, &x) in rest.iter_mut().zip(lane) {
                total = step(total, x);
                *place = value(total);
            }
        })
    }

    fn complex<R: Float>(self) -> Written<'x>
    where
        Complex<R>: Element,
    {
        let wide = |x: Complex<R>| x.cast::<Complex<f64>>();
        match self.running {
            Running::Sum => self.totals(
                4,
                [Exact::ZERO; 2],
                |[re, im], x: Complex<R>| [re.plus(wide(x).re), im.plus(wide(x).im)],
                |[re, im]| Complex::<R>::from_complex(re.value(), im.value()),
            ),
            _ => self.totals(
                4,
                Complex::new(1.0, 0.0),
                |total, x: Complex<R>| total * wide(x),
                |total| Complex::<R>::from_complex(total.re, total.im),
            ),
        }
    }
}

struct Integers<'x, 's>(Job<'x, 's>);

impl<'x> IntegerTask for Integers<'x, '_> {
    type Output = Written<'x>;

    fn run<T: Element<Wide: Integer>>(self) -> Written<'x> {
        let (zero, one) = (T::Wide::ZERO, T::Wide::ONE);
        match self.0.running {
            Running::Sum => self.0.totals(2, zero, |total, x: T| total.plus(x.widen()), T::narrow),
            _ => self.0.totals(2, one, |total, x: T| total.times(x.widen()), T::narrow),
        }
    }
}

struct Floats<'x, 's>(Job<'x, 's>);

impl<'x> FloatTask for Floats<'x, '_> {
    type Output = Written<'x>;

    fn run<T: Element<Wide: Float>>(self) -> Written<'x> {
        let wide = |x: T| x.widen().double();
        match self.0.running {
            Running::Sum => {
                let step = |total: Exact, x: T| total.plus(wide(x));
                self.0.totals(4, Exact::ZERO, step, |total| T::from_f64(total.value()))
            }
            Running::Product => {
                self.0.totals(2, 1.0, |total: f64, x: T| total * wide(x), T::from_f64)
            }
            _ => {
                let step = |total: f64, x: T| log_of_sum(total, wide(x));
                self.0.totals(32, f64::NEG_INFINITY, step, T::from_f64)
            }
        }
    }
}

/// The logarithm of the sum of two exponentials.
fn log_of_sum(a: f64, b: f64) -> f64 {
    let (top, other) = if a >= b || a.is_nan() { (a, b) } else { (b, a) };
    match top.is_infinite() {
        // The difference of two infinities is no number; their sum is one of them.
        true if !other.is_nan() => top,
        _ => top + (other - top).exp().ln_1p(),
    }
}

struct Extremes<'x, 's>(Job<'x, 's>);

impl<'x> OrderedTask for Extremes<'x, '_> {
    type Output = Written<'x>;

    fn run<T: Element<Wide: Comparable>>(self) -> Written<'x> {
        let is_greatest = self.0.running == Running::Greatest;
        self.0.along(2, &|lane: &[T], place: &mut [T]| {
            let Some(&first) = lane.first() else { return };
            let mut best = first.widen();
            for (place, &x) in place.iter_mut().zip(lane) {
                let x = x.widen();
                best = if is_greatest { best.greater(x) } else { best.smaller(x) };
                *place = T::narrow(best);
            }
        })
    }
}
