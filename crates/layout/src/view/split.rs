//! Splitting an axis into parts: `split_at`, `split`, `chunk`.

use crate::{Layout, LayoutError};

impl Layout {
    /// Splits an axis at position `at` into two layouts.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let (left, right) = Layout::row_major(&[2, 5])?.split_at(1, 3)?;
    /// assert_eq!((left.shape(), right.shape()), ([2, 3].into(), [2, 2].into()));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis is out of range or shorter than `at`.
    pub fn split_at(&self, axis: isize, at: usize) -> Result<(Layout, Layout), LayoutError> {
        let before = self.narrow(axis, 0, at)?;
        let rest = self.axes()[self.resolve_axis(axis)?].len - at;
        Ok((before, self.narrow(axis, at, rest)?))
    }

    /// Splits an axis into parts of `size` positions; the last one may be shorter.
    ///
    /// PyTorch's `split`. An axis of length 0 gives one empty part.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let row = Layout::row_major(&[7])?;
    /// assert!(row.split(0, 3)?.map(|it| it.len()).eq([3, 3, 1]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis is out of range or `size` is 0.
    pub fn split(&self, axis: isize, size: usize) -> Result<Parts, LayoutError> {
        let k = self.resolve_axis(axis)?;
        if size == 0 {
            return Err(LayoutError::Zero { what: "size of a part", axis: k });
        }
        Ok(Parts {
            layout: self.clone(),
            axis: k,
            size,
            next: 0,
            left: self.axes()[k].len.div_ceil(size).max(1),
        })
    }

    /// Splits an axis into at most `n` parts of equal size, except the last: PyTorch's `chunk`.
    ///
    /// An axis of length 0 gives `n` empty parts.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let row = Layout::row_major(&[7])?;
    /// assert!(row.chunk(0, 3)?.map(|it| it.len()).eq([3, 3, 1]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis is out of range or `n` is 0.
    pub fn chunk(&self, axis: isize, n: usize) -> Result<Parts, LayoutError> {
        let k = self.resolve_axis(axis)?;
        if n == 0 {
            return Err(LayoutError::Zero { what: "number of parts", axis: k });
        }
        let len = self.axes()[k].len;
        let mut parts = self.split(axis, len.div_ceil(n).max(1))?;
        if len == 0 {
            parts.left = n;
        }
        Ok(parts)
    }
}

/// An iterator over the parts of a layout along an axis. See [`Layout::split`].
#[derive(Clone, Debug)]
pub struct Parts {
    layout: Layout,
    axis: usize,
    size: usize,
    next: usize,
    left: usize,
}

impl Iterator for Parts {
    type Item = Layout;

    fn next(&mut self) -> Option<Layout> {
        self.left = self.left.checked_sub(1)?;
        let start = self.next;
        let len = self.size.min(self.layout.axes()[self.axis].len - start);
        self.next += len;
        Some(self.layout.stepped_range(self.axis, start, len, 1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Parts {}

impl core::iter::FusedIterator for Parts {}
