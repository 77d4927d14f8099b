//! Leases: elements saved for the backward pass. They are registered for each storage in one table of the process, so that a
//! write of any thread finds them.
//!
//! A lease keeps a storage alive and asks nothing of writers whose elements it does not share. A write to leased elements
//! first copies the old contents of the shared elements only, once for all leases, as a [`Patch`] with a time stamp.
//! What a lease stands for is then the current contents with all later patches undone (`shadow.rs`).

use crate::components::{component_layout, n_components};
use crate::error::{CallLine, GradientError, Line};
use crate::hash::{FastHash, FastMap};
use crate::lease_table::LeaseTable;
use crate::overlap::Shared;
use crate::recording::line_of;
use crate::storage_leases::{OtherSize, OverwrittenElements, StorageLeases};
use belvedere::trace::ObservedOperation;
use belvedere::{Answer, Error, Layout, Storage, StorageId, Tensor};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, MutexGuard};

/// The time of the latest patch of all tapes. Entries and leases have the time of the latest patch before them: only patches
/// need times of their own, since leases are compared with nothing else.
static CLOCK: AtomicU64 = AtomicU64::new(1);

/// Returns the present time. Patches that are made later have later times.
pub(crate) fn now() -> u64 {
    CLOCK.load(Ordering::Relaxed)
}

/// Returns the time of a new patch.
fn next_time() -> u64 {
    CLOCK.fetch_add(1, Ordering::Relaxed) + 1
}

/// A storage that has leases, which keep it alive, and its leases and patches.
struct LeasedStorage {
    storage: Storage,
    leases: StorageLeases,
}

static LEASES: LazyLock<LeaseTable<StorageId, LeasedStorage, FastHash>> =
    LazyLock::new(LeaseTable::new);

