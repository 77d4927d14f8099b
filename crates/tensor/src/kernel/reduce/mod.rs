//! A fold over some axes of a view.
//!
//! The plan tells loops that are kept from those that are folded: the output does not move along the
//! latter. If the innermost loop is folded, each result is made of *runs* (horizontal); if it is
//! kept, a stretch of results is made at once, row by row (vertical). Elements that do not lie one
//! behind the other are packed first, as everywhere, and those of another type than the fold's are
//! converted on the same way. Runs that are short are packed several at a time: each call costs as much
//! as some dozens of elements.
//!
//! Threads share out the results. If there are few of them, the longest folded loop is cut into
//! segments instead, whose totals are joined in order. Whether that is done, and where the cuts are,
//! depends on the plan alone, so that the bits of a result do not depend on the number of threads.

mod columns;

use super::body::Body;
use super::cast::cast;
use super::copy::{Steps, copy_tile};
use super::fold::{RUN, Run, TOTAL_SIZE};
use super::map::Buffer;
use super::reducer::Reducer;
use crate::Layout;
use crate::plan::{BLOCK, Loop, Plan};
use crate::pool;
use crate::view::{AnyView, AnyViewMut, Written};
use std::mem::MaybeUninit;

/// Output, input, and the position among the elements that are folded (which is not memory).
type Loop3 = Loop<3>;

/// Elements that make a segment worth its own total.
pub(super) const SEGMENT: usize = 1 << 16;

/// With fewer results, threads share the folded loops instead.
pub(super) const FEW: usize = 64;

/// The most segments, so that their totals take little memory.
pub(super) const MOST_SEGMENTS: usize = 256;

/// Folded loops that are shorter are worked on column by column rather than run by run, or several at a
/// time.
const SHORT: usize = 32;

/// Folds an input into an output of the same rank, whose folded axes have length 1.
///
/// Positions are those of the given layout, which has the shape of the input; folds that do not ask
/// for them are given one without strides. The output's type must be that of the reducer, and shapes
/// fit; if not, this panics.
pub(crate) fn reduce<'x>(
    reducer: &Reducer,
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    positions: &Layout,
) -> Written<'x> {
    assert_eq!(out.dtype(), reducer.output(), "the type of results");
    let shape = input.layout().shape();
    let results = out.layout().broadcast_to(&*shape).expect("folded axes have length 1");
    let sizes = [out.dtype().size(), input.dtype().size(), 0];
    let plan = Plan::elementwise([&results, input.layout(), positions], sizes)
        .expect("the three have one shape");
    let count = shape.iter().product::<usize>().checked_div(out.layout().len()).unwrap_or(0);
    if plan.is_empty() {
        return without_elements(reducer, out);
    }
    let job = Job::new(*reducer, &plan, &out, input, count);
    match job.n_segments() {
        1 => job.over_results(),
        n => job.over_segments(n),
    }
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// Writes the fold of nothing to every element.
pub(super) fn without_elements<'x>(reducer: &Reducer, out: AnyViewMut<'x>) -> Written<'x> {
    let size = out.dtype().size();
    let mut total = Totals::<1>::new();
    for offset in out.layout().offsets() {
        // SAFETY: the slot has room, and the offset is one of the output's.
        unsafe {
            reducer.start(total.ptr(), 1);
            reducer.finish(total.ptr(), 0, out.ptr().as_ptr().add(offset * size));
        }
    }
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// What a walk needs, for several threads.
struct Job {
    reducer: Reducer,
    out: *mut u8,
    input: *const u8,
    out_size: usize,
    size: usize,
    /// What makes elements of the reducer's type of the input's, and their size.
    convert: Option<Body<'static, 2>>,
    inside: usize,
    /// Elements that go into each result.
    count: usize,
    start: At,
    /// Loops that are kept, outermost first.
    kept: Vec<Loop3>,
    /// Loops that are folded, outermost first.
    folded: Vec<Loop3>,
    /// Whether stretches of the innermost kept loop are worked on at once.
    is_vertical: bool,
}

