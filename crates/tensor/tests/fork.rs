//! A forked child computes, although the worker threads of its parent do not exist in it.

#![cfg(unix)]

mod zoo;

use belvedere::*;

/// Computes a large sum on several threads and returns whether it is right.
fn calculates() -> bool {
    with_num_threads(3, || {
        let x = Tensor::arange(0..300_000i64).unwrap();
        let sum = x.add(&x).unwrap();
        x.copy_from(&sum).unwrap();
        x.get::<i64>(&[299_999]).unwrap() == 599_998
    })
}

/// Runs [`calculates`] in a child and returns its exit status.
fn status_of_child() -> i32 {
    // SAFETY: the child only calculates, which allocates and starts threads, and ends at once.
    match unsafe { libc::fork() } {
        0 => {
            let is_fine = std::panic::catch_unwind(calculates).unwrap_or(false);
            // SAFETY: ends the process and touches nothing.
            unsafe { libc::_exit(if is_fine { 0 } else { 1 }) }
        }
        pid => {
            assert!(pid > 0, "fork failed");
            let mut status = 0;
            // SAFETY: the child is ours, and `status` is a live integer.
            unsafe { libc::waitpid(pid, &mut status, 0) };
            status
        }
    }
}

#[test]
fn operations_run_in_a_forked_child() {
    zoo::with_watchdog(|| {
        assert!(calculates());
        assert_eq!(status_of_child(), 0);
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    assert!(calculates());
                }
            });
            for _ in 0..zoo::rounds(10) {
                assert_eq!(status_of_child(), 0);
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    });
}
