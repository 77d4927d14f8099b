//! Reversing axes and rotating planes: `flip`, `rot90`.

use crate::{Axis, InlineVec, Integers, Layout, LayoutError};

impl Layout {
    /// Reverses the given axes: negates their strides and moves the start to what was the last position.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let flipped = Layout::row_major(&[5])?.flip(&[0])?;
    /// assert_eq!((flipped.start(), flipped.strides()[0]), (4, -1));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis is out of range or repeated.
    #[inline]
    pub fn flip(&self, axes: impl Integers) -> Result<Layout, LayoutError> {
        let from = self.axes();
        let mut start = self.start() as isize;
        let mut seen = 0u64;
        for i in 0..axes.n_integers() {
            let k = self.resolve_axis(axes.signed_at(i))?;
            if seen & (1 << k) != 0 {
                return Err(LayoutError::RepeatedAxis { axis: k });
            }
            seen |= 1 << k;
            start += from[k].reach();
        }
        let flipped = move |k: usize| {
            let Axis { len, stride } = from[k];
            // Invariant 1 excludes a stride of `isize::MIN`, the one value without a negative.
            Axis { len, stride: if seen & (1 << k) != 0 { -stride } else { stride } }
        };
        Ok(Layout::with_axes(start as usize, InlineVec::from_fn(self.rank(), flipped)))
    }

    /// Rotates the plane of two axes by `turns` · 90°, from the first axis towards the second: NumPy's
    /// `rot90`.
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
    /// When an axis is out of range or both are the same.
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
