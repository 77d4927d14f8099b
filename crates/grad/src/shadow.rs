//! Shadows: what overwritten storages contained, while `backward` walks back in time.

use crate::components::{aligned, rebased, view_components};
use crate::error::GradientError;
use crate::lease::{self, Lease, Patch};
use crate::live_reads;
use crate::scope;
use belvedere::{Axis, Error, Layout, StorageId, Tensor};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

/// The most patches that the elements of a lease are compared with. Beyond them a copy of the storage, which all leases that are
/// read later share, costs less.
const MAX_COMPARED_PATCHES: usize = 16;

/// The shadows of the storages that were read so far.
#[derive(Default)]
pub(crate) struct Shadows(HashMap<StorageId, Shadow>);

/// The contents of a part of a storage at an earlier time.
struct Shadow {
    /// The components of the span, with one axis.
    components: Tensor,
    span: Range<usize>,
    /// The patches that are not undone yet, in the order of time.
    patches: Vec<Arc<Patch>>,
}

impl Shadows {
    /// Returns the contents of a lease. To be called with leases in the descending order of their times.
    ///
    /// # Errors
    /// If there is not enough memory, or an enclosing tape tracks elements that were overwritten while it did not record.
    pub(crate) fn contents(&mut self, lease: &Lease) -> Result<Tensor, Error> {
        let x = lease.tensor();
        let id = x.storage().id();
        // An enclosing tape has to know the elements themselves where they are what they were.
        let n_patches = lease::n_patches();
        let is_recorded = !scope::active_tapes().is_empty();
        let is_patched = match self.0.contains_key(&id) && !is_recorded {
            true => true,
            false if is_recorded => lease.may_be_patched(usize::MAX),
            false => lease.may_be_patched(MAX_COMPARED_PATCHES),
        };
        if !is_patched {
            live_reads::note(x, lease.time, n_patches);
            return Ok(x.clone());
        }
        let shadow = match self.0.entry(id) {
            Entry::Occupied(shadow) => shadow.into_mut(),
            Entry::Vacant(place) => place.insert(Shadow::new(lease)?),
        };
        let mut later = shadow.patches.iter().rev().take_while(|it| it.time > lease.time);
        if is_recorded && later.any(|it| scope::has_lost(id, it.values.storage().id())) {
            return Err(GradientError::OverwrittenInNested.into());
        }
        shadow.undo_after(lease.time)?;
        view_components(&shadow.components, shadow.span.start, x.layout(), x.dtype())
    }
}

impl Shadow {
    fn new(lease: &Lease) -> Result<Shadow, Error> {
        let (x, span) = (lease.tensor(), lease.span_of_storage());
        let span = aligned(span.start)..span.end;
        let all = Layout::new(span.start, &[Axis::new(span.len(), 1)])?;
        let components = Tensor::from_storage(x.storage().clone(), all, x.dtype().real())?;
        let components = components.copy()?;
        // After the copy: the patch of each write that the copy contains was made before. Later ones keep what the copy
        // contains, so that undoing them changes nothing.
        Ok(Shadow { components, span, patches: lease.patches() })
    }

    /// Undoes the patches that are later than a time.
    fn undo_after(&mut self, time: u64) -> Result<(), Error> {
        while let Some(patch) = self.patches.pop_if(|it| it.time > time) {
            let (span, layout) = (patch.layout.span(), &patch.layout);
            let is_inside = self.span.start <= span.start && span.end <= self.span.end;
            if let (None, true) = (&patch.positions, is_inside) {
                let region = self.components.through(rebased(layout, self.span.start)?)?;
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
            self.components.put(&Tensor::from_vec(to, [n])?, 0, &values)?;
        }
        Ok(())
    }
}
