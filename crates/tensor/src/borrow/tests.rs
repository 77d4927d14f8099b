//! Tests of the borrow table: conflicts, waiting, and refusals inside `without_waiting`.

use super::state::{Claim, REGIONS_WORD};
use super::table::Holder;
use super::*;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::{Storage, Tensor, copies, s};
use belvedere_layout::Layout;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

fn square() -> Tensor {
    Tensor::arange(0..16).unwrap().reshape([4, 4]).unwrap()
}

/// Calls `f` while another thread holds the claims of an operation on a tensor.
fn during<R>(held: &Tensor, write: bool, f: impl FnOnce() -> R) -> R {
    let (begun, has_begun) = mpsc::channel();
    let (end, may_end) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut requests = [None; SLOTS];
            requests[0] = Some(held.access(write));
            let tickets = claim(&requests).unwrap();
            begun.send(()).unwrap();
            // An error means that the other thread has panicked: the claims are released as well.
            let _ = may_end.recv();
            drop(tickets);
        });
        has_begun.recv().unwrap();
        let result = f();
        drop(end);
        result
    })
}

/// Blocks until `n` requests wait for a storage.
#[track_caller]
fn until_waiting(state: &BorrowState, n: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while table_of(state).lock().n_waiting_on(state.address()) != n {
        assert!(Instant::now() < deadline, "{n} requests should wait");
        thread::yield_now();
    }
}

/// Returns the message of an operation that would have had to wait.
#[track_caller]
fn refusal<R>(f: impl FnOnce() -> Result<R, Error>) -> String {
    match without_waiting(f) {
        Err(error @ Error::Busy { .. }) => error.to_string(),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("the memory is in use"),
    }
}

#[test]
fn without_waiting_refuses_immediately_and_changes_nothing() {
    let (x, y) = (square(), square());
    for rounds in 0..2 {
        let text = "cannot read from a tensor of shape [4, 4] without waiting: \
                    another operation uses its memory";
        let kind = during(&x, true, || {
            assert_eq!(refusal(|| x.add(&y)), text);
            assert_eq!(refusal(|| y.add_assign(&x)), text);
            assert_eq!(refusal(|| x.read::<i32>()), text);
            let text = text.replace("read from", "write to");
            assert_eq!(refusal(|| x.add_assign(&y)), text);
            assert_eq!(refusal(|| x.fill(1)), text);
            assert_eq!(refusal(|| x.write::<i32>()), text);
            without_waiting(|| y.add(&y)).unwrap();
            without_waiting(|| x.fill(1)).unwrap_err().kind()
        });
        assert_eq!(kind, crate::ErrorKind::Borrow);
        during(&x, false, || {
            without_waiting(|| x.add(&y)).unwrap();
            refusal(|| x.fill(1));
            refusal(|| crate::assign_into(&y, &x));
        });
        let one = Tensor::arange(7..8).unwrap().squeeze([0]).unwrap();
        for write in [true, false] {
            during(&one, write, || {
                // A refused claim releases no claim of another thread.
                (0..3).for_each(|_| assert!(refusal(|| one.fill(1)).contains("write to")));
            });
        }
        assert_eq!(one.item::<i32>().unwrap(), 7);
        for it in [&x, &y] {
            assert_eq!(it.to_vec::<i32>().unwrap(), square().to_vec::<i32>().unwrap());
            it.write::<i32>().map(drop).expect("no claim is left");
            let BorrowState { word } = it.storage().borrows().state();
            let word = word.load(Ordering::Relaxed);
            assert_eq!(word, fork::generation(), "round {rounds}: no claim is left");
        }
    }
}

#[test]
fn claims_in_the_table_conflict_only_if_they_share_elements() {
    let x = square();
    let row = |n: isize| x.select(0, n).unwrap();
    // A guard makes every operation use the table.
    let guard = row(0).read::<i32>().unwrap();
    during(&row(1), true, || {
        refusal(|| row(1).fill(7));
        refusal(|| x.slice(s![1..]).unwrap().copy());
        without_waiting(|| row(2).fill(7)).unwrap();
    });
    let error = without_waiting(|| row(0).fill(1)).unwrap_err();
    assert!(matches!(error, Error::Borrowed { .. }), "guards are not waited for: {error}");
    drop(guard);
    assert_eq!(row(2).to_vec::<i32>().unwrap(), [7; 4]);
    without_waiting(|| row(0).fill(1)).unwrap();
}

