//! Forks at every point of another thread's operation.
//!
//! The forking thread copies the state as the kernel copies the memory, while it holds the lock of the table, and becomes the
//! child: it uses the copy. The other thread is that of the parent; in the copy it never continues.

use super::claims::try_claim_callback;
use super::state::Claim;
use super::tests::{claim_one, request};
use super::ticket::{claim_guard, claim_slice};
use super::{BorrowState, Borrows, CHILD_TABLE, TABLE, with_own_callbacks};
use crate::storage::{Error, Part, Storage};
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::current_thread;
use crate::{check, fork};
use loom::thread;

/// Copies a storage and the table into the memory of a child, and makes this thread that of the child.
fn fork(parent: &Storage) -> Storage {
    // As the fork handler does, so that no thread is in the middle of a change.
    let table = TABLE.lock();
    // A read-modify-write reads the latest value, as the kernel does.
    let word = parent.borrows().state().word.fetch_add(0, Ordering::AcqRel);
    let child = Storage::new(Borrows(BorrowState { word: AtomicU64::new(word) }));
    let addresses = [parent, &child].map(|it| it.borrows().state().address());
    *CHILD_TABLE.lock() = table.copied_for(addresses);
    drop(table);
    let is_inherited = with_own_callbacks(|own| own.contains(&addresses[0])).unwrap();
    let callbacks = if is_inherited { &addresses[1..] } else { &[] };
    CHILD_TABLE.lock().keep_only(current_thread(), callbacks);
    fork::become_child();
    child
}

/// Operates in a child: no claim of the parent's other threads is waited for.
fn operate_in_child(child: &Storage) {
    for write in [false, true] {
        let tickets = claim_one(child, Part::Both, write);
        child.read(Part::Both);
        drop(tickets);
    }
}

#[test]
fn a_child_does_not_wait_for_an_operation_of_its_parent() {
    for write in [false, true] {
        check(None, move || {
            let x = Storage::new(Borrows::new());
            let theirs = x.clone();
            let other = thread::spawn(move || {
                drop(claim_one(&theirs, Part::First, write));
                drop(claim_one(&theirs, Part::First, !write));
            });
            operate_in_child(&fork(&x));
            other.join().unwrap();
        });
    }
}

#[test]
fn a_child_does_not_wait_for_threads_that_wait_in_its_parent() {
    check(2, || {
        let x = Storage::new(Borrows::new());
        let (one, two) = (x.clone(), x.clone());
        let others = [
            thread::spawn(move || drop(claim_one(&one, Part::First, true))),
            thread::spawn(move || drop(claim_one(&two, Part::Both, true))),
        ];
        operate_in_child(&fork(&x));
        others.into_iter().for_each(|it| it.join().unwrap());
    });
}

#[test]
fn a_child_does_not_wait_for_short_claims_of_its_parent() {
    check(None, || {
        let x = Storage::new(Borrows::by_region());
        let theirs = x.clone();
        let other = thread::spawn(move || {
            drop(super::claims::try_claim_write(&theirs));
            drop(super::claims::try_claim_reads([Some(&theirs)]));
            drop(claim_one(&theirs, Part::First, true));
        });
        operate_in_child(&fork(&x));
        other.join().unwrap();
    });
}

#[test]
fn a_guard_of_the_forking_thread_is_held_in_the_child() {
    check(2, || {
        let x = Storage::new(Borrows::new());
        let guard = claim_guard(request(&x, Part::First, false)).unwrap();
        let theirs = x.clone();
        let other = thread::spawn(move || {
            drop(claim_one(&theirs, Part::Second, true));
        });
        let child = fork(&x);
        let outcome = claim_slice(&[Some(request(&child, Part::First, true))]);
        assert!(matches!(outcome, Err(Error::Borrowed { .. })));
        drop(outcome);
        drop(claim_one(&child, Part::Second, true));
        // The ticket is that of the parent's memory.
        std::mem::forget(guard);
        other.join().unwrap();
    });
}

#[test]
fn a_guard_of_the_entire_storage_is_held_in_the_child_until_it_is_released() {
    for write in [false, true] {
        check(2, move || {
            let x = Storage::new(Borrows::new());
            let _guard = claim_guard(request(&x, Part::Both, write)).unwrap();
            let theirs = x.clone();
            let other = thread::spawn(move || {
                drop(claim_slice(&[Some(request(&theirs, Part::First, false))]));
            });
            let child = fork(&x);
            let mine = child.clone();
            let second = thread::spawn(move || {
                fork::become_child();
                let outcome = claim_slice(&[Some(request(&mine, Part::First, true))]);
                if outcome.is_ok() {
                    mine.increment(Part::First);
                }
            });
            if write {
                child.increment(Part::Both);
            } else {
                child.read(Part::Both);
            }
            // The ticket is that of the parent's memory: that of the child is a copy.
            child.borrows().state().release(if write {
                Claim::GuardWriter
            } else {
                Claim::GuardReader
            });
            second.join().unwrap();
            // Whichever thread has reset the word, no claim is left.
            drop(claim_one(&child, Part::Both, true));
            other.join().unwrap();
        });
    }
}

#[test]
fn a_child_keeps_the_callbacks_of_the_thread_that_forked_only() {
    check(2, || {
        let [x, y] = Storage::new_all([Borrows::new(), Borrows::new()]);
        let theirs = y.clone();
        let other = thread::spawn(move || {
            let read = [Some(request(&theirs, Part::Both, false))];
            let _claims = try_claim_callback(None, read);
            thread::yield_now();
        });
        let own = try_claim_callback(None, [Some(request(&x, Part::Both, false))]);
        let of_x = fork(&x);
        let outcome = claim_slice(&[Some(request(&of_x, Part::First, true))]);
        assert!(matches!(outcome, Err(Error::Borrowed { held: None, .. })));
        drop(outcome);
        // The claims are those of the parent's memory.
        std::mem::forget(own);
        other.join().unwrap();
    });
    check(2, || {
        let y = Storage::new(Borrows::new());
        let theirs = y.clone();
        let other = thread::spawn(move || {
            drop(try_claim_callback(None, [Some(request(&theirs, Part::Both, false))]));
            drop(try_claim_callback::<0>(Some(request(&theirs, Part::Both, true)), []));
        });
        operate_in_child(&fork(&y));
        other.join().unwrap();
    });
}

#[test]
fn threads_of_a_child_exclude_each_other_on_an_inherited_storage() {
    check(2, || {
        let x = Storage::new(Borrows::new());
        let theirs = x.clone();
        let other = thread::spawn(move || {
            drop(claim_one(&theirs, Part::First, false));
        });
        let child = fork(&x);
        let mine = child.clone();
        let second = thread::spawn(move || {
            fork::become_child();
            let _tickets = claim_one(&mine, Part::First, true);
            mine.increment(Part::First);
        });
        let tickets = claim_one(&child, Part::Both, true);
        child.increment(Part::Both);
        drop(tickets);
        second.join().unwrap();
        other.join().unwrap();
        let _tickets = claim_one(&child, Part::Both, false);
        assert_eq!(child.read(Part::First), 2);
    });
}
