//! Variance and standard deviation.
//!
//! Each block is read twice: for its mean first, then for the deviations from it and their squares. Blocks are
//! merged by the formula of Chan, Golub and LeVeque, so that there is no cancellation between large squares.
//! Everything is computed in `f64`; integers are cast. The setting's number is the correction, and its choice is
//! the standard deviation.

use super::sum::is_nan;
use crate::dtype::{Float, MulAdd, Scalar, WideFloatTask};
use crate::kernel::reducer::{Reducer, TypedTotals};
use crate::kernel::reduction::{Setting, TWO_PASS_COLS, TwoPassReduction, add_rows_twice};
use crate::kernel::row_block::{Columns, RowBlock, TypedRows};
use crate::kernel::row_loops::{reduce_rows, reduce_rows_to_pairs};
use crate::{Complex, DType, Element};
use std::marker::PhantomData;

/// Returns the reducer for `var` and `std`: `float64` for integers, a real dtype for complex elements.
pub(crate) fn variance(dtype: DType) -> Option<Reducer> {
    variance_of::<false>(dtype)
}

/// Returns the reducer for `nanvar` and `nanstd`, which skip NaNs.
pub(crate) fn nan_variance(dtype: DType) -> Option<Reducer> {
    variance_of::<true>(dtype)
}

fn variance_of<const SKIP: bool>(dtype: DType) -> Option<Reducer> {
    match dtype {
        DType::Complex64 => Some(Reducer::two_pass::<ComplexVariance<f32, SKIP>>()),
        DType::Complex128 => Some(Reducer::two_pass::<ComplexVariance<f64, SKIP>>()),
        _ if dtype.is_floating() => dtype.with_wide_float(VarianceTask::<SKIP>),
        _ => variance_of::<false>(DType::Float64),
    }
}

struct VarianceTask<const SKIP: bool>;

impl<const SKIP: bool> WideFloatTask for VarianceTask<SKIP> {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>, W: Element<Wide: Float>>(self) -> Reducer {
        Reducer::two_pass_in::<Variance<T, SKIP>, Variance<W, SKIP>>()
    }
}

/// Returns the variance or the standard deviation. If the divisor is not positive, the result is that of NumPy: a
/// division by zero, or a NaN if NaNs are skipped.
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

/// The variance of real elements; NaNs are skipped if `SKIP`.
struct Variance<T, const SKIP: bool>(PhantomData<T>);

/// The number of elements, their mean, and the sum of the squared deviations from it. The mean is `near + rest`: near a
/// large number a single `f64` has no digits left for small differences of means.
#[derive(Clone, Copy)]
struct Moments {
    count: f64,
    near: f64,
    rest: f64,
    squares: f64,
}

impl<T: Element<Wide: Float>, const SKIP: bool> TwoPassReduction for Variance<T, SKIP> {
    type In = T;
    /// The sum of a block, then its rounded mean; and the number of elements.
    type Base = (f64, f64);
    /// The sums of the deviations and of their squares.
    type Sum = (f64, f64);
    type Total = Moments;
    type Out = T;

    const ROWS_HAVE_AVX512: bool = true;
    const BASE: (f64, f64) = (0.0, 0.0);
    const SUM: (f64, f64) = (0.0, 0.0);
    const TOTAL: Moments = Moments { count: 0.0, near: 0.0, rest: 0.0, squares: 0.0 };

