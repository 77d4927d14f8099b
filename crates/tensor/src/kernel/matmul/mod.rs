//! Matrix products.
//!
//! **The problem.** `out = a · b`, or `out += a · b`, for every matrix of a batch, for any dtype and any
//! strides of all three.
//!
//! **The plain solution** is three loops around one multiplication. It loads an element from memory for
//! each of them. What is done instead:
//!
//! 1. *The batch is simplified* ([`batch`]): batch axes that continue the rows or the columns are merged
//!    with them, and a product whose result is column-major is computed transposed.
//! 2. *The result is divided into tiles* ([`grid`]) of a few thousand elements. The tiles depend on the
//!    shape alone and the inner axis is never divided between threads, so results are bit-identical for
//!    every number of threads.
//! 3. *Threads compute tiles.* Floating-point tiles use the `gemm` crate ([`mod@gemm`]), which takes any
//!    strides; integers, and products too small for its overhead, use our own [`microkernel`], and a row
//!    times a matrix in the L2 cache is multiplied in place ([`row`]).
//! 4. *Operands are packed into a buffer* ([`operand`]) where that is faster: `gemm` is up to three times
//!    slower on tiles whose right factor does not have contiguous rows, and it rounds partial sums of
//!    half-precision numbers.
//!
//! **The cost** is that of `gemm` on one thread (110 of 112 GFLOP/s for 512³ in `f32`), 5 % more when a
//! factor is packed (105 GFLOP/s), and two MiB of buffers for each thread.

mod batch;
mod gemm;
mod grid;
mod microkernel;
mod operand;
mod row;
mod scratch;

#[cfg(all(feature = "matmul", unix))]
pub(crate) use gemm::lock_for_fork;

use super::parallel::{max_threads, run_with_states};
use crate::dtype::NumberKind;
use crate::plan::{PRODUCTS_PER_ELEMENT, pieces_for};
use crate::sync_ptr::SyncPtr;
use crate::view::{AnyView, AnyViewMut, SmallView, SmallViewMut, Strided2, Written};
use crate::{DType, bf16, f16};
use batch::MatmulBatch;
use grid::{OutputTile, TileGrid};
use num_complex::Complex;
use operand::{MatPtr, TileProduct};
use scratch::{TileMemory, TileScratch};
use std::ptr;

/// Multiplications up to which the microkernel is faster than `gemm`, which allocates; for real and for
/// complex numbers.
const SMALL_WORK: usize = 16 * 16 * 16;
const SMALL_WORK_COMPLEX: usize = 10 * 10 * 10;

/// The inner length from which `gemm` is faster at dot products of contiguous vectors, however small; at several, and at
/// one, whose time is that of the call.
const DOT_MIN_DEPTH: usize = 16;
const ONE_DOT_MIN_DEPTH: usize = 64;

/// The maximum number of rows of a tile, for `gemm` and for the microkernel.
const MAX_ROWS: usize = 1024;
const MAX_ROWS_MICROKERNEL: usize = 128;

/// The operands of one tile, and the buffers of the thread that computes it.
type TileArgs<'a> = (&'a TileProduct<u8>, &'a mut TileScratch);

/// A function that computes tiles of one dtype.
#[derive(Clone, Copy)]
struct TileKernel {
    /// Computes one tile.
    ///
    /// # Safety
    /// - All elements are of the dtype that the kernel was chosen for.
    /// - The factors are valid for reads, and the result for writes; it is initialised if `add`.
    /// - The result is injective, shares no element with the factors, and no other thread accesses it.
    run: unsafe fn(TileArgs<'_>),
    /// Returns the memory that a tile needs. Only the lengths and strides of the operands are used.
    memory: fn(&TileProduct<u8>) -> TileMemory,
}

/// Multiplies the matrices `a` (`[…, m, k]`) and `b` (`[…, k, n]`) and writes the products to `out`
/// (`[…, m, n]`), or adds them to it; the leading axes are the same in all three. If `add`, `out` must be
/// initialised, as for every operation that reads it.
///
/// # Panics
/// If the shapes do not match, the dtypes differ, or the dtype is `bool`.
pub(crate) fn matmul<'x>(
    out: AnyViewMut<'x>,
    a: &AnyView<'_>,
    b: &AnyView<'_>,
    add: bool,
) -> Written<'x> {
    let dtype = out.dtype();
    assert!(a.dtype() == dtype && b.dtype() == dtype, "a product does not cast");
    let batch = MatmulBatch::new([out.layout(), a.layout(), b.layout()]);
    if out.layout().is_empty() {
        return out.written_empty();
    }
    let (a, b) = if batch.is_transposed { (b, a) } else { (a, b) };
    let ([_, left, right], lens) = (batch.strides, [batch.m, batch.n, batch.k]);
    let is_small = is_small(lens, [left.col, right.row], dtype);
    let (kernel, max_rows) = match row::kernel(&batch, dtype) {
        Some(kernel) if !is_small => (kernel, MAX_ROWS),
        _ => kernel(dtype, is_small),
    };
    let memory = [out.ptr(), a.ptr(), b.ptr()].map(|ptr| SyncPtr::new(ptr.as_ptr()));
    let job = MatmulJob { batch: &batch, kernel, memory, size: dtype.size(), add };
    // SAFETY: the batch was made from the layouts of the three views, which are borrowed while this
    // runs: the factors for reading, and `out` for writing, so it is injective and shares no element with
    // them. The kernel was chosen for their dtype. All elements are written; or nothing is added to them, which
    // are initialised then.
    unsafe {
        match OutputTile::whole(&batch) {
            _ if add && batch.k == 0 => {}
            Some(tile) => job.calculate(tile, &mut TileScratch::new()),
            None => job.calculate_all(&TileGrid::new(&batch, max_rows)),
        }
        out.written()
    }
}

