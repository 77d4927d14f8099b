//! Threads: a small fork-join pool, and how many threads an operation may use.
//!
//! **The problem.** A kernel has a few pieces of work of about the same size and wants them run at
//! once, by the thread that asked and by some helpers. It must not pay much to ask, because most
//! operations are short, and it must not be drawn into anything else while it waits, because it
//! holds borrows of storages.
//!
//! **The plain solution** is rayon. We depart from it for two reasons, both measured. A thread that
//! waits inside rayon steals other tasks of the user; if such a task wants the storage that the
//! waiting thread has borrowed, neither goes on, and a demonstration of it hung. And waking rayon
//! from outside costs 20 to 75 µs, which is more than most operations take.
//!
//! **The plain solution of our own** is one queue behind one lock, with a counter that the caller
//! waits for. What we do instead, and why:
//!
//! 1. *Each worker has a mailbox of one word and there is no queue.* A call describes its `Region`
//!    on its own stack, writes the address into the mailboxes of some free workers, and then claims
//!    pieces itself, from the same counter as they do. A worker sees only what was put into its
//!    mailbox, so no thread ever meets a stranger's piece.
//! 2. *An offer can be taken back.* A worker accepts by exchanging the address for a marked one.
//!    When the counter has run out, the caller exchanges each address that is still unmarked for
//!    "free", and waits only for those who accepted. A worker that wakes late finds an empty
//!    mailbox, not an old region; and a tiny region does not wait for anybody to wake up.
//! 3. *Several regions may run at once*, each with the workers it found free, perhaps none: then
//!    the caller does all pieces itself. One region at a time would be no simpler with mailboxes,
//!    and would leave workers idle beside a narrow region. Nobody queues for workers; callers meet
//!    only while a worker is started, once in its life. Whoever waits, waits for a thread that is
//!    inside a piece, and a piece starts no region that waits (nested calls run inline). So there
//!    is no circle to deadlock in.
//! 4. *Free workers spin for a while and then sleep*; so does a caller that waits. The clock
//!    decides when to sleep and nothing else.
//! 5. *The pool hangs on one pointer, which a fork sets to null in the child*, where no worker
//!    exists and a lock may be held by a thread that is gone. The child builds a new pool when it
//!    needs one and never looks at the old one, which is leaked.
//!
//! **The cost**, on two cores of an AMD EPYC in a virtual machine. One piece: 3 ns. Two pieces of
//! 3.3 µs: 3.4 µs if the worker is awake. If it sleeps, the caller pays 2 to 7 µs for the system
//! call that wakes it, and the worker begins some 20 µs later; an operation that is over by then
//! is as slow as on one thread plus the call. (An empty `rayon::join` from outside: 17 µs at once,
//! 20 to 50 after a pause.) Sleepers are woken one after the other; on a machine with dozens of
//! cores workers should wake each other, in a tree. Memory is 16 KB for the pool and a stack for
//! each worker. Workers are never dismissed: after a change to fewer threads the rest sleeps.

use std::any::Any;
use std::cell::Cell;
use std::hint;
use std::mem;
use std::num::NonZeroUsize;
use std::panic::{self, AssertUnwindSafe};
use std::ptr;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicUsize};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, LocalKey};
use std::time::{Duration, Instant};

/// More threads than this are never used, whatever is asked for: the largest machines have about
/// as many cores, and a slip such as a count of bytes must not exhaust the system.
const MAX_THREADS: usize = 1024;

/// How long a thread looks for work before it sleeps. Longer than the gap between two operations
/// of a program that computes, shorter than anybody notices in one that does not.
const SPIN: Duration = Duration::from_micros(50);

/// Looks between two readings of the clock. With the processor's pause in between, 0.2 to 3 µs:
/// then the core is offered to others, who need it if there are only two.
const LOOKS: usize = 64;

/// The number of threads of the process; 0 until somebody sets or asks for it.
///
/// An atomic and no `OnceLock`: a fork may happen during the first question.
static CHOSEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// What [`with_num_threads`] has chosen for this thread.
    static CHOSEN_HERE: Cell<Option<NonZeroUsize>> = const { Cell::new(None) };
    /// Whether this thread is inside a piece. Always so for workers.
    static IN_PIECE: Cell<bool> = const { Cell::new(false) };
}

