//! Arenas: scratch memory is aligned, zeroed, exclusive and reused.

use belvedere::prelude::*;
use belvedere::{
    Arena, Complex, Mark, Scope, add_into, copies, less_into, mul_into, relu_into, where_into,
    with_num_threads,
};
use std::alloc::{GlobalAlloc, System};
use std::cell::Cell;
use std::hint::black_box;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The system allocator, which counts the calls and the bytes of each thread.
struct Counting;

thread_local! {
    static N_CALLS: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<isize> = const { Cell::new(0) };
}

fn count(n_calls: usize, bytes: isize) {
    // During thread shutdown the thread-local counters no longer exist.
    let _ = N_CALLS.try_with(|it| it.set(it.get() + n_calls));
    let _ = BYTES.try_with(|it| it.set(it.get() + bytes));
}

// SAFETY: every call is handed on to the system's allocator unchanged; counting touches
// thread-local numbers that are never allocated. What is left out goes through these two.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        count(1, layout.size() as isize);
        // SAFETY: the caller keeps the contract of `alloc`, which is the same there.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: std::alloc::Layout) {
        count(0, -(layout.size() as isize));
        // SAFETY: the pointer came from `System.alloc` with this layout, by way of `alloc` above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Returns the number of allocations of `work`.
fn n_allocations<T>(work: impl FnOnce() -> T) -> usize {
    let before = N_CALLS.get();
    black_box(work());
    N_CALLS.get() - before
}

/// A deterministic random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }

    /// Small numbers are as likely as large ones.
    fn size(&mut self, most_bits: usize) -> usize {
        let bits = self.below(most_bits + 1);
        self.below(1 << bits)
    }
}

/// The bytes that a view holds.
fn bytes_of<T: Element>(view: &ViewMut<'_, T>) -> Range<usize> {
    let slice = view.as_view().as_slice().expect("fresh views are contiguous").as_ptr_range();
    slice.start.addr()..slice.end.addr()
}

fn is_zero<T: Element>(view: &ViewMut<'_, T>) -> bool {
    let view = view.as_view();
    view.as_slice().expect("fresh views are contiguous").iter().all(|it| *it == T::default())
}

fn meet(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start.max(b.start) < a.end.min(b.end)
}

/// A view, and what was written to it.
struct Held<'s, T> {
    view: ViewMut<'s, T>,
    value: T,
}

/// Views of any type.
trait Check {
    fn bytes(&self) -> Range<usize>;
    fn check(&self);
}

impl<T: Element> Check for Held<'_, T> {
    fn bytes(&self) -> Range<usize> {
        bytes_of(&self.view)
    }

    fn check(&self) {
        let view = self.view.as_view();
        let values = view.as_slice().expect("fresh views are contiguous");
        assert!(values.iter().all(|it| *it == self.value), "a view has changed");
    }
}

