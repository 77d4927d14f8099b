//! `argmin` and `argmax`.
//!
//! To track a 64-bit index for each element would at best halve the throughput of a minimum, and compilers do not vectorize
//! it. So along a run each lane keeps its best value and the *number of the chunk* that it is in, an integer as
//! wide as the values are: a comparison and two blends for each vector ([`ChunkLanes`]). Bytes are compared without
//! positions, which is one instruction, and the position is looked for in the part of the run with the best value, if that beats
//! all runs before. Down the rows of a block, positions are row numbers, which are as wide as the values, too.
//!
//! Of equal elements the first one counts, and the first NaN before all others. Foreign memory may change before a byte or a
//! NaN is looked for: a value that is not found again is reported at the first position of its part.

use super::first_byte::first_byte;
use super::integer_lane::IntegerLane;
use super::min_max::{any_nan, extremum, identity};
use crate::dtype::{Comparable, MulAdd, NumberKind, OrderedTask, Scalar};
use crate::kernel::raw_slice::RawSlice;
use crate::kernel::reducer::{Reducer, TypedTotals};
use crate::kernel::reduction::{
    BlockReduction, MAX_COLS, MAX_ROWS, Positions, RUN_ELEMENTS, Setting, join_lanes,
    moved_to_memory,
};
use crate::kernel::row_block::{Columns, RowBlock, TypedRows};
use crate::kernel::row_loops::{CHUNK_COLS, STREAMS};
use crate::{DType, Element};
use std::hint::black_box;
use std::marker::PhantomData;

/// Returns the reducer for `argmin`: the position of the minimum, or of the first NaN.
pub(crate) fn argmin(dtype: DType) -> Option<Reducer> {
    Some(reads(dtype, loop_type(dtype).with_ordered(ArgExtremumTask::<false>)?))
}

/// Returns the reducer for `argmax`: the position of the maximum, or of the first NaN.
pub(crate) fn argmax(dtype: DType) -> Option<Reducer> {
    Some(reads(dtype, loop_type(dtype).with_ordered(ArgExtremumTask::<true>)?))
}

/// Returns the dtype for which loops are compiled. Elements of the others are cast to it first: it has all of their
/// values, so the positions are the same.
const fn loop_type(dtype: DType) -> DType {
    match dtype.kind() {
        NumberKind::Float(2) | NumberKind::Brain(_) => DType::Float32,
        NumberKind::Bool => DType::UInt8,
        NumberKind::Signed(1 | 2) | NumberKind::Unsigned(2) => DType::Int32,
        NumberKind::Unsigned(4) => DType::Int64,
        _ => dtype,
    }
}

/// Returns a reducer made for the loop type of a dtype; that of booleans takes their bytes without a cast.
fn reads(dtype: DType, reducer: Reducer) -> Reducer {
    match dtype {
        DType::Bool => reducer.with_bits_of(dtype).with(Setting { choice: true, ..Setting::NONE }),
        _ => reducer,
    }
}

/// Makes the reducer for `argmin` or `argmax` of a dtype.
struct ArgExtremumTask<const MAX: bool>;

impl<const MAX: bool> OrderedTask for ArgExtremumTask<MAX> {
    type Output = Reducer;

    fn run<T: Element<Wide: Comparable>>(self) -> Reducer {
        if const { loop_type(T::DTYPE) as u8 != T::DTYPE as u8 } {
            unreachable!("another dtype has the loops of this one");
        }
        match const { size_of::<T>() } {
            1 => Reducer::of_blocks::<ArgExtremum<T, u8, MAX>>(),
            4 => Reducer::of_blocks::<ArgExtremum<T, u32, MAX>>(),
            _ => Reducer::of_blocks::<ArgExtremum<T, u64, MAX>>(),
        }
    }
}

/// The position of the minimum or the maximum; `R` holds the row numbers of a block. The setting's choice is whether the
/// elements are booleans.
struct ArgExtremum<T, R, const MAX: bool>(PhantomData<(T, R)>);

const _: () = assert!(MAX_ROWS <= u8::MAX as usize);

