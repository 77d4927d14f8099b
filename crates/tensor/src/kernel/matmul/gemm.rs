//! Tiles computed by the `gemm` crate, or by a plain loop without the feature `matmul`.
//!
//! `gemm` takes any strides, and packs its operands into buffers of its own. Two things are done before:
//!
//! - A right factor whose rows are not contiguous is packed: the packing of `gemm` is fast along contiguous
//!   rows and slow across them. Ours is a blocked transpose.
//! - Half-precision numbers are widened to `f32`, accumulated in `f32` over the whole inner length, and
//!   rounded once. The kernels of `gemm` for them round partial sums.

use super::operand::{MatPtr, Packer, TileProduct};
use super::scratch::{ScratchBuffers, TileMemory, buffer_bytes};
use super::{TileArgs, TileKernel};
use crate::dtype::Number;
#[cfg(all(feature = "matmul", unix))]
use crate::fork::HeldLock;
#[cfg(feature = "matmul")]
use crate::kernel::first_call::FirstCall;
use crate::{DType, Element};
use std::ptr;

/// Elements of a factor that are packed at once.
const STAGE_ELEMENTS: usize = 1 << 17;

/// The maximum number of inner indices that are packed at once; `gemm` uses blocks of as many.
const MAX_DEPTH: usize = 512;

/// The minimum number of inner indices that are packed at once, however wide a tile is.
const MIN_DEPTH: usize = 32;

/// Elements of a buffer of `gemm` for which the available memory is not checked: a small allocation.
#[cfg(feature = "matmul")]
const UNCHECKED_ELEMENTS: usize = 1 << 12;

/// Rows up to which computing row by row is faster than transposing the right factor.
const FEW_ROWS: usize = 6;

/// Elements of the right factor that stay in the L2 cache while a few rows are computed.
const L2_ELEMENTS: usize = 1 << 15;

/// Returns the kernel for a type that `gemm` has: `f32`, `f64`, or complex numbers of these.
pub(super) fn floats_kernel<C: Element + Number>() -> TileKernel {
    TileKernel { run: multiply_floats::<C>, memory: floats_memory::<C> }
}

/// Returns the kernel for half-precision numbers.
pub(super) fn halves_kernel<T: Element<Wide = f32>>() -> TileKernel {
    TileKernel {
        run: multiply_halves::<T>,
        memory: |largest| HalvesLens::new(largest).memory::<T>(),
    }
}

/// Returns the rows and columns per call of `gemm`, or `None` if the right factor is packed.
fn sides_in_place(part: &TileProduct<u8>) -> Option<[usize; 2]> {
    let &TileProduct { m, n, k, a, b, .. } = part;
    if b.col == 1 || n == 1 {
        Some([m, n])
    } else if m <= FEW_ROWS && b.row == 1 && a.col == 1 {
        // Each element is a dot product of contiguous vectors, which `gemm` does well for one row; as many columns as
        // stay in the L2 cache while all rows are computed.
        Some([1, (L2_ELEMENTS / k.max(1)).clamp(1, n)])
    } else {
        None
    }
}

/// Returns the memory that [`multiply_floats`] needs.
fn floats_memory<C>(part: &TileProduct<u8>) -> TileMemory {
    let &TileProduct { m, n, k, .. } = part;
    let own = match sides_in_place(part) {
        Some(_) => 0,
        None => buffer_bytes::<C>(max_packed(n, n, k)),
    };
    TileMemory { own, foreign: foreign_bytes::<C>(k.min(MAX_DEPTH).saturating_mul(m + n)) }
}

/// Computes a tile of a type that `gemm` has.
///
/// # Safety
/// That of a `TileKernel`, for `C`: `f32`, `f64`, or complex numbers of these.
unsafe fn multiply_floats<C: Element + Number>((part, scratch): TileArgs<'_>) {
    let sides = sides_in_place(part);
    let mut buffers = scratch.buffers_for(floats_memory::<C>(part));
    let part = part.cast::<C>();
    let TileProduct { m, n, .. } = part;
    let Some([height, width]) = sides else {
        // SAFETY: the buffers have the memory that was reserved; the rest is forwarded: same contract as this function.
        return unsafe { multiply_packed(&part, &mut buffers) };
    };
    for j in (0..n).step_by(width) {
        for i in (0..m).step_by(height) {
            let (out, a, b) =
                (part.out.submatrix(i, j), part.a.submatrix(i, 0), part.b.submatrix(0, j));
            let (m, n) = (height.min(m - i), width.min(n - j));
            // SAFETY: forwarded: same contract as this function, for these rows and columns of the tile.
            unsafe { call_gemm(&TileProduct { m, n, out, a, b, ..part }) };
        }
    }
}

