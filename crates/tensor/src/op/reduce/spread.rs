//! Variances and deviations.

use super::{Reduction, reduction};
use crate::kernel::folds;
use crate::op::axes::Axes;
use crate::op::operand::{Operand, Target};
use crate::{Error, Tensor};
use std::panic::Location;

reduction! {
    /// The variance over some axes: the sum of the squares of the distances from the mean, divided by
    /// the number of elements less a correction (0 for a population, 1 for a sample). `float64` for
    /// integers, and real for complex numbers, whose distances are.
    ///
    /// It is as accurate as if the mean had been known before, and reads memory once. Too few elements
    /// have a NaN for a variance, or an infinity if they differ.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1.0, 3.0], [5.0, 9.0]];
    /// assert_eq!(x.var(1, 0.0)?.to_vec::<f64>()?, [1.0, 4.0]);
    /// assert_eq!(x.var(1, 1.0)?.to_vec::<f64>()?, [2.0, 8.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    VAR = Reduction::new("var", folds::moments), var(correction), var_into
}

reduction! {
    /// The standard deviation over some axes: the root of [`Tensor::var`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1.0, 3.0], [5.0, 9.0]].std(1, 0.0)?.to_vec::<f64>()?, [1.0, 2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    STD = Reduction::new("std", folds::moments).with_setting(0.0, true), std(correction), std_into
}
