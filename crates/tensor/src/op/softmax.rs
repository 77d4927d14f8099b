//! Shares that sum to one.

use super::axes::keep;
use super::operand::Operand;
use crate::{Error, Tensor, exp_into, sub_into};

impl Tensor {
    /// The exponentials along an axis, as shares of their sum. The greatest element is subtracted
    /// first, so that nothing overflows.
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
        let shares = self.sub(&self.max(keep(axis))?)?;
        // Integers became floats by the exponential, and cannot hold it themselves.
        let shares = match shares.dtype().is_floating() {
            true => {
                exp_into(&shares, &shares)?;
                shares
            }
            false => shares.exp()?,
        };
        shares.div_assign(&shares.sum(keep(axis))?)?;
        Ok(shares)
    }

    /// The gradient of [`Tensor::softmax`], given its result (this tensor) and the gradient of that.
    ///
    /// # Errors
    /// If there is no such axis, or the shapes do not broadcast.
    pub fn softmax_grad<'a>(
        &self,
        upstream: impl Into<Operand<'a>>,
        axis: isize,
    ) -> Result<Tensor, Error> {
        let weighted = self.mul(upstream)?;
        let total = weighted.sum(keep(axis))?;
        let spread = self.mul(&total)?;
        sub_into(&weighted, &spread, &weighted)?;
        Ok(weighted)
    }
}