/// Whether an `m × k` by `k × n` product is small enough for [`multiply`]: one tile of the microkernel.
/// `a_col` is the stride of the left factor's columns, and `b_row` that of the right factor's rows.
#[inline]
pub(crate) fn is_one_tile([m, n, k]: [usize; 3], [a_col, b_row]: [isize; 2], dtype: DType) -> bool {
    // A result of one column is computed transposed, which `multiply` does not do.
    let is_column = n == 1 && m > 1;
    let is_length = |len: usize| (1..=MAX_ROWS_MICROKERNEL).contains(&len);
    let is_tile = is_length(m) && is_length(n) && k > 0 && !is_column;
    is_tile && is_small([m, n, k], [a_col, b_row], dtype)
}

/// Multiplies two small matrices of one dtype.
///
/// # Panics
/// If the shapes do not match, the dtypes differ, or the dtype is `bool`.
#[inline]
pub(crate) fn multiply<'x>(out: SmallViewMut<'x>, [a, b]: [SmallView<'x>; 2]) -> Written<'x> {
    let ([m, k], [inner, n], dtype) = (a.lens, b.lens, out.dtype);
    let is_fit = k == inner && out.lens == [m, n] && out.ptr != a.ptr && out.ptr != b.ptr;
    assert!(is_fit && a.dtype == dtype && b.dtype == dtype, "factors and their product");
    let matrix = |it: &Strided2| {
        let [row, col] = it.strides;
        MatPtr { at: it.ptr, row, col }
    };
    let (out_matrix, a, b) = (matrix(&out), matrix(&a), matrix(&b));
    let (kernel, _) = kernel(dtype, true);
    // SAFETY: the views are of the dtype that the kernel was chosen for, readable and writable, and their
    // shapes fit. No factor is the result, as the pointers differ, so they share no byte (`SmallView`).
    unsafe {
        let product = TileProduct { m, n, k, out: out_matrix, a, b, add: false };
        (kernel.run)((&product, &mut TileScratch::new()));
        out.written()
    }
}

/// Whether a product of floating-point numbers is computed by the microkernel.
#[inline]
fn is_small([m, n, k]: [usize; 3], [a_col, b_row]: [isize; 2], dtype: DType) -> bool {
    let min_depth = if m == 1 && n == 1 { ONE_DOT_MIN_DEPTH } else { DOT_MIN_DEPTH };
    let is_dots = k >= min_depth && a_col == 1 && b_row == 1 && dtype.size() > 2;
    let most = if dtype.is_complex() { SMALL_WORK_COMPLEX } else { SMALL_WORK };
    let work = m.saturating_mul(n).saturating_mul(k);
    // Half-precision sums are rounded once, so they must be complete after one block of the inner axis.
    work <= most && k <= microkernel::DEPTH && !is_dots
}

/// Returns the kernel for a dtype, and the maximum number of rows of its tiles.
fn kernel(dtype: DType, is_small: bool) -> (TileKernel, usize) {
    // The accumulators of the microkernel fill two vectors of 32 bytes. Products of integers wrap, so their
    // lower bits do not depend on the sign or on the upper bits.
    let microkernel: TileKernel = match dtype.kind() {
        NumberKind::Bool => unreachable!("operations reject products of {dtype}"),
        NumberKind::Signed(1) | NumberKind::Unsigned(1) => microkernel::kernel::<u8, u16, 32, 16>(),
        NumberKind::Signed(2) | NumberKind::Unsigned(2) => {
            microkernel::kernel::<u16, u16, 32, 16>()
        }
        NumberKind::Signed(4) | NumberKind::Unsigned(4) => microkernel::kernel::<u32, u32, 16, 8>(),
        NumberKind::Signed(_) | NumberKind::Unsigned(_) => microkernel::kernel::<u64, u64, 8, 4>(),
        NumberKind::Float(2) if is_small => microkernel::kernel::<f16, f32, 16, 8>(),
        NumberKind::Float(4) if is_small => microkernel::kernel::<f32, f32, 16, 8>(),
        NumberKind::Float(_) if is_small => microkernel::kernel::<f64, f64, 8, 4>(),
        NumberKind::Brain(_) if is_small => microkernel::kernel::<bf16, f32, 16, 8>(),
        NumberKind::Complex(8) if is_small => {
            microkernel::kernel::<Complex<f32>, Complex<f32>, 8, 4>()
        }
        NumberKind::Complex(_) if is_small => {
            microkernel::kernel::<Complex<f64>, Complex<f64>, 4, 2>()
        }
        NumberKind::Float(2) => return (gemm::halves_kernel::<f16>(), MAX_ROWS),
        NumberKind::Brain(_) => return (gemm::halves_kernel::<bf16>(), MAX_ROWS),
        NumberKind::Float(4) => return (gemm::floats_kernel::<f32>(), MAX_ROWS),
        NumberKind::Float(_) => return (gemm::floats_kernel::<f64>(), MAX_ROWS),
        NumberKind::Complex(8) => return (gemm::floats_kernel::<Complex<f32>>(), MAX_ROWS),
        NumberKind::Complex(_) => return (gemm::floats_kernel::<Complex<f64>>(), MAX_ROWS),
    };
    (microkernel, MAX_ROWS_MICROKERNEL)
}

/// A batch of products, shared by the threads that compute its tiles.
struct MatmulJob<'b> {
    batch: &'b MatmulBatch,
    kernel: TileKernel,
    /// Pointers to offset 0 of the result and of the two factors.
    memory: [SyncPtr<u8>; 3],
    /// The size of an element in bytes.
    size: usize,
    add: bool,
}

