//! Threads that save, overwrite and read again.

use super::operations::{KEY, Lease, TABLE, add_saved, contribution, end, overwrite, save};
use crate::borrow::Borrows;
use crate::check;
use crate::storage::{Part, Storage};
use loom::thread;

fn spawn(storage: &Storage, f: impl FnOnce(&Storage) + 'static) -> thread::JoinHandle<()> {
    let storage = storage.clone();
    thread::spawn(move || f(&storage))
}

/// Checks that both kinds of rules read what was saved, then ends the lease.
fn read_again(x: &Storage, lease: Lease) {
    let mut gradient = [0, 0];
    add_saved(x, &lease, &mut gradient);
    assert_eq!(gradient, lease.values, "a sum in place");
    assert_eq!(contribution(x, &lease), lease.values, "a contribution");
    end(lease);
}

fn assert_nothing_is_leased() {
    assert!(TABLE.lock().get(&KEY).is_none(), "no lease is left");
}

#[test]
fn a_write_is_before_the_lease_or_finds_it() {
    check(3, || {
        let x = Storage::new(Borrows::new());
        let writer = spawn(&x, |x| overwrite(x, Part::Both));
        let lease = save(&x);
        writer.join().unwrap();
        read_again(&x, lease);
        assert_nothing_is_leased();
    });
}

#[test]
fn writes_while_the_gradient_is_computed_do_not_change_it() {
    check(3, || {
        let x = Storage::new(Borrows::new());
        overwrite(&x, Part::Both);
        let lease = save(&x);
        let writer = spawn(&x, |x| overwrite(x, Part::Both));
        read_again(&x, lease);
        writer.join().unwrap();
        assert_nothing_is_leased();
    });
}

#[test]
fn two_writes_while_the_gradient_is_computed_do_not_change_it() {
    check(2, || {
        let x = Storage::new(Borrows::new());
        let lease = save(&x);
        overwrite(&x, Part::First);
        let writer = spawn(&x, |x| {
            overwrite(x, Part::Second);
            overwrite(x, Part::Both);
        });
        read_again(&x, lease);
        writer.join().unwrap();
        assert_nothing_is_leased();
    });
}

#[test]
fn a_tape_that_is_dropped_meanwhile_leaves_nothing() {
    check(3, || {
        let x = Storage::new(Borrows::new());
        let lease = save(&x);
        let other = spawn(&x, |x| read_again(x, save(x)));
        let dropped = spawn(&x, move |_| end(lease));
        overwrite(&x, Part::Both);
        other.join().unwrap();
        dropped.join().unwrap();
        assert_nothing_is_leased();
    });
}
