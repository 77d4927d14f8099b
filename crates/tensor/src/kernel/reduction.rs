//! Reductions of blocks: the traits that a reduction implements, and the loops they are compiled into.
//!
//! A reduction has two kinds of accumulators. *Lane* accumulators take single elements: there are [`LANES`] of them
//! side by side, so that the compiler keeps them in vector registers, and each takes few elements, so that rounding
//! errors stay small. A *total* takes lane accumulators: it may be of a wider type, and blocks are merged by it. Which
//! element goes into which lane, and the order in which lanes are combined, depend on the position alone, never
//! on the number of threads.
//!
//! Most reductions see each element once ([`OnePassReduction`]). Some see each block twice ([`TwoPassReduction`]): the
//! first pass finds a base, such as the mean or the maximum, and the second sums up a function of the element and
//! the base. The block is in the cache the second time, so memory is read once.

use super::raw_slice::RawSlice;
use super::reducer::TypedTotals;
use super::row_block::{Columns, RowBlock, TypedRows};
use crate::Element;
use crate::dtype::MulAdd;
use std::hint::black_box;
use std::marker::PhantomData;

/// The parameters of a reduction besides its elements: an order or a correction, and a choice between two
/// results. Each reduction documents its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub number: f64,
    pub choice: bool,
}

impl Setting {
    pub(crate) const NONE: Setting = Setting { number: 0.0, choice: false };
}

/// A reduction that sees each element once.
pub(super) trait OnePassReduction: 'static {
    /// The element type.
    type In: Element;
    /// The accumulator of elements.
    type Lane: Copy;
    /// The accumulator of lanes.
    type Total: Copy;
    /// The type of the result.
    type Out: Element;

    /// Whether the loops are compiled for AVX2, see `BlockLoop::HAS_AVX2`.
    const HAS_AVX2: bool = true;
    /// Whether the loop over runs is compiled for AVX-512, see `BlockLoop::HAS_AVX512`.
    const RUNS_HAVE_AVX512: bool = false;
    /// Whether the loop over rows is compiled for AVX-512.
    const ROWS_HAVE_AVX512: bool = false;

    /// The lane accumulator of no elements: the identity of `join`.
    const LANE: Self::Lane;
    /// The total of no elements: the identity of `merge`.
    const TOTAL: Self::Total;

    /// Accumulates an element.
    fn step(lane: Self::Lane, x: Self::In) -> Self::Lane;
    /// Combines two lane accumulators.
    fn join(a: Self::Lane, b: Self::Lane) -> Self::Lane;
    /// Accumulates a lane.
    fn add(total: Self::Total, lane: Self::Lane) -> Self::Total;
    /// Accumulates all lanes of a run, each of which has accumulated at most [`LANE_ELEMENTS`] elements.
    #[inline(always)]
    fn add_lanes(total: Self::Total, lanes: [Self::Lane; LANES]) -> Self::Total {
        Self::add(total, join_lanes(lanes, Self::join))
    }
    /// Accumulates a run of contiguous elements.
    #[inline(always)]
    fn add_run(total: Self::Total, elements: RawSlice<'_, Self::In>) -> Self::Total {
        Self::add_lanes(total, reduce_to_lanes(elements, Self::LANE, Self::step))
    }
    /// Accumulates each column of a block into its own total.
    #[inline(always)]
    fn add_rows(rows: TypedRows<'_, Self::In>, mut totals: TypedTotals<'_, Self::Total>) {
        let cols = rows.block().cols;
        let mut lanes = Columns::<_, MAX_COLS>::new();
        let lanes = lanes.filled(Self::LANE, cols);
        let no_bases = &[(); MAX_COLS][..cols];
        reduce_rows(rows, lanes, no_bases, |lane, x, ()| Self::step(lane, x));
        let mut c = 0;
        while c < cols {
            totals.set(c, Self::add(totals.get(c), lanes[c]));
            c += 1;
        }
    }
    /// Combines two totals.
    fn merge(a: Self::Total, b: Self::Total) -> Self::Total;
    /// Returns the result for a total of `count` elements.
    fn finish(total: Self::Total, count: usize, setting: Setting) -> Self::Out;

    /// Whether a total may become final, see [`BlockReduction::is_final`].
    const ENDS_EARLY: bool = false;

    /// Whether no further element changes a total.
    fn is_final(_: Self::Total) -> bool {
        false
    }
}