/// Computes a tile with the right factor packed into contiguous rows.
///
/// # Safety
/// That of a `TileKernel`, for `C`.
unsafe fn multiply_packed<C: Element + Number>(
    part: &TileProduct<C>,
    buffers: &mut ScratchBuffers<'_>,
) {
    let depth = depth(part.n, part.k);
    let b = MatPtr::row_major(buffers.take::<C>(depth * part.n), part.n);
    // Nothing is cast, so the packer needs no buffer.
    let mut packer = Packer::<C>::new(C::DTYPE, ptr::null_mut());
    for p in (0..part.k).step_by(depth) {
        let k = depth.min(part.k - p);
        // SAFETY: `p + k` is at most the inner length, so these rows of the right factor and columns of the
        // left one exist; the buffer has room for `depth` rows.
        unsafe {
            packer.pack(b, part.b.submatrix(p, 0), [k, part.n]);
            call_gemm(&TileProduct {
                k,
                a: part.a.submatrix(0, p),
                b,
                add: part.add || p > 0,
                ..*part
            });
        }
    }
}

/// The elements of the buffers that a tile of half-precision numbers needs.
struct HalvesLens {
    sums: usize,
    left: usize,
    right: usize,
    /// Elements of a factor that are packed before they are cast.
    dense: usize,
}

impl HalvesLens {
    fn new(part: &TileProduct<u8>) -> HalvesLens {
        let &TileProduct { m, n, k, a, b, .. } = part;
        let (left, right) = (max_packed(m, m.max(n), k), max_packed(n, m.max(n), k));
        let unless_contiguous = |col: isize, len: usize| if col == 1 { 0 } else { len };
        let dense = unless_contiguous(a.col, left).max(unless_contiguous(b.col, right));
        HalvesLens { sums: m * n, left, right, dense }
    }

    fn memory<T>(&self) -> TileMemory {
        let sums = [self.sums, self.left, self.right].map(buffer_bytes::<f32>);
        TileMemory {
            own: sums.iter().sum::<usize>() + buffer_bytes::<T>(self.dense),
            foreign: foreign_bytes::<f32>(self.left + self.right),
        }
    }
}

/// Computes a tile of half-precision numbers.
///
/// # Safety
/// That of a `TileKernel`, for `T`.
unsafe fn multiply_halves<T: Element<Wide = f32>>((part, scratch): TileArgs<'_>) {
    let lens = HalvesLens::new(part);
    let mut buffers = scratch.buffers_for(lens.memory::<T>());
    let part = part.cast::<T>();
    let (m, n, depth) = (part.m, part.n, depth(part.m.max(part.n), part.k));
    let out = MatPtr::row_major(buffers.take::<f32>(lens.sums), n);
    let (left, right) = (buffers.take::<f32>(lens.left), buffers.take::<f32>(lens.right));
    let mut packer = Packer::<T>::new(DType::Float32, buffers.take(lens.dense));
    for p in (0..part.k).step_by(depth) {
        let k = depth.min(part.k - p);
        let (a, b) = (MatPtr::row_major(left, k), MatPtr::row_major(right, n));
        // SAFETY: `p + k` is at most the inner length, so these columns and rows exist; the buffers have room
        // for them (`HalvesLens`) and for the sums, which the first iteration writes without reading.
        unsafe {
            packer.pack(a, part.a.submatrix(0, p), [m, k]);
            packer.pack(b, part.b.submatrix(p, 0), [k, n]);
            call_gemm(&TileProduct { m, n, k, out, a, b, add: p > 0 });
        }
    }
    for i in 0..m {
        for j in 0..n {
            let (at, sum) = (part.out.submatrix(i, j).at, out.submatrix(i, j).at);
            // SAFETY: all sums are written, since there is at least one inner index; element `(i, j)` of the result is
            // writable, and initialised if `add` (contract).
            unsafe {
                let sum = sum.read();
                at.write(T::narrow(if part.add { at.read().widen() + sum } else { sum }));
            }
        }
    }
}

/// Returns the number of inner indices that are packed at once, for a factor with `width` elements each.
fn depth(width: usize, k: usize) -> usize {
    (STAGE_ELEMENTS / width).clamp(MIN_DEPTH, MAX_DEPTH).min(k)
}

