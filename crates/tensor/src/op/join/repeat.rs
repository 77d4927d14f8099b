//! `repeat` and `tile`.

use super::flattened;
use super::meshgrid::layout_of_rank;
use crate::copies::CopyReason;
use crate::kernel::copy::copy;
use crate::op::execute::compute_new;
use crate::op::number::{WeakScalar, common_type};
use crate::op::operand::{Operand, OperandRepr};
use crate::trace::{Call, composite};
use crate::{Error, Integers, Layout, LayoutError, Shape, Tensor};

impl Tensor {
    /// Returns the tensor with each position of `axis` repeated: `counts` is one count for all, or
    /// a 1-D integer tensor with one count for each.
    ///
    /// Without an axis, the flattened tensor is repeated. PyTorch's `repeat_interleave`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.repeat(2, 1)?.to_vec::<i32>()?, [1, 1, 2, 2, 3, 3, 4, 4]);
    /// assert_eq!(x.repeat(&tensor![0, 2], 0)?.to_vec::<i32>()?, [3, 4, 3, 4]);
    /// assert_eq!(x.repeat(2, None)?.shape(), [8]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` is out of range, a count is negative or not an integer, the number of counts
    /// is neither 1 nor the length of the axis, or the result has too many elements.
    ///
    /// # Memory
    /// The result is a new tensor. Without an axis, the elements are copied first if they cannot be
    /// flattened as a view. [`Lens::repeat`](crate::Lens::repeat) does not copy.
    #[track_caller]
    pub fn repeat<'a>(
        &self,
        counts: impl Into<Operand<'a>>,
        axis: impl Into<Option<isize>>,
    ) -> Result<Tensor, Error> {
        let counts: Operand<'_> = counts.into();
        let axis: Option<isize> = axis.into();
        // One count for all is a parameter, and a list of counts is an operand.
        if let OperandRepr::Scalar(WeakScalar::Int(count)) = counts.0 {
            let params = [("repeats", count.into()), ("axis", axis.into())];
            let call = Call::new("repeat").with(&params);
            return match axis {
                Some(axis) => self.repeat_all(call, self.layout().resolve_axis(axis)?, count),
                None => composite(call, &[self.into()], || {
                    flattened(self, call)?.repeat_all(call.part(), 0, count)
                }),
            };
        }
        let params = [("axis", axis.into())];
        let call = Call::new("repeat").with(&params);
        composite(call, &[self.into(), counts.clone()], || match axis {
            Some(axis) => self.repeat_by(call, self.layout().resolve_axis(axis)?, &counts),
            None => flattened(self, call)?.repeat_by(call.part(), 0, &counts),
        })
    }

    /// Returns the whole tensor repeated along each axis: `times` holds the repetitions of the last
    /// axes, and prepends axes if it is longer than the rank.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2]];
    /// assert_eq!(x.tile([2, 2])?.to_vec::<i32>()?, [1, 2, 1, 2, 1, 2, 1, 2]);
    /// assert_eq!(x.tile([3])?.shape(), [1, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the result has too many axes or elements.
    ///
    /// # Memory
    /// The result is a new tensor. [`Lens::tile`](crate::Lens::tile) does not copy.
    #[track_caller]
    pub fn tile(&self, times: impl Integers) -> Result<Tensor, Error> {
        let times = &*times.lengths("repetitions")?;
        let params = [("repetitions", times.into())];
        let call = Call::new("tile").with(&params);
        let rank = self.rank().max(times.len());
        let lens = layout_of_rank(self.layout(), rank)?.shape();
        let mut each = vec![1; rank - times.len()];
        each.extend_from_slice(times);
        self.repeat_axes(call, &lens, &each, RepeatOrder::Whole)
    }

    /// Repeats each position of axis `k` `count` times.
    fn repeat_all(&self, call: Call<'_>, k: usize, count: i128) -> Result<Tensor, Error> {
        let Ok(count) = usize::try_from(count) else {
            let needs = "non-negative counts";
            return Err(Error::Argument { op: call.op, needs, given: count.into() });
        };
        let mut times = vec![1; self.rank()];
        times[k] = count;
        self.repeat_axes(call, &self.shape(), &times, RepeatOrder::Each)
    }

    /// Repeats each position of axis `k` by its count in `counts`.
    fn repeat_by(&self, call: Call<'_>, k: usize, counts: &Operand<'_>) -> Result<Tensor, Error> {
        let copied;
        let counts = match &counts.0 {
            OperandRepr::Tensor(counts) => *counts,
            OperandRepr::Owned(counts) => counts,
            OperandRepr::Lens(lens) => {
                copied = lens.copied(call.part().copying(CopyReason::NoView))?;
                &copied
            }
            OperandRepr::View(view) => {
                let layout = Layout::row_major(&view.layout().shape())?;
                let operands = [view.clone().into()];
                copied =
                    compute_new(call.part(), layout, view.dtype(), &operands, |out, [view]| {
                        copy(out, &view)
                    })?;
                &copied
            }
            OperandRepr::Scalar(_) | OperandRepr::Cell(_) => {
                return Err(Error::Unsupported { op: call.op, dtype: common_type(&[counts]) });
            }
        };
        if counts.rank() > 1 {
            let (operation, rank) = (call.op, counts.rank());
            return Err(LayoutError::WrongRank { operation, least: 0, most: 1, rank }.into());
        }
        self.repeat_each(k, counts)
    }

    /// Repeats each axis `times[k]` times, as one copy from a view with a broadcast axis next to each. `lens` is
    /// the shape of this tensor, with axes of length 1 prepended.
    fn repeat_axes(
        &self,
        call: Call<'_>,
        lens: &[usize],
        times: &[usize],
        order: RepeatOrder,
    ) -> Result<Tensor, Error> {
        let pair = |len: usize, n: usize| match order {
            RepeatOrder::Whole => [n, len],
            RepeatOrder::Each => [len, n],
        };
        let products = lens.iter().zip(times).map(|(&len, &n)| len.checked_mul(n));
        let shape: Option<Shape> = products.collect();
        let shape = shape.ok_or_else(|| LayoutError::TooManyElements { shape: times.into() })?;
        let layout = Layout::row_major(&shape)?;
        // Axes that are not repeated are not split, because the rank is limited.
        let pairs = || lens.iter().zip(times).map(|(&len, &n)| (len, n));
        let wide: Shape = pairs()
            .flat_map(|(len, n)| if n == 1 { vec![len] } else { pair(len, n).to_vec() })
            .collect();
        let ones: Shape = pairs()
            .flat_map(|(len, n)| if n == 1 { vec![len] } else { pair(len, 1).to_vec() })
            .collect();
        // Checks the number of axes, before the kernel does the same.
        self.layout().view(&*ones)?.broadcast_to(&*wide)?;
        compute_new(call, layout, self.dtype(), &[self.into()], |out, [view]| {
            let view = view.view(&ones).and_then(|it| it.broadcast_to(&wide));
            let out = out.view(&wide).expect("a row-major tensor can be viewed in any shape");
            copy(out, &view.expect("the layout was broadcast"))
        })
    }
}

/// What is repeated along an axis.
#[derive(Clone, Copy)]
enum RepeatOrder {
    /// The whole axis: `1 2` becomes `1 2 1 2`.
    Whole,
    /// Each position: `1 2` becomes `1 1 2 2`.
    Each,
}
