//! How many elements are true, whether one is, and whether all are.

use super::{Reduction, reduction};
use crate::kernel::folds;
use crate::op::axes::Axes;
use crate::op::operand::{Operand, Target};
use crate::{Error, Tensor};
use std::panic::Location;

reduction! {
    /// Whether an element is true over some axes. Every value but zero is true; among nothing, none is.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[0, 2], [0, 0]].any(1)?.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    ANY = Reduction::new("any", folds::any), any, any_into
}

reduction! {
    /// Whether all elements are true over some axes. Every value but zero is true; among nothing, all are.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[0, 2], [3, 4]].all(1)?.to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    ALL = Reduction::new("all", folds::all), all, all_into
}

reduction! {
    /// How many elements are true over some axes. Every value but zero is true.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[0, 2], [3, 4]].count_nonzero(1)?.to_vec::<i64>()?, [1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    COUNT_NONZERO = Reduction::new("count_nonzero", folds::count), count_nonzero, count_nonzero_into
}
