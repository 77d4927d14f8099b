//! `pad`, `pad_with` and `pad_mode`.

use super::segments::{Segment, join_segments};
use crate::op::execute::read_operands;
use crate::op::number::common_type;
use crate::op::operand::Operand;
use crate::trace::{Call, composite};
use crate::view::Cell;
use crate::{Error, LayoutError, Tensor, can_assign};

/// The most periods of the axis beyond one end that are copied segment by segment; with more of them the
/// positions are gathered.
const MAX_SEGMENTS: usize = 64;

/// The values beyond the ends of an axis in [`Tensor::pad_mode`].
///
/// ```
/// use belvedere::PadMode;
///
/// assert_eq!("circular".parse::<PadMode>()?, PadMode::Wrap);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PadMode {
    /// The first and the last element: `1 2 3` becomes `1 1 1 2 3 3 3`.
    #[default]
    Edge,
    /// Reflected at the ends, without repeating the first and the last element: `1 2 3` becomes `3 2 1 2 3 2 1`.
    Reflect,
    /// Reflected at the ends, repeating the first and the last element: `1 2 3` becomes `2 1 1 2 3 3 2`.
    Symmetric,
    /// Periodic continuation: `1 2 3` becomes `2 3 1 2 3 1 2`. PyTorch calls it circular.
    Wrap,
}

impl Tensor {
    /// Returns the tensor padded with zeros: `widths` holds the number of positions before and
    /// after each axis.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2]];
    /// assert_eq!(x.pad(&[(0, 1), (1, 0)])?.to_vec::<i32>()?, [0, 1, 2, 0, 0, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the number of widths is not the number of axes, or the result has too many
    /// elements.
    ///
    /// # Memory
    /// The result is a new tensor. [`Lens::pad`](crate::Lens::pad) does not copy.
    #[track_caller]
    pub fn pad(&self, widths: impl AsRef<[(usize, usize)]>) -> Result<Tensor, Error> {
        let widths = widths.as_ref();
        let flat = flat_widths(widths);
        let params = [("pad_width", flat[..].into()), ("mode", "constant".into())];
        let call = Call::new("pad").with(&params);
        self.pad_axes(call, widths, None, Cell::zero(self.dtype()))
    }

    /// Returns the tensor padded with `value`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2].pad_with(&[(1, 2)], 9)?;
    /// assert_eq!(x.to_vec::<i32>()?, [9, 1, 2, 9, 9]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::pad`]. Also fails if `value` has more than one element, or cannot be cast
    /// to the dtype of this tensor.
    ///
    /// # Memory
    /// The result is a new tensor.
    #[track_caller]
    pub fn pad_with<'a>(
        &self,
        widths: impl AsRef<[(usize, usize)]>,
        value: impl Into<Operand<'a>>,
    ) -> Result<Tensor, Error> {
        let widths = widths.as_ref();
        let flat = flat_widths(widths);
        let params = [("pad_width", flat[..].into()), ("mode", "constant".into())];
        let call = Call::new("pad").with(&params);
        let value: Operand<'_> = value.into();
        match value.cell(self.dtype())? {
            Some(cell) => self.pad_axes(call, widths, None, cell),
            None => composite(call, &[self.into(), value.clone()], || {
                let cell = self.single_value(call, value)?;
                self.pad_axes(call, widths, None, cell)
            }),
        }
    }

    /// Returns the tensor padded with its own elements, chosen by `mode`.
    ///
    /// ```
    /// use belvedere::{PadMode::*, prelude::*};
    ///
    /// let x = tensor![1, 2, 3];
    /// let padded = |mode| x.pad_mode(&[(2, 2)], mode)?.to_vec::<i32>();
    /// assert_eq!(padded(Edge)?, [1, 1, 1, 2, 3, 3, 3]);
    /// assert_eq!(padded(Reflect)?, [3, 2, 1, 2, 3, 2, 1]);
    /// assert_eq!(padded(Symmetric)?, [2, 1, 1, 2, 3, 3, 2]);
    /// assert_eq!(padded(Wrap)?, [2, 3, 1, 2, 3, 1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::pad`]. Also fails if an axis of length 0 is padded.
    ///
    /// # Memory
    /// The result is a new tensor.
    #[track_caller]
    pub fn pad_mode(
        &self,
        widths: impl AsRef<[(usize, usize)]>,
        mode: PadMode,
    ) -> Result<Tensor, Error> {
        let widths = widths.as_ref();
        let flat = flat_widths(widths);
        let params = [("pad_width", flat[..].into()), ("mode", mode.name().into())];
        let call = Call::new("pad").with(&params);
        self.pad_axes(call, widths, Some(mode), Cell::zero(self.dtype()))
    }

    /// Pads with `mode`, or with `value` if there is none.
    fn pad_axes(
        &self,
        call: Call<'_>,
        widths: &[(usize, usize)],
        mode: Option<PadMode>,
        value: Cell,
    ) -> Result<Tensor, Error> {
        if widths.len() != self.rank() {
            let (given, needed) = (widths.len(), self.rank());
            return Err(LayoutError::ArgumentCount { what: "widths", given, needed }.into());
        }
        if let Some(mode) = mode
            && let Some(axis) = mode.axis_to_gather(&self.shape(), widths)
        {
            let (before, after) = widths[axis];
            let mut others = widths.to_vec();
            others[axis] = (0, 0);
            return composite(call, &[self.into()], || {
                let positions = mode.positions(self.shape()[axis], before, after)?;
                let padded = self.take(&positions, axis as isize)?;
                padded.pad_axes(call.part(), &others, Some(mode), value)
            });
        }
        let shape = self.shape();
        let mut segments = Vec::with_capacity(widths.len());
        for (axis, (&len, &(before, after))) in shape.iter().zip(widths).enumerate() {
            let total = before.checked_add(after).and_then(|it| it.checked_add(len));
            if total.is_none_or(|it| it > isize::MAX as usize) {
                return Err(LayoutError::PaddingTooLarge { axis, before, after }.into());
            }
            if mode.is_some() && len == 0 && before + after > 0 {
                return Err(Error::Empty { op: "pad", shape: shape.into() });
            }
            segments.push(match mode {
                None => vec![
                    Segment::Value { len: before },
                    Segment::Forwards { start: 0, len },
                    Segment::Value { len: after },
                ],
                Some(mode) => mode.segments(len, before, after),
            });
        }
        join_segments(call, self, segments, value)
    }

    /// Returns the only element of `value`, which is not a scalar, cast to the dtype of this tensor.
    fn single_value(&self, call: Call<'_>, value: Operand<'_>) -> Result<Cell, Error> {
        let (from, to) = (common_type(&[&value]), self.dtype());
        if !can_assign(from, to) {
            return Err(Error::Cast { from, to });
        }
        if !value.shape().iter().all(|&len| len == 1) {
            return Err(Error::NotOneElement { shape: value.shape().into() });
        }
        let one = Tensor::zeros([0usize; 0], to)?;
        let shape = value.shape();
        crate::assign_into(value, &one.view(&*shape)?)?;
        read_operands(call.part(), &[(&one).into()], |[view]| Cell::from_view(&view))
    }
}

