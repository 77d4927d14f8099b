//! `var` and `std`.

use super::{Reduction, reduction};
use crate::kernel::reductions;
use crate::op::axes::Axes;
use crate::op::operand::{Operand, Target};
use crate::{Error, Lens, Tensor};

reduction! {
    /// Returns the variance over `axes`: `Σ |x - mean|² / (n - correction)`, with a `correction` of 0.
    ///
    /// That is the variance of a population; [`Tensor::var_with`] a `correction` of 1 is the unbiased estimate from a
    /// sample (NumPy's `ddof`). The result is
    /// `float64` for integers, and real for complex numbers. It is NaN if `n <= correction` and all elements are
    /// equal, and infinite if they differ.
    ///
    /// The variance is as accurate as the two-pass algorithm and reads memory once.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1.0, 3.0], [5.0, 9.0]];
    /// assert_eq!(x.var(1)?.to_vec::<f64>()?, [1.0, 4.0]);
    /// assert_eq!(x.var_with(1, 1.0)?.to_vec::<f64>()?, [2.0, 8.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    VAR = Reduction::new("var", reductions::variance), var(correction = 0.0) var_with, var_into;
    Float64: f64 [1.0, 1.0]
}

reduction! {
    /// Returns the standard deviation over `axes`: the square root of [`Tensor::var`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1.0, 3.0], [5.0, 9.0]].std(1)?.to_vec::<f64>()?, [1.0, 2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    STD = Reduction::new("std", reductions::variance).with_setting(0.0, true), std(correction = 0.0) std_with, std_into;
    Float64: f64 [1.0, 1.0]
}
