//! Sums of products of two views over some axes: `out[i] = Σ a[i, k] · b[i, k]`.
//!
//! **The problem.** Batched dot products and products with windows have no matrix: merging the summed axes of overlapping
//! windows would copy each element as often as it is in a window, and a matrix product for each dot product costs more
//! than the dot product.
//!
//! **The solution** reads both views by their strides, in the loops of a plan, which are kept (the output has a step) or
//! summed. If the innermost summed loop is long, each result is a sum over *runs* of it (horizontal); runs of at most
//! [`BLOCK_ELEMENTS`] elements that are not contiguous are packed, because products of strided elements are not vectorized. If it is
//! short, as the rows of a window are, [`TILE_ELEMENTS`] results are computed at once in a buffer, to which each position of
//! the summed loops adds a row of products (vertical).
//!
//! Threads share the results; if these are few, segments of the longest summed loop, whose sums are added in order. The
//! segments depend on the plan alone, so that results do not depend on the number of threads.

use super::copy::{Steps, copy_tile};
use super::cpu::{Compiled, compiled};
use super::map::Buffer;
use super::product_loops::{RowArgs, RowLoop, RunsArgs, RunsLoop};
use super::reduce::{FEW_RESULTS, MAX_SEGMENTS, SEGMENT_ELEMENTS};
use crate::cancel::scratch_of;
use crate::dtype::{Number, NumberTask};
use crate::plan::{BLOCK_ELEMENTS, Loop, Plan, piece_of, pieces_for};
use crate::sync_ptr::SyncPtr;
use crate::view::{AnyView, AnyViewMut, SmallView, SmallViewMut, Written};
use crate::{Element, pool};

/// Results that are computed at once: their sums stay in the L1 cache.
const TILE_ELEMENTS: usize = 512;

/// Runs that are summed by one call, which takes as long as some dozens of elements, and the terms of all of them.
const TILE_RUNS: usize = 64;
const TILE_TERMS: usize = 1 << 14;
const _: () = assert!(TILE_RUNS <= TILE_ELEMENTS);

/// Summed loops with fewer iterations than this are not summed run by run, and kept ones not row by row.
const SHORT_LOOP: usize = 16;

/// Offsets of the output and both inputs, in elements.
type ProductOffsets = [isize; 3];

/// Writes the sums of products of `a` and `b`, which have one shape, over the axes that have length 1 in the output.
///
/// # Panics
/// If the shapes do not match, or the three dtypes are not one that has numbers.
pub(crate) fn sum_of_products<'x>(
    out: AnyViewMut<'x>,
    a: &AnyView<'_>,
    b: &AnyView<'_>,
) -> Written<'x> {
    let dtype = out.dtype();
    assert!(a.dtype() == dtype && b.dtype() == dtype, "operands of one dtype");
    let shape = a.layout().shape();
    let results = out.layout().broadcast_to(&*shape).expect("summed axes have length 1");
    let plan = Plan::elementwise([&results, a.layout(), b.layout()], [dtype.size(); 3])
        .expect("the three have one shape");
    if plan.is_empty() {
        return sum_nothing(out);
    }
    let job = SumOfProducts {
        out: SyncPtr::new(out.ptr().as_ptr()),
        a: SyncPtr::new(a.ptr().as_ptr()),
        b: SyncPtr::new(b.ptr().as_ptr()),
        nest: Nest::new(&plan),
        n_results: out.layout().len(),
    };
    dtype.with_number(job).expect("a dtype of numbers");
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// Writes the sums of products of the rows of two matrices, without a plan. The results have the bits of [`sum_of_products`].
///
/// # Panics
/// If the shapes or dtypes differ, elements of a row are not contiguous, or the dtype is not one that has numbers.
pub(crate) fn sum_products_of_rows<'x>(
    out: SmallViewMut<'x>,
    inputs: [SmallView<'x>; 2],
) -> Written<'x> {
    let ([rows, _], dtype) = (inputs[0].lens, out.dtype);
    let are_rows = |it: &SmallView<'_>| {
        it.dtype == dtype && it.lens == inputs[0].lens && (it.strides[1] == 1 || it.lens[1] == 1)
    };
    assert!(inputs.iter().all(are_rows), "two matrices of one shape, with contiguous rows");
    assert!(out.lens == [1, rows] && (out.strides[1] == 1 || rows == 1), "a result for each row");
    dtype.with_number(ProductsOfRows { out: out.ptr, inputs }).expect("a dtype of numbers");
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// The checked operands of [`sum_products_of_rows`].
struct ProductsOfRows<'x> {
    /// Room for a result of each row.
    out: *mut u8,
    inputs: [SmallView<'x>; 2],
}

