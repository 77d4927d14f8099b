//! Normalisations: elements made comparable with those along some axes.

use crate::kernel::normalize::{Normalize, normalize};
use crate::op::axes::Axes;
use crate::plan::output_layout;
use crate::view::{Cell, Input, fresh};
use crate::{DType, Error, Layout, Shape, Tensor, mul_add_into};

/// Elements less their mean over some axes, divided by their deviation, times `weight`, plus `bias`.
/// `epsilon` is added to the variance. Both are of the lengths of these axes, in order. Integers
/// become `float64`.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::nn;
///
/// let x = tensor![[1.0, 3.0], [10.0, 30.0]];
/// let y = nn::layer_norm(&x, -1, Some(&tensor![1.0, 2.0]), None, 0.0)?;
/// assert_eq!(y.to_vec::<f64>()?, [-1.0, 2.0, -1.0, 2.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If there is no such axis, a shape does not fit, the type is complex, or `epsilon` is negative.
///
/// # Memory
/// Reads once and writes once. Copies `x` first if several axes have no common stride; the result is
/// new.
#[track_caller]
pub fn layer_norm(
    x: &Tensor,
    axes: impl Into<Axes>,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    epsilon: f64,
) -> Result<Tensor, Error> {
    let how = Normalize { is_centred: true, epsilon };
    normalized("layer_norm", how, x, &axes.into(), [weight, bias])
}

/// Elements divided by the root of the mean of their squares over some axes, times `weight`.
/// `epsilon` is added to the mean. Integers become `float64`.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::nn;
///
/// let x = tensor![2.0, -2.0, 2.0, 2.0];
/// assert_eq!(nn::rms_norm(&x, 0, None, 0.0)?.to_vec::<f64>()?, [1.0, -1.0, 1.0, 1.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`layer_norm`].
///
/// # Memory
/// As for [`layer_norm`].
#[track_caller]
pub fn rms_norm(
    x: &Tensor,
    axes: impl Into<Axes>,
    weight: Option<&Tensor>,
    epsilon: f64,
) -> Result<Tensor, Error> {
    let how = Normalize { is_centred: false, epsilon };
    normalized("rms_norm", how, x, &axes.into(), [weight, None])
}

/// Elements less a mean, divided by the root of a variance (`epsilon` added), times `weight`, plus
/// `bias`: each a vector along axis 1, the channels. The result has the type of `x`; integers become
/// `float64`.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::nn;
///
/// let x = tensor![[1.0, 8.0], [3.0, 24.0]];
/// let (mean, variance) = (x.mean(0)?, x.var(0, 0.0)?);
/// let y = nn::batch_norm(&x, &mean, &variance, None, None, 0.0)?;
/// assert_eq!(y.to_vec::<f64>()?, [-1.0, -1.0, 1.0, 1.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If there is no axis 1, a vector is not as long, the type is complex, or `epsilon` is negative.
///
/// # Memory
/// Reads once and writes once. The result is new, and so are vectors of the channels on the way.
#[track_caller]
pub fn batch_norm(
    x: &Tensor,
    mean: &Tensor,
    variance: &Tensor,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    epsilon: f64,
) -> Result<Tensor, Error> {
    let op = "batch_norm";
    let dtype = float_type(op, x)?;
    check_epsilon(op, epsilon)?;
    let channels = x.layout().resolve_axis(1)?;
    let lengths = [x.shape()[channels]];
    for vector in [Some(mean), Some(variance), weight, bias].into_iter().flatten() {
        check_vector(op, vector, &lengths, dtype)?;
    }
    // A factor and a summand for each channel, so that the elements are gone through once. There are few
    // of them, and they cost nothing in more bits.
    let exact = |vector: &Tensor| vector.astype(DType::Float64);
    let deviation = exact(variance)?.add(epsilon)?.sqrt()?;
    let factor = match weight {
        Some(weight) => exact(weight)?.div(&deviation)?,
        None => deviation.reciprocal()?,
    };
    let moved = exact(mean)?.mul(&factor)?;
    let summand = match bias {
        Some(bias) => exact(bias)?.sub(&moved)?,
        None => moved.negative()?,
    };
    let inside = if dtype == DType::Float64 { dtype } else { DType::Float32 };
    let mut shape = vec![1; x.rank()];
    shape[channels] = lengths[0];
    let column = |vector: Tensor| vector.astype(inside)?.view(&shape);
    let (factor, summand) = (column(factor)?, column(summand)?);
    if dtype == inside {
        return x.mul_add(&factor, &summand);
    }
    let out = x.zeros_like()?;
    mul_add_into(x, &factor, &summand, &out)?;
    Ok(out)
}

