//! Slicing with Python's rules: `Slice`, `Index`, the `s!` macro, and `select`, `narrow`, `step`.
//!
//! `start:stop:step` counts negative positions from the end, clamps positions outside of the axis, and
//! never fails for a step other than 0. An integer selects one position, which must exist, and drops
//! the axis.

use crate::layout::check_rank;
use crate::{Axis, InlineVec, Layout, LayoutError};
use core::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// A slice of one axis: Python's `start:stop:step`.
///
/// ```
/// use belvedere_layout::Slice;
///
/// // [::-1] of 5 positions: 5 positions from 4 backwards.
/// assert_eq!(Slice::ALL.by(-1).resolve(5), Some((4, 5)));
/// // [-3:100] of 10: clamped.
/// assert_eq!(Slice { start: Some(-3), stop: Some(100), step: 1 }.resolve(10), Some((7, 3)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slice {
    /// The first position. Negative counts from the end; `None` is the first position, or the last if
    /// `step` is negative.
    pub start: Option<isize>,
    /// The exclusive end. Negative counts from the end; `None` includes the last position, or the first
    /// if `step` is negative.
    pub stop: Option<isize>,
    /// The distance between two positions; negative goes backwards.
    pub step: isize,
}

impl Slice {
    /// The whole axis: `:`.
    pub const ALL: Slice = Slice { start: None, stop: None, step: 1 };

    /// Returns the slice with the same start and stop and another step.
    ///
    /// ```
    /// # use belvedere_layout::Slice;
    /// assert_eq!(
    ///     Slice::from(1..7).by(2),
    ///     Slice { start: Some(1), stop: Some(7), step: 2 }
    /// );
    /// ```
    #[must_use]
    pub const fn by(self, step: isize) -> Slice {
        Slice { step, ..self }
    }

    /// Resolves the slice for an axis of `len` positions: returns the first position and the number of
    /// positions, or `None` if the step is 0.
    ///
    /// If the number is 0, the position has no meaning.
    ///
    /// ```
    /// # use belvedere_layout::Slice;
    /// assert_eq!(Slice::from(-3..100).resolve(10), Some((7, 3)));
    /// assert_eq!(Slice::ALL.by(-2).resolve(5), Some((4, 3)));
    /// assert_eq!(Slice::ALL.by(0).resolve(5), None);
    /// ```
    #[inline]
    pub fn resolve(self, len: usize) -> Option<(usize, usize)> {
        // No axis of a layout is longer than `isize::MAX`.
        let len = len.min(isize::MAX as usize) as isize;
        let clamp = |position: isize, low: isize, high: isize| {
            let from_front = if position < 0 { position.saturating_add(len) } else { position };
            from_front.clamp(low, high)
        };
        if self.step > 0 {
            let start = self.start.map_or(0, |it| clamp(it, 0, len));
            let stop = self.stop.map_or(len, |it| clamp(it, 0, len));
            let n = n_steps((stop - start).max(0) as usize, self.step);
            return Some((start as usize, n));
        }
        if self.step == 0 {
            return None;
        }
        let start = self.start.map_or(len - 1, |it| clamp(it, -1, len - 1));
        let stop = self.stop.map_or(-1, |it| clamp(it, -1, len - 1));
        let n = n_steps((start - stop).max(0) as usize, self.step);
        Some((start.max(0) as usize, n))
    }
}

/// Returns the number of positions within a distance: the quotient, rounded up.
#[inline]
fn n_steps(distance: usize, step: isize) -> usize {
    match step.unsigned_abs() {
        // The most common step, and a division takes longer than the rest of the function.
        1 => distance,
        size => distance.div_ceil(size),
    }
}

/// One entry of an index expression.
///
/// The [`s!`](crate::s) macro creates arrays of them from ranges and integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// One position, counted from the end when negative; drops the axis.
    At(isize),
    /// A range of positions; keeps the axis.
    Slice(Slice),
    /// Inserts an axis of length 1: `None` in Python.
    NewAxis,
    /// Matches all axes that have no entry: `...` in Python.
    Ellipsis,
}

