//! What operations do: save, overwrite, and read again, in the order of `crates/grad/src/{observer,shadow,backward}.rs`.

use super::table::{LeaseTable, ReadLog};
use crate::borrow::claim_one;
use crate::storage::{Part, Storage};
use crate::sync::atomic::{AtomicU64, Ordering};

/// The leases of the storage of a model.
#[derive(Default)]
pub(super) struct Leases {
    pub(super) n_leases: usize,
    patches: Vec<Patch>,
}

/// The old contents of what a write has overwritten.
#[derive(Clone, Copy)]
struct Patch {
    time: u64,
    part: Part,
    old: Values,
}

/// The values of both bytes.
pub(super) type Values = [u8; 2];

fn read(x: &Storage) -> Values {
    [x.read(Part::First), x.read(Part::Second)]
}

loom::lazy_static! {
    pub(super) static ref TABLE: LeaseTable<usize, Leases> = LeaseTable::new();
    static ref CLOCK: AtomicU64 = AtomicU64::new(1);
}

/// The key of the only storage.
pub(super) const KEY: usize = 0;

/// Returns the time of the latest patch.
fn now() -> u64 {
    CLOCK.load(Ordering::Relaxed)
}

/// Returns the time of a new patch.
fn next_time() -> u64 {
    CLOCK.fetch_add(1, Ordering::Relaxed) + 1
}

/// A lease of both bytes, with the value that the operation which saved them has read.
pub(super) struct Lease {
    time: u64,
    pub(super) values: Values,
}

/// Returns the patches that were made since a time, in their order.
fn patches_since(time: u64) -> Vec<Patch> {
    let storages = TABLE.lock();
    let patches = storages.get(&KEY).map_or(&[][..], |it| &it.patches);
    patches.iter().filter(|it| it.time > time).copied().collect()
}

fn is_patched(time: &u64) -> Result<bool, ()> {
    Ok(!patches_since(*time).is_empty())
}

/// An operation that saves what it reads.
pub(super) fn save(x: &Storage) -> Lease {
    let claims = claim_one(x, Part::Both, false);
    let time = now();
    TABLE.lock().entry(KEY).or_default().n_leases += 1;
    let values = read(x);
    drop(claims);
    Lease { time, values }
}

/// Ends a lease; with the last one, the patches.
pub(super) fn end(lease: Lease) {
    drop(lease);
    let mut storages = TABLE.lock();
    let storage = storages.get_mut(&KEY).expect("it has a lease");
    storage.n_leases -= 1;
    if storage.n_leases == 0 {
        storages.remove(&KEY);
    }
}

/// An operation that overwrites bytes.
pub(super) fn overwrite(x: &Storage, part: Part) {
    let claims = claim_one(x, part, true);
    keep_overwritten(x, part);
    x.increment(part);
    drop(claims);
}

/// Keeps the old contents, if they are leased.
fn keep_overwritten(x: &Storage, part: Part) {
    if !TABLE.lock().contains_key(&KEY) {
        return;
    }
    // The lock is not held while the elements are copied.
    let old = match part {
        Part::First => [x.read(part), 0],
        Part::Second => [0, x.read(part)],
        Part::Both => read(x),
    };
    TABLE.add_patch(&KEY, |storage| {
        let time = next_time();
        if let Some(storage) = storage {
            storage.patches.push(Patch { time, part, old });
        }
    });
}

/// A rule of `backward`: adds what was saved to a gradient in place. It reads the elements where they are, unless a patch
/// concerns them.
pub(super) fn add_saved(x: &Storage, lease: &Lease, gradient: &mut Values) {
    loop {
        let n_patches = TABLE.n_patches();
        if is_patched(&lease.time) == Ok(true) {
            return add(gradient, shadow(x, lease.time));
        }
        let mut log = ReadLog::new();
        log.push(lease.time, n_patches);
        if add_in_place(x, &mut log, gradient) {
            return;
        }
    }
}

/// An operation that reads elements where they are and adds them in place; false if it was refused.
fn add_in_place(x: &Storage, log: &mut ReadLog<u64>, gradient: &mut Values) -> bool {
    let _claims = claim_one(x, Part::Both, false);
    let is_refused = log.overwritten(TABLE.n_patches(), 0, is_patched).unwrap().next().is_some();
    if !is_refused {
        add(gradient, read(x));
    }
    !is_refused
}

/// A rule that reads elements where they are and computes a contribution, which counts if they were not overwritten.
pub(super) fn contribution(x: &Storage, lease: &Lease) -> Values {
    loop {
        let n_patches = TABLE.n_patches();
        if is_patched(&lease.time) == Ok(true) {
            return shadow(x, lease.time);
        }
        let mut log = ReadLog::new();
        log.push(lease.time, n_patches);
        let claims = claim_one(x, Part::Both, false);
        let values = read(x);
        drop(claims);
        let overwritten = log.overwritten(TABLE.n_patches(), 0, is_patched);
        if overwritten.unwrap().next().is_none() {
            return values;
        }
    }
}

/// The contents at a time: a copy of the elements, in which the patches are undone.
fn shadow(x: &Storage, time: u64) -> Values {
    let copy = || {
        let _claims = claim_one(x, Part::Both, false);
        read(x)
    };
    let (mut values, patches) = (copy(), patches_since(time));
    for Patch { part, old, .. } in patches.into_iter().rev() {
        match part {
            Part::First => values[0] = old[0],
            Part::Second => values[1] = old[1],
            Part::Both => values = old,
        }
    }
    values
}

fn add(gradient: &mut Values, values: Values) {
    gradient.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}
