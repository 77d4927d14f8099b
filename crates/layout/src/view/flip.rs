//! Walking axes backwards, and turning planes.

use crate::{Axis, InlineVec, Layout, LayoutError};

impl Layout {
    /// Walks the given axes backwards: each stride changes its sign, and the start moves to what was
    /// the last position.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let flipped = Layout::row_major(&[5])?.flip(&[0])?;
    /// assert_eq!((flipped.start(), flipped.strides()[0]), (4, -1));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis does not exist or is named twice.
    #[inline]
    pub fn flip(&self, axes: &[isize]) -> Result<Layout, LayoutError> {
        let from = self.axes();
        let mut start = self.start() as isize;
        let mut seen = 0u64;
        for &axis in axes {
            let k = self.resolve_axis(axis)?;
            if seen & (1 << k) != 0 {
                return Err(LayoutError::RepeatedAxis { axis: k });
            }
            seen |= 1 << k;
            start += from[k].reach();
        }
        let flipped = move |k: usize| {
            let Axis { len, stride } = from[k];
            // A stride that is stepped along is never `isize::MIN` (invariant 1): it has a negative.
            Axis { len, stride: if seen & (1 << k) != 0 { -stride } else { stride } }
        };
        Ok(Layout::with_axes(start as usize, InlineVec::from_fn(self.rank(), flipped)))
    }

    /// Turns the plane of two axes by `turns` quarter turns, from the first axis towards the second.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// // 0 1 2      2 5
    /// // 3 4 5  ->  1 4
    /// //            0 3
    /// let turned = Layout::row_major(&[2, 3])?.rot90(1, 0, 1)?;
    /// assert!(turned.offsets().eq([2, 5, 1, 4, 0, 3]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axes do not exist or are the same.
    pub fn rot90(&self, turns: isize, from: isize, to: isize) -> Result<Layout, LayoutError> {
        if self.resolve_axis(from)? == self.resolve_axis(to)? {
            return Err(LayoutError::RepeatedAxis { axis: self.resolve_axis(from)? });
        }
        match turns.rem_euclid(4) {
            0 => Ok(self.clone()),
            1 => self.flip(&[to])?.transpose(from, to),
            2 => self.flip(&[from, to]),
            _ => self.transpose(from, to)?.flip(&[to]),
        }
    }
}