impl From<Slice> for Index {
    fn from(slice: Slice) -> Index {
        Index::Slice(slice)
    }
}

impl From<RangeFull> for Slice {
    fn from(_: RangeFull) -> Slice {
        Slice::ALL
    }
}

impl From<RangeFull> for Index {
    fn from(_: RangeFull) -> Index {
        Index::Slice(Slice::ALL)
    }
}

macro_rules! index_from {
    ($($int:ty)*) => {$(
        impl From<$int> for Index {
            fn from(at: $int) -> Index {
                Index::At(saturate(at as i128))
            }
        }

        // Inclusive ranges convert to `Index` only, so that they take no step: their end would depend
        // on its sign.
        impl From<RangeInclusive<$int>> for Index {
            fn from(range: RangeInclusive<$int>) -> Index {
                let (start, last) = (*range.start() as i128, *range.end() as i128);
                Index::Slice(Slice { start: Some(saturate(start)), stop: exclusive_end(last), step: 1 })
            }
        }

        impl From<RangeToInclusive<$int>> for Index {
            fn from(range: RangeToInclusive<$int>) -> Index {
                Index::Slice(Slice { start: None, stop: exclusive_end(range.end as i128), step: 1 })
            }
        }

        index_from!(Range<$int>, |it| (Some(it.start as i128), Some(it.end as i128)));
        index_from!(RangeFrom<$int>, |it| (Some(it.start as i128), None));
        index_from!(RangeTo<$int>, |it| (None, Some(it.end as i128)));
    )*};
    ($range:ty, |$it:ident| ($start:expr, $stop:expr)) => {
        impl From<$range> for Slice {
            fn from($it: $range) -> Slice {
                let (start, stop): (Option<i128>, Option<i128>) = ($start, $stop);
                Slice { start: start.map(saturate), stop: stop.map(saturate), step: 1 }
            }
        }

        impl From<$range> for Index {
            fn from(range: $range) -> Index {
                Index::Slice(range.into())
            }
        }
    };
}

index_from!(isize usize i32);

/// Returns the exclusive end that follows an inclusive one; after -1, the last position, it is `None`.
fn exclusive_end(last: i128) -> Option<isize> {
    if last == -1 { None } else { Some(saturate(last + 1)) }
}

/// Clamps an integer to the range of `isize`. No axis is longer, so the slice stays the same.
fn saturate(position: i128) -> isize {
    position.clamp(isize::MIN as i128, isize::MAX as i128) as isize
}

/// An index expression: positions, ranges, steps, new axes and an ellipsis.
///
/// A step follows a range after a semicolon. Ranges mean what they mean in Python, negative
/// positions included: `..;-1` is `::-1`, `-3..` is `-3:`. Inclusive ranges take no step.
///
/// ```
/// use belvedere_layout::{Index::*, Layout, s};
///
/// let layout = Layout::row_major(&[4, 5, 6])?;
/// assert_eq!(layout.slice(&s![1..3, .., 0])?.shape(), [2, 5]);
/// assert_eq!(layout.slice(&s![.., ..;-2])?.strides(), [30, -12, 1]);
/// assert_eq!(layout.slice(&s![-1, Ellipsis, NewAxis])?.shape(), [5, 6, 1]);
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
#[macro_export]
macro_rules! s {
    (@entry $entry:expr) => { $crate::Index::from($entry) };
    (@entry $entry:expr; $step:expr) => {
        $crate::Index::Slice($crate::Slice::from($entry).by($step))
    };
    ($($entry:expr $(; $step:expr)?),* $(,)?) => {{
        // `1..-1` and `4..1;-1` are valid slices.
        #[allow(clippy::reversed_empty_ranges)]
        let index = [$($crate::s!(@entry $entry $(; $step)?)),*];
        index
    }};
}

