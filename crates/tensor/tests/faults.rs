//! Allocation failures: every operation is repeated with its first, second, … allocation of at least 4 KiB failing. It
//! returns an error or succeeds, it never aborts, an error changes no operand and no output, and nothing is leaked.
//!
//! A program of its own, because the failing allocator is process-wide. Each operation runs in a forked child, so that an
//! abort is reported with the name of its operation.

#![cfg(unix)]

mod zoo;

#[allow(dead_code)]
#[path = "all/operations.rs"]
mod operations;
// The expressions of NumPy and PyTorch are for the guides.
#[allow(dead_code)]
#[path = "all/numpy/guide/rows/mod.rs"]
mod rows;

#[path = "faults/calls.rs"]
mod calls;
#[path = "faults/outputs.rs"]
mod outputs;
#[path = "faults/streams.rs"]
mod streams;

use belvedere::*;
use rows::{CHAPTERS, Given};
use std::alloc::{GlobalAlloc, Layout as Size, System};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize};

/// Allocations below this size do not fail: lists of axes and the like are allocated infallibly.
const MIN_BYTES: usize = 4096;

/// The system's allocator, which counts the allocated bytes and fails once.
struct Failing;

/// The bytes that are allocated.
static LIVE_BYTES: AtomicIsize = AtomicIsize::new(0);
/// The number of large allocations up to the one that fails; none fails from 0 on down.
static COUNTDOWN: AtomicIsize = AtomicIsize::new(0);
static HAS_FAILED: AtomicBool = AtomicBool::new(false);

impl Failing {
    /// Whether this library allocates it. The buffers of `gemm` and `faer`, some of which are kept for each thread, are
    /// aligned to 128 bytes or to pages, and no others are. Their size is allocated for a check before.
    fn is_ours(size: Size) -> bool {
        size.align() < 128
    }

    /// Whether this allocation fails.
    fn fails(size: Size) -> bool {
        let is_large = Failing::is_ours(size) && size.size() >= MIN_BYTES;
        let fails = is_large && COUNTDOWN.fetch_sub(1, Relaxed) == 1;
        if fails {
            HAS_FAILED.store(true, Relaxed);
        }
        fails
    }

    /// Counts an allocation unless it has failed.
    fn count(ptr: *mut u8, size: Size) -> *mut u8 {
        if !ptr.is_null() && Failing::is_ours(size) {
            LIVE_BYTES.fetch_add(size.size() as isize, Relaxed);
        }
        ptr
    }
}

