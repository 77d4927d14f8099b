//! Slicing with Python's rules.
//!
//! `start:stop:step` counts negative positions from the end, clamps what lies outside of the axis, and
//! never fails for a step other than 0. An integer picks one position and drops the axis; it must exist.

use crate::layout::check_rank;
use crate::{Axis, InlineVec, Layout, LayoutError};
use core::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// What is taken of one axis: Python's `start:stop:step`.
///
/// ```
/// use belvedere_layout::Slice;
///
/// // [::-1] of 5 positions: start at 4, take 5, walk backwards.
/// assert_eq!(Slice::ALL.by(-1).resolve(5), Some((4, 5)));
/// // [-3:100] of 10: clamped.
/// assert_eq!(Slice { start: Some(-3), stop: Some(100), step: 1 }.resolve(10), Some((7, 3)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slice {
    /// The first position; negative counts from the end, `None` is the end where the walk begins.
    pub start: Option<isize>,
    /// The position before which the walk ends; `None` walks to the end.
    pub stop: Option<isize>,
    /// How many positions to go on each time; negative walks backwards.
    pub step: isize,
}

impl Slice {
    /// The whole axis: `:`.
    pub const ALL: Slice = Slice { start: None, stop: None, step: 1 };

    /// The same start and stop with another step.
    #[must_use]
    pub const fn by(self, step: isize) -> Slice {
        Slice { step, ..self }
    }

