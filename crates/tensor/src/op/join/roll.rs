//! Elements that leave an axis at one end and come back at the other.

use super::segment::{Segment, of_segments};
use crate::view::Cell;
use crate::{Axes, Error, LayoutError, Tensor};

/// By how many positions [`Tensor::roll`] moves elements: a number for all axes, or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shifts(Vec<isize>);

impl From<isize> for Shifts {
    fn from(shift: isize) -> Shifts {
        Shifts(vec![shift])
    }
}

impl<const N: usize> From<[isize; N]> for Shifts {
    fn from(shifts: [isize; N]) -> Shifts {
        Shifts(shifts.into())
    }
}

impl<const N: usize> From<&[isize; N]> for Shifts {
    fn from(shifts: &[isize; N]) -> Shifts {
        Shifts(shifts.to_vec())
    }
}

impl From<&Vec<isize>> for Shifts {
    fn from(shifts: &Vec<isize>) -> Shifts {
        Shifts(shifts.clone())
    }
}

impl From<&[isize]> for Shifts {
    fn from(shifts: &[isize]) -> Shifts {
        Shifts(shifts.to_vec())
    }
}

impl Tensor {
    /// The elements moved along axes by so many positions, backwards if negative; those that leave at one
    /// end come back at the other. One shift may be for all axes; an axis that is named twice is moved
    /// twice. With `()` for the axes, the elements are moved in the order of the indices.
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
    /// If there is no such axis, or there are not as many shifts as axes.
    ///
    /// # Memory
    /// The result is new. With `()` the elements are copied first if they have no common stride.
    #[track_caller]
    pub fn roll(&self, shifts: impl Into<Shifts>, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        let (Shifts(shifts), axes) = (shifts.into(), axes.into());
        if axes.is_all() {
            let [_] = shifts[..] else { return Err(count(&shifts, 1)) };
            return self.reshape([-1])?.roll(&shifts, 0)?.view(&*self.shape());
        }
        let axes = axes.list(self.rank());
        if shifts.len() != axes.len() && shifts.len() != 1 {
            return Err(count(&shifts, axes.len()));
        }
        let shape = self.shape();
        let mut moved = vec![0usize; self.rank()];
        for (&axis, &shift) in axes.iter().zip(shifts.iter().cycle()) {
            let k = self.layout().resolve_axis(axis)?;
            let len = shape[k].max(1);
            // Both are less than the length, which is at most `isize::MAX`.
            moved[k] = (moved[k] + shift.rem_euclid(len as isize) as usize) % len;
        }
        let segments = shape.iter().zip(moved).map(|(&len, moved)| {
            vec![
                Segment::Forwards { start: len.saturating_sub(moved), len: moved.min(len) },
                Segment::Forwards { start: 0, len: len.saturating_sub(moved) },
            ]
        });
        of_segments(self, segments.collect(), Cell::zero(self.dtype()))
    }
}

fn count(shifts: &[isize], needed: usize) -> Error {
    LayoutError::ArgumentCount { what: "shifts", given: shifts.len(), needed }.into()
}
