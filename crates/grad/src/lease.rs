//! Leases: elements that a tape needs later, known to their storage and not to a thread.
//!
//! A lease keeps a storage alive and asks nothing of writers whose elements it does not share. A write to leased elements
//! first copies the old contents of the shared elements only, once for all leases, as a [`Patch`] with a time stamp.
//! What a lease stands for is then the current contents with all later patches undone (`shadow.rs`).

use crate::components::{component_layout, n_components};
use crate::error::{GradientError, Line};
use crate::lease_table::LeaseTable;
use crate::overlap::Shared;
use crate::recording::line_of;
use crate::storage_leases::{OtherSize, OverwrittenElements, StorageLeases};
use belvedere::trace::ObservedOperation;
use belvedere::{Answer, Error, Layout, StorageId, Tensor};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, MutexGuard};

/// Orders entries and patches of all tapes.
static CLOCK: AtomicU64 = AtomicU64::new(1);

/// Returns the next time stamp.
pub(crate) fn next_time() -> u64 {
    CLOCK.fetch_add(1, Ordering::Relaxed)
}

/// The leases and patches of all storages that have leases.
static LEASES: LazyLock<LeaseTable<StorageId, StorageLeases>> = LazyLock::new(LeaseTable::new);

fn lock() -> MutexGuard<'static, HashMap<StorageId, StorageLeases>> {
    LEASES.lock()
}

/// Returns the number of patches that were made.
pub(crate) fn n_patches() -> u64 {
    LEASES.n_patches()
}

/// Takes the lock of this module before a fork.
pub(crate) fn lock_for_fork() -> MutexGuard<'static, impl Sized> {
    lock()
}

/// The old contents of elements that were overwritten while they were leased.
pub(crate) struct Patch {
    /// When they were overwritten.
    pub time: u64,
    /// The components of the region that was written.
    pub layout: Layout,
    /// Which of them were leased, in row-major order; all of them if there is no list.
    pub positions: Option<Vec<i64>>,
    /// Their old contents.
    pub values: Tensor,
    /// The name of the operation that overwrote them.
    pub op: &'static str,
    /// The line that overwrote them.
    pub line: Line,
    /// The line that had saved them.
    pub saved_by: Line,
}

impl Patch {
    /// Returns the offsets of the components that were kept, in the order of their values.
    pub(crate) fn offsets(&self) -> Vec<usize> {
        let offsets: Vec<usize> = self.layout.offsets().collect();
        match &self.positions {
            Some(positions) => positions.iter().map(|&at| offsets[at as usize]).collect(),
            None => offsets,
        }
    }
}

/// The right to the present contents of a tensor. Dropping it ends the lease.
pub(crate) struct Lease {
    tensor: Tensor,
    /// The components of complex elements; those of others are the elements.
    components: Option<Box<Layout>>,
    /// The leases of the same elements that it is counted with.
    group: u32,
    /// The contents are those before the patches that are later than this.
    pub time: u64,
}

impl Lease {
    /// Leases the elements of a tensor. Its memory is claimed, or the caller accepts that other threads write to it
    /// before the lease exists.
    ///
    /// # Errors
    /// If the elements are complex and have the maximal number of axes.
    pub(crate) fn new(tensor: Tensor, time: u64, line: &Line) -> Result<Lease, Error> {
        let components = match n_components(tensor.dtype()) {
            1 => None,
            _ => Some(Box::new(component_layout(tensor.layout(), tensor.dtype())?)),
        };
        let layout = components.as_deref().unwrap_or(tensor.layout());
        let mut leases = lock();
        let own = leases.entry(tensor.storage().id()).or_default();
        let group = own.add(layout, tensor.dtype().real(), time, line);
        drop(leases);
        Ok(Lease { tensor, components, group, time })
    }

    /// Returns the layout of the components.
    fn components(&self) -> &Layout {
        self.components.as_deref().unwrap_or(self.tensor.layout())
    }

    /// Returns the components.
    pub(crate) fn layout(&self) -> &Layout {
        self.components()
    }

    /// Returns the range of the components.
    pub(crate) fn span(&self) -> Range<usize> {
        self.components().span()
    }

    /// Returns the tensor. Its elements may have been overwritten since.
    pub(crate) fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    /// Returns all patches of the storage, in the order of time.
    pub(crate) fn patches(&self) -> Vec<Arc<Patch>> {
        let leases = lock();
        leases.get(&self.tensor.storage().id()).map_or(Vec::new(), |it| it.patches.clone())
    }

