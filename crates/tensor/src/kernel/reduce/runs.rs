//! Reductions whose innermost loop is reduced: each result is made of runs of contiguous elements.

use super::{At, Loop3, ReduceJob, SHORT_LOOP, Sink};
use crate::kernel::copy::Steps;
use crate::kernel::map::Buffer;
use crate::kernel::reducer::{Accumulators, Slot};
use crate::kernel::reduction::{EqualRuns, Positions, RUN_ELEMENTS};
use crate::plan::{BLOCK_ELEMENTS, Loop};

/// Runs that are reduced by one call.
pub(in crate::kernel) const RUNS_AT_ONCE: usize = 64;

/// The most bytes of such a run if the reduction may end early: few enough to be read in the time of a call.
const MAX_EARLY_RUN_BYTES: usize = 1024;

/// Whether contiguous elements that are reduced to one result are one run.
pub(crate) fn is_one_run(len: usize) -> bool {
    (SHORT_LOOP..=RUN_ELEMENTS).contains(&len)
}

impl ReduceJob {
    /// Whether each result of a kept loop is one run, of which several are reduced by one call: calls take as long as some
    /// dozens of elements. Not if most elements of a long run might not be read.
    pub(super) fn has_one_run(&self, results: &Loop3, run: &Loop3) -> bool {
        let is_all_read = !self.reducer.ends_early() || run.len * self.size <= MAX_EARLY_RUN_BYTES;
        let is_one = run.len <= RUN_ELEMENTS && is_all_read;
        self.is_direct(run.steps[1]) && is_one && results.steps[2] == 0
    }

    /// Computes the results of a nest of kept loops, of which each is one run.
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
        let mut slots = Slot::empty::<RUNS_AT_ONCE>();
        let mut number = 0;
        super::walk(outer, at, &mut |at| {
            for from in (0..results.len).step_by(RUNS_AT_ONCE) {
                let count = RUNS_AT_ONCE.min(results.len - from);
                let part = at.after(from, results);
                let mut totals = Accumulators::new(&self.reducer, &mut slots[..count]);
                let positions = Positions { first: part.position, stride: run.steps[2] };
                let (at, run_step) =
                    (self.element(part.input), results.steps[1] * self.size as isize);
                // SAFETY: the runs lie in the loops, and their elements are contiguous and of the reducer's dtype. The results
                // are the caller's.
                unsafe {
                    totals.add_runs(EqualRuns { at, len: run.len, run_step, positions });
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

    /// Accumulates the elements of a nest of reduced loops into the first total.
    ///
    /// # Safety
    /// The loops must lead to elements of the input.
    pub(super) unsafe fn runs(&self, reduced: &[Loop3], at: At, total: &mut Accumulators<'_>) {
        let once = [Loop { len: 1, steps: [0, 1, 0] }];
        let n_inner = match reduced {
            [.., rows, run] if are_packed_together(rows, run) => 2,
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
                    inner => self.run(&inner[0], at, total),
                }
            }
        });
    }

    /// # Safety
    /// That of `runs`, for one loop.
    unsafe fn run(&self, it: &Loop3, at: At, total: &mut Accumulators<'_>) {
        let [_, step, stride] = it.steps;
        if !self.is_direct(step) {
            // SAFETY: forwarded: same contract as this function.
            return unsafe { self.packed_run(it, at, total) };
        }
        let mut from = 0;
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
    unsafe fn packed_run(&self, it: &Loop3, at: At, total: &mut Accumulators<'_>) {
        let [_, step, stride] = it.steps;
        let steps = Steps { rows: 0, cols: step * self.size as isize };
        let mut buffers = [Buffer::new(), Buffer::new()];
        let mut from = 0;
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
    /// That of `runs`, for two loops of which the inner one is shorter than [`SHORT_LOOP`].
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
}

/// Whether runs are so short that several are packed into one: if positions continue from one to the next.
fn are_packed_together(rows: &Loop3, run: &Loop3) -> bool {
    run.len < SHORT_LOOP && rows.steps[2] == run.len as isize * run.steps[2]
}
