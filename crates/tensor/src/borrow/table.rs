//! The slow path of borrow checking: a list of claims with their regions, and the queue of those that wait.
//!
//! A storage has a word only. The claims of the slow path are in tables that are shared by the storages whose
//! addresses have the same hash: few claims exist at a time, and a fork has to lock every table.
//!
//! **Queue.** A claim that has to wait is listed at once. A later request that conflicts with it waits behind it, even if
//! no held claim is in its way: otherwise readers that keep arriving would starve a writer.

use super::ClaimRequest;
use crate::Error;
use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError, ThreadId};
use belvedere_layout::{Answer, Bytes, Layout};

/// A table of claims under its lock. The alignment prevents false sharing.
#[repr(align(64))]
pub(super) struct SharedTable {
    pub(super) table: Mutex<ClaimTable>,
    /// Notified when a claim is released or withdrawn.
    pub(super) released: Condvar,
}

impl SharedTable {
    /// Locks the table. Poisoning is ignored: no call that changes the table panics half-way.
    pub(super) fn lock(&self) -> MutexGuard<'_, ClaimTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait<'t>(
        &'t self,
        table: MutexGuard<'t, ClaimTable>,
    ) -> MutexGuard<'t, ClaimTable> {
        self.released.wait(table).unwrap_or_else(PoisonError::into_inner)
    }
}

/// The claims of the slow path on some storages, held or waiting.
pub(super) struct ClaimTable {
    claims: Vec<ListedClaim>,
    /// The number of requests that wait.
    n_waiting: usize,
    next_id: u64,
    /// In a forked child: the storages that callbacks of the thread that forked have claimed in their words.
    inherited: Vec<usize>,
}

/// A region of memory that is claimed, or that a thread waits for.
#[cfg_attr(test, derive(Clone))]
struct ListedClaim {
    /// The same for all regions of one request. Later requests have larger ids.
    id: u64,
    /// The address of the [`BorrowState`](super::BorrowState).
    state: usize,
    address: usize,
    layout: Layout,
    size: usize,
    write: bool,
    holder: Holder,
    is_waiting: bool,
    thread: ThreadId,
}

/// What holds a claim.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    /// An operation, which other operations wait for.
    Operation,
    /// An operation that calls a closure of the user: a conflict with it is an error, as with a guard.
    Callback,
    /// A guard of the user, which may be in another thread than the one that made it.
    Guard,
}

/// A conflict of a request with a claim of the table.
pub(super) enum Conflict {
    /// With a claim that can be waited for.
    Wait,
    /// With a claim of the user, and the error that says so.
    Refused(Error),
}

impl ClaimTable {
    pub(super) const fn new() -> ClaimTable {
        ClaimTable { claims: Vec::new(), n_waiting: 0, next_id: 0, inherited: Vec::new() }
    }

    /// Frees the memory that earlier claims have needed and those of now do not.
    pub(super) fn trim(&mut self) {
        self.claims.shrink_to_fit();
        self.inherited.shrink_to_fit();
    }

    /// Returns the number of requests that wait.
    pub(super) fn n_waiting(&self) -> usize {
        self.n_waiting
    }

    /// Returns the number of requests that wait for a storage.
    #[cfg(test)]
    pub(super) fn n_waiting_on(&self, state: usize) -> usize {
        let waiting = self.claims.iter().filter(|it| it.state == state && it.is_waiting);
        waiting.map(|it| it.id).collect::<std::collections::BTreeSet<_>>().len()
    }

    /// Returns whether the table has claims on a storage, held or waiting.
    pub(super) fn has_claims_on(&self, state: usize) -> bool {
        self.claims.iter().any(|claim| claim.state == state)
    }

    /// Finds a claim that conflicts with a request: held claims, and those that wait longer than `id`, which is
    /// `None` for a request that is not listed. Claims of the user take precedence: waiting would not help then.
    pub(super) fn conflict(
        &self,
        state: usize,
        id: Option<u64>,
        request: ClaimRequest<'_>,
    ) -> Option<Conflict> {
        let mut found = None;
        let is_older = |claim: &ListedClaim| id.is_none_or(|id| claim.id < id);
        let in_the_way = |claim: &&ListedClaim| {
            claim.state == state
                && (!claim.is_waiting || is_older(claim))
                && claim.conflicts_with(request)
        };
        for claim in self.claims.iter().filter(in_the_way) {
            if claim.holder != Holder::Operation && !claim.is_waiting {
                return Some(Conflict::Refused(Error::Borrowed {
                    write: request.write,
                    wanted: request.layout.shape().into(),
                    held_for_writing: claim.write,
                    held: Some(claim.layout.shape().into()),
                }));
            }
            found = Some(Conflict::Wait);
        }
        found
    }

    /// Lists the claims of a request and returns their id.
    pub(super) fn push<'a>(
        &mut self,
        state: usize,
        requested: impl Iterator<Item = ClaimRequest<'a>>,
        (holder, thread, is_waiting): (Holder, ThreadId, bool),
    ) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.n_waiting += usize::from(is_waiting);
        self.claims.extend(requested.map(|request| ListedClaim {
            id,
            state,
            address: request.storage.address(),
            layout: request.layout.clone(),
            size: request.size,
            write: request.write,
            holder,
            is_waiting,
            thread,
        }));
        id
    }

    /// Grants claims that have waited, and returns their id.
    pub(super) fn grant(&mut self, id: u64) -> u64 {
        self.n_waiting -= 1;
        self.claims.iter_mut().filter(|it| it.id == id).for_each(|it| it.is_waiting = false);
        id
    }

    /// Removes claims that have waited and are given up.
    pub(super) fn withdraw(&mut self, id: u64) {
        self.n_waiting -= 1;
        self.remove(id);
    }

    /// Removes claims.
    pub(super) fn remove(&mut self, id: u64) {
        self.claims.retain(|claim| claim.id != id);
    }

    /// Returns a copy with the claims on one storage as claims on another: a model's fork.
    #[cfg(test)]
    #[allow(dead_code, reason = "used by the models")]
    pub(super) fn copied_for(&self, [from, to]: [usize; 2]) -> ClaimTable {
        let moved = |claim: &ListedClaim| match claim.state == from {
            true => ListedClaim { state: to, ..claim.clone() },
            false => claim.clone(),
        };
        let claims = self.claims.iter().map(moved).collect();
        ClaimTable { claims, inherited: Vec::new(), ..*self }
    }

    /// Returns whether callbacks of the thread that forked have claimed a storage in its word.
    pub(super) fn has_inherited(&self, state: usize) -> bool {
        self.inherited.contains(&state)
    }

    /// Removes the claims that no thread can release in a forked child, whose only thread is `thread`: all but
    /// its own and those of guards. A guard may have been moved to `thread` or be shared with it, so that of
    /// another thread has to stay; it refuses conflicting accesses, and none waits for it. The callbacks of `thread` have
    /// claimed the storages `callbacks` in their words.
    pub(super) fn keep_only(&mut self, thread: ThreadId, callbacks: &[usize]) {
        self.n_waiting = 0;
        self.inherited = callbacks.to_vec();
        self.claims.retain(|claim| {
            !claim.is_waiting && (claim.thread == thread || claim.holder == Holder::Guard)
        });
    }
}

impl ListedClaim {
    fn conflicts_with(&self, request: ClaimRequest<'_>) -> bool {
        let held = Bytes { address: self.address, layout: &self.layout, size: self.size };
        (self.write || request.write) && held.overlaps(request.bytes()) != Answer::No
    }
}
