//! Reductions whose innermost loop is reduced: each result is made of runs of contiguous elements.

use super::{At, Loop3, ReduceJob, SHORT_LOOP, Sink};
use crate::kernel::copy::Steps;
use crate::kernel::map::Buffer;
use crate::kernel::reducer::{Accumulators, FIRST_ELEMENTS, Slot};
use crate::kernel::reduction::{EqualRuns, Positions, RUN_ELEMENTS};
use crate::plan::{BLOCK_ELEMENTS, Loop};

/// Runs that are reduced by one call.
pub(in crate::kernel) const RUNS_AT_ONCE: usize = 64;

/// Whether contiguous elements that are reduced to one result are one run.
pub(crate) fn is_one_run(len: usize) -> bool {
    (SHORT_LOOP..=RUN_ELEMENTS).contains(&len)
}

impl ReduceJob {
    /// Whether each result of a kept loop is one run, or may end in the first elements of one: several of them are reduced by
    /// one call, which takes as long as some dozens of elements.
    pub(super) fn has_one_run(&self, results: &Loop3, run: &Loop3) -> bool {
        let most = if self.is_direct(run.steps[1]) { RUN_ELEMENTS } else { BLOCK_ELEMENTS };
        (run.len <= most || self.reducer.ends_early()) && results.steps[2] == 0
    }

    /// Computes the results of a nest of kept loops, for which `has_one_run`.
    ///
    /// # Safety
    /// That of `results`, for loops for which `has_one_run`.
    pub(super) unsafe fn single_runs(
        &self,
        outer: &[Loop3],
        results: &Loop3,
        run: &Loop3,
        at: At,
        sink: &mut Sink<'_, '_>,
    ) {
        // Of runs that may end early the first elements are read, which often decide.
        let first = match self.reducer.ends_early() {
            true => Loop { len: run.len.min(FIRST_ELEMENTS), ..*run },
            false => *run,
        };
        let is_direct = self.is_direct(run.steps[1]);
        let at_once = if is_direct { usize::MAX } else { BLOCK_ELEMENTS / first.len.max(1) };
        let at_once = RUNS_AT_ONCE.min(at_once);
        let mut slots = Slot::empty::<RUNS_AT_ONCE>();
        let mut number = 0;
        super::walk(outer, at, &mut |at| {
            for from in (0..results.len).step_by(at_once) {
                let count = at_once.min(results.len - from);
                let part = at.after(from, results);
                // SAFETY: the runs lie in the loops; packed ones have no more than `BLOCK_ELEMENTS` elements. The results are the
                // caller's.
                unsafe {
                    let mut totals = Accumulators::new(&self.reducer, &mut slots[..count]);
                    match is_direct {
                        true => self.direct_runs(results, &first, part, &mut totals),
                        false => self.packed_runs(results, &first, part, &mut totals),
                    }
                    if first.len < run.len && !totals.are_final() {
                        for i in 0..count {
                            let mut total = totals.one(i);
                            if !total.are_final() {
                                self.run(run, first.len, part.after(i, results), &mut total);
                            }
                        }
                    }
                    self.complete(&mut totals, sink);
                    if matches!(sink, Sink::Output) && self.copies.is_empty() {
                        let step = results.steps[0] * self.out_size as isize;
                        totals.finish_all(self.count, self.result(part.out), step);
                        continue;
                    }
                    for i in 0..count {
                        self.put(&totals, i, part.after(i, results), number + from + i, sink);
                    }
                }
            }
            number += results.len;
        });
    }

    /// Accumulates a run for each total.
    ///
    /// # Safety
    /// There must be as many results from `at` on as totals, and the runs lead to contiguous elements of the reducer's dtype.
    unsafe fn direct_runs(
        &self,
        results: &Loop3,
        run: &Loop3,
        at: At,
        totals: &mut Accumulators<'_>,
    ) {
        let positions = Positions { first: at.position, stride: run.steps[2] };
        let (at, run_step) = (self.element(at.input), results.steps[1] * self.size as isize);
        // SAFETY: forwarded: same contract as this function.
        unsafe { totals.add_runs(EqualRuns { at, len: run.len, run_step, positions }) };
    }

    /// The same for runs that have to be packed. Not inlined: other runs need not pay for the stack frame with the buffers.
    ///
    /// # Safety
    /// There must be as many results from `at` on as totals, and the runs lead to elements of the input, at most
    /// [`BLOCK_ELEMENTS`] of them.
    #[inline(never)]
    unsafe fn packed_runs(
        &self,
        results: &Loop3,
        run: &Loop3,
        at: At,
        totals: &mut Accumulators<'_>,
    ) {
        let mut buffers = [Buffer::new(), Buffer::new()];
        let positions = Positions { first: at.position, stride: run.steps[2] };
        let size = self.size as isize;
        let steps = Steps { rows: results.steps[1] * size, cols: run.steps[1] * size };
        let run_step = (run.len * self.reducer_size) as isize;
        // SAFETY: forwarded: same contract as this function.
        unsafe {
            let at =
                self.pack(&mut buffers, self.element(at.input), steps, [totals.len(), run.len]);
            totals.add_runs(EqualRuns { at, len: run.len, run_step, positions });
        }
    }

