//! Products of matrices.
//!
//! **The problem.** `out = a · b`, or `out += a · b`, for every matrix of a batch, of any element type
//! and with any strides of all three.
//!
//! **The plain solution** is three loops around one multiplication. It reads memory once for each of
//! them. What is done instead, step by step:
//!
//! 1. *The batch is made small* ([`batch`]): axes of it that continue the rows or the columns become
//!    part of them, and a product whose result runs down its columns is worked on transposed.
//! 2. *The result is cut into tiles* ([`grid`]), some thousands of elements each. The cut follows from
//!    the shape alone and the inner length is never cut between threads, so the bits of a result do
//!    not depend on how many threads there are.
//! 3. *Threads take tiles.* Floating-point tiles go to the `gemm` crate ([`gemm`]), which takes any
//!    strides; integers, and products too small for its overhead, to loops of our own ([`microkernel`]).
//! 4. *What does not lie well is brought into a buffer*, part by part ([`tile`]): `gemm` is up to
//!    three times slower on tiles when the columns of the right factor are not beside each other, and
//!    its sums of half-precision numbers are rounded on the way.
//!
//! **The cost** is that of `gemm` on one thread (110 of 112 GFLOP/s for 512³ in `f32`), some percent
//! more when a factor goes through a buffer (105), and buffers of two megabytes for each thread.

mod batch;
mod gemm;
mod grid;
mod microkernel;
mod tile;

use crate::dtype::Kind;
use crate::view::{AnyView, AnyViewMut, Sheet, SheetMut, Written};
use crate::{DType, bf16, f16, pool};
use batch::Batch;
use grid::{Grid, Tile};
use num_complex::Complex;
use tile::{Matrix, Part};

/// Multiplications that are worth a thread of their own: five microseconds if they are done in
/// registers, some twenty if a number has to be fetched from memory for each.
const GRAIN: usize = 1 << 18;

/// Pieces for each thread, so that one that is slow does not keep the others waiting.
const PIECES_PER_THREAD: usize = 4;

/// Multiplications up to which our own loops are faster than the library, which allocates; and those
/// of complex numbers.
const SMALL: usize = 16 * 16 * 16;
const SMALL_COMPLEX: usize = 10 * 10 * 10;

/// Inner lengths from which the library is faster at products of two blocks, however small.
const DOT: usize = 16;

/// Tiles of more rows than this are cut, for the library and for our own loops.
const MOST_ROWS: usize = 1024;
const MOST_ROWS_OWN: usize = 128;

/// Calculates one tile.
///
/// # Safety
/// All elements of the part must be of the type that the kernel was chosen for: readable in the two
/// factors, writable in the result, and initialised there if it is added to. The result has one
/// index for each element, shares none with the factors, and nobody else uses it.
type Kernel = unsafe fn(&Part<u8>);

