//! Run-time borrow checking of storages: readers and writers, by memory region.
//!
//! Tensors share memory and may write to it from any thread, so every access claims its memory first.
//! Two accesses conflict if they share an element and at least one of them writes. The claims of
//! operations are short-lived, so an operation waits for conflicting operations. A guard
//! ([`ReadGuard`](crate::ReadGuard), [`WriteGuard`](crate::WriteGuard)) lives as long as the user keeps it,
//! so a conflict with a guard is an error, returned immediately on either side.
//!
//! **Slow path.** A table of claims under a mutex, whose regions are compared exactly
//! ([`Bytes::overlaps`]; an undecided comparison counts as a conflict). It costs about 50 ns, too much for
//! an addition of 16 elements.
//!
//! **Uncontended fast path.** Next to the table is one atomic word. An operation on an uncontended
//! storage claims the entire storage there, as one more reader or as the only writer. An access that
//! cannot do so sets the `TABLE` bit, waits until the word's claims are released, and enters the table;
//! until the table is empty again, every access uses it, so that contending operations are compared by
//! region.
//!
//! **No claim.** A storage of one element keeps a copy of its initial value, which never changes
//! ([`Storage::of_element`]). Until the first write is claimed, the copy is read instead of the memory, without a claim: an
//! atomic operation costs as much as the operation on the element.
//!
//! **No deadlock.** Only operations are waited for. An operation claims its storages in ascending order
//! of their addresses and runs no user code while it holds them. One that calls a closure of the user holds
//! the claims of guards instead ([`claim_guards`]): an operation inside of the closure, or on another thread, that
//! conflicts with them fails and does not wait. A caller that holds a lock which running operations may need before they
//! finish uses [`without_waiting`].

mod claims;
#[cfg(test)]
mod tests;

pub(crate) use claims::{Claims, try_claim, try_claim_reads, try_claim_write};

use crate::{Error, Storage, trace};
use belvedere_layout::{Answer, Bytes, Layout};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

/// The claims on one storage, or on all foreign memory together.
pub(crate) enum Borrows {
    Own(BorrowState),
    Foreign,
    /// There is no memory, so every claim is refused.
    Meta,
}

/// The claims on all foreign memory.
///
/// The same foreign bytes may be imported twice and then have two storages, so claims are compared by
/// address in one table. Most foreign memory is unrelated, so claims of the entire storage in the word
/// would conflict needlessly: only short claims may use it (`REGIONS`), because they are released in less
/// time than it takes to enter the table.
static FOREIGN: BorrowState = BorrowState::new(REGIONS);

/// The claims on storages without memory: the fast path finds it contended, and the slow path refuses before
/// it gets here.
static META: BorrowState = BorrowState::new(TABLE);

/// Every claim has to use the table. Set while the table is in use.
const TABLE: u32 = 1 << 31;
/// One operation has claimed the entire storage for writing.
const WRITER: u32 = 1 << 30;
/// Every claim that is not short has to use the table. Set for the lifetime of the state.
const REGIONS: u32 = 1 << 29;

/// The claims on one storage: the atomic word of the fast path and the table of the slow path.
pub(crate) struct BorrowState {
    /// The number of reading operations, or `WRITER`; in addition `TABLE` and `REGIONS`.
    word: AtomicU32,
    /// Whether the memory has the value that it was created with, so that no write was claimed yet. False for all but
    /// storages of one element.
    is_initial: AtomicBool,
    table: Mutex<ClaimTable>,
    /// Notified when a claim is released.
    released: Condvar,
}

/// The claims of the slow path.
struct ClaimTable {
    entries: Vec<ClaimEntry>,
    n_waiting: usize,
    next_id: u64,
}

/// A claimed region of memory.
struct ClaimEntry {
    id: u64,
    address: usize,
    layout: Layout,
    size: usize,
    write: bool,
    is_guard: bool,
}