// SAFETY: threads work on results of their own, or on totals of their own, while `reduce` holds the
// borrows of both views.
unsafe impl Sync for Job {}

/// Where a walk is: offsets in elements of the output and the input, and the position.
#[derive(Clone, Copy)]
struct At {
    out: isize,
    input: isize,
    position: isize,
}

impl At {
    fn after(self, turns: usize, it: &Loop3) -> At {
        let turns = turns as isize;
        At {
            out: self.out + turns * it.steps[0],
            input: self.input + turns * it.steps[1],
            position: self.position + turns * it.steps[2],
        }
    }
}

/// Where the totals of results go.
#[derive(Clone, Copy)]
enum Sink {
    /// They are finished, and written to the output.
    Output,
    /// They are joined with those in a table, by the number of the result.
    Table(*mut u8),
}

impl Job {
    fn new(
        reducer: Reducer,
        plan: &Plan<3>,
        out: &AnyViewMut<'_>,
        input: &AnyView<'_>,
        count: usize,
    ) -> Job {
        let (folded, mut kept): (Vec<Loop3>, Vec<Loop3>) =
            plan.loops().iter().partition(|it| it.steps[0] == 0);
        let innermost_is_kept = plan.loops().last().is_some_and(|it| it.steps[0] != 0);
        let is_short = folded.last().is_some_and(|it| it.len < SHORT);
        let is_vertical = !kept.is_empty() && (innermost_is_kept || is_short);
        if !innermost_is_kept && is_vertical {
            // Columns should be close together in memory.
            kept.sort_by_key(|it| std::cmp::Reverse(it.steps[1].unsigned_abs()));
        }
        let [at_out, at_input, position] = plan.starts().map(|start| start as isize);
        Job {
            reducer,
            out: out.ptr().as_ptr(),
            input: input.ptr().as_ptr(),
            out_size: out.dtype().size(),
            size: input.dtype().size(),
            convert: (input.dtype() != reducer.input())
                .then(|| cast(input.dtype(), reducer.input())),
            inside: reducer.input().size(),
            count,
            start: At { out: at_out, input: at_input, position },
            kept,
            folded,
            is_vertical,
        }
    }

    fn n_results(&self) -> usize {
        self.kept.iter().map(|it| it.len).product()
    }

    /// Whether there are results enough for threads to share.
    fn has_many_results(&self) -> bool {
        self.n_results() >= FEW
    }

    /// The kept loop that threads share, and in how many pieces.
    ///
    /// The outermost one that has turns for all, so that each thread has a part of memory to itself; or the
    /// longest. Columns are cut where cache lines of results end, and stay as wide as rows are read.
    fn shared_loop(&self, n_threads: usize) -> Option<(usize, usize, usize)> {
        let n = 4 * n_threads;
        let long_enough = |&k: &usize| k + 1 < self.kept.len() && self.kept[k].len >= n;
        let longest = || (0..self.kept.len()).max_by_key(|&k| self.kept[k].len);
        let k = (0..self.kept.len()).find(long_enough).or_else(longest)?;
        let turns = self.kept[k].len;
        if k + 1 < self.kept.len() {
            return Some((k, n.min(turns), 1));
        }
        let unit = 64.min(turns);
        let wide = match self.is_vertical {
            true => (turns / self.widest(&self.kept[k])).max(n_threads),
            false => n,
        };
        Some((k, n.min(wide).min(turns.div_ceil(unit)), unit))
    }

    /// How many segments the longest folded loop is cut into: 1 if the results are enough to share.
    fn n_segments(&self) -> usize {
        let len = self.n_results() * self.count;
        let longest = self.folded.iter().map(|it| it.len).max().unwrap_or(1);
        match self.has_many_results() {
            false if len >= 2 * SEGMENT => (len / SEGMENT).min(MOST_SEGMENTS).min(longest),
            _ => 1,
        }
    }

