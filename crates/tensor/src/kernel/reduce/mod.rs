//! A reduction over some axes of a view.
//!
//! The plan separates loops that are kept from loops that are reduced: the output's stride is 0 along the latter. If
//! the innermost loop is reduced, each result is made of *runs* (horizontal); if it is kept, several results are
//! computed at once, row by row (vertical). Elements that are not contiguous are packed first, and elements of
//! another dtype than the reduction's are cast at the same time. Short runs are packed several at a time: each call
//! costs as much as some dozens of elements.
//!
//! Loops whose input step is 0 (broadcast axes) are not walked. If such a loop is reduced, each total is that of
//! several copies of the same elements; if it is kept, the same result is written several times.
//!
//! Some totals become final: one `true` decides `any`. The remaining elements are not read then.
//!
//! Threads share the results. If there are few results, the longest reduced loop is cut into segments instead, whose
//! totals are merged in order. Whether that is done, and where the cuts are, depends on the plan alone, so that
//! the bits of a result do not depend on the number of threads.

mod columns;
mod runs;

pub(super) use runs::RUNS_AT_ONCE;
pub(crate) use runs::is_one_run;

use super::body::Body;
use super::cast::cast;
use super::copy::{Steps, copy_tile};
use super::map::Buffer;
use super::parallel::for_each_mut;
use super::reducer::{Accumulators, Reducer, Slot};
use crate::Layout;
use crate::cancel::{collect_scratch, scratch_of};
use crate::plan::{Loop, Plan, piece_of, pieces_for, threads_for};
use crate::pool;
use crate::sync_ptr::SyncPtr;
use crate::view::{AnyView, AnyViewMut, Written};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Output, input, and the position among the elements that are reduced (which is not memory).
type Loop3 = Loop<3>;

/// The number of elements from which a segment is worth its own total.
pub(super) const SEGMENT_ELEMENTS: usize = 1 << 16;

/// With fewer results, threads share the reduced loops instead.
pub(super) const FEW_RESULTS: usize = 64;

/// The maximum number of segments, so that their totals take little memory.
pub(super) const MAX_SEGMENTS: usize = 256;

/// Reduced loops with fewer iterations than this are processed column by column rather than run by run, or several at
/// a time.
const SHORT_LOOP: usize = 32;

/// Reduces an input into an output of the same rank, whose reduced axes have length 1.
///
/// Positions are those of the given layout, which has the shape of the input; reductions that do not need
/// positions are given one with strides 0.
///
/// # Panics
/// If the output's dtype is not that of the reducer, or the shapes do not match.
pub(crate) fn reduce<'x>(
    reducer: &Reducer,
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    positions: &Layout,
) -> Written<'x> {
    assert_eq!(out.dtype(), reducer.output(), "the dtype of results");
    let shape = input.layout().shape();
    let results = out.layout().broadcast_to(&*shape).expect("reduced axes have length 1");
    let sizes = [out.dtype().size(), input.dtype().size(), 0];
    let plan = Plan::elementwise([&results, input.layout(), positions], sizes)
        .expect("the three have one shape");
    let count = shape.iter().product::<usize>().checked_div(out.layout().len()).unwrap_or(0);
    if plan.is_empty() {
        return reduce_nothing(reducer, out);
    }
    let job = ReduceJob::new(*reducer, &plan, &out, input, count);
    match job.n_segments() {
        1 => job.over_results(),
        n => job.over_segments(n),
    }
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// Writes the reduction of no elements to every element of the output.
pub(super) fn reduce_nothing<'x>(reducer: &Reducer, out: AnyViewMut<'x>) -> Written<'x> {
    let size = out.dtype().size();
    let mut slot = Slot::empty::<1>();
    let total = Accumulators::new(reducer, &mut slot);
    for offset in out.layout().offsets() {
        // SAFETY: the offset is one of the output's, whose dtype is the reducer's.
        unsafe { total.finish(0, 0, out.ptr().as_ptr().add(offset * size)) };
    }
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// The arguments of a reduction, shared by its threads.
struct ReduceJob {
    reducer: Reducer,
    out: SyncPtr<u8>,
    input: SyncPtr<u8>,
    out_size: usize,
    size: usize,
    /// The cast from the input's dtype to the reducer's, if they differ.
    convert: Option<Body<'static, 2>>,
    /// Bytes of an element of the reducer's dtype.
    reducer_size: usize,
    /// Elements that are reduced to each result, including those of broadcast axes.
    count: usize,
    start: At,
    /// Loops that are kept, outermost first.
    kept: Vec<Loop3>,
    /// Loops that are reduced, outermost first.
    reduced: Vec<Loop3>,
    /// Loops of the output alone: kept axes that are broadcast.
    copies: Vec<Loop3>,
    /// How often the elements of a result are repeated by reduced axes that are broadcast.
    repetitions: usize,
    /// Whether several columns of the innermost kept loop are reduced at once.
    is_vertical: bool,
}

