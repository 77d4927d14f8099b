//! `quantile`, `percentile`, `median` and their variants.

use super::sort::check_key_memory;
use crate::kernel::cast::cast;
use crate::kernel::map::map;
use crate::kernel::quantile::{Quantiles, quantiles};
use crate::op::axes::Axes;
use crate::op::execute::{compute_new, read_operands};
use crate::op::number::WeakScalar;
use crate::op::operand::{Operand, OperandRepr, Target};
use crate::trace::{Call, Param, composite, composite_into};
use crate::view::Source;
use crate::{DType, Error, Layout, Shape, Tensor, assign_into};

pub use crate::kernel::quantile::Interpolation;

/// A quantile computation: interpolation, treatment of NaN, and the scale of `q`.
struct QuantileRequest {
    /// The call without its parameters.
    call: Call<'static>,
    between: Interpolation,
    skips_nan: bool,
    /// The upper end of the range of `q`: 1 for quantiles, 100 for percentiles.
    whole: f64,
}

impl Tensor {
    /// Returns the `q`-th quantile over `axes`, with `q` from 0 to 1 and linear interpolation
    /// between elements.
    ///
    /// If `q` is a tensor, its axes come first in the result. Integers are cast to `float64`. The
    /// result is NaN if any element is NaN, or if there are no elements.
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
    /// Fails if an axis is out of range or listed twice, `q` is not from 0 to 1, the dtype is
    /// complex, or memory cannot be allocated.
    ///
    /// # Memory
    /// The result is a new tensor. Each thread packs the elements of one result at a time.
    #[track_caller]
    pub fn quantile<'a>(
        &self,
        q: impl Into<Operand<'a>>,
        axes: impl Into<Axes>,
    ) -> Result<Tensor, Error> {
        QuantileRequest::new("quantile").compute(self, &q.into(), &axes.into())
    }

    /// Returns [`Tensor::quantile`] with another interpolation between elements.
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
    /// As for [`Tensor::quantile`].
    ///
    /// # Memory
    /// As for [`Tensor::quantile`].
    #[track_caller]
    pub fn quantile_by<'a>(
        &self,
        q: impl Into<Operand<'a>>,
        axes: impl Into<Axes>,
        between: Interpolation,
    ) -> Result<Tensor, Error> {
        QuantileRequest { between, ..QuantileRequest::new("quantile") }.compute(
            self,
            &q.into(),
            &axes.into(),
        )
    }

    /// Returns [`Tensor::quantile`] of the elements that are not NaN.
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
    /// As for [`Tensor::quantile`].
    ///
    /// # Memory
    /// As for [`Tensor::quantile`].
    #[track_caller]
    pub fn nanquantile<'a>(
        &self,
        q: impl Into<Operand<'a>>,
        axes: impl Into<Axes>,
    ) -> Result<Tensor, Error> {
        QuantileRequest { skips_nan: true, ..QuantileRequest::new("nanquantile") }.compute(
            self,
            &q.into(),
            &axes.into(),
        )
    }

    /// Returns [`Tensor::nanquantile`] with another interpolation between elements.
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
    /// As for [`Tensor::quantile`].
    ///
    /// # Memory
    /// As for [`Tensor::quantile`].
    #[track_caller]
    pub fn nanquantile_by<'a>(
        &self,
        q: impl Into<Operand<'a>>,
        axes: impl Into<Axes>,
        between: Interpolation,
    ) -> Result<Tensor, Error> {
        let request =
            QuantileRequest { between, skips_nan: true, ..QuantileRequest::new("nanquantile") };
        request.compute(self, &q.into(), &axes.into())
    }

    /// Returns the `q`-th percentile over `axes`: [`Tensor::quantile`] with `q` from 0 to 100.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].percentile(75, 0)?.item::<f64>()?, 2.5);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::quantile`], with `q` from 0 to 100.
    ///
    /// # Memory
    /// As for [`Tensor::quantile`].
    #[track_caller]
    pub fn percentile<'a>(
        &self,
        q: impl Into<Operand<'a>>,
        axes: impl Into<Axes>,
    ) -> Result<Tensor, Error> {
        QuantileRequest { whole: 100.0, ..QuantileRequest::new("percentile") }.compute(
            self,
            &q.into(),
            &axes.into(),
        )
    }

    /// Returns the median over `axes`: the middle element in sorted order, or the mean of the two
    /// middle elements.
    ///
    /// Integers are cast to `float64`. The result is NaN if any element is NaN, or if there are no
    /// elements.
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
    /// Fails if an axis is out of range or listed twice, the dtype is complex, or memory cannot be
    /// allocated.
    ///
    /// # Memory
    /// As for [`Tensor::quantile`].
    #[track_caller]
    pub fn median(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        QuantileRequest::new("median").compute(self, &0.5.into(), &axes.into())
    }

    /// Returns [`Tensor::median`] of the elements that are not NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![5.0, f64::NAN, 1.0, 2.0].nanmedian(())?.item::<f64>()?, 2.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::median`].
    ///
    /// # Memory
    /// As for [`Tensor::quantile`].
    #[track_caller]
    pub fn nanmedian(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        QuantileRequest { skips_nan: true, ..QuantileRequest::new("nanmedian") }.compute(
            self,
            &0.5.into(),
            &axes.into(),
        )
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
/// As for [`Tensor::quantile`]. Also fails if `out` has another shape than the result, its dtype
/// cannot hold the result, or it cannot be written to.
///
/// # Memory
/// Computes the quantiles in a temporary tensor first.
#[track_caller]
pub fn quantile_into<'a>(
    x: &Tensor,
    q: impl Into<Operand<'a>>,
    axes: impl Into<Axes>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let request = QuantileRequest::new("quantile");
    request.compute_into(x, &q.into(), &axes.into(), out.into())
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
/// As for [`Tensor::median`]. Also fails if `out` has another shape than the result, its dtype
/// cannot hold the result, or it cannot be written to.
///
/// # Memory
/// Computes the medians in a temporary tensor first.
#[track_caller]
pub fn median_into<'a>(
    x: &Tensor,
    axes: impl Into<Axes>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let request = QuantileRequest::new("median");
    request.compute_into(x, &0.5.into(), &axes.into(), out.into())
}

