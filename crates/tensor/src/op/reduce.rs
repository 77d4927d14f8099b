//! Sums and their kin: many elements made one.

use super::axes::{Axes, keep};
use super::operand::{Operand, Target, common_type};
use crate::kernel::fold::Reducer;
use crate::kernel::{folds, reduce::reduce, reduce_lens::reduce_lens};
use crate::view::{AnyLens, AnyView, AnyViewMut, Call, Same, Source, Written, fresh, into};
use crate::{DType, Error, Layout, Shape, Tensor, assign_into};
use std::panic::Location;

/// A reduction, whatever it calculates.
pub(super) struct Reduction {
    /// The name, for messages.
    name: &'static str,
    /// How elements of a type are folded, if it exists for them.
    reducer: fn(DType) -> Option<Reducer>,
    /// Whether it has no value for no elements.
    needs_elements: bool,
    /// Whether it asks for the positions of elements.
    asks_positions: bool,
}

/// What a reduction has found out about its operand.
struct Prepared {
    reducer: Reducer,
    /// The shape of the result with the folded axes in it.
    kept: Shape,
    /// The shape of the result.
    shape: Shape,
    positions: Layout,
    /// The axes in the order in which a lens is walked: those that are folded last.
    order: Vec<isize>,
}

impl Prepared {
    /// Folds what is read of an operand into an output with the folded axes in it.
    fn fold<'x>(&self, x: &Operand<'_>, out: AnyViewMut<'x>, view: &AnyView<'_>) -> Written<'x> {
        match x.lens() {
            None => reduce(&self.reducer, out, view, &self.positions),
            Some(lens) => {
                let lens = AnyLens::new(view, lens).permute(&self.order);
                reduce_lens(&self.reducer, out, lens.expect("each axis is kept or folded"))
            }
        }
    }
}

impl Reduction {
    const fn new(name: &'static str, reducer: fn(DType) -> Option<Reducer>) -> Reduction {
        Reduction { name, reducer, needs_elements: false, asks_positions: false }
    }

    const fn of_something(self) -> Reduction {
        Reduction { needs_elements: true, ..self }
    }

    const fn with_positions(self) -> Reduction {
        Reduction { asks_positions: true, ..self }
    }

    /// Makes a tensor of the results.
    pub(super) fn of(&self, x: Operand<'_>, axes: Axes) -> Result<Tensor, Error> {
        let prepared = self.prepare(&x, &axes)?;
        let cell = x.cell(prepared.reducer.input())?;
        let (layout, dtype) = (Layout::row_major(&prepared.kept)?, prepared.reducer.output());
        let result = fresh(layout, dtype, [x.input_or_lens(&cell)], |out, [view]| {
            prepared.fold(&x, out, &view)
        })?;
        result.view(&*prepared.shape)
    }

    /// Writes the results to something that exists.
    fn write(
        &self,
        x: Operand<'_>,
        axes: Axes,
        out: Target<'_>,
        caller: &'static Location<'static>,
    ) -> Result<(), Error> {
        let prepared = self.prepare(&x, &axes)?;
        if out.layout().shape() != prepared.shape {
            let (needed, given) = (prepared.shape.into(), out.layout().shape().into());
            return Err(Error::ShapeMismatch { op: self.name, needed, given });
        }
        if out.dtype() != prepared.reducer.output() {
            // Results are few: they are made apart and then converted.
            return assign_into(&self.of(x, axes)?, out);
        }
        let out = out.output();
        let cell = x.cell(prepared.reducer.input())?;
        let call = Call { op: self.name, caller };
        into(call, out, [x.input_or_lens(&cell)], Same::Buffer, |out, [source]| {
            let Source::View(view) = source else { unreachable!("the input was buffered") };
            prepared.fold(&x, out.with_axes_of(&prepared.kept), &view);
        })
    }