/// Takes a fresh view, checks that it is aligned and zero, and writes to it.
fn hold<'s, T: Element>(
    fresh: Result<ViewMut<'s, T>, Error>,
    value: T,
) -> Option<Box<dyn Check + 's>> {
    match fresh {
        Ok(mut view) => {
            assert!(is_zero(&view), "fresh memory is zero");
            assert!(bytes_of(&view).start.is_multiple_of(64), "fresh memory is aligned");
            view.fill(value);
            Some(Box::new(Held { view, value }))
        }
        Err(Error::OutOfMemory { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

/// The state of a random test run.
struct Play {
    random: Random,
    /// The bytes claimed by all open scopes.
    live: Vec<Range<usize>>,
    depth: usize,
    /// The arena's limit. Without one no allocation may fail.
    limit: Option<usize>,
}

impl Play {
    fn new(seed: u64, limit: Option<usize>) -> Play {
        Play { random: Random(seed), live: Vec::new(), depth: 0, limit }
    }

    /// Claims and scopes at random. `check_outer` looks at what the scopes around this one hold.
    fn run<'s>(&mut self, s: &mut Scope<'s>, check_outer: &dyn Fn()) {
        let n_live = self.live.len();
        self.depth += 1;
        let mut held: Vec<Box<dyn Check + 's>> = Vec::new();
        for _ in 0..self.random.below(10) {
            if self.depth < 6 && self.random.below(3) == 0 {
                self.inner(s, &|| {
                    check_outer();
                    held.iter().for_each(|it| it.check());
                });
            } else {
                held.extend(self.claim(s));
            }
            assert!(s.allocated() <= s.capacity());
            assert!(s.capacity() <= self.limit.unwrap_or(usize::MAX));
            check_outer();
            held.iter().for_each(|it| it.check());
        }
        self.depth -= 1;
        self.live.truncate(n_live);
    }

    /// A scope inside of a scope, which sometimes ends by a panic.
    fn inner(&mut self, s: &mut Scope<'_>, check: &dyn Fn()) {
        let before = s.allocated();
        if self.random.below(4) == 0 {
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                s.scope(|inner| {
                    self.run(inner, check);
                    resume_unwind(Box::new("on purpose"))
                })
            }));
            assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"on purpose"));
        } else {
            s.scope(|inner| self.run(inner, check));
        }
        assert_eq!(s.allocated(), before, "the inner scope has left something behind");
    }

    /// A view of some type and size.
    fn claim<'s>(&mut self, s: &Scope<'s>) -> Option<Box<dyn Check + 's>> {
        let n = self.random.size(13);
        let tag = 1 + self.random.below(100) as u8;
        let view = match self.random.below(5) {
            0 => hold(s.zeros([n]), tag),
            1 => hold(s.zeros([n, 1]), tag as i16),
            2 => hold(s.zeros([1, n]), tag as f32),
            3 => hold(s.zeros([n]), Complex::new(tag as f64, 1.0)),
            _ => hold(s.zeros([n]), Bool::from(true)),
        };
        assert!(view.is_some() || self.limit.is_some(), "without a limit there is memory");
        let bytes = view.as_ref()?.bytes();
        assert!(!self.live.iter().any(|it| meet(it, &bytes)), "two live views share bytes");
        self.live.push(bytes);
        view
    }
}

#[test]
fn random_scopes_never_alias_live_memory() {
    let mut arena = Arena::new();
    for seed in 0..100 {
        if seed % 10 == 0 {
            arena = Arena::new();
        }
        arena.scope(|s| Play::new(seed, None).run(s, &|| {}));
        assert_eq!(arena.allocated(), 0);
    }
}

#[test]
fn random_scopes_stay_below_a_limit() {
    for seed in 0..200 {
        let limit = Random(seed).size(18);
        let mut arena = Arena::with_limit(limit);
        for run in 0..3 {
            arena.scope(|s| Play::new(seed + 1000 * run, Some(limit)).run(s, &|| {}));
            assert_eq!(arena.allocated(), 0);
        }
        // Afterwards all memory is available in one piece.
        assert!(arena.zeros::<u8>([limit]).is_ok());
    }
}

#[test]
fn repeated_work_allocates_only_once() {
    for seed in 0..50 {
        let mut arena = Arena::new();
        arena.scope(|s| Play::new(seed, None).run(s, &|| {}));
        let capacity = arena.capacity();
        arena.scope(|s| Play::new(seed, None).run(s, &|| {}));
        assert_eq!(arena.capacity(), capacity);
    }
}

#[test]
fn rewinding_random_marks_is_safe() {
    let mut random = Random(7);
    let mut arenas = [Arena::new(), Arena::with_limit(300_000)];
    let mut marks: Vec<(usize, Mark)> = arenas.iter().map(Arena::mark).enumerate().collect();
    for _ in 0..2000 {
        let n = random.below(2);
        let arena = &mut arenas[n];
        let views: Vec<_> = (0..random.below(4))
            .filter_map(|_| hold(arena.zeros([random.size(17)]), 1 + random.below(200) as u8))
            .collect();
        for (i, view) in views.iter().enumerate() {
            view.check();
            assert!(!views[..i].iter().any(|it| meet(&it.bytes(), &view.bytes())));
        }
        drop(views);
        marks.push((n, arena.mark()));
        let (made_by, mark) = marks[random.below(marks.len())];
        let before = arena.allocated();
        assert_eq!(arena.rewind(mark).is_ok(), made_by == n);
        assert!(arena.allocated() <= before);
        if made_by != n {
            assert_eq!(arena.allocated(), before);
        }
        match random.below(50) {
            0 => arena.clear(),
            1 => drop(arena.trim()),
            _ => {}
        }
    }
}