/// A reduction that sees each block twice: first to find a base, then to sum up a function of element and base.
pub(super) trait TwoPassReduction: 'static {
    /// The element type.
    type In: Element;
    /// What the first pass finds.
    type Base: Copy;
    /// The accumulator of the second pass.
    type Sum: Copy;
    /// The accumulator of blocks.
    type Total: Copy;
    /// The type of the result.
    type Out: Element;

    /// Whether the loops are compiled for AVX2, see `BlockLoop::HAS_AVX2`.
    const HAS_AVX2: bool = true;
    /// Whether the loop over runs is compiled for AVX-512, see `BlockLoop::HAS_AVX512`.
    const RUNS_HAVE_AVX512: bool = false;
    /// Whether the loop over rows is compiled for AVX-512.
    const ROWS_HAVE_AVX512: bool = false;

    /// The base of no elements.
    const BASE: Self::Base;
    /// The sum of no elements.
    const SUM: Self::Sum;
    /// The total of no elements.
    const TOTAL: Self::Total;

    /// Accumulates an element in the first pass.
    fn step_base(base: Self::Base, x: Self::In, setting: Setting) -> Self::Base;
    /// Combines the bases of two parts of a block.
    fn join(a: Self::Base, b: Self::Base, setting: Setting) -> Self::Base;
    /// Finishes the first pass: returns the base of a block of `count` elements.
    fn finish_base(found: Self::Base, count: usize, setting: Setting) -> Self::Base;
    /// Accumulates an element in the second pass.
    fn step<M: MulAdd>(
        sum: Self::Sum,
        x: Self::In,
        base: Self::Base,
        setting: Setting,
    ) -> Self::Sum;
    /// Accumulates each column of a block into its own total.
    #[inline(always)]
    fn add_rows<M: MulAdd>(
        rows: TypedRows<'_, Self::In>,
        totals: TypedTotals<'_, Self::Total>,
        setting: Setting,
    ) {
        add_rows_twice::<Self, M>(rows, totals, setting);
    }
    /// Combines the sums of two parts of a block.
    fn plus(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// Returns the total of a block.
    fn total(base: Self::Base, sum: Self::Sum) -> Self::Total;
    /// Combines two totals.
    fn merge(a: Self::Total, b: Self::Total, setting: Setting) -> Self::Total;
    /// Returns the result.
    fn finish(total: Self::Total, setting: Setting) -> Self::Out;
}

/// A reduction of blocks: what both kinds of reductions are to the walk over memory.
pub(super) trait BlockReduction: 'static {
    type In: Element;
    type Total: Copy;
    type Out: Element;

    /// Whether the loops are compiled for AVX2, see `BlockLoop::HAS_AVX2`.
    const HAS_AVX2: bool = true;
    /// Whether the loop over runs is compiled for AVX-512, see `BlockLoop::HAS_AVX512`.
    const RUNS_HAVE_AVX512: bool = false;
    /// Whether the loop over rows is compiled for AVX-512.
    const ROWS_HAVE_AVX512: bool = false;

    /// The total of no elements.
    const TOTAL: Self::Total;

    /// Accumulates a run of contiguous elements, of which element `i` has position `positions.at(i)`.
    fn run<M: MulAdd>(
        elements: RawSlice<'_, Self::In>,
        positions: Positions,
        total: Self::Total,
        setting: Setting,
    ) -> Self::Total;

    /// Accumulates each column of a block into its own total.
    fn rows<M: MulAdd>(
        rows: TypedRows<'_, Self::In>,
        totals: TypedTotals<'_, Self::Total>,
        setting: Setting,
    );

    /// Combines two totals.
    fn merge(a: Self::Total, b: Self::Total, setting: Setting) -> Self::Total;

    /// Returns the result for a total of `count` elements.
    fn finish(total: Self::Total, count: usize, setting: Setting) -> Self::Out;

    /// Whether a total may become final: then [`BlockReduction::is_final`] is asked between blocks.
    const ENDS_EARLY: bool = false;

    /// Whether no further element changes a total, if elements come in the order of their positions: one `true` decides
    /// `any`. The other elements are not read.
    fn is_final(_: Self::Total, _: Setting) -> bool {
        false
    }
}

