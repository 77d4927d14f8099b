//! Where the least and the greatest elements are.
//!
//! A position beside each value is more than the value: to carry both through every comparison would
//! halve the speed of an extreme at best, and compilers do not find vectors for it at all. So along a run
//! values are compared alone, some hundred at a time. Where the best one is, is a question to one such
//! part of the run, and only if it beats all runs before. Down the rows of a block, positions are numbers of
//! rows, which are as short as the values are.
//!
//! Of equal elements the first counts, and the first NaN before all others. Memory may change between the
//! two looks, if others have it too: what is not found again is said to be at the first position of its run.

use super::extreme::worst;
use crate::dtype::{Comparable, MulAdd, OrderedTask, Scalar};
use crate::kernel::fold::{
    Block, Blocks, CHUNK, COLS, Columns, LANES, Run, STREAMS, Setting, fold_slice, update,
};
use crate::kernel::reducer::Reducer;
use crate::{DType, Element};
use std::marker::PhantomData;
use std::slice;

/// The position of the least element, or of the first NaN.
pub(crate) fn least_at(dtype: DType) -> Option<Reducer> {
    dtype.with_ordered(Places::<false>)
}

/// The position of the greatest element, or of the first NaN.
pub(crate) fn greatest_at(dtype: DType) -> Option<Reducer> {
    dtype.with_ordered(Places::<true>)
}

struct Places<const GREATEST: bool>;

impl<const GREATEST: bool> OrderedTask for Places<GREATEST> {
    type Output = Reducer;

    fn run<T: Element<Wide: Comparable>>(self) -> Reducer {
        Reducer::of_blocks::<Place<T, GREATEST>>()
    }
}

struct Place<T, const GREATEST: bool>(PhantomData<T>);

/// A value and its position.
type At<W> = (W, isize);

impl<T: Element<Wide: Comparable>, const GREATEST: bool> Place<T, GREATEST> {
    /// The better of two values; a NaN if one of them is.
    #[inline(always)]
    fn better(a: T::Wide, b: T::Wide) -> T::Wide {
        if GREATEST { a.greater(b) } else { a.smaller(b) }
    }

    /// Whether a value beats the best one before it; a NaN is among those that do.
    #[inline(always)]
    fn wins(x: T::Wide, best: T::Wide) -> bool {
        let is_no_better = if GREATEST { x <= best } else { x >= best };
        !is_no_better & !best.is_nan()
    }

    /// The better of two values, and of two equal ones that which comes first.
    #[inline(always)]
    fn first_of(a: At<T::Wide>, b: At<T::Wide>) -> At<T::Wide> {
        if Self::wins(b.0, a.0) || is_same(a.0, b.0) && b.1 < a.1 { b } else { a }
    }
}

/// Whether two values are equal, or both are NaNs.
#[inline(always)]
fn is_same<W: Comparable>(a: W, b: W) -> bool {
    (a == b) | (a.is_nan() & b.is_nan())
}

impl<T: Element<Wide: Comparable>, const GREATEST: bool> Blocks for Place<T, GREATEST> {
    type In = T;
    type Total = At<T::Wide>;
    type Out = i64;

    const TOTAL: At<T::Wide> = (worst::<T::Wide>(GREATEST), isize::MAX);

    #[inline(always)]
    unsafe fn run<M: MulAdd>(run: Run, total: At<T::Wide>, _: Setting) -> At<T::Wide> {
        // SAFETY: the caller's promise.
        let elements = unsafe { slice::from_raw_parts(run.at.cast::<T>(), run.len) };
        let is_backwards = run.stride < 0;
        let (mut best, mut number) = (Self::TOTAL.0, 0);
        for n in 0..run.len.div_ceil(PART) {
            let (_, part) = part(elements, n, is_backwards);
            let better = |best, x: T| Self::better(best, x.widen());
            let found = fold_slice(part, Self::TOTAL.0, better, Self::better);
            if Self::wins(found, best) {
                (best, number) = (found, n);
            }
        }
        let (first, last) = (run.position, run.position + (run.len as isize - 1) * run.stride);
        if run.len == 0 || Self::first_of(total, (best, first.min(last))).1 == total.1 {
            return total;
        }
        let (start, part) = part(elements, number, is_backwards);
        let at = first_in(part, is_backwards, |x: T| is_same(x.widen(), best));
        let position = at.map_or(first, |i| first + (start + i) as isize * run.stride);
        Self::first_of(total, (best, position))
    }