#[test]
fn views_of_every_size_are_aligned_to_64_bytes() {
    let arena = Arena::new();
    for n in 0..300 {
        let views = (arena.zeros::<u8>([n]).unwrap(), arena.zeros::<f64>([n]).unwrap());
        assert!(bytes_of(&views.0).start.is_multiple_of(64));
        assert!(bytes_of(&views.1).start.is_multiple_of(64));
        assert_eq!(bytes_of(&views.0).len(), n);
        assert_eq!(bytes_of(&views.1).len(), 8 * n);
        assert!(!meet(&bytes_of(&views.0), &bytes_of(&views.1)));
    }
}

#[test]
fn recycled_memory_is_zero_again() {
    let mut arena = Arena::new();
    let mut addresses = Vec::new();
    for _ in 0..3 {
        arena.scope(|s| {
            let mut x = s.zeros::<u64>([1000]).unwrap();
            assert!(is_zero(&x));
            x.fill(u64::MAX);
            addresses.push(bytes_of(&x));
        });
    }
    assert!(addresses.iter().all(|it| *it == addresses[0]), "it is the same memory each time");
}

#[test]
fn growing_does_not_move_memory() {
    let arena = Arena::new();
    let views: Vec<_> = (0..100).map(|_| hold(arena.zeros([3000]), 5i64).unwrap()).collect();
    assert!(arena.capacity() >= 2_400_000, "that is many chunks");
    for (i, view) in views.iter().enumerate() {
        view.check();
        assert!(!views[..i].iter().any(|it| meet(&it.bytes(), &view.bytes())));
    }
}

#[test]
fn a_rewind_goes_back_over_several_chunks() {
    let mut arena = Arena::new();
    arena.zeros::<u8>([10_000]).unwrap();
    let mark = arena.mark();
    let first = bytes_of(&arena.zeros::<u8>([100]).unwrap());
    for _ in 0..20 {
        arena.zeros::<u8>([50_000]).unwrap();
    }
    assert!(arena.allocated() > 1_000_000);
    let capacity = arena.capacity();
    arena.rewind(mark).unwrap();
    assert_eq!((arena.allocated(), arena.capacity()), (10_000, capacity));
    assert_eq!(arena.mark(), mark);
    assert_eq!(bytes_of(&arena.zeros::<u8>([100]).unwrap()), first);
}

#[test]
fn a_mark_beyond_the_end_changes_nothing() {
    let mut arena = Arena::new();
    let start = arena.mark();
    arena.zeros::<u8>([100_000]).unwrap();
    let end = arena.mark();
    arena.rewind(start).unwrap();
    arena.trim();
    arena.rewind(end).unwrap();
    assert_eq!((arena.allocated(), arena.capacity()), (0, 0));
    arena.zeros::<u8>([10]).unwrap();
    arena.rewind(end).unwrap();
    assert_eq!(arena.allocated(), 10);
}

#[test]
fn a_mark_of_another_arena_is_an_error() {
    let (first, mut second) = (Arena::new(), Arena::new());
    second.zeros::<u8>([10]).unwrap();
    let error = second.rewind(first.mark()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
    let message = error.to_string();
    assert!(message.starts_with("arena ") && message.contains(" cannot be rewound to a mark of "));
    assert_eq!(second.allocated(), 10);
}

#[test]
fn memory_of_an_inner_scope_is_reused() {
    let mut arena = Arena::new();
    arena.scope(|outer| {
        let mut x = outer.full([10], 1.5).unwrap();
        let mut inner = |s: &mut Scope<'_>| {
            x.map(|it| 2.0 * it);
            let y = s.zeros_like(&x).unwrap();
            assert!(is_zero(&y) && !meet(&bytes_of(&x), &bytes_of(&y)));
            bytes_of(&y)
        };
        let first = outer.scope(&mut inner);
        let second = outer.scope(&mut inner);
        assert_eq!(first, second);
        let z = outer.zeros::<f64>([10]).unwrap();
        assert_eq!(bytes_of(&z), first, "and to the outer scope");
        assert_eq!(x.get(&[9]).unwrap(), 6.0);
    });
}

