//! `any`, `all` and `count_nonzero`.

use super::{Reduction, reduction};
use crate::kernel::reductions;
use crate::op::axes::Axes;
use crate::op::operand::{Operand, Target};
use crate::{Error, Lens, Tensor};

reduction! {
    /// Returns whether any element over `axes` is true.
    ///
    /// Every value but zero counts as true, NaN included. The result for zero elements is `false`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[0, 2], [0, 0]].any(1)?.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    ANY = Reduction::new("any", reductions::any), any, any_into;
    Bool: bool [true, true]
}

reduction! {
    /// Returns whether all elements over `axes` are true.
    ///
    /// Every value but zero counts as true, NaN included. The result for zero elements is `true`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[0, 2], [3, 4]].all(1)?.to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    ALL = Reduction::new("all", reductions::all), all, all_into;
    Bool: bool [false, true]
}

reduction! {
    /// Returns the number of nonzero elements over `axes`, as `int64`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[0, 2], [3, 4]].count_nonzero(1)?.to_vec::<i64>()?, [1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    COUNT_NONZERO = Reduction::new("count_nonzero", reductions::count), count_nonzero, count_nonzero_into;
    Int64: i64 [1, 2]
}
