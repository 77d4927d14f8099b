//! Ranges of numbers: `arange` and `linspace`.

use super::Tensor;
use super::create::reserve;
use crate::dtype::{Number, NumberTask, iinfo};
use crate::storage::creates_meta;
use crate::trace::{Call, NamedParam, Param, composite};
use crate::{Complex, DType, Element, Error, Layout, Value};
use std::ops::Range;

/// A range of numbers for [`Tensor::arange`]: `0..10`, `0.0..1.0`.
pub trait Span {
    /// Creates its numbers, with step 1.
    #[doc(hidden)]
    fn numbers(self) -> Result<Tensor, Error>;

    /// Returns the parameters of `arange` for these numbers.
    #[doc(hidden)]
    fn params(&self) -> [(&'static str, Param<'static>); 4];
}

impl Tensor {
    /// Creates the numbers of a range with step 1; the type of its bounds is the dtype.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(Tensor::arange(0..4)?.to_vec::<i32>()?, [0, 1, 2, 3]);
    /// assert_eq!(Tensor::arange(0.5..3.0)?.to_vec::<f64>()?, [0.5, 1.5, 2.5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a bound is not finite, or there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn arange(range: impl Span) -> Result<Tensor, Error> {
        let params = range.params();
        composite(Call::new("arange").with(&params), &[], || range.numbers())
    }

    /// Creates the numbers from `start` up to `stop` (excluded) with a step.
    ///
    /// Each is computed as `start + i * step`, so that rounding errors do not accumulate.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange_step(10.0, 0.0, -4.0, DType::Int32)?;
    /// assert_eq!(x.to_vec::<i32>()?, [10, 6, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the step is zero, a number is not finite or out of the range of the dtype, the dtype is `bool`, or
    /// there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn arange_step(start: f64, stop: f64, step: f64, dtype: DType) -> Result<Tensor, Error> {
        let params = arange_params(start, stop, step, dtype);
        let call = Call::new("arange").with(&params);
        if !step.is_finite() || step == 0.0 {
            return Err(Error::Argument {
                op: "arange",
                needs: "a step that is not 0",
                given: step.into(),
            });
        }
        let count = ((stop - start) / step).ceil().max(0.0);
        if !start.is_finite() || !stop.is_finite() || count >= isize::MAX as f64 {
            return Err(Error::Argument {
                op: "arange",
                needs: "finite bounds",
                given: stop.into(),
            });
        }
        Tensor::ramp(call, count as usize, dtype, move |i| start + i as f64 * step)
    }

    /// Creates the integers from `start` up to `stop` (excluded) with a step, exactly.
    ///
    /// Unlike [`Tensor::arange_step`], it covers integers that no `f64` represents.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange_integers(1 << 62, (1 << 62) + 4, 3, DType::Int64)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1 << 62, (1 << 62) + 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the step is zero, a number is out of the range of the dtype or of 64 bits, the dtype is `bool`, or
    /// there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn arange_integers(
        start: i128,
        stop: i128,
        step: i128,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        let params = arange_params(start, stop, step, dtype);
        let call = Call::new("arange").with(&params);
        let argument =
            |needs, given: i128| Err(Error::Argument { op: "arange", needs, given: given.into() });
        if step == 0 {
            return argument("a step that is not 0", 0);
        }
        let is_small = |it: &&i128| (-(1 << 64)..=1 << 64).contains(*it);
        if let Some(&far) = [start, stop, step].iter().find(|it| !is_small(it)) {
            return argument("integers of 64 bits", far);
        }
        let span = if step > 0 { stop - start } else { start - stop };
        let count = usize::try_from(span.max(0).unsigned_abs().div_ceil(step.unsigned_abs()));
        let count = count.map_err(|_| Error::OutOfMemory { bytes: usize::MAX })?;
        let at = |i: usize| start + i as i128 * step;
        let limits = match iinfo(dtype) {
            Ok(info) => i128::from(info.min)..=i128::from(info.max),
            Err(_) => i128::from(i64::MIN)..=i128::from(u64::MAX),
        };
        let ends = count.checked_sub(1).map(|last| [at(0), at(last)]);
        if let Some(&value) = ends.iter().flatten().find(|&it| !limits.contains(it)) {
            return Err(Error::ScalarRange { value, dtype });
        }
        Tensor::counted(call, count, dtype, &at)
    }

    /// Creates a vector of 64-bit integers as a function of the position.
    fn counted(
        call: Call<'_>,
        count: usize,
        dtype: DType,
        at: &dyn Fn(usize) -> i128,
    ) -> Result<Tensor, Error> {
        struct Counted<'a>(usize, &'a dyn Fn(usize) -> i128);

        impl NumberTask for Counted<'_> {
            type Output = Result<Tensor, Error>;

            fn run<T: Element<Wide: Number>>(self) -> Result<Tensor, Error> {
                let mut values = reserve::<T>(self.0)?;
                values.extend((0..self.0).map(|i| match u64::try_from((self.1)(i)) {
                    Ok(number) => T::from_u64(number),
                    Err(_) => T::from_i64((self.1)(i) as i64),
                }));
                Tensor::from_vec(values, [self.0])
            }
        }

        let op = call.op;
        composite(call, &[], || {
            if creates_meta() {
                return Tensor::meta_in(Layout::row_major(&[count])?, dtype);
            }
            let counted = dtype.with_number(Counted(count, at));
            counted.unwrap_or(Err(Error::Unsupported { op, dtype }))
        })
    }

    /// Creates `count` evenly spaced numbers from `start` to `stop`, both included; integer dtypes round down.
    ///
    /// The bounds may be complex for complex dtypes.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::linspace(0.0, 1.0, 5, DType::Float64)?;
    /// assert_eq!(x.to_vec::<f64>()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// let z = Tensor::linspace(1.0, Complex::new(0.0, 2.0), 3, DType::Complex64)?;
    /// assert_eq!(z.imag()?.to_vec::<f32>()?, [0.0, 1.0, 2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a number is not finite or out of the range of the dtype, the dtype is `bool`, or there is not enough
    /// memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn linspace(
        start: impl Into<Complex<f64>>,
        stop: impl Into<Complex<f64>>,
        count: usize,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        let (start, stop) = (start.into(), stop.into());
        let params = linspace_params(start, stop, count, true, dtype);
        composite(Call::new("linspace").with(&params), &[], || {
            Tensor::spaced(start, stop, count, count.saturating_sub(1), dtype)
        })
    }

    /// Creates `count` evenly spaced numbers from `start` to `stop`, without `stop`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::linspace_open(0.0, 1.0, 4, DType::Float64)?;
    /// assert_eq!(x.to_vec::<f64>()?, [0.0, 0.25, 0.5, 0.75]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::linspace`].
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn linspace_open(
        start: impl Into<Complex<f64>>,
        stop: impl Into<Complex<f64>>,
        count: usize,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        let (start, stop) = (start.into(), stop.into());
        let params = linspace_params(start, stop, count, false, dtype);
        composite(Call::new("linspace").with(&params), &[], || {
            Tensor::spaced(start, stop, count, count, dtype)
        })
    }

    /// Creates `count` evenly spaced numbers of which the one at position `last` is `stop`; real and
    /// imaginary parts separately.
    fn spaced(
        start: Complex<f64>,
        stop: Complex<f64>,
        count: usize,
        last: usize,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        if start.im == 0.0 && stop.im == 0.0 {
            return Tensor::spaced_real(start.re, stop.re, count, last, dtype);
        }
        if !dtype.is_complex() {
            return Err(Error::Cast { from: DType::Complex128, to: dtype });
        }
        let part = |start, stop| Tensor::spaced_real(start, stop, count, last, dtype.real());
        let (re, im) = (part(start.re, stop.re)?, part(start.im, stop.im)?);
        let result = Tensor::zeros([count], dtype)?;
        result.real()?.copy_from(&re)?;
        result.imag()?.copy_from(&im)?;
        Ok(result)
    }

    /// Creates the numbers of [`Tensor::spaced`] for real bounds.
    fn spaced_real(
        start: f64,
        stop: f64,
        count: usize,
        last: usize,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        if let Some(&given) = [start, stop].iter().find(|it| !it.is_finite()) {
            return Err(Error::Argument {
                op: "linspace",
                needs: "finite bounds",
                given: given.into(),
            });
        }
        // Divided before subtracting where the difference would overflow.
        let (n, difference) = (last.max(1) as f64, stop - start);
        let width = if difference.is_finite() { difference / n } else { stop / n - start / n };
        let at = move |i: usize| match i {
            0 => start,
            _ if i == last => stop,
            _ => start + i as f64 * width,
        };
        match dtype.is_integer() {
            true => Tensor::ramp(Call::new("linspace"), count, dtype, move |i| at(i).floor()),
            false => Tensor::ramp(Call::new("linspace"), count, dtype, at),
        }
    }

    /// Creates a vector of numbers as a function of the position.
    fn ramp(
        call: Call<'_>,
        count: usize,
        dtype: DType,
        at: impl Fn(usize) -> f64,
    ) -> Result<Tensor, Error> {
        struct Ramp<F>(usize, F);

        impl<F: Fn(usize) -> f64> NumberTask for Ramp<F> {
            type Output = Result<Tensor, Error>;

            fn run<T: Element<Wide: Number>>(self) -> Result<Tensor, Error> {
                let mut values = reserve::<T>(self.0)?;
                values.extend((0..self.0).map(|i| T::from_f64((self.1)(i))));
                Tensor::from_vec(values, [self.0])
            }
        }

        if let (Ok(info), Some(last)) = (iinfo(dtype), count.checked_sub(1)) {
            // The numbers are monotonic, so the first and the last are their limits.
            for value in [at(0) as i128, at(last) as i128] {
                if value < i128::from(info.min) || value > i128::from(info.max) {
                    return Err(Error::ScalarRange { value, dtype });
                }
            }
        }
        let op = call.op;
        composite(call, &[], || {
            if creates_meta() {
                return Tensor::meta_in(Layout::row_major(&[count])?, dtype);
            }
            dtype.with_number(Ramp(count, at)).unwrap_or(Err(Error::Unsupported { op, dtype }))
        })
    }
}

