//! `Slicer`: slicing a layout axis by axis, without a list of index entries.

use crate::inline_vec::INLINE_CAPACITY;
use crate::layout::check_rank;
use crate::{Axis, InlineVec, Layout, LayoutError, Slice};
use alloc::vec::Vec;

/// A builder that slices a layout axis by axis, outermost first.
///
/// It does what [`Layout::slice`] does with a list of entries, for callers that parse the entries one
/// at a time and need no list.
///
/// ```
/// use belvedere_layout::{Layout, Slice};
///
/// // x[1, ::2]
/// let layout = Layout::row_major(&[3, 4, 5])?;
/// let mut slicer = layout.slicer();
/// slicer.at(1)?;
/// slicer.slice(Slice::ALL.by(2))?;
/// let part = slicer.finish()?;
/// assert_eq!((part.start(), part.shape(), part.strides()), (20, [2, 5].into(), [10, 1].into()));
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Slicer<'a> {
    source: &'a Layout,
    /// The next axis of `source`.
    next: usize,
    /// The number of axes of the result so far.
    rank: usize,
    /// Lengths and strides of the first axes, in two arrays: an array of `Axis` was written as two words
    /// and read back as one 16-byte value, which is a store-forwarding stall.
    lens: [usize; INLINE_CAPACITY],
    strides: [isize; INLINE_CAPACITY],
    /// The axes after the first [`INLINE_CAPACITY`].
    spilled: Vec<Axis>,
    start: isize,
    is_empty: bool,
}

impl Layout {
    /// Creates a builder that slices the layout axis by axis.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, s};
    /// let layout = Layout::row_major(&[3, 4])?;
    /// let mut slicer = layout.slicer();
    /// slicer.at(-1)?;
    /// assert_eq!(slicer.finish()?, layout.slice(&s![-1])?);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline(always)]
    pub fn slicer(&self) -> Slicer<'_> {
        Slicer {
            source: self,
            next: 0,
            rank: 0,
            lens: [0; INLINE_CAPACITY],
            strides: [0; INLINE_CAPACITY],
            spilled: Vec::new(),
            start: self.start() as isize,
            is_empty: false,
        }
    }
}