/// A request to read or write the elements that a layout reaches in a storage.
#[derive(Clone, Copy)]
pub(crate) struct ClaimRequest<'a> {
    pub(crate) storage: &'a Storage,
    pub(crate) layout: &'a Layout,
    /// The size of an element in bytes.
    pub(crate) size: usize,
    pub(crate) write: bool,
}

impl ClaimRequest<'_> {
    /// # Errors
    /// If the storage has no memory.
    fn check_memory(&self) -> Result<(), Error> {
        match self.storage.is_meta() {
            true => {
                let op = if self.write { "write" } else { "read" };
                Err(Error::NoValues { op, shape: self.layout.shape().into() })
            }
            false => Ok(()),
        }
    }
}

/// The claims of one operation or guard on one storage; dropping it releases them.
pub(crate) struct Ticket<'a> {
    storage: TicketStorage<'a>,
    claim: Claim,
}

/// The storage of a ticket: borrowed for an operation, shared for a guard.
enum TicketStorage<'a> {
    Borrowed(&'a Storage),
    Shared(Storage),
}

/// What has to be released: a claim in the word, or the entries of the table with an id.
#[derive(Clone, Copy)]
enum Claim {
    Reader,
    Writer,
    Table { id: u64 },
}

impl Borrows {
    pub(crate) fn new() -> Borrows {
        Borrows::Own(BorrowState::new(0))
    }

    /// Returns the claims on memory whose initial value is kept.
    #[inline]
    pub(crate) fn of_initial() -> Borrows {
        let mut state = BorrowState::new(0);
        *state.is_initial.get_mut() = true;
        Borrows::Own(state)
    }

    pub(crate) fn foreign() -> Borrows {
        Borrows::Foreign
    }

    /// Returns whether the memory has the value that it was created with. A write that is concurrent to the call may
    /// have happened before it or not.
    #[inline]
    pub(crate) fn is_initial(&self) -> bool {
        matches!(self, Borrows::Own(state) if state.is_initial.load(Ordering::Relaxed))
    }

    /// Notes that the memory may be written without a claim.
    pub(crate) fn note_writes(&self) {
        self.state().is_initial.store(false, Ordering::Relaxed);
    }

    pub(crate) fn is_meta(&self) -> bool {
        matches!(self, Borrows::Meta)
    }

    pub(crate) fn is_foreign(&self) -> bool {
        matches!(self, Borrows::Foreign)
    }

    #[inline]
    fn state(&self) -> &BorrowState {
        match self {
            Borrows::Own(state) => state,
            Borrows::Foreign => &FOREIGN,
            Borrows::Meta => &META,
        }
    }
}

thread_local! {
    /// Whether this thread is inside of [`without_waiting`].
    static REFUSES_TO_WAIT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`; inside it, an operation that would have to wait for another thread fails with [`Error::Busy`].
///
/// Use it while holding a lock that other threads may need in order to finish their operations, such as
/// the GIL of a Python interpreter: try the operation this way first, and if it is refused, release the
/// lock and call it again, waiting. The mode applies to the current thread only. Calls nest, and the
/// mode ends when `f` panics, too. If `f` returns [`Error::Busy`], the events that were
/// [recorded](crate::trace) in it are withdrawn, since the operation is going to be repeated.
///
/// ```
/// use belvedere::{Error, Tensor, without_waiting};
///
/// let x = Tensor::arange(0..6)?;
/// let doubled = match without_waiting(|| x.add(&x)) {
///     Err(Error::Busy { .. }) => x.add(&x), // no lock is held here: waiting is safe
///     outcome => outcome,
/// };
/// assert_eq!(doubled?.to_vec::<i32>()?, [0, 2, 4, 6, 8, 10]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Those of `f`.
#[inline]
pub fn without_waiting<R>(f: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    let counts = trace::event_counts();
    let outcome = refusing_to_wait(f);
    if matches!(outcome, Err(Error::Busy { .. })) {
        trace::discard_events_since(counts);
    }
    outcome
}

/// Like [`without_waiting`], for operations that announce no events.
#[inline]
pub(crate) fn refusing_to_wait<R>(f: impl FnOnce() -> R) -> R {
    struct ResetOnDrop(bool);
    impl Drop for ResetOnDrop {
        fn drop(&mut self) {
            REFUSES_TO_WAIT.set(self.0);
        }
    }
    let _reset = ResetOnDrop(REFUSES_TO_WAIT.replace(true));
    f()
}

/// The maximal number of tensors of one operation: an output, and the six operands of a closure.
pub(crate) const SLOTS: usize = 7;

/// The tickets of an operation; dropping them releases the memory.
pub(crate) type Tickets<'a> = [Option<Ticket<'a>>; SLOTS];