    /// Threads share the results.
    fn over_results(&self) {
        let len = self.n_results() * self.count;
        let n_threads = if len < 2 * SEGMENT { 1 } else { pool::num_threads() };
        let shared = match self.has_many_results() && n_threads > 1 {
            true => self.shared_loop(n_threads),
            false => None,
        };
        let Some((k, n, unit)) = shared else {
            // SAFETY: the loops are those of the plan.
            return unsafe { self.results(&self.kept, &self.folded, self.start, 0, Sink::Output) };
        };
        let turns = self.kept[k].len;
        pool::run(n, &|i| {
            let cut = |i: usize| (turns.div_ceil(unit) * i / n * unit).min(turns);
            let mut kept = self.kept.clone();
            kept[k].len = cut(i + 1) - cut(i);
            let start = self.start.after(cut(i), &self.kept[k]);
            // SAFETY: the loops are a part of the plan's, and no two threads have the same results.
            unsafe { self.results(&kept, &self.folded, start, 0, Sink::Output) };
        });
    }

    /// Threads share segments of the longest folded loop.
    fn over_segments(&self, n: usize) {
        let longest = (0..self.folded.len()).max_by_key(|&k| self.folded[k].len).unwrap_or(0);
        let n_results = self.n_results();
        let mut table = Table::new(self.reducer, n * n_results);
        let slots = table.slots();
        let turns = self.folded[longest].len;
        pool::run(n, &|i| {
            // `turns * i / n`, without a product that could overflow.
            let cut = |i: usize| turns / n * i + turns % n * i / n;
            let (from, to) = (cut(i), cut(i + 1));
            let mut folded = self.folded.clone();
            folded[longest].len = to - from;
            let start = self.start.after(from, &self.folded[longest]);
            // SAFETY: the loops are a part of the plan's, and each segment has slots of its own.
            unsafe {
                let sink = Sink::Table(slots.of_segment(i, n_results));
                self.results(&self.kept, &folded, start, 0, sink);
            }
        });
        // SAFETY: the table has `n` times `n_results` started slots, which nobody uses any more.
        unsafe {
            for i in 1..n {
                self.reducer.merge(slots.0, slots.of_segment(i, n_results), n_results);
            }
            self.finish_table(&self.kept, self.start, 0, slots.0);
        }
    }

    /// Makes the results of a nest of kept loops; the first of them has a number.
    ///
    /// # Safety
    /// The loops must lead to elements of the two views from where the walk is.
    unsafe fn results(&self, kept: &[Loop3], folded: &[Loop3], at: At, number: usize, sink: Sink) {
        match kept {
            // SAFETY: the caller's promise.
            [] => unsafe { self.single(folded, at, number, sink) },
            // SAFETY: the caller's promise.
            [cols] if self.is_vertical => unsafe { self.columns(cols, folded, at, number, sink) },
            [first, rest @ ..] => {
                let inside: usize = rest.iter().map(|it| it.len).product();
                for i in 0..first.len {
                    // SAFETY: each turn begins a nest of the caller's.
                    unsafe {
                        self.results(rest, folded, at.after(i, first), number + i * inside, sink)
                    };
                }
            }
        }
    }

    /// # Safety
    /// That of `results`, for one result.
    unsafe fn single(&self, folded: &[Loop3], at: At, number: usize, sink: Sink) {
        let mut total = Totals::<1>::new();
        // SAFETY: there is room for a total, which is started before it is used.
        unsafe {
            self.reducer.start(total.ptr(), 1);
            self.runs(folded, at, total.ptr());
            self.put(total.ptr(), at, number, sink);
        }
    }