/// Multiplies the matrices `a` (`[…, m, k]`) and `b` (`[…, k, n]`) and writes the products to `out`
/// (`[…, m, n]`), or adds them to it; what comes first is the same in all three.
///
/// Shapes and types must have been compared, and the type not be `bool`; if not, this panics. When
/// products are added, `out` must be initialised, as for every operation that reads it.
pub(crate) fn matmul<'x>(
    out: AnyViewMut<'x>,
    a: &AnyView<'_>,
    b: &AnyView<'_>,
    add: bool,
) -> Written<'x> {
    let dtype = out.dtype();
    assert!(a.dtype() == dtype && b.dtype() == dtype, "a product does not convert");
    let batch = Batch::new([out.layout(), a.layout(), b.layout()]);
    if out.layout().is_empty() || add && batch.k == 0 {
        // SAFETY: there are no elements.
        return unsafe { out.written() };
    }
    let (a, b) = if batch.is_turned { (b, a) } else { (a, b) };
    let ([_, left, right], lens) = (batch.walks, [batch.m, batch.n, batch.k]);
    let (kernel, most_rows) = kernel(dtype, is_small(lens, [left.col, right.row], dtype));
    let memory = [out.ptr(), a.ptr(), b.ptr()].map(|ptr| ptr.as_ptr());
    let job = Job { batch: &batch, kernel, memory, size: dtype.size(), add };
    // SAFETY: the batch was made from the layouts of the three views, which are borrowed while this
    // runs; `out` is for writing, so the others share no element with it, and injective. The kernel was
    // chosen for their type.
    unsafe {
        match Tile::whole(&batch) {
            Some(tile) => job.calculate(tile),
            None => job.calculate_all(&Grid::new(&batch, most_rows)),
        }
    }
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// Whether a product of so many rows and columns, with so many terms each, is so small that it is for
/// [`multiply`]: one tile for our own loops. The left factor's columns and the right one's rows are so far
/// apart.
#[inline]
pub(crate) fn is_one_tile([m, n, k]: [usize; 3], [a_col, b_row]: [isize; 2], dtype: DType) -> bool {
    // A result of one column is worked on transposed.
    let is_tile = (1..=MOST_ROWS_OWN).contains(&m) && (2..=MOST_ROWS_OWN).contains(&n) && k > 0;
    is_tile && is_small([m, n, k], [a_col, b_row], dtype)
}

/// Multiplies two small matrices of one type. If their shapes do not fit, or the type is `bool`, this
/// panics.
#[inline]
pub(crate) fn multiply<'x>(out: SheetMut<'x>, [a, b]: [Sheet<'x>; 2]) -> Written<'x> {
    let ([m, k], [inner, n], dtype) = (a.lens(), b.lens(), out.sheet().dtype());
    let is_fit = k == inner && out.sheet().lens() == [m, n];
    assert!(is_fit && a.dtype() == dtype && b.dtype() == dtype, "factors and their product");
    let matrix = |sheet: &Sheet<'x>| {
        let [row, col] = sheet.strides();
        Matrix { at: sheet.ptr(), row, col }
    };
    let (out_matrix, a, b) = (matrix(out.sheet()), matrix(&a), matrix(&b));
    let (kernel, _) = kernel(dtype, true);
    // SAFETY: the sheets are of the type that the kernel was chosen for, readable and writable, and the
    // result shares no element with the others; their shapes fit.
    unsafe {
        kernel(&Part { m, n, k, out: out_matrix, a, b, add: false });
        out.written()
    }
}

/// Whether a product of floating-point numbers is one for our own loops.
#[inline]
fn is_small([m, n, k]: [usize; 3], [a_col, b_row]: [isize; 2], dtype: DType) -> bool {
    let is_dots = k >= DOT && a_col == 1 && b_row == 1 && dtype.size() > 2;
    let most = if dtype.is_complex() { SMALL_COMPLEX } else { SMALL };
    let work = m.saturating_mul(n).saturating_mul(k);
    // Half-precision sums are rounded once, so they must be finished in one go.
    work <= most && k <= microkernel::DEPTH && !is_dots
}

