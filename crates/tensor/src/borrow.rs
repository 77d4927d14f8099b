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
//! their addresses, and runs no code of the user while it holds them. Who holds a lock that others want
//! in the middle of their operations asks not to wait at all ([`without_waiting`]).

mod quiet;

pub(crate) use quiet::{Quiet, quiet, quiet_briefly, quiet_to_write_briefly};

use crate::{Error, Storage, copies};
use belvedere_layout::{Answer, Bytes, Layout};
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

/// The accesses to one storage, or to all foreign memory together.
pub(crate) enum Borrows {
    Own(State),
    Foreign,
}

/// Foreign memory may be imported twice, so that the same bytes have two storages. Most of it has
/// nothing to do with each other, so everybody goes to the table, which tells it apart; but for those
/// who read briefly, or write a few elements, for whom nobody waits longer than it takes to go there.
static FOREIGN: State = State::new(REGIONS);

/// Everybody has to go to the table.
const TABLE: u32 = 1 << 31;
/// One operation writes, somewhere.
const WRITER: u32 = 1 << 30;
/// Everybody has to go to the table who is not brief: it stays.
const REGIONS: u32 = 1 << 29;

pub(crate) struct State {
    /// The number of operations that read, or `WRITER`; and `TABLE` and `REGIONS`.
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
        Borrows::Own(State::new(0))
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

thread_local! {
    /// Whether this thread is inside of [`without_waiting`].
    static REFUSES_TO_WAIT: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function in which an operation that would have to wait for others, which use the same
/// memory on other threads, is refused at once with [`Error::Busy`].
///
/// It is for callers that hold a lock others may need before they come to an end, such as that of an
/// interpreter: they try this way first, and wait with the lock released if it is refused. The mode is
/// this thread's; calls nest, and it ends with a panic, too. If the whole is refused, the copies that
/// were recorded in it are struck from the records, since it is going to be repeated.
///
/// ```
/// use belvedere::{Error, Tensor, without_waiting};
///
/// let x = Tensor::arange(0..6)?;
/// let doubled = match without_waiting(|| x.add(&x)) {
///     Err(Error::Busy { .. }) => x.add(&x), // here nothing is held, so it may take its time
///     outcome => outcome,
/// };
/// assert_eq!(doubled?.to_vec::<i32>()?, [0, 2, 4, 6, 8, 10]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Those of the function.
#[inline]
pub fn without_waiting<R>(f: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            REFUSES_TO_WAIT.set(self.0);
        }
    }
    let heard = copies::heard();
    let restore = Restore(REFUSES_TO_WAIT.replace(true));
    let outcome = f();
    drop(restore);
    if matches!(outcome, Err(Error::Busy { .. })) {
        copies::forget_since(heard);
    }
    outcome
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
    const fn new(at_rest: u32) -> State {
        let table = Mutex::new(Table { entries: Vec::new(), n_waiting: 0, next_id: 0 });
        State { word: AtomicU32::new(at_rest), table, released: Condvar::new() }
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
        match write {
            true => self.raise_unless(u32::MAX, WRITER),
            false => self.raise_unless(TABLE | WRITER | REGIONS, 1),
        }
    }

    /// The same for reading that is over before anybody minds, which may also be of a region.
    #[inline]
    fn announce_briefly(&self) -> bool {
        self.raise_unless(TABLE | WRITER, 1)
    }

    /// The same for writing that is over as soon, if the storage is quiet.
    #[inline]
    fn announce_brief_write(&self) -> bool {
        self.raise_unless(!REGIONS, WRITER)
    }