/// The number of threads that operations started from this thread may use, this one included.
///
/// It is what the innermost [`with_num_threads`] around the call says, else what
/// [`set_num_threads`] said last, else the environment variable `BELVEDERE_NUM_THREADS` if that is
/// a positive whole number, else [`std::thread::available_parallelism`]; at most 1024. The variable
/// is read once. Inside a piece of a parallel operation the answer is 1.
///
/// ```
/// assert!(belvedere::num_threads() >= 1);
/// ```
pub fn num_threads() -> usize {
    if IN_PIECE.get() {
        return 1;
    }
    let chosen = CHOSEN_HERE.get().map_or_else(|| CHOSEN.load(Relaxed), NonZeroUsize::get);
    if chosen == 0 { choose_default() } else { chosen }
}

/// Sets the number of threads for operations of every thread that start from now on.
///
/// A [`with_num_threads`] that is under way keeps its number. Numbers over 1024 count as 1024.
///
/// ```
/// use std::num::NonZeroUsize;
/// use belvedere::{num_threads, set_num_threads};
///
/// set_num_threads(NonZeroUsize::new(3).unwrap());
/// assert_eq!(num_threads(), 3);
/// ```
pub fn set_num_threads(n: NonZeroUsize) {
    CHOSEN.store(n.get().min(MAX_THREADS), Relaxed);
}

/// Runs `f` with another number of threads for the operations that this thread starts in it.
///
/// Calls nest, and the old number is back afterwards, also if `f` panics. Threads that `f` starts
/// do not inherit the number. Numbers over 1024 count as 1024.
///
/// ```
/// use std::num::NonZeroUsize;
/// use belvedere::{num_threads, with_num_threads};
///
/// let before = num_threads();
/// let inside = with_num_threads(NonZeroUsize::MIN, num_threads);
/// assert_eq!((inside, num_threads()), (1, before));
/// ```
pub fn with_num_threads<R>(n: NonZeroUsize, f: impl FnOnce() -> R) -> R {
    let most = NonZeroUsize::new(MAX_THREADS).expect("the limit is not zero");
    with_local(&CHOSEN_HERE, Some(n.min(most)), f)
}

/// Calls `body` with each of `0..n_pieces` once, on this thread and on free workers, in any order;
/// returns when all calls have ended.
///
/// All pieces run on this thread, in order, if there are fewer than two, if [`num_threads`] is 1,
/// or if this is a call from inside a piece. (A piece that was alone, or of a single thread, does
/// not count: there is nobody to get in the way of.) If all workers are busy with other regions,
/// they also all run here.
///
/// What the caller wrote before is visible to every piece, and what the pieces wrote is visible
/// to the caller afterwards. A child that is forked inside a piece must end or `exec` inside it.
///
/// # Panics
///
/// With the panic of a piece, after every piece that had begun has ended. The pieces that had not
/// begun are skipped; of several panics the first to be caught is passed on. The pool is
/// as good as before.
pub(crate) fn run(n_pieces: usize, body: &(dyn Fn(usize) + Sync)) {
    let n_helpers = if n_pieces < 2 { 0 } else { num_threads().min(n_pieces) - 1 };
    // Each thread moves the counter once beyond the end, and it must not come round to zero.
    let is_countable = n_pieces < usize::MAX - MAX_THREADS;
    match (n_helpers > 0 && is_countable).then(Pool::current).flatten() {
        Some(pool) => pool.fork_join(n_helpers, Region::new(n_pieces, body)),
        None => (0..n_pieces).for_each(body),
    }
}

/// The default number of threads, kept unless somebody has set one meanwhile.
#[cold]
fn choose_default() -> usize {
    let asked = std::env::var("BELVEDERE_NUM_THREADS").ok();
    let asked = asked.and_then(|text| text.trim().parse::<NonZeroUsize>().ok());
    let n = asked.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let n = n.get().min(MAX_THREADS);
    CHOSEN.compare_exchange(0, n, Relaxed, Relaxed).map_or_else(|set| set, |_| n)
}

/// Runs `f` with another value in a cell of this thread, and restores it, also on unwinding.
fn with_local<T: Copy, R>(cell: &'static LocalKey<Cell<T>>, value: T, f: impl FnOnce() -> R) -> R {
    struct Restore<T: Copy + 'static>(&'static LocalKey<Cell<T>>, T);
    impl<T: Copy> Drop for Restore<T> {
        fn drop(&mut self) {
            self.0.set(self.1);
        }
    }
    let _restore = Restore(cell, cell.replace(value));
    f()
}