impl NumberTask for ProductsOfRows<'_> {
    type Output = ();

    fn run<T: Element<Wide: Number>>(self) {
        let add_runs = compiled::<RunsLoop<T>>();
        let [rows, len] = self.inputs[0].lens;
        let row_steps = self.inputs.map(|it| it.strides[0]);
        for from in (0..rows).step_by(TILE_RUNS) {
            let mut totals = [T::Wide::ZERO; TILE_RUNS];
            let totals = &mut totals[..TILE_RUNS.min(rows - from)];
            let factors = self.inputs.map(|it| {
                let first_row = it.ptr.cast::<T>().cast_const();
                first_row.wrapping_offset(from as isize * it.strides[0])
            });
            // SAFETY: the rows are readable contiguous elements of type `T` (`SmallView`), and the output has room for a
            // result of each.
            unsafe {
                add_runs(RunsArgs { factors, steps: [1, 1], len, row_steps, totals });
                for (i, &total) in totals.iter().enumerate() {
                    self.out.cast::<T>().add(from + i).write(T::narrow(total));
                }
            }
        }
    }
}

/// Writes zero to every element.
fn sum_nothing(out: AnyViewMut<'_>) -> Written<'_> {
    let size = out.dtype().size();
    for offset in out.layout().offsets() {
        // SAFETY: the offset is one of the output's. Zero is all zeros in every dtype.
        unsafe { out.ptr().as_ptr().add(offset * size).write_bytes(0, size) };
    }
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// The loops of a plan.
struct Nest {
    start: ProductOffsets,
    /// Loops that are kept, outermost first.
    kept: Vec<Loop<3>>,
    /// Loops that are summed, outermost first.
    summed: Vec<Loop<3>>,
    is_vertical: bool,
}

impl Nest {
    fn new(plan: &Plan<3>) -> Nest {
        let (mut summed, mut kept): (Vec<Loop<3>>, Vec<Loop<3>>) =
            plan.loops().iter().partition(|it| it.steps[0] == 0);
        // The elements that an inner loop reads should be close together.
        let distance = |it: &Loop<3>| it.steps[1].unsigned_abs().max(it.steps[2].unsigned_abs());
        kept.sort_by_key(|it| std::cmp::Reverse(distance(it)));
        summed.sort_by_key(|it| std::cmp::Reverse(distance(it)));
        let is_vertical = match (kept.last(), summed.last()) {
            (Some(cols), Some(run)) => {
                let is_run = run.len >= SHORT_LOOP && distance(run) == 1;
                let is_row = cols.len >= SHORT_LOOP;
                is_row && !is_run && (run.len < SHORT_LOOP || distance(cols) <= distance(run))
            }
            _ => false,
        };
        let start = plan.starts().map(|it| it as isize);
        Nest { start, kept, summed, is_vertical }
    }

    fn n_terms(&self) -> usize {
        self.summed.iter().map(|it| it.len).product()
    }
}

/// Calls `f` with the offsets of each iteration of some loops, in order.
fn walk(loops: &[Loop<3>], at: ProductOffsets, f: &mut impl FnMut(ProductOffsets)) {
    match loops {
        [] => f(at),
        [first, rest @ ..] => (0..first.len).for_each(|i| walk(rest, first.advance(at, i), f)),
    }
}

/// Returns the offsets of an iteration of some loops by its number.
fn position(loops: &[Loop<3>], mut at: ProductOffsets, mut number: usize) -> ProductOffsets {
    for it in loops.iter().rev() {
        at = it.advance(at, number % it.len);
        number /= it.len;
    }
    at
}

struct SumOfProducts {
    out: SyncPtr<u8>,
    a: SyncPtr<u8>,
    b: SyncPtr<u8>,
    nest: Nest,
    n_results: usize,
}

impl NumberTask for SumOfProducts {
    type Output = ();

    fn run<T: Element<Wide: Number>>(self) {
        self.compute::<T>(&TypedLoops::new());
    }
}

/// The loops for an element type and this processor.
struct TypedLoops<T: Element<Wide: Number>> {
    runs: Compiled<RunsLoop<T>>,
    row: Compiled<RowLoop<T>>,
}

impl<T: Element<Wide: Number>> TypedLoops<T> {
    fn new() -> TypedLoops<T> {
        TypedLoops { runs: compiled::<RunsLoop<T>>(), row: compiled::<RowLoop<T>>() }
    }
}

impl SumOfProducts {
    fn compute<T: Element<Wide: Number>>(&self, loops: &TypedLoops<T>) {
        let Nest { start, kept, summed, is_vertical } = &self.nest;
        let n_terms = self.nest.n_terms();
        let work = self.n_results.saturating_mul(n_terms);
        let longest = (0..summed.len()).max_by_key(|&k| summed[k].len);
        if let Some(k) = longest
            && !is_vertical
            && self.n_results < FEW_RESULTS
            && work >= 2 * SEGMENT_ELEMENTS
        {
            let n = (work / SEGMENT_ELEMENTS).min(MAX_SEGMENTS).min(summed[k].len);
            return self.over_segments(loops, k, n, work);
        }
        let (cols, outer) =
            kept.split_last().map_or((Loop::UNIT, &kept[..]), |(it, kept)| (*it, kept));
        // Runs of one tile are as many as take about as long as a vertical tile: threads share the tiles.
        let most = match is_vertical {
            true => TILE_ELEMENTS,
            false => (TILE_TERMS / n_terms.max(1)).clamp(1, TILE_RUNS),
        };
        let n_tiles = cols.len.div_ceil(most);
        share(self.n_results / cols.len * n_tiles, work, |job| {
            let first = job % n_tiles * most;
            let at = cols.advance(position(outer, *start, job / n_tiles), first);
            let tile = Loop { len: most.min(cols.len - first), ..cols };
            let mut buffer = [T::Wide::ZERO; TILE_ELEMENTS];
            let totals = &mut buffer[..tile.len];
            // SAFETY: the loops are those of the plan, and no two jobs have the same results.
            unsafe {
                self.add_products(loops, &tile, summed, at, totals);
                for (i, &total) in totals.iter().enumerate() {
                    self.result::<T>(tile.advance(at, i)).write(T::narrow(total));
                }
            }
        });
    }

    /// Computes few results; threads share `n` segments of summed loop `k`.
    fn over_segments<T: Element<Wide: Number>>(
        &self,
        loops: &TypedLoops<T>,
        k: usize,
        n: usize,
        work: usize,
    ) {
        let Nest { start, kept, summed, .. } = &self.nest;
        let mut totals = scratch_of(T::Wide::ZERO, n * self.n_results);
        let slots = SyncPtr::new(totals.as_mut_ptr().cast::<u8>());
        share(totals.len(), work, |job| {
            let range = piece_of(summed[k].len, 1, job % n, n);
            let mut part = summed.clone();
            part[k].len = range.len();
            let at = summed[k].advance(position(kept, *start, job / n), range.start);
            let mut total = [T::Wide::ZERO];
            // SAFETY: the loops are a part of the plan's. Each job writes one total, and no thread reads them until all
            // are written.
            unsafe {
                self.add_products(loops, &Loop::UNIT, &part, at, &mut total);
                slots.get().cast::<T::Wide>().add(job).write(total[0]);
            }
        });
        for (number, totals) in totals.chunks(n).enumerate() {
            let total = totals.iter().fold(T::Wide::ZERO, |sum, &it| sum.plus(it));
            // SAFETY: the position is one of the plan's, and this thread alone writes to the output.
            unsafe { self.result::<T>(position(kept, *start, number)).write(T::narrow(total)) };
        }
    }

    fn result<T>(&self, at: ProductOffsets) -> *mut T {
        self.out.get().cast::<T>().wrapping_offset(at[0])
    }

    /// Adds the products of a nest of summed loops to the totals of a row of results.
    ///
    /// # Safety
    /// The loops, `tile` included, must lead from `at` to elements of both inputs, which are of type `T`; `tile` has an
    /// iteration for each total.
    unsafe fn add_products<T: Element<Wide: Number>>(
        &self,
        loops: &TypedLoops<T>,
        tile: &Loop<3>,
        summed: &[Loop<3>],
        at: ProductOffsets,
        totals: &mut [T::Wide],
    ) {
        let (run, outer) = match summed.split_last() {
            Some((run, outer)) if !self.nest.is_vertical => (*run, outer),
            _ => (Loop::UNIT, summed),
        };
        let row_steps = [tile.steps[1], tile.steps[2]];
        let is_packed = !self.nest.is_vertical
            && (SHORT_LOOP..=BLOCK_ELEMENTS).contains(&run.len)
            && run.steps[1..] != [1, 1];
        walk(outer, at, &mut |at| {
            if is_packed {
                // SAFETY: each iteration of the outer loops begins a row of the caller's nest.
                return unsafe { self.add_packed_runs(loops, tile, &run, at, totals) };
            }
            let factors = [
                self.a.get().cast::<T>().cast_const().wrapping_offset(at[1]),
                self.b.get().cast::<T>().cast_const().wrapping_offset(at[2]),
            ];
            let totals = &mut *totals;
            // SAFETY: each iteration of the outer loops begins a row of the caller's nest.
            unsafe {
                if self.nest.is_vertical {
                    (loops.row)(RowArgs { factors, steps: row_steps, totals });
                } else {
                    let steps = [run.steps[1], run.steps[2]];
                    (loops.runs)(RunsArgs { factors, steps, len: run.len, row_steps, totals });
                }
            }
        });
    }
}

impl SumOfProducts {
    /// Adds a run of products to each total: runs whose elements are not contiguous are packed, as many at a time as have
    /// [`BLOCK_ELEMENTS`] elements. Not inlined: other runs need not pay for the
    /// stack frame with the buffers.
    ///
    /// # Safety
    /// That of `add_products`, for a run of at most [`BLOCK_ELEMENTS`] elements.
    #[inline(never)]
    unsafe fn add_packed_runs<T: Element<Wide: Number>>(
        &self,
        loops: &TypedLoops<T>,
        tile: &Loop<3>,
        run: &Loop<3>,
        at: ProductOffsets,
        totals: &mut [T::Wide],
    ) {
        let mut buffers = [Buffer::new(), Buffer::new()];
        let bases = [&self.a, &self.b].map(|it| it.get().cast::<T>().cast_const());
        let size = size_of::<T>() as isize;
        let most = BLOCK_ELEMENTS / run.len;
        for (n, totals) in totals.chunks_mut(most).enumerate() {
            let at = tile.advance(at, n * most);
            let mut factors = [1, 2].map(|k| bases[k - 1].wrapping_offset(at[k]));
            let mut row_steps = [tile.steps[1], tile.steps[2]];
            let is_square = factors[0] == factors[1]
                && run.steps[1] == run.steps[2]
                && tile.steps[1] == tile.steps[2];
            for k in 0..2 {
                if k == 1 && is_square {
                    (factors[1], row_steps[1]) = (factors[0], row_steps[0]);
                } else if run.steps[k + 1] != 1 {
                    let from = Steps { rows: row_steps[k] * size, cols: run.steps[k + 1] * size };
                    let to = Steps { rows: run.len as isize * size, cols: size };
                    let packed = buffers[k].ptr();
                    // SAFETY: the elements are in the loops (forwarded), and a buffer has room for `BLOCK_ELEMENTS` of any dtype.
                    unsafe {
                        let counts = [totals.len(), run.len];
                        copy_tile(size_of::<T>(), packed, to, factors[k].cast(), from, counts);
                    }
                    (factors[k], row_steps[k]) = (packed.cast::<T>(), run.len as isize);
                }
            }
            // SAFETY: the runs are in the loops, or in the buffers, which hold one for each total.
            unsafe {
                (loops.runs)(RunsArgs { factors, steps: [1, 1], len: run.len, row_steps, totals });
            }
        }
    }
}

/// Runs jobs on several threads if the work is worth it.
fn share(n_jobs: usize, work: usize, job: impl Fn(usize) + Sync) {
    let n = pieces_for(work, n_jobs);
    pool::run(n, &|i| piece_of(n_jobs, 1, i, n).for_each(&job));
}