    #[inline(always)]
    fn step_base((sum, n): (f64, f64), x: T, _: Setting) -> (f64, f64) {
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
    fn finish_base((sum, n): (f64, f64), count: usize, _: Setting) -> (f64, f64) {
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
        let deviation = x.widen().double() - mean;
        let deviation = if SKIP && x.widen().is_nan() { 0.0 } else { deviation };
        (sum + deviation, squares + deviation * deviation)
    }

    #[inline(always)]
    fn add_rows<M: MulAdd>(
        rows: TypedRows<'_, T>,
        mut totals: TypedTotals<'_, Moments>,
        setting: Setting,
    ) {
        if SKIP {
            return add_rows_twice::<Self, M>(rows, totals, setting);
        }
        let RowBlock { rows: n_rows, cols: n_cols, .. } = rows.block();
        let room = || Columns::<f64, TWO_PASS_COLS>::new();
        let (mut means, mut sums, mut squares) = (room(), room(), room());
        let mut from = 0;
        while from < n_cols {
            let cols = TWO_PASS_COLS.min(n_cols - from);
            let rows = rows.columns(from, cols);
            let means = means.filled(0.0, cols);
            let no_bases = &[(); TWO_PASS_COLS][..cols];
            reduce_rows(rows, means, no_bases, |sum, x, ()| sum + x.widen().double());
            let mut c = 0;
            while c < cols {
                means[c] /= n_rows as f64;
                c += 1;
            }
            let (sums, squares) = (sums.filled(0.0, cols), squares.filled(0.0, cols));
            let step = |sums, x, mean| Self::step::<M>(sums, x, (mean, 0.0), setting);
            reduce_rows_to_pairs(rows, (sums, squares), means, step);
            let mut c = 0;
            while c < cols {
                let block = Self::total((means[c], n_rows as f64), (sums[c], squares[c]));
                totals.set(from + c, Self::merge(totals.get(from + c), block, setting));
                c += 1;
            }
            from += cols;
        }
    }

    #[inline(always)]
    fn plus(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
        (a.0 + b.0, a.1 + b.1)
    }

    #[inline(always)]
    fn total((near, count): (f64, f64), (sum, squares): (f64, f64)) -> Moments {
        let rest = if count == 0.0 { 0.0 } else { sum / count };
        // The sum of the deviations is the error of the mean times the count.
        let squares = squares - sum * rest;
        Moments { count, near, rest, squares: if squares < 0.0 { 0.0 } else { squares } }
    }

    #[inline(always)]
    fn merge(a: Moments, b: Moments, _: Setting) -> Moments {
        if a.count == 0.0 || b.count == 0.0 {
            return if a.count == 0.0 { b } else { a };
        }
        let deviation = (b.near - a.near) + (b.rest - a.rest);
        let count = a.count + b.count;
        let weight = b.count / count;
        let squares = a.squares + b.squares + deviation * deviation * (a.count * weight);
        Moments { count, near: a.near, rest: a.rest + deviation * weight, squares }
    }

    fn finish(total: Moments, setting: Setting) -> T {
        T::from_f64(result(total.count, total.squares, SKIP, setting))
    }
}

/// The number of complex elements, their mean, and the sum of the squared deviations from it.
#[derive(Clone, Copy)]
struct ComplexMoments {
    count: f64,
    mean: Complex<f64>,
    squares: f64,
}

/// The variance of complex elements; NaNs are skipped if `SKIP`.
struct ComplexVariance<R, const SKIP: bool>(PhantomData<R>);

impl<R: Float + Element, const SKIP: bool> TwoPassReduction for ComplexVariance<R, SKIP>
where
    Complex<R>: Element,
{
    type In = Complex<R>;
    type Base = (Complex<f64>, f64);
    type Sum = f64;
    type Total = ComplexMoments;
    type Out = R;

    const BASE: (Complex<f64>, f64) = (Complex::new(0.0, 0.0), 0.0);
    const SUM: f64 = 0.0;
    const TOTAL: ComplexMoments =
        ComplexMoments { count: 0.0, mean: Complex::new(0.0, 0.0), squares: 0.0 };

    #[inline(always)]
    fn step_base((sum, n): (Complex<f64>, f64), x: Complex<R>, _: Setting) -> (Complex<f64>, f64) {
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
    fn finish_base((sum, n): (Complex<f64>, f64), _: usize, _: Setting) -> (Complex<f64>, f64) {
        (if n == 0.0 { sum } else { sum / n }, n)
    }

    #[inline(always)]
    fn step<M: MulAdd>(sum: f64, x: Complex<R>, (mean, _): (Complex<f64>, f64), _: Setting) -> f64 {
        let deviation = x.cast::<Complex<f64>>() - mean;
        if SKIP && is_nan(x) { sum } else { sum + deviation.norm_sqr() }
    }

    #[inline(always)]
    fn plus(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn total((mean, count): (Complex<f64>, f64), squares: f64) -> ComplexMoments {
        ComplexMoments { count, mean, squares }
    }

    #[inline(always)]
    fn merge(a: ComplexMoments, b: ComplexMoments, _: Setting) -> ComplexMoments {
        if a.count == 0.0 || b.count == 0.0 {
            return if a.count == 0.0 { b } else { a };
        }
        let (count, deviation) = (a.count + b.count, b.mean - a.mean);
        let weight = b.count / count;
        let squares = a.squares + b.squares + deviation.norm_sqr() * (a.count * weight);
        ComplexMoments { count, mean: a.mean + deviation * weight, squares }
    }

    fn finish(total: ComplexMoments, setting: Setting) -> R {
        R::from_f64(result(total.count, total.squares, SKIP, setting))
    }
}
