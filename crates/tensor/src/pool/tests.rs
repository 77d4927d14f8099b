//! Tests of the thread pool: scheduling, panics, visibility of writes, and forks.

#[cfg(unix)]
mod fork;

use super::spin::{SPIN_TIME, spin_until};
use super::*;
use std::cell::UnsafeCell;
use std::hint;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Runs a region and checks that each piece ran once.
fn check_region(n_pieces: usize) {
    let counts: Vec<AtomicUsize> = (0..n_pieces).map(|_| AtomicUsize::new(0)).collect();
    run(n_pieces, &|i| {
        counts[i].fetch_add(1, Relaxed);
    });
    assert!(counts.iter().all(|count| count.load(Relaxed) == 1), "{n_pieces} pieces");
}

/// Runs regions of two pieces that wait for each other until both ran concurrently.
/// (One region is not enough: other tests may keep the workers busy.)
fn meet() -> bool {
    let deadline = Instant::now() + Duration::from_secs(20);
    let met = AtomicUsize::new(0);
    while met.load(Relaxed) < 2 && Instant::now() < deadline {
        let present = AtomicUsize::new(0);
        met.store(0, Relaxed);
        run(2, &|_| {
            present.fetch_add(1, Relaxed);
            let patience = Instant::now() + Duration::from_millis(5);
            while present.load(Relaxed) < 2 && Instant::now() < patience {
                thread::yield_now();
            }
            met.fetch_add(usize::from(present.load(Relaxed) == 2), Relaxed);
        });
    }
    met.load(Relaxed) == 2
}

#[test]
fn every_piece_runs_exactly_once() {
    for n_threads in [1, 2, 3, 4, 7, 16] {
        with_num_threads(n_threads, || {
            (0..40).chain([63, 64, 65, 1000, 4097]).for_each(check_region);
        });
    }
}

#[test]
fn two_pieces_run_concurrently() {
    assert!(with_num_threads(2, meet));
}

#[test]
fn a_single_piece_or_thread_runs_here_in_order() {
    let here = thread::current().id();
    for (n_threads, n_pieces) in [(4, 0), (4, 1), (1, 100)] {
        let order = Mutex::new(Vec::new());
        with_num_threads(n_threads, || {
            run(n_pieces, &|i| order.lock().unwrap().push((i, thread::current().id())));
        });
        let expected: Vec<_> = (0..n_pieces).map(|i| (i, here)).collect();
        assert_eq!(order.into_inner().unwrap(), expected);
    }
}

#[test]
fn a_nested_region_runs_inside_its_piece() {
    let count = AtomicUsize::new(0);
    with_num_threads(4, || {
        run(8, &|_| {
            let here = thread::current().id();
            let inner = || {
                assert_eq!(num_threads(), 1);
                run(50, &|_| {
                    assert_eq!(thread::current().id(), here);
                    count.fetch_add(1, Relaxed);
                });
            };
            inner();
            with_num_threads(3, inner);
        });
        assert_eq!(num_threads(), 4);
    });
    assert_eq!(count.into_inner(), 800);
}

#[test]
fn concurrent_regions_never_run_each_others_pieces() {
    thread_local!(static ME: Cell<usize> = const { Cell::new(usize::MAX) });
    thread::scope(|scope| {
        for me in 0..12 {
            scope.spawn(move || {
                ME.set(me);
                for round in 0..300 {
                    let n_pieces = 1 + (me * 7 + round) % 23;
                    let sum = AtomicUsize::new(0);
                    with_num_threads(1 + round % 5, || {
                        run(n_pieces, &|i| {
                            assert!([me, usize::MAX].contains(&ME.get()));
                            sum.fetch_add(i + 1, Relaxed);
                        });
                    });
                    assert_eq!(sum.into_inner(), n_pieces * (n_pieces + 1) / 2);
                }
            });
        }
    });
}