/// One call of [`run`]: its pieces, who has claimed how many, and the first panic.
///
/// Lives on the caller's stack. The alignment keeps the counter away from the caller's variables
/// and leaves low bits of the address for the marks of [`Worker::state`].
#[repr(align(64))]
struct Region<'a> {
    body: &'a (dyn Fn(usize) + Sync),
    n_pieces: usize,
    next: AtomicUsize,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl<'a> Region<'a> {
    fn new(n_pieces: usize, body: &'a (dyn Fn(usize) + Sync)) -> Self {
        Region { body, n_pieces, next: AtomicUsize::new(0), panic: Mutex::new(None) }
    }

    /// Claims and runs pieces until none is left. Never unwinds.
    fn work(&self) {
        // A panic leaves nothing of ours half done, and is resumed where the user's own broken
        // state, if any, is: unwind safety is the caller's question, as without threads.
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
            // Relaxed: that no piece is claimed twice follows from the addition being one step.
            // What the pieces read and write is ordered by the mailboxes.
            let claim = || Some(self.next.fetch_add(1, Relaxed)).filter(|&i| i < self.n_pieces);
            while let Some(i) = claim() {
                (self.body)(i);
            }
        }));
        if let Err(payload) = outcome {
            self.stop(payload);
        }
    }

    /// Lets nobody claim another piece, and keeps the panic for the caller if it is the first.
    #[cold]
    fn stop(&self, payload: Box<dyn Any + Send>) {
        self.next.store(self.n_pieces, Relaxed);
        let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            *first = Some(payload);
        } else {
            // Its destructor may panic as well, which would end a worker in the middle of a
            // region. A leak is the lesser harm.
            mem::forget(payload);
        }
    }

    /// Goes on with the panic of a piece, if there was one.
    fn resume(self) {
        let panic = self.panic.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(payload) = panic {
            panic::resume_unwind(payload);
        }
    }
}

/// The address of a region, without the lifetime of what it borrows.
type RegionPtr = *mut Region<'static>;

/// Workers share regions with other threads, which the compiler does not check of pointers.
const _: fn() = || {
    fn is_sync<T: Sync>() {}
    is_sync::<Region<'_>>();
};

/// The mailbox of a free worker that looks into it.
const FREE: RegionPtr = ptr::null_mut();

/// The mailbox of a free worker that must be woken. No region has this address: they are aligned.
const ASLEEP: RegionPtr = ptr::without_provenance_mut(1);

/// A region that a worker has accepted. The marked pointers are compared, never followed.
fn accepted(region: RegionPtr) -> RegionPtr {
    region.map_addr(|address| address | 1)
}

/// An accepted region whose caller sleeps until the worker has ended.
fn awaited(region: RegionPtr) -> RegionPtr {
    region.map_addr(|address| address | 2)
}

/// A helper thread, as others see it. The alignment gives each mailbox its own pair of cache
/// lines (processors fetch them in pairs), so that looking into one does not slow another.
#[repr(align(128))]
struct Worker {
    /// The mailbox:
    ///
    /// ```text
    ///          offer            accept              finish
    ///   FREE ─────────► region ────────► accepted ─────────► FREE
    ///    │ ▲              ▲ │                │
    ///    │ └── revoke ────│─┘                │ await
    ///    ▼ sleep          │                  ▼      finish
    ///  ASLEEP ── offer ───┘               awaited ─────────► FREE
    /// ```
    ///
    /// Callers offer, revoke and await; the worker accepts, finishes and sleeps. Offering releases
    /// and accepting acquires: the worker sees the region. Finishing releases and the caller's last
    /// look acquires: the caller sees the pieces' writes, even if the mailbox has moved on by then,
    /// since every change is a read-modify-write and so continues the release sequence.
    state: AtomicPtr<Region<'static>>,
    /// Held to fall asleep on `changed`, and by whoever must not miss a sleeper.
    door: Mutex<()>,
    /// The mailbox has left `ASLEEP` or `awaited`.
    changed: Condvar,
}