/// The storages that have leases, locked.
pub(crate) struct LockedLeases(MutexGuard<'static, FastMap<StorageId, LeasedStorage>>);

impl LockedLeases {
    /// Takes the lock. No [`LeaseRight`] may be dropped on this thread meanwhile.
    pub(crate) fn lock() -> LockedLeases {
        LockedLeases(LEASES.lock())
    }

    /// Leases elements of a tensor. Its memory is claimed, or the caller accepts that other threads write to it before the
    /// lease exists.
    pub(crate) fn add(
        &mut self,
        x: &Tensor,
        components: &Layout,
        time: u64,
        line: CallLine<'_>,
    ) -> LeaseRight {
        let storage = x.storage().id();
        let own = self.0.entry(storage).or_insert_with(|| LeasedStorage {
            storage: x.storage().clone(),
            leases: StorageLeases::default(),
        });
        let group = own.leases.add(components, x.dtype().real(), time, line);
        LeaseRight { storage, group }
    }

    fn get(&self, id: StorageId) -> Option<&StorageLeases> {
        self.0.get(&id).map(|it| &it.leases)
    }
}

/// Returns the number of patches that were made.
pub(crate) fn n_patches() -> u64 {
    LEASES.n_patches()
}

/// Takes the lock of this module before a fork.
pub(crate) fn lock_for_fork() -> MutexGuard<'static, impl Sized> {
    LockedLeases::lock().0
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

/// The right to the present contents of some elements. Dropping it ends the lease.
pub(crate) struct LeaseRight {
    storage: StorageId,
    /// The leases of the same elements that it is counted with.
    group: u32,
}

impl LeaseRight {
    /// Returns the lease of elements that are their components, which has this right.
    pub(crate) fn into_lease(self, time: u64) -> Lease {
        let lease = self.lease(time);
        Lease { _right: Some(self), ..lease }
    }

    /// Returns the lease of elements that are their components. It ends with this right.
    pub(crate) fn lease(&self, time: u64) -> Lease {
        let leases = LockedLeases::lock();
        let own = leases.0.get(&self.storage).expect("the storage has a lease");
        let (storage, (layout, dtype)) = (own.storage.clone(), own.leases.elements(self.group));
        drop(leases);
        let tensor = Tensor::from_storage(storage, layout, dtype).expect("they were a tensor");
        Lease { tensor, components: None, time, _right: None }
    }
}

impl Drop for LeaseRight {
    fn drop(&mut self) {
        let mut leases = LockedLeases::lock();
        let Some(own) = leases.0.get_mut(&self.storage) else { return };
        own.leases.end(self.group);
        if own.leases.is_empty() {
            // Dropped after the lock: it may be the last owner of memory.
            let ended = leases.0.remove(&self.storage);
            drop(leases);
            drop(ended);
        }
    }
}

/// Leased elements: a right, and what it is a right to.
pub(crate) struct Lease {
    tensor: Tensor,
    /// The components of complex elements; those of others are the elements.
    components: Option<Box<Layout>>,
    /// The contents are those before the patches that are later than this.
    pub time: u64,
    /// `None` while a log has the right.
    _right: Option<LeaseRight>,
}

impl Lease {
    /// Leases the elements of a tensor. Its memory is claimed, or the caller accepts that other threads write to it
    /// before the lease exists.
    ///
    /// # Errors
    /// If the elements are complex and have the maximal number of axes.
    pub(crate) fn new(tensor: Tensor, time: u64, line: CallLine<'_>) -> Result<Lease, Error> {
        let components = match n_components(tensor.dtype()) {
            1 => None,
            _ => Some(Box::new(component_layout(tensor.layout(), tensor.dtype())?)),
        };
        let layout = components.as_deref().unwrap_or(tensor.layout());
        let _right = Some(LockedLeases::lock().add(&tensor, layout, time, line));
        Ok(Lease { tensor, components, time, _right })
    }

    /// Returns the same elements, to be used as long as this lease has its right.
    pub(crate) fn without_right(&self) -> Lease {
        let (tensor, components) = (self.tensor.clone(), self.components.clone());
        Lease { tensor, components, time: self.time, _right: None }
    }

    /// Returns the layout of the components.
    fn components(&self) -> &Layout {
        self.components.as_deref().unwrap_or(self.tensor.layout())
    }

    /// Returns the components.
    pub(crate) fn layout(&self) -> &Layout {
        self.components()
    }

    /// Returns a range of components that contains all leases of the storage.
    pub(crate) fn span_of_storage(&self) -> Range<usize> {
        let span = self.components().span();
        let leases = LockedLeases::lock();
        let own = leases.get(self.tensor.storage().id());
        own.map_or(span.clone(), |it| it.span(self.tensor.dtype().real(), span))
    }

    /// Returns the tensor. Its elements may have been overwritten since.
    pub(crate) fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    /// Returns all patches of the storage, in the order of time.
    pub(crate) fn patches(&self) -> Vec<Arc<Patch>> {
        let leases = LockedLeases::lock();
        leases.get(self.tensor.storage().id()).map_or(Vec::new(), |it| it.patches.clone())
    }

    /// Returns whether a patch was made after the lease and may concern it.
    pub(crate) fn is_patched_by(&self, patch: &Patch) -> bool {
        patch.time > self.time && self.components().overlaps(&patch.layout) != Answer::No
    }

    /// Returns whether a patch was made after the lease that may concern it; yes, if there are more than `most` later ones.
    pub(crate) fn may_be_patched(&self, most: usize) -> bool {
        let leases = LockedLeases::lock();
        let Some(storage) = leases.get(self.tensor.storage().id()) else { return false };
        let later = storage.patches.iter().rev().take_while(|it| it.time > self.time);
        later.enumerate().any(|(n, it)| n == most || self.is_patched_by(it))
    }
}

/// Returns whether a storage has leases.
pub(crate) fn is_leased(id: StorageId) -> bool {
    LockedLeases::lock().get(id).is_some()
}

/// Returns the first patch since a time that concerns a tensor, if its storage has leases.
///
/// # Errors
/// If the layout of its components has too many axes.
pub(crate) fn overwritten_since(x: &Tensor, time: u64) -> Result<Option<Arc<Patch>>, Error> {
    let components = component_layout(x.layout(), x.dtype())?;
    let leases = LockedLeases::lock();
    let Some(storage) = leases.get(x.storage().id()) else { return Ok(None) };
    let is_later =
        |it: &&Arc<Patch>| it.time > time && components.overlaps(&it.layout) != Answer::No;
    Ok(storage.patches.iter().find(is_later).cloned())
}

/// Finds the leased elements that a write overwrites and that no earlier patch has kept.
fn overwritten(
    operation: &ObservedOperation<'_>,
    target: &Tensor,
) -> Result<Option<OverwrittenElements>, Error> {
    let mut leases = LockedLeases::lock();
    let Some(own) = leases.0.get_mut(&target.storage().id()) else { return Ok(None) };
    own.leases.overwritten(target)?.map_err(|OtherSize(tracked)| {
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
    let patch = LEASES.add_patch(&target.storage().id(), |own| {
        // The time is taken inside of the lock: patches are in its order.
        let time = next_time();
        let patch = Arc::new(Patch { time, layout, positions, values, op, line, saved_by });
        if let Some(own) = own {
            own.leases.push_patch(&patch);
        }
        patch
    });
    Ok(Some(patch))
}
