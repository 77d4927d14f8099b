//! `Axis`: the length and the stride of one dimension.

/// One axis (dimension) of a layout: its length and its stride.
///
/// Length and stride are one value, so that swapping, flipping and fusing axes cannot update one of
/// two parallel lists and forget the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Axis {
    /// The number of positions along the axis.
    pub len: usize,
    /// The distance in memory, in elements, between two adjacent positions. Negative for a flipped
    /// axis, 0 for a broadcast one.
    pub stride: isize,
}

impl Axis {
    /// Creates an axis of `len` positions that are `stride` elements apart.
    ///
    /// ```
    /// use belvedere_layout::{Axis, Layout};
    ///
    /// let row = Axis::new(4, 1);
    /// assert_eq!((row.len, row.stride), (4, 1));
    /// assert_eq!(Layout::row_major(&[3, 4])?.axes(), [Axis::new(3, 4), row]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub const fn new(len: usize, stride: isize) -> Axis {
        Axis { len, stride }
    }

    /// Returns the distance from the first position to the last, or `None` if it overflows `isize`.
    #[inline]
    pub(crate) fn checked_reach(self) -> Option<isize> {
        let n_steps = isize::try_from(self.len.saturating_sub(1)).ok()?;
        self.stride.checked_mul(n_steps)
    }

    /// Returns the distance from the first position to the last, for an axis of a valid layout.
    #[inline]
    pub(crate) fn reach(self) -> isize {
        // Invariant 1 of `Layout`: both ends are offsets, so their distance fits.
        self.stride * (self.len.max(1) - 1) as isize
    }

    /// Returns the axis of every `step`-th position, `len` of them. All of them must exist.
    #[inline]
    pub(crate) fn stepped(self, len: usize, step: isize) -> Axis {
        // With two positions or more the product is a distance within the axis and fits. With one,
        // `step` is never taken and may have any value.
        Axis { len, stride: if len > 1 { self.stride * step } else { 0 } }
    }

    /// Returns whether the `count` positions `first`, `first + step`, … are all on the axis.
    #[inline]
    pub(crate) fn contains_range(self, first: usize, count: usize, step: isize) -> bool {
        let Some(n_steps) = count.checked_sub(1) else { return true };
        if step == 1 {
            return first < self.len && n_steps < self.len - first;
        }
        let reach = isize::try_from(n_steps).ok().and_then(|n| step.checked_mul(n));
        let last = reach.and_then(|reach| first.checked_add_signed(reach));
        first < self.len && last.is_some_and(|last| last < self.len) && (step != 0 || count == 1)
    }

    /// Returns the axis in canonical form: with stride 0 if the layout it belongs to has no elements.
    #[inline]
    pub(crate) fn canonical_if_empty(self, is_empty: bool) -> Axis {
        Axis { len: self.len, stride: if is_empty { 0 } else { self.stride } }
    }

    /// Returns whether the two axes can be fused: one step along this axis is as long as all of
    /// `inner`.
    #[inline]
    pub(crate) fn continues_into(self, inner: Axis) -> bool {
        // `stride * len` may overflow although `stride * (len - 1)` fits. No stride equals it then.
        inner.stride.checked_mul(inner.len as isize) == Some(self.stride)
    }
}
