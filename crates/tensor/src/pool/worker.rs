//! A worker thread and its mailbox: one atomic word in which callers offer regions.

use super::IN_PIECE;
use super::region::{Region, RegionPtr};
use super::spin::spin_until;
use crate::sync::atomic::AtomicPtr;
use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError, thread};
use std::ptr;
use std::sync::Arc;

/// The mailbox of a free worker that spins on it.
const FREE: RegionPtr = ptr::null_mut();

/// The mailbox of a free worker that must be woken. No region has this address: regions are aligned.
const ASLEEP: RegionPtr = ptr::without_provenance_mut(1);

/// Returns the mark of a region that a worker has accepted. Marked pointers are compared, never dereferenced.
fn accepted(region: RegionPtr) -> RegionPtr {
    region.map_addr(|address| address | 1)
}

/// Returns the mark of an accepted region whose caller sleeps until the worker has finished.
fn awaited(region: RegionPtr) -> RegionPtr {
    region.map_addr(|address| address | 2)
}

/// A worker thread, as other threads see it.
///
/// The alignment gives each mailbox its own pair of cache lines (processors prefetch adjacent lines in
/// pairs), which prevents false sharing.
#[repr(align(128))]
pub(super) struct Worker {
    /// The mailbox:
    ///
    /// ```text
    ///          offer            accept              finish
    ///   FREE ─────────► region ────────► accepted ─────────► FREE
    ///    │ ▲              ▲ │                │
    ///    │ └── revoke ────│─┘                │ await
    ///    ▼ sleep          │                  ▼      finish
    ///  ASLEEP ── offer ───┘               awaited ─────────► FREE
    /// ```
    ///
    /// Callers offer, revoke and await; the worker accepts, finishes and sleeps. Offering releases and
    /// accepting acquires: the worker sees the region. Finishing releases and the caller's last load
    /// acquires: the caller sees the writes of the pieces, even if the mailbox has changed again by
    /// then, since every change is a read-modify-write and so continues the release sequence.
    state: AtomicPtr<Region<'static>>,
    /// The mutex of `changed`: held from the last load of the mailbox until the wait, and acquired before a
    /// notification, so that no wake-up is lost.
    sleep_lock: Mutex<()>,
    /// Notified when the mailbox has left `ASLEEP` or `awaited`.
    changed: Condvar,
}

/// The worker's side.
impl Worker {
    pub(super) fn new() -> Worker {
        let state = AtomicPtr::new(FREE);
        Worker { state, sleep_lock: Mutex::new(()), changed: Condvar::new() }
    }

    /// Starts a worker thread; returns `None` if the system refuses one.
    pub(super) fn spawn(k: usize) -> Option<Arc<Worker>> {
        let worker = Arc::new(Worker::new());
        let own = Arc::clone(&worker);
        // The handle is dropped: workers are never joined, and the process may exit while they run.
        thread::Builder::new().name(format!("belvedere-{k}")).spawn(move || own.serve()).ok()?;
        Some(worker)
    }

    fn serve(&self) {
        IN_PIECE.set(true);
        loop {
            self.serve_next();
        }
    }

    /// Waits for a region and runs pieces of it.
    pub(super) fn serve_next(&self) {
        let region = self.accept();
        // SAFETY:
        // - The pointer is aligned and initialised: `fork_join` made it from a live
        //   region, and the acquire in `accept` synchronises with the release in `offer`.
        // - It is only shared, and `Region` is `Sync`.
        // - The region and what `body` borrows live until `finish` below: the mailbox holds the
        //   marked address until then, and `Offers::drop`, which runs before the region is dropped
        //   on every path out of `fork_join`, returns only after it has seen another value in
        //   the mailbox. The reference ends with `run_pieces`, which does not unwind.
        //   (In a forked child `Offers::drop` panics instead, but the child has no workers.)
        unsafe { (*region).run_pieces() };
        self.finish(region);
    }

    /// Waits for the next region, which is then alive until [`Worker::finish`].
    fn accept(&self) -> RegionPtr {
        loop {
            if !spin_until(|| self.state.load(Relaxed) != FREE) {
                self.sleep();
            }
            let offer = self.state.load(Relaxed);
            if offer == FREE {
                continue;
            }
            // The offer may be revoked concurrently, and even be repeated by another region at the same
            // address. In the first case the exchange fails. In the second it accepts the new region,
            // and returns the new region's pointer.
            let taken = self.state.compare_exchange(offer, accepted(offer), Acquire, Relaxed);
            if let Ok(region) = taken {
                return region;
            }
        }
    }

    /// Sleeps until an offer has been made, which may be revoked by the time this returns.
    fn sleep(&self) {
        let mut guard = self.lock();
        if self.state.compare_exchange(FREE, ASLEEP, Relaxed, Relaxed).is_err() {
            return;
        }
        while self.state.load(Relaxed) == ASLEEP {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Frees the mailbox. The region may be dropped at any time after that, so its address is only compared.
    fn finish(&self, region: RegionPtr) {
        if self.state.compare_exchange(accepted(region), FREE, Release, Relaxed).is_err() {
            // The caller has marked it as awaited, under the lock, and sleeps or is about to.
            let guard = self.lock();
            self.state.swap(FREE, Release);
            drop(guard);
            self.changed.notify_all();
        }
    }
}

/// The callers' side.
impl Worker {
    /// Offers a region; returns false if the worker is not free.
    pub(super) fn offer(&self, region: RegionPtr) -> bool {
        let offered = self.state.fetch_update(Release, Relaxed, |state| {
            [FREE, ASLEEP].contains(&state).then_some(region)
        });
        if offered == Ok(ASLEEP) {
            // Before the offer can be revoked, so that a mailbox is never `FREE` while its worker sleeps
            // and no thread is about to wake it. The lock excludes the time between the worker's load of
            // the mailbox and its wait.
            drop(self.lock());
            self.changed.notify_all();
        }
        offered.is_ok()
    }

    /// Revokes an offer that is not accepted yet. Returns false if the worker is running the region.
    pub(super) fn revoke(&self, region: RegionPtr) -> bool {
        match self.state.compare_exchange(region, FREE, Relaxed, Acquire) {
            Ok(_) => true,
            Err(state) => state != accepted(region),
        }
    }

    /// Waits for the worker to finish a region that it has accepted.
    pub(super) fn wait(&self, region: RegionPtr) {
        let accepted = accepted(region);
        if spin_until(|| self.state.load(Acquire) != accepted) {
            return;
        }
        let awaited = awaited(region);
        let mut guard = self.lock();
        if self.state.compare_exchange(accepted, awaited, Relaxed, Acquire).is_ok() {
            while self.state.load(Acquire) == awaited {
                guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.sleep_lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
