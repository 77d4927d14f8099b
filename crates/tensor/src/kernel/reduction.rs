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
use super::row_loops::reduce_rows;
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

    /// Returns the positions from element `n` on.
    #[inline(always)]
    pub(super) fn after(self, n: usize) -> Positions {
        Positions { first: self.at(n), ..self }
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
    let mut lanes = moved_to_memory(lanes);
    let rest = elements.part(chunks.len() * LANES, LANES);
    let mut k = 0;
    while k < rest.len().min(LANES) {
        lanes[k] = step(lanes[k], rest.get(k));
        k += 1;
    }
    lanes
}

/// Moves lane accumulators from registers to memory, for code that indexes them, which registers do not allow. If the
/// compiler knew that these are the same lanes, it would keep all of them in memory in the loop before as well, which was
/// measured to take three times as long.
///
/// They begin at a cache line: a vector of 64 bytes that is stored across two lines is not forwarded to the loads that
/// follow, which costs 8 ns.
#[inline(always)]
pub(super) fn moved_to_memory<L>(lanes: L) -> L {
    #[repr(align(64))]
    struct AtCacheLine<L>(L);
    black_box(AtCacheLine(lanes)).0
}

/// Combines lane accumulators pairwise: each with the one half of them further, and the results in the same way.
///
/// The last eight are stored in between. The compiler vectorizes a tree from its root, two lanes at a time; so it sees two
/// trees, of which the first has eight roots: 3.5 ns instead of 9.5 for the sum of 32 `f32`.
#[inline(always)]
pub(super) fn join_lanes<L: Copy, const N: usize>(
    mut lanes: [L; N],
    join: impl Fn(L, L) -> L,
) -> L {
    const LAST: usize = 8;
    let mut width = N / 2;
    while width >= LAST {
        let mut k = 0;
        while k < width {
            lanes[k] = join(lanes[k], lanes[k + width]);
            k += 1;
        }
        width /= 2;
    }
    let mut last = [lanes[0]; LAST];
    let mut k = 1;
    while k < LAST.min(N) {
        last[k] = lanes[k];
        k += 1;
    }
    let mut last = if N > LAST { moved_to_memory(last) } else { last };
    while width > 0 {
        let mut k = 0;
        while k < width {
            last[k] = join(last[k], last[k + width]);
            k += 1;
        }
        width /= 2;
    }
    last[0]
}
