//! `norm` and `logsumexp`.

use super::Reduction;
use crate::kernel::reductions;
use crate::op::axes::Axes;
use crate::op::operand::{Operand, Target};
use crate::{Error, Lens, Tensor};

const LOGSUMEXP: Reduction = Reduction::new("logsumexp", reductions::logsumexp);

/// Returns the reduction that computes the vector norm of order `ord`.
fn norm_reduction(ord: f64) -> Result<Reduction, Error> {
    let fold = match ord {
        0.0 => reductions::l0_norm,
        1.0 => reductions::l1_norm,
        2.0 => reductions::l2_norm,
        f64::INFINITY => reductions::max_abs,
        f64::NEG_INFINITY => {
            let least = Reduction::new("norm", reductions::min_abs).requires_elements();
            return Ok(least.with_parameter("ord", ord));
        }
        _ if ord.is_nan() => {
            let needs = "an order that is not NaN";
            return Err(Error::Argument { op: "norm", needs, given: ord.into() });
        }
        _ => reductions::p_norm,
    };
    Ok(Reduction::new("norm", fold).with_number("ord", ord))
}

impl Tensor {
    /// Returns `log(Σ exp(x))` over `axes`, computed without overflow.
    ///
    /// The maximum is subtracted before the exponentials are taken. Integers are cast to `float64`. The
    /// result for zero elements is `-inf`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1000.0, 1000.0];
    /// assert_eq!(x.logsumexp(())?.item::<f64>()?, 1000.0 + 2.0f64.ln());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice, or the dtype is complex.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn logsumexp(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        LOGSUMEXP.reduce(self.into(), axes.into())
    }

    /// Returns the Euclidean norm over `axes`: `√Σ |x|²`, the norm of order 2.
    ///
    /// Integers are cast to `float64`; norms of complex numbers are real. Intermediate values neither overflow nor
    /// underflow.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[3.0, -4.0], [3e200, 4e200]];
    /// assert!(x.norm(1)?.allclose_with(&tensor![5.0, 5e200], 1e-15, 0.0)?.holds());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn norm(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        self.norm_with(axes, 2.0)
    }

    /// Returns the vector norm of order `ord` over `axes`: `(Σ |x|^ord)^(1/ord)`.
    ///
    /// Order 2 is the Euclidean norm, infinity the maximum of `|x|`, negative infinity the minimum, and
    /// 0 the number of nonzero elements. Integers are cast to `float64`; norms of complex numbers are real.
    /// Intermediate values neither overflow nor underflow.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[3.0, -4.0], [3e200, 4e200]];
    /// assert_eq!(x.norm_with(1, 1.0)?.to_vec::<f64>()?, [7.0, 7e200]);
    /// assert_eq!(x.norm_with(1, f64::INFINITY)?.to_vec::<f64>()?, [4.0, 4e200]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice, `ord` is NaN, or `ord` is negative infinity and
    /// there are no elements to reduce.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn norm_with(&self, axes: impl Into<Axes>, ord: f64) -> Result<Tensor, Error> {
        norm_reduction(ord)?.reduce(self.into(), axes.into())
    }
}

impl Lens {
    /// Returns [`Tensor::logsumexp`] of the elements the lens shows, padding included.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![0.0].lens().tile(4)?;
    /// assert!(x.logsumexp(())?.allclose_with(4.0f64.ln(), 1e-15, 0.0)?.holds());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::logsumexp`].
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn logsumexp(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        LOGSUMEXP.reduce(self.into(), axes.into())
    }

    /// Returns [`Tensor::norm`] of the elements the lens shows, padding included.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![3.0, -4.0].lens().pad([(1, 1)])?;
    /// assert_eq!(x.norm(())?.item::<f64>()?, 5.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::norm`].
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn norm(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        self.norm_with(axes, 2.0)
    }

    /// Returns [`Tensor::norm_with`] of the elements the lens shows, padding included.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![3.0, -4.0].lens().pad([(1, 1)])?;
    /// assert_eq!(x.norm_with((), 1.0)?.item::<f64>()?, 7.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::norm_with`].
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn norm_with(&self, axes: impl Into<Axes>, ord: f64) -> Result<Tensor, Error> {
        norm_reduction(ord)?.reduce(self.into(), axes.into())
    }
}

/// Writes [`Tensor::logsumexp`] of `x` to `out`.
///
/// ```
/// use belvedere::prelude::*;
///
/// let out = Tensor::zeros([2], DType::Float64)?;
/// belvedere::logsumexp_into(&tensor![[1.0, f64::NEG_INFINITY], [-2.0, -1e9]], 1, &out)?;
/// assert_eq!(out.to_vec::<f64>()?, [1.0, -2.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`Tensor::logsumexp`]. Also fails if `out` has another shape than the result, its dtype cannot
/// hold the result, or it cannot be written to.
///
/// # Memory
/// Copies `x` first if it shares elements with `out`.
#[track_caller]
pub fn logsumexp_into<'a>(
    x: impl Into<Operand<'a>>,
    axes: impl Into<Axes>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    LOGSUMEXP.reduce_into(x.into(), axes.into(), out.into())
}

/// Writes [`Tensor::norm_with`] of `x` to `out`.
///
/// ```
/// use belvedere::prelude::*;
///
/// let out = Tensor::zeros([2], DType::Float64)?;
/// belvedere::norm_into(&tensor![[3.0, -4.0], [0.0, 2.0]], 1, 1.0, &out)?;
/// assert_eq!(out.to_vec::<f64>()?, [7.0, 2.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`Tensor::norm_with`]. Also fails if `out` has another shape than the result, its dtype cannot hold
/// the result, or it cannot be written to.
///
/// # Memory
/// Copies `x` first if it shares elements with `out`.
#[track_caller]
pub fn norm_into<'a>(
    x: impl Into<Operand<'a>>,
    axes: impl Into<Axes>,
    ord: f64,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    norm_reduction(ord)?.reduce_into(x.into(), axes.into(), out.into())
}
