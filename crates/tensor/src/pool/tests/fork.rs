//! Forks of a process whose thread pool is running.

use super::*;

/// Sets a flag when it is dropped, also on unwinding: a thread that waits for the flag always ends.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Forks the process. The test harness has other threads, so the child must neither print nor run exit
/// handlers: their locks may be held by threads that do not exist in it.
fn fork() -> libc::pid_t {
    // SAFETY: the child of a multi-threaded process may only rely on what its C library prepares for
    // forks. The children here allocate and start threads, which it does.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork failed: {}", std::io::Error::last_os_error());
    pid
}

/// Exits a child with status 0 if it has succeeded, 1 if its checks failed, and 2 if it has panicked.
fn exit(outcome: thread::Result<bool>) -> ! {
    let status = match outcome {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(_) => 2,
    };
    // SAFETY: `_exit` ends the process immediately and accesses none of its memory.
    unsafe { libc::_exit(status) }
}

/// Checks that a child exits successfully within 30 seconds.
fn wait_for(pid: libc::pid_t) {
    let deadline = Instant::now() + Duration::from_secs(30);
    let mut status = 0;
    // SAFETY: `status` is a live integer, and `pid` a child that no other thread waits for.
    while unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) } == 0 {
        if Instant::now() > deadline {
            // SAFETY: the child has not been waited for, so the id is not reused yet.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            // SAFETY: as for the call above.
            unsafe { libc::waitpid(pid, &mut status, 0) };
            panic!("the child did not exit within 30 seconds");
        }
        thread::sleep(Duration::from_millis(1));
    }
    let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
    assert_eq!(code, Some(0), "the child has failed (wait status {status:#x})");
}

/// Checks that `child` returns true in a forked child.
fn check_child(child: impl FnOnce() -> bool) {
    match fork() {
        0 => exit(panic::catch_unwind(AssertUnwindSafe(child))),
        pid => wait_for(pid),
    }
}

/// Runs regions as a child does, and returns whether their results are right.
///
/// Whether a worker takes part is not checked: the standard library locks a mutex while a thread starts or exits
/// (`std::sys::pal::unix::stack_overflow`), which no fork handler releases. If the fork happens meanwhile (other tests start
/// threads at any time), no thread that the child starts gets as far as its mailbox, and the child runs all pieces itself.
/// `tests/fork.rs` checks that children have workers, in a process without such threads.
fn calculates() -> bool {
    with_num_threads(3, || {
        (0..20).all(|_| {
            let sum = AtomicUsize::new(0);
            run(100, &|i| {
                sum.fetch_add(i, Relaxed);
            });
            sum.into_inner() == 4950
        })
    })
}

#[test]
fn a_forked_child_has_a_pool_of_its_own() {
    assert!(calculates());
    check_child(|| {
        check_child(calculates);
        calculates()
    });
    assert!(calculates());
}

#[test]
fn a_fork_during_a_region_of_another_thread_harms_neither() {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        // The scope waits for the thread, which has to end when an assertion below panics, too.
        let stop = SetOnDrop(&is_over);
        scope.spawn(|| {
            with_num_threads(3, || {
                while !is_over.load(Relaxed) {
                    check_region(20);
                }
            });
        });
        (0..20).for_each(|_| check_child(calculates));
        drop(stop);
    });
}

/// Runs a region and forks in the caller's piece while a worker runs the other. Returns the result of
/// `fork`, if it was called, and whether the region returned without a panic.
fn fork_in_piece() -> (Option<libc::pid_t>, bool) {
    let here = thread::current().id();
    let pid = OnceLock::new();
    let [has_worker, may_return] = [const { AtomicBool::new(false) }; 2];
    let spin_until = |flag: &AtomicBool| spin_until(|| flag.load(Relaxed));
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
        run(2, &|_| {
            if thread::current().id() != here {
                has_worker.store(true, Relaxed);
                while !spin_until(&may_return) {}
                return;
            }
            // The worker returns when the caller has left its piece, with a panic or without.
            let _release = SetOnDrop(&may_return);
            if pid.get().is_none() && spin_until(&has_worker) {
                pid.get_or_init(fork);
                check_region(5);
            }
        });
    }));
    (pid.into_inner(), outcome.is_ok())
}

#[test]
fn a_child_of_a_piece_works_inline_and_panics_instead_of_waiting() {
    with_num_threads(2, || {
        loop {
            match fork_in_piece() {
                (None, is_fine) => assert!(is_fine),
                (Some(0), is_fine) => exit(panic::catch_unwind(|| !is_fine && calculates())),
                (Some(pid), is_fine) => {
                    assert!(is_fine);
                    break wait_for(pid);
                }
            }
        }
    });
}
