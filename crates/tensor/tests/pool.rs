//! The number of threads: the environment, `set_num_threads` and `with_num_threads`.

use std::env;
use std::num::NonZeroUsize;
use std::panic;
use std::process::Command;
use std::thread;

use belvedere::{num_threads, set_num_threads, with_num_threads};

#[test]
fn with_num_threads_nests_and_belongs_to_its_thread() {
    with_num_threads(5, || {
        assert_eq!(num_threads(), 5);
        assert_eq!(with_num_threads(2, num_threads), 2);
        assert_eq!(num_threads(), 5);
        let elsewhere = thread::spawn(|| with_num_threads(9, num_threads));
        assert_eq!(elsewhere.join().expect("no panic"), 9);
        assert_eq!(num_threads(), 5);
    });
}

#[test]
fn with_num_threads_is_restored_after_a_panic() {
    with_num_threads(6, || {
        let outcome = panic::catch_unwind(|| {
            with_num_threads(3, || panic::resume_unwind(Box::new("on purpose")))
        });
        assert!(outcome.is_err());
        assert_eq!(num_threads(), 6);
    });
}

#[test]
fn set_num_threads_applies_to_all_threads_except_inside_with_num_threads() {
    let default = num_threads();
    with_num_threads(4, || {
        set_num_threads(7);
        assert_eq!(num_threads(), 4);
    });
    assert_eq!(num_threads(), 7);
    assert_eq!(thread::spawn(num_threads).join().expect("no panic"), 7);
    assert_eq!(with_num_threads(4, || with_num_threads(0, num_threads)), 7, "the number outside");
    set_num_threads(0);
    assert_eq!(num_threads(), default, "as before");
}

#[test]
fn huge_thread_counts_are_bounded() {
    assert_eq!(with_num_threads(usize::MAX, num_threads), 1024);
}

/// Runs in a process of its own, which the next test starts.
#[test]
fn child_finds_the_expected_number() {
    if let Ok(expected) = env::var("POOL_TEST_EXPECTED") {
        assert_eq!(num_threads().to_string(), expected);
    }
}

#[test]
fn environment_sets_the_default_and_invalid_values_are_ignored() {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(1024);
    let cases = [("3", 3), (" 12 ", 12), ("1", 1), ("99999", 1024)];
    let nonsense = ["", "0", "-2", "2.5", "4,2", "many", "99999999999999999999999"];
    for (text, expected) in cases.into_iter().chain(nonsense.map(|text| (text, cores))) {
        let output = Command::new(env::current_exe().expect("a test has a path"))
            .args(["child_finds_the_expected_number", "--exact"])
            .env("BELVEDERE_NUM_THREADS", text)
            .env("POOL_TEST_EXPECTED", expected.to_string())
            .output()
            .expect("the test can start itself");
        assert!(output.status.success(), "{text:?}: {}", String::from_utf8_lossy(&output.stdout));
    }
}
