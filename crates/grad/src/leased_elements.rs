//! [`LeasedElements`]: how many leases each element of a storage is in.
//!
//! Comparing a write with each lease takes time for all leases, of columns for instance, whose spans all overlap. Counts take
//! time for the elements that are leased, which the operation that leases them reads anyway, and for those that are
//! written; and eight bytes of memory for each leased element.

use crate::overlap::Shared;
use belvedere::{Axis, DType, Layout};

/// The counts of the elements of a storage, all of one size.
pub(crate) struct LeasedElements {
    size: usize,
    /// The groups whose elements have another size, and are not counted.
    n_others: usize,
    /// How many groups of leases contain each element, by its offset. Pages that no lease touches take no memory.
    counts: Vec<u32>,
    /// The group that was added last among those that contain the element; [`UNKNOWN`] if that one was removed.
    groups: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;

impl LeasedElements {
    /// Returns the counts of a storage with room for `n` components of a dtype.
    pub(crate) fn new(dtype: DType, n: usize) -> LeasedElements {
        LeasedElements { size: dtype.size(), n_others: 0, counts: vec![0; n], groups: vec![0; n] }
    }

    /// Returns whether all leased elements are counted, and have the size of a dtype.
    pub(crate) fn is_for(&self, dtype: DType) -> bool {
        self.n_others == 0 && dtype.size() == self.size
    }

    /// Adds a group. One whose elements have another size is not counted.
    pub(crate) fn add(&mut self, layout: &Layout, dtype: DType, group: u32) {
        if dtype.size() != self.size {
            self.n_others += 1;
            return;
        }
        for offset in without_broadcasts(layout).offsets() {
            self.counts[offset] += 1;
            self.groups[offset] = group;
        }
    }

    /// Removes a group that was added.
    pub(crate) fn remove(&mut self, layout: &Layout, dtype: DType, group: u32) {
        if dtype.size() != self.size {
            self.n_others -= 1;
            return;
        }
        for offset in without_broadcasts(layout).offsets() {
            self.counts[offset] -= 1;
            if self.groups[offset] == group {
                self.groups[offset] = UNKNOWN;
            }
        }
    }

    /// Returns which elements of a region are leased, and the offset of the first of them.
    pub(crate) fn shared(&self, region: &Layout) -> (Shared, Option<usize>) {
        let (mut positions, mut first) = (Vec::new(), None);
        for (at, offset) in (0i64..).zip(region.offsets()) {
            if self.counts[offset] > 0 {
                first.get_or_insert(offset);
                positions.push(at);
            }
        }
        let shared = match positions.len() {
            0 => Shared::None,
            n if n == region.len() => Shared::All,
            _ => Shared::Positions(positions),
        };
        (shared, first)
    }

    /// Returns a group that contains a leased element, if one is known.
    pub(crate) fn group_at(&self, offset: usize) -> Option<u32> {
        Some(self.groups[offset]).filter(|it| *it != UNKNOWN)
    }

    /// Notes a group that contains an element.
    pub(crate) fn note_group(&mut self, offset: usize, group: u32) {
        self.groups[offset] = group;
    }
}

/// Returns a layout without broadcast axes. One with overlapping windows still visits an offset several times: when it is
/// added, and when it is removed.
fn without_broadcasts(layout: &Layout) -> Layout {
    let axes = layout.axes().iter().map(|it| match it.stride {
        0 => Axis::new(it.len.min(1), 0),
        _ => *it,
    });
    let axes: Vec<Axis> = axes.collect();
    Layout::new(layout.start(), &axes).expect("the layout has fewer elements")
}
