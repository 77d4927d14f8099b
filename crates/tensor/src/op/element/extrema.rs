//! Elementwise minimum and maximum, and `clip`.

use crate::kernel::clip::ClipTask;
use crate::op::elementwise::{BinaryOp, TernaryOp};
use crate::op::operand::{Operand, Target};
use crate::trace::{Call, Param, composite};
use crate::{Error, Tensor};

binary! {
    /// Returns the smaller of two elements; NaN if either is NaN.
    example(tensor![1, 5, 3], 3 => i32 [1, 3, 3])
    MINIMUM: minimum, minimum_into = Ordered vectors |x, y| x.smaller(y)
}

binary! {
    /// Returns the larger of two elements; NaN if either is NaN.
    example(tensor![1, 5, 3], 3 => i32 [3, 5, 3])
    MAXIMUM: maximum, maximum_into = Ordered vectors |x, y| x.greater(y)
}

binary! {
    /// Returns the smaller of two elements; if one is NaN, the other.
    example(tensor![1.0, f64::NAN], 3 => f64 [1.0, 3.0])
    FMIN: fmin, fmin_into = Ordered vectors |x, y| if x <= y || y.is_nan() { x } else { y }
}

binary! {
    /// Returns the larger of two elements; if one is NaN, the other.
    example(tensor![1.0, f64::NAN], 3 => f64 [3.0, 3.0])
    FMAX: fmax, fmax_into = Ordered vectors |x, y| if x >= y || y.is_nan() { x } else { y }
}

const CLIP: TernaryOp = operation!("clip", Ordered by |dtype| dtype.with_ordered(ClipTask));
const CLIP_BELOW: BinaryOp = BinaryOp { name: "clip", ..MAXIMUM };
const CLIP_ABOVE: BinaryOp = BinaryOp { name: "clip", ..MINIMUM };

/// The parameters of events without a bound; bounds are operands.
static NO_MIN: [(&str, Param<'static>); 1] = [("min", Param::None)];
static NO_MAX: [(&str, Param<'static>); 1] = [("max", Param::None)];
static NO_LIMITS: [(&str, Param<'static>); 2] = [("min", Param::None), ("max", Param::None)];

mod sealed {
    pub trait SealedLimit<'a> {}

    impl<'a, T: Into<crate::op::Operand<'a>>> SealedLimit<'a> for T {}
    impl SealedLimit<'_> for () {}
    impl<'a> SealedLimit<'a> for Option<crate::op::Operand<'a>> {}
}

/// A bound of [`Tensor::clip`]: an operand, or `()` for none.
pub trait Limit<'a>: sealed::SealedLimit<'a> {
    /// Returns the bound as an operand, if there is one.
    ///
    /// ```
    /// use belvedere::Limit;
    ///
    /// assert!(3.0_f64.operand().is_some());
    /// assert!(().operand().is_none());
    /// ```
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
    /// Limits the elements to the range from `min` to `max`.
    ///
    /// Each bound may be a number, a tensor, or `()` for none.
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
    /// The result is NaN where the element or a bound is NaN, and `max` where `min` is greater than `max`.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the dtype is complex.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn clip<'a>(&self, min: impl Limit<'a>, max: impl Limit<'a>) -> Result<Tensor, Error> {
        let call = Call::new(CLIP.name);
        match (min.operand(), max.operand()) {
            (Some(min), Some(max)) => CLIP.compute([self.into(), min, max]),
            (Some(min), None) => composite(call.with(&NO_MAX), &[self.into(), min.clone()], || {
                CLIP_BELOW.compute([self.into(), min])
            }),
            (None, Some(max)) => composite(call.with(&NO_MIN), &[self.into(), max.clone()], || {
                CLIP_ABOVE.compute([self.into(), max])
            }),
            // A copy; refuses dtypes without an order as the other cases do.
            (None, None) => composite(call.with(&NO_LIMITS), &[self.into()], || {
                CLIP_BELOW.compute([self.into(), self.into()])
            }),
        }
    }
}

/// Writes [`Tensor::clip`] of `x` to `out`, which may be one of the operands.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![-5, 0, 5];
/// belvedere::clip_into(&x, (), 3, &x)?;
/// assert_eq!(x.to_vec::<i32>()?, [-5, 0, 3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// Those of the method; and if `out` has another shape, cannot hold the dtype, or cannot be written to.
///
/// # Memory
/// Copies an operand first if it overlaps `out` with other strides.
#[track_caller]
pub fn clip_into<'a>(
    x: impl Into<Operand<'a>>,
    min: impl Limit<'a>,
    max: impl Limit<'a>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let (x, out, call) = (x.into(), out.into(), Call::new(CLIP.name));
    match (min.operand(), max.operand()) {
        (Some(min), Some(max)) => CLIP.compute_into([x, min, max], out, call),
        (Some(min), None) => CLIP_BELOW.compute_into([x, min], out, call.with(&NO_MAX)),
        (None, Some(max)) => CLIP_ABOVE.compute_into([x, max], out, call.with(&NO_MIN)),
        (None, None) => CLIP_BELOW.compute_into([x.clone(), x], out, call.with(&NO_LIMITS)),
    }
}