/// A value and its position.
type Candidate<W> = (W, isize);

impl<T: Element<Wide: Comparable>, R: IntegerLane, const MAX: bool> ArgExtremum<T, R, MAX> {
    /// Whether a value beats the best one before it; a NaN is among those that do.
    #[inline(always)]
    fn wins(x: T::Wide, best: T::Wide) -> bool {
        let is_no_better = if MAX { x <= best } else { x >= best };
        !is_no_better & !best.is_nan()
    }

    /// Returns the better of two candidates, and of two equal ones the one that comes first.
    #[inline(always)]
    fn first_of(a: Candidate<T::Wide>, b: Candidate<T::Wide>) -> Candidate<T::Wide> {
        if Self::wins(b.0, a.0) || is_same(a.0, b.0) && b.1 < a.1 { b } else { a }
    }
}

/// Whether two values are equal, or both are NaNs.
#[inline(always)]
fn is_same<W: Comparable>(a: W, b: W) -> bool {
    (a == b) | (a.is_nan() & b.is_nan())
}

impl<T: Element<Wide: Comparable>, R: IntegerLane, const MAX: bool> BlockReduction
    for ArgExtremum<T, R, MAX>
{
    type In = T;
    type Total = Candidate<T::Wide>;
    type Out = i64;

    const RUNS_HAVE_AVX512: bool = true;
    const ROWS_HAVE_AVX512: bool = true;
    const TOTAL: Candidate<T::Wide> = (identity::<T::Wide>(MAX), isize::MAX);

    #[inline(always)]
    fn run<M: MulAdd>(
        elements: RawSlice<'_, T>,
        positions: Positions,
        total: Candidate<T::Wide>,
        setting: Setting,
    ) -> Candidate<T::Wide> {
        match const { size_of::<T>() } {
            1 if setting.choice => Self::run_of_bools(elements, positions, total),
            1 => Self::run_of_bytes(elements, positions, total),
            4 => Self::run_by_chunks::<16>(elements, positions, total),
            _ => Self::run_by_chunks::<8>(elements, positions, total),
        }
    }

    #[inline(always)]
    fn rows<M: MulAdd>(
        rows: TypedRows<'_, T>,
        mut totals: TypedTotals<'_, Candidate<T::Wide>>,
        setting: Setting,
    ) {
        // In the order of positions: of equal values the first one stays.
        let rows = if rows.block().positions.stride < 0 { rows.reversed() } else { rows };
        let RowBlock { rows: n_rows, cols, positions, .. } = rows.block();
        let (mut best, mut row_of_best) =
            (Columns::<_, MAX_COLS>::new(), Columns::<_, MAX_COLS>::new());
        let best = best.filled(Self::TOTAL.0, cols);
        let row_of_best = row_of_best.filled(R::ZERO, cols);
        for r in (0..n_rows).step_by(STREAMS) {
            let part = rows.part(r, STREAMS.min(n_rows - r), 1);
            Self::some_rows(part, r, best, row_of_best, setting);
        }
        for c in 0..cols {
            let candidate = (best[c], positions.at(row_of_best[c].into() as usize));
            totals.set(c, Self::first_of(totals.get(c), candidate));
        }
    }

    fn merge(a: Candidate<T::Wide>, b: Candidate<T::Wide>, _: Setting) -> Candidate<T::Wide> {
        Self::first_of(a, b)
    }

    fn finish(total: Candidate<T::Wide>, _: usize, _: Setting) -> i64 {
        total.1 as i64
    }

    const ENDS_EARLY: bool = size_of::<T>() == 1;

    /// A total at the largest (or smallest) value of the dtype is final. Floats have no such value, because a NaN wins.
    fn is_final(total: Candidate<T::Wide>, setting: Setting) -> bool {
        let is_true = setting.choice && total.0.is_true();
        total.1 != isize::MAX && (total.0 == identity(!MAX) || MAX && is_true)
    }
}

