//! Removing and inserting axes of length 1: `squeeze`, `unsqueeze`.

use crate::layout::{check_rank, resolve_axis};
use crate::{Axis, InlineVec, Integers, Layout, LayoutError};

impl Layout {
    /// Drops every axis of length 1.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert_eq!(Layout::row_major(&[1, 4, 1, 3, 1])?.squeeze_all().shape(), [4, 3]);
    /// assert_eq!(Layout::row_major(&[1, 1])?.squeeze_all().rank(), 0);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn squeeze_all(&self) -> Layout {
        let kept = self.axes().iter().filter(|it| it.len != 1).copied().collect();
        Layout::with_axes(self.start(), kept)
    }

    /// Drops the given axes, which must have length 1.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[1, 3, 1])?;
    /// assert_eq!(layout.squeeze(&[-1])?.shape(), [1, 3]);
    /// assert!(layout.squeeze(&[1]).is_err());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis is out of range, repeated or not of length 1.
    #[inline]
    pub fn squeeze(&self, axes: impl Integers) -> Result<Layout, LayoutError> {
        let mut dropped = 0u64;
        for i in 0..axes.n_integers() {
            let k = self.resolve_axis(axes.signed_at(i))?;
            if self.axes()[k].len != 1 {
                return Err(LayoutError::NotAUnitAxis { axis: k, len: self.axes()[k].len });
            }
            if dropped & (1 << k) != 0 {
                return Err(LayoutError::RepeatedAxis { axis: k });
            }
            dropped |= 1 << k;
        }
        let from = self.axes();
        let mut k = self.rank();
        let kept = move |_| {
            k -= 1;
            while dropped & (1 << k) != 0 {
                k -= 1;
            }
            from[k]
        };
        Ok(Layout::with_axes(
            self.start(),
            InlineVec::from_fn(self.rank() - axes.n_integers(), kept),
        ))
    }

    /// Inserts an axis of length 1 as axis `axis` of the result.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[3, 4])?;
    /// assert_eq!(layout.unsqueeze(1)?.shape(), [3, 1, 4]);
    /// assert_eq!(layout.unsqueeze(-1)?.shape(), [3, 4, 1]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis is out of range for the result, or the result has more than
    /// [`MAX_RANK`](crate::MAX_RANK) axes.
    #[inline]
    pub fn unsqueeze(&self, axis: isize) -> Result<Layout, LayoutError> {
        check_rank(self.rank() + 1)?;
        let at = resolve_axis(axis, self.rank() + 1)?;
        Ok(Layout::with_axes(self.start(), self.inline_axes().with(at, Axis::new(1, 0))))
    }

    /// Inserts axes of length 1 as the given axes of the result.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[3, 4])?;
    /// assert_eq!(layout.unsqueeze_axes(&[0, -1])?.shape(), [1, 3, 4, 1]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis is out of range for the result or repeated, or the result has more than
    /// [`MAX_RANK`](crate::MAX_RANK) axes.
    pub fn unsqueeze_axes(&self, axes: impl Integers) -> Result<Layout, LayoutError> {
        let rank = self.rank().saturating_add(axes.n_integers());
        check_rank(rank)?;
        let mut added = 0u64;
        for i in 0..axes.n_integers() {
            let k = resolve_axis(axes.signed_at(i), rank)?;
            if added & (1 << k) != 0 {
                return Err(LayoutError::RepeatedAxis { axis: k });
            }
            added |= 1 << k;
        }
        let mut old = self.axes().iter().copied();
        let axes = (0..rank).map(|k| match added & (1 << k) != 0 {
            true => Axis::new(1, 0),
            false => old.next().expect("the others are the axes of `self`"),
        });
        Ok(Layout::with_axes(self.start(), axes.collect()))
    }
}