impl Layout {
    /// Slices the layout with Python's rules for each entry. Axes without an entry are taken whole.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, s};
    /// let layout = Layout::row_major(&[2, 3, 4])?;
    /// let part = layout.slice(&s![.., ..;2, 1..])?;
    /// assert_eq!((part.start(), part.shape(), part.strides()), (1, [2, 2, 3].into(), [12, 8, 1].into()));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When there are more entries than axes, two ellipses, a step of 0, or a position out of range.
    #[inline]
    pub fn slice(&self, index: impl AsRef<[Index]>) -> Result<Layout, LayoutError> {
        let index = index.as_ref();
        let (n_whole, _) = self.count_axes(index)?;
        let mut slicer = self.slicer();
        for &entry in index {
            match entry {
                Index::At(at) => slicer.at(at)?,
                Index::Slice(slice) => slicer.slice(slice)?,
                Index::NewAxis => slicer.new_axis(),
                Index::Ellipsis => slicer.full_axes(n_whole),
            }
        }
        slicer.finish()
    }

    /// Returns the number of axes that an ellipsis in `index` stands for, and the rank of the result.
    #[inline]
    pub(crate) fn count_axes(&self, index: &[Index]) -> Result<(usize, usize), LayoutError> {
        let (mut n_at, mut n_slices, mut n_new, mut n_ellipses) = (0, 0, 0, 0);
        for entry in index {
            match entry {
                Index::At(_) => n_at += 1,
                Index::Slice(_) => n_slices += 1,
                Index::NewAxis => n_new += 1,
                Index::Ellipsis => n_ellipses += 1,
            }
        }
        if n_ellipses > 1 {
            return Err(LayoutError::TwoEllipses);
        }
        let Some(n_whole) = self.rank().checked_sub(n_at + n_slices) else {
            return Err(LayoutError::IndexCount { given: n_at + n_slices, rank: self.rank() });
        };
        let rank = n_slices + n_new + n_whole;
        check_rank(rank)?;
        Ok((n_whole, rank))
    }

    /// Resolves a position along axis `k`; negative ones count from the end.
    #[inline]
    pub(crate) fn position(&self, k: usize, at: isize) -> Result<usize, LayoutError> {
        let len = self.axes()[k].len;
        let position = if at < 0 { at.saturating_add(len as isize) } else { at };
        if position < 0 || position >= len as isize {
            return Err(LayoutError::IndexOutOfRange { index: at as i128, axis: k, len });
        }
        Ok(position as usize)
    }

    /// Returns the first position that `slice` selects of axis `k` (0 if none), and the sliced axis.
    #[inline(always)]
    pub(super) fn sliced_axis(&self, k: usize, slice: Slice) -> Result<(usize, Axis), LayoutError> {
        let axis = self.axes()[k];
        let Some((first, len)) = slice.resolve(axis.len) else {
            return Err(LayoutError::Zero { what: "step", axis: k });
        };
        Ok((if len == 0 { 0 } else { first }, axis.stepped(len, slice.step)))
    }

    /// Returns the layout with axis `k` reduced to the `len` positions `first`, `first + step`, …, all
    /// of which must exist.
    #[inline(always)]
    pub(crate) fn stepped_range(&self, k: usize, first: usize, len: usize, step: isize) -> Layout {
        let from = self.axes();
        let start = self.start() as isize + first as isize * from[k].stride;
        let taken = from[k].stepped(len, step);
        // The other axes are unchanged: only this one can have become empty.
        let axes = InlineVec::from_fn(self.rank(), move |i| match i {
            _ if i == k => taken,
            _ => from[i].canonical_if_empty(len == 0),
        });
        Layout::with_axes(if len == 0 { 0 } else { start as usize }, axes)
    }