    /// Returns whether a patch was made after the lease and may concern it.
    pub(crate) fn is_patched_by(&self, patch: &Patch) -> bool {
        patch.time > self.time && self.components().overlaps(&patch.layout) != Answer::No
    }

    /// Returns whether a patch was made after the lease that may concern it; yes, if there are more than `most` later ones.
    pub(crate) fn may_be_patched(&self, most: usize) -> bool {
        let leases = lock();
        let Some(storage) = leases.get(&self.tensor.storage().id()) else { return false };
        let later = storage.patches.iter().rev().take_while(|it| it.time > self.time);
        later.enumerate().any(|(n, it)| n == most || self.is_patched_by(it))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let id = self.tensor.storage().id();
        let mut leases = lock();
        let Some(storage) = leases.get_mut(&id) else { return };
        storage.end(self.group);
        if storage.is_empty() {
            // Dropped after the lock: a patch may be the last owner of memory.
            let ended = leases.remove(&id);
            drop(leases);
            drop(ended);
        }
    }
}

/// Returns whether a storage has leases.
pub(crate) fn is_leased(id: StorageId) -> bool {
    lock().contains_key(&id)
}

/// Returns the first patch since a time that concerns a tensor, if its storage has leases.
///
/// # Errors
/// If the layout of its components has too many axes.
pub(crate) fn overwritten_since(x: &Tensor, time: u64) -> Result<Option<Arc<Patch>>, Error> {
    let components = component_layout(x.layout(), x.dtype())?;
    let leases = lock();
    let Some(storage) = leases.get(&x.storage().id()) else { return Ok(None) };
    let is_later =
        |it: &&Arc<Patch>| it.time > time && components.overlaps(&it.layout) != Answer::No;
    Ok(storage.patches.iter().find(is_later).cloned())
}

/// Finds the leased elements that a write overwrites and that no earlier patch has kept.
fn overwritten(
    operation: &ObservedOperation<'_>,
    target: &Tensor,
) -> Result<Option<OverwrittenElements>, Error> {
    let mut leases = lock();
    let Some(storage) = leases.get_mut(&target.storage().id()) else { return Ok(None) };
    storage.overwritten(target)?.map_err(|OtherSize(tracked)| {
        let (op, accessed, line) = (operation.op, target.dtype(), line_of(operation).to_string());
        GradientError::Reinterpreted { op, tracked, accessed, line }.into()
    })
}

/// Keeps the old contents of leased elements that an operation is about to overwrite. Returns the patch, if there are some.
///
/// # Errors
/// If copies are forbidden here, the elements cannot be copied, or there is not enough memory.
pub(crate) fn keep_overwritten(
    operation: &ObservedOperation<'_>,
    target: &Tensor,
) -> Result<Option<Arc<Patch>>, Error> {
    let Some(overwritten) = overwritten(operation, target)? else { return Ok(None) };
    let OverwrittenElements { shared, saved_by } = overwritten;
    let line = line_of(operation);
    let positions = match shared {
        Shared::None => return Ok(None),
        Shared::All => None,
        Shared::Positions(positions) => Some(positions),
    };
    let n = n_components(target.dtype());
    let kept = positions.as_ref().map_or(target.len() * n, Vec::len);
    if operation.check_saved_copy(kept * target.dtype().real().size()).is_err() {
        let elements = kept.div_ceil(n);
        let (op, line, saved_by) = (operation.op, line.to_string(), saved_by.to_string());
        return Err(GradientError::SavedElements { op, line, saved_by, elements }.into());
    }
    let Some(old) = operation.copy_overwritten() else {
        return Err(GradientError::HandedOut { op: operation.op, line: line.to_string() }.into());
    };
    let mut old = old?;
    if target.dtype().is_complex() {
        old = old.unsqueeze(-1)?.bitcast(target.dtype().real())?;
    }
    let values = match &positions {
        None => old,
        Some(positions) => {
            let index = Tensor::from_vec(positions.clone(), [positions.len()])?;
            old.reshape([-1])?.take(&index, 0)?
        }
    };
    operation.announce_saved(&values, &saved_by.to_string());
    let op = operation.op;
    let layout = component_layout(target.layout(), target.dtype())?;
    let patch = LEASES.add_patch(&target.storage().id(), |storage| {
        // The time is taken inside of the lock: patches are in its order.
        let time = next_time();
        let patch = Arc::new(Patch { time, layout, positions, values, op, line, saved_by });
        if let Some(storage) = storage {
            storage.push_patch(&patch);
        }
        patch
    });
    Ok(Some(patch))
}