/// The [`BlockReduction`] of a [`OnePassReduction`].
pub(super) struct OnePass<R>(PhantomData<R>);

impl<R: OnePassReduction> BlockReduction for OnePass<R> {
    type In = R::In;
    type Total = R::Total;
    type Out = R::Out;

    const HAS_AVX2: bool = R::HAS_AVX2;
    const RUNS_HAVE_AVX512: bool = R::RUNS_HAVE_AVX512;
    const ROWS_HAVE_AVX512: bool = R::ROWS_HAVE_AVX512;
    const TOTAL: R::Total = R::TOTAL;

    #[inline(always)]
    fn run<M: MulAdd>(xs: RawSlice<R::In>, _: Positions, sum: R::Total, _: Setting) -> R::Total {
        R::add_run(sum, xs)
    }

    #[inline(always)]
    fn rows<M: MulAdd>(rows: TypedRows<'_, R::In>, totals: TypedTotals<'_, R::Total>, _: Setting) {
        R::add_rows(rows, totals);
    }

    fn merge(a: R::Total, b: R::Total, _: Setting) -> R::Total {
        R::merge(a, b)
    }

    fn finish(total: R::Total, count: usize, setting: Setting) -> R::Out {
        R::finish(total, count, setting)
    }

    const ENDS_EARLY: bool = R::ENDS_EARLY;

    fn is_final(total: R::Total, _: Setting) -> bool {
        R::is_final(total)
    }
}

/// The [`BlockReduction`] of a [`TwoPassReduction`].
pub(super) struct TwoPass<R>(PhantomData<R>);

impl<R: TwoPassReduction> BlockReduction for TwoPass<R> {
    type In = R::In;
    type Total = R::Total;
    type Out = R::Out;

    const HAS_AVX2: bool = R::HAS_AVX2;
    const RUNS_HAVE_AVX512: bool = R::RUNS_HAVE_AVX512;
    const ROWS_HAVE_AVX512: bool = R::ROWS_HAVE_AVX512;
    const TOTAL: R::Total = R::TOTAL;

    #[inline(always)]
    fn run<M: MulAdd>(
        elements: RawSlice<'_, R::In>,
        _: Positions,
        total: R::Total,
        setting: Setting,
    ) -> R::Total {
        let step_base = |base, x| R::step_base(base, x, setting);
        let found = reduce_slice(elements, R::BASE, step_base, |a, b| R::join(a, b, setting));
        let base = R::finish_base(found, elements.len(), setting);
        let step = |sum, x| R::step::<M>(sum, x, base, setting);
        let sum = reduce_slice(elements, R::SUM, step, R::plus);
        R::merge(total, R::total(base, sum), setting)
    }

    #[inline(always)]
    fn rows<M: MulAdd>(
        rows: TypedRows<'_, R::In>,
        totals: TypedTotals<'_, R::Total>,
        setting: Setting,
    ) {
        R::add_rows::<M>(rows, totals, setting);
    }

    fn merge(a: R::Total, b: R::Total, setting: Setting) -> R::Total {
        R::merge(a, b, setting)
    }

    fn finish(total: R::Total, _: usize, setting: Setting) -> R::Out {
        R::finish(total, setting)
    }
}