/// Returns the most elements that are packed at once of a factor with at most `side` elements for each inner index, if
/// [`depth`] is that for a width of at least `side` and at most `width`. It grows with both, unlike their product with
/// the depth, which is rounded.
fn max_packed(side: usize, width: usize, k: usize) -> usize {
    side.saturating_mul(MAX_DEPTH.min(k)).min(STAGE_ELEMENTS.max(MIN_DEPTH.saturating_mul(width)))
}

/// Returns the bytes that `gemm` allocates to pack blocks of both factors, if they are worth a check.
#[cfg(feature = "matmul")]
fn foreign_bytes<C>(packed: usize) -> usize {
    if packed > UNCHECKED_ELEMENTS { packed.saturating_mul(size_of::<C>()) } else { 0 }
}

/// The plain loop allocates nothing.
#[cfg(not(feature = "matmul"))]
fn foreign_bytes<C>(_: usize) -> usize {
    0
}

#[cfg(feature = "matmul")]
static FIRST_PRODUCT: FirstCall = FirstCall::new();

/// Takes the lock of the first product for a fork.
#[cfg(all(feature = "matmul", unix))]
pub(crate) fn lock_for_fork() -> Box<dyn HeldLock> {
    FIRST_PRODUCT.lock_for_fork()
}

/// Computes a product that is large enough to need the sizes of caches.
#[cfg(feature = "matmul")]
fn compute_first_product() {
    const SIDE: usize = 4;
    let (ones, mut product) = ([1.0f64; SIDE * SIDE], [0.0f64; SIDE * SIDE]);
    let (column, row) = (SIDE as isize, 1);
    // SAFETY: three arrays of `SIDE` columns with `SIDE` elements each; the result is written without being read.
    unsafe {
        ::gemm::gemm(
            SIDE,
            SIDE,
            SIDE,
            product.as_mut_ptr(),
            column,
            row,
            false,
            ones.as_ptr(),
            column,
            row,
            ones.as_ptr(),
            column,
            row,
            1.0,
            1.0,
            false,
            false,
            false,
            ::gemm::Parallelism::None,
        );
    }
}

/// Computes a tile with `gemm`.
///
/// # Safety
/// That of a `TileKernel`, for `C`: `f32`, `f64`, or complex numbers of these.
#[cfg(feature = "matmul")]
unsafe fn call_gemm<C: Number>(part: &TileProduct<C>) {
    let &TileProduct { m, n, k, out, a, b, add } = part;
    FIRST_PRODUCT.ensure(compute_first_product);
    // SAFETY: all elements of the three matrices are valid (contract). Without `add`, `gemm` writes the
    // result without reading it.
    unsafe {
        ::gemm::gemm(
            m,
            n,
            k,
            out.at,
            out.col,
            out.row,
            add,
            a.at,
            a.col,
            a.row,
            b.at,
            b.col,
            b.row,
            C::ONE, // the factor of `out`, if it is read
            C::ONE, // the factor of the product
            false,
            false,
            false,
            ::gemm::Parallelism::None,
        );
    }
}

/// Computes a tile without the `gemm` crate: the sums of a row are kept in an array of `BLOCK_COLUMNS`
/// columns, which fits in registers or in L1.
///
/// # Safety
/// That of a `TileKernel`, for `C`.
#[cfg(not(feature = "matmul"))]
unsafe fn call_gemm<C: Number>(part: &TileProduct<C>) {
    const BLOCK_COLUMNS: usize = 32;
    let &TileProduct { m, n, k, out, a, b, add } = part;
    for j in (0..n).step_by(BLOCK_COLUMNS) {
        let width = BLOCK_COLUMNS.min(n - j);
        for i in 0..m {
            let mut sums = [C::ZERO; BLOCK_COLUMNS];
            for p in 0..k {
                // SAFETY: `i < m`, `p < k` and `j + t < n`, so these are elements of the factors, which are
                // readable (contract).
                unsafe {
                    let x = a.submatrix(i, p).at.read();
                    let row = b.submatrix(p, j);
                    for (t, sum) in sums[..width].iter_mut().enumerate() {
                        *sum = sum.plus(x.times(row.submatrix(0, t).at.read()));
                    }
                }
            }
            for (t, &sum) in sums[..width].iter().enumerate() {
                // SAFETY: `i < m` and `j + t < n`, so it is an element of the result, which is writable, and
                // initialised if `add` (contract).
                unsafe {
                    let at = out.submatrix(i, j + t).at;
                    at.write(if add { at.read().plus(sum) } else { sum });
                }
            }
        }
    }
}