    /// The first position taken of an axis of `len`, and how many there are; `None` for a step of 0.
    ///
    /// The position is meaningful only when the count is not 0.
    #[inline]
    pub fn resolve(self, len: usize) -> Option<(usize, usize)> {
        // Python's own integers have no end; ours do, and no axis is longer than `isize::MAX`.
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

/// How many steps begin within a distance.
#[inline]
fn n_steps(distance: usize, step: isize) -> usize {
    match step.unsigned_abs() {
        // By far the most common, and a division takes longer than all the rest.
        1 => distance,
        size => distance.div_ceil(size),
    }
}

/// One entry of an index expression.
///
/// The [`s!`](crate::s) macro writes lists of them the way people know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// One position, counted from the end when negative; drops the axis.
    At(isize),
    /// A range of positions; keeps the axis.
    Slice(Slice),
    /// Puts in an axis of length 1: `None` in Python.
    NewAxis,
    /// As many whole axes as are left: `...` in Python.
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

        // Inclusive ranges have no step: where they end would depend on its direction.
        impl From<RangeInclusive<$int>> for Index {
            fn from(range: RangeInclusive<$int>) -> Index {
                let (start, last) = (*range.start() as i128, *range.end() as i128);
                Index::Slice(Slice { start: Some(saturate(start)), stop: behind(last), step: 1 })
            }
        }

        impl From<RangeToInclusive<$int>> for Index {
            fn from(range: RangeToInclusive<$int>) -> Index {
                Index::Slice(Slice { start: None, stop: behind(range.end as i128), step: 1 })
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

/// The position behind an inclusive end; behind -1, the last, comes the end of the axis.
fn behind(last: i128) -> Option<isize> {
    if last == -1 { None } else { Some(saturate(last + 1)) }
}

/// Brings any integer into the range of `isize`: no axis is longer, so nothing changes its meaning.
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
        // `1..-1` and `4..1;-1` are no mistakes here.
        #[allow(clippy::reversed_empty_ranges)]
        let index = [$($crate::s!(@entry $entry $(; $step)?)),*];
        index
    }};
}

impl Layout {
    /// Takes part of the layout, with Python's rules for each entry. Axes without an entry are taken
    /// whole.
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
    /// When there are more entries than axes, two ellipses, a step of 0, or a position that does
    /// not exist.
    #[inline]
    pub fn slice(&self, index: &[Index]) -> Result<Layout, LayoutError> {
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

    /// How many axes an ellipsis in `index` stands for, and how many the result has.
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

    /// The position along axis `k` that `at` means.
    #[inline]
    pub(crate) fn position(&self, k: usize, at: isize) -> Result<usize, LayoutError> {
        let len = self.axes()[k].len;
        let position = if at < 0 { at.saturating_add(len as isize) } else { at };
        if position < 0 || position >= len as isize {
            return Err(LayoutError::IndexOutOfRange { index: at as i128, axis: k, len });
        }
        Ok(position as usize)
    }

    /// The first position that `slice` takes of axis `k`, 0 if none, and what is left of the axis.
    #[inline(always)]
    pub(super) fn sliced_axis(&self, k: usize, slice: Slice) -> Result<(usize, Axis), LayoutError> {
        let axis = self.axes()[k];
        let Some((first, len)) = slice.resolve(axis.len) else {
            return Err(LayoutError::Zero { what: "step", axis: k });
        };
        Ok((if len == 0 { 0 } else { first }, axis.stepped(len, slice.step)))
    }

    /// `len` positions of axis `k` from `first` on, `step` apart; all of them exist.
    #[inline(always)]
    pub(crate) fn stepped_range(&self, k: usize, first: usize, len: usize, step: isize) -> Layout {
        let from = self.axes();
        let start = self.start() as isize + first as isize * from[k].stride;
        let picked = from[k].stepped(len, step);
        // Nothing else has changed: only this axis can have become empty.
        let axes = InlineVec::from_fn(self.rank(), move |i| match i {
            _ if i == k => picked,
            _ => from[i].canonical_if_empty(len == 0),
        });
        Layout::with_axes(if len == 0 { 0 } else { start as usize }, axes)
    }

    /// One slice of one axis; the others are taken whole.
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
    /// When the axis does not exist or the step is 0.
    // Always: called, its result would go through memory, which takes twice as long (bench `layout`).
    #[inline(always)]
    pub fn slice_axis(&self, axis: isize, slice: Slice) -> Result<Layout, LayoutError> {
        let k = self.resolve_axis(axis)?;
        let (first, kept) = self.sliced_axis(k, slice)?;
        Ok(self.stepped_range(k, first, kept.len, slice.step))
    }

    /// One position of an axis, which is dropped.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let last_column = Layout::row_major(&[3, 4])?.select(1, -1)?;
    /// assert!(last_column.offsets().eq([3, 7, 11]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis or the position does not exist.
    #[inline]
    pub fn select(&self, axis: isize, at: isize) -> Result<Layout, LayoutError> {
        let k = self.resolve_axis(axis)?;
        let position = self.position(k, at)? as isize;
        let start = self.start() as isize + position * self.axes()[k].stride;
        Ok(Layout::with_axes(start as usize, self.inline_axes().without(k)))
    }

    /// `count` positions of an axis from `start` on. Unlike a slice it does not clamp.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[10])?;
    /// assert!(layout.narrow(0, 3, 4)?.offsets().eq([3, 4, 5, 6]));
    /// let error = layout.narrow(0, 8, 4).unwrap_err();
    /// assert_eq!(error.to_string(), "4 positions from 8 on do not fit in axis 0 of length 10");
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis does not exist or the range does not lie inside it.
    // Always: called, its result would go through memory, which takes twice as long (bench `layout`).
    #[inline(always)]
    pub fn narrow(&self, axis: isize, start: usize, count: usize) -> Result<Layout, LayoutError> {
        let k = self.resolve_axis(axis)?;
        let len = self.axes()[k].len;
        if start > len || count > len - start {
            return Err(LayoutError::RangeOutOfRange { axis: k, start, count, len });
        }
        // Nothing of the end of the axis begins at a position that does not exist.
        Ok(self.stepped_range(k, if count == 0 { 0 } else { start }, count, 1))
    }

    /// Every `step`-th position of an axis, backwards from the end when negative.
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
    /// When the axis does not exist or the step is 0.
    #[inline]
    pub fn step(&self, axis: isize, step: isize) -> Result<Layout, LayoutError> {
        self.slice_axis(axis, Slice::ALL.by(step))
    }
}