/// Where a walk is: offsets in elements of the output and the input, and the position.
#[derive(Clone, Copy)]
struct At {
    out: isize,
    input: isize,
    position: isize,
}

impl At {
    /// Returns the state `n` iterations of a loop later.
    fn after(self, n: usize, it: &Loop3) -> At {
        let n = n as isize;
        At {
            out: self.out + n * it.steps[0],
            input: self.input + n * it.steps[1],
            position: self.position + n * it.steps[2],
        }
    }
}

/// Calls `f` for each iteration of a nest of loops, in order.
fn walk(loops: &[Loop3], at: At, f: &mut impl FnMut(At)) {
    match loops {
        [] => f(at),
        [first, rest @ ..] => {
            for i in 0..first.len {
                walk(rest, at.after(i, first), f);
            }
        }
    }
}

/// Where the totals of results go.
enum Sink<'s, 'a> {
    /// They are finished and written to the output.
    Output,
    /// They are merged with those of a table, by the number of the result.
    Table(&'s mut Accumulators<'a>),
}

impl ReduceJob {
    fn new(
        reducer: Reducer,
        plan: &Plan<3>,
        out: &AnyViewMut<'_>,
        input: &AnyView<'_>,
        count: usize,
    ) -> ReduceJob {
        let (broadcast, loops): (Vec<Loop3>, Vec<Loop3>) =
            plan.loops().iter().partition(|it| it.steps[1] == 0);
        let (repeated, copies): (Vec<Loop3>, Vec<Loop3>) =
            broadcast.into_iter().partition(|it| it.steps[0] == 0);
        let innermost_is_kept = loops.last().is_some_and(|it| it.steps[0] != 0);
        let (reduced, mut kept): (Vec<Loop3>, Vec<Loop3>) =
            loops.into_iter().partition(|it| it.steps[0] == 0);
        let is_short = reduced.last().is_some_and(|it| it.len < SHORT_LOOP);
        let is_vertical = !kept.is_empty() && (innermost_is_kept || is_short);
        if !innermost_is_kept && is_vertical {
            // Adjacent columns should be close together in memory, and there should be enough of them.
            kept.sort_by_key(|it| {
                (it.len >= SHORT_LOOP, std::cmp::Reverse(it.steps[1].unsigned_abs()))
            });
        }
        let [at_out, at_input, mut position] = plan.starts().map(|start| start as isize);
        for it in &repeated {
            // Of equal elements the first one counts.
            position += (it.len as isize - 1) * it.steps[2].min(0);
        }
        ReduceJob {
            reducer: if is_in_order(&reduced) { reducer } else { reducer.to_the_end() },
            out: SyncPtr::new(out.ptr().as_ptr()),
            input: SyncPtr::new(input.ptr().as_ptr()),
            out_size: out.dtype().size(),
            size: input.dtype().size(),
            convert: (input.dtype() != reducer.input())
                .then(|| cast(input.dtype(), reducer.input())),
            reducer_size: reducer.input().size(),
            count,
            start: At { out: at_out, input: at_input, position },
            kept,
            reduced,
            copies,
            repetitions: repeated.iter().map(|it| it.len).product(),
            is_vertical,
        }
    }

    fn n_results(&self) -> usize {
        self.kept.iter().map(|it| it.len).product()
    }

    /// Returns the number of elements that are read.
    fn n_elements(&self) -> usize {
        self.n_results() * (self.count / self.repetitions)
    }

    /// Whether there are enough results for threads to share.
    fn has_many_results(&self) -> bool {
        self.n_results() >= FEW_RESULTS
    }

    /// Returns the kept loop that threads share, the number of pieces, and the unit of the cuts; or `None` if the
    /// calling thread computes all results.
    ///
    /// It is the outermost loop that has an iteration for each piece, so that each thread reads its own part of memory;
    /// or the longest. Columns are cut at cache lines of results, and pieces stay as wide as rows are read.
    fn shared_loop(&self) -> Option<(usize, usize, usize)> {
        let work = self.n_elements();
        let n = pieces_for(work, usize::MAX);
        if n == 1 || !self.has_many_results() {
            return None;
        }
        let long_enough = |&k: &usize| k + 1 < self.kept.len() && self.kept[k].len >= n;
        let longest = || (0..self.kept.len()).max_by_key(|&k| self.kept[k].len);
        let k = (0..self.kept.len()).find(long_enough).or_else(longest)?;
        let len = self.kept[k].len;
        if k + 1 < self.kept.len() {
            return Some((k, n.min(len), 1));
        }
        let unit = 64.min(len);
        let wide = match self.is_vertical {
            true => (len / self.widest(&self.kept[k])).max(threads_for(work)),
            false => n,
        };
        Some((k, n.min(wide).min(len.div_ceil(unit)), unit))
    }

