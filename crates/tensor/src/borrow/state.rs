//! The claims on one storage: the atomic word of the fast path, and how the slow path enters the table.
//!
//! The word counts the claims of operations, of callbacks and of guards separately: operations are waited for, the others
//! are refused, and a forked child keeps the claims of guards.

use super::table::{ClaimTable, Conflict, Holder};
use super::{ClaimRequest, refuses_to_wait, table_of};
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::current_thread;
use crate::{Error, fork};

/// Every claim has to use the table. Set while the table has claims on the storage.
const TABLE: u64 = 1 << 31;
/// One operation has claimed the entire storage for writing.
const WRITER: u64 = 1 << 30;
/// Every claim that is not short has to use the table. Set for the lifetime of the state.
const REGIONS: u64 = 1 << 29;
/// The memory has the value that it was created with: no write was claimed yet. Set in storages of one element only.
const INITIAL: u64 = 1 << 28;
/// A guard has claimed the entire storage for writing.
const GUARD_WRITER: u64 = 1 << 27;
/// A callback has claimed the entire storage for writing.
const CALLBACK_WRITER: u64 = 1 << 26;
/// The number of guards that have claimed the entire storage for reading.
const GUARD_READERS: u64 = 0xFF << 18;
/// The number of callbacks that have claimed the entire storage for reading.
const CALLBACK_READERS: u64 = 0xFF << 10;
/// The number of operations that have claimed the entire storage for reading.
const READERS: u64 = 0x3FF;
/// The highest bit of each number of readers. When one is set, further readers use the table, so that no number overflows.
const FULL: u64 = 1 << 25 | 1 << 17 | 1 << 9;

/// The claims of guards.
const GUARDS: u64 = GUARD_WRITER | GUARD_READERS;
/// The claims of callbacks.
const CALLBACKS: u64 = CALLBACK_WRITER | CALLBACK_READERS;
/// The claims of writers.
const WRITERS: u64 = WRITER | CALLBACK_WRITER | GUARD_WRITER;
/// All claims.
const CLAIMS: u64 = WRITER | READERS | CALLBACKS | GUARDS;
/// The [generation](fork::generation) of the process that made the claims in the word.
///
/// A forked child inherits the claims of threads that it does not have. They are of an older generation: no claim
/// takes the fast path until the slow path has reset the word.
const GENERATION: u64 = !0 << 32;

/// The claims on one storage.
pub(crate) struct BorrowState {
    /// The numbers of readers, or one of the writers; in addition `TABLE`, `REGIONS`, `INITIAL` and the generation.
    pub(super) word: AtomicU64,
}

/// The word of a state whose accesses are compared by region, made before any fork handler is registered:
/// of no generation, so that the first claim takes the slow path.
pub(super) const REGIONS_WORD: u64 = GENERATION | REGIONS;

/// The word of a state that grants no claim.
pub(super) const REFUSING_WORD: u64 = TABLE;

/// What has to be released: a claim in the word, or the claims of the table with an id.
///
/// The tag has the size of a word and no variant has a smaller field: bytes that are stored one by one and moved together
/// are a store-forwarding stall, in every guard.
#[derive(Clone, Copy)]
#[repr(usize)]
pub(super) enum Claim {
    Reader,
    Writer,
    CallbackReader,
    CallbackWriter,
    GuardReader,
    GuardWriter,
    Table { id: u64 },
}

impl BorrowState {
    #[inline]
    pub(super) fn new() -> BorrowState {
        BorrowState { word: AtomicU64::new(fork::register()) }
    }

    /// Returns the state of memory whose initial value is kept.
    #[inline]
    pub(super) fn of_initial() -> BorrowState {
        BorrowState { word: AtomicU64::new(fork::register() | INITIAL) }
    }

    /// Returns whether the memory has the value that it was created with. A write that is concurrent to the call may
    /// have happened before it or not.
    // Relaxed: every thread for which a write has happened before sees that the bit was cleared when it was claimed.
    #[inline]
    pub(super) fn is_initial(&self) -> bool {
        self.word.load(Ordering::Relaxed) & INITIAL != 0
    }

    /// Notes that the memory may be written without a claim.
    pub(super) fn note_writes(&self) {
        self.word.fetch_and(!INITIAL, Ordering::Relaxed);
    }

