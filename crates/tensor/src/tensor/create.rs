//! Creation of tensors: zeros, ones, ranges, vectors, functions.

use super::Tensor;
use crate::copies::CopyReason;
use crate::dtype::{Number, NumberTask, iinfo};
use crate::kernel::copy::copy;
use crate::op::execute::compute_new;
use crate::storage::creates_meta;
use crate::trace::{Call, EventKind, NamedParam, Param, announce_new, announce_tensor, composite};
use crate::view::Cell;
use crate::{Complex, DType, Element, Error, Layout, Length, Operand, Shape, Storage, Value};
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
    /// Creates a tensor of zeros in row-major order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3], DType::Float32)?;
    /// assert_eq!(x.to_vec::<f32>()?, [0.0; 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn zeros<L: Length>(shape: impl AsRef<[L]>, dtype: DType) -> Result<Tensor, Error> {
        Tensor::zeros_in(Call::new("zeros"), row_major(shape)?, dtype)
    }

    /// Creates a tensor of zeros in column-major order: the first axis has stride 1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros_col_major([2, 3], DType::Float64)?;
    /// assert_eq!(x.strides(), [1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn zeros_col_major<L: Length>(
        shape: impl AsRef<[L]>,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        Tensor::zeros_in(
            Call::new("zeros_col_major"),
            Layout::col_major(&row_major(shape)?.shape())?,
            dtype,
        )
    }

    /// Creates zeros in a dense layout.
    pub(super) fn zeros_in(call: Call<'_>, layout: Layout, dtype: DType) -> Result<Tensor, Error> {
        if creates_meta() {
            let zeros = Tensor::meta_in(layout, dtype)?;
            announce_new(call, &zeros);
            return Ok(zeros);
        }
        let bytes = layout.len().checked_mul(dtype.size());
        let storage = Storage::zeroed(bytes.ok_or(Error::OutOfMemory { bytes: usize::MAX })?)?;
        let zeros = Tensor::from_storage(storage, layout, dtype)?;
        announce_new(call, &zeros);
        Ok(zeros)
    }

    /// Creates a tensor of ones.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(Tensor::ones([3], DType::Int16)?.to_vec::<i16>()?, [1, 1, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn ones<L: Length>(shape: impl AsRef<[L]>, dtype: DType) -> Result<Tensor, Error> {
        let one = 1u8.cast_cell(dtype);
        Tensor::fresh_full(Call::new("ones"), row_major(shape)?, one, Param::None)
    }

    /// Creates a tensor of one value; its type is the dtype.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::full([2], 1.5f32)?;
    /// assert_eq!(x.dtype(), DType::Float32);
    /// assert_eq!(x.to_vec::<f32>()?, [1.5, 1.5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn full<L: Length, T: Value>(shape: impl AsRef<[L]>, value: T) -> Result<Tensor, Error> {
        let cell = Cell::new(value.into_element());
        let value = Param::if_heard(|| cell.to_param());
        Tensor::fresh_full(Call::new("full"), row_major(shape)?, cell, value)
    }

    /// Creates a tensor of one value with a given dtype.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(Tensor::full_as([2], 7, DType::Float32)?.to_vec::<f32>()?, [7.0, 7.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the dtype cannot hold the value, or there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn full_as<'a, L: Length>(
        shape: impl AsRef<[L]>,
        value: impl Into<Operand<'a>>,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        let (shape, value): (_, Operand<'_>) = (shape.as_ref(), value.into());
        let params = [
            ("shape", Param::if_heard(|| Param::lengths(shape))),
            ("fill_value", Param::if_heard(|| value.to_param())),
            ("dtype", dtype.into()),
        ];
        composite(Call::new("full").with(&params), std::slice::from_ref(&value), || {
            let result = Tensor::zeros(shape, dtype)?;
            result.fill(value.clone())?;
            Ok(result)
        })
    }

    /// Creates a tensor of one value in a dense layout.
    pub(super) fn fresh_full(
        call: Call<'_>,
        layout: Layout,
        cell: Cell,
        value: Param<'_>,
    ) -> Result<Tensor, Error> {
        let shape = layout.shape();
        let dtype = cell.dtype();
        let n_params = if value == Param::None { 2 } else { 3 };
        let params = [("shape", (&*shape).into()), ("dtype", dtype.into()), ("fill_value", value)];
        let call = call.with(&params[..n_params]);
        compute_new(call, layout, dtype, &[cell.into()], |out, [value]| {
            copy(out, &value.broadcast_to(&shape).expect("a scalar broadcasts to every shape"))
        })
    }

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
                given: step,
            });
        }
        let count = ((stop - start) / step).ceil().max(0.0);
        if !start.is_finite() || !stop.is_finite() || count >= isize::MAX as f64 {
            return Err(Error::Argument { op: "arange", needs: "finite bounds", given: stop });
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
        let argument = |needs, given| Err(Error::Argument { op: "arange", needs, given });
        if step == 0 {
            return argument("a step that is not 0", 0.0);
        }
        let is_small = |it: &&i128| (-(1 << 64)..=1 << 64).contains(*it);
        if let Some(&far) = [start, stop, step].iter().find(|it| !is_small(it)) {
            return argument("integers of 64 bits", far as f64);
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
            return Err(Error::Argument { op: "linspace", needs: "finite bounds", given });
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

    /// Creates a matrix with ones on a diagonal and zeros elsewhere.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::eye(2, 3, 1, DType::Int8)?;
    /// assert_eq!(x.to_vec::<i8>()?, [0, 1, 0, 0, 0, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn eye(rows: usize, cols: usize, shift: isize, dtype: DType) -> Result<Tensor, Error> {
        let params = [
            ("n_rows", rows.into()),
            ("n_cols", cols.into()),
            ("k", shift.into()),
            ("dtype", dtype.into()),
        ];
        composite(Call::new("eye").with(&params), &[], || {
            let matrix = Tensor::zeros([rows, cols], dtype)?;
            let fits =
                if shift < 0 { shift.unsigned_abs() < rows } else { (shift as usize) < cols };
            if fits {
                let diagonal = matrix.layout.diagonal(shift, 0, 1)?;
                matrix.with_layout(diagonal).fill(true)?;
            }
            Ok(matrix)
        })
    }

    /// Takes over the memory of a vector, in row-major order; one length may be -1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::from_vec(vec![1, 2, 3, 4, 5, 6], [2, -1])?;
    /// assert_eq!(x.shape(), [2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shape has another number of elements.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn from_vec<L: Length, T: Value>(
        values: Vec<T>,
        shape: impl AsRef<[L]>,
    ) -> Result<Tensor, Error> {
        let flat = Layout::row_major(&[values.len()])?;
        let layout = flat.view(shape)?;
        let tensor = Tensor::from_storage(Storage::from_vec(values), layout, T::DTYPE)?;
        announce_tensor(Call::new("from_vec"), EventKind::Import, &tensor);
        Ok(tensor)
    }

    /// Copies a slice, in row-major order; one length may be -1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::from_slice(&[1, 2, 3, 4], [2, 2])?;
    /// assert_eq!(x.get::<i32>(&[1, 0])?, 3);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shape has another number of elements, or there is not enough memory.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn from_slice<L: Length, T: Value>(
        values: &[T],
        shape: impl AsRef<[L]>,
    ) -> Result<Tensor, Error> {
        let call = Call::new("from_slice").copying(CopyReason::Requested);
        composite(call, &[], || {
            let mut copied = reserve(values.len())?;
            copied.extend_from_slice(values);
            Tensor::from_vec(copied, shape)
        })
    }

    /// Creates a tensor by calling a function with each index.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::from_fn([2, 3], |index| (index[0] * 10 + index[1]) as i32)?;
    /// assert_eq!(x.to_vec::<i32>()?, [0, 1, 2, 10, 11, 12]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn from_fn<L: Length, T: Value>(
        shape: impl AsRef<[L]>,
        mut f: impl FnMut(&[usize]) -> T,
    ) -> Result<Tensor, Error> {
        let call = Call::new("from_fn");
        let layout = row_major(shape)?;
        if creates_meta() {
            return composite(call, &[], || Tensor::meta_in(layout, T::DTYPE));
        }
        let shape = layout.shape();
        let count = shape.iter().product();
        let mut values = reserve(count)?;
        let mut index = vec![0; shape.len()];
        for _ in 0..count {
            values.push(f(&index));
            for (at, len) in index.iter_mut().zip(&*shape).rev() {
                *at += 1;
                if *at < *len {
                    break;
                }
                *at = 0;
            }
        }
        composite(call, &[], || Tensor::from_vec(values, &*shape))
    }
}

