//! The least and the greatest elements, and where they are.

use super::{Reduction, reduction};
use crate::kernel::folds;
use crate::op::axes::Axes;
use crate::op::operand::{Operand, Target};
use crate::{Error, Tensor};
use std::panic::Location;

reduction! {
    /// The least element over some axes; a NaN if there is one.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 0]].min(())?.item::<i32>()?, 0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, there are no elements along them, or the type is complex.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    MIN = Reduction::new("min", folds::least).of_something(), min, min_into
}

reduction! {
    /// The greatest element over some axes; a NaN if there is one.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 0]].max(1)?.to_vec::<i32>()?, [2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, there are no elements along them, or the type is complex.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    MAX = Reduction::new("max", folds::greatest).of_something(), max, max_into
}

reduction! {
    /// The position of the first least element over some axes, or of the first NaN. Over several axes
    /// it counts through them in logical order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 0]].argmin(1)?.to_vec::<i64>()?, [0, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, there are no elements along them, or the type is complex.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    ARGMIN = Reduction::new("argmin", folds::least_at).of_something().with_positions(), argmin, argmin_into
}

reduction! {
    /// The position of the first greatest element over some axes, or of the first NaN. Over several axes
    /// it counts through them in logical order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 0]].argmax(())?.item::<i64>()?, 2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, there are no elements along them, or the type is complex.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    ARGMAX = Reduction::new("argmax", folds::greatest_at).of_something().with_positions(), argmax, argmax_into
}

impl Tensor {
    /// How far the elements reach over some axes: the greatest less the least. Integers stay of their
    /// type, and wrap around.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 7], [3, 0]].ptp(1)?.to_vec::<i32>()?, [6, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, there are no elements along them, or the type is complex or `bool`.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn ptp(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        let axes = axes.into();
        self.max(axes.clone())?.sub(&self.min(axes)?)
    }
}
