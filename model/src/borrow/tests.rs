//! Claims, waits, releases and panics of two or three threads.

use super::claims::{try_claim, try_claim_callback, try_claim_reads, try_claim_write};
use super::ticket::{ClaimRequest, Ticket, claim_guard, claim_slice};
use super::{Borrows, table_of, without_waiting};
use crate::check;
use crate::storage::{Error, Part, Storage};
use loom::sync::mpsc;
use loom::thread;
use std::panic::{self, AssertUnwindSafe};

pub(super) fn request(storage: &Storage, part: Part, write: bool) -> ClaimRequest<'_> {
    ClaimRequest { storage, layout: storage.layout(part), size: 1, write }
}

/// The claims of an operation on one storage, which waits.
pub(crate) fn claim_one(storage: &Storage, part: Part, write: bool) -> Vec<Option<Ticket<'_>>> {
    let request = Some(request(storage, part, write));
    claim_slice(&[request]).expect("no guard exists")
}

/// Reads or increments bytes as an operation does: on the fast path if it is free, else waiting.
fn operate(storage: &Storage, part: Part, write: bool) -> u8 {
    let run = || match write {
        true => {
            storage.increment(part);
            0
        }
        false => storage.read(part),
    };
    let claimed = match write {
        true => try_claim(Some(storage), []),
        false => None,
    };
    if let Some(_claims) = claimed {
        return run();
    }
    if !write && let Some(_claims) = try_claim(None, [Some(storage)]) {
        return run();
    }
    let _tickets = claim_one(storage, part, write);
    run()
}

fn spawn(storage: &Storage, f: impl FnOnce(&Storage) + 'static) -> thread::JoinHandle<()> {
    let storage = storage.clone();
    thread::spawn(move || f(&storage))
}

/// Checks that no claim is left: the fast path is free.
fn assert_free(storage: &Storage) {
    assert!(try_claim(Some(storage), []).is_some(), "no claim is left");
}

#[test]
fn two_writers_exclude_each_other() {
    check(None, || {
        let x = Storage::new(Borrows::new());
        let other = spawn(&x, |x| _ = operate(x, Part::Both, true));
        operate(&x, Part::Both, true);
        other.join().unwrap();
        assert_free(&x);
        assert_eq!(x.read(Part::Both), 2);
    });
}

#[test]
fn a_writer_excludes_a_reader() {
    check(None, || {
        let x = Storage::new(Borrows::new());
        let other = spawn(&x, |x| _ = operate(x, Part::Both, true));
        operate(&x, Part::First, false);
        other.join().unwrap();
        assert_eq!(operate(&x, Part::First, false), 1);
        assert_free(&x);
    });
}

#[test]
fn two_writers_and_a_reader() {
    check(2, || {
        let x = Storage::new(Borrows::new());
        let others = [
            spawn(&x, |x| _ = operate(x, Part::First, true)),
            spawn(&x, |x| _ = operate(x, Part::Both, true)),
        ];
        operate(&x, Part::Both, false);
        others.into_iter().for_each(|it| it.join().unwrap());
        assert_eq!(operate(&x, Part::First, false), 2);
        assert_free(&x);
    });
}

#[test]
fn two_readers_and_a_writer() {
    check(2, || {
        let x = Storage::new(Borrows::new());
        let others = [
            spawn(&x, |x| _ = operate(x, Part::First, false)),
            spawn(&x, |x| _ = operate(x, Part::Second, false)),
        ];
        operate(&x, Part::Both, true);
        others.into_iter().for_each(|it| it.join().unwrap());
        assert_free(&x);
    });
}

#[test]
fn the_table_admits_disjoint_regions_and_excludes_others() {
    check(2, || {
        let x = Storage::new(Borrows::new());
        // The guard makes every operation use the table.
        let guard = claim_guard(request(&x, Part::Second, false)).unwrap();
        let others = [
            spawn(&x, |x| _ = operate(x, Part::First, true)),
            spawn(&x, |x| _ = operate(x, Part::First, true)),
        ];
        operate(&x, Part::First, true);
        x.read(Part::Second);
        drop(guard);
        others.into_iter().for_each(|it| it.join().unwrap());
        assert_free(&x);
        assert_eq!(x.read(Part::First), 3);
    });
}

#[test]
fn the_fast_path_follows_the_table() {
    check(None, || {
        let x = Storage::new(Borrows::new());
        let other = spawn(&x, |x| {
            if let Ok(guard) = claim_guard(request(x, Part::First, true)) {
                x.increment(Part::First);
                drop(guard);
            }
        });
        if let Some(_claims) = try_claim(Some(&x), []) {
            x.increment(Part::Both);
        }
        other.join().unwrap();
        assert_free(&x);
    });
}

/// Reads or increments bytes as an operation does, or is refused.
fn operate_or_fail(storage: &Storage, part: Part, write: bool) {
    match claim_slice(&[Some(request(storage, part, write))]) {
        Ok(_tickets) if write => storage.increment(part),
        Ok(_tickets) => _ = storage.read(part),
        Err(error) => assert!(matches!(error, Error::Borrowed { .. }), "{error:?}"),
    }
}

