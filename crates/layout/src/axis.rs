//! One dimension as one thing.

/// One axis of a layout: how many positions it has, and how far apart they are in memory.
///
/// Length and stride travel together, so that swapping, flipping and fusing axes act on one value
/// instead of on two lists that must be kept in step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Axis {
    /// How many positions there are along the axis.
    pub len: usize,
    /// How many elements of memory lie between two neighbouring positions; negative walks
    /// backwards, zero stays where it is.
    pub stride: isize,
}

impl Axis {
    /// An axis of `len` positions, `stride` elements apart.
    #[inline]
    pub const fn new(len: usize, stride: isize) -> Axis {
        Axis { len, stride }
    }

    /// The distance from the first position to the last, where it can be told in an `isize`.
    #[inline]
    pub(crate) fn checked_reach(self) -> Option<isize> {
        let n_steps = isize::try_from(self.len.saturating_sub(1)).ok()?;
        self.stride.checked_mul(n_steps)
    }

    /// The distance from the first position to the last, of an axis that belongs to a layout.
    #[inline]
    pub(crate) fn reach(self) -> isize {
        // Invariant 1 of `Layout`: both ends are offsets, so their distance fits.
        self.stride * (self.len.max(1) - 1) as isize
    }

    /// `len` positions of this axis that exist, `step` apart.
    #[inline]
    pub(crate) fn stepped(self, len: usize, step: isize) -> Axis {
        // A step that is taken stays inside of the axis; one that is not may be of any size.
        Axis { len, stride: if len > 1 { self.stride * step } else { 0 } }
    }

    /// Whether `count` positions from `first` on, `step` apart, are all on the axis.
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

    /// The axis as a layout without elements has it, if it is one: no stride has an effect there.
    #[inline]
    pub(crate) fn canonical_if_empty(self, is_empty: bool) -> Axis {
        Axis { len: self.len, stride: if is_empty { 0 } else { self.stride } }
    }

    /// Whether stepping this axis once is the same as walking all of `inner`: the two are one run.
    #[inline]
    pub(crate) fn continues_into(self, inner: Axis) -> bool {
        // `stride * len` may overflow although `stride * (len - 1)` fits; then nothing continues.
        inner.stride.checked_mul(inner.len as isize) == Some(self.stride)
    }
}
