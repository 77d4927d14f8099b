//! Questions about the order in which a layout walks memory.

use crate::{Axis, InlineVec, Layout};

impl Layout {
    /// Whether the elements lie side by side in row-major order, from `start` on.
    ///
    /// Axes of length 1 are ignored, whatever their stride was; so is everything when there are no
    /// elements.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert!(Layout::from_strides(0, &[2, 1, 3], &[3, 99, 1])?.is_contiguous());
    /// assert!(!Layout::from_strides(0, &[6], &[2])?.is_contiguous());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        is_dense_walk(self.axes().iter().rev())
    }

    /// Whether the elements lie side by side in column-major order.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert!(Layout::row_major(&[3, 4])?.t()?.is_col_major());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn is_col_major(&self) -> bool {
        is_dense_walk(self.axes().iter())
    }

    /// Whether some permutation of the axes is contiguous: no gaps, no repetition, no flip.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let permuted = Layout::row_major(&[2, 3, 4])?.permute(&[2, 0, 1])?;
    /// assert!(permuted.is_dense() && !permuted.is_contiguous());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn is_dense(&self) -> bool {
        // Unit axes hold stride 0 and sort to the front, where they do no harm.
        let mut axes = self.inline_axes().clone();
        axes.sort_unstable_by_key(|it| it.stride);
        is_dense_walk(axes.iter())
    }

    /// The same row-major walk with the fewest axes: neighbours that continue each other are fused
    /// and unit axes dropped.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let rows = Layout::row_major(&[2, 3, 4])?;
    /// assert_eq!(rows.coalesced().shape(), [24]);
    /// assert_eq!(rows.permute(&[1, 2, 0])?.coalesced().shape(), [12, 2]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn coalesced(&self) -> Layout {
        if self.is_empty() {
            return Layout::canonical(0, InlineVec::repeat(Axis::new(0, 0), 1));
        }
        let runs = self.runs_inner_first();
        let mut runs: InlineVec<Axis> = runs.map(|it| Axis::new(it.len, it.stride)).collect();
        runs.reverse();
        Layout::with_axes(self.start(), runs)
    }
}

/// Whether axes, the innermost one first, lie densely: no gaps, no repetition.
#[inline]
fn is_dense_walk<'a>(inner_first: impl Iterator<Item = &'a Axis> + Clone) -> bool {
    let mut dense = 1;
    for axis in inner_first.clone() {
        if axis.len != 1 {
            if axis.stride != dense {
                // Without elements every stride is stored as 0, and nothing can be out of order.
                return inner_first.clone().any(|it| it.len == 0);
            }
            dense *= axis.len as isize;
        }
    }
    true
}
