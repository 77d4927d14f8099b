//! Norms of vectors, and the logarithm of a sum of exponentials.

use super::{Reduction, reduction};
use crate::kernel::folds;
use crate::op::axes::Axes;
use crate::op::operand::{Operand, Target};
use crate::{Error, Tensor};
use std::panic::Location;

reduction! {
    /// The logarithm of the sum of the exponentials over some axes, without the overflow on the way.
    /// Integers become `float64`. Of nothing it is the logarithm of 0.
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
    /// If there is no such axis, or the type is complex.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    LOGSUMEXP = Reduction::new("logsumexp", folds::logsumexp), logsumexp, logsumexp_into
}

/// The reduction for a norm of some order.
pub(super) fn norm_of(ord: f64) -> Result<Reduction, Error> {
    let fold = match ord {
        0.0 => folds::count_of_sizes,
        1.0 => folds::sum_of_sizes,
        2.0 => folds::root_of_squares,
        f64::INFINITY => folds::greatest_size,
        f64::NEG_INFINITY => return Ok(Reduction::new("norm", folds::least_size).of_something()),
        _ if ord.is_nan() => {
            let needs = "an order that is a number";
            return Err(Error::Argument { op: "norm", needs, given: ord });
        }
        _ => folds::root_of_powers,
    };
    Ok(Reduction::new("norm", fold).with_number(ord))
}

impl Tensor {
    /// The norm of the vectors along some axes: the root of order `ord` of the sum of the sizes to the
    /// power of it. Order 2 is the length, infinity the greatest size, minus infinity the least, and
    /// 0 the number of elements that are not zero. Integers become `float64`, complex numbers real.
    ///
    /// Nothing overflows or vanishes on the way to a norm that does not.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[3.0, -4.0], [3e200, 4e200]];
    /// assert!(x.norm(1, 2.0)?.allclose(&tensor![5.0, 5e200], 1e-15, 0.0)?.holds());
    /// assert_eq!(x.norm(1, 1.0)?.to_vec::<f64>()?, [7.0, 7e200]);
    /// assert_eq!(x.norm(1, f64::INFINITY)?.to_vec::<f64>()?, [4.0, 4e200]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, the order is a NaN, or minus infinity and there are no elements.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn norm(&self, axes: impl Into<Axes>, ord: f64) -> Result<Tensor, Error> {
        norm_of(ord)?.of(self.into(), axes.into())
    }
}

/// Writes [`Tensor::norm`] of `x` to `out`.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// Copies `x` first if the two share elements.
#[track_caller]
pub fn norm_into<'a>(
    x: impl Into<Operand<'a>>,
    axes: impl Into<Axes>,
    ord: f64,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    norm_of(ord)?.write(x.into(), axes.into(), out.into(), Location::caller())
}