    /// Slices one axis; the others are taken whole.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, Slice};
    /// let layout = Layout::row_major(&[4, 6])?;
    /// let odd = layout.slice_axis(1, Slice { start: Some(1), stop: Some(6), step: 2 })?;
    /// assert!(odd.select(0, 2)?.offsets().eq([13, 15, 17]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis is out of range or the step is 0.
    // Always inlined: a call returns the layout through memory, which takes twice as long (bench
    // `layout`).
    #[inline(always)]
    pub fn slice_axis(&self, axis: isize, slice: Slice) -> Result<Layout, LayoutError> {
        let k = self.resolve_axis(axis)?;
        let (first, kept) = self.sliced_axis(k, slice)?;
        Ok(self.stepped_range(k, first, kept.len, slice.step))
    }

    /// Selects one position of an axis and drops the axis.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let last_column = Layout::row_major(&[3, 4])?.select(1, -1)?;
    /// assert!(last_column.offsets().eq([3, 7, 11]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis or the position is out of range.
    #[inline]
    pub fn select(&self, axis: isize, at: isize) -> Result<Layout, LayoutError> {
        let k = self.resolve_axis(axis)?;
        let position = self.position(k, at)? as isize;
        let start = self.start() as isize + position * self.axes()[k].stride;
        Ok(Layout::with_axes(start as usize, self.inline_axes().without(k)))
    }

    /// Keeps `count` positions of an axis from `start` on. Unlike a slice it does not clamp.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[10])?;
    /// assert!(layout.narrow(0, 3, 4)?.offsets().eq([3, 4, 5, 6]));
    /// let error = layout.narrow(0, 8, 4).unwrap_err();
    /// assert_eq!(error.to_string(), "4 positions starting at 8 do not fit in axis 0 of length 10");
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis is out of range or the range exceeds it.
    // Always inlined: a call returns the layout through memory, which takes twice as long (bench
    // `layout`).
    #[inline(always)]
    pub fn narrow(&self, axis: isize, start: usize, count: usize) -> Result<Layout, LayoutError> {
        let k = self.resolve_axis(axis)?;
        let len = self.axes()[k].len;
        if start > len || count > len - start {
            return Err(LayoutError::RangeOutOfRange { axis: k, start, count, len });
        }
        // `start == len` is valid for 0 positions, but is not a position of the axis.
        Ok(self.stepped_range(k, if count == 0 { 0 } else { start }, count, 1))
    }

    /// Takes the `count` positions `first`, `first + step`, … of an axis. Unlike a slice it does not clamp.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[10])?;
    /// assert!(layout.stepped(0, 8, 3, -4)?.offsets().eq([8, 4, 0]));
    /// assert!(layout.stepped(0, 8, 2, 4).is_err());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis or one of the positions is out of range, or `step` is 0 and there are several.
    // Always inlined: a call returns the layout through memory, which takes twice as long (bench
    // `layout`).
    #[inline(always)]
    pub fn stepped(
        &self,
        axis: isize,
        first: usize,
        count: usize,
        step: isize,
    ) -> Result<Layout, LayoutError> {
        let k = self.resolve_axis(axis)?;
        let Axis { len, .. } = self.axes()[k];
        if !self.axes()[k].contains_range(first, count, step) {
            return Err(LayoutError::StepsOutOfRange { axis: k, start: first, count, step, len });
        }
        Ok(self.stepped_range(k, first, count, step))
    }

    /// Keeps every `step`-th position of an axis, from the last one backwards if `step` is negative.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let row = Layout::row_major(&[8])?;
    /// assert!(row.step(0, 3)?.offsets().eq([0, 3, 6]));
    /// assert!(row.step(0, -3)?.offsets().eq([7, 4, 1]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis is out of range or the step is 0.
    #[inline]
    pub fn step(&self, axis: isize, step: isize) -> Result<Layout, LayoutError> {
        self.slice_axis(axis, Slice::ALL.by(step))
    }
}
