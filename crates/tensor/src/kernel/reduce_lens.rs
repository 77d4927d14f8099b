//! A fold over the last axes of a lens.
//!
//! Seen with the folded axes last, what goes into one result follows one another, and results follow
//! one another as the output's indices do. So a fold is a walk in the order of the indices, as for
//! every other operation with a lens (`map_lens.rs`), and each block is a run of one result or of several.
//!
//! Threads share out the results, or segments of them if they are few; where segments are cut depends on
//! the shape alone, and so do the runs.

use super::fold::{Run, TOTAL_SIZE};
use super::map_lens::{RowMajorSource, blocks};
use super::reduce::{FEW, MOST_SEGMENTS, SEGMENT, Table, Totals, reduce, without_elements};
use super::reducer::Reducer;
use crate::plan::{BLOCK, RowMajorWalk};
use crate::view::{AnyLens, AnyView, AnyViewMut, Written};
use crate::{Layout, Shape, pool};
use std::ops::Range;

/// Folds consecutive elements of a lens, equally many for each element of the output.
///
/// The output's type must be that of the reducer, and its elements divide those of the lens; if not,
/// this panics.
pub(crate) fn reduce_lens<'x>(
    reducer: &Reducer,
    out: AnyViewMut<'x>,
    lens: AnyLens<'_>,
) -> Written<'x> {
    assert_eq!(out.dtype(), reducer.output(), "the type of results");
    let (n_results, len) = (out.layout().len(), lens.chain().len());
    if n_results == 0 || len == 0 {
        return without_elements(reducer, out);
    }
    assert_eq!(len % n_results, 0, "each result has as many elements");
    if let Some((walk, kept)) = in_strides(&out, &lens) {
        let folded = walk.layout().shape()[kept.len()..].to_vec();
        let positions = Layout::row_major(&folded).and_then(|it| {
            let wanted: Vec<usize> = [&kept[..], &folded].concat();
            it.broadcast_to(wanted)
        });
        let units = vec![1; folded.len()];
        let out = out.view(&[&kept[..], &units].concat()).expect("it was asked for before");
        return reduce(reducer, out, &walk, &positions.expect("a shape of the lens"));
    }
    let job = Job {
        reducer: *reducer,
        out: out.ptr().as_ptr(),
        places: RowMajorWalk::of_layout(out.layout()),
        out_size: out.dtype().size(),
        stream: RowMajorSource::Lens(lens),
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

/// The lens as a strided view whose first axes, of these lengths, are those of the output.
fn in_strides<'a>(out: &AnyViewMut<'_>, lens: &AnyLens<'a>) -> Option<(AnyView<'a>, Shape)> {
    let walk = lens.walk()?;
    let shape = walk.layout().shape();
    let n_results = out.layout().len();
    let is_kept = |&n: &usize| shape[..n].iter().product::<usize>() == n_results;
    let kept = Shape::from(&shape[..(0..=shape.len()).find(is_kept)?]);
    out.layout().view(&*kept).ok()?;
    Some((walk, kept))
}

/// What a walk needs, for several threads.
struct Job<'a> {
    reducer: Reducer,
    out: *mut u8,
    /// The order of the results.
    places: RowMajorWalk<'a>,
    out_size: usize,
    stream: RowMajorSource<'a>,
    n_results: usize,
    /// Elements that go into each result.
    count: usize,
}

// SAFETY: threads work on results of their own, or on totals of their own, while `reduce_lens` holds
// the borrows of the output and of what the lens reaches.
unsafe impl Sync for Job<'_> {}

impl Job<'_> {
    /// How many segments each result is cut into: 1 if the results are enough to share.
    fn n_segments(&self) -> usize {
        match self.n_results < FEW && self.n_results * self.count >= 2 * SEGMENT {
            true => self.count.div_ceil(SEGMENT).min(MOST_SEGMENTS),
            false => 1,
        }
    }

    /// Threads share the results.
    fn over_results(&self) {
        let len = self.n_results * self.count;
        let n_threads = if len < 2 * SEGMENT { 1 } else { pool::num_threads() };
        let n = if n_threads == 1 { 1 } else { (4 * n_threads).min(self.n_results) };
        let cut = |i: usize| self.n_results * i / n;
        match n {
            1 => self.results(0..self.n_results),
            _ => pool::run(n, &|i| self.results(cut(i)..cut(i + 1))),
        }
    }

    /// Makes some of the results, which no other thread makes.
    fn results(&self, results: Range<usize>) {
        if results.is_empty() {
            return;
        }
        let (count, size) = (self.count, self.reducer.input().size());
        let mut places = self.places.cursor_at(results.start);
        let mut total = Totals::<1>::new();
        let mut n_taken = 0;
        let elements = results.start * count..results.end * count;
        blocks(&self.stream, self.reducer.input(), elements, count, &mut |at, len| {
            for from in (0..len).step_by(count) {
                let n = count.min(len - from);
                // SAFETY: the elements are some of the block's. A total is started before it takes up
                // anything, and finished when it has all: then the place is that of its result.
                unsafe {
                    if n_taken == 0 {
                        self.reducer.start(total.ptr(), 1);
                    }
                    let at = at.add(from * size);
                    let run = Run { at, len: n, position: n_taken as isize, stride: 1 };
                    self.reducer.horizontal(run, total.ptr());
                    n_taken += n;
                    if n_taken == count {
                        let place = places.next(1).start.expect("an output has no padding");
                        let result = self.out.add(place * self.out_size);
                        self.reducer.finish(total.ptr(), count, result);
                        n_taken = 0;
                    }
                }
            }
        });
    }

    /// Threads share segments of the results.
    fn over_segments(&self, n: usize) {
        let mut table = Table::new(self.reducer, n * self.n_results);
        let slots = table.slots();
        let segment = self.count.div_ceil(n).next_multiple_of(BLOCK);
        pool::run(n * self.n_results, &|i| {
            let first = i / n * self.count;
            let cut = |k: usize| (k * segment).min(self.count);
            let (from, to) = (cut(i % n), cut(i % n + 1));
            // SAFETY: each segment of each result has a started slot of its own in the table.
            unsafe {
                let total = slots.of_segment(i, 1);
                self.segment(first + from..first + to, from, total);
            }
        });
        let mut places = self.places.cursor_at(0);
        for r in 0..self.n_results {
            let place = places.next(1).start.expect("an output has no padding");
            // SAFETY: the table has `n` started slots for each result, which nobody uses any more; the
            // place is that of the result.
            unsafe {
                let total = slots.of_segment(r * n, 1);
                for k in 1..n {
                    self.reducer.merge(total, total.add(k * TOTAL_SIZE), 1);
                }
                self.reducer.finish(total, self.count, self.out.add(place * self.out_size));
            }
        }
    }

    /// Takes a part of a result up into a total.
    ///
    /// # Safety
    /// The total must be started, and nobody else's.
    unsafe fn segment(&self, elements: Range<usize>, position: usize, total: *mut u8) {
        let mut position = position as isize;
        let unit = elements.len().max(1);
        blocks(&self.stream, self.reducer.input(), elements, unit, &mut |at, len| {
            // SAFETY: the block has so many elements of the input type; the caller's promise.
            unsafe { self.reducer.horizontal(Run { at, len, position, stride: 1 }, total) };
            position += len as isize;
        });
    }
}
