//! Shares that sum to one.

use super::axes::keep;
use super::operand::{Operand, Target};
use crate::{DType, Error, Tensor, assign_into, exp_into};

impl Tensor {
    /// The exponentials along an axis, as shares of their sum. The greatest element is subtracted
    /// first, so that nothing overflows. Integers become `float64`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1000.0, 1000.0], [0.0, 3.0f64.ln()]];
    /// let shares = x.softmax(1)?;
    /// assert!(shares.allclose(&tensor![[0.5, 0.5], [0.25, 0.75]], 1e-12, 0.0)?.holds());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, it has no elements, or the type is complex.
    pub fn softmax(&self, axis: isize) -> Result<Tensor, Error> {
        let top = self.max(keep(axis))?;
        // Differences of integers could wrap around: they are taken as floats.
        let shares = match top.dtype().is_floating() {
            true => self.sub(&top)?,
            false => self.sub(&top.astype(DType::Float64)?)?,
        };
        exp_into(&shares, &shares)?;
        shares.div_assign(&shares.sum(keep(axis))?)?;
        Ok(shares)
    }

    /// The gradient of [`Tensor::softmax`]: that of its output, by way of all shares along the axis.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![0.0, 0.0];
    /// assert_eq!(x.softmax_grad(&tensor![1.0, 0.0], 0)?.to_vec::<f64>()?, [0.25, -0.25]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::softmax`], and if the shapes do not broadcast.
    pub fn softmax_grad<'a>(
        &self,
        upstream: impl Into<Operand<'a>>,
        axis: isize,
    ) -> Result<Tensor, Error> {
        let shares = self.softmax(axis)?;
        let weighted = shares.mul(upstream)?;
        let total = weighted.sum(keep(axis))?;
        weighted.sub(&shares.mul(&total)?)
    }
}

/// Writes [`Tensor::softmax`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// The shares are made apart, and then written.
#[track_caller]
pub fn softmax_into<'a>(x: &Tensor, axis: isize, out: impl Into<Target<'a>>) -> Result<(), Error> {
    let (shares, out) = (x.softmax(axis)?, out.into());
    if out.layout().shape() != shares.shape() {
        let (needed, given) = (shares.shape().into(), out.layout().shape().into());
        return Err(Error::ShapeMismatch { op: "softmax", needed, given });
    }
    assign_into(&shares, out)
}