/// The kernel for a type, and how many rows its tiles may have.
fn kernel(dtype: DType, is_small: bool) -> (Kernel, usize) {
    // The lanes of the own loops fill two vectors of 32 bytes. Products of integers wrap around, so
    // that their lower bits do not depend on the sign or on the upper ones.
    let own: Kernel = match dtype.kind() {
        Kind::Bool => unreachable!("operations refuse to multiply {dtype}"),
        Kind::Signed(1) | Kind::Unsigned(1) => microkernel::kernel::<u8, u16, 32, 16>(),
        Kind::Signed(2) | Kind::Unsigned(2) => microkernel::kernel::<u16, u16, 32, 16>(),
        Kind::Signed(4) | Kind::Unsigned(4) => microkernel::kernel::<u32, u32, 16, 8>(),
        Kind::Signed(_) | Kind::Unsigned(_) => microkernel::kernel::<u64, u64, 8, 4>(),
        Kind::Float(2) if is_small => microkernel::kernel::<f16, f32, 16, 8>(),
        Kind::Float(4) if is_small => microkernel::kernel::<f32, f32, 16, 8>(),
        Kind::Float(_) if is_small => microkernel::kernel::<f64, f64, 8, 4>(),
        Kind::Brain(_) if is_small => microkernel::kernel::<bf16, f32, 16, 8>(),
        Kind::Complex(8) if is_small => microkernel::kernel::<Complex<f32>, Complex<f32>, 8, 4>(),
        Kind::Complex(_) if is_small => microkernel::kernel::<Complex<f64>, Complex<f64>, 4, 2>(),
        Kind::Float(2) => return (gemm::halves::<f16>, MOST_ROWS),
        Kind::Brain(_) => return (gemm::halves::<bf16>, MOST_ROWS),
        Kind::Float(4) => return (gemm::floats::<f32>, MOST_ROWS),
        Kind::Float(_) => return (gemm::floats::<f64>, MOST_ROWS),
        Kind::Complex(8) => return (gemm::floats::<Complex<f32>>, MOST_ROWS),
        Kind::Complex(_) => return (gemm::floats::<Complex<f64>>, MOST_ROWS),
    };
    (own, MOST_ROWS_OWN)
}

/// What calculating tiles needs, for several threads.
struct Job<'b> {
    batch: &'b Batch,
    kernel: Kernel,
    /// Where offset 0 of the result and of the factors is.
    memory: [*mut u8; 3],
    /// Bytes of an element.
    size: usize,
    add: bool,
}

// SAFETY: `matmul` gives the job to threads that work on tiles of the output which share no element,
// while it holds the borrows of all views.
unsafe impl Sync for Job<'_> {}

impl Job<'_> {
    /// Into how many pieces it pays to divide the tiles.
    fn n_pieces(&self, grid: &Grid, n_threads: usize) -> usize {
        if n_threads <= 1 {
            return 1;
        }
        let worth = self.batch.work().saturating_mul(self.batch.len()) / GRAIN;
        worth.min(grid.len()).min(n_threads * PIECES_PER_THREAD)
    }

    /// Calculates all tiles of a grid.
    ///
    /// # Safety
    /// That of a `Kernel`, for the whole of the batch at `memory`, with elements of `size` bytes. The grid
    /// must be the batch's.
    unsafe fn calculate_all(&self, grid: &Grid) {
        let count = grid.len();
        let n = self.n_pieces(grid, pool::num_threads()).max(1);
        let piece = |i: usize| {
            for tile in count * i / n..count * (i + 1) / n {
                // SAFETY: the caller's promises; the tiles of a grid share no element of the output.
                unsafe { self.calculate(grid.tile(tile)) };
            }
        };
        match n {
            1 => piece(0),
            _ => pool::run(n, &piece),
        }
    }

    /// Calculates one tile.
    ///
    /// # Safety
    /// That of a `Kernel`, for the whole of the batch at `memory`, with elements of `size` bytes. The tile
    /// must be one of the batch's, and nobody else work on it.
    unsafe fn calculate(&self, tile: Tile) {
        let starts = self.batch.starts(tile.batch);
        let (i, j) = (tile.rows.start as isize, tile.cols.start as isize);
        // Where a tile begins in the result, and the rows and columns that it is made of.
        let corners = [(i, j), (i, 0), (0, j)];
        let [out, a, b] = std::array::from_fn(|n| {
            let (walk, (row, col)) = (self.batch.walks[n], corners[n]);
            let offset = starts[n] as isize + row * walk.row + col * walk.col;
            // SAFETY: the offset is that of an element of the batch; without one it is 0.
            let at = unsafe { self.memory[n].offset(offset * self.size as isize) };
            Matrix { at, row: walk.row, col: walk.col }
        });
        let (m, n, k) = (tile.rows.len(), tile.cols.len(), self.batch.k);
        // SAFETY: the caller's promises.
        unsafe { (self.kernel)(&Part { m, n, k, out, a, b, add: self.add }) }
    }
}
