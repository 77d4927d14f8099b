//! Shares that sum to one.

use super::along::{Lanes, Write};
use crate::kernel::softmax::softmax;
use crate::op::axes::keep;
use crate::op::operand::{Operand, Target};
use crate::view::{AnyViewMut, Source, Written};
use crate::{DType, Error, Tensor, assign_into, exp_into};
use std::panic::Location;

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
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn softmax(&self, axis: isize) -> Result<Tensor, Error> {
        let shares = shares(self, axis, false)?;
        if !is_by_passes(self, shares.kernel.axis) {
            return shares.of(self);
        }
        let result = distances(self, axis)?;
        exp_into(&result, &result)?;
        result.div_assign(&result.sum(keep(axis))?)?;
        Ok(result)
    }

    /// The logarithms of [`Tensor::softmax`], without the loss of those that are nearly 0.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![0.0, 1000.0];
    /// assert_eq!(x.log_softmax(0)?.to_vec::<f64>()?, [-1000.0, 0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, it has no elements, or the type is complex.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn log_softmax(&self, axis: isize) -> Result<Tensor, Error> {
        let shares = shares(self, axis, true)?;
        if !is_by_passes(self, shares.kernel.axis) {
            return shares.of(self);
        }
        let result = distances(self, axis)?;
        result.sub_assign(&result.logsumexp(keep(axis))?)?;
        Ok(result)
    }

    /// The gradient of [`Tensor::log_softmax`]: that of its output, less the share of all of it along
    /// the axis.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![0.0, 0.0];
    /// assert_eq!(x.log_softmax_grad(&tensor![1.0, 0.0], 0)?.to_vec::<f64>()?, [0.5, -0.5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::log_softmax`], and if the shapes are not the same.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn log_softmax_grad(&self, upstream: &Tensor, axis: isize) -> Result<Tensor, Error> {
        if upstream.shape() != self.shape() {
            let (needed, given) = (self.shape().into(), upstream.shape().into());
            return Err(Error::ShapeMismatch { op: "log_softmax_grad", needed, given });
        }
        let shares = self.softmax(axis)?;
        upstream.sub(&shares.mul(&upstream.sum(keep(axis))?)?)
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
    ///
    /// # Memory
    /// Copies nothing; makes a few tensors of this shape on the way, and the result is new.
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

/// Whether all lanes are worked on together, pass by pass, instead of one by one: if there are so few that
/// threads would have to wait for each other; or if they lie across memory, where lines that lanes share
/// crowd each other out of the cache. Each pass goes over all of memory, and rounds.
fn is_by_passes(x: &Tensor, axis: usize) -> bool {
    // One element that stands for more than there is memory would be read before that is found out.
    let is_repeated = x.layout().axes().iter().any(|axis| axis.stride == 0 && axis.len > 1);
    // Lanes of halves are rounded once.
    let is_half = x.dtype().is_floating() && x.dtype().size() < 4;
    let lane = x.layout().axes()[axis];
    let is_few = x.len() / lane.len < FEW;
    let is_across = lane.stride.unsigned_abs() != 1;
    x.len() >= MANY && (is_few || is_across) && !is_repeated && !is_half
}

/// Elements from which on passes pay.
const MANY: usize = 1 << 17;

/// Lanes that are too few for threads to share.
const FEW: usize = 8;

/// How far each element is below the greatest along an axis.
fn distances(x: &Tensor, axis: isize) -> Result<Tensor, Error> {
    let top = x.max(keep(axis))?;
    // Differences of integers could wrap around: they are taken as floats.
    match top.dtype().is_floating() {
        true => x.sub(&top),
        false => x.sub(&top.astype(DType::Float64)?),
    }
}

/// Writes shares along an axis, or their logarithms.
struct Shares {
    axis: usize,
    is_log: bool,
}

impl Write for Shares {
    fn write<'x>(&self, out: AnyViewMut<'x>, source: &Source<'_>) -> Written<'x> {
        softmax(out, source, self.axis, self.is_log)
    }
}

/// What makes shares of a tensor, or their logarithms.
fn shares(x: &Tensor, axis: isize, is_log: bool) -> Result<Lanes<Shares>, Error> {
    let name = if is_log { "log_softmax" } else { "softmax" };
    let axis = x.layout().resolve_axis(axis)?;
    let dtype = match x.dtype() {
        dtype if dtype.is_complex() => return Err(Error::Unsupported { op: name, dtype }),
        dtype if dtype.is_floating() => dtype,
        _ => DType::Float64,
    };
    if x.shape()[axis] == 0 {
        return Err(Error::Empty { op: name, shape: x.shape().into() });
    }
    let kernel = Shares { axis, is_log };
    Ok(Lanes { name, shape: x.shape(), dtype, kernel })
}

/// Writes [`Tensor::softmax`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// Copies `x` first if the two share elements, unless they are the same. Shares of another type than the
/// output's are made apart, and then written; so are many of them.
#[track_caller]
pub fn softmax_into<'a>(x: &Tensor, axis: isize, out: impl Into<Target<'a>>) -> Result<(), Error> {
    let (shares, out) = (shares(x, axis, false)?, out.into());
    if is_by_passes(x, shares.kernel.axis) {
        shares.check(&out)?;
        return assign_into(&x.softmax(axis)?, out);
    }
    shares.write(x, out, Location::caller())
}

/// Writes [`Tensor::log_softmax`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// As for [`softmax_into`].
#[track_caller]
pub fn log_softmax_into<'a>(
    x: &Tensor,
    axis: isize,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let (shares, out) = (shares(x, axis, true)?, out.into());
    if is_by_passes(x, shares.kernel.axis) {
        shares.check(&out)?;
        return assign_into(&x.log_softmax(axis)?, out);
    }
    shares.write(x, out, Location::caller())
}