    /// Claims all requests of an operation together: in the word if the storage is uncontended, else in the table.
    pub(super) fn claim<'a, I: Iterator<Item = ClaimRequest<'a>>>(
        &self,
        requested: impl Fn() -> I,
    ) -> Result<Claim, Error> {
        let write = requested().any(|request| request.write);
        match self.try_claim(write) {
            true if write => Ok(Claim::Writer),
            true => Ok(Claim::Reader),
            false => self.enter(requested, Holder::Operation),
        }
    }

    /// Tries to claim the entire storage in the word; returns whether it was uncontended.
    #[inline]
    pub(super) fn try_claim(&self, write: bool) -> bool {
        match write {
            true => self.add_unless(TABLE | REGIONS | CLAIMS, WRITER),
            false => self.add_unless(TABLE | REGIONS | WRITERS | FULL, reader_of(READERS)),
        }
    }

    /// Like [`BorrowState::try_claim`] for a guard, which accesses all elements of the storage.
    #[inline]
    pub(super) fn try_claim_guard(&self, write: bool) -> bool {
        match write {
            true => self.add_unless(TABLE | REGIONS | CLAIMS, GUARD_WRITER),
            false => self.add_unless(TABLE | REGIONS | WRITERS | FULL, reader_of(GUARD_READERS)),
        }
    }

    /// Like [`BorrowState::try_claim_guard`] for a callback.
    #[inline]
    pub(super) fn try_claim_callback(&self, write: bool) -> bool {
        match write {
            true => self.add_unless(TABLE | REGIONS | CLAIMS, CALLBACK_WRITER),
            false => self.add_unless(TABLE | REGIONS | WRITERS | FULL, reader_of(CALLBACK_READERS)),
        }
    }

    /// Like [`BorrowState::try_claim`] for a short read, which is allowed on foreign memory, too.
    #[inline]
    pub(super) fn try_claim_short_read(&self) -> bool {
        self.add_unless(TABLE | WRITERS | FULL, reader_of(READERS))
    }

    /// Like [`BorrowState::try_claim`] for a short write, which is allowed on foreign memory, too.
    #[inline]
    pub(super) fn try_claim_short_write(&self) -> bool {
        self.add_unless(TABLE | CLAIMS, WRITER)
    }

    /// Adds `by` to the word unless one of the bits `blocked_by` is set or the word was inherited from a parent
    /// process; returns whether it did.
    #[inline(always)]
    fn add_unless(&self, blocked_by: u64, by: u64) -> bool {
        let generation = fork::generation();
        let mut word = self.word.load(Ordering::Relaxed);
        while (word ^ generation) & (blocked_by | GENERATION) == 0 {
            let next = match by & WRITERS != 0 {
                true => (word | by) & !INITIAL,
                false => word + by,
            };
            match self.word.compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        false
    }

    /// Enters the requests into the table once neither the table nor the word conflicts with them.
    ///
    /// # Errors
    /// If the user holds a conflicting claim, or inside [`without_waiting`](super::without_waiting) if an
    /// operation does.
    #[cold]
    pub(super) fn enter<'a, I: Iterator<Item = ClaimRequest<'a>>>(
        &self,
        requested: impl Fn() -> I,
        holder: Holder,
    ) -> Result<Claim, Error> {
        let (shared, thread) = (table_of(self), current_thread());
        let mut table = shared.lock();
        if self.word.load(Ordering::Relaxed) & GENERATION != fork::register() {
            self.reset(&table);
        }
        self.word.fetch_or(TABLE, Ordering::Acquire);
        // The id in the queue.
        let mut queued = None;
        let outcome = loop {
            let word = self.word.load(Ordering::Acquire);
            let is_in_operation = word & (WRITER | READERS) != 0;
            // Short claims take no lock and wait for nothing, so waiting for them cannot deadlock and
            // takes nanoseconds: they are waited for inside of `without_waiting`, too.
            let are_short = is_in_operation && word & REGIONS != 0;
            let conflict = match requested().find_map(|it| conflict_with_guards(word, it)) {
                Some(conflict) => Some(conflict),
                None if is_in_operation => Some(Conflict::Wait),
                None => requested().find_map(|it| table.conflict(self.address(), queued, it)),
            };
            match conflict {
                None => break Ok(()),
                Some(Conflict::Refused(error)) => break Err(error),
                Some(Conflict::Wait) if refuses_to_wait() && !are_short => {
                    break Err(busy(requested()));
                }
                Some(Conflict::Wait) => {
                    queued.get_or_insert_with(|| {
                        table.push(self.address(), requested(), (holder, thread, true))
                    });
                    table = shared.wait(table);
                }
            }
        };
        match outcome {
            Ok(()) => {
                if requested().any(|request| request.write) {
                    self.note_writes();
                }
                let id = match queued {
                    Some(id) => table.grant(id),
                    None => table.push(self.address(), requested(), (holder, thread, false)),
                };
                if queued.is_some() && holder != Holder::Operation {
                    // Threads that wait behind this claim have to fail now.
                    shared.released.notify_all();
                }
                Ok(Claim::Table { id })
            }
            Err(error) => {
                if let Some(id) = queued {
                    table.withdraw(id);
                    // Threads that wait behind this request may be able to proceed.
                    shared.released.notify_all();
                }
                self.clear_table_bit_if_unused(&table);
                Err(error)
            }
        }
    }

    /// Removes the claims that were inherited from a parent process and whose threads do not exist: those of operations,
    /// and those of callbacks unless the thread that forked runs one. Guards may have been moved, as in
    /// [`ClaimTable::keep_only`]. The caller holds the lock of the table and sets `TABLE` next.
    fn reset(&self, table: &ClaimTable) {
        let callbacks = if table.has_inherited(self.address()) { CALLBACKS } else { 0 };
        let kept = REGIONS | INITIAL | GUARDS | callbacks;
        // In one step: claims that are kept may be released meanwhile.
        let of_child = |word| Some(fork::generation() | word & kept);
        let _ = self.word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, of_child);
    }

