//! Cutting an axis into parts.

use crate::{Layout, LayoutError};
use alloc::vec::Vec;

impl Layout {
    /// The two parts of an axis before and from position `at` on.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let (left, right) = Layout::row_major(&[2, 5])?.split_at(1, 3)?;
    /// assert_eq!((left.shape(), right.shape()), ([2, 3].into(), [2, 2].into()));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis does not exist or is shorter than `at`.
    pub fn split_at(&self, axis: isize, at: usize) -> Result<(Layout, Layout), LayoutError> {
        let before = self.narrow(axis, 0, at)?;
        let rest = self.axes()[self.resolve_axis(axis)?].len - at;
        Ok((before, self.narrow(axis, at, rest)?))
    }

    /// Parts of `size` positions along an axis; the last one may be shorter. An axis of length 0
    /// gives one empty part.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let lengths: Vec<_> = Layout::row_major(&[7])?.split(0, 3)?.iter().map(|it| it.len()).collect();
    /// assert_eq!(lengths, [3, 3, 1]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis does not exist or `size` is 0.
    pub fn split(&self, axis: isize, size: usize) -> Result<Vec<Layout>, LayoutError> {
        let k = self.resolve_axis(axis)?;
        if size == 0 {
            return Err(LayoutError::Zero { what: "size of a part", axis: k });
        }
        let len = self.axes()[k].len;
        let starts = (0..len.max(1)).step_by(size);
        starts.map(|start| self.narrow(axis, start, size.min(len - start))).collect()
    }

    /// At most `n` parts along an axis, all of one size but the last: PyTorch's `chunk`.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let lengths: Vec<_> = Layout::row_major(&[7])?.chunk(0, 3)?.iter().map(|it| it.len()).collect();
    /// assert_eq!(lengths, [3, 3, 1]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis does not exist or `n` is 0.
    pub fn chunk(&self, axis: isize, n: usize) -> Result<Vec<Layout>, LayoutError> {
        let k = self.resolve_axis(axis)?;
        if n == 0 {
            return Err(LayoutError::Zero { what: "number of parts", axis: k });
        }
        self.split(axis, self.axes()[k].len.div_ceil(n).max(1))
    }
}