    /// Takes the elements of a nest of folded loops up into a total.
    ///
    /// # Safety
    /// The loops must lead to elements of the input, and the total be started.
    unsafe fn runs(&self, folded: &[Loop3], at: At, total: *mut u8) {
        match folded {
            // SAFETY: a single element is a run.
            [] => unsafe { self.run(&Loop { len: 1, steps: [0, 1, 0] }, at, total) },
            // SAFETY: the caller's promise.
            [run] => unsafe { self.run(run, at, total) },
            // SAFETY: as above.
            [rows, run] if are_packed_together(rows, run) => unsafe {
                self.short_runs(rows, run, at, total)
            },
            [first, rest @ ..] => {
                for i in 0..first.len {
                    // SAFETY: each turn begins a nest of the caller's.
                    unsafe { self.runs(rest, at.after(i, first), total) };
                }
            }
        }
    }

    /// # Safety
    /// That of `runs`, for one loop.
    unsafe fn run(&self, it: &Loop3, at: At, total: *mut u8) {
        let [_, step, stride] = it.steps;
        if !self.is_direct(step) {
            // SAFETY: the caller's promise.
            return unsafe { self.packed_run(it, at, total) };
        }
        for from in (0..it.len).step_by(RUN) {
            let len = RUN.min(it.len - from);
            let At { input, position, .. } = at.after(from, it);
            // SAFETY: the part lies inside of the loop.
            unsafe {
                let run = Run { at: self.element(input), len, position, stride };
                self.reducer.horizontal(run, total);
            }
        }
    }

    /// The same for a run that has to be packed. Apart, because there is a price for the room of the
    /// buffers, which other runs need not pay.
    ///
    /// # Safety
    /// That of `run`.
    #[inline(never)]
    unsafe fn packed_run(&self, it: &Loop3, at: At, total: *mut u8) {
        let [_, step, stride] = it.steps;
        let steps = Steps { rows: 0, cols: step * self.size as isize };
        let mut buffers = [Buffer::new(), Buffer::new()];
        for from in (0..it.len).step_by(BLOCK) {
            let len = BLOCK.min(it.len - from);
            let At { input, position, .. } = at.after(from, it);
            // SAFETY: the part lies inside of the loop, and is no more than a block.
            unsafe {
                let at = self.pack(&mut buffers, self.element(input), steps, [1, len]);
                self.reducer.horizontal(Run { at, len, position, stride }, total);
            }
        }
    }

    /// Short runs, packed so that several are one.
    ///
    /// # Safety
    /// That of `runs`, for two loops of which the inner one is shorter than [`SHORT`].
    #[inline(never)]
    unsafe fn short_runs(&self, rows: &Loop3, run: &Loop3, at: At, total: *mut u8) {
        let size = self.size as isize;
        let steps = Steps { rows: rows.steps[1] * size, cols: run.steps[1] * size };
        let most = BLOCK / run.len;
        let mut buffers = [Buffer::new(), Buffer::new()];
        for from in (0..rows.len).step_by(most) {
            let count = most.min(rows.len - from);
            let part = at.after(from, rows);
            // SAFETY: the rows lie inside of the loops, and are no more than a block.
            unsafe {
                let at = self.element(part.input);
                let at = self.pack(&mut buffers, at, steps, [count, run.len]);
                let (position, stride) = (part.position, run.steps[2]);
                let run = Run { at, len: count * run.len, position, stride };
                self.reducer.horizontal(run, total);
            }
        }
    }

    /// Whether elements a step apart can be folded where they are.
    fn is_direct(&self, step: isize) -> bool {
        step == 1 && self.convert.is_none()
    }

