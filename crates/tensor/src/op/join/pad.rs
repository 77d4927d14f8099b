//! More positions at the ends of axes.

use super::segment::{Segment, of_segments};
use crate::op::number::common_type;
use crate::op::operand::Operand;
use crate::view::{Cell, Input, read};
use crate::{Error, LayoutError, Tensor, can_assign};

/// Stretches beyond an end that are copied one by one; with more of them each position is looked up.
const MOST_TURNS: usize = 64;

/// What lies beyond the ends of an axis: for [`Tensor::pad_mode`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PadMode {
    /// The elements at the ends: `1 2 3` becomes `1 1 1 2 3 3 3`.
    #[default]
    Edge,
    /// The elements back from the ends, without these: `1 2 3` becomes `3 2 1 2 3 2 1`.
    Reflect,
    /// The elements back from the ends, with these: `1 2 3` becomes `2 1 1 2 3 3 2`.
    Symmetric,
    /// The elements from the other end: `1 2 3` becomes `2 3 1 2 3 1 2`. PyTorch calls it circular.
    Wrap,
}

impl Tensor {
    /// The elements with zeros around them: so many before and behind those of each axis.
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
    /// If there are not as many widths as axes, or the result has too many elements.
    ///
    /// # Memory
    /// The result is new. [`Lens::pad`](crate::Lens::pad) does not copy.
    pub fn pad(&self, widths: &[(usize, usize)]) -> Result<Tensor, Error> {
        self.padded(widths, None, Cell::zero(self.dtype()))
    }

    /// The same with another value than zero.
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
    /// As for [`Tensor::pad`]; and if there is more than one value, or the type cannot hold it.
    ///
    /// # Memory
    /// The result is new.
    pub fn pad_with<'a>(
        &self,
        widths: &[(usize, usize)],
        value: impl Into<Operand<'a>>,
    ) -> Result<Tensor, Error> {
        self.padded(widths, None, self.one_value(value.into())?)
    }

    /// The elements with others of them around: which, the mode says.
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
    /// As for [`Tensor::pad`]; and if an axis should grow that has no positions.
    ///
    /// # Memory
    /// The result is new.
    pub fn pad_mode(&self, widths: &[(usize, usize)], mode: PadMode) -> Result<Tensor, Error> {
        self.padded(widths, Some(mode), Cell::zero(self.dtype()))
    }

    fn padded(
        &self,
        widths: &[(usize, usize)],
        mode: Option<PadMode>,
        value: Cell,
    ) -> Result<Tensor, Error> {
        if widths.len() != self.rank() {
            let (given, needed) = (widths.len(), self.rank());
            return Err(LayoutError::ArgumentCount { what: "widths", given, needed }.into());
        }
        if let Some(mode) = mode
            && let Some(axis) = mode.winding(&self.shape(), widths)
        {
            let (before, after) = widths[axis];
            let positions = mode.positions(self.shape()[axis], before, after)?;
            let mut widths = widths.to_vec();
            widths[axis] = (0, 0);
            return self.take(&positions, axis as isize)?.padded(&widths, Some(mode), value);
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
        of_segments(self, segments, value)
    }

    /// A value as an element of this type.
    fn one_value(&self, value: Operand<'_>) -> Result<Cell, Error> {
        if let Some(cell) = value.cell(self.dtype())? {
            return Ok(cell);
        }
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
        read([Input::Tensor(&one)], |[view]| Cell::of(&view))
    }
}

impl PadMode {
    /// The first axis that would go to and fro too often to be put together of stretches.
    fn winding(self, shape: &[usize], widths: &[(usize, usize)]) -> Option<usize> {
        let is_winding = |(&len, &(before, after)): (&usize, &(usize, usize))| {
            self != PadMode::Edge && len > 1 && before.max(after) / (len - 1) > MOST_TURNS
        };
        shape.iter().zip(widths).position(is_winding)
    }

    /// The positions of an axis of which one that grows is made.
    fn positions(self, len: usize, before: usize, after: usize) -> Result<Tensor, Error> {
        let total = before.checked_add(after).and_then(|it| it.checked_add(len));
        let total = total.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        let period = match self {
            PadMode::Reflect => 2 * (len - 1),
            PadMode::Symmetric => 2 * len,
            PadMode::Wrap | PadMode::Edge => len,
        };
        // Where the first one is in its period.
        let first = (period - before % period) % period;
        Tensor::from_fn([total], |at| {
            let i = (first + at[0] % period) % period;
            let mirrored = if self == PadMode::Reflect { period - i } else { 2 * len - 1 - i };
            (if i < len { i } else { mirrored }) as i64
        })
    }

    /// What lies at the positions of an axis that grows.
    fn segments(self, len: usize, before: usize, after: usize) -> Vec<Segment> {
        let middle = Segment::Forwards { start: 0, len };
        if before == 0 && after == 0 {
            return vec![middle];
        }
        // One element has no other than itself beside it.
        if self == PadMode::Edge || len == 1 {
            let (first, last) = (0, len - 1);
            let ends = [(first, before), (last, after)];
            let [before, after] = ends.map(|(at, len)| Segment::Still { at, len });
            return vec![before, middle, after];
        }
        let mut list = Vec::new();
        // Outwards from the middle, so that what is cut off is at the outer end.
        let mut left = before;
        for turn in 0.. {
            let Some(segment) = self.beyond(len, turn, left, End::First) else { break };
            left -= segment.1;
            list.push(segment.0);
        }
        list.reverse();
        list.push(middle);
        let mut left = after;
        for turn in 0.. {
            let Some(segment) = self.beyond(len, turn, left, End::Last) else { break };
            left -= segment.1;
            list.push(segment.0);
        }
        list
    }

    /// The stretch that comes next beyond an end, after so many others, if positions are left; and how
    /// many it takes.
    fn beyond(self, len: usize, turn: usize, left: usize, end: End) -> Option<(Segment, usize)> {
        let whole = if self == PadMode::Reflect { len - 1 } else { len };
        let n = whole.min(left);
        if n == 0 {
            return None;
        }
        // Mirrors turn round each time; the first of them goes back into the axis.
        let is_mirrored = self != PadMode::Wrap && turn.is_multiple_of(2);
        // A mirror without its edge begins one further in.
        let skipped = usize::from(self == PadMode::Reflect);
        let segment = match (end, is_mirrored) {
            (End::First, true) => Segment::Backwards { start: skipped + n - 1, len: n },
            (End::First, false) => Segment::Forwards { start: len - skipped - n, len: n },
            (End::Last, true) => Segment::Backwards { start: len - 1 - skipped, len: n },
            (End::Last, false) => Segment::Forwards { start: skipped, len: n },
        };
        Some((segment, n))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}
