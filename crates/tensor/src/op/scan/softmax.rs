//! `softmax` and `log_softmax`, and their gradients.

use super::lane_operation::{LaneKernel, LaneOperation};
use crate::kernel::softmax::softmax;
use crate::op::axes::keep;
use crate::op::operand::{Operand, Target};
use crate::trace::{Call, composite, composite_into};
use crate::view::{AnyViewMut, Source, Written};
use crate::{DType, Error, Tensor, assign_into, exp_into};

/// The least number of elements for which whole-tensor passes are faster than lane by lane.
const MIN_PASS_ELEMENTS: usize = 1 << 17;

/// The least number of lanes that are enough work for all threads.
const MIN_PARALLEL_LANES: usize = 8;

impl Tensor {
    /// Returns the softmax along `axis`: `exp(x - max) / Σ exp(x - max)`.
    ///
    /// Subtracting the maximum prevents overflow. Integers are cast to `float64`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1000.0, 1000.0], [0.0, 3.0f64.ln()]];
    /// let y = x.softmax(1)?;
    /// assert!(y.allclose_with(&tensor![[0.5, 0.5], [0.25, 0.75]], 1e-12, 0.0)?.holds());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` is out of range or has length 0, or the dtype is complex.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn softmax(&self, axis: isize) -> Result<Tensor, Error> {
        SoftmaxKind::Plain.compute(self, axis)
    }

    /// Returns the logarithm of the softmax along `axis`: `x - max - log(Σ exp(x - max))`.
    ///
    /// It is accurate also where the softmax underflows to 0. Integers are cast to `float64`.
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
    /// Fails if `axis` is out of range or has length 0, or the dtype is complex.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn log_softmax(&self, axis: isize) -> Result<Tensor, Error> {
        SoftmaxKind::Log.compute(self, axis)
    }

    /// Returns the gradient of [`Tensor::log_softmax`] given the gradient `upstream` of its output:
    /// `upstream - softmax(x) * Σ upstream`, with the sum along `axis`.
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
    /// As for [`Tensor::log_softmax`]. Also fails if `upstream` has another shape than this tensor.
    ///
    /// # Memory
    /// Copies nothing; allocates a temporary tensor of this shape. The result is a new tensor.
    #[track_caller]
    pub fn log_softmax_grad(&self, upstream: &Tensor, axis: isize) -> Result<Tensor, Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("log_softmax_grad").with(&params);
        composite(call, &[self.into(), upstream.into()], || {
            if upstream.shape() != self.shape() {
                let (needed, given) = (self.shape().into(), upstream.shape().into());
                return Err(Error::ShapeMismatch { op: call.op, needed, given });
            }
            let y = self.softmax(axis)?;
            upstream.sub(&y.mul(&upstream.sum(keep(axis))?)?)
        })
    }

    /// Returns the gradient of [`Tensor::softmax`] given the gradient `upstream` of its output:
    /// `y * upstream - y * Σ (y * upstream)`, where `y` is the softmax and the sum is along `axis`.
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
    /// As for [`Tensor::softmax`]. Also fails if `upstream` and this tensor do not broadcast together.
    ///
    /// # Memory
    /// Copies nothing; allocates temporary tensors of this shape. The result is a new tensor.
    #[track_caller]
    pub fn softmax_grad<'a>(
        &self,
        upstream: impl Into<Operand<'a>>,
        axis: isize,
    ) -> Result<Tensor, Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("softmax_grad").with(&params);
        let upstream: Operand<'_> = upstream.into();
        composite(call, &[self.into(), upstream.clone()], || {
            let y = self.softmax(axis)?;
            let weighted = y.mul(upstream)?;
            let total = weighted.sum(keep(axis))?;
            weighted.sub(&y.mul(&total)?)
        })
    }
}

/// Writes [`Tensor::softmax`] of `x` to `out`, which may be `x` itself.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![2.0, 2.0];
/// belvedere::softmax_into(&x, 0, &x)?;
/// assert_eq!(x.to_vec::<f64>()?, [0.5, 0.5]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`Tensor::softmax`]. Also fails if `out` has another shape than the result, its dtype cannot hold
/// the result, or it cannot be written to.
///
/// # Memory
/// Copies `x` first if it shares elements with `out`, unless both are the same view. Computes the result in
/// a temporary tensor if `out` has another dtype, and for 2¹⁷ or more elements in few or strided lanes.
#[track_caller]
pub fn softmax_into<'a>(x: &Tensor, axis: isize, out: impl Into<Target<'a>>) -> Result<(), Error> {
    SoftmaxKind::Plain.compute_into(x, axis, out.into())
}