#[track_caller]
fn normalized(
    op: &'static str,
    how: Normalize,
    x: &Tensor,
    axes: &Axes,
    vectors: [Option<&Tensor>; 2],
) -> Result<Tensor, Error> {
    let dtype = float_type(op, x)?;
    check_epsilon(op, how.epsilon)?;
    let is_folded = axes.resolve(x.layout())?;
    let shape = x.shape();
    let (folded, kept): (Vec<usize>, Vec<usize>) = (0..x.rank()).partition(|&k| is_folded[k]);
    let lengths: Vec<usize> = folded.iter().map(|&k| shape[k]).collect();
    for vector in vectors.into_iter().flatten() {
        check_vector(op, vector, &lengths, dtype)?;
    }
    if let [axis] = folded[..] {
        let layout = output_layout(&shape, &[x.layout()])?;
        return along(how, x, axis, layout, dtype, &lengths, vectors);
    }
    // Several axes are one lane when they are last.
    let order: Vec<isize> = kept.iter().chain(&folded).map(|&k| k as isize).collect();
    let in_order = x.permute_dims(&order)?;
    let mut rows: Vec<usize> = kept.iter().map(|&k| shape[k]).collect();
    rows.push(lengths.iter().product());
    let layout = Layout::row_major(&rows)?;
    let rows = in_order.reshape(&rows)?;
    let result = along(how, &rows, kept.len(), layout, dtype, &lengths, vectors)?;
    let mut back = vec![0; order.len()];
    for (k, &axis) in order.iter().enumerate() {
        back[axis as usize] = k as isize;
    }
    result.view(&*in_order.shape())?.permute_dims(&back)
}

/// The lanes along one axis.
fn along(
    how: Normalize,
    x: &Tensor,
    axis: usize,
    layout: Layout,
    dtype: DType,
    lengths: &[usize],
    [weight, bias]: [Option<&Tensor>; 2],
) -> Result<Tensor, Error> {
    let (one, zero) = (Cell::new(1.0), Cell::new(0.0));
    let inputs = [Input::Tensor(x), input_or(weight, &one), input_or(bias, &zero)];
    fresh(layout, dtype, inputs, |out, [x, weight, bias]| {
        let vectors = [weight, bias].map(|it| it.broadcast_to(lengths).expect("it was checked"));
        let [weight, bias] = vectors;
        normalize(how, out, &[x, weight, bias], axis)
    })
}

/// A vector, or the number that stands for all of its elements.
fn input_or<'a>(vector: Option<&'a Tensor>, number: &'a Cell) -> Input<'a> {
    vector.map_or_else(|| Input::View(number.view()), Input::Tensor)
}

/// The type of the result.
fn float_type(op: &'static str, x: &Tensor) -> Result<DType, Error> {
    match x.dtype() {
        dtype if dtype.is_complex() => Err(Error::Unsupported { op, dtype }),
        dtype if dtype.is_floating() => Ok(dtype),
        _ => Ok(DType::Float64),
    }
}

fn check_epsilon(op: &'static str, epsilon: f64) -> Result<(), Error> {
    if epsilon >= 0.0 {
        return Ok(());
    }
    Err(Error::Argument { op, needs: "an epsilon of at least 0", given: epsilon })
}

/// Refuses a vector of another shape, or one that is not of real numbers.
fn check_vector(
    op: &'static str,
    vector: &Tensor,
    lengths: &[usize],
    dtype: DType,
) -> Result<(), Error> {
    if vector.shape()[..] != *lengths {
        let (needed, given) = (Shape::from(lengths).into(), vector.shape().into());
        return Err(Error::ShapeMismatch { op, needed, given });
    }
    match vector.dtype() {
        from if from.is_complex() => Err(Error::Cast { from, to: dtype }),
        _ => Ok(()),
    }
}
