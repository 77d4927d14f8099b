//! [`LeaseTable`]: how threads that save elements, overwrite them and read them again are ordered.
//!
//! Three rules, each of which `model/` checks by breaking it:
//!
//! 1. An operation that saves takes its lease while its claim is held. So a write is either before the lease, and the lease is
//!    of what it has written, or finds the lease.
//! 2. A write makes its patch while its claim is held, before it writes. So an operation that reads what was written
//!    finds the patch.
//! 3. A thread that reads leased elements where they are compares them with the patches once more, while its own claim is held or after it
//!    has read ([`ReadLog`]). A copy of them is made before the list of the patches is taken that are undone in it.
//!
//! The lock orders the changes of the table; the claims order everything else, so the counter needs no ordering.

use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::{Mutex, MutexGuard, PoisonError};
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};

/// What is leased and kept of each storage that has leases.
pub(crate) struct LeaseTable<K, S, H = RandomState> {
    storages: Mutex<HashMap<K, S, H>>,
    /// The number of patches that were made.
    n_patches: AtomicU64,
}

impl<K: Eq + Hash, S, H: BuildHasher + Default> LeaseTable<K, S, H> {
    pub(crate) fn new() -> LeaseTable<K, S, H> {
        LeaseTable { storages: Mutex::new(HashMap::default()), n_patches: AtomicU64::new(0) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, HashMap<K, S, H>> {
        self.storages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of patches that were made.
    pub(crate) fn n_patches(&self) -> u64 {
        self.n_patches.load(Ordering::Relaxed)
    }

    /// Makes a patch: `add` adds it to those of the storage, if that still has leases. The claim of the write is held, and
    /// nothing is written yet.
    pub(crate) fn add_patch<P>(&self, key: &K, add: impl FnOnce(Option<&mut S>) -> P) -> P {
        let mut storages = self.lock();
        let patch = add(storages.get_mut(key));
        self.n_patches.fetch_add(1, Ordering::Relaxed);
        patch
    }
}

/// What a thread reads where it is, instead of from a copy in which the patches were undone.
pub(crate) struct ReadLog<R> {
    /// Each with whether it was overwritten. Nested walks have several.
    reads: Vec<(R, bool)>,
    /// The number of patches that the reads were compared with.
    n_patches: u64,
}

impl<R> ReadLog<R> {
    pub(crate) const fn new() -> ReadLog<R> {
        ReadLog { reads: Vec::new(), n_patches: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.reads.len()
    }

    /// Adds a read that none of the first `n_patches` patches concerns.
    pub(crate) fn push(&mut self, read: R, n_patches: u64) {
        self.n_patches =
            if self.reads.is_empty() { n_patches } else { self.n_patches.min(n_patches) };
        self.reads.push((read, false));
    }

    /// Removes the reads from a position on.
    pub(crate) fn split_off(&mut self, first: usize) -> impl Sized + use<R> {
        self.reads.split_off(first)
    }

    /// Returns the reads from a position on.
    pub(crate) fn reads_from(&self, first: usize) -> impl Iterator<Item = &R> {
        self.reads[first..].iter().map(|(read, _)| read)
    }

    /// Compares the reads with the patches, if some were made since the last time: `is_patched` says whether one concerns a
    /// read. Returns the reads from a position on that were overwritten.
    ///
    /// # Errors
    /// Those of `is_patched`.
    pub(crate) fn overwritten<E>(
        &mut self,
        n_patches: u64,
        first: usize,
        is_patched: impl Fn(&R) -> Result<bool, E>,
    ) -> Result<impl Iterator<Item = &R>, E> {
        if self.n_patches != n_patches {
            for (read, is_overwritten) in &mut self.reads {
                *is_overwritten = *is_overwritten || is_patched(read)?;
            }
            self.n_patches = n_patches;
        }
        Ok(self.reads[first..].iter().filter(|(_, it)| *it).map(|(read, _)| read))
    }
}
