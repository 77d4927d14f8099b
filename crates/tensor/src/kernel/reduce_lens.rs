//! A reduction over the last axes of a lens.
//!
//! With the reduced axes last, the elements of one result are consecutive in the order of the indices, and so are the
//! results. A reduction is then a walk in that order, as for every other operation on a lens (`map_lens.rs`), and each
//! block is a run of one result or of several.
//!
//! Threads share the results, or segments of them if they are few; where segments are cut depends on
//! the shape alone, and so do the runs.

use super::map_lens::{RowMajorSource, for_each_block};
use super::parallel::for_each_mut;
use super::reduce::{FEW_RESULTS, MAX_SEGMENTS, SEGMENT_ELEMENTS, reduce, reduce_nothing};
use super::reducer::{Accumulators, Reducer, Slot};
use super::reduction::{EqualRuns, Positions};
use crate::cancel::{collect_scratch, scratch_of};
use crate::plan::{BLOCK_ELEMENTS, RowMajorWalk, piece_of, pieces_for};
use crate::sync_ptr::SyncPtr;
use crate::view::{AnyLens, AnyView, AnyViewMut, Written};
use crate::{Layout, Shape, pool};
use std::ops::Range;

/// Reduces consecutive elements of a lens, equally many for each element of the output.
///
/// # Panics
/// If the output's dtype is not that of the reducer, or its length does not divide that of the lens.
pub(crate) fn reduce_lens<'x>(
    reducer: &Reducer,
    out: AnyViewMut<'x>,
    lens: AnyLens<'_>,
) -> Written<'x> {
    assert_eq!(out.dtype(), reducer.output(), "the dtype of results");
    let (n_results, len) = (out.layout().len(), lens.chain().len());
    if n_results == 0 || len == 0 {
        return reduce_nothing(reducer, out);
    }
    assert_eq!(len % n_results, 0, "each result has equally many elements");
    if let Some((view, kept)) = as_strided_view(&out, &lens) {
        let reduced = view.layout().shape()[kept.len()..].to_vec();
        let positions = Layout::row_major(&reduced).and_then(|it| {
            let wanted: Vec<usize> = [&kept[..], &reduced].concat();
            it.broadcast_to(wanted)
        });
        let units = vec![1; reduced.len()]; // bounded: by the rank
        let out = out
            .view(&[&kept[..], &units].concat())
            .expect("`as_strided_view` found that it has this view");
        return reduce(reducer, out, &view, &positions.expect("a shape of the lens"));
    }
    let job = ReduceLensJob {
        reducer: *reducer,
        out: SyncPtr::new(out.ptr().as_ptr()),
        out_walk: RowMajorWalk::of_layout(out.layout()),
        out_size: out.dtype().size(),
        source: RowMajorSource::Lens(lens),
        n_results,
        count: len / n_results,
    };
    match job.n_segments() {
        1 => job.over_results(),
        n => job.over_segments(n),
    }
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// Returns the lens as a strided view whose first axes, of the returned lengths, are those of the output.
fn as_strided_view<'a>(out: &AnyViewMut<'_>, lens: &AnyLens<'a>) -> Option<(AnyView<'a>, Shape)> {
    let view = lens.as_strided_view()?;
    let shape = view.layout().shape();
    let n_results = out.layout().len();
    let is_kept = |&n: &usize| shape[..n].iter().product::<usize>() == n_results;
    let kept = Shape::from(&shape[..(0..=shape.len()).find(is_kept)?]);
    out.layout().view(&*kept).ok()?;
    Some((view, kept))
}

/// The arguments of a reduction, shared by its threads.
struct ReduceLensJob<'a> {
    reducer: Reducer,
    out: SyncPtr<u8>,
    /// The walk over the results in row-major order.
    out_walk: RowMajorWalk<'a>,
    out_size: usize,
    source: RowMajorSource<'a>,
    n_results: usize,
    /// Elements that are reduced to each result.
    count: usize,
}

