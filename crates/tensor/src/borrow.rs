//! Run-time borrow checking of storages: readers and writers, by memory region.
//!
//! Tensors share memory and may write to it from any thread, so every access claims its memory first.
//! Two accesses conflict if they share an element and at least one of them writes. The claims of
//! operations are short-lived, so an operation waits for conflicting operations. A guard
//! ([`ReadGuard`](crate::ReadGuard), [`WriteGuard`](crate::WriteGuard)) lives as long as the user keeps it,
//! so a conflict with a guard is an error, returned immediately on either side.
//!
//! **Slow path** (`table.rs`). A table of claims under a mutex, whose regions are compared exactly
//! ([`Bytes::overlaps`](belvedere_layout::Bytes::overlaps); an undecided comparison counts as a conflict). It costs
//! about 50 ns, too much for an addition of 16 elements.
//!
//! **Uncontended fast path** (`state.rs`, `claims.rs`). Each storage has one atomic word. An operation on an uncontended
//! storage claims the entire storage there, as one more reader or as the only writer. An access that
//! cannot do so sets the `TABLE` bit, waits until the word's claims are released, and enters the table;
//! until the table has no more claims on the storage, every access uses it, so that contending operations are compared
//! by region. A guard that holds all elements of an uncontended storage claims it there, too, and so do the operands of a
//! closure; the word counts these claims separately, because a conflict with them is an error.
//!
//! **No claim.** A storage of one element keeps a copy of its initial value, which never changes
//! ([`Storage::of_element`](crate::Storage::of_element)). Until the first write is claimed, the copy is read instead of the memory,
//! without a claim: an atomic operation costs as much as the operation on the element.
//!
//! **No starvation.** Requests that wait are listed in the table in the order of their arrival. A later request that
//! conflicts with one of them waits behind it, so that readers that keep arriving do not overtake a writer.
//!
//! **No deadlock.** Only operations are waited for. An operation claims its storages in ascending order
//! of their addresses and runs no user code while it holds them. So a request that waits for storage *s* waits for an
//! operation that holds a claim on *s*, which runs or waits for a storage after *s*; or for an older request for *s*.
//! Along such a chain, the storages never descend, and among the requests for one storage each is older than the one before:
//! no chain returns to its start. In particular a thread that holds a guard may wait behind a writer: no writer
//! waits for a guard, so none waits for that thread.
//!
//! An operation that calls a closure of the user holds the claims of guards instead ([`claim_guards`]): an operation inside of the
//! closure, or on another thread, that conflicts with them fails and does not wait. A caller that holds a lock which
//! running operations may need before they finish uses [`without_waiting`].
//!
//! **Forks** (`fork.rs`). A child has none of the claims of threads that do not exist in it.

mod claims;
mod state;
mod table;
#[cfg(test)]
mod tests;
mod ticket;

pub(crate) use claims::{
    CallbackClaims, Claims, try_claim, try_claim_callback, try_claim_reads, try_claim_write,
};
pub(crate) use state::BorrowState;
pub(crate) use ticket::{
    ClaimRequest, SLOTS, Ticket, Tickets, claim, claim_guard, claim_guards, claim_guards_slice,
    claim_slice,
};

use crate::sync::{Condvar, Mutex, MutexGuard, atomic, current_thread};
use crate::{Error, fork, trace};
use std::cell::{Cell, RefCell};
use table::{ClaimTable, SharedTable};

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
static FOREIGN: BorrowState = BorrowState { word: atomic::AtomicU64::new(state::REGIONS_WORD) };

/// The claims on storages without memory: the fast path finds it contended, and the slow path refuses before
/// it gets here.
static META: BorrowState = BorrowState { word: atomic::AtomicU64::new(state::REFUSING_WORD) };

/// The number of tables: contending operations on different storages rarely share one.
const N_TABLES: usize = 64;

/// The claims of the slow path, by the hash of the storage's state.
static TABLES: [SharedTable; N_TABLES] =
    [const { SharedTable { table: Mutex::new(ClaimTable::new()), released: Condvar::new() } };
        N_TABLES];

/// Returns the table with the claims on a storage.
fn table_of(state: &BorrowState) -> &'static SharedTable {
    // Fibonacci hashing: the upper bits of the product depend on all bits of the address.
    let hash = (state.address() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    &TABLES[(hash >> (64 - N_TABLES.ilog2())) as usize]
}

/// Frees the memory that the tables keep for later claims: a table never shrinks by itself.
pub(crate) fn trim_tables() {
    TABLES.iter().for_each(|it| it.lock().trim());
}

/// The locks of all tables, held across a fork.
pub(crate) struct LockedTables([MutexGuard<'static, ClaimTable>; N_TABLES]);

impl LockedTables {
    /// Locks the tables. No other thread holds one while it waits for another.
    pub(crate) fn lock() -> LockedTables {
        LockedTables(std::array::from_fn(|n| TABLES[n].lock()))
    }
}

impl fork::HeldLock for LockedTables {
    fn reset_in_child(&mut self) {
        let (thread, callbacks) = (current_thread(), with_own_callbacks(|own| own.clone()));
        self.0
            .iter_mut()
            .for_each(|table| table.keep_only(thread, callbacks.as_deref().unwrap_or_default()));
    }
}

impl Borrows {
    pub(crate) fn new() -> Borrows {
        Borrows::Own(BorrowState::new())
    }

    /// Returns the claims on memory whose initial value is kept.
    #[inline]
    pub(crate) fn of_initial() -> Borrows {
        Borrows::Own(BorrowState::of_initial())
    }

    pub(crate) fn foreign() -> Borrows {
        Borrows::Foreign
    }

    pub(crate) fn is_meta(&self) -> bool {
        matches!(self, Borrows::Meta)
    }

    /// Returns whether the memory has the value that it was created with.
    #[inline]
    pub(crate) fn is_initial(&self) -> bool {
        matches!(self, Borrows::Own(state) if state.is_initial())
    }

    /// Notes that the memory may be written without a claim.
    pub(crate) fn note_writes(&self) {
        self.state().note_writes();
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

fn refuses_to_wait() -> bool {
    REFUSES_TO_WAIT.get()
}

thread_local! {
    /// The storages that callbacks of this thread have claimed in their words: a forked child keeps these claims.
    static OWN_CALLBACKS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Calls `f` with the storages that callbacks of this thread have claimed in their words; returns `None` while the
/// thread exits.
#[inline]
fn with_own_callbacks<R>(f: impl FnOnce(&mut Vec<usize>) -> R) -> Option<R> {
    OWN_CALLBACKS.try_with(|own| f(&mut own.borrow_mut())).ok()
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
