//! Variances, as accurate as if the mean had been known before.
//!
//! Each block is seen twice: its mean first, then the distances from it and their squares. Blocks are
//! joined by their means (Chan, Golub and LeVeque), so that no square of a large number is ever
//! subtracted from another. All of it is in `f64`, integers are converted on the way. The setting's
//! number is the correction, and it chooses the square root.

use super::sum::is_nan;
use crate::dtype::{Float, FloatTask, MulAdd, Scalar};
use crate::kernel::fold::{Setting, Twice};
use crate::kernel::reducer::Reducer;
use crate::{Complex, DType, Element};
use std::marker::PhantomData;

/// The variance or its root: `float64` for integers, a real number for complex ones.
pub(crate) fn moments(dtype: DType) -> Option<Reducer> {
    of::<false>(dtype)
}

/// The same of all that is no NaN.
pub(crate) fn moments_of_numbers(dtype: DType) -> Option<Reducer> {
    of::<true>(dtype)
}

fn of<const SKIP: bool>(dtype: DType) -> Option<Reducer> {
    match dtype {
        DType::Complex64 => Some(Reducer::twice::<ComplexMoments<f32, SKIP>>()),
        DType::Complex128 => Some(Reducer::twice::<ComplexMoments<f64, SKIP>>()),
        _ if dtype.is_floating() => dtype.with_float(Floats::<SKIP>),
        _ => of::<false>(DType::Float64),
    }
}

struct Floats<const SKIP: bool>;

impl<const SKIP: bool> FloatTask for Floats<SKIP> {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>>(self) -> Reducer {
        Reducer::twice::<Moments<T, SKIP>>()
    }
}

/// The variance, or its root. Too few elements have none: NumPy divides by zero then, and calls it
/// a NaN where it passes over NaNs.
fn result(count: f64, squares: f64, is_skipping: bool, setting: Setting) -> f64 {
    let divisor = count - setting.number;
    let variance = match divisor > 0.0 {
        _ if divisor.is_nan() => divisor,
        true => squares / divisor,
        false if is_skipping => f64::NAN,
        false => squares / 0.0,
    };
    if setting.choice { variance.sqrt() } else { variance }
}

struct Moments<T, const SKIP: bool>(PhantomData<T>);

/// How many elements there are, their mean, and the sum of the squares of the distances from it. The mean
/// is in two parts: near a large number one part has no digits left for small differences of means.
#[derive(Clone, Copy)]
struct Moment {
    count: f64,
    near: f64,
    rest: f64,
    squares: f64,
}

impl<T: Element<Wide: Float>, const SKIP: bool> Twice for Moments<T, SKIP> {
    type In = T;
    /// The sum of a block, then its mean, nearly; and how many it is of.
    type Base = (f64, f64);
    /// Of the distances, and of their squares.
    type Sum = (f64, f64);
    type Total = Moment;
    type Out = T;

    const BASE: (f64, f64) = (0.0, 0.0);
    const SUM: (f64, f64) = (0.0, 0.0);
    const TOTAL: Moment = Moment { count: 0.0, near: 0.0, rest: 0.0, squares: 0.0 };

    #[inline(always)]
    fn look((sum, n): (f64, f64), x: T, _: Setting) -> (f64, f64) {
        let x = x.widen().double();
        match SKIP {
            true if x.is_nan() => (sum, n),
            true => (sum + x, n + 1.0),
            false => (sum + x, n),
        }
    }

    #[inline(always)]
    fn join(a: (f64, f64), b: (f64, f64), _: Setting) -> (f64, f64) {
        (a.0 + b.0, a.1 + b.1)
    }

    #[inline(always)]
    fn base((sum, n): (f64, f64), count: usize, _: Setting) -> (f64, f64) {
        let n = if SKIP { n } else { count as f64 };
        (if n == 0.0 { 0.0 } else { sum / n }, n)
    }

    #[inline(always)]
    fn step<M: MulAdd>(
        (sum, squares): (f64, f64),
        x: T,
        (mean, _): (f64, f64),
        _: Setting,
    ) -> (f64, f64) {
        let distance = x.widen().double() - mean;
        let distance = if SKIP && x.widen().is_nan() { 0.0 } else { distance };
        (sum + distance, squares + distance * distance)
    }