impl<T: Element<Wide: Comparable>, R: IntegerLane, const MAX: bool> ArgExtremum<T, R, MAX> {
    /// Updates the best value of each column and its row number from at most [`STREAMS`] rows, the first of which is row `number`
    /// of the block.
    #[inline(always)]
    fn some_rows(
        rows: TypedRows<'_, T>,
        number: usize,
        best: &mut [T::Wide],
        best_rows: &mut [R],
        setting: Setting,
    ) {
        // Every byte but 0 is true, and all of them are equal.
        let highest = identity::<T::Wide>(false);
        let value = |x: T| match const { size_of::<T>() } {
            1 if setting.choice && x.widen().is_true() => highest,
            _ => x.widen(),
        };
        let step = |best: &mut T::Wide, best_row: &mut R, x: T, r: R| {
            let x = value(x);
            let wins = Self::wins(x, *best);
            *best = if wins { x } else { *best };
            *best_row = if wins { r } else { *best_row };
        };
        // A block has no more rows than a `u8` counts.
        let row_number = |r: usize| R::from(r as u8);
        let RowBlock { rows: n_rows, cols, .. } = rows.block();
        let (best_chunks, best_rest) = best.as_chunks_mut::<CHUNK_COLS>();
        let (row_chunks, row_rest) = best_rows.as_chunks_mut::<CHUNK_COLS>();
        for (i, (best_chunk, row_chunk)) in best_chunks.iter_mut().zip(row_chunks).enumerate() {
            let (mut best, mut best_rows) = (*best_chunk, *row_chunk);
            for r in 0..n_rows {
                let xs = rows.row(r).chunks::<CHUNK_COLS>().get(i);
                let row = row_number(number + r);
                for k in 0..CHUNK_COLS {
                    step(&mut best[k], &mut best_rows[k], xs[k], row);
                }
            }
            (*best_chunk, *row_chunk) = (best, best_rows);
        }
        let first = cols - best_rest.len();
        for (k, (best, best_row)) in best_rest.iter_mut().zip(row_rest).enumerate() {
            for r in 0..n_rows {
                let x = rows.row(r).get(first + k);
                step(best, best_row, x, row_number(number + r));
            }
        }
    }
}

/// Bytes of a run of which the best value is found before its position: they stay in the L1 cache.
const PART_BYTES: usize = 4096;

impl<T: Element<Wide: Comparable>, R: IntegerLane, const MAX: bool> ArgExtremum<T, R, MAX> {
    /// Accumulates a run by chunks of `N` elements, a vector of 64 bytes.
    #[inline(always)]
    fn run_by_chunks<const N: usize>(
        elements: RawSlice<'_, T>,
        positions: Positions,
        mut total: Candidate<T::Wide>,
    ) -> Candidate<T::Wide> {
        let is_backwards = positions.stride < 0;
        let mut n = 0;
        while n * RUN_ELEMENTS < elements.len() {
            let (start, part) = part(elements, n, RUN_ELEMENTS, is_backwards);
            n += 1;
            if part.len() < N {
                total = Self::run_of_few(part, positions.after(start), total);
                continue;
            }
            let best = match ChunkLanes::<T, R, N, MAX>::first_best(part, is_backwards) {
                Some((value, i)) => (value, positions.at(start + i)),
                None => {
                    let i = first_nan(part, is_backwards).unwrap_or(0);
                    (T::from_f64(f64::NAN).widen(), positions.at(start + i))
                }
            };
            total = Self::first_of(total, best);
        }
        total
    }

    /// Accumulates a run of bytes: the best value first, and its position only if it counts.
    #[inline(always)]
    fn run_of_bytes(
        elements: RawSlice<'_, T>,
        positions: Positions,
        mut total: Candidate<T::Wide>,
    ) -> Candidate<T::Wide> {
        let is_backwards = positions.stride < 0;
        let mut n = 0;
        while n * PART_BYTES < elements.len() {
            let (start, part) = part(elements, n, PART_BYTES, is_backwards);
            let best = extremum::<T, MAX>(part);
            if Self::may_come_first(total, best, part, positions.after(start)) {
                let i = first_byte(part.bytes(), T::narrow(best).cast(), true, is_backwards);
                total = Self::first_of(total, (best, positions.at(start + i.unwrap_or(0))));
            }
            n += 1;
        }
        total
    }

