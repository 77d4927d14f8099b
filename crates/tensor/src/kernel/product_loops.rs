//! The loops of `sum_of_products.rs`, compiled for each instruction set.

use super::cpu::BlockLoop;
use super::raw_slice::RawSlice;
use super::reduction::join_lanes;
use crate::dtype::{MulAdd, Number};
use crate::{DType, Element};
use std::hint::black_box;
use std::marker::PhantomData;

/// The partial sums of a run: as many as hide the latency of an addition of vectors.
const LANES: usize = 32;

/// Whether loops over elements of this dtype are compiled for vectors.
const fn is_common(dtype: DType) -> bool {
    matches!(dtype, DType::Float32 | DType::Float64 | DType::Int32 | DType::Int64)
}

/// Runs of products, each of which is added to a total of its own.
pub(super) struct RunsArgs<'a, T: Element> {
    pub factors: [*const T; 2],
    pub steps: [isize; 2],
    /// The length of a run.
    pub len: usize,
    /// From one run to the next.
    pub row_steps: [isize; 2],
    pub totals: &'a mut [T::Wide],
}

pub(super) struct RunsLoop<T>(PhantomData<T>);

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
pub(super) struct RowArgs<'a, T: Element> {
    pub factors: [*const T; 2],
    pub steps: [isize; 2],
    pub totals: &'a mut [T::Wide],
}

pub(super) struct RowLoop<T>(PhantomData<T>);

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
                // SAFETY: `totals` is not empty here, so the contract guarantees that the element is readable.
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