/// The worker's side.
impl Worker {
    /// A new worker with its thread, or nothing if the system refuses one.
    fn spawn(k: usize) -> Option<Arc<Worker>> {
        let state = AtomicPtr::new(FREE);
        let worker = Worker { state, door: Mutex::new(()), changed: Condvar::new() };
        let worker = Arc::new(worker);
        let own = Arc::clone(&worker);
        // The handle is dropped: nobody joins workers, and the process may end over them.
        thread::Builder::new().name(format!("belvedere-{k}")).spawn(move || own.serve()).ok()?;
        Some(worker)
    }

    fn serve(&self) {
        IN_PIECE.set(true);
        loop {
            let region = self.accept();
            // SAFETY: the pointer is aligned and was made from a live region by
            // `Pool::fork_join`, whose release in `offer` the acquire in `accept` has met: the
            // region is initialised, and visible here. It is only shared, and `Region` is `Sync`.
            // It is alive, and so is what `body` borrows, until `finish` below: our mailbox holds
            // its marked address until then, and `Offers::drop`, which runs before the region
            // ends on every path out of `fork_join`, does not return before it has seen something
            // else in our mailbox. The reference ends with `work`, which does not unwind.
            // (In a forked child `Offers::drop` may give up, but there no worker exists.)
            unsafe { (*region).work() };
            self.finish(region);
        }
    }

    /// The next region, which is then alive until [`Worker::finish`].
    fn accept(&self) -> RegionPtr {
        loop {
            if !spin_until(|| self.state.load(Relaxed) != FREE) {
                self.sleep();
            }
            let offer = self.state.load(Relaxed);
            if offer == FREE {
                continue;
            }
            // The offer may be revoked just now, and even made anew by another region at the same
            // address. The exchange fails in the one case. In the other it accepts the new region,
            // and what it returns is the new region's pointer.
            let taken = self.state.compare_exchange(offer, accepted(offer), Acquire, Relaxed);
            if let Ok(region) = taken {
                return region;
            }
        }
    }