/// Accumulates each column of a block, which is read twice, into its own total.
#[inline(always)]
pub(super) fn add_rows_twice<R: TwoPassReduction + ?Sized, M: MulAdd>(
    rows: TypedRows<'_, R::In>,
    mut totals: TypedTotals<'_, R::Total>,
    setting: Setting,
) {
    let RowBlock { rows: n_rows, cols: n_cols, .. } = rows.block();
    let (mut bases, mut sums) =
        (Columns::<_, TWO_PASS_COLS>::new(), Columns::<_, TWO_PASS_COLS>::new());
    let mut from = 0;
    while from < n_cols {
        let cols = TWO_PASS_COLS.min(n_cols - from);
        let rows = rows.columns(from, cols);
        let (bases, sums) = (bases.filled(R::BASE, cols), sums.filled(R::SUM, cols));
        let no_bases = &[(); TWO_PASS_COLS][..cols];
        reduce_rows(rows, bases, no_bases, |base, x, ()| R::step_base(base, x, setting));
        let mut c = 0;
        while c < cols {
            bases[c] = R::finish_base(bases[c], n_rows, setting);
            c += 1;
        }
        reduce_rows(rows, sums, bases, |sum, x, base| R::step::<M>(sum, x, base, setting));
        let mut c = 0;
        while c < cols {
            let block = R::total(bases[c], sums[c]);
            totals.set(from + c, R::merge(totals.get(from + c), block, setting));
            c += 1;
        }
        from += cols;
    }
}

/// The maximum number of elements in a run, so that each lane accumulates few.
pub(super) const RUN_ELEMENTS: usize = 4096;

/// The maximum number of rows in a block of rows, for the same reason.
pub(super) const MAX_ROWS: usize = 128;

/// The maximum number of columns in a block of rows. The more columns, the longer the runs of memory that are read
/// sequentially.
pub(super) const MAX_COLS: usize = 4096;

/// The maximum number of columns in a block that is read twice: all of it has to stay in the L2 cache.
pub(super) const TWO_PASS_COLS: usize = 512;

/// Rows of a block that are read side by side.
pub(super) const STREAMS: usize = 4;

/// Columns whose accumulators are in registers while they accumulate elements of several rows.
pub(super) const CHUNK_COLS: usize = 16;

/// Chunks that are accumulated at once, if their accumulators are few enough.
const CHUNKS_AT_ONCE: usize = 4;

/// The most bytes of accumulators in registers: half of those of AVX2.
const MAX_ACCUMULATOR_BYTES: usize = 256;

/// Lane accumulators of a run: enough to keep four vector registers of eight busy.
pub(super) const LANES: usize = 32;

/// The maximum number of elements that a lane accumulates, in a run or in the rows of a block.
pub(super) const LANE_ELEMENTS: usize = 128;
const _: () = assert!(RUN_ELEMENTS <= LANE_ELEMENTS * LANES && MAX_ROWS <= LANE_ELEMENTS);

/// Runs of one length of contiguous elements, with their element type erased. Each is reduced to a total of its own; all have the same
/// positions.
#[derive(Clone, Copy)]
pub(super) struct EqualRuns {
    pub at: *const u8,
    pub len: usize,
    /// Bytes from one run to the next.
    pub run_step: isize,
    pub positions: Positions,
}

/// The positions of a sequence of elements among those that are reduced to one result.
#[derive(Clone, Copy)]
pub(super) struct Positions {
    pub first: isize,
    pub stride: isize,
}

impl Positions {
    /// Returns the position of element `i`.
    #[inline(always)]
    pub(super) fn at(self, i: usize) -> isize {
        self.first + i as isize * self.stride
    }
}

/// Accumulates an element into each of several lane accumulators. By value: the compiler keeps arrays that are updated in
/// place in memory.
#[inline(always)]
pub(super) fn step_each<T: Copy, L: Copy, const N: usize>(
    mut lanes: [L; N],
    xs: [T; N],
    step: &impl Fn(L, T) -> L,
) -> [L; N] {
    let mut k = 0;
    while k < N {
        lanes[k] = step(lanes[k], xs[k]);
        k += 1;
    }
    lanes
}