impl MatmulJob<'_> {
    /// Returns the number of pieces that the tiles are divided into for threads.
    fn n_pieces(&self, grid: &TileGrid) -> usize {
        let n_products = self.batch.work().saturating_mul(self.batch.len());
        pieces_for(n_products / PRODUCTS_PER_ELEMENT, grid.len())
    }

    /// Computes all tiles of a grid. The memory of all threads is allocated before the first tile is written.
    ///
    /// # Safety
    /// - That of a `TileKernel`, for all products of the batch at `memory`, with elements of `size` bytes.
    /// - The grid must be that of the batch.
    unsafe fn calculate_all(&self, grid: &TileGrid) {
        let count = grid.len();
        let n = self.n_pieces(grid);
        let needed = (self.kernel.memory)(&self.largest_tile(grid));
        let scratch = TileScratch::for_threads(needed, max_threads(n));
        run_with_states(n, scratch, |scratch, i| {
            for tile in count * i / n..count * (i + 1) / n {
                // SAFETY: forwarded: same contract; the tiles of a grid share no element of the output, and each
                // is computed by one thread.
                unsafe { self.calculate(grid.tile(tile), scratch) };
            }
        });
    }

    /// Returns the lengths and strides of the largest tile, with pointers that must not be used.
    fn largest_tile(&self, grid: &TileGrid) -> TileProduct<u8> {
        let matrices = self.batch.strides;
        let [out, a, b] =
            matrices.map(|it| MatPtr { at: ptr::null_mut(), row: it.row, col: it.col });
        let [m, n] = grid.tile_lens();
        TileProduct { m, n, k: self.batch.k, out, a, b, add: self.add }
    }

    /// Computes one tile.
    ///
    /// # Safety
    /// - That of a `TileKernel`, for all products of the batch at `memory`, with elements of `size` bytes.
    /// - The tile must be one of the batch, and no other thread computes it.
    unsafe fn calculate(&self, tile: OutputTile, scratch: &mut TileScratch) {
        let starts = self.batch.starts(tile.batch);
        let (i, j) = (tile.rows.start as isize, tile.cols.start as isize);
        // The first row and column of the tile in the result and in the two factors.
        let corners = [(i, j), (i, 0), (0, j)];
        let [out, a, b] = std::array::from_fn(|n| {
            let (strides, (row, col)) = (self.batch.strides[n], corners[n]);
            let offset = starts[n] as isize + row * strides.row + col * strides.col;
            // The offset of an element of the batch, or 0 if it has none.
            let at = self.memory[n].element::<u8>(offset * self.size as isize);
            MatPtr { at, row: strides.row, col: strides.col }
        });
        let (m, n, k) = (tile.rows.len(), tile.cols.len(), self.batch.k);
        // SAFETY: forwarded: same contract as this function.
        unsafe { (self.kernel.run)((&TileProduct { m, n, k, out, a, b, add: self.add }, scratch)) }
    }
}