    /// Returns the number of segments of the longest reduced loop: 1 if threads share the results.
    fn n_segments(&self) -> usize {
        let len = self.n_elements();
        let longest = self.reduced.iter().map(|it| it.len).max().unwrap_or(1);
        // Totals that become final have the same bits for all segments: one thread needs none.
        let is_one_thread = self.reducer.ends_early() && threads_for(len) == 1;
        match self.has_many_results() {
            false if len >= 2 * SEGMENT_ELEMENTS && !is_one_thread => {
                (len / SEGMENT_ELEMENTS).min(MAX_SEGMENTS).min(longest)
            }
            _ => 1,
        }
    }

    /// Computes all results, which threads share.
    fn over_results(&self) {
        let Some((k, n, unit)) = self.shared_loop() else {
            // SAFETY: the loops are those of the plan, which was made from the layouts of both views.
            return unsafe { self.results(&self.kept, &self.reduced, self.start, Sink::Output) };
        };
        pool::run(n, &|i| {
            let range = piece_of(self.kept[k].len, unit, i, n);
            let mut kept = self.kept.clone();
            kept[k].len = range.len();
            let start = self.start.after(range.start, &self.kept[k]);
            // SAFETY: the loops are a part of the plan's, and no two pieces have the same results.
            unsafe { self.results(&kept, &self.reduced, start, Sink::Output) };
        });
    }

    /// Computes all results; threads share segments of the longest reduced loop.
    fn over_segments(&self, n: usize) {
        let longest = self.longest_reduced();
        let n_results = self.n_results();
        // At most `FEW_RESULTS * MAX_SEGMENTS` slots, whatever the shape.
        let mut slots = scratch_of(Slot::EMPTY, n * n_results);
        let tables = slots.chunks_mut(n_results).map(|it| Accumulators::new(&self.reducer, it));
        let mut tables: Vec<Accumulators<'_>> = collect_scratch(tables);
        // The first segment whose totals are final: those after it do not count, if they come after it in the order of
        // positions.
        let last_needed = AtomicUsize::new(n);
        let is_in_order = longest == 0 || self.reduced.iter().all(|it| it.steps[2] == 0);
        for_each_mut(&mut tables, |i, table| {
            if i > last_needed.load(Relaxed) {
                return;
            }
            let range = piece_of(self.reduced[longest].len, 1, i, n);
            let mut reduced = self.reduced.clone();
            reduced[longest].len = range.len();
            let start = self.start.after(range.start, &self.reduced[longest]);
            // SAFETY: the loops are a part of the plan's, and nothing is written to the output.
            unsafe { self.results(&self.kept, &reduced, start, Sink::Table(&mut *table)) };
            if is_in_order && table.are_final() {
                last_needed.fetch_min(i, Relaxed);
            }
        });
        let (total, others) = tables.split_first_mut().expect("at least two segments");
        for other in others {
            total.merge(0, other, 0..n_results);
        }
        total.repeat(self.repetitions);
        let mut number = 0;
        walk(&self.kept, self.start, &mut |at| {
            // SAFETY: the kept loops lead to the elements of the output, which this thread alone writes to.
            unsafe { self.finish(total, number, at) };
            number += 1;
        });
    }

    /// Returns the longest reduced loop, and of equally long ones the outermost, whose segments are contiguous.
    fn longest_reduced(&self) -> usize {
        let len = |k: usize| self.reduced[k].len;
        (1..self.reduced.len()).fold(0, |best, k| if len(k) > len(best) { k } else { best })
    }