#[test]
fn a_panic_rewinds_the_arena() {
    let mut arena = Arena::new();
    arena.zeros::<u8>([64]).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        arena.scope(|s| {
            let _x = s.zeros::<f32>([100_000]).unwrap();
            s.scope(|inner| {
                let _y = inner.zeros::<f32>([100_000]).unwrap();
                resume_unwind(Box::new(3u8))
            })
        })
    }));
    assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&3u8));
    assert_eq!(arena.allocated(), 64);
    assert!(arena.scope(|s| is_zero(&s.zeros::<f32>([100_000]).unwrap())));
}

#[test]
fn exceeding_the_limit_is_an_error_and_changes_nothing() {
    let mut arena = Arena::with_limit(10_000);
    arena.scope(|s| {
        let x = s.full([100], 7i32).unwrap();
        let before = (s.allocated(), s.capacity());
        let error = s.zeros::<f64>([1250]).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { bytes: 10_000 }));
        assert_eq!(error.kind(), ErrorKind::Memory);
        assert_eq!(error.to_string(), "cannot allocate 10000 bytes");
        assert!(s.full([1250], 1.0).is_err());
        assert!(s.copy_of(&[0.5; 1250][..]).is_err());
        assert_eq!((s.allocated(), s.capacity()), before);
        assert!(x.as_view().iter().all(|it| it == 7));
        assert!(is_zero(&s.zeros::<u8>([9000]).unwrap()));
    });
    assert!(is_zero(&arena.zeros::<f64>([1250]).unwrap()));
}

#[test]
fn empty_chunks_are_freed_for_a_large_one_under_a_limit() {
    let mut arena = Arena::with_limit(1_000_000);
    for size in [60_000, 100_000, 200_000] {
        arena.scope(|s| s.zeros::<u8>([size]).map(drop)).unwrap();
    }
    assert!(arena.capacity() > 300_000);
    arena.scope(|s| s.zeros::<u8>([1_000_000]).map(drop)).unwrap();
    assert_eq!(arena.capacity(), 1_000_000);
}

#[test]
fn chunks_may_be_freed_inside_a_scope() {
    let mut arena = Arena::with_limit(200_000);
    arena.reserve(50_000).unwrap();
    arena.scope(|outer| {
        outer.scope(|inner| {
            let mut x = inner.zeros::<u8>([160_000]).unwrap();
            x.fill(1);
            assert!(inner.zeros::<u8>([50_000]).is_err());
        });
        assert_eq!((outer.allocated(), outer.capacity()), (0, 160_000));
        let x = outer.zeros::<u8>([100]).unwrap();
        outer.scope(|inner| assert!(inner.zeros::<u8>([150_000]).is_ok_and(|it| is_zero(&it))));
        assert!(is_zero(&x));
    });
    assert_eq!(arena.allocated(), 0);
}

#[test]
fn impossible_sizes_are_errors_with_the_size() {
    let arena = Arena::new();
    for shape in [vec![1 << 60], vec![(1 << 60) + 1], vec![1 << 30, 1 << 32], vec![1 << 57, 6, 3]] {
        let n: usize = shape.iter().product();
        match arena.zeros::<f64>(&shape).unwrap_err() {
            Error::OutOfMemory { bytes } => assert_eq!(bytes, n.saturating_mul(8)),
            error => panic!("{error}"),
        }
    }
    assert_eq!(arena.zeros::<u8>([usize::MAX, 2]).unwrap_err().kind(), ErrorKind::Limit);
    assert!(Arena::with_capacity(usize::MAX).is_err());
    // This one gets as far as the allocator. (AddressSanitizer's ends the program instead, unless
    // ASAN_OPTIONS has allocator_may_return_null=1.)
    assert!(Arena::with_capacity(1 << 60).is_err());
    assert_eq!((arena.allocated(), arena.capacity()), (0, 0));
    assert!(arena.zeros::<f64>([10]).is_ok());
}