    /// Sleeps until there has been an offer, which may be revoked by now.
    fn sleep(&self) {
        let mut door = self.lock();
        if self.state.compare_exchange(FREE, ASLEEP, Relaxed, Relaxed).is_err() {
            return;
        }
        while self.state.load(Relaxed) == ASLEEP {
            door = self.changed.wait(door).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Frees the mailbox. The region may be gone at once, so its address is only compared.
    fn finish(&self, region: RegionPtr) {
        if self.state.compare_exchange(accepted(region), FREE, Release, Relaxed).is_err() {
            // The caller has marked it as awaited, under the lock, and sleeps or is about to.
            let door = self.lock();
            self.state.swap(FREE, Release);
            drop(door);
            self.changed.notify_all();
        }
    }
}

/// The callers' side.
impl Worker {
    /// Offers a region; says no if the worker is not free.
    fn offer(&self, region: RegionPtr) -> bool {
        let offered = self.state.fetch_update(Release, Relaxed, |state| {
            [FREE, ASLEEP].contains(&state).then_some(region)
        });
        if offered == Ok(ASLEEP) {
            // Before the offer can be revoked, so that a mailbox is never `FREE` while its worker
            // sleeps and nobody is about to wake it. The lock is for a worker that has
            // looked and does not sleep yet.
            drop(self.lock());
            self.changed.notify_all();
        }
        offered.is_ok()
    }

    /// Takes an offer back, if it still lies there. Says no if the worker is at it.
    fn revoke(&self, region: RegionPtr) -> bool {
        match self.state.compare_exchange(region, FREE, Relaxed, Acquire) {
            Ok(_) => true,
            Err(state) => state != accepted(region),
        }
    }

    /// Waits for the worker to finish a region that it has accepted.
    fn wait(&self, region: RegionPtr) {
        let accepted = accepted(region);
        if spin_until(|| self.state.load(Acquire) != accepted) {
            return;
        }
        let awaited = awaited(region);
        let mut door = self.lock();
        if self.state.compare_exchange(accepted, awaited, Relaxed, Acquire).is_ok() {
            while self.state.load(Acquire) == awaited {
                door = self.changed.wait(door).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.door.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks until `is_done` or until [`SPIN`] has passed; says whether it is done.
fn spin_until(is_done: impl Fn() -> bool) -> bool {
    let mut since = None;
    loop {
        for _ in 0..LOOKS {
            if is_done() {
                return true;
            }
            hint::spin_loop();
        }
        if since.get_or_insert_with(Instant::now).elapsed() > SPIN {
            return false;
        }
        thread::yield_now();
    }
}

/// The pool of this process, or null. Pools are never freed once they are here.
static POOL: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());

/// The workers, started from the first on as they are needed. A place for which the system had no
/// thread stays empty: to ask again for each operation would be slow.
struct Pool {
    workers: [OnceLock<Option<Arc<Worker>>>; MAX_THREADS - 1],
}

impl Pool {
    /// The pool of this process, made if necessary; nothing if it could not be told of forks.
    fn current() -> Option<&'static Pool> {
        // SAFETY: the pointer is null, or `Pool::start` made it from a box, initialised it before
        // its release, which this acquire meets, and leaked it. Nobody takes a `&mut` to it.
        match unsafe { POOL.load(Acquire).as_ref() } {
            Some(pool) => Some(pool),
            None => Pool::start(),
        }
    }

    #[cold]
    fn start() -> Option<&'static Pool> {
        if !fork::forget_pool_in_children() {
            return None;
        }
        let new = Box::into_raw(Box::new(Pool { workers: [const { OnceLock::new() }; _] }));
        match POOL.compare_exchange(ptr::null_mut(), new, Release, Acquire) {
            // SAFETY: `new` comes from a box and is leaked from here on: a pool leaves `POOL` only
            // to be forgotten, after a fork. Everybody shares it.
            Ok(_) => Some(unsafe { &*new }),
            Err(other) => {
                // SAFETY: `new` comes from a box and was not published, so it is only ours.
                drop(unsafe { Box::from_raw(new) });
                // SAFETY: as in `current`; it is not null, or the exchange would have succeeded.
                Some(unsafe { &*other })
            }
        }
    }

    /// Runs the pieces of a region here and on up to `n_helpers` workers.
    fn fork_join(&self, n_helpers: usize, region: Region<'_>) {
        // From here on the region must not move or end before `offers` is dropped. It does neither
        // on unwinding: `offers` is the younger variable.
        let mut offers =
            Offers { pool: self, region: (&raw const region).cast_mut().cast(), end: 0 };
        offers.make(n_helpers);
        with_local(&IN_PIECE, true, || region.work());
        drop(offers);
        region.resume();
    }
}

/// The offers of one region. Dropping them ends them: no worker knows of the region afterwards.
struct Offers<'p> {
    pool: &'p Pool,
    region: RegionPtr,
    /// Offers have been made to workers before this place only.
    end: usize,
}

impl Offers<'_> {
    /// Offers the region to free workers, at most `n_helpers`, and starts those that are missing.
    /// The first places are tried first: those who worked last are still awake.
    fn make(&mut self, n_helpers: usize) {
        let mut n_made = 0;
        for (k, place) in self.pool.workers.iter().enumerate() {
            if k < n_helpers {
                place.get_or_init(|| Worker::spawn(k));
            }
            let Some(worker) = place.get() else { break };
            if worker.as_ref().is_some_and(|worker| worker.offer(self.region)) {
                self.end = k + 1;
                n_made += 1;
            }
            if n_made == n_helpers {
                break;
            }
        }
    }
}

impl Drop for Offers<'_> {
    fn drop(&mut self) {
        for place in &self.pool.workers[..self.end] {
            let Some(Some(worker)) = place.get() else { continue };
            if !worker.revoke(self.region) {
                // A panic is better than to wait for ever. It leaves no worker behind that knows
                // of the region: this process has none.
                let is_child = !ptr::eq(self.pool, POOL.load(Relaxed));
                assert!(!is_child, "forked inside a parallel operation, whose threads are gone");
                worker.wait(self.region);
            }
        }
    }
}

#[cfg(unix)]
mod fork {
    use super::{POOL, Relaxed, ptr};
    use std::sync::atomic::AtomicBool;

