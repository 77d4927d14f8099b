//! Products of a row and a matrix that stays in the L2 cache.
//!
//! Every element of the matrix is used once, so packing it, as `gemm` does, takes longer than multiplying. The matrix is
//! read in place, along its contiguous axis:
//!
//! - If its rows are contiguous, the sums of a few columns stay in registers while all rows are read. Narrow matrices have
//!   several sums for each column, of every second or fourth row, so that additions do not wait for each other.
//! - If its columns are contiguous, each element of the result is a dot product, of four columns at a time. Columns of fewer
//!   elements than a vector holds are unrolled.

use super::batch::MatmulBatch;
use super::microkernel::Accumulator;
use super::operand::TileProduct;
use super::scratch::TileMemory;
use super::{TileArgs, TileKernel};
use crate::DType;
use crate::dtype::MulAdd;
use crate::kernel::cpu::{BlockLoop, compiled};
use std::marker::PhantomData;

/// The largest matrix that is read in place, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Elements of a column that are multiplied at once: two vectors of 32 bytes for `f64`.
const LANES: usize = 8;

/// Columns whose dot products are computed at once.
const DOTS: usize = 4;

/// Returns the kernel for products of one row, if they are of this form.
pub(super) fn kernel(batch: &MatmulBatch, dtype: DType) -> Option<TileKernel> {
    let [_, a, b] = batch.strides;
    let bytes = batch.n.saturating_mul(batch.k).saturating_mul(dtype.size());
    let is_dots = a.col == 1 && b.row == 1;
    if batch.m != 1 || bytes > MAX_BYTES || !(is_dots || b.col == 1) {
        return None;
    }
    let run = match dtype {
        DType::Float32 => compiled::<RowProductLoop<f32>>(),
        DType::Float64 => compiled::<RowProductLoop<f64>>(),
        _ => return None,
    };
    Some(TileKernel { run, memory: |_| TileMemory::default() })
}

/// The loops of one tile.
struct RowProductLoop<C>(PhantomData<C>);

impl<C: Accumulator> BlockLoop for RowProductLoop<C> {
    type Args<'a> = TileArgs<'a>;

    /// # Safety
    /// - That of a `TileKernel`, for `C`.
    /// - The tile must have one row, and the right factor contiguous rows; or both factors are contiguous along the inner
    ///   axis.
    #[inline(always)]
    unsafe fn run<M: MulAdd>((part, _): TileArgs<'_>) {
        let part = part.cast::<C>();
        // SAFETY: forwarded: same contract as this function.
        unsafe {
            // Emulated, rounding once would take many instructions.
            match const { M::IS_INSTRUCTION } {
                true => multiply_row::<C, true>(&part),
                false => multiply_row::<C, false>(&part),
            }
        }
    }
}

/// Computes a row.
///
/// # Safety
/// That of [`RowProductLoop::run`].
#[inline(always)]
unsafe fn multiply_row<C: Accumulator, const FUSED: bool>(part: &TileProduct<C>) {
    let (n, mut j) = (part.n, 0);
    // SAFETY: each call is for columns of the tile, which are contiguous in each row, or whose elements are.
    unsafe {
        if part.b.col != 1 {
            match part.k {
                2 => return short_columns::<C, 2, FUSED>(part),
                3 => return short_columns::<C, 3, FUSED>(part),
                4 => return short_columns::<C, 4, FUSED>(part),
                5 => return short_columns::<C, 5, FUSED>(part),
                6 => return short_columns::<C, 6, FUSED>(part),
                7 => return short_columns::<C, 7, FUSED>(part),
                _ => {}
            }
            while j + DOTS <= n {
                dot_columns::<C, DOTS, FUSED>(part, j);
                j += DOTS;
            }
            while j < n {
                dot_columns::<C, 1, FUSED>(part, j);
                j += 1;
            }
            return;
        }
        while j + 32 <= n {
            sum_columns::<C, 32, 1, FUSED>(part, j);
            j += 32;
        }
        while j + 8 <= n {
            sum_columns::<C, 8, 2, FUSED>(part, j);
            j += 8;
        }
        while j + 4 <= n {
            sum_columns::<C, 4, 4, FUSED>(part, j);
            j += 4;
        }
        while j < n {
            sum_columns::<C, 1, 4, FUSED>(part, j);
            j += 1;
        }
    }
}