    /// Adds to the word, unless something is in it.
    #[inline(always)]
    fn raise_unless(&self, blocked_by: u32, by: u32) -> bool {
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
            let word = self.word.load(Ordering::Acquire);
            let in_the_word = word & !(TABLE | REGIONS) != 0;
            // They hold nothing that anybody could hold against them, and are gone in no time.
            let are_brief = in_the_word && word & REGIONS != 0;
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
                _ if REFUSES_TO_WAIT.get() && !are_brief => {
                    self.lower_if_empty(&table);
                    return Err(busy(wanted()));
                }
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

/// What is said instead of waiting: about what would be written, if anything.
fn busy<'a>(wanted: impl Iterator<Item = Access<'a>>) -> Error {
    let foremost = wanted.max_by_key(|access| access.write);
    let foremost = foremost.expect("somebody has asked for something");
    Error::Busy { write: foremost.write, wanted: foremost.layout.shape().into() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tensor, copies, s};
    use std::sync::mpsc;
    use std::thread;

    fn square() -> Tensor {
        Tensor::arange(0..16).unwrap().reshape([4, 4]).unwrap()
    }

    /// Does something while another thread is in the middle of an operation on a tensor.
    fn during<R>(held: &Tensor, write: bool, f: impl FnOnce() -> R) -> R {
        let (begun, has_begun) = mpsc::channel();
        let (end, may_end) = mpsc::channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                let accesses = [Some(held.access(write)), None, None, None, None];
                let tickets = operation(accesses).unwrap();
                begun.send(()).unwrap();
                // An error means that the other side has panicked, which is as good.
                let _ = may_end.recv();
                drop(tickets);
            });
            has_begun.recv().unwrap();
            let result = f();
            drop(end);
            result
        })
    }

    /// The message of an operation that would have had to wait.
    #[track_caller]
    fn refusal<R>(f: impl FnOnce() -> Result<R, Error>) -> String {
        match without_waiting(f) {
            Err(error @ Error::Busy { .. }) => error.to_string(),
            Err(error) => panic!("{error}"),
            Ok(_) => panic!("the memory is in use"),
        }
    }

    #[test]
    fn who_must_not_wait_is_refused_at_once_and_nothing_is_changed() {
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
                    // Who was refused has taken nothing from those who were first.
                    (0..3).for_each(|_| assert!(refusal(|| one.fill(1)).contains("write to")));
                });
            }
            assert_eq!(one.item::<i32>().unwrap(), 7);
            for it in [&x, &y] {
                assert_eq!(it.to_vec::<i32>().unwrap(), square().to_vec::<i32>().unwrap());
                it.write::<i32>().map(drop).expect("nothing stays borrowed");
                let State { word, .. } = it.storage().borrows().state();
                assert_eq!(word.load(Ordering::Relaxed), 0, "round {rounds}: it is quiet again");
            }
        }
    }

    #[test]
    fn those_in_the_table_are_told_apart_by_their_elements() {
        let x = square();
        let row = |n: isize| x.select(0, n).unwrap();
        // A guard sends everybody to the table.
        let guard = row(0).read::<i32>().unwrap();
        during(&row(1), true, || {
            refusal(|| row(1).fill(7));
            refusal(|| x.slice(s![1..]).unwrap().copy());
            without_waiting(|| row(2).fill(7)).unwrap();
        });
        let error = without_waiting(|| row(0).fill(1)).unwrap_err();
        assert!(matches!(error, Error::Borrowed { .. }), "a guard is not waited for: {error}");
        drop(guard);
        assert_eq!(row(2).to_vec::<i32>().unwrap(), [7; 4]);
        without_waiting(|| row(0).fill(1)).unwrap();
    }

    #[test]
    fn foreign_memory_is_told_apart_by_address() {
        let import = || {
            Storage::imported_twice(vec![0i32; 4]).map(|storage| {
                let layout = Layout::row_major(&[4]).unwrap();
                Tensor::from_storage(storage, layout, crate::DType::Int32).unwrap()
            })
        };
        let ([x, again], [y, _]) = (import(), import());
        during(&x, true, || {
            without_waiting(|| y.fill(7)).expect("it has nothing to do with the other");
            refusal(|| again.fill(7));
        });
        without_waiting(|| again.add_assign(1)).unwrap();
        assert_eq!(
            (x.to_vec::<i32>().unwrap(), y.to_vec::<i32>().unwrap()),
            (vec![1; 4], vec![7; 4])
        );
    }

    #[test]
    fn who_reads_a_region_briefly_is_not_asked_where_but_waited_for() {
        let x = square();
        let state = State::new(REGIONS);
        assert!(!state.announce(false) && !state.announce(true));
        assert!(state.announce_briefly() && state.announce_briefly());
        let (done, is_done) = mpsc::channel();
        thread::scope(|scope| {
            let (state, x) = (&state, &x);
            scope.spawn(move || {
                let enter = || state.enter(|| [x.access(true)].into_iter(), false);
                done.send(without_waiting(enter))
            });
            while state.lock().n_waiting == 0 {
                thread::yield_now();
            }
            state.release(Claim::Reader);
            assert!(!state.announce_briefly(), "somebody is waiting");
            assert!(is_done.try_recv().is_err());
            state.release(Claim::Reader);
            let id = is_done.recv().unwrap().unwrap();
            assert!(!state.announce_briefly(), "somebody writes");
            state.release(Claim::Table { id });
        });
        assert!(state.announce_briefly());
        state.release(Claim::Reader);
        assert_eq!(state.word.load(Ordering::Relaxed), REGIONS);
    }

    #[test]
    fn who_may_wait_does() {
        let x = square();
        let (done, is_done) = mpsc::channel();
        thread::scope(|scope| {
            during(&x, true, || {
                let x = &x;
                scope.spawn(move || done.send(x.add_assign(1)));
                let state = x.storage().borrows().state();
                while state.lock().n_waiting == 0 {
                    thread::yield_now();
                }
                assert!(is_done.try_recv().is_err());
            });
            is_done.recv().unwrap().unwrap();
        });
        assert_eq!(x.get::<i32>(&[3, 3]).unwrap(), 16);
    }

    #[test]
    fn the_mode_nests_and_ends_with_a_panic() {
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
        assert!(!elsewhere.unwrap().unwrap(), "it is this thread's");
    }

    #[test]
    fn copies_of_what_was_refused_are_recorded_once() {
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
}