impl QuantileRequest {
    #[track_caller]
    fn new(op: &'static str) -> QuantileRequest {
        let call = Call::new(op);
        QuantileRequest { call, between: Interpolation::Linear, skips_nan: false, whole: 1.0 }
    }

    /// Computes the quantiles `q` of `x` over `axes`.
    fn compute(&self, x: &Tensor, q: &Operand<'_>, axes: &Axes) -> Result<Tensor, Error> {
        let params = self.params(q, axes);
        let call = self.call.with(&params);
        composite(call, inputs(&[x.into(), q.clone()]), || self.reduce(call, x, q, axes))
    }

    /// Computes the quantiles and writes them to `out`.
    fn compute_into(
        &self,
        x: &Tensor,
        q: &Operand<'_>,
        axes: &Axes,
        out: Target<'_>,
    ) -> Result<(), Error> {
        let params = self.params(q, axes);
        let call = self.call.with(&params);
        composite_into(call, inputs(&[x.into(), q.clone()]), out, |out| {
            let found = self.reduce(call, x, q, axes)?;
            out.check_shape(call.op, &found.shape())?;
            assign_into(&found, out)
        })
    }

    /// Returns the parameters of an event. A tensor `q` is an input instead.
    fn params<'p>(&self, q: &Operand<'_>, axes: &'p Axes) -> [(&'static str, Param<'p>); 4] {
        let q = match &q.0 {
            OperandRepr::Scalar(WeakScalar::Float(q)) => Param::Float(*q),
            OperandRepr::Scalar(WeakScalar::Int(q)) => Param::Int(*q),
            _ => Param::None,
        };
        [
            ("q", q),
            ("axis", axes.into()),
            ("keepdims", axes.keeps().into()),
            ("method", method(self.between).into()),
        ]
    }

    /// Reduces `x` over `axes` to the quantiles `q`.
    fn reduce(
        &self,
        call: Call<'_>,
        x: &Tensor,
        q: &Operand<'_>,
        axes: &Axes,
    ) -> Result<Tensor, Error> {
        if x.dtype().is_complex() {
            return Err(Error::Unsupported { op: self.call.op, dtype: x.dtype() });
        }
        let is_reduced = axes.resolve(x.layout())?;
        let (levels, before) = (self.levels(q)?, q.shape());
        let (lanes, n_reduced) = reduced_axes_first(x, &is_reduced)?;
        let (reduced, others) = lanes.layout().axes().split_at(n_reduced);
        if !lanes.is_empty() && !lanes.storage().is_meta() {
            check_key_memory(reduced.iter().map(|axis| axis.len).product())?;
        }
        let lengths = others.iter().map(|axis| axis.len);
        let shape: Shape = std::iter::once(levels.len()).chain(lengths).collect();
        let wanted =
            Quantiles { levels: &levels, between: self.between, skips_nan: self.skips_nan };
        let found = compute_new(
            call,
            Layout::row_major(&shape)?,
            DType::Float64,
            &[(&lanes).into()],
            |out, [view]| quantiles(out, &view, n_reduced, wanted),
        )?;
        let kept = (0..x.rank()).filter_map(|k| match is_reduced[k] {
            true => axes.keeps().then_some(1),
            false => Some(x.shape()[k]),
        });
        let shape: Shape = before.iter().copied().chain(kept).collect();
        let found = found.with_layout(found.layout().view(&*shape)?);
        match x.dtype().is_floating() && x.dtype() != DType::Float64 {
            true => cast_down(call, &found, x.dtype()),
            false => Ok(found),
        }
    }

    /// Returns the values of `q`, checked and scaled to the range from 0 to 1.
    fn levels(&self, q: &Operand<'_>) -> Result<Vec<f64>, Error> {
        let q = q.clone().into_dtype(DType::Float64, self.call)?;
        let levels = read_operands(self.call.part(), std::array::from_ref(&q), |[view]| {
            view.typed::<f64>()?.to_vec()
        })??;
        let range = 0.0..=self.whole;
        if let Some(&given) = levels.iter().find(|&it| !range.contains(it)) {
            let needs = if self.whole == 1.0 {
                "quantiles from 0 to 1"
            } else {
                "percentiles from 0 to 100"
            };
            return Err(Error::Argument { op: self.call.op, needs, given: given.into() });
        }
        Ok(levels.into_iter().map(|it| it / self.whole).collect())
    }
}