/// Computes `W` columns from `j` on, with `PHASES` sums for each.
///
/// # Safety
/// That of [`RowProductLoop::run`]; the tile must have these columns, and the right factor contiguous rows.
#[inline(always)]
unsafe fn sum_columns<C: Accumulator, const W: usize, const PHASES: usize, const FUSED: bool>(
    part: &TileProduct<C>,
    j: usize,
) {
    let (a, b) = (part.a, part.b.submatrix(0, j));
    let mut sums = [[C::ZERO; W]; PHASES];
    let add = |sums: &mut [C; W], p: usize| {
        // SAFETY: `p` is an inner index, and row `p` has `W` contiguous elements from column `j` on (contract); an array is
        // aligned like its elements.
        let (x, row) =
            unsafe { (a.submatrix(0, p).at.read(), b.submatrix(p, 0).at.cast::<[C; W]>().read()) };
        for (sum, y) in sums.iter_mut().zip(row) {
            *sum = sum.plus_product::<FUSED>(x, y);
        }
    };
    let whole = part.k - part.k % PHASES;
    for p in (0..whole).step_by(PHASES) {
        for (phase, sums) in sums.iter_mut().enumerate() {
            add(sums, p + phase);
        }
    }
    for p in whole..part.k {
        add(&mut sums[0], p);
    }
    for i in 0..W {
        let sum = sums[1..].iter().fold(sums[0][i], |sum, phase| sum.plus(phase[i]));
        // SAFETY: the result has these columns (contract).
        unsafe { store(part, j + i, sum) };
    }
}

/// Computes all columns, which have `K` elements each.
///
/// # Safety
/// That of [`RowProductLoop::run`]; the inner length must be `K`, and both factors contiguous along it.
#[inline(always)]
unsafe fn short_columns<C: Accumulator, const K: usize, const FUSED: bool>(part: &TileProduct<C>) {
    // SAFETY: the row has `K` contiguous elements (contract); an array is aligned like its elements.
    let row: [C; K] = unsafe { part.a.at.cast::<[C; K]>().read() };
    for j in 0..part.n {
        // SAFETY: as above, for the column; the result has it, too.
        unsafe {
            let column: [C; K] = part.b.submatrix(0, j).at.cast::<[C; K]>().read();
            let sum = (0..K).fold(C::ZERO, |sum, p| sum.plus_product::<FUSED>(row[p], column[p]));
            store(part, j, sum);
        }
    }
}

/// Computes `N` columns from `j` on, each as a dot product.
///
/// # Safety
/// That of [`RowProductLoop::run`]; the tile must have these columns, and both factors are contiguous along the inner axis.
#[inline(always)]
unsafe fn dot_columns<C: Accumulator, const N: usize, const FUSED: bool>(
    part: &TileProduct<C>,
    j: usize,
) {
    let columns: [*mut C; N] = std::array::from_fn(|i| part.b.submatrix(0, j + i).at);
    let mut sums = [[C::ZERO; LANES]; N];
    let mut rest = [C::ZERO; N];
    let whole = part.k - part.k % LANES;
    for p in (0..whole).step_by(LANES) {
        // SAFETY: `p + LANES` is at most the inner length, and the elements are contiguous (contract); an array is aligned
        // like its elements.
        let row: [C; LANES] = unsafe { part.a.at.add(p).cast::<[C; LANES]>().read() };
        for (sums, column) in sums.iter_mut().zip(columns) {
            // SAFETY: as above.
            let column: [C; LANES] = unsafe { column.add(p).cast::<[C; LANES]>().read() };
            for lane in 0..LANES {
                sums[lane] = sums[lane].plus_product::<FUSED>(row[lane], column[lane]);
            }
        }
    }
    for p in whole..part.k {
        for (rest, column) in rest.iter_mut().zip(columns) {
            // SAFETY: `p` is less than the inner length (contract).
            let (x, y) = unsafe { (part.a.at.add(p).read(), column.add(p).read()) };
            *rest = rest.plus_product::<FUSED>(x, y);
        }
    }
    for i in 0..N {
        let sum = sums[i].iter().fold(rest[i], |sum, lane| sum.plus(*lane));
        // SAFETY: the result has these columns (contract).
        unsafe { store(part, j + i, sum) };
    }
}

/// Writes an element of the row, or adds to it.
///
/// # Safety
/// The result must have this column, valid for writes, and initialised if the product is added.
#[inline(always)]
unsafe fn store<C: Accumulator>(part: &TileProduct<C>, j: usize, sum: C) {
    let at = part.out.submatrix(0, j).at;
    // SAFETY: forwarded: same contract as this function.
    unsafe { at.write(if part.add { at.read().plus(sum) } else { sum }) }
}
