//! Medians, quantiles and percentiles.

use super::sort::check_room;
use crate::kernel::cast::cast;
use crate::kernel::map::map;
use crate::kernel::quantile::{Quantiles, quantiles};
use crate::op::axes::Axes;
use crate::op::operand::{Operand, Target};
use crate::op::settled::Settled;
use crate::view::{Call, Input, Source, fresh, read};
use crate::{DType, Error, Layout, Shape, Tensor, assign_into};
use std::panic::Location;

pub use crate::kernel::quantile::Interpolation;

/// What is asked for.
struct Request {
    call: Call,
    between: Interpolation,
    skips_nan: bool,
    /// What the whole is: 1 or 100.
    whole: f64,
}

impl Tensor {
    /// The value below which a share `q` of the elements over some axes is, `q` from 0 to 1. Between
    /// two elements it is interpolated. The axes of `q`, if it is a tensor, come first in the result.
    /// Integers become `float64`. If there is a NaN, or nothing, the result is a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2, 3], [4, 5, 9]];
    /// assert_eq!(x.quantile(0.5, 1)?.to_vec::<f64>()?, [2.0, 5.0]);
    /// let quarters = x.quantile(&tensor![0.25, 0.75], 1)?;
    /// assert_eq!(quarters.to_vec::<f64>()?, [1.5, 4.5, 2.5, 7.0]);
    /// assert_eq!(x.quantile(1.0, ())?.item::<f64>()?, 9.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, `q` is not from 0 to 1, the type is complex, or there is not enough memory.
    ///
    /// # Memory
    /// The result is new. Each thread packs the elements of one result at a time.
    #[track_caller]
    pub fn quantile<'a>(
        &self,
        q: impl Into<Operand<'a>>,
        axes: impl Into<Axes>,
    ) -> Result<Tensor, Error> {
        Request::new("quantile").of(self, q.into(), axes.into())
    }

    /// [`Tensor::quantile`] with another way to choose a value between two elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere::Interpolation;
    ///
    /// let x = tensor![10, 20, 30, 40];
    /// assert_eq!(x.quantile_by(0.5, (), Interpolation::Lower)?.item::<f64>()?, 20.0);
    /// assert_eq!(x.quantile_by(0.4, (), Interpolation::Nearest)?.item::<f64>()?, 20.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// As for that.
    #[track_caller]
    pub fn quantile_by<'a>(
        &self,
        q: impl Into<Operand<'a>>,
        axes: impl Into<Axes>,
        between: Interpolation,
    ) -> Result<Tensor, Error> {
        Request { between, ..Request::new("quantile") }.of(self, q.into(), axes.into())
    }

    /// [`Tensor::quantile`] of what is not a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1.0, f64::NAN, 3.0];
    /// assert_eq!(x.nanquantile(0.5, 0)?.item::<f64>()?, 2.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// As for that.
    #[track_caller]
    pub fn nanquantile<'a>(
        &self,
        q: impl Into<Operand<'a>>,
        axes: impl Into<Axes>,
    ) -> Result<Tensor, Error> {
        Request { skips_nan: true, ..Request::new("nanquantile") }.of(self, q.into(), axes.into())
    }

    /// [`Tensor::nanquantile`] with another way to choose a value between two elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere::Interpolation;
    ///
    /// let x = tensor![1.0, f64::NAN, 3.0];
    /// assert_eq!(x.nanquantile_by(0.5, 0, Interpolation::Higher)?.item::<f64>()?, 3.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// As for that.
    #[track_caller]
    pub fn nanquantile_by<'a>(
        &self,
        q: impl Into<Operand<'a>>,
        axes: impl Into<Axes>,
        between: Interpolation,
    ) -> Result<Tensor, Error> {
        let request = Request { between, skips_nan: true, ..Request::new("nanquantile") };
        request.of(self, q.into(), axes.into())
    }

    /// [`Tensor::quantile`] with `q` from 0 to 100.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].percentile(75, 0)?.item::<f64>()?, 2.5);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for that; and if `q` is not from 0 to 100.
    ///
    /// # Memory
    /// As for that.
    #[track_caller]
    pub fn percentile<'a>(
        &self,
        q: impl Into<Operand<'a>>,
        axes: impl Into<Axes>,
    ) -> Result<Tensor, Error> {
        Request { whole: 100.0, ..Request::new("percentile") }.of(self, q.into(), axes.into())
    }

    /// The middle element over some axes, or the mean of the two in the middle. Integers become
    /// `float64`. If there is a NaN, or nothing, the result is a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[7, 1, 2], [5, 3, 8]];
    /// assert_eq!(x.median(1)?.to_vec::<f64>()?, [2.0, 5.0]);
    /// assert_eq!(x.median(())?.item::<f64>()?, 4.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, the type is complex, or there is not enough memory.
    ///
    /// # Memory
    /// As for [`Tensor::quantile`].
    #[track_caller]
    pub fn median(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        Request::new("median").of(self, 0.5.into(), axes.into())
    }

    /// [`Tensor::median`] of what is not a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![5.0, f64::NAN, 1.0, 2.0].nanmedian(())?.item::<f64>()?, 2.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// As for that.
    #[track_caller]
    pub fn nanmedian(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        Request { skips_nan: true, ..Request::new("nanmedian") }.of(self, 0.5.into(), axes.into())
    }
}

