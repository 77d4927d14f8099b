//! A forked child computes, whatever the threads of its parent, which do not exist in it, were doing.

#![cfg(unix)]

mod zoo;

use belvedere::prelude::*;
use belvedere::{Storage, copies, linalg, trace, with_num_threads};
use std::env;
use std::process::Command;
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How many children each test forks.
const N_CHILDREN: usize = 40;

/// Calls `child` in a forked process; returns whether it returned true, or how it failed.
fn outcome_of_child(child: impl FnOnce() -> bool) -> Result<(), String> {
    // SAFETY: the child only calculates, which allocates and starts threads, and ends at once.
    let pid = match unsafe { libc::fork() } {
        0 => {
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child));
            let status = outcome.map_or(2, |is_right| if is_right { 0 } else { 1 });
            // SAFETY: ends the process and touches nothing.
            unsafe { libc::_exit(status) }
        }
        pid => pid,
    };
    assert!(pid > 0, "fork failed");
    let deadline = Instant::now() + Duration::from_secs(30);
    let mut status = 0;
    // SAFETY: the child is ours, no other thread waits for it, and `status` is a live integer.
    while unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) } == 0 {
        if Instant::now() > deadline {
            // SAFETY: the child has not been waited for, so the id is not reused yet.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            // SAFETY: as for the first call.
            unsafe { libc::waitpid(pid, &mut status, 0) };
            return Err("hung".into());
        }
        thread::sleep(Duration::from_millis(1));
    }
    match status {
        0 => Ok(()),
        status => Err(format!("wait status {status:#x}")),
    }
}

/// Forks while threads repeat each function of `work`, and checks that `child` returns true in each child.
#[track_caller]
fn check_children_beside(work: &[&(dyn Fn() + Sync)], child: impl Fn() -> bool) {
    let is_over = AtomicBool::new(false);
    let failures: Vec<String> = zoo::with_watchdog(|| {
        thread::scope(|scope| {
            // The scope waits for the threads, which have to end when an assertion panics, too.
            let _end = zoo::SetOnDrop(&is_over);
            for &function in work {
                let is_over = &is_over;
                scope.spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        function();
                    }
                });
            }
            (0..N_CHILDREN).filter_map(|_| outcome_of_child(&child).err()).collect()
        })
    });
    assert!(failures.is_empty(), "{} of {N_CHILDREN} children: {failures:?}", failures.len());
}

/// Imports the memory of a vector, as if another library owned it.
fn foreign(mut values: Vec<f64>) -> Tensor {
    let (ptr, len) = (NonNull::new(values.as_mut_ptr().cast()).unwrap(), values.len());
    // SAFETY: the vector is moved into `release` and not accessed before that is called.
    let storage = unsafe { Storage::foreign(ptr, 8 * len, true, move || drop(values)) };
    Tensor::from_storage(storage, Layout::row_major(&[len]).unwrap(), DType::Float64).unwrap()
}

/// Computes a large sum on several threads and returns whether it is right.
fn calculates() -> bool {
    with_num_threads(3, || {
        let x = Tensor::arange(0..300_000i64).unwrap();
        let sum = x.add(&x).unwrap();
        x.copy_from(&sum).unwrap();
        x.get::<i64>(&[299_999]).unwrap() == 599_998
    })
}

#[test]
fn children_compute_beside_running_operations() {
    assert!(calculates());
    check_children_beside(&[&|| assert!(calculates())], calculates);
}

#[test]
fn children_use_storages_that_threads_read_and_write() {
    let large = Tensor::zeros([300_000], DType::Float64).unwrap();
    let small = Tensor::zeros([4], DType::Float64).unwrap();
    let write = || {
        large.add_assign(1.0).unwrap();
        small.add_assign(1.0).unwrap();
    };
    let read = || {
        large.slice(s![..;2]).unwrap().copy().unwrap();
        small.add(1.0).unwrap();
    };
    check_children_beside(&[&write, &write, &read, &read], || {
        // A value is that of before or after one of the additions.
        let values = large.to_vec::<f64>().unwrap();
        let (min, max) =
            values.iter().fold((f64::MAX, f64::MIN), |(min, max), &it| (min.min(it), max.max(it)));
        large.fill(5.0).unwrap();
        small.fill(7.0).unwrap();
        let guard = large.write::<f64>().unwrap();
        max - min <= 1.0
            && guard.iter().all(|it| it == 5.0)
            && small.to_vec::<f64>().unwrap() == [7.0; 4]
    });
}

#[test]
fn children_use_foreign_memory_that_threads_use() {
    let (large, small) = (foreign(vec![0.0; 300_000]), foreign(vec![0.0; 10]));
    let write = || {
        large.add_assign(1.0).unwrap();
        small.add_assign(1.0).unwrap();
    };
    let read = || {
        foreign(vec![0.0; 10]).add(1.0).unwrap();
    };
    check_children_beside(&[&write, &write, &read, &read], || {
        let sum = foreign(vec![0.0; 10]).add(1.0).unwrap();
        small.fill(2.0).unwrap();
        large.fill(3.0).unwrap();
        sum.to_vec::<f64>().unwrap() == [1.0; 10] && large.get::<f64>(&[7]).unwrap() == 3.0
    });
}

