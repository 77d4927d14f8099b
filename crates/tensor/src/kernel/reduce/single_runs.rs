//! Results that are reductions of one run each, several at a time.

use super::{At, Loop3, ReduceJob, SHORT_LOOP, walk};
use crate::kernel::reducer::{Accumulators, Slot};
use crate::kernel::reduction::{Positions, RUN_ELEMENTS, Run, Runs};

/// Results that are computed by one call if each is of one run: a call costs as much as some dozens of elements.
pub(in crate::kernel) const RUNS_AT_ONCE: usize = 32;

/// Whether contiguous elements that are reduced to one result are one run.
pub(crate) fn is_one_run(len: usize) -> bool {
    (SHORT_LOOP..=RUN_ELEMENTS).contains(&len)
}

impl ReduceJob {
    /// Whether each result is of one run that needs no packing, and results are written once.
    pub(super) fn has_single_runs(&self, rows: &Loop3, run: &Loop3) -> bool {
        !self.is_vertical
            && run.len <= RUN_ELEMENTS
            && self.is_direct(run.steps[1])
            && rows.steps[2] == 0
            && self.copies.is_empty()
    }

    /// Computes results of one run each, several at a time.
    ///
    /// # Safety
    /// That of `results` for the output, with loops for which `has_single_runs`.
    pub(super) unsafe fn single_runs(&self, outer: &[Loop3], rows: &Loop3, run: &Loop3, at: At) {
        let mut slots = Slot::empty::<RUNS_AT_ONCE>();
        let n_slots = RUNS_AT_ONCE.min(rows.len);
        let mut totals = Accumulators::new(&self.reducer, &mut slots[..n_slots]);
        let [out_step, step] =
            [(0, self.out_size), (1, self.size)].map(|(n, size)| rows.steps[n] * size as isize);
        walk(outer, at, &mut |at| {
            for from in (0..rows.len).step_by(RUNS_AT_ONCE) {
                let count = RUNS_AT_ONCE.min(rows.len - from);
                let At { out, input, position } = at.after(from, rows);
                let positions = Positions { first: position, stride: run.steps[2] };
                let first = Run { at: self.element(input), len: run.len, positions };
                // SAFETY: the loops lead to runs of contiguous elements of the reducer's dtype, and to results that this
                // thread alone writes to.
                unsafe {
                    totals.add_runs(Runs { first, count, step });
                    totals.repeat(self.repetitions);
                    totals.finish_first(count, self.count, self.result(out), out_step);
                }
                totals.restart();
            }
        });
    }
}