#[test]
fn views_without_elements_need_no_memory() {
    let mut arena = Arena::with_limit(0);
    arena.reserve(0).unwrap();
    arena.scope(|s| {
        let mut x = s.zeros::<f32>([3, 0, 2]).unwrap();
        x.fill(1.0);
        let y = s.full([0], 5u8).unwrap();
        assert_eq!(x.shape(), [3, 0, 2]);
        assert_eq!(s.copy_of(&y).unwrap().into_slice(), Some(&mut [][..]));
        assert_eq!(s.zeros_like(&x).unwrap().shape(), [3, 0, 2]);
        add_into(&x, 1.0, s.zeros_like(&x).unwrap()).unwrap();
        assert!(s.zeros::<u8>([1]).is_err());
    });
    assert_eq!((arena.allocated(), arena.capacity()), (0, 0));
}

#[test]
fn view_of_rank_0_is_one_element() {
    Arena::new().scope(|s| {
        let mut x = s.zeros::<f32>(()).unwrap();
        x.set(&[], 2.0).unwrap();
        assert_eq!(s.copy_of(&x).unwrap().get(&[]).unwrap(), 2.0);
        assert_eq!(s.allocated(), 64 + 4);
    });
}

#[test]
fn reserved_capacity_is_exact() {
    let mut arena = Arena::with_capacity(1001).unwrap();
    assert_eq!((arena.allocated(), arena.capacity()), (0, 1001));
    arena.zeros::<u8>([1001]).unwrap();
    assert_eq!((arena.allocated(), arena.capacity()), (1001, 1001));
    arena.clear();
    arena.reserve(1001).unwrap();
    assert_eq!(arena.capacity(), 1001);
    arena.reserve(1002).unwrap();
    assert_eq!(arena.capacity(), 2003);
    assert_eq!(arena.trim(), 2003);
}

#[test]
fn trim_keeps_memory_in_use() {
    let mut arena = Arena::new();
    arena.zeros::<u8>([100]).unwrap();
    let mark = arena.mark();
    arena.zeros::<u8>([1_000_000]).unwrap();
    assert_eq!(arena.trim(), 0);
    arena.rewind(mark).unwrap();
    assert!(arena.trim() >= 1_000_000);
    assert_eq!(arena.allocated(), 100);
    assert_eq!(arena.mark(), mark);
}

#[test]
fn new_views_hold_the_requested_values() {
    let data: Vec<i32> = (0..24).collect();
    let view = View::new(&data, Layout::row_major(&[2, 3, 4]).unwrap()).unwrap();
    let odd = view.clone().permute_dims(&[2, 0, 1]).unwrap().flip(&[0]).unwrap();
    let mut arena = Arena::new();
    let ((), events) = copies::record(|| {
        arena.scope(|s| {
            let ones = s.ones::<Bool>([3]).unwrap();
            assert!(ones.as_view().iter().all(Bool::is_true));
            let like = s.full_like(&odd, 9).unwrap();
            assert_eq!(like.layout().strides(), [1, 12, 4]);
            assert!(like.as_view().iter().all(|it| it == 9));
            let zeros = s.zeros_like(&odd).unwrap();
            assert_eq!(zeros.layout(), like.layout());
            assert!(zeros.as_view().iter().all(|it| it == 0));
            let copy = s.copy_of(&odd).unwrap();
            assert!(copy.layout().is_contiguous());
            assert!(copy.as_view().iter().eq(odd.iter()));
            assert_eq!(s.copy_of(&data[..]).unwrap().into_slice().unwrap(), data);
        })
    });
    let told: Vec<_> = events.iter().map(|it| (it.op, it.bytes)).collect();
    assert_eq!(told, [("copy_of", 96), ("copy_of", 96)]);
    assert!(events[0].caller.file().ends_with("arena.rs"));
}

/// relu(a · b + c), with everything between in scratch memory.
fn relu_of_sum(arena: &mut Arena, [a, b, c, y]: [&Tensor; 4]) -> Result<(), Error> {
    arena.scope(|s| {
        let mut product = s.zeros::<f32>(y.shape())?;
        mul_into(a, b, &mut product)?;
        let mut sum = s.zeros_like(&product)?;
        add_into(&product, c, &mut sum)?;
        relu_into(&sum, y)
    })
}