    /// Sees to it that a forked child starts without a pool; says whether it could.
    pub(super) fn forget_pool_in_children() -> bool {
        static IS_DONE: AtomicBool = AtomicBool::new(false);
        if !IS_DONE.load(Relaxed) {
            // SAFETY: the handler may run after any fork: it is a function of this library, which
            // the C library forgets if it unloads us, and one atomic store is all that it does,
            // which is safe in a signal handler and so in the child of many threads. Two threads
            // may come here at once and register it twice, which changes nothing.
            let status = unsafe { libc::pthread_atfork(None, None, Some(forget_pool)) };
            IS_DONE.store(status == 0, Relaxed);
        }
        IS_DONE.load(Relaxed)
    }

    extern "C" fn forget_pool() {
        POOL.store(ptr::null_mut(), Relaxed);
    }
}

#[cfg(not(unix))]
mod fork {
    /// There is no fork here.
    pub(super) fn forget_pool_in_children() -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::UnsafeCell;
    use std::sync::atomic::AtomicBool;

    fn threads(n: usize) -> NonZeroUsize {
        NonZeroUsize::new(n).expect("tests ask for some threads")
    }

    /// Runs a region and checks that each piece ran once.
    fn check_region(n_pieces: usize) {
        let counts: Vec<AtomicUsize> = (0..n_pieces).map(|_| AtomicUsize::new(0)).collect();
        run(n_pieces, &|i| {
            counts[i].fetch_add(1, Relaxed);
        });
        assert!(counts.iter().all(|count| count.load(Relaxed) == 1), "{n_pieces} pieces");
    }

    /// Runs regions of two pieces that wait for each other until both have been there at once.
    /// (Once is not enough: the workers may be busy with the other tests.)
    fn meet() -> bool {
        let deadline = Instant::now() + Duration::from_secs(20);
        let met = AtomicUsize::new(0);
        while met.load(Relaxed) < 2 && Instant::now() < deadline {
            let present = AtomicUsize::new(0);
            met.store(0, Relaxed);
            run(2, &|_| {
                present.fetch_add(1, Relaxed);
                let patience = Instant::now() + Duration::from_millis(5);
                while present.load(Relaxed) < 2 && Instant::now() < patience {
                    thread::yield_now();
                }
                met.fetch_add(usize::from(present.load(Relaxed) == 2), Relaxed);
            });
        }
        met.load(Relaxed) == 2
    }

    #[test]
    fn every_piece_runs_exactly_once() {
        for n_threads in [1, 2, 3, 4, 7, 16] {
            with_num_threads(threads(n_threads), || {
                (0..40).chain([63, 64, 65, 1000, 4097]).for_each(check_region);
            });
        }
    }

    #[test]
    fn two_pieces_run_at_once() {
        assert!(with_num_threads(threads(2), meet));
    }

    #[test]
    fn a_single_piece_or_thread_stays_here_and_in_order() {
        let here = thread::current().id();
        for (n_threads, n_pieces) in [(4, 0), (4, 1), (1, 100)] {
            let order = Mutex::new(Vec::new());
            with_num_threads(threads(n_threads), || {
                run(n_pieces, &|i| order.lock().unwrap().push((i, thread::current().id())));
            });
            let expected: Vec<_> = (0..n_pieces).map(|i| (i, here)).collect();
            assert_eq!(order.into_inner().unwrap(), expected);
        }
    }

    #[test]
    fn a_nested_region_runs_inside_its_piece() {
        let count = AtomicUsize::new(0);
        with_num_threads(threads(4), || {
            run(8, &|_| {
                let here = thread::current().id();
                let inner = || {
                    assert_eq!(num_threads(), 1);
                    run(50, &|_| {
                        assert_eq!(thread::current().id(), here);
                        count.fetch_add(1, Relaxed);
                    });
                };
                inner();
                with_num_threads(threads(3), inner);
            });
            assert_eq!(num_threads(), 4);
        });
        assert_eq!(count.into_inner(), 800);
    }

    #[test]
    fn many_threads_run_regions_and_meet_no_strangers() {
        thread_local!(static ME: Cell<usize> = const { Cell::new(usize::MAX) });
        thread::scope(|scope| {
            for me in 0..12 {
                scope.spawn(move || {
                    ME.set(me);
                    for round in 0..300 {
                        let n_pieces = 1 + (me * 7 + round) % 23;
                        let sum = AtomicUsize::new(0);
                        with_num_threads(threads(1 + round % 5), || {
                            run(n_pieces, &|i| {
                                assert!([me, usize::MAX].contains(&ME.get()));
                                sum.fetch_add(i + 1, Relaxed);
                            });
                        });
                        assert_eq!(sum.into_inner(), n_pieces * (n_pieces + 1) / 2);
                    }
                });
            }
        });
    }