#[test]
fn a_guard_of_the_entire_storage_excludes_operations_and_guards() {
    for write in [false, true] {
        check(2, move || {
            let x = Storage::new(Borrows::new());
            let others = [
                spawn(&x, move |x| {
                    if let Ok(_guard) = claim_guard(request(x, Part::Both, true)) {
                        x.increment(Part::Both);
                    }
                }),
                spawn(&x, move |x| operate_or_fail(x, Part::First, !write)),
            ];
            if let Ok(_guard) = claim_guard(request(&x, Part::Both, write)) {
                match write {
                    true => x.increment(Part::Both),
                    false => _ = x.read(Part::Both),
                }
            }
            others.into_iter().for_each(|it| it.join().unwrap());
            assert_free(&x);
        });
    }
}

#[test]
fn readers_enter_the_table_beside_a_guard_of_the_entire_storage_and_writers_do_not() {
    check(2, || {
        let x = Storage::new(Borrows::new());
        let guard = claim_guard(request(&x, Part::Both, false)).unwrap();
        let others = [
            spawn(&x, |x| {
                let _guard = claim_guard(request(x, Part::First, false)).unwrap();
                x.read(Part::First);
            }),
            spawn(&x, |x| _ = operate(x, Part::Both, false)),
        ];
        for part in [Part::Second, Part::Both] {
            let outcome = claim_slice(&[Some(request(&x, part, true))]);
            assert!(matches!(outcome, Err(Error::Borrowed { .. })));
        }
        x.read(Part::Both);
        drop(guard);
        others.into_iter().for_each(|it| it.join().unwrap());
        assert_free(&x);
    });
}

#[test]
fn a_callback_excludes_operations_of_every_thread_and_none_waits_for_it() {
    check(2, || {
        let [x, y] = Storage::new_all([Borrows::new(), Borrows::new()]);
        let other = spawn(&x, |x| operate_or_fail(x, Part::First, true));
        let read = [Some(request(&y, Part::Both, false)), Some(request(&x, Part::First, false))];
        if let Some(_claims) = try_claim_callback(Some(request(&x, Part::Both, true)), read) {
            // Operations of the closure itself.
            let outcome = claim_slice(&[Some(request(&x, Part::First, false))]);
            assert!(matches!(outcome, Err(Error::Borrowed { held: None, .. })));
            assert!(try_claim_callback(None, [Some(request(&x, Part::Both, false))]).is_none());
            assert!(try_claim_callback(None, [Some(request(&y, Part::Both, false))]).is_some());
            operate(&y, Part::First, false);
            x.increment(Part::Both);
        }
        other.join().unwrap();
        assert_free(&x);
        assert_free(&y);
    });
}

#[test]
fn callbacks_and_guards_of_the_entire_storage_follow_the_table() {
    for write in [false, true] {
        check(None, move || {
            let x = Storage::new(Borrows::new());
            let other = spawn(&x, |x| {
                // A guard of a part is in the table.
                if let Ok(_guard) = claim_guard(request(x, Part::First, true)) {
                    x.increment(Part::First);
                }
            });
            let access = || match write {
                true => x.increment(Part::Both),
                false => _ = x.read(Part::Both),
            };
            let whole = Some(request(&x, Part::Both, write));
            let (written, read) = if write { (whole, None) } else { (None, whole) };
            if let Some(_claims) = try_claim_callback(written, [read]) {
                access();
            }
            if let Ok(_guard) = claim_guard(request(&x, Part::Both, write)) {
                access();
            }
            other.join().unwrap();
            assert_free(&x);
        });
    }
}

#[test]
fn operations_on_two_storages_do_not_deadlock() {
    check(2, || {
        let [x, y] = Storage::new_all([Borrows::new(), Borrows::new()]);
        let add = |from: &Storage, to: &Storage| {
            let requests =
                [Some(request(to, Part::Both, true)), Some(request(from, Part::First, false))];
            let _tickets = claim_slice(&requests).unwrap();
            from.read(Part::First);
            to.increment(Part::Both);
        };
        let others = (x.clone(), y.clone());
        let other = thread::spawn(move || add(&others.0, &others.1));
        add(&y, &x);
        other.join().unwrap();
        assert_free(&x);
        assert_free(&y);
    });
}

#[test]
fn operations_on_two_storages_and_a_queue_do_not_deadlock() {
    check(2, || {
        let [x, y] = Storage::new_all([Borrows::new(), Borrows::new()]);
        let write_both = |x: &Storage, y: &Storage| {
            let requests = [Some(request(x, Part::Both, true)), Some(request(y, Part::Both, true))];
            let _tickets = claim_slice(&requests).unwrap();
            x.increment(Part::Both);
            y.increment(Part::Both);
        };
        let (one, two) = ((x.clone(), y.clone()), (x.clone(), y.clone()));
        let others = [
            thread::spawn(move || write_both(&one.0, &one.1)),
            thread::spawn(move || write_both(&two.1, &two.0)),
        ];
        operate(&x, Part::First, false);
        operate(&y, Part::First, false);
        others.into_iter().for_each(|it| it.join().unwrap());
        assert_free(&x);
        assert_free(&y);
    });
}

