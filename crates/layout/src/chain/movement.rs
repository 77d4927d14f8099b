//! The movement operations of a chain: `permute`, `reshape`, `pad`, `repeat` and others. Unlike those of
//! a layout, they succeed for any strides.

use super::stack::Chain;
use super::stage::Stage;
use crate::layout::{check_lengths, check_rank, checked_product};
use crate::{Index, Integers, Layout, LayoutError, Reshape, Shape};
use alloc::vec::Vec;
use core::ops::Range;

impl Chain {
    /// Permutes the axes: axis `k` of the result is axis `order[k]` of `self`.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let chain = Chain::new(Layout::row_major(&[2, 3])?);
    /// assert_eq!(chain.permute(&[1, 0])?.index(&[2, 1])?, Some(5));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When `order` is not a permutation of the axes.
    pub fn permute(&self, order: impl Integers) -> Result<Chain, LayoutError> {
        self.frame()?.permute(&order)?;
        let order = self.resolve_axes(order)?;
        Ok(self.with_top(self.top().permute(&order)))
    }

    /// Reverses the given axes.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let chain = Chain::new(Layout::row_major(&[2, 3])?);
    /// assert!(chain.flip(&[1])?.offsets().flatten().eq([2, 1, 0, 5, 4, 3]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis is out of range or repeated.
    pub fn flip(&self, axes: impl Integers) -> Result<Chain, LayoutError> {
        self.frame()?.flip(&axes)?;
        let mut top = self.top().clone();
        for k in self.resolve_axes(axes)? {
            let len = top.shape()[k];
            top = top.stepped_range(k, len.saturating_sub(1), len, -1);
        }
        Ok(self.with_top(top))
    }