/// Writes [`Tensor::log_softmax`] of `x` to `out`, which may be `x` itself.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![0.0, 1000.0];
/// belvedere::log_softmax_into(&x, 0, &x)?;
/// assert_eq!(x.to_vec::<f64>()?, [-1000.0, 0.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`Tensor::log_softmax`]. Also fails if `out` has another shape than the result, its dtype cannot
/// hold the result, or it cannot be written to.
///
/// # Memory
/// As for [`softmax_into`].
#[track_caller]
pub fn log_softmax_into<'a>(
    x: &Tensor,
    axis: isize,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    SoftmaxKind::Log.compute_into(x, axis, out.into())
}

/// Which function is computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SoftmaxKind {
    Plain,
    Log,
}

/// The kernel that computes softmax or its logarithm lane by lane.
struct SoftmaxKernel {
    kind: SoftmaxKind,
    axis: usize,
}

impl LaneKernel for SoftmaxKernel {
    fn write<'x>(&self, out: AnyViewMut<'x>, source: &Source<'_>) -> Written<'x> {
        softmax(out, source, self.axis, self.kind == SoftmaxKind::Log)
    }
}

impl SoftmaxKind {
    /// Returns the name of the operation.
    fn name(self) -> &'static str {
        match self {
            SoftmaxKind::Plain => "softmax",
            SoftmaxKind::Log => "log_softmax",
        }
    }

    /// Checks the arguments and finds the shape and the dtype of the result.
    fn prepare(self, x: &Tensor, axis: isize) -> Result<LaneOperation<SoftmaxKernel>, Error> {
        let name = self.name();
        let axis = x.layout().resolve_axis(axis)?;
        let dtype = match x.dtype() {
            dtype if dtype.is_complex() => return Err(Error::Unsupported { op: name, dtype }),
            dtype if dtype.is_floating() => dtype,
            _ => DType::Float64,
        };
        if x.shape()[axis] == 0 {
            return Err(Error::Empty { op: name, shape: x.shape().into() });
        }
        let kernel = SoftmaxKernel { kind: self, axis };
        Ok(LaneOperation { name, shape: x.shape(), dtype, kernel })
    }

    /// Computes the function along `axis` into a new tensor.
    #[track_caller]
    fn compute(self, x: &Tensor, axis: isize) -> Result<Tensor, Error> {
        let params = [("axis", axis.into())];
        let call = Call::new(self.name()).with(&params);
        let operation = self.prepare(x, axis)?;
        match uses_passes(x, operation.kernel.axis) {
            true => composite(call, &[x.into()], || self.compute_in_passes(x, axis)),
            false => operation.compute(call, x),
        }
    }

    /// Computes the function along `axis` and writes it to `out`.
    #[track_caller]
    fn compute_into(self, x: &Tensor, axis: isize, out: Target<'_>) -> Result<(), Error> {
        let params = [("axis", axis.into())];
        let call = Call::new(self.name()).with(&params);
        let operation = self.prepare(x, axis)?;
        if uses_passes(x, operation.kernel.axis) {
            operation.check_output(&out)?;
            return composite_into(call, &[x.into()], out, |out| {
                assign_into(&self.compute_in_passes(x, axis)?, out)
            });
        }
        operation.compute_into(call, x, out)
    }

    /// Computes the function for all lanes at once, by elementwise operations and reductions.
    fn compute_in_passes(self, x: &Tensor, axis: isize) -> Result<Tensor, Error> {
        let y = subtract_max(x, axis)?;
        match self {
            SoftmaxKind::Plain => {
                exp_into(&y, &y)?;
                y.div_assign(&y.sum(keep(axis))?)?;
            }
            SoftmaxKind::Log => y.sub_assign(&y.logsumexp(keep(axis))?)?,
        }
        Ok(y)
    }
}

/// Returns whether all lanes are computed together in whole-tensor passes instead of lane by lane.
///
/// Passes are faster if there are fewer lanes than the threads need, or if lanes are strided, so that lanes
/// that share cache lines evict them before all are used. Each pass reads and writes all of memory, and
/// rounds once more.
fn uses_passes(x: &Tensor, axis: usize) -> bool {
    // A broadcast tensor may be larger than memory, and its elements would be read before the allocation
    // of the result fails.
    let is_broadcast = x.layout().axes().iter().any(|axis| axis.stride == 0 && axis.len > 1);
    // Lane by lane, 16-bit floats are rounded only once.
    let is_half = x.dtype().is_floating() && x.dtype().size() < 4;
    let lane = x.layout().axes()[axis];
    let has_few_lanes = x.len() / lane.len < MIN_PARALLEL_LANES;
    let is_strided = lane.stride.unsigned_abs() != 1;
    x.len() >= MIN_PASS_ELEMENTS && (has_few_lanes || is_strided) && !is_broadcast && !is_half
}

/// Returns `x` minus its maximum along `axis`.
fn subtract_max(x: &Tensor, axis: isize) -> Result<Tensor, Error> {
    let max = x.max(keep(axis))?;
    // Differences of integers could overflow: subtract as `float64`.
    match max.dtype().is_floating() {
        true => x.sub(&max),
        false => x.sub(&max.astype(DType::Float64)?),
    }
}