/// Returns the parameters of `arange`.
fn arange_params<T: Into<Param<'static>>>(
    start: T,
    stop: T,
    step: T,
    dtype: DType,
) -> [NamedParam<'static>; 4] {
    let [start, stop, step] = [start, stop, step].map(Into::into);
    [("start", start), ("stop", stop), ("step", step), ("dtype", dtype.into())]
}

/// Returns the parameters of `linspace`.
fn linspace_params(
    start: Complex<f64>,
    stop: Complex<f64>,
    count: usize,
    endpoint: bool,
    dtype: DType,
) -> [NamedParam<'static>; 5] {
    [
        ("start", Param::if_heard(|| start.into())),
        ("stop", Param::if_heard(|| stop.into())),
        ("num", count.into()),
        ("endpoint", endpoint.into()),
        ("dtype", dtype.into()),
    ]
}

/// Creates the integers of a range exactly, as elements of `T`.
fn integers<I, T: Value>(range: Range<I>, cast: impl Fn(I) -> T) -> Result<Tensor, Error>
where
    Range<I>: Iterator<Item = I>,
    I: Copy + TryInto<i128>,
{
    let wide = |bound: I| bound.try_into().ok().expect("64-bit integers fit in 128 bits");
    let count = (wide(range.end) - wide(range.start)).max(0);
    if creates_meta() {
        return Tensor::meta_in(Layout::row_major(&[count as usize])?, T::DTYPE);
    }
    let mut values: Vec<T> = reserve(count as usize)?;
    values.extend(range.map(cast));
    let len = values.len();
    Tensor::from_vec(values, [len])
}

