//! Regions of two or three pieces on one or two workers.

use super::offers::{WorkerSlot, fork_join};
use super::region::Region;
use super::worker::Worker;
use crate::check;
use loom::cell::UnsafeCell;
use loom::sync::atomic::AtomicBool;
use loom::sync::atomic::Ordering::Relaxed;
use loom::thread;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

/// Memory that pieces write to; `loom` checks for data races.
struct Cells([UnsafeCell<usize>; 3]);

// SAFETY: `loom` checks that no cell is accessed concurrently with a write.
unsafe impl Sync for Cells {}
// SAFETY: as for `Sync`.
unsafe impl Send for Cells {}

impl Cells {
    fn new() -> Cells {
        Cells(std::array::from_fn(|_| UnsafeCell::new(0)))
    }

    fn add(&self, i: usize, n: usize) {
        // SAFETY: the pointer is valid, and `loom` checks for data races.
        self.0[i].with_mut(|ptr| unsafe { *ptr += n });
    }

    fn values(&self) -> [usize; 3] {
        // SAFETY: as in `add`.
        std::array::from_fn(|i| self.0[i].with(|ptr| unsafe { *ptr }))
    }
}

/// Workers that serve until they are stopped.
struct Workers {
    slots: Arc<Vec<WorkerSlot>>,
    threads: Vec<(Arc<Worker>, Arc<AtomicBool>, thread::JoinHandle<()>)>,
}

impl Workers {
    fn start(n: usize) -> Workers {
        let threads: Vec<_> = (0..n)
            .map(|_| {
                let (worker, is_over) = (Arc::new(Worker::new()), Arc::new(AtomicBool::new(false)));
                let (own, flag) = (Arc::clone(&worker), Arc::clone(&is_over));
                let thread = thread::spawn(move || {
                    while !flag.load(Relaxed) {
                        own.serve_next();
                    }
                });
                (worker, is_over, thread)
            })
            .collect();
        let slots = threads.iter().map(|it| WorkerSlot::from(Some(Arc::clone(&it.0)))).collect();
        Workers { slots: Arc::new(slots), threads }
    }

    /// Stops the workers by a last region, whose piece sets their flag, and waits for them.
    fn stop(self) {
        for (worker, is_over, thread) in self.threads {
            let body = || is_over.store(true, Relaxed);
            let body = |_| body();
            let region = Region::new(1, &body);
            let address = (&raw const region).cast_mut().cast();
            assert!(worker.offer(address), "the worker is free");
            thread.join().unwrap();
        }
    }
}

#[test]
fn every_piece_runs_once_and_its_writes_are_visible() {
    check(4, || {
        let workers = Workers::start(1);
        let cells = Cells::new();
        (0..2).for_each(|i| cells.add(i, 1));
        fork_join(&workers.slots, 1, Region::new(2, &|i| cells.add(i, 10 + i)));
        assert_eq!(cells.values(), [11, 12, 0]);
        (0..2).for_each(|i| cells.add(i, 1));
        workers.stop();
    });
}

#[test]
fn a_second_region_reuses_a_worker() {
    check(3, || {
        let workers = Workers::start(1);
        for round in 0..2 {
            // At the same address in both rounds: an offer of the first must not be taken for one of the second.
            let cells = Cells::new();
            fork_join(&workers.slots, 1, Region::new(2, &|i| cells.add(i, round + 1)));
            assert_eq!(cells.values(), [round + 1, round + 1, 0]);
        }
        workers.stop();
    });
}

#[test]
fn two_workers_share_a_region() {
    check(2, || {
        let workers = Workers::start(2);
        let cells = Cells::new();
        fork_join(&workers.slots, 2, Region::new(3, &|i| cells.add(i, 1)));
        assert_eq!(cells.values(), [1, 1, 1]);
        workers.stop();
    });
}

#[test]
fn two_callers_share_a_worker() {
    check(2, || {
        let workers = Workers::start(1);
        let slots = Arc::clone(&workers.slots);
        let call = |slots: &[WorkerSlot]| {
            let cells = Cells::new();
            fork_join(slots, 1, Region::new(2, &|i| cells.add(i, 1)));
            assert_eq!(cells.values(), [1, 1, 0]);
        };
        let other = thread::spawn(move || call(&slots));
        call(&workers.slots);
        other.join().unwrap();
        workers.stop();
    });
}

#[test]
fn a_panic_is_resumed_after_every_piece_has_returned() {
    check(3, || {
        let workers = Workers::start(1);
        let cells = Cells::new();
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
            let body = |i: usize| {
                cells.add(i, 1);
                panic::resume_unwind(Box::new("on purpose"));
            };
            fork_join(&workers.slots, 1, Region::new(2, &body));
        }));
        assert!(outcome.is_err());
        // The pieces that ran have returned: reading is no data race.
        assert!(cells.values().iter().sum::<usize>() >= 1);
        workers.stop();
    });
}
