//! `argmin` and `argmax`.
//!
//! To carry a 64-bit position through every comparison would halve the speed of a minimum at best, and compilers do
//! not vectorize it at all. So along a run values are compared without positions, [`PART_BYTES`] at a time. The
//! position of the best value is looked for in one such part of the run only, and only if the value beats all runs
//! before. Down the rows of a block, positions are row numbers, which are integers as wide as the values are.
//!
//! Of equal elements the first one counts, and the first NaN before all others. Foreign memory may change between the
//! two passes: a value that is not found again is reported at the first position of its run.

use super::integer_lane::IntegerLane;
use super::min_max::{extremum, identity};
use crate::dtype::{Comparable, MulAdd, NumberKind, OrderedTask, Scalar};
use crate::kernel::raw_slice::RawSlice;
use crate::kernel::reducer::{Reducer, TypedTotals};
use crate::kernel::reduction::{BlockReduction, LANES, MAX_COLS, MAX_ROWS, Positions, Setting};
use crate::kernel::row_block::{Columns, RowBlock, TypedRows};
use crate::kernel::row_loops::{CHUNK_COLS, STREAMS};
use crate::{DType, Element};
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

/// Returns a reducer made for the loop type of a dtype; that of booleans takes them without a cast, and knows that there
/// is no number above one.
fn reads(dtype: DType, reducer: Reducer) -> Reducer {
    match dtype {
        DType::Bool => reducer.with_bits_of(dtype).with(Setting { number: 1.0, choice: true }),
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
            2 => Reducer::of_blocks::<ArgExtremum<T, u16, MAX>>(),
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
        let is_backwards = positions.stride < 0;
        let (mut best, mut number) = (Self::TOTAL.0, 0);
        for n in 0..n_parts(elements) {
            let (_, part) = part(elements, n, is_backwards);
            let found = extremum::<T, MAX>(part);
            if Self::wins(found, best) {
                (best, number) = (found, n);
                if Self::ENDS_EARLY && Self::is_final((best, positions.first), setting) {
                    break;
                }
            }
        }
        let (first, last) = (positions.first, positions.at(elements.len().saturating_sub(1)));
        if elements.is_empty() || Self::first_of(total, (best, first.min(last))).1 == total.1 {
            return total;
        }
        let (start, part) = part(elements, number, is_backwards);
        let at = match best.is_nan() {
            true => first_in(part, is_backwards, |x: T| x.widen().is_nan()),
            false => first_in(part, is_backwards, |x: T| x.widen() == best),
        };
        let position = at.map_or(first, |i| positions.at(start + i));
        Self::first_of(total, (best, position))
    }

    #[inline(always)]
    fn rows<M: MulAdd>(
        rows: TypedRows<'_, T>,
        mut totals: TypedTotals<'_, Candidate<T::Wide>>,
        _: Setting,
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
            Self::some_rows(part, r, best, row_of_best);
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

    /// No other value beats the best one there is. (Floats have none: a NaN would.)
    fn is_final(total: Candidate<T::Wide>, setting: Setting) -> bool {
        let is_true = setting.choice && total.0.is_true();
        total.1 != isize::MAX && (total.0 == identity(!MAX) || MAX && is_true)
    }
}

impl<T: Element<Wide: Comparable>, R: IntegerLane, const MAX: bool> ArgExtremum<T, R, MAX> {
    /// Accumulates few rows, the first of which has a number: the best value of each column, and the number of its
    /// row.
    #[inline(always)]
    fn some_rows(rows: TypedRows<'_, T>, number: usize, best: &mut [T::Wide], best_rows: &mut [R]) {
        let step = |best: &mut T::Wide, best_row: &mut R, x: T, r: R| {
            let wins = Self::wins(x.widen(), *best);
            *best = if wins { x.widen() } else { *best };
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

/// Bytes of a run that are searched for the best value: they stay in the L1 cache.
const PART_BYTES: usize = 4096;

/// Returns the number of parts of a run.
#[inline(always)]
fn n_parts<T: Copy>(elements: RawSlice<'_, T>) -> usize {
    elements.len().div_ceil(const { PART_BYTES / size_of::<T>() })
}

/// Returns where part `number` of a run begins, in the order of positions, and its elements.
#[inline(always)]
fn part<T: Copy>(
    elements: RawSlice<'_, T>,
    number: usize,
    is_backwards: bool,
) -> (usize, RawSlice<'_, T>) {
    let len = const { PART_BYTES / size_of::<T>() };
    let last = n_parts(elements).saturating_sub(1);
    let first = len * if is_backwards { last - number } else { number };
    (first, elements.part(first, len))
}

/// Returns the index of the element with the lowest position that satisfies `is_it`.
#[inline(always)]
fn first_in<T: Copy>(
    elements: RawSlice<'_, T>,
    is_backwards: bool,
    is_it: impl Fn(T) -> bool,
) -> Option<usize> {
    let chunks = elements.chunks::<LANES>();
    let n_parts = elements.len().div_ceil(LANES);
    let mut n = 0;
    while n < n_parts {
        let number = if is_backwards { n_parts - 1 - n } else { n };
        n += 1;
        // All of a chunk at once; which element it was is looked for in one chunk only.
        if number < chunks.len() && !has_any(chunks.get(number), &is_it) {
            continue;
        }
        let part = elements.part(LANES * number, LANES);
        let mut k = 0;
        while k < part.len() {
            let i = if is_backwards { part.len() - 1 - k } else { k };
            if is_it(part.get(i)) {
                return Some(LANES * number + i);
            }
            k += 1;
        }
    }
    None
}

/// Whether an element satisfies `is_it`.
#[inline(always)]
fn has_any<T: Copy>(xs: [T; LANES], is_it: &impl Fn(T) -> bool) -> bool {
    let (mut is_in, mut k) = (false, 0);
    while k < LANES {
        is_in |= is_it(xs[k]);
        k += 1;
    }
    is_in
}
