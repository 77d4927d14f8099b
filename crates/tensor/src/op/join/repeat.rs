//! `repeat` and `tile`.

use crate::kernel::copy::copy;
use crate::op::execute::compute_new;
use crate::op::number::WeakScalar;
use crate::op::operand::{Operand, OperandRepr};
use crate::{Error, Layout, LayoutError, Shape, Tensor};
use std::panic::Location;

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
        let counts = counts.into();
        let Some(axis) = axis.into() else {
            return self.reshape([-1])?.repeat(counts, 0);
        };
        let k = self.layout().resolve_axis(axis)?;
        match &counts.0 {
            OperandRepr::Scalar(WeakScalar::Int(count)) => self.repeat_all(k, *count),
            OperandRepr::Tensor(counts) => self.repeat_by(k, counts),
            OperandRepr::Owned(counts) => self.repeat_by(k, counts),
            OperandRepr::Lens(lens) => {
                let (reason, caller) = (crate::copies::CopyReason::NoView, Location::caller());
                self.repeat_by(k, &lens.copied("repeat", reason, caller)?)
            }
            OperandRepr::View(view) => {
                let layout = Layout::row_major(&view.layout().shape())?;
                let counts =
                    compute_new(layout, view.dtype(), &[view.clone().into()], |out, [view]| {
                        copy(out, &view)
                    })?;
                self.repeat_by(k, &counts)
            }
            OperandRepr::Scalar(_) | OperandRepr::Cell(_) => {
                let dtype = crate::op::number::common_type(&[&counts]);
                Err(Error::Unsupported { op: "repeat", dtype })
            }
        }
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
    pub fn tile(&self, times: impl AsRef<[usize]>) -> Result<Tensor, Error> {
        let times = times.as_ref();
        let rank = self.rank().max(times.len());
        let x = self.atleast_nd(rank)?;
        let mut each = vec![1; rank - times.len()];
        each.extend_from_slice(times);
        x.repeat_axes(&each, RepeatOrder::Whole)
    }

    /// Repeats each position of axis `k` `count` times.
    fn repeat_all(&self, k: usize, count: i128) -> Result<Tensor, Error> {
        let Ok(count) = usize::try_from(count) else {
            let needs = "non-negative counts";
            return Err(Error::Argument { op: "repeat", needs, given: count as f64 });
        };
        let mut times = vec![1; self.rank()];
        times[k] = count;
        self.repeat_axes(&times, RepeatOrder::Each)
    }

    /// Repeats each position of axis `k` by its count in `counts`.
    fn repeat_by(&self, k: usize, counts: &Tensor) -> Result<Tensor, Error> {
        if counts.rank() > 1 {
            let (operation, rank) = ("repeat", counts.rank());
            return Err(LayoutError::WrongRank { operation, least: 0, most: 1, rank }.into());
        }
        self.repeat_each(k, counts)
    }

    /// Repeats each axis `times[k]` times, as one copy from a view with a broadcast axis next to each.
    fn repeat_axes(&self, times: &[usize], order: RepeatOrder) -> Result<Tensor, Error> {
        let lens = self.shape();
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
        let view = self.view(&*ones)?.broadcast_to(&*wide)?;
        compute_new(layout, self.dtype(), &[(&view).into()], |out, [view]| {
            copy(out.view(&wide).expect("a row-major tensor can be viewed in any shape"), &view)
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