    fn prepare(&self, x: &Operand<'_>, axes: &Axes) -> Result<Prepared, Error> {
        let dtype = common_type(&[x]);
        let Some(reducer) = (self.reducer)(dtype) else {
            return Err(Error::Unsupported { op: self.name, dtype });
        };
        let shape = x.shape();
        let whole = Layout::row_major(&shape)?;
        let is_folded = axes.resolve(&whole)?;
        let kept: Vec<usize> =
            (0..shape.len()).map(|k| if is_folded[k] { 1 } else { shape[k] }).collect();
        let left: Vec<usize> =
            (0..shape.len()).filter(|&k| !is_folded[k]).map(|k| shape[k]).collect();
        if self.needs_elements && whole.is_empty() && !kept.contains(&0) {
            return Err(Error::Empty { op: self.name, shape: shape.into() });
        }
        let positions = match self.asks_positions {
            true => positions(&shape, &is_folded)?,
            false => Layout::scalar(0)?.broadcast_to(&*shape)?,
        };
        let mut order: Vec<isize> = (0..shape.len() as isize).collect();
        order.sort_by_key(|&k| is_folded[k as usize]);
        let kept = Shape::from(&kept[..]);
        let shape = if axes.keeps() { kept.clone() } else { Shape::from(&left[..]) };
        Ok(Prepared { reducer, kept, shape, positions, order })
    }
}

/// The positions of elements among those that are folded with them, in logical order.
fn positions(shape: &[usize], is_folded: &[bool]) -> Result<Layout, Error> {
    let mut strides = vec![0; shape.len()];
    let mut stride = 1isize;
    for k in (0..shape.len()).rev().filter(|&k| is_folded[k]) {
        strides[k] = stride;
        stride *= shape[k].max(1) as isize;
    }
    Ok(Layout::from_strides(0, shape, &strides)?)
}

pub(super) const SUM: Reduction = Reduction::new("sum", folds::sum);

impl Tensor {
    /// The sum over some axes. Integers are summed in 64 bits and wrap around; floats in blocks, so that the
    /// error stays small, and in an order that does not depend on the number of threads. The sum of
    /// nothing is 0.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 4]].sum(0)?.to_vec::<i64>()?, [4, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn sum(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        SUM.of(self.into(), axes.into())
    }
}

/// Writes [`Tensor::sum`] of `x` to `out`.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written
/// to.
#[track_caller]
pub fn sum_into<'a>(
    x: impl Into<Operand<'a>>,
    axes: impl Into<Axes>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    SUM.write(x.into(), axes.into(), out.into(), Location::caller())
}

pub(super) const MEAN: Reduction = Reduction::new("mean", folds::mean);

impl Tensor {
    /// The mean over some axes: `float64` for integers. The mean of nothing is a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 4]].mean(1)?.to_vec::<f64>()?, [1.5, 3.5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn mean(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        MEAN.of(self.into(), axes.into())
    }
}

/// Writes [`Tensor::mean`] of `x` to `out`.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written
/// to.
#[track_caller]
pub fn mean_into<'a>(
    x: impl Into<Operand<'a>>,
    axes: impl Into<Axes>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    MEAN.write(x.into(), axes.into(), out.into(), Location::caller())
}

pub(super) const MIN: Reduction = Reduction::new("min", folds::least).of_something();

impl Tensor {
    /// The least element over some axes; a NaN if there is one.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 0]].min(())?.item::<i32>()?, 0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, there are no elements along them, or the type is complex.
    pub fn min(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        MIN.of(self.into(), axes.into())
    }
}

/// Writes [`Tensor::min`] of `x` to `out`.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written
/// to.
#[track_caller]
pub fn min_into<'a>(
    x: impl Into<Operand<'a>>,
    axes: impl Into<Axes>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    MIN.write(x.into(), axes.into(), out.into(), Location::caller())
}

pub(super) const MAX: Reduction = Reduction::new("max", folds::greatest).of_something();

impl Tensor {
    /// The greatest element over some axes; a NaN if there is one.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 0]].max(1)?.to_vec::<i32>()?, [2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, there are no elements along them, or the type is complex.
    pub fn max(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        MAX.of(self.into(), axes.into())
    }
}

/// Writes [`Tensor::max`] of `x` to `out`.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written
/// to.
#[track_caller]
pub fn max_into<'a>(
    x: impl Into<Operand<'a>>,
    axes: impl Into<Axes>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    MAX.write(x.into(), axes.into(), out.into(), Location::caller())
}

pub(super) const ARGMIN: Reduction =
    Reduction::new("argmin", folds::least_at).of_something().with_positions();

impl Tensor {
    /// The position of the first least element over some axes, or of the first NaN. Over several axes
    /// it counts through them in logical order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 0]].argmin(1)?.to_vec::<i64>()?, [0, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, there are no elements along them, or the type is complex.
    pub fn argmin(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        ARGMIN.of(self.into(), axes.into())
    }
}

