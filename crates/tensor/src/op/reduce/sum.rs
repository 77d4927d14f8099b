//! `sum`, `prod` and `mean`.

use super::{Reduction, reduction};
use crate::kernel::reductions;
use crate::op::axes::{Axes, keep};
use crate::op::operand::{Operand, Target};
use crate::trace::{Call, composite, composite_into};
use crate::{DType, Error, Integers, Lens, Tensor, assign_into};

reduction! {
    /// Returns the sum over `axes`.
    ///
    /// Integers are summed in 64 bits and wrap around on overflow. Floats are summed in blocks, whose
    /// totals are added with compensation, so that the rounding error stays small; the result does not
    /// depend on the number of threads. The sum of zero elements is 0.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 4]].sum(0)?.to_vec::<i64>()?, [4, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    SUM = Reduction::new("sum", reductions::sum), sum, sum_into;
    Float64: f64 [2.0, 8.0]
}

reduction! {
    /// Returns the product over `axes`.
    ///
    /// Integers are multiplied in 64 bits and wrap around on overflow. Floats are multiplied as `f64` with a
    /// separate exponent: intermediate products neither overflow nor underflow. The product of zero elements is 1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 4]].prod(1)?.to_vec::<i64>()?, [2, 12]);
    /// assert_eq!(tensor![1e300, 1e300, 1e-300, 1e-300].prod(())?.item::<f64>()?, 1.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    PROD = Reduction::new("prod", reductions::prod), prod, prod_into;
    Float64: f64 [0.0, 15.0]
}

reduction! {
    /// Returns the arithmetic mean over `axes`: `float64` for integers, NaN for zero elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 4]].mean(1)?.to_vec::<f64>()?, [1.5, 3.5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    MEAN = Reduction::new("mean", reductions::mean), mean, mean_into;
    Float64: f64 [1.0, 4.0]
}

impl Tensor {
    /// Returns [`Tensor::sum`] of the elements cast to `dtype`, which is also the dtype of the result.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![100u8, 100, 100];
    /// assert_eq!(x.sum_as((), DType::UInt8)?.item::<u8>()?, 44);
    /// assert_eq!(x.sum_as((), DType::Float32)?.item::<f32>()?, 300.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice, `dtype` is `bool`, or the elements are complex and
    /// `dtype` is not.
    ///
    /// # Memory
    /// Copies nothing: elements are cast a block at a time. The result is a new tensor.
    #[track_caller]
    pub fn sum_as(&self, axes: impl Into<Axes>, dtype: DType) -> Result<Tensor, Error> {
        SUM.reduce_as(self.into(), axes.into(), dtype)
    }

    /// Returns [`Tensor::prod`] of the elements cast to `dtype`, which is also the dtype of the result.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![100u8, 100, 100];
    /// assert_eq!(x.prod_as((), DType::Float64)?.item::<f64>()?, 1e6);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice, `dtype` is `bool`, or the elements are complex and
    /// `dtype` is not.
    ///
    /// # Memory
    /// Copies nothing: elements are cast a block at a time. The result is a new tensor.
    #[track_caller]
    pub fn prod_as(&self, axes: impl Into<Axes>, dtype: DType) -> Result<Tensor, Error> {
        PROD.reduce_as(self.into(), axes.into(), dtype)
    }
}

impl Tensor {
    /// Returns the sum over the axes along which `shape` was broadcast to this tensor's shape.
    ///
    /// This is the adjoint of [`Tensor::broadcast_to`], as gradients of broadcast operands need it.
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
    /// Fails if `shape` does not broadcast to the shape of this tensor.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn sum_to_shape(&self, shape: impl Integers) -> Result<Tensor, Error> {
        let shape = &*shape.lengths("lengths")?;
        let params = [("shape", shape.into())];
        composite(Call::new("sum_to_shape").with(&params), &[self.into()], || {
            let axes = broadcast_axes(shape, &self.shape())?;
            self.sum(keep(&axes[..]))?.view(shape)
        })
    }
}

/// Writes [`Tensor::sum_to_shape`] of `x` for the shape of `out` to `out`, replacing its elements.
///
/// ```
/// use belvedere::prelude::*;
///
/// let (x, out) = (tensor![[0.0, 1.0], [2.0, 3.0]], Tensor::ones([2, 1], DType::Float64)?);
/// belvedere::sum_to_shape_into(&x, &out)?;
/// assert_eq!(out.to_vec::<f64>()?, [1.0, 5.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`Tensor::sum_to_shape`]. Also fails if the dtype of `out` cannot hold the result, or `out` cannot
/// be written to.
///
/// # Memory
/// Reduces into a temporary tensor of the shape of `out` first.
#[track_caller]
pub fn sum_to_shape_into<'a>(x: &Tensor, out: impl Into<Target<'a>>) -> Result<(), Error> {
    let out = out.into();
    let shape = out.layout().shape();
    let params = [("shape", shape[..].into())];
    composite_into(Call::new("sum_to_shape").with(&params), &[x.into()], out, |out| {
        assign_into(&x.sum_to_shape(&*shape)?, out)
    })
}

/// Returns the axes along which `from` was broadcast to `to`: those prepended, and those of length 1 that
/// were expanded.
fn broadcast_axes(from: &[usize], to: &[usize]) -> Result<Vec<isize>, Error> {
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
