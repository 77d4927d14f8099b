//! Layer, RMS and batch normalization.

use crate::copies::CopyReason;
use crate::kernel::normalize::{Normalize, normalize};
use crate::op::axes::Axes;
use crate::op::execute::compute_new;
use crate::plan::output_layout;
use crate::trace::{Call, composite};
use crate::view::Cell;
use crate::{DType, Error, Layout, Operand, Shape, Tensor, mul_add_into};

/// Applies layer normalization over `axes`: `(x - mean) / sqrt(var + epsilon) * weight + bias`.
///
/// `weight` and `bias` have the lengths of these axes, in order. Integers are cast to `float64`.
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
/// If an axis does not exist, a shape does not match, the dtype is complex, or `epsilon` is negative.
///
/// # Memory
/// Always allocates a new tensor. Copies `x` first if there are several axes that cannot be merged.
#[track_caller]
pub fn layer_norm(
    x: &Tensor,
    axes: impl Into<Axes>,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    epsilon: f64,
) -> Result<Tensor, Error> {
    let (axes, how): (Axes, _) = (axes.into(), Normalize { is_centred: true, epsilon });
    let params = [("axis", (&axes).into()), ("epsilon", epsilon.into())];
    normalized(Call::new("layer_norm").with(&params), how, x, &axes, [weight, bias])
}

/// Applies RMS normalization over `axes`: `x / sqrt(mean(x²) + epsilon) * weight`. Integers are cast to `float64`.
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
    let (axes, how): (Axes, _) = (axes.into(), Normalize { is_centred: false, epsilon });
    let params = [("axis", (&axes).into()), ("epsilon", epsilon.into())];
    normalized(Call::new("rms_norm").with(&params), how, x, &axes, [weight, None])
}

/// Applies batch normalization with given statistics: `(x - mean) / sqrt(variance + epsilon) * weight + bias`.
///
/// All of these are vectors along axis 1, the channels. The result has the dtype of `x`; integers are cast to
/// `float64`.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::nn;
///
/// let x = tensor![[1.0, 8.0], [3.0, 24.0]];
/// let (mean, variance) = (x.mean(0)?, x.var(0)?);
/// let y = nn::batch_norm(&x, &mean, &variance, None, None, 0.0)?;
/// assert_eq!(y.to_vec::<f64>()?, [-1.0, -1.0, 1.0, 1.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If there is no axis 1, a vector has another length, the dtype is complex, or `epsilon` is negative.
///
/// # Memory
/// Always allocates a new tensor, and temporary vectors of the length of the channels.
#[track_caller]
pub fn batch_norm(
    x: &Tensor,
    mean: &Tensor,
    variance: &Tensor,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    epsilon: f64,
) -> Result<Tensor, Error> {
    let params = [("epsilon", epsilon.into())];
    let call = Call::new("batch_norm").with(&params);
    let op = call.op;
    let [input, scale, offset] = lane_inputs(x, [weight, bias]);
    composite(call, &[input, mean.into(), variance.into(), scale, offset], || {
        let dtype = float_type(op, x)?;
        check_epsilon(op, epsilon)?;
        let channels = x.layout().resolve_axis(1)?;
        let lengths = [x.shape()[channels]];
        for vector in [Some(mean), Some(variance), weight, bias].into_iter().flatten() {
            check_vector(op, vector, &lengths, dtype)?;
        }
        // One factor and one summand for each channel, so that elements take one multiply-add. They are few, so
        // `float64` costs nothing.
        let exact = |vector: &Tensor| vector.astype(DType::Float64);
        let deviation = exact(variance)?.add(epsilon)?.sqrt()?;
        let factor = match weight {
            Some(weight) => exact(weight)?.div(&deviation)?,
            None => deviation.reciprocal()?,
        };
        let shift = exact(mean)?.mul(&factor)?;
        let summand = match bias {
            Some(bias) => exact(bias)?.sub(&shift)?,
            None => shift.negative()?,
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
    })
}

fn normalized(
    call: Call<'_>,
    how: Normalize,
    x: &Tensor,
    axes: &Axes,
    vectors: [Option<&Tensor>; 2],
) -> Result<Tensor, Error> {
    let dtype = float_type(call.op, x)?;
    check_epsilon(call.op, how.epsilon)?;
    let is_reduced = axes.resolve(x.layout())?;
    let shape = x.shape();
    let (reduced, kept): (Vec<usize>, Vec<usize>) = (0..x.rank()).partition(|&k| is_reduced[k]);
    let lengths: Vec<usize> = reduced.iter().map(|&k| shape[k]).collect();
    for vector in vectors.into_iter().flatten() {
        check_vector(call.op, vector, &lengths, dtype)?;
    }
    if let [axis] = reduced[..] {
        let layout = output_layout(&shape, &[x.layout()])?;
        return normalize_lanes(call, how, x, axis, (layout, dtype), &lengths, vectors);
    }
    composite(call, &lane_inputs(x, vectors), || {
        // Several axes are merged into one lane when they are last.
        let order: Vec<isize> = kept.iter().chain(&reduced).map(|&k| k as isize).collect();
        let in_order = x.permute_dims(&order)?;
        let mut rows: Vec<usize> = kept.iter().map(|&k| shape[k]).collect();
        rows.push(lengths.iter().product());
        let result = (Layout::row_major(&rows)?, dtype);
        let rows = match in_order.view(&rows) {
            Ok(view) => view,
            Err(Error::View { .. }) => {
                in_order.copied(call.part().copying(CopyReason::NoView))?.view(&rows)?
            }
            Err(error) => return Err(error),
        };
        let axis = kept.len();
        let result = normalize_lanes(call.part(), how, &rows, axis, result, &lengths, vectors)?;
        let mut back = vec![0; order.len()];
        for (k, &axis) in order.iter().enumerate() {
            back[axis as usize] = k as isize;
        }
        result.view(&*in_order.shape())?.permute_dims(&back)
    })
}

/// Normalizes the lanes along one axis.
fn normalize_lanes(
    call: Call<'_>,
    how: Normalize,
    x: &Tensor,
    axis: usize,
    (layout, dtype): (Layout, DType),
    lengths: &[usize],
    vectors: [Option<&Tensor>; 2],
) -> Result<Tensor, Error> {
    compute_new(call, layout, dtype, &lane_inputs(x, vectors), |out, [x, weight, bias]| {
        let vectors = [weight, bias].map(|it| it.broadcast_to(lengths).expect("it was checked"));
        let [weight, bias] = vectors;
        normalize(how, out, &[x, weight, bias], axis)
    })
}

/// Returns the tensor, the weight and the bias, with scalars for vectors that were not given.
fn lane_inputs<'a>(x: &'a Tensor, [weight, bias]: [Option<&'a Tensor>; 2]) -> [Operand<'a>; 3] {
    let (one, zero) = (Cell::new(1.0), Cell::new(0.0));
    [x.into(), input_or(weight, one), input_or(bias, zero)]
}

/// Returns a vector, or a scalar that is broadcast in its place.
fn input_or(vector: Option<&Tensor>, number: Cell) -> Operand<'_> {
    vector.map_or_else(|| number.into(), Operand::from)
}

/// Returns the dtype of the result.
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
    Err(Error::Argument { op, needs: "an epsilon of at least 0", given: epsilon.into() })
}

/// Checks that a vector has this shape and is real.
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