/// Returns the inputs of an event, `x` and `q`; without `q` if it is a number, which is a parameter.
fn inputs<'o, 'a>(operands: &'o [Operand<'a>; 2]) -> &'o [Operand<'a>] {
    let is_number = operands[1].dtype().is_none();
    if is_number { &operands[..1] } else { operands }
}

/// Returns NumPy's name of an interpolation.
fn method(between: Interpolation) -> &'static str {
    match between {
        Interpolation::Linear => "linear",
        Interpolation::Lower => "lower",
        Interpolation::Higher => "higher",
        Interpolation::Nearest => "nearest",
        Interpolation::Midpoint => "midpoint",
        Interpolation::InvertedCdf => "inverted_cdf",
        Interpolation::AveragedInvertedCdf => "averaged_inverted_cdf",
        Interpolation::ClosestObservation => "closest_observation",
        Interpolation::InterpolatedInvertedCdf => "interpolated_inverted_cdf",
        Interpolation::Hazen => "hazen",
        Interpolation::Weibull => "weibull",
        Interpolation::MedianUnbiased => "median_unbiased",
        Interpolation::NormalUnbiased => "normal_unbiased",
    }
}

/// Returns a view of `x` with the reduced axes first, and their number.
///
/// The order of the elements within a lane does not affect quantiles. So the reduced axes are flipped to
/// positive strides, sorted by descending stride, and merged into one if a single stride covers them.
fn reduced_axes_first(x: &Tensor, is_reduced: &[bool]) -> Result<(Tensor, usize), Error> {
    let strides = x.strides();
    let axes = |reduced: bool| (0..x.rank()).filter(move |&k| is_reduced[k] == reduced);
    let mut order: Vec<isize> = axes(true).map(|k| k as isize).collect();
    let backwards: Vec<isize> =
        order.iter().copied().filter(|&k| strides[k as usize] < 0).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(strides[k as usize].unsigned_abs()));
    let n_reduced = order.len();
    order.extend(axes(false).map(|k| k as isize));
    let moved = x.layout().flip(&backwards)?.permute(&order)?;
    let (lanes, n_reduced) = match n_reduced {
        0 => (moved.unsqueeze(0)?, 1),
        1 => (moved, 1),
        _ => match moved.merge(0, n_reduced as isize - 1) {
            Ok(merged) => (merged, 1),
            Err(_) => (moved, n_reduced),
        },
    };
    Ok((x.with_layout(lanes), n_reduced))
}

/// Returns `found` cast from `float64` to a narrower dtype.
fn cast_down(call: Call<'_>, found: &Tensor, dtype: DType) -> Result<Tensor, Error> {
    let (layout, body) = (found.layout().clone(), cast(DType::Float64, dtype));
    compute_new(call.planned(), layout, dtype, &[found.into()], |out, [view]| {
        map(&body, out, &[Source::View(view)])
    })
}