/// Reduces elements into lane accumulators, and combines these.
#[inline(always)]
pub(super) fn reduce_slice<T: Copy, L: Copy>(
    elements: RawSlice<'_, T>,
    identity: L,
    step: impl Fn(L, T) -> L,
    join: impl Fn(L, L) -> L,
) -> L {
    join_lanes(reduce_to_lanes(elements, identity, step), join)
}

/// Reduces elements into lane accumulators.
#[inline(always)]
fn reduce_to_lanes<T: Copy, L: Copy>(
    elements: RawSlice<'_, T>,
    identity: L,
    step: impl Fn(L, T) -> L,
) -> [L; LANES] {
    let chunks = elements.chunks::<LANES>();
    let mut lanes = [identity; LANES];
    // Loops by index, here and below: there are hundreds of copies, and iterators are several times as much code for
    // the compiler.
    let mut i = 0;
    while i < chunks.len() {
        lanes = step_each(lanes, chunks.get(i), &step);
        // One lane is one element of a vector. Without this the compiler makes a vector of each lane of an associative
        // reduction, with several iterations as its elements: 20 times as slow for bytes.
        black_box(());
        i += 1;
    }
    // What follows indexes the lanes, which registers do not allow. If the compiler knew that these are the same
    // lanes, it would keep all of them in memory in the loop above as well, which was measured to take three
    // times as long.
    let mut lanes = black_box(lanes);
    let rest = elements.part(chunks.len() * LANES, LANES);
    let mut k = 0;
    while k < rest.len().min(LANES) {
        lanes[k] = step(lanes[k], rest.get(k));
        k += 1;
    }
    lanes
}

/// Combines lane accumulators pairwise.
#[inline(always)]
pub(super) fn join_lanes<L: Copy, const N: usize>(
    mut lanes: [L; N],
    join: impl Fn(L, L) -> L,
) -> L {
    let mut width = N / 2;
    while width > 0 {
        let mut k = 0;
        while k < width {
            lanes[k] = join(lanes[k], lanes[k + width]);
            k += 1;
        }
        width /= 2;
    }
    lanes[0]
}

/// Like [`step_each`], with the base of each column.
#[inline(always)]
fn step_each_with<T: Copy, L: Copy, B: Copy, const N: usize>(
    mut lanes: [L; N],
    xs: [T; N],
    bases: &[B; N],
    step: &impl Fn(L, T, B) -> L,
) -> [L; N] {
    let mut k = 0;
    while k < N {
        lanes[k] = step(lanes[k], xs[k], bases[k]);
        k += 1;
    }
    lanes
}

/// Reduces each column of a block into its own lane accumulator; `step` also gets the base of the column.
///
/// A block is read in up to [`STREAMS`] streams, each of which goes through consecutive rows: the hardware prefetcher
/// recognises sequential reads, also if the rows are short and contiguous.
#[inline(always)]
pub(super) fn reduce_rows<T: Copy, L: Copy, B: Copy>(
    rows: TypedRows<'_, T>,
    lanes: &mut [L],
    bases: &[B],
    step: impl Fn(L, T, B) -> L,
) {
    let mut r = 0;
    while r <= rows.block().rows_in_stream() {
        let part = rows.streams(r);
        reduce_streams(part, lanes, bases, &step);
        r += 1;
    }
}