    /// Accumulates the elements of a nest of reduced loops into the first total.
    ///
    /// # Safety
    /// The loops must lead to elements of the input.
    pub(super) unsafe fn runs(&self, reduced: &[Loop3], at: At, total: &mut Accumulators<'_>) {
        let once = [Loop { len: 1, steps: [0, 1, 0] }];
        let n_inner = match reduced {
            [.., rows, run] if self.are_packed_together(rows, run) => 2,
            _ => 1,
        };
        let nest = if reduced.is_empty() { &once } else { reduced };
        let (outer, inner) = nest.split_at(nest.len() - n_inner);
        super::walk(outer, at, &mut |at| {
            if total.are_final() {
                return;
            }
            // SAFETY: each iteration of the outer loops begins a nest of the caller's. A single element is a run.
            unsafe {
                match inner {
                    [rows, run] => self.short_runs(rows, run, at, total),
                    inner => self.run(&inner[0], 0, at, total),
                }
            }
        });
    }

    /// Accumulates the elements of a run, but the first `from` ones.
    ///
    /// # Safety
    /// That of `runs`, for one loop.
    unsafe fn run(&self, it: &Loop3, mut from: usize, at: At, total: &mut Accumulators<'_>) {
        let [_, step, stride] = it.steps;
        if !self.is_direct(step) {
            // SAFETY: forwarded: same contract as this function.
            return unsafe { self.packed_run(it, from, at, total) };
        }
        while from < it.len {
            let len = total.elements_at_once(from, RUN_ELEMENTS).min(it.len - from);
            let At { input, position, .. } = at.after(from, it);
            let positions = Positions { first: position, stride };
            // SAFETY: the run is a part of the loop, whose elements are contiguous and of the reducer's dtype.
            unsafe {
                total.add_runs(EqualRuns { at: self.element(input), len, run_step: 0, positions })
            };
            if total.are_final() {
                return;
            }
            from += len;
        }
    }

    /// The same for a run that has to be packed. Not inlined: other runs need not pay for the stack frame with the
    /// buffers.
    ///
    /// # Safety
    /// That of `run`.
    #[inline(never)]
    unsafe fn packed_run(&self, it: &Loop3, mut from: usize, at: At, total: &mut Accumulators<'_>) {
        let [_, step, stride] = it.steps;
        let steps = Steps { rows: 0, cols: step * self.size as isize };
        let mut buffers = [Buffer::new(), Buffer::new()];
        while from < it.len {
            let len = total.elements_at_once(from, BLOCK_ELEMENTS).min(it.len - from);
            let At { input, position, .. } = at.after(from, it);
            let positions = Positions { first: position, stride };
            // SAFETY: the part lies in the loop, and has no more than `BLOCK_ELEMENTS` elements.
            unsafe {
                let at = self.pack(&mut buffers, self.element(input), steps, [1, len]);
                total.add_runs(EqualRuns { at, len, run_step: 0, positions });
            }
            if total.are_final() {
                return;
            }
            from += len;
        }
    }

    /// Short runs, several of which are packed into one.
    ///
    /// # Safety
    /// That of `runs`, for two loops of which the inner one has at most [`BLOCK_ELEMENTS`] elements.
    #[inline(never)]
    unsafe fn short_runs(&self, rows: &Loop3, run: &Loop3, at: At, total: &mut Accumulators<'_>) {
        let size = self.size as isize;
        let steps = Steps { rows: rows.steps[1] * size, cols: run.steps[1] * size };
        let most = BLOCK_ELEMENTS / run.len;
        let mut buffers = [Buffer::new(), Buffer::new()];
        for from in (0..rows.len).step_by(most) {
            let count = most.min(rows.len - from);
            let part = at.after(from, rows);
            let positions = Positions { first: part.position, stride: run.steps[2] };
            // SAFETY: the rows lie in the loops, and have no more than `BLOCK_ELEMENTS` elements.
            unsafe {
                let at = self.element(part.input);
                let at = self.pack(&mut buffers, at, steps, [count, run.len]);
                total.add_runs(EqualRuns { at, len: count * run.len, run_step: 0, positions });
            }
            if total.are_final() {
                return;
            }
        }
    }

    /// Whether several runs are packed into one: if positions continue from one to the next, and they are short or have to be
    /// packed anyway.
    fn are_packed_together(&self, rows: &Loop3, run: &Loop3) -> bool {
        let is_packed = !self.is_direct(run.steps[1]) && !self.reducer.ends_early();
        let most = if is_packed { BLOCK_ELEMENTS / 2 } else { SHORT_LOOP - 1 };
        run.len <= most && rows.steps[2] == run.len as isize * run.steps[2]
    }
}