#[test]
fn a_reader_does_not_overtake_a_waiting_writer() {
    check(3, || {
        let x = Storage::new(Borrows::new());
        let held = claim_one(&x, Part::First, false);
        let writer = spawn(&x, |x| _ = operate(x, Part::First, true));
        let reader = spawn(&x, |x| {
            let is_waiting = table_of(x.borrows().state()).lock().n_waiting() != 0;
            let value = operate(x, Part::First, false);
            assert!(!is_waiting || value == 1, "the writer waited before the reader came");
        });
        x.read(Part::First);
        drop(held);
        writer.join().unwrap();
        reader.join().unwrap();
        assert_free(&x);
    });
}

#[test]
fn a_nested_read_of_a_guard_does_not_wait_for_a_writer_that_waits_for_it() {
    check(2, || {
        let x = Storage::new(Borrows::new());
        let reader = spawn(&x, |x| _ = operate(x, Part::Second, false));
        let writer = spawn(&x, |x| {
            let request = Some(request(x, Part::Both, true));
            // Refused if the guard below is held, which is not waited for.
            if claim_slice(&[request]).is_ok() {
                // The memory is not touched: the model has one writer.
            }
        });
        let guard = claim_guard(request(&x, Part::First, false)).unwrap();
        operate(&x, Part::Both, false);
        drop(guard);
        writer.join().unwrap();
        reader.join().unwrap();
        assert_free(&x);
    });
}

#[test]
fn a_request_behind_one_that_becomes_a_guard_fails_while_the_guard_is_held() {
    check(2, || {
        let x = Storage::new(Borrows::new());
        let held = claim_one(&x, Part::First, true);
        let guard = spawn(&x, |x| {
            let guard = claim_guard(request(x, Part::First, false)).unwrap();
            let later = spawn(x, |x| {
                let outcome = claim_slice(&[Some(request(x, Part::First, true))]);
                assert!(matches!(outcome, Err(Error::Borrowed { .. })));
            });
            // A guard that lives until the request has failed.
            later.join().unwrap();
            drop(guard);
        });
        drop(held);
        guard.join().unwrap();
        assert_free(&x);
    });
}

#[test]
fn a_waiting_request_fails_when_a_guard_is_granted_before_it() {
    check(3, || {
        let x = Storage::new(Borrows::new());
        let held = claim_one(&x, Part::First, true);
        let (has_failed, ends) = mpsc::channel();
        let guard = spawn(&x, move |x| {
            let guard = claim_guard(request(x, Part::First, false)).unwrap();
            // Held until the writer has failed or succeeded.
            ends.recv().unwrap();
            drop(guard);
        });
        // The writer waits behind the guard's request, if that came first; else the guard waits for it.
        let is_behind = table_of(x.borrows().state()).lock().n_waiting() != 0;
        let writer = spawn(&x, move |x| {
            if is_behind {
                let outcome = claim_slice(&[Some(request(x, Part::First, true))]);
                assert!(matches!(outcome, Err(Error::Borrowed { .. })));
            }
            has_failed.send(()).unwrap();
        });
        drop(held);
        writer.join().unwrap();
        guard.join().unwrap();
        assert_free(&x);
    });
}

#[test]
fn without_waiting_refuses_and_leaves_no_claim() {
    check(None, || {
        let x = Storage::new(Borrows::new());
        let other = spawn(&x, |x| _ = operate(x, Part::Both, true));
        let outcome = without_waiting(|| {
            claim_slice(&[Some(request(&x, Part::Both, true))]).map(|tickets| {
                x.increment(Part::Both);
                drop(tickets);
            })
        });
        assert!(matches!(outcome, Ok(()) | Err(Error::Busy { .. })));
        other.join().unwrap();
        assert_free(&x);
    });
}

#[test]
fn short_claims_of_foreign_memory_exclude_the_table() {
    check(2, || {
        let x = Storage::new(Borrows::by_region());
        let others = [
            spawn(&x, |x| {
                if let Some(_claims) = try_claim_write(x) {
                    x.increment(Part::First);
                }
            }),
            spawn(&x, |x| {
                if let Some(_claims) = try_claim_reads([Some(x)]) {
                    x.read(Part::First);
                }
            }),
        ];
        // Waits for short claims, even where waiting is refused.
        let tickets = without_waiting(|| {
            claim_slice(&[Some(request(&x, Part::First, true))]).expect("it waits")
        });
        x.increment(Part::First);
        drop(tickets);
        others.into_iter().for_each(|it| it.join().unwrap());
        assert!(try_claim_write(&x).is_some(), "no claim is left");
    });
}

#[test]
fn a_panic_releases_the_claims() {
    check(None, || {
        let x = Storage::new(Borrows::new());
        let other = spawn(&x, |x| {
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
                let _tickets = claim_one(x, Part::First, true);
                x.increment(Part::First);
                panic::resume_unwind(Box::new("on purpose"));
            }));
            assert!(outcome.is_err());
        });
        operate(&x, Part::First, true);
        other.join().unwrap();
        assert_free(&x);
        assert_eq!(x.read(Part::First), 2);
    });
}
