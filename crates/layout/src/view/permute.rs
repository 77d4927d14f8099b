//! Permuting axes: `permute`, `transpose`, `reverse`, `move_axis`.

use crate::{InlineVec, Integers, Layout, LayoutError, MAX_RANK};

impl Layout {
    /// Permutes the axes: axis `k` of the result is axis `order[k]` of `self`.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let nchw = Layout::row_major(&[2, 3, 4, 5])?;
    /// let nhwc = nchw.permute(&[0, 2, 3, 1])?;
    /// assert_eq!(nhwc.shape(), [2, 4, 5, 3]);
    /// assert_eq!(nhwc.strides(), [60, 5, 1, 20]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When `order` is not a permutation of the axes.
    #[inline]
    pub fn permute(&self, order: impl Integers) -> Result<Layout, LayoutError> {
        let rank = self.rank();
        if order.n_integers() != rank {
            return Err(not_a_permutation(&order, rank));
        }
        let mut seen = 0u64;
        for k in 0..rank {
            seen |= 1 << self.resolve_axis(order.signed_at(k))?;
        }
        // `rank` entries that set `rank` bits: none was repeated. A `u64` has a bit for every axis.
        const { assert!(MAX_RANK <= u64::BITS as usize) };
        if seen.count_ones() as usize != rank {
            return Err(not_a_permutation(&order, rank));
        }
        let from = self.axes();
        let resolve = move |axis: isize| if axis < 0 { axis + rank as isize } else { axis };
        let axes = InlineVec::from_fn(rank, move |k| from[resolve(order.signed_at(k)) as usize]);
        Ok(Layout::with_axes(self.start(), axes))
    }

    /// Swaps two axes.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let rows = Layout::row_major(&[3, 4])?;
    /// assert_eq!(rows.transpose(0, 1)?.strides(), [1, 4]);
    /// assert_eq!(rows.transpose(0, 1)?.transpose(-1, -2)?, rows);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis is out of range.
    #[inline]
    pub fn transpose(&self, a: isize, b: isize) -> Result<Layout, LayoutError> {
        let (a, b) = (self.resolve_axis(a)?, self.resolve_axis(b)?);
        let from = self.axes();
        let axes = InlineVec::from_fn(self.rank(), move |k| match k {
            _ if k == a => from[b],
            _ if k == b => from[a],
            _ => from[k],
        });
        Ok(Layout::with_axes(self.start(), axes))
    }

    /// Swaps two axes: NumPy's name for [`transpose`](Layout::transpose).
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[2, 3, 4])?;
    /// assert_eq!(layout.swap_axes(0, 2)?.shape(), [4, 3, 2]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis is out of range.
    #[inline]
    pub fn swap_axes(&self, a: isize, b: isize) -> Result<Layout, LayoutError> {
        self.transpose(a, b)
    }

    /// Returns the transpose of a matrix; a scalar or a vector is returned unchanged.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert_eq!(Layout::row_major(&[3, 4])?.t()?.strides(), [1, 4]);
    /// assert!(Layout::row_major(&[2, 3, 4])?.t().is_err());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When there are more than two axes. Use [`mt`](Layout::mt), [`transpose`](Layout::transpose) or
    /// [`reverse`](Layout::reverse) instead.
    #[inline]
    pub fn t(&self) -> Result<Layout, LayoutError> {
        if self.rank() > 2 {
            let rank = self.rank();
            return Err(LayoutError::WrongRank { operation: "t", least: 0, most: 2, rank });
        }
        Ok(self.reverse())
    }

    /// Returns the transpose of each matrix in a stack: swaps the last two axes.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert_eq!(Layout::row_major(&[2, 3, 4])?.mt()?.shape(), [2, 4, 3]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When there are fewer than two axes.
    #[inline]
    pub fn mt(&self) -> Result<Layout, LayoutError> {
        if self.rank() < 2 {
            let rank = self.rank();
            return Err(LayoutError::WrongRank { operation: "mt", least: 2, most: MAX_RANK, rank });
        }
        self.transpose(-1, -2)
    }

    /// Reverses the order of the axes: NumPy's `.T`.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert_eq!(Layout::row_major(&[2, 3, 4])?.reverse().strides(), [1, 4, 12]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn reverse(&self) -> Layout {
        let from = self.axes();
        let axes = InlineVec::from_fn(from.len(), move |k| from[from.len() - 1 - k]);
        Layout::with_axes(self.start(), axes)
    }

    /// Moves one axis to another position; the others keep their order. NumPy's `moveaxis`.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[2, 3, 4])?;
    /// assert_eq!(layout.move_axis(0, -1)?.shape(), [3, 4, 2]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis is out of range.
    pub fn move_axis(&self, from: isize, to: isize) -> Result<Layout, LayoutError> {
        let (from, to) = (self.resolve_axis(from)?, self.resolve_axis(to)?);
        let mut axes = self.inline_axes().clone();
        match from <= to {
            true => axes[from..=to].rotate_left(1),
            false => axes[to..=from].rotate_right(1),
        }
        Ok(Layout::with_axes(self.start(), axes))
    }

    /// Moves axis `from[i]` to position `to[i]` for each `i`; the others keep their order.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[2, 3, 4, 5])?;
    /// assert_eq!(layout.move_axes(&[0, 1], &[-1, 0])?.shape(), [3, 4, 5, 2]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis is out of range or repeated, or the lists differ in length.
    pub fn move_axes(&self, from: impl Integers, to: impl Integers) -> Result<Layout, LayoutError> {
        let (from, to) = (from.to_signed(), to.to_signed());
        if from.len() != to.len() {
            let (given, needed) = (to.len(), from.len());
            return Err(LayoutError::ArgumentCount { what: "destination axes", given, needed });
        }
        let (mut moved, mut taken) = (0u64, 0u64);
        // For each axis of the result, the axis that was moved there, if any.
        let mut order = [None; u64::BITS as usize];
        for (&from, &to) in from.iter().zip(&to[..]) {
            let (from, to) = (self.resolve_axis(from)?, self.resolve_axis(to)?);
            for (seen, axis) in [(&mut moved, from), (&mut taken, to)] {
                if *seen & (1 << axis) != 0 {
                    return Err(LayoutError::RepeatedAxis { axis });
                }
                *seen |= 1 << axis;
            }
            order[to] = Some(from);
        }
        let mut others = (0..self.rank()).filter(|k| moved & (1 << k) == 0);
        let axes = (0..self.rank()).map(|k| {
            let from = order[k].or_else(|| others.next());
            self.axes()[from.expect("as many positions as axes are left")]
        });
        Ok(Layout::with_axes(self.start(), axes.collect()))
    }
}

#[cold]
fn not_a_permutation(order: &impl Integers, rank: usize) -> LayoutError {
    LayoutError::NotAPermutation { order: order.to_signed().into(), rank }
}