    #[inline]
    pub(super) fn release(&self, claim: Claim) {
        match claim {
            Claim::Reader => {
                // No wake-up is lost: a thread that waits for the word to be empty holds the lock
                // of the table from its load of the word until it is in `wait`.
                let before = self.word.fetch_sub(1, Ordering::Release);
                if before & (TABLE | WRITER | READERS) == TABLE + 1 {
                    self.wake();
                }
            }
            // Wakes no thread: none waits for a guard or a callback.
            Claim::GuardReader => self.subtract(reader_of(GUARD_READERS)),
            Claim::GuardWriter => self.subtract(GUARD_WRITER),
            Claim::CallbackReader => self.subtract(reader_of(CALLBACK_READERS)),
            Claim::CallbackWriter => self.subtract(CALLBACK_WRITER),
            Claim::Writer => {
                if self.word.fetch_and(!WRITER, Ordering::Release) & TABLE != 0 {
                    self.wake();
                }
            }
            Claim::Table { id } => self.leave(id),
        }
    }

    /// Removes a claim that no thread waits for from the word.
    #[inline]
    fn subtract(&self, claim: u64) {
        self.word.fetch_sub(claim, Ordering::Release);
    }

    /// Removes the claims with this id from the table.
    #[cold]
    fn leave(&self, id: u64) {
        let shared = table_of(self);
        let mut table = shared.lock();
        table.remove(id);
        self.clear_table_bit_if_unused(&table);
        if table.n_waiting() != 0 {
            shared.released.notify_all();
        }
    }

    #[cold]
    fn wake(&self) {
        let shared = table_of(self);
        let _table = shared.lock();
        shared.released.notify_all();
    }

    /// Returns to the fast path if the table has no claims on this storage, held or waiting.
    fn clear_table_bit_if_unused(&self, table: &ClaimTable) {
        if !table.has_claims_on(self.address()) {
            self.word.fetch_and(!TABLE, Ordering::Release);
        }
    }

    /// Identifies the storage in the table.
    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

/// Returns the claim of one reader among those that a part of the word counts: its lowest bit.
const fn reader_of(readers: u64) -> u64 {
    1 << readers.trailing_zeros()
}

/// Returns the conflict of a request with the guards and callbacks in the word, which have claimed all elements.
fn conflict_with_guards(word: u64, request: ClaimRequest<'_>) -> Option<Conflict> {
    let held_for_writing = word & (GUARD_WRITER | CALLBACK_WRITER) != 0;
    let is_held = word & (GUARDS | CALLBACKS) != 0;
    let conflicts = (held_for_writing || is_held && request.write) && !request.layout.is_empty();
    conflicts.then(|| {
        let ClaimRequest { layout, write, .. } = request;
        let wanted = layout.shape().into();
        Conflict::Refused(Error::Borrowed { write, wanted, held_for_writing, held: None })
    })
}

/// The error for requests that would have to wait; it names a write request if there is one.
fn busy<'a>(requested: impl Iterator<Item = ClaimRequest<'a>>) -> Error {
    let request = requested.max_by_key(|request| request.write).expect("there is a request");
    Error::Busy { write: request.write, wanted: request.layout.shape().into() }
}