/// Implements [`Span`] for ranges of integers, each with the type and the dtype of the elements.
macro_rules! integer_spans {
    ($($bound:ty => $element:ty, $dtype:ident;)+) => {
        $(impl Span for Range<$bound> {
            fn params(&self) -> [NamedParam<'static>; 4] {
                arange_params(self.start as i128, self.end as i128, 1, DType::$dtype)
            }

            fn numbers(self) -> Result<Tensor, Error> {
                integers(self, |number| number as $element)
            }
        })+
    };
}

integer_spans! {
    i32 => i32, Int32;
    i64 => i64, Int64;
    u64 => u64, UInt64;
    usize => u64, UInt64;
}

impl Span for Range<f32> {
    fn params(&self) -> [NamedParam<'static>; 4] {
        arange_params(f64::from(self.start), f64::from(self.end), 1.0, DType::Float32)
    }

    fn numbers(self) -> Result<Tensor, Error> {
        Tensor::arange_step(f64::from(self.start), f64::from(self.end), 1.0, DType::Float32)
    }
}

impl Span for Range<f64> {
    fn params(&self) -> [NamedParam<'static>; 4] {
        arange_params(self.start, self.end, 1.0, DType::Float64)
    }

    fn numbers(self) -> Result<Tensor, Error> {
        Tensor::arange_step(self.start, self.end, 1.0, DType::Float64)
    }
}
