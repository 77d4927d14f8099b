//! `roll`.

use super::flattened;
use super::segments::{Segment, join_segments};
use crate::trace::{Call, composite};
use crate::view::Cell;
use crate::{Axes, Error, Integers, LayoutError, Tensor};

impl Tensor {
    /// Returns the elements rolled along `axes`: those shifted beyond one end reappear at the
    /// other.
    ///
    /// A positive shift moves elements to greater indices. One shift applies to all axes; the
    /// shifts of an axis listed more than once are added. With `()` for the axes, the flattened
    /// tensor is rolled and its shape restored.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.roll(1, 1)?.to_vec::<i32>()?, [3, 1, 2, 6, 4, 5]);
    /// assert_eq!(x.roll([-1, 1], [0, 1])?.to_vec::<i32>()?, [6, 4, 5, 3, 1, 2]);
    /// assert_eq!(x.roll(2, ())?.to_vec::<i32>()?, [5, 6, 1, 2, 3, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range, or the number of shifts is neither 1 nor the number of
    /// axes.
    ///
    /// # Memory
    /// The result is a new tensor. With `()` the elements are copied first if they cannot be
    /// flattened as a view.
    #[track_caller]
    pub fn roll(&self, shifts: impl Integers, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        let (shifts, axes): (_, Axes) = (shifts.to_signed(), axes.into());
        let params = [("shift", shifts[..].into()), ("axis", (&axes).into())];
        let call = Call::new("roll").with(&params);
        if axes.is_all() {
            let [_] = shifts[..] else { return Err(wrong_count(&shifts, 1)) };
            return composite(call, &[self.into()], || {
                let rolled = flattened(self, call)?.rolled(call.part(), &shifts, &[0])?;
                Ok(rolled.with_layout(rolled.layout().view(&*self.shape())?))
            });
        }
        self.rolled(call, &shifts, &axes.list(self.rank()))
    }

    /// Rolls along a list of axes.
    fn rolled(&self, call: Call<'_>, shifts: &[isize], axes: &[isize]) -> Result<Tensor, Error> {
        if shifts.len() != axes.len() && shifts.len() != 1 {
            return Err(wrong_count(shifts, axes.len()));
        }
        let shape = self.shape();
        let mut shift_by = vec![0usize; self.rank()];
        for (&axis, &shift) in axes.iter().zip(shifts.iter().cycle()) {
            let k = self.layout().resolve_axis(axis)?;
            let len = shape[k].max(1);
            // Does not overflow: both are less than the length, which is at most `isize::MAX`.
            shift_by[k] = (shift_by[k] + shift.rem_euclid(len as isize) as usize) % len;
        }
        let segments = shape.iter().zip(shift_by).map(|(&len, shift)| {
            vec![
                Segment::Forwards { start: len.saturating_sub(shift), len: shift.min(len) },
                Segment::Forwards { start: 0, len: len.saturating_sub(shift) },
            ]
        });
        join_segments(call, self, segments.collect(), Cell::zero(self.dtype()))
    }
}

/// Returns the error for a wrong number of shifts.
fn wrong_count(shifts: &[isize], needed: usize) -> Error {
    LayoutError::ArgumentCount { what: "shifts", given: shifts.len(), needed }.into()
}