/// Writes [`Tensor::argmin`] of `x` to `out`.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written
/// to.
#[track_caller]
pub fn argmin_into<'a>(
    x: impl Into<Operand<'a>>,
    axes: impl Into<Axes>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    ARGMIN.write(x.into(), axes.into(), out.into(), Location::caller())
}

pub(super) const ARGMAX: Reduction =
    Reduction::new("argmax", folds::greatest_at).of_something().with_positions();

impl Tensor {
    /// The position of the first greatest element over some axes, or of the first NaN. Over several axes
    /// it counts through them in logical order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 0]].argmax(())?.item::<i64>()?, 2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, there are no elements along them, or the type is complex.
    pub fn argmax(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        ARGMAX.of(self.into(), axes.into())
    }
}

/// Writes [`Tensor::argmax`] of `x` to `out`.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written
/// to.
#[track_caller]
pub fn argmax_into<'a>(
    x: impl Into<Operand<'a>>,
    axes: impl Into<Axes>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    ARGMAX.write(x.into(), axes.into(), out.into(), Location::caller())
}

pub(super) const ANY: Reduction = Reduction::new("any", folds::any);

impl Tensor {
    /// Whether an element is true over some axes. Every value but zero is true; among nothing, none is.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[0, 2], [0, 0]].any(1)?.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn any(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        ANY.of(self.into(), axes.into())
    }
}

/// Writes [`Tensor::any`] of `x` to `out`.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written
/// to.
#[track_caller]
pub fn any_into<'a>(
    x: impl Into<Operand<'a>>,
    axes: impl Into<Axes>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    ANY.write(x.into(), axes.into(), out.into(), Location::caller())
}

pub(super) const ALL: Reduction = Reduction::new("all", folds::all);

impl Tensor {
    /// Whether all elements are true over some axes. Every value but zero is true; among nothing, all are.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[0, 2], [3, 4]].all(1)?.to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn all(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        ALL.of(self.into(), axes.into())
    }
}

/// Writes [`Tensor::all`] of `x` to `out`.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written
/// to.
#[track_caller]
pub fn all_into<'a>(
    x: impl Into<Operand<'a>>,
    axes: impl Into<Axes>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    ALL.write(x.into(), axes.into(), out.into(), Location::caller())
}

impl Tensor {
    /// Sums over the axes that broadcasting has added or repeated: the way back from
    /// [`Tensor::broadcast_to`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]];
    /// assert_eq!(x.sum_to_shape([3])?.to_vec::<f64>()?, [3.0, 5.0, 7.0]);
    /// assert_eq!(x.sum_to_shape([2, 1])?.to_vec::<f64>()?, [3.0, 12.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shape does not broadcast to this tensor's.
    pub fn sum_to_shape(&self, shape: impl AsRef<[usize]>) -> Result<Tensor, Error> {
        let axes = axes_of_broadcast(shape.as_ref(), &self.shape())?;
        self.sum(keep(&axes[..]))?.view(shape.as_ref())
    }
}

/// Writes [`Tensor::sum_to_shape`] of `x`, in the shape of `out`, to `out`. What was there before is
/// gone.
///
/// # Errors
/// As for the method; and if `out` cannot hold the type, or cannot be written to.
#[track_caller]
pub fn sum_to_shape_into<'a>(x: &Tensor, out: impl Into<Target<'a>>) -> Result<(), Error> {
    let out = out.into();
    assign_into(&x.sum_to_shape(out.layout().shape())?, out)
}

/// The axes along which a shape was broadcast to another.
fn axes_of_broadcast(from: &[usize], to: &[usize]) -> Result<Vec<isize>, Error> {
    let refused = || Error::NotABroadcast { from: from.into(), to: to.into() };
    let added = to.len().checked_sub(from.len()).ok_or_else(refused)?;
    let mut axes: Vec<isize> = (0..added as isize).collect();
    for (k, (&len, &wide)) in from.iter().zip(&to[added..]).enumerate() {
        match len == wide {
            true => {}
            false if len == 1 => axes.push((added + k) as isize),
            false => return Err(refused()),
        }
    }
    Ok(axes)
}

/// The least of some integers, if there are any and they are integers.
pub(super) fn least_integer(operand: &Operand<'_>) -> Result<Option<i64>, Error> {
    if operand.shape().contains(&0) {
        return Ok(None);
    }
    let least = MIN.of(operand.clone(), ().into())?;
    match least.dtype() {
        dtype if dtype.is_integer() && !dtype.is_unsigned() => {
            least.astype(DType::Int64)?.item().map(Some)
        }
        _ => Ok(None),
    }
}
