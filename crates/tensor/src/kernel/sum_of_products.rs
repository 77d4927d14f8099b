//! Sums of products of two views over some axes: `out[i] = Σ a[i, k] · b[i, k]`.
//!
//! **The problem.** Batched dot products and products with windows have no matrix: merging the summed axes of overlapping
//! windows would copy each element as often as it is in a window, and a matrix product for each dot product costs more
//! than the dot product.
//!
//! **The solution** reads both views by their strides, in the loops of a plan, which are kept (the output has a step) or
//! summed. If the innermost summed loop is long, each result is a sum over *runs* of it (horizontal). If it is short,
//! as the rows of a window are, [`TILE_ELEMENTS`] results are computed at once in a buffer, to which each position of the
//! summed loops adds a row of products (vertical).
//!
//! Threads share the results; if these are few, segments of the longest summed loop, whose sums are added in order. The
//! segments depend on the plan alone, so that results do not depend on the number of threads.

use super::cpu::{BlockLoop, Compiled, compiled};
use super::raw_slice::RawSlice;
use super::reduce::{FEW_RESULTS, MAX_SEGMENTS, SEGMENT_ELEMENTS};
use super::reduction::join_lanes;
use crate::cancel::scratch_of;
use crate::dtype::{MulAdd, Number, NumberTask};
use crate::plan::{Loop, Plan, piece_of, pieces_for};
use crate::sync_ptr::SyncPtr;
use crate::view::{AnyView, AnyViewMut, SmallView, SmallViewMut, Written};
use crate::{DType, Element, pool};
use std::hint::black_box;
use std::marker::PhantomData;

/// Results that are computed at once: their sums stay in the L1 cache.
const TILE_ELEMENTS: usize = 512;

/// Runs that are summed by one call, which takes as long as some dozens of elements, and the terms of all of them.
const TILE_RUNS: usize = 64;
const TILE_TERMS: usize = 1 << 14;
const _: () = assert!(TILE_RUNS <= TILE_ELEMENTS);

/// Summed loops with fewer iterations than this are not summed run by run, and kept ones not row by row.
const SHORT_LOOP: usize = 16;

/// The partial sums of a run: as many as hide the latency of an addition of vectors.
const LANES: usize = 32;

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
        walk(outer, at, &mut |at| {
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

/// Runs jobs on several threads if the work is worth it.
fn share(n_jobs: usize, work: usize, job: impl Fn(usize) + Sync) {
    let n = pieces_for(work, n_jobs);
    pool::run(n, &|i| piece_of(n_jobs, 1, i, n).for_each(&job));
}

/// Whether loops over elements of this dtype are compiled for vectors.
const fn is_common(dtype: DType) -> bool {
    matches!(dtype, DType::Float32 | DType::Float64 | DType::Int32 | DType::Int64)
}

/// Runs of products, each of which is added to a total of its own.
struct RunsArgs<'a, T: Element> {
    factors: [*const T; 2],
    steps: [isize; 2],
    /// The length of a run.
    len: usize,
    /// From one run to the next.
    row_steps: [isize; 2],
    totals: &'a mut [T::Wide],
}

struct RunsLoop<T>(PhantomData<T>);

impl<T: Element<Wide: Number>> BlockLoop for RunsLoop<T> {
    type Args<'a> = RunsArgs<'a, T>;

    const HAS_AVX2: bool = is_common(T::DTYPE);
    const HAS_AVX512: bool = is_common(T::DTYPE);

    /// # Safety
    /// From the beginning of each run, both factors must have `len` readable elements at their steps.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(args: RunsArgs<'_, T>) {
        let RunsArgs { factors: [a, b], steps, len, row_steps, totals } = args;
        for (r, total) in totals.iter_mut().enumerate() {
            let r = r as isize;
            let factors =
                [a.wrapping_offset(r * row_steps[0]), b.wrapping_offset(r * row_steps[1])];
            // SAFETY: forwarded for run `r`.
            *total = unsafe { add_run(*total, factors, steps, len) };
        }
    }
}