    /// Accumulates a run of booleans: the first true one (`argmax`) or false one (`argmin`), or the first element if
    /// there is none.
    #[inline(always)]
    fn run_of_bools(
        elements: RawSlice<'_, T>,
        positions: Positions,
        total: Candidate<T::Wide>,
    ) -> Candidate<T::Wide> {
        if elements.is_empty() {
            return total;
        }
        let is_backwards = positions.stride < 0;
        let first = if is_backwards { elements.len() - 1 } else { 0 };
        // Every byte but 0 is true.
        let found = first_byte(elements.bytes(), 0, !MAX, is_backwards);
        let value = identity(if found.is_some() { !MAX } else { MAX });
        Self::first_of(total, (value, positions.at(found.unwrap_or(first))))
    }

    /// Accumulates fewer elements than a chunk has.
    #[inline(always)]
    fn run_of_few(
        elements: RawSlice<'_, T>,
        positions: Positions,
        mut total: Candidate<T::Wide>,
    ) -> Candidate<T::Wide> {
        let mut i = 0;
        while i < elements.len() {
            total = Self::first_of(total, (elements.get(i).widen(), positions.at(i)));
            i += 1;
        }
        total
    }

    /// Whether the best value of a part may replace a total, for some position of the part.
    #[inline(always)]
    fn may_come_first(
        total: Candidate<T::Wide>,
        best: T::Wide,
        part: RawSlice<'_, T>,
        positions: Positions,
    ) -> bool {
        let first = positions.first.min(positions.at(part.len().saturating_sub(1)));
        Self::wins(best, total.0) || is_same(best, total.0) && first < total.1
    }
}

/// The best values of a part of a run, by their index modulo `N`, with the numbers of the chunks that they are in.
struct ChunkLanes<T: Element, R, const N: usize, const MAX: bool> {
    best: [T::Wide; N],
    chunk_of_best: [R; N],
}