#[test]
fn computation_in_a_scope_does_not_allocate() {
    for (rows, cols) in [(2, 3), (300, 500)] {
        let a = Tensor::full([rows, cols], 2.0f32).unwrap();
        let b = Tensor::full([cols, rows], -1.5f32).unwrap().t().unwrap();
        let c = Tensor::arange_step(0.0, cols as f64, 1.0, DType::Float32).unwrap();
        let y = Tensor::zeros([rows, cols], DType::Float32).unwrap();
        let mut arena = Arena::new();
        with_num_threads(1, || {
            relu_of_sum(&mut arena, [&a, &b, &c, &y]).unwrap();
            let n = n_allocations(|| relu_of_sum(&mut arena, [&a, &b, &c, &y]).unwrap());
            assert_eq!(n, 0, "{rows} × {cols}");
        });
        let expected: Vec<f32> =
            (0..rows * cols).map(|i| ((i % cols) as f32 - 3.0).max(0.0)).collect();
        assert_eq!(y.to_vec::<f32>().unwrap(), expected);
    }
}

#[test]
fn strided_layouts_scalars_and_where_do_not_allocate() {
    let mut arena = Arena::new();
    let mut run = || {
        arena.scope(|s| {
            let mut x = s.full([4, 5], 3.0)?.t()?.flip(&[0])?;
            x.set(&[0, 0], -2.0)?;
            let mut negative = s.zeros::<Bool>(x.shape())?;
            less_into(&x, 0, &mut negative)?;
            let copy = s.copy_of(&x)?;
            let mut y = s.zeros_like(&x)?;
            where_into(&negative, 10, &copy, &mut y)?;
            s.scope(|inner| {
                let twice = inner.full_like(&y, 2.0)?;
                let source = inner.copy_of(&y)?;
                mul_into(&source, &twice, &mut y)
            })?;
            Ok::<_, Error>((y.get(&[0, 0])?, y.get(&[4, 3])?))
        })
    };
    assert_eq!(run().unwrap(), (20.0, 6.0));
    assert_eq!(n_allocations(&mut run), 0);
}

#[test]
fn memory_is_freed_with_the_arena() {
    let before = BYTES.get();
    let mut arena = Arena::new();
    arena.scope(|s| drop((s.zeros::<u8>([100_000]).unwrap(), s.zeros::<u8>([200_000]).unwrap())));
    assert!(BYTES.get() - before >= 300_000);
    drop(arena);
    assert_eq!(BYTES.get(), before);
}

#[test]
fn disjoint_parts_of_a_view_are_written_by_several_threads() {
    let mut arena = Arena::new();
    arena.scope(|s| {
        let mut x = s.zeros::<u64>([64, 100]).unwrap();
        std::thread::scope(|threads| {
            for (k, mut rows) in x.chunks_mut(0, 16).unwrap().enumerate() {
                threads.spawn(move || rows.fill(k as u64));
            }
        });
        let right = (0..6400).map(|i| (i / 1600) as u64);
        assert!(x.as_view().iter().eq(right));
    });
}

#[test]
fn arenas_and_scopes_can_be_handed_to_other_threads() {
    fn can_be_sent<T: Send>() {}
    can_be_sent::<Arena>();
    can_be_sent::<Scope<'_>>();

    let mut arena = Arena::new();
    let sum = arena.scope(|s| {
        let (ours, mut theirs) = std::thread::scope(|threads| {
            let handle = threads.spawn(|| {
                let x = s.full([1000], 3i32).unwrap();
                s.scope(|inner| assert!(is_zero(&inner.zeros::<i32>([50_000]).unwrap())));
                (x, s.zeros::<i32>([1000]).unwrap())
            });
            handle.join().unwrap()
        });
        add_into(&ours, 1, &mut theirs).unwrap();
        theirs.as_view().iter().sum::<i32>()
    });
    assert_eq!(sum, 4000);

    let moved = std::thread::spawn(move || {
        assert!(arena.scope(|s| is_zero(&s.zeros::<i32>([1000]).unwrap())));
        arena
    });
    assert_eq!(moved.join().unwrap().allocated(), 0);
}
