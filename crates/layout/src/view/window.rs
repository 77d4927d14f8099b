//! Sliding windows and diagonals.

use crate::layout::{check_rank, checked_product};
use crate::{Axis, InlineVec, Integers, Layout, LayoutError};

impl Layout {
    /// Returns windows of `size` positions along an axis, one every `step` positions.
    ///
    /// The axis counts the windows, and a new last axis the positions within one: PyTorch's `unfold`.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let windows = Layout::row_major(&[6])?.windows(0, 3, 1)?;
    /// assert_eq!(windows.shape(), [4, 3]);
    /// assert_eq!(windows.strides(), [1, 1]);
    /// assert!(windows.offsets().eq([0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis is out of range or shorter than `size`, `step` is 0, or the result has too many
    /// axes or elements.
    #[inline]
    pub fn windows(&self, axis: isize, size: usize, step: usize) -> Result<Layout, LayoutError> {
        let k = self.resolve_axis(axis)?;
        let Axis { len, stride } = self.axes()[k];
        if step == 0 {
            return Err(LayoutError::Zero { what: "step between windows", axis: k });
        }
        if size > len {
            return Err(LayoutError::WindowTooLong { axis: k, size, len });
        }
        check_rank(self.rank() + 1)?;
        let n_windows = if step == 1 { len - size } else { (len - size) / step } + 1;
        // If there are two windows, each of one position at least, a step is a distance within the
        // axis. Without positions the stride has no effect.
        let stride = if size == 0 { 0 } else { stride };
        let counted = Axis::new(len, stride).stepped(n_windows, step as isize);
        let (from, rank, window) =
            (self.axes(), self.rank(), Axis::new(len, stride).stepped(size, 1));
        let axes = InlineVec::from_fn(rank + 1, move |i| match i {
            _ if i == rank => window,
            _ if i == k => counted,
            _ => from[i].canonical_if_empty(size == 0),
        });
        // Windows repeat elements, so the product of the lengths may exceed `isize::MAX`.
        if checked_product(axes.iter().map(|it| it.len)).is_none() {
            let shape = axes.iter().map(|it| it.len).collect();
            return Err(LayoutError::TooManyElements { shape });
        }
        Ok(Layout::with_axes(if size == 0 { 0 } else { self.start() }, axes))
    }

    /// Returns windows of `sizes[i]` positions along `axes[i]`, one at each position.
    ///
    /// The window axes come last, in the order given: NumPy's `sliding_window_view`. A repeated axis is the
    /// axis that counts its windows so far.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let patches = Layout::row_major(&[5, 6])?.sliding_window(&[0, 1], &[3, 2])?;
    /// assert_eq!(patches.shape(), [3, 5, 3, 2]);
    /// assert_eq!(patches.strides(), [6, 1, 6, 1]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the lists differ in length, and as for [`windows`](Layout::windows).
    pub fn sliding_window(
        &self,
        axes: impl Integers,
        sizes: impl Integers,
    ) -> Result<Layout, LayoutError> {
        let sizes = sizes.lengths("window sizes")?;
        if axes.n_integers() != sizes.len() {
            let (given, needed) = (sizes.len(), axes.n_integers());
            return Err(LayoutError::ArgumentCount { what: "window sizes", given, needed });
        }
        let mut windows = self.clone();
        for (i, &size) in sizes.iter().enumerate() {
            // Resolved against `self`: negative axes do not count the new window axes.
            let axis = self.resolve_axis(axes.signed_at(i))?;
            windows = windows.windows(axis as isize, size, 1)?;
        }
        Ok(windows)
    }

    /// Returns the diagonal of the plane of two axes, as a new last axis.
    ///
    /// A positive `shift` moves the diagonal along the second axis, a negative one along the first: NumPy's
    /// `offset`.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let matrix = Layout::row_major(&[3, 4])?;
    /// assert!(matrix.diagonal(0, 0, 1)?.offsets().eq([0, 5, 10]));
    /// assert!(matrix.diagonal(1, 0, 1)?.offsets().eq([1, 6, 11]));
    /// assert!(matrix.diagonal(-1, 0, 1)?.offsets().eq([4, 9]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis is out of range or both are the same. A shift beyond the plane gives an empty
    /// diagonal.
    #[inline]
    pub fn diagonal(
        &self,
        shift: isize,
        first: isize,
        second: isize,
    ) -> Result<Layout, LayoutError> {
        let (a, b) = (self.resolve_axis(first)?, self.resolve_axis(second)?);
        if a == b {
            return Err(LayoutError::RepeatedAxis { axis: a });
        }
        let (mut down, mut along) = (self.axes()[a], self.axes()[b]);
        let shifted = if shift < 0 { &mut down } else { &mut along };
        let skip = shift.unsigned_abs().min(shifted.len);
        shifted.len -= skip;
        // Used only if positions are left, and then it is a distance within the axis and fits.
        let skipped = (skip as isize).wrapping_mul(shifted.stride);
        let len = down.len.min(along.len);
        // With two positions or more, the sum is a distance within the plane and fits.
        let stride = if len > 1 { down.stride + along.stride } else { 0 };
        let (from, last, lower, upper) = (self.axes(), self.rank() - 2, a.min(b), a.max(b));
        let axes = InlineVec::from_fn(self.rank() - 1, move |i| {
            let k = i + usize::from(i >= lower);
            let k = k + usize::from(k >= upper);
            if i == last { Axis { len, stride } } else { from[k].canonical_if_empty(len == 0) }
        });
        let start = self.start().wrapping_add_signed(skipped);
        Ok(Layout::with_axes(if len == 0 { 0 } else { start }, axes))
    }
}