    /// Slices the chain with Python's rules. See [`Layout::slice`].
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout, s};
    /// let chain = Chain::new(Layout::row_major(&[2, 3])?);
    /// assert!(chain.slice(&s![.., ..;2])?.offsets().flatten().eq([0, 2, 3, 5]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Layout::slice`].
    pub fn slice(&self, index: impl AsRef<[Index]>) -> Result<Chain, LayoutError> {
        let index = index.as_ref();
        let frame = self.frame()?;
        // Checks all entries: from here on every entry has an axis, and positions are in range.
        let kept = frame.slice(index)?;
        let (n_whole, _) = frame.count_axes(index)?;
        let mut top = self.top().clone();
        let mut k = 0;
        for &entry in index {
            match entry {
                Index::At(at) => {
                    let len = top.shape()[k] as isize;
                    let position = if at < 0 { at + len } else { at };
                    top = top.stepped_range(k, position as usize, 1, 1).drop_axis(k);
                }
                Index::Slice(slice) => {
                    let taken = slice.resolve(top.shape()[k]);
                    let (first, len) = taken.expect("`frame.slice` rejects a step of 0");
                    top = top.stepped_range(k, first, len, slice.step);
                    k += 1;
                }
                Index::Ellipsis => k += n_whole,
                Index::NewAxis => {}
            }
        }
        // New axes last, after axes have been dropped: before, the rank might exceed `MAX_RANK`.
        let mut k = 0;
        for entry in index {
            match entry {
                Index::At(_) => {}
                Index::Slice(_) => k += 1,
                Index::Ellipsis => k += n_whole,
                Index::NewAxis => {
                    top = top.insert_axis(k);
                    k += 1;
                }
            }
        }
        debug_assert_eq!(top.shape(), &kept.shape()[..]);
        Ok(self.with_top(top))
    }

    /// Keeps the given range of each axis: tinygrad's `shrink`.
    ///
    /// ```
    /// use belvedere_layout::{Chain, Layout};
    ///
    /// let chain = Chain::new(Layout::row_major(&[4, 5])?).shrink(&[1..3, 0..5])?;
    /// assert_eq!(chain.shape(), [2, 5]);
    /// assert_eq!(chain.index(&[0, 0])?, Some(5));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the number of ranges is not the rank, or a range exceeds its axis.
    pub fn shrink(&self, ranges: impl AsRef<[Range<usize>]>) -> Result<Chain, LayoutError> {
        let ranges = ranges.as_ref();
        self.check_count("ranges", ranges.len())?;
        let mut top = self.top().clone();
        for (axis, range) in ranges.iter().enumerate() {
            let (Range { start, end }, len) = (range.clone(), top.shape()[axis]);
            if end < start {
                return Err(LayoutError::RangeReversed { axis, start, end });
            }
            if end > len {
                return Err(LayoutError::RangeOutOfRange { axis, start, count: end - start, len });
            }
            top = top.stepped_range(axis, start, end - start, 1);
        }
        Ok(self.with_top(top))
    }

    /// Broadcasts the chain to a larger shape: axes of length 1 and new leading axes repeat.
    ///
    /// A length of -1 keeps the length of the axis.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let chain = Chain::new(Layout::row_major(&[2, 3])?);
    /// assert_eq!(chain.broadcast_to([4, -1, -1])?.shape(), [4, 2, 3]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Layout::broadcast_to`].
    pub fn broadcast_to(&self, shape: impl Integers) -> Result<Chain, LayoutError> {
        let wanted = self.frame()?.broadcast_to(shape)?.shape();
        let mut top = self.top().clone();
        while top.shape().len() < wanted.len() {
            top = top.insert_axis(0);
        }
        for (k, &len) in wanted.iter().enumerate() {
            if top.shape()[k] != len {
                top = top.expand(k, len);
            }
        }
        Ok(self.with_top(top))
    }

    /// Reshapes the chain, whatever its strides. One length may be -1 and is inferred.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let turned = Chain::new(Layout::row_major(&[2, 3])?.t()?);
    /// assert!(turned.reshape([-1])?.offsets().flatten().eq([0, 3, 1, 4, 2, 5]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the shape has another number of elements or too many axes.
    pub fn reshape(&self, shape: impl Integers) -> Result<Chain, LayoutError> {
        // A row-major layout can be viewed in any shape: this checks and resolves the lengths.
        let shape = self.frame()?.view(shape)?.shape();
        if shape == self.shape() {
            return Ok(self.clone());
        }
        self.reshape_resolved(&shape)
    }

    /// Reshapes to a resolved shape with the same number of elements.
    fn reshape_resolved(&self, shape: &Shape) -> Result<Chain, LayoutError> {
        match self.top().as_layout().map(|layout| layout.reshape_to(shape)) {
            Some(Ok(Reshape::View(view))) => Ok(self.with_top(Stage::whole(view))),
            _ => Ok(self.with_stage(Layout::row_major(shape)?)),
        }
    }

    /// Pads each axis with `(before, after)` positions.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let row = Chain::new(Layout::row_major(&[2])?);
    /// assert!(row.pad(&[(1, 2)])?.offsets().eq([None, Some(0), Some(1), None, None]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the number of pairs is not the rank, or the result has too many elements.
    pub fn pad(&self, padding: impl AsRef<[(usize, usize)]>) -> Result<Chain, LayoutError> {
        let padding = padding.as_ref();
        self.check_count("paddings", padding.len())?;
        let mut top = self.top().clone();
        for (axis, &(before, after)) in padding.iter().enumerate() {
            let too_large = LayoutError::PaddingTooLarge { axis, before, after };
            let mut shape: Shape = top.shape().into();
            let padded = before.checked_add(after).and_then(|it| it.checked_add(shape[axis]));
            let Some(len) = padded else { return Err(too_large) };
            shape[axis] = len;
            if checked_product(shape.iter().copied()).is_none() {
                return Err(too_large);
            }
            top = top.pad(axis, before, after);
        }
        Ok(self.with_top(top))
    }

    /// Repeats each position of an axis `n` times: NumPy's `repeat`.
    ///
    /// ```
    /// use belvedere_layout::{Chain, Layout};
    ///
    /// let chain = Chain::new(Layout::row_major(&[3])?).repeat(0, 2)?;
    /// assert!(chain.offsets().flatten().eq([0, 0, 1, 1, 2, 2]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis is out of range or the result has too many elements.
    pub fn repeat(&self, axis: isize, n: usize) -> Result<Chain, LayoutError> {
        let k = self.resolve_axis(axis)?;
        self.repeated(k, RepeatAxis::Inner, n)
    }

    /// Repeats the whole chain `times[k]` times along each axis: NumPy's `tile`.
    ///
    /// If there are more numbers than axes, new leading axes are added; if there are fewer, they apply to the
    /// last axes.
    ///
    /// ```
    /// use belvedere_layout::{Chain, Layout};
    ///
    /// let chain = Chain::new(Layout::row_major(&[3])?).tile(&[2])?;
    /// assert!(chain.offsets().flatten().eq([0, 1, 2, 0, 1, 2]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the result has too many axes or elements.
    pub fn tile(&self, times: impl Integers) -> Result<Chain, LayoutError> {
        let times = times.lengths("repetitions")?;
        check_rank(times.len())?;
        let mut tiled = self.clone();
        while tiled.rank() < times.len() {
            tiled = tiled.unsqueeze(0)?;
        }
        let n_whole = tiled.rank() - times.len();
        for (i, &n) in times.iter().enumerate() {
            tiled = tiled.repeated(n_whole + i, RepeatAxis::Outer, n)?;
        }
        Ok(tiled)
    }

    /// Swaps two axes.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let chain = Chain::new(Layout::row_major(&[2, 3])?);
    /// assert_eq!(chain.transpose(0, 1)?.shape(), [3, 2]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis is out of range.
    pub fn transpose(&self, a: isize, b: isize) -> Result<Chain, LayoutError> {
        let mut order: Vec<usize> = (0..self.rank()).collect();
        order.swap(self.resolve_axis(a)?, self.resolve_axis(b)?);
        Ok(self.with_top(self.top().permute(&order)))
    }

    /// Keeps `count` positions of an axis from `start` on.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let chain = Chain::new(Layout::row_major(&[2, 3])?);
    /// assert!(chain.narrow(1, 1, 2)?.offsets().flatten().eq([1, 2, 4, 5]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis is out of range or the range exceeds it.
    pub fn narrow(&self, axis: isize, start: usize, count: usize) -> Result<Chain, LayoutError> {
        self.frame()?.narrow(axis, start, count)?;
        Ok(self.with_top(self.top().stepped_range(self.resolve_axis(axis)?, start, count, 1)))
    }

    /// Selects one position of an axis and drops the axis.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let chain = Chain::new(Layout::row_major(&[2, 3])?);
    /// assert!(chain.select(1, -1)?.offsets().flatten().eq([2, 5]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis or the position is out of range.
    pub fn select(&self, axis: isize, at: isize) -> Result<Chain, LayoutError> {
        let k = self.resolve_axis(axis)?;
        let position = self.frame()?.position(k, at)?;
        Ok(self.with_top(self.top().stepped_range(k, position, 1, 1).drop_axis(k)))
    }

    /// Drops the given axes, which must have length 1.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let chain = Chain::new(Layout::row_major(&[2, 1, 3])?);
    /// assert_eq!(chain.squeeze(&[1])?.shape(), [2, 3]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis is out of range, repeated or not of length 1.
    pub fn squeeze(&self, axes: impl Integers) -> Result<Chain, LayoutError> {
        self.frame()?.squeeze(&axes)?;
        let mut dropped = self.resolve_axes(axes)?;
        dropped.sort_unstable();
        let drop_axis = |top: Stage, k: &usize| top.drop_axis(*k);
        Ok(self.with_top(dropped.iter().rev().fold(self.top().clone(), drop_axis)))
    }

    /// Inserts an axis of length 1 as axis `axis` of the result.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let chain = Chain::new(Layout::row_major(&[2, 3])?);
    /// assert_eq!(chain.unsqueeze(-1)?.shape(), [2, 3, 1]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis is out of range for the result, or the result has more than
    /// [`MAX_RANK`](crate::MAX_RANK) axes.
    pub fn unsqueeze(&self, axis: isize) -> Result<Chain, LayoutError> {
        check_rank(self.rank() + 1)?;
        let at = crate::layout::resolve_axis(axis, self.rank() + 1)?;
        Ok(self.with_top(self.top().insert_axis(at)))
    }

    /// Repeats axis `k`: inserts a broadcast axis outside or inside of it, and merges the two.
    fn repeated(&self, k: usize, place: RepeatAxis, n: usize) -> Result<Chain, LayoutError> {
        if n == 1 {
            return Ok(self.clone());
        }
        let mut merged: Shape = self.shape().into();
        let Some(len) = merged[k].checked_mul(n) else {
            let shape = merged.with(k, n)[..].into();
            return Err(LayoutError::TooManyElements { shape });
        };
        merged[k] = len;
        check_lengths(&merged)?;
        if merged.contains(&0) {
            return Ok(Chain::new(Layout::row_major(&merged)?));
        }
        // Axes of length 1 are dropped first, so that one more axis does not exceed `MAX_RANK`.
        let is_kept = |&it: &usize| it == k || self.shape()[it] != 1;
        let kept: Vec<usize> = (0..self.rank()).filter(is_kept).collect();
        let place = kept.partition_point(|&it| it < k) + usize::from(place == RepeatAxis::Inner);
        let top = self.top().permute(&kept).insert_axis(place).expand(place, n);
        self.with_top(top).reshape_resolved(&merged)
    }

    /// Returns the row-major layout of this shape, whose operations check arguments for the chain.
    fn frame(&self) -> Result<Layout, LayoutError> {
        Layout::row_major(self.shape())
    }

    fn resolve_axis(&self, axis: isize) -> Result<usize, LayoutError> {
        crate::layout::resolve_axis(axis, self.rank())
    }

    fn resolve_axes(&self, axes: impl Integers) -> Result<Vec<usize>, LayoutError> {
        (0..axes.n_integers()).map(|i| self.resolve_axis(axes.signed_at(i))).collect()
    }

    fn check_count(&self, what: &'static str, given: usize) -> Result<(), LayoutError> {
        if given != self.rank() {
            return Err(LayoutError::ArgumentCount { what, given, needed: self.rank() });
        }
        Ok(())
    }
}

/// The position of the axis that counts repetitions: inside of the repeated axis each element is
/// repeated, outside of it the whole axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RepeatAxis {
    Outer,
    Inner,
}