    #[test]
    fn rayon_tasks_outnumber_the_threads_without_deadlock() {
        let storage = Mutex::new(0);
        rayon::scope(|scope| {
            for _ in 0..64 {
                scope.spawn(|_| {
                    with_num_threads(threads(4), || {
                        // Rayon itself would steal another of these tasks here, and hang.
                        let mut guard = storage.lock().unwrap();
                        let sum = AtomicUsize::new(0);
                        run(16, &|i| {
                            thread::yield_now();
                            sum.fetch_add(i, Relaxed);
                        });
                        *guard += sum.into_inner();
                    });
                    check_region(33);
                });
            }
        });
        assert_eq!(storage.into_inner().unwrap(), 64 * 120);
    }

    #[test]
    fn a_panic_arrives_after_every_piece_has_ended() {
        with_num_threads(threads(4), || {
            for culprit in (0..40).cycle().take(400) {
                let n_inside = AtomicUsize::new(0);
                let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
                    run(40, &|i| {
                        n_inside.fetch_add(1, Relaxed);
                        (0..i * 8).for_each(|_| hint::spin_loop());
                        n_inside.fetch_sub(1, Relaxed);
                        if i == culprit {
                            panic::resume_unwind(Box::new(i));
                        }
                    });
                }));
                assert_eq!(n_inside.load(Relaxed), 0);
                let payload = outcome.expect_err("one piece panics");
                assert_eq!(payload.downcast_ref(), Some(&culprit));
                assert_eq!(num_threads(), 4, "the caller is not inside a piece any more");
                check_region(40);
            }
        });
    }

    #[test]
    fn panics_in_all_pieces_leave_the_pool_usable() {
        /// A payload whose destructor panics, too.
        struct Grenade(AtomicBool);
        impl Drop for Grenade {
            fn drop(&mut self) {
                if self.0.load(Relaxed) {
                    panic::resume_unwind(Box::new(()));
                }
            }
        }
        with_num_threads(threads(4), || {
            for _ in 0..200 {
                let outcome = panic::catch_unwind(|| {
                    run(4, &|_| {
                        thread::yield_now();
                        panic::resume_unwind(Box::new(Grenade(AtomicBool::new(true))));
                    });
                });
                let payload = outcome.expect_err("all pieces panic");
                payload.downcast::<Grenade>().expect("ours").0.store(false, Relaxed);
                check_region(9);
            }
            assert!(meet());
        });
    }

    #[test]
    fn late_wakers_never_touch_an_old_region() {
        with_num_threads(threads(3), || {
            for round in 0..100_000_usize {
                // On the stack, where the next region writes other values to the same place.
                let cells = [const { AtomicUsize::new(0) }; 3];
                run(3, &|i| cells[i].store(round ^ i, Relaxed));
                let found = cells.map(AtomicUsize::into_inner);
                assert_eq!(found, [round, round ^ 1, round ^ 2]);
            }
        });
    }

    #[test]
    fn pieces_see_the_caller_and_the_caller_sees_the_pieces() {
        /// Cells without any ordering of their own.
        struct Cells([UnsafeCell<usize>; 8]);
        // SAFETY: the test below lets piece `i` touch cell `i` only, and the caller touches cells
        // only outside of `run`.
        unsafe impl Sync for Cells {}
        impl Cells {
            fn add(&self, i: usize, n: usize) {
                // SAFETY: the pointer is a live cell's, and nobody else touches the cell now.
                unsafe { *self.0[i].get() += n };
            }
        }
        with_num_threads(threads(4), || {
            for round in 0..10_000 {
                let cells = Cells([const { UnsafeCell::new(0) }; 8]);
                (0..8).for_each(|i| cells.add(i, round));
                run(8, &|i| cells.add(i, i));
                (0..8).for_each(|i| cells.add(i, 1));
                let expected = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| round + i + 1);
                assert_eq!(cells.0.map(UnsafeCell::into_inner), expected);
            }
        });
    }

    #[test]
    fn sleeping_workers_are_woken_and_sleeping_callers_too() {
        with_num_threads(threads(2), || {
            for _ in 0..50 {
                thread::sleep(4 * SPIN);
                let slow = AtomicUsize::new(0);
                run(2, &|_| {
                    thread::sleep(slow.fetch_add(1, Relaxed) as u32 * 10 * SPIN);
                });
                assert_eq!(slow.into_inner(), 2);
            }
        });
    }

    #[cfg(unix)]
    mod fork {
        use super::*;

        /// The harness has other threads, so a child must call nothing that prints or that exits
        /// in the common way: their locks may be held for ever.
        fn fork() -> libc::pid_t {
            // SAFETY: the child of a process with threads may only do what does not depend on
            // the others. Ours allocate and start threads, which the C library prepares for.
            let pid = unsafe { libc::fork() };
            assert!(pid >= 0, "fork failed");
            pid
        }

        /// Ends a child.
        fn exit(is_fine: bool) -> ! {
            // SAFETY: ends the process at once and touches no memory of ours.
            unsafe { libc::_exit(if is_fine { 0 } else { 1 }) }
        }

        /// Checks that a child ends within a while, and well.
        fn wait_for(pid: libc::pid_t) {
            let deadline = Instant::now() + Duration::from_secs(30);
            let mut status = 0;
            // SAFETY: `status` is a live integer, and `pid` a child that nobody else waits for.
            while unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) } == 0 {
                if Instant::now() > deadline {
                    // SAFETY: the child has not been waited for, so the number is still its own.
                    unsafe { libc::kill(pid, libc::SIGKILL) };
                    panic!("the child hangs");
                }
                thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(status, 0, "the child has failed");
        }

        /// Checks that `child` returns true in a child.
        fn check_child(child: impl FnOnce() -> bool) {
            match fork() {
                0 => exit(panic::catch_unwind(AssertUnwindSafe(child)).unwrap_or(false)),
                pid => wait_for(pid),
            }
        }

        /// What a child does: regions, and again in a child of its own.
        fn sum_and_meet() -> bool {
            with_num_threads(threads(3), || {
                let sum = AtomicUsize::new(0);
                run(100, &|i| {
                    sum.fetch_add(i, Relaxed);
                });
                sum.into_inner() == 4950 && meet()
            })
        }

        #[test]
        fn a_forked_child_has_a_pool_of_its_own() {
            assert!(sum_and_meet());
            check_child(|| {
                check_child(sum_and_meet);
                sum_and_meet()
            });
            assert!(sum_and_meet());
        }

        #[test]
        fn a_fork_beside_a_running_region_harms_neither() {
            let is_over = AtomicBool::new(false);
            thread::scope(|scope| {
                scope.spawn(|| {
                    with_num_threads(threads(3), || {
                        while !is_over.load(Relaxed) {
                            check_region(20);
                        }
                    });
                });
                (0..20).for_each(|_| check_child(sum_and_meet));
                is_over.store(true, Relaxed);
            });
        }

        /// Runs a region and forks in the caller's piece while a worker is in the other. Gives
        /// what `fork` returned, if it came to that, and whether the region ended well.
        fn fork_in_piece() -> (Option<libc::pid_t>, bool) {
            let here = thread::current().id();
            let pid = OnceLock::new();
            let [has_helper, may_go] = [const { AtomicBool::new(false) }; 2];
            let spin_until = |flag: &AtomicBool| spin_until(|| flag.load(Relaxed));
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
                run(2, &|_| {
                    if thread::current().id() != here {
                        has_helper.store(true, Relaxed);
                        while !spin_until(&may_go) {}
                    } else if pid.get().is_none() && spin_until(&has_helper) {
                        let is_child = *pid.get_or_init(fork) == 0;
                        check_region(5);
                        may_go.store(!is_child, Relaxed);
                    } else {
                        may_go.store(true, Relaxed);
                    }
                });
            }));
            (pid.into_inner(), outcome.is_ok())
        }

        #[test]
        fn a_child_of_a_piece_works_inline_and_panics_instead_of_waiting() {
            with_num_threads(threads(2), || {
                loop {
                    match fork_in_piece() {
                        (None, is_fine) => assert!(is_fine),
                        (Some(0), is_fine) => exit(!is_fine && sum_and_meet()),
                        (Some(pid), is_fine) => {
                            assert!(is_fine);
                            break wait_for(pid);
                        }
                    }
                }
            });
        }
    }
}
