//! Who reads and who writes which part of a storage.
//!
//! Tensors share memory and may write to it from any thread, so each access is announced. Two
//! accesses are in conflict when one of them writes and they share an element. Operations wait for
//! operations: those end soon and by themselves. A guard is held by the user for as long as they like,
//! so a conflict with one is an error, at once and on either side.
//!
//! The plain solution is a table of accesses under a lock, compared exactly ([`Bytes::overlaps`]; what
//! is too hard to decide counts as a conflict). It costs some 50 ns, too much for an addition of
//! sixteen numbers. So there is a word beside it, in which an operation on an otherwise quiet storage
//! announces itself as one more reader, or as the only writer, of everything. Whoever cannot do so
//! raises the `TABLE` bit, waits for those in the word to leave, and goes to the table, as everybody
//! then does until it is empty: operations that contend are told apart by region.
//!
//! No deadlock: who waits, waits for operations only; an operation takes its storages in the order of
//! their addresses, and runs no code of the user while it holds them.

mod quiet;

pub(crate) use quiet::{Quiet, quiet};

use crate::{Error, Storage};
use belvedere_layout::{Answer, Bytes, Layout};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

/// The accesses to one storage, or to all foreign memory together.
pub(crate) enum Borrows {
    Own(State),
    Foreign,
}

/// Foreign memory may be imported twice, so that the same bytes have two storages.
static FOREIGN: State = State::new();

/// Everybody has to go to the table.
const TABLE: u32 = 1 << 31;
/// One operation writes, somewhere.
const WRITER: u32 = 1 << 30;

pub(crate) struct State {
    /// The number of operations that read, or `WRITER`; and `TABLE`.
    word: AtomicU32,
    table: Mutex<Table>,
    /// Something was released.
    released: Condvar,
}

struct Table {
    entries: Vec<Entry>,
    n_waiting: usize,
    next_id: u64,
}

struct Entry {
    id: u64,
    address: usize,
    layout: Layout,
    size: usize,
    write: bool,
    is_guard: bool,
}

/// A wish to read or write what a layout reaches in a storage.
#[derive(Clone, Copy)]
pub(crate) struct Access<'a> {
    pub storage: &'a Storage,
    pub layout: &'a Layout,
    pub size: usize,
    pub write: bool,
}

/// The accesses of one operation or guard to one storage; dropping it releases them.
pub(crate) struct Ticket<'a> {
    storage: Owned<'a>,
    claim: Claim,
}

/// A storage, held by whoever holds the ticket.
enum Owned<'a> {
    Borrowed(&'a Storage),
    Shared(Storage),
}

#[derive(Clone, Copy)]
enum Claim {
    Reader,
    Writer,
    Table { id: u64 },
}

impl Borrows {
    pub(crate) fn new() -> Borrows {
        Borrows::Own(State::new())
    }

    pub(crate) fn foreign() -> Borrows {
        Borrows::Foreign
    }

    pub(crate) fn is_foreign(&self) -> bool {
        matches!(self, Borrows::Foreign)
    }

    #[inline]
    fn state(&self) -> &State {
        match self {
            Borrows::Own(state) => state,
            Borrows::Foreign => &FOREIGN,
        }
    }
}

/// The most tensors that one operation works on.
pub(crate) const SLOTS: usize = 5;

/// Takes the borrows of an operation. All of them are released when the result is dropped.
///
/// Accesses of one operation are never in conflict with each other: the operation knows them all.
pub(crate) fn operation<'a>(
    accesses: [Option<Access<'a>>; SLOTS],
) -> Result<[Option<Ticket<'a>>; SLOTS], Error> {
    let mut order: [usize; SLOTS] = std::array::from_fn(|n| n);
    let mut tickets = [const { None }; SLOTS];
    claim_all(&accesses, &mut order, &mut tickets)?;
    Ok(tickets)
}

/// The same for any number of them.
pub(crate) fn operation_of<'a>(
    accesses: &[Option<Access<'a>>],
) -> Result<Vec<Option<Ticket<'a>>>, Error> {
    let mut order: Vec<usize> = (0..accesses.len()).collect();
    let mut tickets: Vec<Option<Ticket<'a>>> = accesses.iter().map(|_| None).collect();
    claim_all(accesses, &mut order, &mut tickets)?;
    Ok(tickets)
}

