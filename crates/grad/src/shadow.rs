//! Shadows: what overwritten storages contained, while `backward` walks back in time.

use crate::error::GradientError;
use crate::lease::{Lease, Patch};
use crate::observer;
use belvedere::{Axis, Error, Layout, StorageId, Tensor};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

/// Returns a layout with its offsets counted from `base`.
pub(crate) fn rebased(layout: &Layout, base: usize) -> Result<Layout, Error> {
    let axes: &[Axis] = layout.axes();
    // An empty layout starts at 0, wherever the base is.
    let start = if layout.is_empty() { 0 } else { layout.start() - base };
    Ok(Layout::new(start, axes)?)
}

/// The shadows of the storages that were read so far.
#[derive(Default)]
pub(crate) struct Shadows(HashMap<StorageId, Shadow>);

/// The contents of a part of a storage at an earlier time.
struct Shadow {
    /// The elements of the span, with one axis.
    elements: Tensor,
    span: Range<usize>,
    /// The patches that are not undone yet, in the order of time.
    patches: Vec<Arc<Patch>>,
}

impl Shadows {
    /// Returns the contents of a lease. To be called with leases in the descending order of their times.
    ///
    /// # Errors
    /// If there is not enough memory, or an enclosing tape tracks elements that were overwritten while it did not record.
    pub(crate) fn contents(&mut self, lease: &Lease, span: &Range<usize>) -> Result<Tensor, Error> {
        let (x, patches) = (lease.tensor(), lease.patches());
        if !patches.iter().any(|it| lease.is_patched_by(it)) {
            return Ok(x.clone());
        }
        let id = x.storage().id();
        let later = patches.iter().filter(|it| it.time > lease.time);
        if later.map(|it| it.values.storage().id()).any(|copy| observer::has_lost(id, copy)) {
            return Err(GradientError::OverwrittenInNested.into());
        }
        let shadow = match self.0.entry(id) {
            Entry::Occupied(shadow) => shadow.into_mut(),
            Entry::Vacant(place) => place.insert(Shadow::new(x, span.clone(), patches)?),
        };
        shadow.undo_after(lease.time)?;
        shadow.elements.through(rebased(x.layout(), shadow.span.start)?)
    }
}

impl Shadow {
    fn new(x: &Tensor, span: Range<usize>, patches: Vec<Arc<Patch>>) -> Result<Shadow, Error> {
        let all = Layout::new(span.start, &[Axis::new(span.len(), 1)])?;
        let elements = Tensor::from_storage(x.storage().clone(), all, x.dtype())?.copy()?;
        Ok(Shadow { elements, span, patches })
    }

    /// Undoes the patches that are later than a time.
    fn undo_after(&mut self, time: u64) -> Result<(), Error> {
        while let Some(patch) = self.patches.pop_if(|it| it.time > time) {
            let (span, layout) = (patch.layout.span(), &patch.layout);
            let is_inside = self.span.start <= span.start && span.end <= self.span.end;
            if let (None, true) = (&patch.positions, is_inside) {
                let region = self.elements.through(rebased(layout, self.span.start)?)?;
                region.copy_from(&patch.values)?;
                continue;
            }
            // Some of the region's elements are leased, all of which are inside of the span.
            let offsets = patch.offsets();
            let values = patch.values.reshape([-1])?;
            let kept: Vec<usize> =
                (0..offsets.len()).filter(|&n| self.span.contains(&offsets[n])).collect();
            let to: Vec<i64> =
                kept.iter().map(|&n| (offsets[n] - self.span.start) as i64).collect();
            let from: Vec<i64> = kept.iter().map(|&n| n as i64).collect();
            let n = kept.len();
            let values = values.take(&Tensor::from_vec(from, [n])?, 0)?;
            self.elements.put(&Tensor::from_vec(to, [n])?, 0, &values)?;
        }
        Ok(())
    }
}