/// Claims the memory of an operation, waiting for conflicting operations.
///
/// Requests of one operation never conflict with each other: the operation handles their overlap.
///
/// # Errors
/// If a guard holds a part of the memory, or inside [`without_waiting`] if another operation does.
pub(crate) fn claim<'a>(
    requests: &[Option<ClaimRequest<'a>>; SLOTS],
) -> Result<Tickets<'a>, Error> {
    let mut tickets = [const { None }; SLOTS];
    claim_slots(requests, &mut tickets, false)?;
    Ok(tickets)
}

/// Like [`claim`], for an operation that calls a closure of the user: until the tickets are dropped, a conflicting
/// access is an error, as for a guard. They are written in place: they are large, and moving them would take as long as
/// a claim.
pub(crate) fn claim_guards<'a>(
    requests: &[Option<ClaimRequest<'a>>; SLOTS],
    tickets: &mut Tickets<'a>,
) -> Result<(), Error> {
    claim_slots(requests, tickets, true)
}

fn claim_slots<'a>(
    requests: &[Option<ClaimRequest<'a>>; SLOTS],
    tickets: &mut Tickets<'a>,
    is_guard: bool,
) -> Result<(), Error> {
    let mut order = [0; SLOTS];
    let mut n_requests = 0;
    for n in (0..SLOTS).filter(|&n| requests[n].is_some()) {
        order[n_requests] = n;
        n_requests += 1;
    }
    claim_all(requests, &mut order[..n_requests], tickets, is_guard)
}

/// Like [`claim`], for any number of requests.
pub(crate) fn claim_slice<'a>(
    requests: &[Option<ClaimRequest<'a>>],
) -> Result<Vec<Option<Ticket<'a>>>, Error> {
    let mut order: Vec<usize> = (0..requests.len()).collect();
    let mut tickets: Vec<Option<Ticket<'a>>> = requests.iter().map(|_| None).collect();
    claim_all(requests, &mut order, &mut tickets, false)?;
    Ok(tickets)
}