/// Claims storage after storage, in the order of their addresses.
fn claim_all<'a>(
    accesses: &[Option<Access<'a>>],
    order: &mut [usize],
    tickets: &mut [Option<Ticket<'a>>],
) -> Result<(), Error> {
    let state = |n: usize| accesses[n].map(|it| std::ptr::from_ref(it.storage.borrows().state()));
    order.sort_unstable_by_key(|&n| state(n).map(|it| it.addr()));

    let mut k = 0;
    while k < order.len() {
        let group = order[k..].iter().take_while(|&&n| state(n) == state(order[k])).count();
        if let Some(first) = accesses[order[k]] {
            let members = &order[k..k + group];
            let wanted = || members.iter().filter_map(|&n| accesses[n]);
            let claim = first.storage.borrows().state().claim(wanted)?;
            tickets[k] = Some(Ticket { storage: Owned::Borrowed(first.storage), claim });
        }
        k += group;
    }
    Ok(())
}

/// Takes the borrow of a guard.
///
/// # Errors
/// If another guard has a part of it.
pub(crate) fn guard(access: Access<'_>) -> Result<Ticket<'static>, Error> {
    let id = access.storage.borrows().state().enter(|| [access].into_iter(), true)?;
    let storage = Owned::Shared(access.storage.clone());
    Ok(Ticket { storage, claim: Claim::Table { id } })
}

impl State {
    const fn new() -> State {
        let table = Table { entries: Vec::new(), n_waiting: 0, next_id: 0 };
        State { word: AtomicU32::new(0), table: Mutex::new(table), released: Condvar::new() }
    }

    /// Claims all of the accesses at once: in the word if the storage is quiet, else in the table.
    fn claim<'a, I: Iterator<Item = Access<'a>>>(
        &self,
        wanted: impl Fn() -> I,
    ) -> Result<Claim, Error> {
        let write = wanted().any(|access| access.write);
        match self.announce(write) {
            true if write => Ok(Claim::Writer),
            true => Ok(Claim::Reader),
            false => Ok(Claim::Table { id: self.enter(wanted, false)? }),
        }
    }

    /// Claims everything in the word, if the storage is quiet.
    #[inline]
    fn announce(&self, write: bool) -> bool {
        let mut word = self.word.load(Ordering::Relaxed);
        let blocked_by = if write { u32::MAX } else { TABLE | WRITER };
        while word & blocked_by == 0 {
            let next = if write { WRITER } else { word + 1 };
            match self.word.compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        false
    }

    /// Enters the accesses into the table, when nothing there or in the word is in conflict.
    #[cold]
    fn enter<'a, I: Iterator<Item = Access<'a>>>(
        &self,
        wanted: impl Fn() -> I,
        is_guard: bool,
    ) -> Result<u64, Error> {
        let mut table = self.lock();
        self.word.fetch_or(TABLE, Ordering::Acquire);
        loop {
            let in_the_word = self.word.load(Ordering::Acquire) & !TABLE != 0;
            let conflict = match in_the_word {
                true => None,
                false => wanted().find_map(|access| table.conflict(access)),
            };
            match conflict {
                Some(Conflict::Guard(error)) => {
                    self.lower_if_empty(&table);
                    return Err(error);
                }
                None if !in_the_word => return Ok(table.push(wanted(), is_guard)),
                _ => {
                    table.n_waiting += 1;
                    table = self.wait(table);
                    table.n_waiting -= 1;
                }
            }
        }
    }

    fn wait<'t>(&self, table: MutexGuard<'t, Table>) -> MutexGuard<'t, Table> {
        self.released.wait(table).unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    #[inline]
    fn release(&self, claim: Claim) {
        match claim {
            Claim::Reader => {
                // Those who wait for the word to be empty hold the lock, or are in `wait`.
                if self.word.fetch_sub(1, Ordering::Release) == TABLE + 1 {
                    self.wake();
                }
            }
            Claim::Writer => {
                if self.word.fetch_and(!WRITER, Ordering::Release) & TABLE != 0 {
                    self.wake();
                }
            }
            Claim::Table { id } => self.leave(id),
        }
    }

    /// Takes the entries with this number out of the table.
    #[cold]
    fn leave(&self, id: u64) {
        let mut table = self.lock();
        table.entries.retain(|entry| entry.id != id);
        self.lower_if_empty(&table);
        if table.n_waiting != 0 {
            self.released.notify_all();
        }
    }

    #[cold]
    fn wake(&self) {
        let _table = self.lock();
        self.released.notify_all();
    }

    /// Lets operations use the word again, if nobody needs the table.
    fn lower_if_empty(&self, table: &Table) {
        if table.entries.is_empty() && table.n_waiting == 0 {
            self.word.fetch_and(!TABLE, Ordering::Release);
        }
    }

    /// The table, also after a panic elsewhere: it is changed by calls that do not panic half-way.
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

enum Conflict {
    /// With an operation: it will end.
    Operation,
    /// With a guard, and what to say about it.
    Guard(Error),
}

impl Table {
    /// What is in the way of an access; a guard rather than an operation, so that nobody waits in vain.
    fn conflict(&self, access: Access<'_>) -> Option<Conflict> {
        let mut found = None;
        for entry in self.entries.iter().filter(|entry| entry.meets(access)) {
            if entry.is_guard {
                return Some(Conflict::Guard(Error::Borrowed {
                    write: access.write,
                    wanted: access.layout.shape().into(),
                    held_for_writing: entry.write,
                    held: entry.layout.shape().into(),
                }));
            }
            found = Some(Conflict::Operation);
        }
        found
    }

    fn push<'a>(&mut self, wanted: impl Iterator<Item = Access<'a>>, is_guard: bool) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.entries.extend(wanted.map(|access| Entry {
            id,
            address: access.storage.address(),
            layout: access.layout.clone(),
            size: access.size,
            write: access.write,
            is_guard,
        }));
        id
    }
}

impl Entry {
    fn meets(&self, access: Access<'_>) -> bool {
        let mine = Bytes { address: self.address, layout: &self.layout, size: self.size };
        (self.write || access.write) && mine.overlaps(access.bytes()) != Answer::No
    }
}

impl<'a> Access<'a> {
    /// The bytes it reaches.
    pub(crate) fn bytes(self) -> Bytes<'a> {
        Bytes { address: self.storage.address(), layout: self.layout, size: self.size }
    }
}

impl Ticket<'_> {
    /// The storage that the ticket is for.
    pub(crate) fn storage(&self) -> &Storage {
        match &self.storage {
            Owned::Borrowed(storage) => storage,
            Owned::Shared(storage) => storage,
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.storage().borrows().state().release(self.claim);
    }
}
