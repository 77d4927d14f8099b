//! The smaller and the greater of elements, and limits to them.

use crate::op::elementwise::{BinaryOp, TernaryOp};
use crate::op::operand::{Operand, Target};
use crate::{Error, Tensor};
use std::panic::Location;

binary! {
    /// The smaller of two elements; a NaN if one of them is.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 5, 3];
    /// assert_eq!(x.minimum(3)?.to_vec::<i32>()?, [1, 3, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    MINIMUM: minimum, minimum_into = Ordered vectors |x, y| x.smaller(y)
}

binary! {
    /// The greater of two elements; a NaN if one of them is.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 5, 3];
    /// assert_eq!(x.maximum(3)?.to_vec::<i32>()?, [3, 5, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    MAXIMUM: maximum, maximum_into = Ordered vectors |x, y| x.greater(y)
}

binary! {
    /// The smaller of two elements; the other one if one of them is a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1.0, f64::NAN];
    /// assert_eq!(x.fmin(3)?.to_vec::<f64>()?, [1.0, 3.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    FMIN: fmin, fmin_into = Ordered vectors |x, y| if x <= y || y.is_nan() { x } else { y }
}

binary! {
    /// The greater of two elements; the other one if one of them is a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1.0, f64::NAN];
    /// assert_eq!(x.fmax(3)?.to_vec::<f64>()?, [3.0, 3.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    FMAX: fmax, fmax_into = Ordered vectors |x, y| if x >= y || y.is_nan() { x } else { y }
}

const CLIP: TernaryOp =
    operation!("clip", Ordered vectors |x, low, high| x.greater(low).smaller(high));
const CLIP_BELOW: BinaryOp = BinaryOp { name: "clip", ..MAXIMUM };
const CLIP_ABOVE: BinaryOp = BinaryOp { name: "clip", ..MINIMUM };

mod sealed {
    pub trait SealedLimit<'a> {}

    impl<'a, T: Into<crate::op::Operand<'a>>> SealedLimit<'a> for T {}
    impl SealedLimit<'_> for () {}
    impl<'a> SealedLimit<'a> for Option<crate::op::Operand<'a>> {}
}

/// A limit of [`Tensor::clip`]: whatever an operation takes, or `()` for none.
pub trait Limit<'a>: sealed::SealedLimit<'a> {
    /// The operand, if there is one.
    fn operand(self) -> Option<Operand<'a>>;
}

impl<'a, T: Into<Operand<'a>>> Limit<'a> for T {
    fn operand(self) -> Option<Operand<'a>> {
        Some(self.into())
    }
}

impl<'a> Limit<'a> for Option<Operand<'a>> {
    fn operand(self) -> Option<Operand<'a>> {
        self
    }
}

impl<'a> Limit<'a> for () {
    fn operand(self) -> Option<Operand<'a>> {
        None
    }
}

impl Tensor {
    /// The elements, but not less than `min` and not greater than `max`. Each may be a number, a
    /// tensor, or `()` for no limit.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![-5, 0, 5];
    /// assert_eq!(x.clip(-1, 3)?.to_vec::<i32>()?, [-1, 0, 3]);
    /// assert_eq!(x.clip((), &tensor![1, -1, 7])?.to_vec::<i32>()?, [-5, -1, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// A NaN stays one, and where a limit is one, so is the result. Where `min` is greater than `max`,
    /// the result is `max`.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    ///
    /// # Memory
    /// The result is new.
    #[track_caller]
    pub fn clip<'a>(&self, min: impl Limit<'a>, max: impl Limit<'a>) -> Result<Tensor, Error> {
        match (min.operand(), max.operand()) {
            (Some(min), Some(max)) => CLIP.compute([self.into(), min, max]),
            (Some(min), None) => CLIP_BELOW.compute([self.into(), min]),
            (None, Some(max)) => CLIP_ABOVE.compute([self.into(), max]),
            // One that is as it is, but of a type that has an order.
            (None, None) => CLIP_BELOW.compute([self.into(), self.into()]),
        }
    }
}

/// Writes [`Tensor::clip`] of `x` to `out`, which may be one of the operands.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// Copies an operand first if it shares elements with `out`, and the two do not lie by the same
/// strides.
#[track_caller]
pub fn clip_into<'a>(
    x: impl Into<Operand<'a>>,
    min: impl Limit<'a>,
    max: impl Limit<'a>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let (x, out, caller) = (x.into(), out.into(), Location::caller());
    match (min.operand(), max.operand()) {
        (Some(min), Some(max)) => CLIP.compute_into([x, min, max], out, caller),
        (Some(min), None) => CLIP_BELOW.compute_into([x, min], out, caller),
        (None, Some(max)) => CLIP_ABOVE.compute_into([x, max], out, caller),
        (None, None) => CLIP_BELOW.compute_into([x.clone(), x], out, caller),
    }
}