/// Returns a total and a run of products.
///
/// # Safety
/// Both factors must have `len` readable elements at their steps.
#[inline(always)]
unsafe fn add_run<T: Element<Wide: Number>>(
    total: T::Wide,
    [a, b]: [*const T; 2],
    steps: [isize; 2],
    len: usize,
) -> T::Wide {
    let mut sums = [T::Wide::ZERO; LANES];
    let n_whole = len / LANES * LANES;
    if steps == [1, 1] {
        // SAFETY: both have `len` contiguous elements.
        let [a, b] = unsafe { [RawSlice::new(a, len), RawSlice::new(b, len)] };
        let (a, b) = (a.chunks::<LANES>(), b.chunks::<LANES>());
        let mut i = 0;
        while i < a.len().min(b.len()) {
            sums = add_products(sums, a.get(i), b.get(i));
            // As in `reduce_to_lanes`.
            black_box(());
            i += 1;
        }
    } else {
        for first in (0..n_whole).step_by(LANES) {
            for (i, sum) in sums.iter_mut().enumerate() {
                let at = (first + i) as isize;
                // SAFETY: the position is below `len`.
                let (x, y) = unsafe {
                    (*a.wrapping_offset(at * steps[0]), *b.wrapping_offset(at * steps[1]))
                };
                *sum = sum.plus(x.widen().times(y.widen()));
            }
        }
    }
    let mut sum = total;
    for i in n_whole..len {
        let at = i as isize;
        // SAFETY: the position is below `len`.
        let (x, y) =
            unsafe { (*a.wrapping_offset(at * steps[0]), *b.wrapping_offset(at * steps[1])) };
        sum = sum.plus(x.widen().times(y.widen()));
    }
    if n_whole > 0 { sum.plus(join_lanes(sums, |a, b| a.plus(b))) } else { sum }
}

/// Adds a product to each sum. By value, so that the sums stay in registers.
#[inline(always)]
fn add_products<T: Element<Wide: Number>>(
    mut sums: [T::Wide; LANES],
    x: [T; LANES],
    y: [T; LANES],
) -> [T::Wide; LANES] {
    let mut k = 0;
    while k < LANES {
        sums[k] = sums[k].plus(x[k].widen().times(y[k].widen()));
        k += 1;
    }
    sums
}

/// A row of products, each of which is added to a total of its own.
struct RowArgs<'a, T: Element> {
    factors: [*const T; 2],
    steps: [isize; 2],
    totals: &'a mut [T::Wide],
}

struct RowLoop<T>(PhantomData<T>);

impl<T: Element<Wide: Number>> BlockLoop for RowLoop<T> {
    type Args<'a> = RowArgs<'a, T>;

    const HAS_AVX2: bool = is_common(T::DTYPE);

    /// # Safety
    /// Both factors must have as many readable elements at their steps as there are totals.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(args: RowArgs<'_, T>) {
        let RowArgs { factors: [a, b], steps, totals } = args;
        match steps {
            [1, 0] | [0, 1] => {
                let (row, factor) = if steps[0] == 1 { (a, b) } else { (b, a) };
                // SAFETY: there is at least one total, or nothing is read below.
                let factor = if totals.is_empty() { return } else { unsafe { *factor }.widen() };
                for (i, total) in totals.iter_mut().enumerate() {
                    // SAFETY: the row has as many elements as there are totals.
                    *total = total.plus(unsafe { *row.add(i) }.widen().times(factor));
                }
            }
            [1, 1] => {
                for (i, total) in totals.iter_mut().enumerate() {
                    // SAFETY: both rows have as many elements as there are totals.
                    let (x, y) = unsafe { (*a.add(i), *b.add(i)) };
                    *total = total.plus(x.widen().times(y.widen()));
                }
            }
            _ => {
                for (i, total) in totals.iter_mut().enumerate() {
                    let at = i as isize;
                    // SAFETY: both have as many elements at their steps as there are totals.
                    let (x, y) = unsafe {
                        (*a.wrapping_offset(at * steps[0]), *b.wrapping_offset(at * steps[1]))
                    };
                    *total = total.plus(x.widen().times(y.widen()));
                }
            }
        }
    }
}