    /// Packs a tile of elements into a buffer, as the reducer's type.
    ///
    /// # Safety
    /// The steps must lead to elements of the input, and no more than [`BLOCK`] of them.
    unsafe fn pack(
        &self,
        [packed, converted]: &mut [Buffer; 2],
        at: *const u8,
        from: Steps,
        counts: [usize; 2],
    ) -> *const u8 {
        let size = self.size as isize;
        let to = Steps { rows: counts[1] as isize * size, cols: size };
        // SAFETY: the caller's promise; a buffer has room for a block of elements of any type, and the
        // body is one of these two types.
        unsafe {
            copy_tile(self.size, packed.ptr(), to, at, from, counts);
            let Some(convert) = &self.convert else { return packed.ptr() };
            convert.call([converted.ptr(), packed.ptr()], counts[0] * counts[1], 0);
        }
        converted.ptr()
    }

    /// Brings a total to where it belongs.
    ///
    /// # Safety
    /// The total must be started, and where the walk is must be an element of the output; a table
    /// must have a started slot with this number.
    unsafe fn put(&self, total: *mut u8, at: At, number: usize, sink: Sink) {
        // SAFETY: the caller's promise.
        unsafe {
            match sink {
                Sink::Output => self.reducer.finish(total, self.count, self.result(at.out)),
                Sink::Table(slots) => {
                    self.reducer.merge(slots.add(number * TOTAL_SIZE), total, 1);
                }
            }
        }
    }

    /// Finishes the totals of a table, in the order of the kept loops.
    ///
    /// # Safety
    /// The table must have a started slot for each result; the loops lead to the output's elements.
    unsafe fn finish_table(&self, kept: &[Loop3], at: At, number: usize, slots: *mut u8) {
        match kept {
            // SAFETY: the caller's promise.
            [] => unsafe {
                self.put(slots.add(number * TOTAL_SIZE), at, number, Sink::Output);
            },
            [first, rest @ ..] => {
                let inside: usize = rest.iter().map(|it| it.len).product();
                for i in 0..first.len {
                    // SAFETY: each turn begins a nest of the caller's.
                    unsafe {
                        self.finish_table(rest, at.after(i, first), number + i * inside, slots)
                    };
                }
            }
        }
    }

    /// # Safety
    /// The offset must be one of the input's.
    unsafe fn element(&self, offset: isize) -> *const u8 {
        // SAFETY: the caller's promise.
        unsafe { self.input.offset(offset * self.size as isize) }
    }

    /// # Safety
    /// The offset must be one of the output's.
    unsafe fn result(&self, offset: isize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { self.out.offset(offset * self.out_size as isize) }
    }
}

/// Whether runs are so short that several are packed as one: if positions go on from one to the next.
fn are_packed_together(rows: &Loop3, run: &Loop3) -> bool {
    run.len < SHORT && rows.steps[2] == run.len as isize * run.steps[2]
}

/// Room for `N` totals.
#[repr(align(32))]
pub(super) struct Totals<const N: usize>(MaybeUninit<[[u8; TOTAL_SIZE]; N]>);

impl<const N: usize> Totals<N> {
    pub(super) fn new() -> Totals<N> {
        Totals(MaybeUninit::uninit())
    }

    pub(super) fn ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// Started totals on the heap.
pub(super) struct Table(Vec<Totals<1>>);

/// The slots of a table, for several threads.
pub(super) struct Slots(*mut u8);

// SAFETY: each thread uses slots of its own (`over_segments`).
unsafe impl Sync for Slots {}

impl Slots {
    /// Where the slots of a segment begin.
    ///
    /// # Safety
    /// They must lie in the table.
    pub(super) unsafe fn of_segment(&self, i: usize, n_results: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(i * n_results * TOTAL_SIZE) }
    }
}

impl Table {
    /// At most `FEW * MOST_SEGMENTS` of them, whatever the shape.
    pub(super) fn new(reducer: Reducer, n: usize) -> Table {
        let started = || {
            let mut total = Totals::new();
            // SAFETY: there is room for a total.
            unsafe { reducer.start(total.ptr(), 1) };
            total
        };
        Table((0..n).map(|_| started()).collect())
    }

    pub(super) fn slots(&mut self) -> Slots {
        Slots(self.0.as_mut_ptr().cast())
    }
}