#[test]
fn debug_neither_waits_nor_announces_an_event() {
    let x = square();
    let (row, lens) = (x.slice(s![0]).unwrap(), x.lens());
    let values = "Tensor(int32, shape [4], strides [1], offset 0: [0 1 2 3])";
    let remark = "<elements are borrowed for writing>)";
    let ((), trace) = trace::record(|| {
        during(&x, true, || {
            let text = format!("{row:?}");
            assert_eq!(text, format!("Tensor(int32, shape [4], strides [1], offset 0: {remark}"));
            let text = format!("{lens:?}");
            assert!(text.starts_with("Lens(int32, shape [4, 4], ") && text.ends_with(remark));
        });
        // Other readers and writers of other elements are not in the way.
        during(&x, false, || assert_eq!(format!("{row:?}"), values));
        let guard = x.slice(s![1]).unwrap().write::<i32>().unwrap();
        assert_eq!(format!("{row:?}"), values);
        assert!(format!("{x:?}").ends_with(remark));
        drop(guard);
        assert!(format!("{lens:?}").contains("offset 0:\n[[ 0  1  2  3]\n [ 4"));
    });
    assert!(trace.events().iter().all(|event| event.op != "debug" && event.op != "display"));
}

#[test]
fn claims_on_foreign_memory_conflict_by_address() {
    let import = || {
        Storage::imported_twice(vec![0i32; 4]).map(|storage| {
            let layout = Layout::row_major(&[4]).unwrap();
            Tensor::from_storage(storage, layout, crate::DType::Int32).unwrap()
        })
    };
    let ([x, again], [y, _]) = (import(), import());
    during(&x, true, || {
        without_waiting(|| y.fill(7)).expect("the memory is unrelated");
        refusal(|| again.fill(7));
    });
    without_waiting(|| again.add_assign(1)).unwrap();
    assert_eq!((x.to_vec::<i32>().unwrap(), y.to_vec::<i32>().unwrap()), (vec![1; 4], vec![7; 4]));
}

#[test]
fn short_reads_of_foreign_memory_are_waited_for() {
    let x = square();
    let state = BorrowState { word: AtomicU64::new(REGIONS_WORD) };
    assert!(!state.try_claim_short_read(), "its word is of no generation");
    let enter = || state.enter(|| [x.access(true)].into_iter(), Holder::Operation).unwrap();
    state.release(enter());
    assert!(!state.try_claim(false) && !state.try_claim(true));
    assert!(state.try_claim_short_read() && state.try_claim_short_read());
    let (done, is_done) = mpsc::channel();
    thread::scope(|scope| {
        let (state, x) = (&state, &x);
        scope.spawn(move || {
            let enter = || state.enter(|| [x.access(true)].into_iter(), Holder::Operation);
            done.send(without_waiting(enter))
        });
        until_waiting(state, 1);
        state.release(Claim::Reader);
        assert!(!state.try_claim_short_read(), "a thread waits to enter the table");
        assert!(is_done.try_recv().is_err());
        state.release(Claim::Reader);
        let claim = is_done.recv().unwrap().unwrap();
        assert!(!state.try_claim_short_read(), "the table has a writer");
        state.release(claim);
    });
    assert!(state.try_claim_short_read());
    state.release(Claim::Reader);
    let word = state.word.load(Ordering::Relaxed);
    assert_eq!(word as u32, REGIONS_WORD as u32);
}

#[test]
fn an_operation_waits_for_a_conflicting_one() {
    let x = square();
    let (done, is_done) = mpsc::channel();
    thread::scope(|scope| {
        during(&x, true, || {
            let x = &x;
            scope.spawn(move || done.send(x.add_assign(1)));
            until_waiting(x.storage().borrows().state(), 1);
            assert!(is_done.try_recv().is_err());
        });
        is_done.recv().unwrap().unwrap();
    });
    assert_eq!(x.get::<i32>(&[3, 3]).unwrap(), 16);
}

#[test]
fn a_reader_that_arrives_after_a_waiting_writer_is_admitted_after_it() {
    let x = square();
    let row = |n: isize| x.select(0, n).unwrap();
    let state = x.storage().borrows().state();
    let (done, is_done) = mpsc::channel();
    thread::scope(|scope| {
        // A guard makes every operation use the table.
        let guard = row(3).read::<i32>().unwrap();
        during(&row(1), false, || {
            let x = &x;
            scope.spawn(move || x.slice(s![..3]).unwrap().fill(7).unwrap());
            until_waiting(state, 1);
            // The writer waits for the reader of row 1. Nothing else holds row 0.
            refusal(|| row(0).copy());
            refusal(|| row(0).read::<i32>());
            without_waiting(|| row(3).copy()).expect("the writer does not want row 3");
            let later = row(0);
            scope.spawn(move || done.send(later.to_vec::<i32>().unwrap()));
            until_waiting(state, 2);
            assert!(is_done.try_recv().is_err());
        });
        assert_eq!(is_done.recv().unwrap(), [7; 4], "the writer came first");
        drop(guard);
    });
    assert_eq!(state.word.load(Ordering::Relaxed), fork::generation(), "no claim is left");
}