    /// Computes the results of a nest of kept loops.
    ///
    /// # Safety
    /// - The loops must lead to elements of the two views from `at` on.
    /// - If the sink is the output, no other thread may access these elements of it.
    unsafe fn results(&self, kept: &[Loop3], reduced: &[Loop3], at: At, mut sink: Sink<'_, '_>) {
        let (outer, cols) = match kept {
            [outer @ .., cols] if self.is_vertical => (outer, Some(cols)),
            _ => (kept, None),
        };
        if let ([outer @ .., results], [run], None) = (outer, reduced, cols)
            && self.has_one_run(results, run)
        {
            // SAFETY: forwarded: same contract as this function.
            return unsafe { self.single_runs(outer, results, run, at, &mut sink) };
        }
        let mut number = 0;
        // One total for all results: a run may be so short that making a total would take as long.
        let mut slot = Slot::empty::<1>();
        let mut total = Accumulators::new(&self.reducer, &mut slot);
        walk(outer, at, &mut |at| {
            // SAFETY: each iteration of the outer loops begins a nest of the caller's.
            unsafe {
                match cols {
                    Some(cols) => self.columns(cols, reduced, at, number, &mut sink),
                    None => {
                        self.runs(reduced, at, &mut total);
                        self.complete(&mut total, &sink);
                        self.put(&total, 0, at, number, &mut sink);
                        total.restart();
                    }
                }
            }
            number += cols.map_or(1, |it| it.len);
        });
    }

    /// Whether elements a step apart can be reduced without packing.
    fn is_direct(&self, step: isize) -> bool {
        step == 1 && self.convert.is_none()
    }

    /// Packs a tile of elements into a buffer, as the reducer's dtype.
    ///
    /// # Safety
    /// The steps must lead to elements of the input, at most [`BLOCK_ELEMENTS`](crate::plan::BLOCK_ELEMENTS) of them.
    unsafe fn pack(
        &self,
        [packed, converted]: &mut [Buffer; 2],
        at: *const u8,
        from: Steps,
        counts: [usize; 2],
    ) -> *const u8 {
        let size = self.size as isize;
        let to = Steps { rows: counts[1] as isize * size, cols: size };
        let is_contiguous = from.cols == size && (counts[0] == 1 || from.rows == to.rows);
        // SAFETY: the input's elements are the caller's; a buffer has room for `BLOCK_ELEMENTS` elements of any dtype, and
        // the body casts between these two dtypes.
        unsafe {
            let elements = if is_contiguous { at.cast_mut() } else { packed.ptr() };
            if !is_contiguous {
                copy_tile(self.size, elements, to, at, from, counts);
            }
            let Some(convert) = &self.convert else { return elements };
            convert.call([converted.ptr(), elements], counts[0] * counts[1], 0);
        }
        converted.ptr()
    }

    /// Accounts for repeated elements, in totals that go to the output.
    fn complete(&self, totals: &mut Accumulators<'_>, sink: &Sink<'_, '_>) {
        if matches!(sink, Sink::Output) {
            totals.repeat(self.repetitions);
        }
    }

    /// Finishes total `i` or merges it into a table.
    ///
    /// # Safety
    /// If the sink is the output, `at` must be an element of it that no other thread accesses.
    unsafe fn put(
        &self,
        totals: &Accumulators<'_>,
        i: usize,
        at: At,
        number: usize,
        sink: &mut Sink<'_, '_>,
    ) {
        match sink {
            // SAFETY: forwarded: same contract as this function.
            Sink::Output => unsafe { self.finish(totals, i, at) },
            Sink::Table(table) => table.merge(number, totals, i..i + 1),
        }
    }

    /// Writes the result of total `i`, once for each copy.
    ///
    /// # Safety
    /// `at` must be an element of the output, and no other thread may access it or its copies.
    #[inline]
    unsafe fn finish(&self, totals: &Accumulators<'_>, i: usize, at: At) {
        if self.copies.is_empty() {
            // SAFETY: forwarded: same contract as this function.
            return unsafe { totals.finish(i, self.count, self.result(at.out)) };
        }
        walk(&self.copies, at, &mut |at| {
            // SAFETY: the loops lead to elements of the output; the rest is forwarded: same contract as this function.
            unsafe { totals.finish(i, self.count, self.result(at.out)) };
        });
    }

    /// Returns the address of an element of the input.
    fn element(&self, offset: isize) -> *const u8 {
        self.input.get().wrapping_offset(offset * self.size as isize)
    }

    /// Returns the address of an element of the output.
    fn result(&self, offset: isize) -> *mut u8 {
        self.out.get().wrapping_offset(offset * self.out_size as isize)
    }
}

/// Whether a nest of loops visits elements in the order of their positions, or positions do not matter.
fn is_in_order(reduced: &[Loop3]) -> bool {
    let mut extent = 0;
    reduced.iter().rev().all(|it| {
        let is_after = it.steps[2] == 0 || it.steps[2] > extent;
        extent += (it.len as isize - 1) * it.steps[2];
        is_after
    })
}