impl ReduceLensJob<'_> {
    /// Returns the number of segments of each result: 1 if threads share the results.
    fn n_segments(&self) -> usize {
        match self.n_results < FEW_RESULTS && self.n_results * self.count >= 2 * SEGMENT_ELEMENTS {
            true => self.count.div_ceil(SEGMENT_ELEMENTS).min(MAX_SEGMENTS),
            false => 1,
        }
    }

    /// Computes all results, which threads share.
    fn over_results(&self) {
        let n = pieces_for(self.n_results * self.count, self.n_results);
        pool::run(n, &|i| self.results(piece_of(self.n_results, 1, i, n)));
    }

    /// Computes some of the results, which no other thread computes.
    fn results(&self, results: Range<usize>) {
        if results.is_empty() {
            return;
        }
        let (count, size) = (self.count, self.reducer.input().size());
        let mut out_cursor = self.out_walk.cursor_at(results.start);
        let mut slot = Slot::empty::<1>();
        let mut total = Accumulators::new(&self.reducer, &mut slot);
        let mut n_taken = 0;
        let elements = results.start * count..results.end * count;
        for_each_block(&self.source, self.reducer.input(), elements, count, &mut |at, len| {
            for from in (0..len).step_by(count) {
                let n = count.min(len - from);
                let positions = Positions { first: n_taken as isize, stride: 1 };
                let at = at.wrapping_add(from * size);
                // SAFETY: these are elements of the block, which are contiguous and of the reducer's dtype.
                unsafe { total.add_runs(EqualRuns { at, len: n, run_step: 0, positions }) };
                n_taken += n;
                if n_taken == count {
                    let offset = out_cursor.next(1).start.expect("an output has no padding");
                    // SAFETY: the offset is that of the result, which no other thread writes.
                    unsafe { self.finish(&total, 0, offset) };
                    total.restart();
                    n_taken = 0;
                }
            }
        });
    }

    /// Computes all results; threads share segments of them.
    fn over_segments(&self, n: usize) {
        // At most `FEW_RESULTS * MAX_SEGMENTS` slots, whatever the shape.
        let mut slots = scratch_of(Slot::EMPTY, n * self.n_results);
        let totals = slots.chunks_mut(1).map(|slot| Accumulators::new(&self.reducer, slot));
        let mut totals: Vec<Accumulators<'_>> = collect_scratch(totals);
        for_each_mut(&mut totals, |i, total| {
            let first = i / n * self.count;
            let part = piece_of(self.count, BLOCK_ELEMENTS, i % n, n);
            self.segment(first + part.start..first + part.end, part.start, total);
        });
        let mut out_cursor = self.out_walk.cursor_at(0);
        for totals in totals.chunks_mut(n) {
            let (total, others) = totals.split_first_mut().expect("`n` segments of each result");
            for other in others {
                total.merge(0, other, 0..1);
            }
            let offset = out_cursor.next(1).start.expect("an output has no padding");
            // SAFETY: the offset is that of the result, which this thread alone writes.
            unsafe { self.finish(total, 0, offset) };
        }
    }

    /// Accumulates a part of a result.
    fn segment(&self, elements: Range<usize>, position: usize, total: &mut Accumulators<'_>) {
        let mut first = position as isize;
        let unit = elements.len().max(1);
        for_each_block(&self.source, self.reducer.input(), elements, unit, &mut |at, len| {
            let positions = Positions { first, stride: 1 };
            // SAFETY: the block has `len` contiguous elements of the reducer's dtype.
            unsafe { total.add_runs(EqualRuns { at, len, run_step: 0, positions }) };
            first += len as isize;
        });
    }

    /// Writes the result of total `i` to an offset of the output.
    ///
    /// # Safety
    /// The offset must be one of the output's, and no other thread may access its element.
    unsafe fn finish(&self, totals: &Accumulators<'_>, i: usize, offset: usize) {
        let out = self.out.get().wrapping_add(offset * self.out_size);
        // SAFETY: forwarded: same contract as this function.
        unsafe { totals.finish(i, self.count, out) }
    }
}
