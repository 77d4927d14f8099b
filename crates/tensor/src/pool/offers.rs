//! How a region is offered to workers, run, and taken back.

use super::inside_piece;
use super::region::{Region, RegionPtr};
use super::worker::Worker;
use crate::fork;
use std::sync::{Arc, OnceLock};

/// A worker thread. A slot for which the system refused a thread stays `None`: retrying in every operation
/// would be slow.
pub(super) type WorkerSlot = OnceLock<Option<Arc<Worker>>>;

/// Runs the pieces of a region on this thread and on up to `n_workers` workers.
pub(super) fn fork_join(workers: &[WorkerSlot], n_workers: usize, region: Region<'_>) {
    // From here on the region must neither move nor be dropped before `offers` is. On unwinding it
    // is not: `offers` is declared later, so it is dropped first.
    let address = (&raw const region).cast_mut().cast();
    let mut offers = Offers { workers, region: address, end: 0, generation: fork::generation() };
    offers.make(n_workers);
    inside_piece(|| region.run_pieces());
    drop(offers);
    region.resume_panic();
}

/// The offers of one region. When they are dropped, no worker accesses the region any more.
struct Offers<'p> {
    workers: &'p [WorkerSlot],
    region: RegionPtr,
    /// Only workers before this slot have received an offer.
    end: usize,
    /// That of the process that made the offers.
    generation: u64,
}

impl Offers<'_> {
    /// Offers the region to at most `n_workers` free workers, and starts those that do not exist yet.
    /// The first slots are tried first: workers that worked recently are still awake.
    fn make(&mut self, n_workers: usize) {
        let mut n_made = 0;
        for (k, slot) in self.workers.iter().enumerate() {
            if k < n_workers {
                slot.get_or_init(|| Worker::spawn(k));
            }
            let Some(worker) = slot.get() else { break };
            if worker.as_ref().is_some_and(|worker| worker.offer(self.region)) {
                self.end = k + 1;
                n_made += 1;
            }
            if n_made == n_workers {
                break;
            }
        }
    }
}

impl Drop for Offers<'_> {
    fn drop(&mut self) {
        for slot in &self.workers[..self.end] {
            let Some(Some(worker)) = slot.get() else { continue };
            if !worker.revoke(self.region) {
                // In a forked child waiting would deadlock, so it panics. No worker can access the region
                // afterwards: the child has none.
                let is_child = fork::generation() != self.generation;
                assert!(!is_child, "forked inside a parallel operation, whose threads are gone");
                worker.wait(self.region);
            }
        }
    }
}