/// Returns the widths before and after each axis as one list, for events.
fn flat_widths(widths: &[(usize, usize)]) -> Vec<usize> {
    widths.iter().flat_map(|&(before, after)| [before, after]).collect()
}

impl PadMode {
    /// Returns the first axis whose padding has too many periods to be copied segment by segment.
    fn axis_to_gather(self, shape: &[usize], widths: &[(usize, usize)]) -> Option<usize> {
        let has_many_periods = |(&len, &(before, after)): (&usize, &(usize, usize))| {
            self != PadMode::Edge && len > 1 && before.max(after) / (len - 1) > MAX_SEGMENTS
        };
        shape.iter().zip(widths).position(has_many_periods)
    }

    /// Returns for each position of the padded axis the position of the axis that it is copied from.
    fn positions(self, len: usize, before: usize, after: usize) -> Result<Tensor, Error> {
        let total = before.checked_add(after).and_then(|it| it.checked_add(len));
        let total = total.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        let period = match self {
            PadMode::Reflect => 2 * (len - 1),
            PadMode::Symmetric => 2 * len,
            PadMode::Wrap | PadMode::Edge => len,
        };
        // The phase of the first position within its period.
        let first = (period - before % period) % period;
        Tensor::from_fn([total], |index| {
            let i = (first + index[0] % period) % period;
            let mirrored = if self == PadMode::Reflect { period - i } else { 2 * len - 1 - i };
            (if i < len { i } else { mirrored }) as i64
        })
    }

    /// Returns the segments of a padded axis.
    fn segments(self, len: usize, before: usize, after: usize) -> Vec<Segment> {
        let middle = Segment::Forwards { start: 0, len };
        if before == 0 && after == 0 {
            return vec![middle];
        }
        // All modes repeat the element of an axis of length 1.
        if self == PadMode::Edge || len == 1 {
            let (first, last) = (0, len - 1);
            let ends = [(first, before), (last, after)];
            let [before, after] = ends.map(|(at, len)| Segment::Repeat { at, len });
            return vec![before, middle, after];
        }
        let mut list = Vec::new();
        // From the middle outwards: only the outermost segment is shorter than a period.
        let mut left = before;
        for turn in 0.. {
            let Some(segment) = self.segment_beyond(len, turn, left, AxisEnd::First) else { break };
            left -= segment.1;
            list.push(segment.0);
        }
        list.reverse();
        list.push(middle);
        let mut left = after;
        for turn in 0.. {
            let Some(segment) = self.segment_beyond(len, turn, left, AxisEnd::Last) else { break };
            left -= segment.1;
            list.push(segment.0);
        }
        list
    }

    /// Returns the segment number `turn` beyond an end, counted outwards, and its length, or `None` if no
    /// positions are left.
    fn segment_beyond(
        self,
        len: usize,
        turn: usize,
        left: usize,
        end: AxisEnd,
    ) -> Option<(Segment, usize)> {
        let whole = if self == PadMode::Reflect { len - 1 } else { len };
        let n = whole.min(left);
        if n == 0 {
            return None;
        }
        // Reflections alternate in direction; the first goes backwards into the axis.
        let is_mirrored = self != PadMode::Wrap && turn.is_multiple_of(2);
        // `Reflect` does not repeat the element at the end.
        let skipped = usize::from(self == PadMode::Reflect);
        let segment = match (end, is_mirrored) {
            (AxisEnd::First, true) => Segment::Backwards { start: skipped + n - 1, len: n },
            (AxisEnd::First, false) => Segment::Forwards { start: len - skipped - n, len: n },
            (AxisEnd::Last, true) => Segment::Backwards { start: len - 1 - skipped, len: n },
            (AxisEnd::Last, false) => Segment::Forwards { start: skipped, len: n },
        };
        Some((segment, n))
    }
}

/// An end of an axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AxisEnd {
    First,
    Last,
}