impl Slicer<'_> {
    /// Returns the axes that have not been sliced yet.
    ///
    /// ```
    /// # use belvedere_layout::{Axis, Layout};
    /// let layout = Layout::row_major(&[3, 4])?;
    /// let mut slicer = layout.slicer();
    /// slicer.at(0)?;
    /// assert_eq!(slicer.remaining(), [Axis::new(4, 1)]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline(always)]
    pub fn remaining(&self) -> &[Axis] {
        &self.source.axes()[self.next..]
    }

    /// Selects one position of the next axis and drops the axis. Negative positions count from the end.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[3, 4])?;
    /// let mut slicer = layout.slicer();
    /// slicer.at(-1)?;
    /// assert!(slicer.finish()?.offsets().eq([8, 9, 10, 11]));
    /// assert!(layout.slicer().at(3).is_err());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no further axis, or the position is out of range.
    #[inline(always)]
    pub fn at(&mut self, at: isize) -> Result<(), LayoutError> {
        let axis = self.next_axis()?;
        let position = self.source.position(self.next, at)?;
        self.start += position as isize * axis.stride;
        self.next += 1;
        Ok(())
    }

    /// Slices the next axis with Python's rules.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, Slice};
    /// let layout = Layout::row_major(&[6])?;
    /// let mut slicer = layout.slicer();
    /// slicer.slice(Slice::from(1..100).by(2))?;
    /// assert!(slicer.finish()?.offsets().eq([1, 3, 5]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no further axis, or the step is 0.
    #[inline(always)]
    pub fn slice(&mut self, slice: Slice) -> Result<(), LayoutError> {
        let axis = self.next_axis()?;
        let (first, taken) = self.source.sliced_axis(self.next, slice)?;
        self.keep(axis, first, taken);
        Ok(())
    }

    /// Takes the `count` positions `first`, `first + step`, … of the next axis. Unlike a slice it does
    /// not clamp.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[10])?;
    /// let mut slicer = layout.slicer();
    /// slicer.stepped(8, 3, -4)?;
    /// assert!(slicer.finish()?.offsets().eq([8, 4, 0]));
    /// assert!(layout.slicer().stepped(8, 2, 4).is_err());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no further axis, or a position is out of range.
    #[inline(always)]
    pub fn stepped(&mut self, first: usize, count: usize, step: isize) -> Result<(), LayoutError> {
        let axis = self.next_axis()?;
        if !axis.contains_range(first, count, step) {
            let (axis, len) = (self.next, axis.len);
            return Err(LayoutError::StepsOutOfRange { axis, start: first, count, step, len });
        }
        self.keep(axis, first, axis.stepped(count, step));
        Ok(())
    }

    /// Takes the next `n` axes whole, or all that remain if there are fewer.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, Slice};
    /// let layout = Layout::row_major(&[2, 3, 4])?;
    /// let mut slicer = layout.slicer();
    /// slicer.full_axes(2);
    /// slicer.at(0)?;
    /// assert_eq!(slicer.finish()?.shape(), [2, 3]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn full_axes(&mut self, n: usize) {
        for &axis in self.source.axes()[self.next..].iter().take(n) {
            self.push_axis(axis);
            self.next += 1;
        }
    }

    /// Inserts an axis of length 1.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[3, 4])?;
    /// let mut slicer = layout.slicer();
    /// slicer.new_axis();
    /// assert_eq!(slicer.finish()?.shape(), [1, 3, 4]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn new_axis(&mut self) {
        self.push_axis(Axis::new(1, 0));
    }

    /// Returns the resulting layout; axes that have not been sliced are taken whole.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[3, 4])?;
    /// assert_eq!(layout.slicer().finish()?, layout);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the result has more than [`MAX_RANK`](crate::MAX_RANK) axes.
    // Always inlined: a call returns the layout through memory, which takes as long as the rest.
    #[inline(always)]
    pub fn finish(&mut self) -> Result<Layout, LayoutError> {
        self.full_axes(usize::MAX);
        if self.rank > INLINE_CAPACITY || self.is_empty {
            return self.finish_general();
        }
        let (lens, strides) = (&self.lens, &self.strides);
        let axes = InlineVec::from_fn(self.rank, |k| Axis { len: lens[k], stride: strides[k] });
        Ok(Layout::with_axes(self.start as usize, axes))
    }

    #[cold]
    #[inline(never)]
    fn finish_general(&self) -> Result<Layout, LayoutError> {
        check_rank(self.rank)?;
        let short = self.lens.iter().zip(&self.strides).take(self.rank);
        let short = short.map(|(&len, &stride)| Axis { len, stride });
        let axes: InlineVec<Axis> = short.chain(self.spilled.iter().copied()).collect();
        Ok(match self.is_empty {
            true => Layout::without_elements(axes),
            false => Layout::with_axes(self.start as usize, axes),
        })
    }

    #[inline(always)]
    fn next_axis(&self) -> Result<Axis, LayoutError> {
        match self.source.axes().get(self.next) {
            Some(&axis) => Ok(axis),
            None => Err(LayoutError::IndexCount { given: self.next + 1, rank: self.source.rank() }),
        }
    }

    /// Appends `taken`, the part of the next axis that begins at position `first`.
    #[inline(always)]
    fn keep(&mut self, axis: Axis, first: usize, taken: Axis) {
        self.start += if taken.len == 0 { 0 } else { first as isize * axis.stride };
        self.is_empty |= taken.len == 0;
        self.push_axis(taken);
        self.next += 1;
    }

    #[inline(always)]
    fn push_axis(&mut self, axis: Axis) {
        match (self.lens.get_mut(self.rank), self.strides.get_mut(self.rank)) {
            (Some(len), Some(stride)) => (*len, *stride) = (axis.len, axis.stride),
            _ => self.spilled.push(axis),
        }
        self.rank += 1;
    }
}