// SAFETY: every call is the system allocator's own, or returns null, which is a failure.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, size: Size) -> *mut u8 {
        if Failing::fails(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: forwarded: same contract as this function.
        Failing::count(unsafe { System.alloc(size) }, size)
    }

    unsafe fn alloc_zeroed(&self, size: Size) -> *mut u8 {
        if Failing::fails(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: forwarded: same contract as this function.
        Failing::count(unsafe { System.alloc_zeroed(size) }, size)
    }

    unsafe fn dealloc(&self, ptr: *mut u8, size: Size) {
        if Failing::is_ours(size) {
            LIVE_BYTES.fetch_sub(size.size() as isize, Relaxed);
        }
        // SAFETY: forwarded: same contract as this function.
        unsafe { System.dealloc(ptr, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Failing = Failing;

/// A call of an operation with the operands of the guides, larger than there.
struct Attempt<'a> {
    name: String,
    run: &'a dyn Fn(&Given) -> Result<(), Error>,
}

/// Returns the operands of the guides with more elements, so that results and buffers have at least 4 KiB.
fn operands() -> Given {
    use belvedere::Complex;
    let (rows, cols, square) = (16usize, 640usize, 32usize);
    let real = |n: usize, step: usize, low: f64| -> Vec<f64> {
        (0..n).map(|i| (i * step % n) as f64 * 12.0 / n as f64 + low).collect()
    };
    let tensor = |values: Vec<f64>, shape: &[usize]| Tensor::from_vec(values, shape).unwrap();
    let a = tensor(real(rows * cols, 5, -3.5), &[rows, cols]);
    let b = tensor(real(rows * cols, 7, 0.25), &[rows, cols]);
    let z = (0..cols).map(|i| Complex::new(i as f64 / 100.0, 2.0 - i as f64 / 300.0)).collect();
    let eye = Tensor::eye(square, DType::Float64).unwrap().mul(400.0).unwrap();
    let noise = tensor(real(square * square, 11, 0.0), &[square, square]);
    Given {
        m: a.greater(&b).unwrap(),
        a,
        b,
        c: tensor(real(2 * rows * cols, 11, 0.0), &[2, rows, cols]),
        v: tensor(real(cols, 3, -1.0), &[cols]),
        i: Tensor::from_vec((0..600).map(|i| (i * 7 % rows) as i64).collect(), [600]).unwrap(),
        z: Tensor::from_vec(z, [cols]).unwrap(),
        s: noise.add(&noise.t().unwrap()).unwrap().add(&eye).unwrap(),
        n: Tensor::from_vec((0..cols).map(|i| (i * 3 % 7) as i64).collect(), [cols]).unwrap(),
    }
}

/// The counts of all children, in memory that they share with their parent.
struct Totals {
    operations: AtomicUsize,
    failed_allocations: AtomicUsize,
    errors: AtomicUsize,
}

/// Returns zeroed memory that forked children share.
fn shared<T>() -> &'static T {
    let (access, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping of its own; it is zeroed, which is a value of the atomic integers in it, and never unmapped.
    unsafe {
        let memory = libc::mmap(std::ptr::null_mut(), size_of::<T>(), access, flags, -1, 0);
        assert_ne!(memory, libc::MAP_FAILED, "shared memory");
        &*memory.cast::<T>()
    }
}

/// Runs `f` in a forked child and returns its exit status.
fn in_child(f: impl FnOnce()) -> i32 {
    // SAFETY: the child only computes, which allocates and starts threads, and ends at once.
    match unsafe { libc::fork() } {
        0 => {
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f));
            // SAFETY: ends the process and touches nothing.
            unsafe { libc::_exit(outcome.is_err().into()) }
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

/// Returns a bitwise copy of all operands.
fn bytes_of(given: &Given) -> Vec<Vec<u8>> {
    let bytes = |x: &Tensor| {
        let x = if x.dtype().is_complex() { x.real().unwrap() } else { x.clone() };
        let x = x.astype(DType::Float64).unwrap().bitcast(DType::UInt64).unwrap();
        x.to_vec::<u64>().unwrap().iter().flat_map(|it| it.to_ne_bytes()).collect()
    };
    given.list().into_iter().map(bytes).collect()
}

/// Calls an operation without a fault, and then with a fault at each of its large allocations.
fn inject(attempt: &Attempt<'_>, totals: &Totals) {
    let mut given = operands();
    let mut before = bytes_of(&given);
    // Twice: the first call allocates what is kept, such as the plans of transforms.
    for _ in 0..2 {
        if let Err(error) = (attempt.run)(&given) {
            panic!("{} failed without a fault: {error}", attempt.name);
        }
    }
    totals.operations.fetch_add(1, Relaxed);
    let changes = bytes_of(&given) != before;
    for n in 1.. {
        let mut kind = None;
        let mut growth = 1;
        // What a thread allocates once and keeps is no leak: a leak is there after every call.
        for _ in 0..3 {
            if growth <= 0 {
                break;
            }
            if changes {
                given = operands();
                before = bytes_of(&given);
            }
            memory::trim();
            let live = LIVE_BYTES.load(Relaxed);
            HAS_FAILED.store(false, Relaxed);
            COUNTDOWN.store(n, Relaxed);
            let outcome = (attempt.run)(&given);
            COUNTDOWN.store(0, Relaxed);
            kind = outcome.err().map(|error| error.kind());
            memory::trim();
            growth = LIVE_BYTES.load(Relaxed) - live;
        }
        assert!(growth <= 0, "{}: {growth} bytes leaked at {n}", attempt.name);
        if !HAS_FAILED.load(Relaxed) {
            assert_eq!(kind, None, "{}: the call without a fault", attempt.name);
            break;
        }
        totals.failed_allocations.fetch_add(1, Relaxed);
        if kind.is_some() {
            totals.errors.fetch_add(1, Relaxed);
            assert_eq!(kind, Some(ErrorKind::Memory), "{} at {n}", attempt.name);
            assert!(bytes_of(&given) == before, "{}: operands changed at {n}", attempt.name);
        }
        assert!(n < 1000, "{}: an operation ends", attempt.name);
    }
}

/// Calls `f` with every operation: the rows of the guides, the elementwise operations of the table, and the calls of
/// `calls.rs`.
fn for_each_attempt(f: &mut dyn FnMut(Attempt<'_>)) {
    for row in CHAPTERS.iter().flat_map(|chapter| chapter.rows) {
        if !calls::NEEDS_SMALL_OPERANDS.contains(&row.ours) {
            f(Attempt { name: row.ours.into(), run: &|given| (row.run)(given).map(drop) });
        }
    }
    for operation in operations::OPERATIONS {
        let inputs = |given: &Given| {
            let x = match operation.dtypes {
                "integer" | "bits" | "bool" | "integer or bool" => given.n.clone(),
                _ => given.a.clone(),
            };
            vec![x; operation.n_operands]
        };
        let name = format!("{} of the table", operation.name);
        f(Attempt { name, run: &|given| (operation.method)(&inputs(given)).map(drop) });
        // In place, from an operand that is cast first.
        let into = |given: &Given| {
            let inputs = inputs(given);
            let like = (operation.method)(&inputs)?;
            let out = like.zeros_like()?;
            let casted = inputs.iter().map(|it| it.astype(DType::Float32));
            let _ = casted.collect::<Result<Vec<_>, _>>()?;
            (operation.into)(&inputs, &out)
        };
        f(Attempt { name: format!("{}_into of the table", operation.name), run: &into });
    }
    for (name, run) in calls::CALLS {
        f(Attempt { name: (*name).into(), run: &|given| run(given) });
    }
}

#[test]
fn every_failed_allocation_is_an_error_and_changes_nothing() {
    let totals: &Totals = shared();
    let mut failures = BTreeSet::new();
    for n_threads in if zoo::full() { vec![1, 2, 3] } else { vec![2] } {
        for_each_attempt(&mut |attempt| {
            let status = in_child(|| with_num_threads(n_threads, || inject(&attempt, totals)));
            if status != 0 {
                failures
                    .insert(format!("{} on {n_threads} threads: status {status}", attempt.name));
            }
        });
    }
    let (operations, faults, errors) = (
        totals.operations.load(Relaxed),
        totals.failed_allocations.load(Relaxed),
        totals.errors.load(Relaxed),
    );
    println!("faults injected: {faults} in {operations} operations, {errors} errors");
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
    assert!(operations > 500 && errors > operations, "{operations} operations, {errors} errors");
}

#[test]
fn every_operation_is_called() {
    let mut called = BTreeSet::new();
    for_each_attempt(&mut |attempt| {
        let (_, trace) = trace::record(|| (attempt.run)(&operands()));
        called.extend(trace.events().iter().map(|it| it.op.to_owned()));
    });
    let mut announced = BTreeSet::new();
    calls::announced_operations(&mut announced);
    assert!(announced.len() > 150, "the sources have changed: {announced:?}");
    let mut missing: Vec<&str> = announced.difference(&called).map(String::as_str).collect();
    missing.retain(|name| !calls::NOT_CALLED.contains(name));
    assert!(missing.is_empty(), "operations without a call in faults/calls.rs: {missing:?}");
}

#[test]
fn an_interrupt_ends_a_long_operation_and_releases_its_borrows() {
    // In a child, because other tests count the bytes that are allocated.
    let status = in_child(|| {
        let x = Tensor::ones([1 << 20], DType::Float64).unwrap();
        // Nearly every element is in 8192 windows, and read as often.
        let long = x.windows(0, 1 << 13, 1).unwrap();
        for n_threads in [1, 2] {
            with_num_threads(n_threads, || {
                let interrupted = |f: &dyn Fn() -> Result<(), Error>| {
                    let outcome = interruptible(|| true, f);
                    assert!(matches!(outcome, Err(Error::Interrupted)), "{outcome:?}");
                };
                interrupted(&|| long.sum(()).map(drop));
                interrupted(&|| long.max(1).map(drop));
                // The innermost scope decides.
                interrupted(&|| interruptible(|| true, || long.var(0).map(drop)));
                x.write::<f64>().expect("the borrow has ended");
                assert_eq!(x.sum(()).unwrap().item::<f64>().unwrap(), f64::from(1 << 20));
            });
        }
        let calm = interruptible(|| false, || x.sum(()));
        assert_eq!(calm.unwrap().item::<f64>().unwrap(), f64::from(1 << 20));
    });
    assert_eq!(status, 0);
}