#[test]
fn rayon_tasks_outnumber_the_threads_without_deadlock() {
    let storage = Mutex::new(0);
    rayon::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|_| {
                with_num_threads(4, || {
                    // Rayon would steal another of these tasks here, and deadlock.
                    let mut guard = storage.lock().unwrap();
                    let sum = AtomicUsize::new(0);
                    run(16, &|i| {
                        thread::yield_now();
                        sum.fetch_add(i, Relaxed);
                    });
                    *guard += sum.into_inner();
                });
                check_region(33);
            });
        }
    });
    assert_eq!(storage.into_inner().unwrap(), 64 * 120);
}

#[test]
fn a_panic_is_resumed_after_every_piece_has_returned() {
    with_num_threads(4, || {
        for culprit in (0..40).cycle().take(400) {
            let n_inside = AtomicUsize::new(0);
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
                run(40, &|i| {
                    n_inside.fetch_add(1, Relaxed);
                    (0..i * 8).for_each(|_| hint::spin_loop());
                    n_inside.fetch_sub(1, Relaxed);
                    if i == culprit {
                        panic::resume_unwind(Box::new(i));
                    }
                });
            }));
            assert_eq!(n_inside.load(Relaxed), 0);
            let payload = outcome.expect_err("one piece panics");
            assert_eq!(payload.downcast_ref(), Some(&culprit));
            assert_eq!(num_threads(), 4, "the caller has left its piece");
            check_region(40);
        }
    });
}

#[test]
fn panics_in_all_pieces_leave_the_pool_usable() {
    /// A payload whose destructor panics, too.
    struct Grenade(AtomicBool);
    impl Drop for Grenade {
        fn drop(&mut self) {
            if self.0.load(Relaxed) {
                panic::resume_unwind(Box::new(()));
            }
        }
    }
    with_num_threads(4, || {
        for _ in 0..200 {
            let outcome = panic::catch_unwind(|| {
                run(4, &|_| {
                    thread::yield_now();
                    panic::resume_unwind(Box::new(Grenade(AtomicBool::new(true))));
                });
            });
            let payload = outcome.expect_err("all pieces panic");
            payload.downcast::<Grenade>().expect("ours").0.store(false, Relaxed);
            check_region(9);
        }
        assert!(meet());
    });
}

#[test]
fn workers_that_wake_late_never_access_a_dead_region() {
    with_num_threads(3, || {
        for round in 0..100_000_usize {
            // On the stack, where the next region writes other values to the same place.
            let cells = [const { AtomicUsize::new(0) }; 3];
            run(3, &|i| cells[i].store(round ^ i, Relaxed));
            let found = cells.map(AtomicUsize::into_inner);
            assert_eq!(found, [round, round ^ 1, round ^ 2]);
        }
    });
}

#[test]
fn writes_are_visible_to_pieces_and_to_the_caller() {
    /// Cells without any ordering of their own.
    struct Cells([UnsafeCell<usize>; 8]);
    // SAFETY: the test below lets piece `i` access cell `i` only, and the caller accesses cells
    // only outside of `run`.
    unsafe impl Sync for Cells {}
    impl Cells {
        fn add(&self, i: usize, n: usize) {
            // SAFETY: the pointer is a live cell's, and no other thread accesses the cell now.
            unsafe { *self.0[i].get() += n };
        }
    }
    with_num_threads(4, || {
        for round in 0..10_000 {
            let cells = Cells([const { UnsafeCell::new(0) }; 8]);
            (0..8).for_each(|i| cells.add(i, round));
            run(8, &|i| cells.add(i, i));
            (0..8).for_each(|i| cells.add(i, 1));
            let expected = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| round + i + 1);
            assert_eq!(cells.0.map(UnsafeCell::into_inner), expected);
        }
    });
}

#[test]
fn sleeping_workers_are_woken_and_sleeping_callers_too() {
    with_num_threads(2, || {
        for _ in 0..50 {
            thread::sleep(4 * SPIN_TIME);
            let slow = AtomicUsize::new(0);
            run(2, &|_| {
                thread::sleep(slow.fetch_add(1, Relaxed) as u32 * 10 * SPIN_TIME);
            });
            assert_eq!(slow.into_inner(), 2);
        }
    });
}