impl<T: Element<Wide: Comparable>, R: IntegerLane, const N: usize, const MAX: bool>
    ChunkLanes<T, R, N, MAX>
{
    const EMPTY: Self = ChunkLanes { best: [identity(MAX); N], chunk_of_best: [R::ZERO; N] };

    /// Returns the best value of a part and the index of the first that has it; `None` if there is a NaN. The part has at most
    /// [`RUN_ELEMENTS`] elements. If their number is not a multiple of `N`, the last chunk overlaps the one before.
    ///
    /// # Panics
    /// If there are fewer than `N` elements.
    #[inline(always)]
    fn first_best(part: RawSlice<'_, T>, is_backwards: bool) -> Option<(T::Wide, usize)> {
        // In the order of positions, which may be against that of the elements.
        let n_rest = part.len() % N;
        let chunks = part.part(if is_backwards { n_rest } else { 0 }, part.len()).chunks::<N>();
        let (mut i, step) =
            if is_backwards { (chunks.len().wrapping_sub(1), usize::MAX) } else { (0, 1) };
        // Two chunks at a time, whose instructions do not depend on each other.
        let (mut even, mut odd, mut has_nan) = (Self::EMPTY, Self::EMPTY, false);
        let (mut n, mut number) = (0, R::ZERO);
        while n + 1 < chunks.len() {
            let (xs, ys) = (chunks.get(i), chunks.get(i.wrapping_add(step)));
            even = even.after(xs, number);
            odd = odd.after(ys, number + R::ONE);
            has_nan |= any_nan_in_either(xs, ys);
            // As in `reduce_to_lanes`.
            black_box(());
            i = i.wrapping_add(step).wrapping_add(step);
            number = number + R::ONE + R::ONE;
            n += 2;
        }
        if n < chunks.len() {
            let xs = chunks.get(i);
            even = even.after(xs, number);
            has_nan |= any_nan(xs);
            number = number + R::ONE;
        }
        if n_rest > 0 {
            let first = if is_backwards { 0 } else { part.len() - N };
            let xs = part.part(first, N).chunks::<N>().get(0);
            even = even.after(xs, number);
            has_nan |= any_nan(xs);
        }
        let lanes = even.merged(odd);
        if has_nan { None } else { Some(lanes.first(part.len(), is_backwards)) }
    }

    /// Accumulates chunk `number`. Numbers increase from call to call.
    #[inline(always)]
    fn after(mut self, xs: [T; N], number: R) -> Self {
        let mut k = 0;
        while k < N {
            let (x, best) = (xs[k].widen(), self.best[k]);
            let wins = if MAX { x > best } else { x < best };
            self.best[k] = if wins { x } else { best };
            self.chunk_of_best[k] = if wins { number } else { self.chunk_of_best[k] };
            k += 1;
        }
        self
    }

    /// Merges the lanes of other chunks of the same part.
    #[inline(always)]
    fn merged(mut self, other: Self) -> Self {
        let mut k = 0;
        while k < N {
            let (a, b) = (self.best[k], other.best[k]);
            let is_better = if MAX { b > a } else { b < a };
            let is_first = other.chunk_of_best[k] < self.chunk_of_best[k];
            let wins = is_better | ((a == b) & is_first);
            self.best[k] = if wins { b } else { a };
            self.chunk_of_best[k] =
                if wins { other.chunk_of_best[k] } else { self.chunk_of_best[k] };
            k += 1;
        }
        let best = moved_to_memory(self.best);
        ChunkLanes { best, chunk_of_best: moved_to_memory(self.chunk_of_best) }
    }

    /// Returns the best value of a part of `len` elements and the index of the first that has it.
    #[inline(always)]
    fn first(&self, len: usize, is_backwards: bool) -> (T::Wide, usize) {
        // `black_box`: otherwise the compiler reduces both one element at a time.
        let better = |a, b| if if MAX { a > b } else { a < b } { a } else { b };
        let value = black_box(join_lanes(self.best, better));
        // Chunks before lanes, and lanes in the order of positions.
        let mirror = if is_backwards { N as u32 - 1 } else { 0 };
        let mut keys = [u32::MAX; N];
        let mut k = 0;
        while k < N {
            let chunk: u64 = self.chunk_of_best[k].into();
            let key = chunk as u32 * N as u32 + (k as u32 ^ mirror);
            keys[k] = if self.best[k] == value { key } else { u32::MAX };
            k += 1;
        }
        let key = black_box(join_lanes(keys, |a, b| if a < b { a } else { b }));
        let (before, lane) = (key as usize / N * N, (key ^ mirror) as usize % N);
        let last = len - N;
        let first = if is_backwards { last.saturating_sub(before) } else { before.min(last) };
        (value, first + lane)
    }
}

/// Whether an element of one of two chunks is a NaN: one comparison for both.
#[inline(always)]
fn any_nan_in_either<T: Element, const N: usize>(xs: [T; N], ys: [T; N]) -> bool {
    let (mut any, mut k) = (false, 0);
    while k < N {
        any |= xs[k].widen().is_nan() | ys[k].widen().is_nan();
        k += 1;
    }
    any
}

/// Returns where part `number` of a run begins, in the order of positions, and its at most `len` elements.
///
/// # Panics
/// If there is no such part.
#[inline(always)]
fn part<T: Copy>(
    elements: RawSlice<'_, T>,
    number: usize,
    len: usize,
    is_backwards: bool,
) -> (usize, RawSlice<'_, T>) {
    let last = elements.len().div_ceil(len).saturating_sub(1);
    let first = len * if is_backwards { last - number } else { number };
    (first, elements.part(first, len))
}

/// Returns the index of the NaN with the lowest position.
#[inline(always)]
fn first_nan<T: Element>(elements: RawSlice<'_, T>, is_backwards: bool) -> Option<usize> {
    let n = elements.len();
    let mut indices = (0..n).map(|i| if is_backwards { n - 1 - i } else { i });
    indices.find(|&i| elements.get(i).widen().is_nan())
}
