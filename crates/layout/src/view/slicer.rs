//! Taking a part of a layout axis by axis.

use crate::inline_vec::INLINE_CAPACITY;
use crate::layout::check_rank;
use crate::{Axis, InlineVec, Layout, LayoutError, Slice};
use alloc::vec::Vec;

/// A part of a layout that is taken axis by axis, from the first one on: what [`Layout::slice`] does with a
/// list, for who reads one entry after the other.
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
    /// The axis of `source` that comes next.
    next: usize,
    /// As many axes as have been kept, the first ones in two lists: an axis that has just been written
    /// and is read back as one makes the processor wait for both of its halves.
    rank: usize,
    lens: [usize; INLINE_CAPACITY],
    strides: [isize; INLINE_CAPACITY],
    /// Those for which there was no room.
    spilled: Vec<Axis>,
    start: isize,
    is_empty: bool,
}

impl Layout {
    /// Begins to take a part of the layout.
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
    /// The axes that are left: the next one, and those behind it.
    #[inline(always)]
    pub fn remaining(&self) -> &[Axis] {
        &self.source.axes()[self.next..]
    }

    /// Takes one position of the next axis, which is dropped. Negative ones count from the end.
    ///
    /// # Errors
    /// When there is no further axis, or no such position.
    #[inline(always)]
    pub fn at(&mut self, at: isize) -> Result<(), LayoutError> {
        let axis = self.next_axis()?;
        let position = self.source.position(self.next, at)?;
        self.start += position as isize * axis.stride;
        self.next += 1;
        Ok(())
    }

    /// Takes a slice of the next axis.
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

    /// Takes `count` positions of the next axis, `step` apart, from `first` on. Unlike a slice it does not
    /// clamp.
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
    /// When there is no further axis, or one of the positions does not exist.
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

    /// Takes the next `n` axes whole, or as many as there are.
    #[inline]
    pub fn full_axes(&mut self, n: usize) {
        for &axis in self.source.axes()[self.next..].iter().take(n) {
            self.push_axis(axis);
            self.next += 1;
        }
    }

    /// Puts in an axis of length 1.
    #[inline]
    pub fn new_axis(&mut self) {
        self.push_axis(Axis::new(1, 0));
    }

    /// The part, with the axes that are left taken whole.
    ///
    /// # Errors
    /// When new axes have made it more than [`MAX_RANK`](crate::MAX_RANK).
    // Always: called, its result would go through memory, which takes as long as all the rest.
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

    /// Keeps positions of the next axis, from the first one on; all of them exist.
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
