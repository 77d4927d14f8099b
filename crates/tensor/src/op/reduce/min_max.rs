//! `min`, `max`, `argmin`, `argmax` and `ptp`.

use super::{Reduction, reduction};
use crate::kernel::reductions;
use crate::op::axes::Axes;
use crate::op::operand::{Operand, Target};
use crate::trace::{Call, composite};
use crate::{Error, Lens, Tensor};

reduction! {
    /// Returns the minimum over `axes`.
    ///
    /// NaN propagates: the result is NaN if any element is. [`Tensor::nanmin`] ignores NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 0]].min(())?.item::<i32>()?, 0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice, there are no elements to reduce, or the dtype is
    /// complex.
    MIN = Reduction::new("min", reductions::min).requires_elements(), min, min_into;
    Float64: f64 [0.0, 3.0]
}

reduction! {
    /// Returns the maximum over `axes`.
    ///
    /// NaN propagates: the result is NaN if any element is. [`Tensor::nanmax`] ignores NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 0]].max(1)?.to_vec::<i32>()?, [2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice, there are no elements to reduce, or the dtype is
    /// complex.
    MAX = Reduction::new("max", reductions::max).requires_elements(), max, max_into;
    Float64: f64 [2.0, 5.0]
}

reduction! {
    /// Returns the index of the minimum over `axes`, as `int64`.
    ///
    /// Of several minima the first counts; a NaN counts as smaller than every number. Over several axes the index
    /// is the row-major position among the reduced elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 0]].argmin(1)?.to_vec::<i64>()?, [0, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice, there are no elements to reduce, or the dtype is
    /// complex.
    ARGMIN = Reduction::new("argmin", reductions::argmin).requires_elements().with_positions(), argmin, argmin_into;
    Int64: i64 [0, 0]
}

reduction! {
    /// Returns the index of the maximum over `axes`, as `int64`.
    ///
    /// Of several maxima the first counts; a NaN counts as greater than every number. Over several axes the index
    /// is the row-major position among the reduced elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 0]].argmax(())?.item::<i64>()?, 2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice, there are no elements to reduce, or the dtype is
    /// complex.
    ARGMAX = Reduction::new("argmax", reductions::argmax).requires_elements().with_positions(), argmax, argmax_into;
    Int64: i64 [1, 1]
}

impl Tensor {
    /// Returns the range of the elements over `axes`, "peak to peak": `max - min`.
    ///
    /// The dtype stays the same; a difference of integers that overflows wraps around.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 7], [3, 0]].ptp(1)?.to_vec::<i32>()?, [6, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice, there are no elements to reduce, or the dtype is
    /// complex or `bool`.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn ptp(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        let axes: Axes = axes.into();
        let params = [("axis", (&axes).into()), ("keepdims", axes.keeps().into())];
        composite(Call::new("ptp").with(&params), &[self.into()], || {
            self.max(axes.clone())?.sub(&self.min(axes.clone())?)
        })
    }
}