/// Allocates an empty vector with capacity for `count` values.
pub(crate) fn reserve<T>(count: usize) -> Result<Vec<T>, Error> {
    let mut values = Vec::new();
    let bytes = count.saturating_mul(size_of::<T>());
    values.try_reserve_exact(count).map_err(|_| Error::OutOfMemory { bytes })?;
    Ok(values)
}

/// Returns the row-major layout of a shape. A length of -1 is an error: there is nothing to infer it from.
pub(crate) fn row_major<L: Length>(shape: impl AsRef<[L]>) -> Result<Layout, Error> {
    let lengths: Result<Shape, Error> = shape
        .as_ref()
        .iter()
        .map(|&len| {
            len.known().ok_or(Error::Argument {
                op: "shape",
                needs: "lengths of at least 0",
                given: len.given() as f64,
            })
        })
        .collect();
    Ok(Layout::row_major(&lengths?)?)
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

/// A small integer as a [`Cell`] of any dtype.
pub(super) trait CastCell {
    fn cast_cell(self, dtype: DType) -> Cell;
}

impl CastCell for u8 {
    fn cast_cell(self, dtype: DType) -> Cell {
        struct MakeCell(u8);

        impl crate::dtype::AnyTask for MakeCell {
            type Output = Cell;

            fn run<T: Element>(self) -> Cell {
                Cell::new(self.0.cast::<T>())
            }
        }

        dtype.with_any(MakeCell(self))
    }
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

impl Span for Range<i32> {
    fn params(&self) -> [NamedParam<'static>; 4] {
        arange_params(i128::from(self.start), i128::from(self.end), 1, DType::Int32)
    }

    fn numbers(self) -> Result<Tensor, Error> {
        integers(self, |number| number)
    }
}

impl Span for Range<i64> {
    fn params(&self) -> [NamedParam<'static>; 4] {
        arange_params(i128::from(self.start), i128::from(self.end), 1, DType::Int64)
    }

    fn numbers(self) -> Result<Tensor, Error> {
        integers(self, |number| number)
    }
}

impl Span for Range<u64> {
    fn params(&self) -> [NamedParam<'static>; 4] {
        arange_params(i128::from(self.start), i128::from(self.end), 1, DType::UInt64)
    }

    fn numbers(self) -> Result<Tensor, Error> {
        integers(self, |number| number)
    }
}

impl Span for Range<usize> {
    fn params(&self) -> [NamedParam<'static>; 4] {
        arange_params(self.start as i128, self.end as i128, 1, DType::UInt64)
    }

    fn numbers(self) -> Result<Tensor, Error> {
        integers(self, |number| number as u64)
    }
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
