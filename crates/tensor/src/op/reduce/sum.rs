//! Sums, products and means.

use super::{Reduction, reduction};
use crate::kernel::folds;
use crate::op::axes::{Axes, keep};
use crate::op::operand::{Operand, Target};
use crate::{DType, Error, Tensor, assign_into};
use std::panic::Location;

reduction! {
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
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    SUM = Reduction::new("sum", folds::sum), sum, sum_into
}

reduction! {
    /// The product over some axes. Integers are multiplied in 64 bits and wrap around; floats in `f64`, and
    /// nothing overflows on the way to a product that does not. The product of nothing is 1.
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
    /// If there is no such axis.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    PROD = Reduction::new("prod", folds::product), prod, prod_into
}

reduction! {
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
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    MEAN = Reduction::new("mean", folds::mean), mean, mean_into
}

impl Tensor {
    /// [`Tensor::sum`] of the elements as another type, which the result has, too.
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
    /// If there is no such axis, complex numbers should become real, or the type is `bool`.
    ///
    /// # Memory
    /// Copies nothing: elements are converted a block at a time. The result is new.
    pub fn sum_as(&self, axes: impl Into<Axes>, dtype: DType) -> Result<Tensor, Error> {
        SUM.of_as(self.into(), axes.into(), dtype)
    }

    /// [`Tensor::prod`] of the elements as another type, which the result has, too.
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
    /// If there is no such axis, complex numbers should become real, or the type is `bool`.
    ///
    /// # Memory
    /// Copies nothing: elements are converted a block at a time. The result is new.
    pub fn prod_as(&self, axes: impl Into<Axes>, dtype: DType) -> Result<Tensor, Error> {
        PROD.of_as(self.into(), axes.into(), dtype)
    }
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
    ///
    /// # Memory
    /// Copies nothing; the result is new.
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
///
/// # Memory
/// The sums are made apart, and then written.
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