/// The same for few rows that are read side by side: an accumulator is loaded and stored once for all of them.
#[inline(always)]
fn reduce_streams<T: Copy, L: Copy, B: Copy>(
    rows: TypedRows<'_, T>,
    lanes: &mut [L],
    bases: &[B],
    step: &impl Fn(L, T, B) -> L,
) {
    let n_rows = rows.block().rows;
    let (chunks, rest) = lanes.as_chunks_mut::<CHUNK_COLS>();
    let (base_chunks, base_rest) = bases.as_chunks::<CHUNK_COLS>();
    let mut i = 0;
    // Steps of one column depend on each other: several chunks at once hide their latency. Variables and not an array, which
    // the compiler would keep in memory.
    while const { CHUNKS_AT_ONCE * CHUNK_COLS * size_of::<L>() <= MAX_ACCUMULATOR_BYTES }
        && i + CHUNKS_AT_ONCE <= chunks.len()
    {
        let [a, b, c, d] = [i, i + 1, i + 2, i + 3];
        let mut lanes = (chunks[a], chunks[b], chunks[c], chunks[d]);
        let mut r = 0;
        while r < n_rows {
            let xs = rows.row(r).chunks::<CHUNK_COLS>();
            lanes.0 = step_each_with(lanes.0, xs.get(a), &base_chunks[a], step);
            lanes.1 = step_each_with(lanes.1, xs.get(b), &base_chunks[b], step);
            lanes.2 = step_each_with(lanes.2, xs.get(c), &base_chunks[c], step);
            lanes.3 = step_each_with(lanes.3, xs.get(d), &base_chunks[d], step);
            r += 1;
        }
        (chunks[a], chunks[b], chunks[c], chunks[d]) = lanes;
        i += CHUNKS_AT_ONCE;
    }
    while i < chunks.len() {
        let (mut lanes, bases) = (chunks[i], &base_chunks[i]);
        let mut r = 0;
        while r < n_rows {
            let xs = rows.row(r).chunks::<CHUNK_COLS>().get(i);
            lanes = step_each_with(lanes, xs, bases, step);
            r += 1;
        }
        chunks[i] = lanes;
        i += 1;
    }
    let first = i * CHUNK_COLS;
    let mut k = 0;
    while k < rest.len() {
        let mut r = 0;
        while r < n_rows {
            rest[k] = step(rest[k], rows.row(r).get(first + k), base_rest[k]);
            r += 1;
        }
        k += 1;
    }
}

/// Columns of accumulators of two parts that are in registers while they accumulate elements of several rows.
const PAIR_COLS: usize = 16;

/// Like [`reduce_rows`], with accumulators of two parts, each in an array of its own: the compiler does not compute arrays of
/// pairs in vectors.
#[inline(always)]
pub(super) fn reduce_rows_to_pairs<T: Copy, A: Copy, B: Copy>(
    rows: TypedRows<'_, T>,
    (first, second): (&mut [A], &mut [A]),
    bases: &[B],
    step: impl Fn((A, A), T, B) -> (A, A),
) {
    let mut r = 0;
    while r <= rows.block().rows_in_stream() {
        let part = rows.streams(r);
        let n_rows = part.block().rows;
        let (first_chunks, first_rest) = first.as_chunks_mut::<PAIR_COLS>();
        let (second_chunks, second_rest) = second.as_chunks_mut::<PAIR_COLS>();
        let (base_chunks, base_rest) = bases.as_chunks::<PAIR_COLS>();
        let mut i = 0;
        while i < first_chunks.len() {
            let (mut a, mut b, bases) = (first_chunks[i], second_chunks[i], base_chunks[i]);
            let mut r = 0;
            while r < n_rows {
                let xs = part.row(r).chunks::<PAIR_COLS>().get(i);
                let mut k = 0;
                while k < PAIR_COLS {
                    (a[k], b[k]) = step((a[k], b[k]), xs[k], bases[k]);
                    k += 1;
                }
                r += 1;
            }
            (first_chunks[i], second_chunks[i]) = (a, b);
            i += 1;
        }
        let from = i * PAIR_COLS;
        let mut k = 0;
        while k < first_rest.len() {
            let mut r = 0;
            while r < n_rows {
                let x = part.row(r).get(from + k);
                let pair = step((first_rest[k], second_rest[k]), x, base_rest[k]);
                (first_rest[k], second_rest[k]) = pair;
                r += 1;
            }
            k += 1;
        }
        r += 1;
    }
}