#[test]
fn a_request_behind_one_that_fails_or_becomes_a_guard_is_woken() {
    let x = square();
    let state = x.storage().borrows().state();
    thread::scope(|scope| {
        let (ready, has_guard) = mpsc::channel();
        let (end, may_end) = mpsc::channel::<()>();
        let (failed, has_failed) = mpsc::channel();
        during(&x, true, || {
            let x = &x;
            scope.spawn(move || {
                let guard = x.read::<i32>().unwrap();
                ready.send(()).unwrap();
                let _ = may_end.recv();
                drop(guard);
            });
            until_waiting(state, 1);
            scope.spawn(move || failed.send(x.fill(7).unwrap_err()));
            until_waiting(state, 2);
        });
        has_guard.recv().unwrap();
        // The guard is held: the writer behind it fails and does not wait for its end.
        let error = has_failed.recv().unwrap();
        assert!(matches!(error, Error::Borrowed { .. }), "{error}");
        drop(end);
    });
}

#[test]
fn claims_of_a_parent_process_are_not_waited_for() {
    let x = square();
    let request = || [x.access(true)].into_iter();
    for claimed in [1, 5, 1 << 30, 1 << 31, (1 << 31) + 2] {
        let older = fork::register() - (1 << 32);
        let state = BorrowState { word: AtomicU64::new(older | claimed) };
        assert!(!state.try_claim(false) && !state.try_claim(true));
        let claim = without_waiting(|| state.claim(request)).unwrap();
        assert!(!state.try_claim(false), "the claim of this process is respected");
        state.release(claim);
        assert!(state.try_claim(true));
        state.release(Claim::Writer);
    }
}

#[test]
fn a_forked_child_keeps_its_own_claims_and_guards() {
    let x = square();
    let rows: Vec<Tensor> = (0..4).map(|n| x.select(0, n).unwrap()).collect();
    let elsewhere = thread::spawn(current_thread).join().unwrap();
    let mut table = ClaimTable::new();
    let claims = [
        (Holder::Operation, elsewhere, false),
        (Holder::Callback, elsewhere, false),
        (Holder::Guard, elsewhere, false),
        (Holder::Callback, current_thread(), false),
    ];
    for (row, claim) in rows.iter().zip(claims) {
        table.push(1, [row.access(true)].into_iter(), claim);
    }
    table.push(1, [rows[0].access(true)].into_iter(), (Holder::Guard, elsewhere, true));
    table.keep_only(current_thread(), &[]);
    let is_free: Vec<bool> =
        rows.iter().map(|row| table.conflict(1, None, row.access(false)).is_none()).collect();
    assert_eq!((is_free, table.n_waiting()), (vec![true, true, false, false], 0));
}

#[test]
fn without_waiting_nests_and_ends_with_a_panic() {
    let refuses = || REFUSES_TO_WAIT.get();
    let inner = without_waiting(|| {
        without_waiting(|| {
            assert!(refuses());
            Ok(())
        })?;
        Ok(refuses())
    });
    assert_eq!((inner.unwrap(), refuses()), (true, false));
    let unwound = std::panic::catch_unwind(|| {
        without_waiting(|| -> Result<(), Error> { std::panic::resume_unwind(Box::new(1)) })
    });
    assert!(unwound.is_err() && !refuses());
    let elsewhere = without_waiting(|| Ok(thread::scope(|it| it.spawn(refuses).join())));
    assert!(!elsewhere.unwrap().unwrap(), "the mode applies to the current thread only");
}

#[test]
fn copies_of_a_refused_operation_are_recorded_once() {
    let (x, y) = (square(), square());
    let (_, log) = copies::record(|| {
        y.copy().unwrap();
        let attempt = || x.t()?.reshape([16]);
        during(&x, true, || refusal(attempt));
        attempt().unwrap();
    });
    let ops: Vec<&str> = log.iter().map(|it| it.op).collect();
    assert_eq!(ops, ["copy", "reshape"]);
}

#[test]
fn events_of_a_refused_operation_are_withdrawn_and_those_of_other_threads_are_not() {
    let x = square();
    let all = trace::Recorder::start_for_all_threads();
    let attempt = || {
        let columns = x.t()?;
        thread::scope(|scope| scope.spawn(|| square().argsort(0).map(drop)).join().unwrap())?;
        columns.add(1)
    };
    during(&x, true, || refusal(attempt));
    attempt().unwrap();
    let trace = all.finish();
    let own = trace.events().iter().filter(|it| it.thread == thread::current().id());
    assert_eq!(own.map(|it| it.op).collect::<Vec<_>>(), ["t", "add"]);
    // Other tests may run at the same time.
    let others = trace.events().iter().filter(|it| it.thread != thread::current().id());
    assert!(others.filter(|it| it.op == "argsort").count() >= 2, "{trace}");
}