/// Writes [`Tensor::quantile`] of `x` to `out`.
///
/// ```
/// use belvedere::prelude::*;
///
/// let out = Tensor::zeros([2], DType::Float64)?;
/// belvedere::quantile_into(&tensor![[1, 3], [5, 9]], 0.5, 1, &out)?;
/// assert_eq!(out.to_vec::<f64>()?, [2.0, 7.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// The quantiles are made apart, and then written.
#[track_caller]
pub fn quantile_into<'a>(
    x: &Tensor,
    q: impl Into<Operand<'a>>,
    axes: impl Into<Axes>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    write("quantile", &x.quantile(q, axes)?, out.into())
}

/// Writes [`Tensor::median`] of `x` to `out`.
///
/// ```
/// use belvedere::prelude::*;
///
/// let out = Tensor::zeros([2], DType::Float64)?;
/// belvedere::median_into(&tensor![[1, 3, 4], [5, 9, 0]], 1, &out)?;
/// assert_eq!(out.to_vec::<f64>()?, [3.0, 5.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// The medians are made apart, and then written.
#[track_caller]
pub fn median_into<'a>(
    x: &Tensor,
    axes: impl Into<Axes>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    write("median", &x.median(axes)?, out.into())
}

/// Results are few: they are made apart and then written.
#[track_caller]
fn write(op: &'static str, found: &Tensor, out: Target<'_>) -> Result<(), Error> {
    out.check_shape(op, &found.shape())?;
    assign_into(found, out)
}

impl Request {
    #[track_caller]
    fn new(op: &'static str) -> Request {
        let call = Call { op, caller: Location::caller() };
        Request { call, between: Interpolation::Linear, skips_nan: false, whole: 1.0 }
    }

    fn of(&self, x: &Tensor, q: Operand<'_>, axes: Axes) -> Result<Tensor, Error> {
        if x.dtype().is_complex() {
            return Err(Error::Unsupported { op: self.call.op, dtype: x.dtype() });
        }
        let is_folded = axes.resolve(x.layout())?;
        let (levels, before) = (self.levels(&q)?, q.shape());
        let (lanes, n_folded) = lanes(x, &is_folded)?;
        let (folded, others) = lanes.layout().axes().split_at(n_folded);
        if !lanes.is_empty() {
            check_room(folded.iter().map(|axis| axis.len).product())?;
        }
        let lengths = others.iter().map(|axis| axis.len);
        let shape: Shape = std::iter::once(levels.len()).chain(lengths).collect();
        let wanted =
            Quantiles { levels: &levels, between: self.between, skips_nan: self.skips_nan };
        let found = fresh(
            Layout::row_major(&shape)?,
            DType::Float64,
            [Input::Tensor(&lanes)],
            |out, [view]| quantiles(out, &view, n_folded, wanted),
        )?;
        let kept = (0..x.rank()).filter_map(|k| match is_folded[k] {
            true => axes.keeps().then_some(1),
            false => Some(x.shape()[k]),
        });
        let shape: Shape = before.iter().copied().chain(kept).collect();
        let found = found.view(&*shape)?;
        match x.dtype().is_floating() && x.dtype() != DType::Float64 {
            true => narrowed(&found, x.dtype()),
            false => Ok(found),
        }
    }

    /// The shares that are asked for, from 0 to 1.
    fn levels(&self, q: &Operand<'_>) -> Result<Vec<f64>, Error> {
        let q = Settled::of_type(q.clone(), DType::Float64, self.call)?;
        let levels = read([q.input()], |[view]| view.typed::<f64>()?.to_vec())??;
        let range = 0.0..=self.whole;
        if let Some(&given) = levels.iter().find(|&it| !range.contains(it)) {
            let needs = if self.whole == 1.0 {
                "quantiles from 0 to 1"
            } else {
                "percentiles from 0 to 100"
            };
            return Err(Error::Argument { op: self.call.op, needs, given });
        }
        Ok(levels.into_iter().map(|it| it / self.whole).collect())
    }
}

/// The elements with the folded axes first, and how many these are. In which order elements are folded does
/// not matter, so the axes are in the order in which they lie in memory, and one if a stride walks through them.
fn lanes(x: &Tensor, is_folded: &[bool]) -> Result<(Tensor, usize), Error> {
    let strides = x.strides();
    let axes = |folded: bool| (0..x.rank()).filter(move |&k| is_folded[k] == folded);
    let mut order: Vec<isize> = axes(true).map(|k| k as isize).collect();
    let backwards: Vec<isize> =
        order.iter().copied().filter(|&k| strides[k as usize] < 0).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(strides[k as usize].unsigned_abs()));
    let n_folded = order.len();
    order.extend(axes(false).map(|k| k as isize));
    let moved = x.flip(&backwards)?.permute_dims(&order)?;
    Ok(match n_folded {
        0 => (moved.unsqueeze(0)?, 1),
        1 => (moved, 1),
        _ => match moved.merge(0, n_folded as isize - 1) {
            Ok(merged) => (merged, 1),
            Err(_) => (moved, n_folded),
        },
    })
}

/// Results as elements of a smaller type.
fn narrowed(found: &Tensor, dtype: DType) -> Result<Tensor, Error> {
    let (layout, body) = (found.layout().clone(), cast(DType::Float64, dtype));
    fresh(layout, dtype, [Input::Tensor(found)], |out, [view]| {
        map(&body, out, &[Source::View(view)])
    })
}