/// Claims one storage after the other, in ascending order of their addresses. `order` has the numbers of the
/// requests; those of `None` may be left out.
fn claim_all<'a>(
    requests: &[Option<ClaimRequest<'a>>],
    order: &mut [usize],
    tickets: &mut [Option<Ticket<'a>>],
    is_guard: bool,
) -> Result<(), Error> {
    for request in requests.iter().flatten() {
        request.check_memory()?;
    }
    let state = |n: usize| requests[n].map(|it| std::ptr::from_ref(it.storage.borrows().state()));
    order.sort_unstable_by_key(|&n| state(n).map(|it| it.addr()));

    let mut k = 0;
    while k < order.len() {
        let group = order[k..].iter().take_while(|&&n| state(n) == state(order[k])).count();
        if let Some(first) = requests[order[k]] {
            let members = &order[k..k + group];
            let requested = || members.iter().filter_map(|&n| requests[n]);
            let state = first.storage.borrows().state();
            let claim = match is_guard {
                true => Claim::Table { id: state.enter(requested, true)? },
                false => state.claim(requested)?,
            };
            tickets[k] = Some(Ticket { storage: TicketStorage::Borrowed(first.storage), claim });
        }
        k += group;
    }
    Ok(())
}

/// Claims the memory of a guard.
///
/// # Errors
/// As for [`claim`].
pub(crate) fn claim_guard(request: ClaimRequest<'_>) -> Result<Ticket<'static>, Error> {
    request.check_memory()?;
    let id = request.storage.borrows().state().enter(|| [request].into_iter(), true)?;
    let storage = TicketStorage::Shared(request.storage.clone());
    Ok(Ticket { storage, claim: Claim::Table { id } })
}

impl BorrowState {
    const fn new(permanent_bits: u32) -> BorrowState {
        let table = Mutex::new(ClaimTable { entries: Vec::new(), n_waiting: 0, next_id: 0 });
        BorrowState {
            word: AtomicU32::new(permanent_bits),
            is_initial: AtomicBool::new(false),
            table,
            released: Condvar::new(),
        }
    }

    /// Claims all requests together: in the word if the storage is uncontended, else in the table.
    fn claim<'a, I: Iterator<Item = ClaimRequest<'a>>>(
        &self,
        requested: impl Fn() -> I,
    ) -> Result<Claim, Error> {
        let write = requested().any(|request| request.write);
        match self.try_claim(write) {
            true if write => Ok(Claim::Writer),
            true => Ok(Claim::Reader),
            false => Ok(Claim::Table { id: self.enter(requested, false)? }),
        }
    }

    /// Tries to claim the entire storage in the word; returns whether it was uncontended.
    #[inline]
    fn try_claim(&self, write: bool) -> bool {
        match write {
            true => self.add_unless(u32::MAX, WRITER) && self.begin_write(),
            false => self.add_unless(TABLE | WRITER | REGIONS, 1),
        }
    }

    /// Like [`BorrowState::try_claim`] for a short read, which is allowed on foreign memory, too.
    #[inline]
    fn try_claim_short_read(&self) -> bool {
        self.add_unless(TABLE | WRITER, 1)
    }

    /// Like [`BorrowState::try_claim`] for a short write, which is allowed on foreign memory, too.
    #[inline]
    fn try_claim_short_write(&self) -> bool {
        self.add_unless(!REGIONS, WRITER) && self.begin_write()
    }

    /// Notes that a write was claimed; true.
    // Relaxed: the memory is read with a claim from now on by every thread for which the write has happened before, and by
    // the others it may be read as before the write.
    #[inline(always)]
    fn begin_write(&self) -> bool {
        self.is_initial.store(false, Ordering::Relaxed);
        true
    }

    /// Adds `by` to the word unless one of the bits `blocked_by` is set; returns whether it did.
    #[inline(always)]
    fn add_unless(&self, blocked_by: u32, by: u32) -> bool {
        let mut word = self.word.load(Ordering::Relaxed);
        while word & blocked_by == 0 {
            let next = word + by;
            match self.word.compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        false
    }

    /// Enters the requests into the table once neither the table nor the word conflicts with them.
    #[cold]
    fn enter<'a, I: Iterator<Item = ClaimRequest<'a>>>(
        &self,
        requested: impl Fn() -> I,
        is_guard: bool,
    ) -> Result<u64, Error> {
        let mut table = self.lock();
        self.word.fetch_or(TABLE, Ordering::Acquire);
        loop {
            let word = self.word.load(Ordering::Acquire);
            let word_is_claimed = word & !(TABLE | REGIONS) != 0;
            // Short claims take no lock and wait for nothing, so waiting for them cannot deadlock and
            // takes nanoseconds: they are waited for inside of `without_waiting`, too.
            let are_short = word_is_claimed && word & REGIONS != 0;
            let conflict = match word_is_claimed {
                true => None,
                false => requested().find_map(|request| table.conflict(request)),
            };
            match conflict {
                Some(Conflict::Guard(error)) => {
                    self.clear_table_bit_if_empty(&table);
                    return Err(error);
                }
                None if !word_is_claimed => {
                    if requested().any(|request| request.write) {
                        self.begin_write();
                    }
                    return Ok(table.push(requested(), is_guard));
                }
                _ if REFUSES_TO_WAIT.get() && !are_short => {
                    self.clear_table_bit_if_empty(&table);
                    return Err(busy(requested()));
                }
                _ => {
                    table.n_waiting += 1;
                    table = self.wait(table);
                    table.n_waiting -= 1;
                }
            }
        }
    }

    fn wait<'t>(&self, table: MutexGuard<'t, ClaimTable>) -> MutexGuard<'t, ClaimTable> {
        self.released.wait(table).unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    #[inline]
    fn release(&self, claim: Claim) {
        match claim {
            Claim::Reader => {
                // No wake-up is lost: a thread that waits for the word to be empty holds the lock
                // of the table from its load of the word until it is in `wait`.
                if self.word.fetch_sub(1, Ordering::Release) & !REGIONS == TABLE + 1 {
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

    /// Removes the entries with this id from the table.
    #[cold]
    fn leave(&self, id: u64) {
        let mut table = self.lock();
        table.entries.retain(|entry| entry.id != id);
        self.clear_table_bit_if_empty(&table);
        if table.n_waiting != 0 {
            self.released.notify_all();
        }
    }

    #[cold]
    fn wake(&self) {
        let _table = self.lock();
        self.released.notify_all();
    }

    /// Returns to the fast path if the table has no entries and no thread waits to enter it.
    fn clear_table_bit_if_empty(&self, table: &ClaimTable) {
        if table.entries.is_empty() && table.n_waiting == 0 {
            self.word.fetch_and(!TABLE, Ordering::Release);
        }
    }

    /// Locks the table. Poisoning is ignored: no call that changes the table panics half-way.
    fn lock(&self) -> MutexGuard<'_, ClaimTable> {
        self.table.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// The error for requests that would have to wait; it names a write request if there is one.
fn busy<'a>(requested: impl Iterator<Item = ClaimRequest<'a>>) -> Error {
    let request = requested.max_by_key(|request| request.write).expect("there is a request");
    Error::Busy { write: request.write, wanted: request.layout.shape().into() }
}

/// A conflict of a request with an entry of the table.
enum Conflict {
    /// With an operation, which can be waited for.
    Operation,
    /// With a guard, and the error that says so.
    Guard(Error),
}

impl ClaimTable {
    /// Finds an entry that conflicts with a request. Guards take precedence over operations: waiting
    /// would not help then.
    fn conflict(&self, request: ClaimRequest<'_>) -> Option<Conflict> {
        let mut found = None;
        for entry in self.entries.iter().filter(|entry| entry.conflicts_with(request)) {
            if entry.is_guard {
                return Some(Conflict::Guard(Error::Borrowed {
                    write: request.write,
                    wanted: request.layout.shape().into(),
                    held_for_writing: entry.write,
                    held: entry.layout.shape().into(),
                }));
            }
            found = Some(Conflict::Operation);
        }
        found
    }

    fn push<'a>(
        &mut self,
        requested: impl Iterator<Item = ClaimRequest<'a>>,
        is_guard: bool,
    ) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.entries.extend(requested.map(|request| ClaimEntry {
            id,
            address: request.storage.address(),
            layout: request.layout.clone(),
            size: request.size,
            write: request.write,
            is_guard,
        }));
        id
    }
}

impl ClaimEntry {
    fn conflicts_with(&self, request: ClaimRequest<'_>) -> bool {
        let held = Bytes { address: self.address, layout: &self.layout, size: self.size };
        (self.write || request.write) && held.overlaps(request.bytes()) != Answer::No
    }
}

impl<'a> ClaimRequest<'a> {
    /// The bytes that the request covers.
    pub(crate) fn bytes(self) -> Bytes<'a> {
        Bytes { address: self.storage.address(), layout: self.layout, size: self.size }
    }
}

impl Ticket<'_> {
    /// The claimed storage.
    pub(crate) fn storage(&self) -> &Storage {
        match &self.storage {
            TicketStorage::Borrowed(storage) => storage,
            TicketStorage::Shared(storage) => storage,
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.storage().borrows().state().release(self.claim);
    }
}