    #[inline(always)]
    fn plus(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
        (a.0 + b.0, a.1 + b.1)
    }

    #[inline(always)]
    fn total((near, count): (f64, f64), (sum, squares): (f64, f64)) -> Moment {
        let rest = if count == 0.0 { 0.0 } else { sum / count };
        // What is left of the sum is what the mean was off by.
        let squares = squares - sum * rest;
        Moment { count, near, rest, squares: if squares < 0.0 { 0.0 } else { squares } }
    }

    #[inline(always)]
    fn merge(a: Moment, b: Moment, _: Setting) -> Moment {
        if a.count == 0.0 || b.count == 0.0 {
            return if a.count == 0.0 { b } else { a };
        }
        let distance = (b.near - a.near) + (b.rest - a.rest);
        let count = a.count + b.count;
        let share = b.count / count;
        let squares = a.squares + b.squares + distance * distance * (a.count * share);
        Moment { count, near: a.near, rest: a.rest + distance * share, squares }
    }

    fn finish(total: Moment, setting: Setting) -> T {
        T::from_f64(result(total.count, total.squares, SKIP, setting))
    }
}

/// The same for complex numbers.
#[derive(Clone, Copy)]
struct ComplexMoment {
    count: f64,
    mean: Complex<f64>,
    squares: f64,
}

struct ComplexMoments<R, const SKIP: bool>(PhantomData<R>);

impl<R: Float + Element, const SKIP: bool> Twice for ComplexMoments<R, SKIP>
where
    Complex<R>: Element,
{
    type In = Complex<R>;
    type Base = (Complex<f64>, f64);
    type Sum = f64;
    type Total = ComplexMoment;
    type Out = R;

    const BASE: (Complex<f64>, f64) = (Complex::new(0.0, 0.0), 0.0);
    const SUM: f64 = 0.0;
    const TOTAL: ComplexMoment =
        ComplexMoment { count: 0.0, mean: Complex::new(0.0, 0.0), squares: 0.0 };

    #[inline(always)]
    fn look((sum, n): (Complex<f64>, f64), x: Complex<R>, _: Setting) -> (Complex<f64>, f64) {
        match SKIP {
            true if is_nan(x) => (sum, n),
            _ => (sum + x.cast::<Complex<f64>>(), n + 1.0),
        }
    }

    #[inline(always)]
    fn join(a: (Complex<f64>, f64), b: (Complex<f64>, f64), _: Setting) -> (Complex<f64>, f64) {
        (a.0 + b.0, a.1 + b.1)
    }

    #[inline(always)]
    fn base((sum, n): (Complex<f64>, f64), _: usize, _: Setting) -> (Complex<f64>, f64) {
        (if n == 0.0 { sum } else { sum / n }, n)
    }

    #[inline(always)]
    fn step<M: MulAdd>(sum: f64, x: Complex<R>, (mean, _): (Complex<f64>, f64), _: Setting) -> f64 {
        let distance = x.cast::<Complex<f64>>() - mean;
        if SKIP && is_nan(x) { sum } else { sum + distance.norm_sqr() }
    }

    #[inline(always)]
    fn plus(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn total((mean, count): (Complex<f64>, f64), squares: f64) -> ComplexMoment {
        ComplexMoment { count, mean, squares }
    }

    #[inline(always)]
    fn merge(a: ComplexMoment, b: ComplexMoment, _: Setting) -> ComplexMoment {
        if a.count == 0.0 || b.count == 0.0 {
            return if a.count == 0.0 { b } else { a };
        }
        let (count, distance) = (a.count + b.count, b.mean - a.mean);
        let share = b.count / count;
        let squares = a.squares + b.squares + distance.norm_sqr() * (a.count * share);
        ComplexMoment { count, mean: a.mean + distance * share, squares }
    }

    fn finish(total: ComplexMoment, setting: Setting) -> R {
        R::from_f64(result(total.count, total.squares, SKIP, setting))
    }
}