    #[inline(always)]
    unsafe fn rows<M: MulAdd>(block: Block, totals: *mut u8, _: Setting) {
        // In the order of positions: of equal values the first one stays.
        let block = match block.stride < 0 {
            true => Block {
                at: block.at.wrapping_offset((block.rows as isize - 1) * block.row_step),
                row_step: -block.row_step,
                position: block.position + (block.rows as isize - 1) * block.stride,
                stride: -block.stride,
                ..block
            },
            false => block,
        };
        let (mut best, mut rows) = (Columns::<_, COLS>::new(), Columns::<_, COLS>::new());
        let best = best.filled(Self::TOTAL.0, block.cols);
        let rows = rows.filled(0, block.cols);
        for r in (0..block.rows).step_by(STREAMS) {
            let part = block.part(r, STREAMS.min(block.rows - r), 1);
            // SAFETY: the caller's promise, for some of the rows.
            unsafe { Self::some_rows(part, r as u32, best, rows) };
        }
        for (c, (&best, &r)) in best.iter().zip(&*rows).enumerate() {
            let position = block.position + r as isize * block.stride;
            // SAFETY: the caller gives a started slot for each column.
            unsafe { update::<Self>(totals, c, |total| Self::first_of(total, (best, position))) };
        }
    }

    fn merge(a: At<T::Wide>, b: At<T::Wide>, _: Setting) -> At<T::Wide> {
        Self::first_of(a, b)
    }

    fn finish(total: At<T::Wide>, _: usize, _: Setting) -> i64 {
        total.1 as i64
    }
}

impl<T: Element<Wide: Comparable>, const GREATEST: bool> Place<T, GREATEST> {
    /// Takes up few rows, the first of which has a number: the best value of each column, and the number
    /// of its row.
    ///
    /// # Safety
    /// That of `Blocks::rows`, and there are as many of both as columns.
    #[inline(always)]
    unsafe fn some_rows(block: Block, number: u32, best: &mut [T::Wide], rows: &mut [u32]) {
        let step = |best: &mut T::Wide, row: &mut u32, x: T, r: u32| {
            let wins = Self::wins(x.widen(), *best);
            *best = if wins { x.widen() } else { *best };
            *row = if wins { r } else { *row };
        };
        let row = |r: usize| block.at.wrapping_offset(r as isize * block.row_step).cast::<T>();
        let (best_chunks, best_rest) = best.as_chunks_mut::<CHUNK>();
        let (row_chunks, row_rest) = rows.as_chunks_mut::<CHUNK>();
        let first_of_rest = best_chunks.len() * CHUNK;
        for (i, (best_chunk, row_chunk)) in best_chunks.iter_mut().zip(row_chunks).enumerate() {
            let (mut best, mut rows) = (*best_chunk, *row_chunk);
            for r in 0..block.rows {
                for (k, (best, row_of_best)) in best.iter_mut().zip(&mut rows).enumerate() {
                    // SAFETY: row `r` and the columns of the chunk are in the block.
                    let x = unsafe { row(r).add(i * CHUNK + k).read() };
                    step(best, row_of_best, x, number + r as u32);
                }
            }
            (*best_chunk, *row_chunk) = (best, rows);
        }
        for (k, (best, row_of_best)) in best_rest.iter_mut().zip(row_rest).enumerate() {
            for r in 0..block.rows {
                // SAFETY: as above, for the columns after the last chunk.
                let x = unsafe { row(r).add(first_of_rest + k).read() };
                step(best, row_of_best, x, number + r as u32);
            }
        }
    }
}

/// Elements of a run among which the best one is looked for.
const PART: usize = 512;

/// A part of a run's elements, by its number in the order of their positions, and where it begins.
#[inline(always)]
fn part<T>(elements: &[T], number: usize, is_backwards: bool) -> (usize, &[T]) {
    let last = elements.len().div_ceil(PART).saturating_sub(1);
    let first = PART * if is_backwards { last - number } else { number };
    (first, &elements[first..elements.len().min(first + PART)])
}

/// The element that comes first among those that are looked for.
#[inline(always)]
fn first_in<T: Copy>(
    elements: &[T],
    is_backwards: bool,
    is_it: impl Fn(T) -> bool,
) -> Option<usize> {
    let (chunks, rest) = elements.as_chunks::<LANES>();
    let whole = elements.len() - rest.len();
    // All of a chunk at once: which of them it was is asked when one was it.
    let is_in = |chunk: &[T; LANES]| chunk.iter().fold(false, |hit, &x| hit | is_it(x));
    let is_here = |x: &T| is_it(*x);
    if is_backwards {
        if let Some(i) = rest.iter().rposition(is_here) {
            return Some(whole + i);
        }
        let n = chunks.iter().rposition(is_in)?;
        return chunks[n].iter().rposition(is_here).map(|i| n * LANES + i);
    }
    match chunks.iter().position(is_in) {
        Some(n) => chunks[n].iter().position(is_here).map(|i| n * LANES + i),
        None => rest.iter().position(is_here).map(|i| whole + i),
    }
}