#[test]
fn children_find_every_lock_free() {
    let x = Tensor::arange(0..64i64).unwrap().astype(DType::Float64).unwrap();
    let recordings = Mutex::new(Vec::new());
    let calls: [&(dyn Fn() + Sync); 4] = [
        &|| {
            fft::fft(&x).unwrap();
            fft::forget_plans();
        },
        // Large allocations are kept in the free list, small ones are exported.
        &|| {
            Tensor::zeros([1 << 18], DType::Float64).unwrap();
            let small = Tensor::zeros([10], DType::Float64).unwrap();
            small.storage().note_export();
            assert!(Storage::exported_at(small.storage().address(), 80).is_some());
        },
        &|| {
            let recorder = trace::Recorder::start_for_all_threads();
            x.add(1.0).unwrap();
            assert!(!recorder.finish().events().is_empty());
        },
        &|| {
            let (_, log) = copies::record(|| x.copy().unwrap());
            recordings.lock().unwrap().push(log.len());
        },
    ];
    check_children_beside(&calls, || {
        // `recordings` is a lock of this test, so the last one is not called.
        calls[..3].iter().for_each(|call| call());
        random::Generator::new(1).normal(0.0, 1.0, [10], DType::Float64).is_ok()
    });
}

/// Computes a product and a factorization and returns whether both are right.
fn multiplies() -> bool {
    let eye = Tensor::eye(64, DType::Float64).unwrap();
    let twice = eye.add(&eye).unwrap();
    let product = twice.matmul(&twice).unwrap();
    let solution = linalg::solve(&twice, &product).unwrap();
    product.sum(()).unwrap().item::<f64>().unwrap() == 256.0 && solution == twice
}

/// The back-ends have statics that are initialised in the first product. No other test of this program computes one, so
/// every child here does.
#[test]
fn children_compute_beside_the_first_products() {
    let fork_beside_products = || {
        let thread = thread::spawn(multiplies);
        let outcome = outcome_of_child(multiplies);
        thread.join().unwrap() && outcome.is_ok()
    };
    let outcomes = (0..N_CHILDREN).map(|_| outcome_of_child(fork_beside_products));
    let failures: Vec<String> = zoo::with_watchdog(|| outcomes.filter_map(Result::err).collect());
    assert!(failures.is_empty(), "{} of {N_CHILDREN} children: {failures:?}", failures.len());
}

#[test]
fn a_child_keeps_the_guards_of_the_thread_that_forked() {
    let x = Tensor::zeros([4], DType::Int32).unwrap();
    let mut guard = x.slice(s![..2]).unwrap().write::<i32>().unwrap();
    let moved = {
        let x = x.clone();
        thread::spawn(move || x.slice(s![3..]).unwrap().read::<i32>().unwrap()).join().unwrap()
    };
    let outcome = outcome_of_child(|| {
        let is_borrowed =
            |part: &Tensor| part.fill(1).is_err_and(|error| error.kind() == ErrorKind::Borrow);
        let mut is_right = is_borrowed(&x) && is_borrowed(&x.slice(s![3..]).unwrap());
        guard[0] = 8;
        x.slice(s![2..3]).unwrap().fill(9).unwrap();
        drop(guard);
        drop(moved);
        is_right &= x.to_vec::<i32>().unwrap() == [8, 0, 9, 0];
        x.fill(1).unwrap();
        is_right && x.to_vec::<i32>().unwrap() == [1; 4]
    });
    assert_eq!(outcome, Ok(()));
}

#[test]
fn a_child_that_is_forked_in_a_closure_finishes_the_operation() {
    let x = tensor![1, 2, 3, 4];
    let outcome = outcome_of_child(|| {
        // The child forks inside of the closure, and both processes finish the operation.
        let mut of_grandchild = None;
        let mut pid = None;
        let mut sum = 0;
        zip((&x,))
            .for_each(|value: i32| {
                // SAFETY: both processes calculate only, and end at once.
                let pid = *pid.get_or_insert_with(|| unsafe { libc::fork() });
                if pid > 0 && of_grandchild.is_none() {
                    let mut status = 0;
                    // SAFETY: the child is ours, and `status` is a live integer.
                    unsafe { libc::waitpid(pid, &mut status, 0) };
                    of_grandchild = Some(status);
                }
                assert!(x.fill(1).is_err(), "the closure's operation borrows it");
                sum += value;
            })
            .unwrap();
        x.fill(7).unwrap();
        sum == 10 && of_grandchild.is_none_or(|it| it == 0) && x.to_vec::<i32>().unwrap() == [7; 4]
    });
    assert_eq!(outcome, Ok(()));
}

/// Runs in a process of its own, which the next test starts: no other thread starts or exits during the fork.
#[test]
fn workers_of_a_child() {
    if env::var("FORK_TEST_ALONE").is_err() {
        return;
    }
    let uses_workers = || {
        let x = Tensor::zeros([1 << 20], DType::Float64).unwrap();
        let here = thread::current().id();
        let is_elsewhere = AtomicBool::new(false);
        let deadline = Instant::now() + Duration::from_secs(20);
        while !is_elsewhere.load(Ordering::Relaxed) && Instant::now() < deadline {
            let note = |value: f64| {
                if thread::current().id() != here {
                    is_elsewhere.store(true, Ordering::Relaxed);
                }
                value + 1.0
            };
            with_num_threads(2, || zip((&x,)).map_into(&x, note).unwrap());
        }
        is_elsewhere.into_inner()
    };
    assert!(uses_workers());
    assert_eq!(
        outcome_of_child(|| uses_workers() && outcome_of_child(uses_workers).is_ok()),
        Ok(())
    );
    assert!(uses_workers());
}

#[test]
fn a_child_has_workers_of_its_own() {
    let program = env::current_exe().unwrap();
    let mut alone = Command::new(program);
    alone.args(["--exact", "workers_of_a_child", "--test-threads=1"]);
    let output = alone.env("FORK_TEST_ALONE", "1").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
