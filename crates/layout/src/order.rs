//! Memory order: contiguity, density and coalescing of axes.

use crate::{Axis, InlineVec, Layout};

impl Layout {
    /// Returns whether the layout is contiguous in row-major order: offsets are `start`, `start + 1`, …
    ///
    /// Axes of length 1 are ignored. A layout without elements is contiguous.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert!(Layout::from_strides(0, &[2, 1, 3], &[3, 99, 1])?.is_contiguous());
    /// assert!(!Layout::from_strides(0, &[6], &[2])?.is_contiguous());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        is_contiguous_inner_first(self.axes().iter().rev())
    }

    /// Returns whether the layout is contiguous in column-major order.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert!(Layout::row_major(&[3, 4])?.t()?.is_col_major());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn is_col_major(&self) -> bool {
        is_contiguous_inner_first(self.axes().iter())
    }

    /// Returns whether some permutation of the axes is contiguous: no gaps, no broadcast or
    /// overlapping axis, no negative stride.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let permuted = Layout::row_major(&[2, 3, 4])?.permute(&[2, 0, 1])?;
    /// assert!(permuted.is_dense() && !permuted.is_contiguous());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn is_dense(&self) -> bool {
        // Axes of length 1 have stride 0. They sort to the front and are skipped there.
        let mut axes = self.inline_axes().clone();
        axes.sort_unstable_by_key(|it| it.stride);
        is_contiguous_inner_first(axes.iter())
    }

    /// Returns the layout with the fewest axes that visits the same offsets in row-major order:
    /// adjacent axes of the same run are merged, axes of length 1 dropped.
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

/// Returns whether axes, given innermost first, are contiguous.
#[inline]
fn is_contiguous_inner_first<'a>(inner_first: impl Iterator<Item = &'a Axis> + Clone) -> bool {
    let mut expected = 1;
    for axis in inner_first.clone() {
        if axis.len != 1 {
            if axis.stride != expected {
                // A layout without elements stores 0 for every stride and is contiguous.
                return inner_first.clone().any(|it| it.len == 0);
            }
            expected *= axis.len as isize;
        }
    }
    true
}
