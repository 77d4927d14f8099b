//! Tiles computed by the `gemm` crate, or by a plain loop without the feature `matmul`.
//!
//! `gemm` takes any strides, and packs its operands into buffers of its own. Two things are done before:
//!
//! - A right factor whose rows are not contiguous is packed: the packing of `gemm` is fast along contiguous
//!   rows and slow across them. Ours is a blocked transpose.
//! - Half-precision numbers are widened to `f32`, accumulated in `f32` over the whole inner length, and
//!   rounded once. The kernels of `gemm` for them round partial sums.

use super::operand::{MatPtr, Packer, TileProduct};
#[cfg(feature = "matmul")]
use crate::cancel::check_memory;
use crate::cancel::scratch;
use crate::dtype::Number;
#[cfg(all(feature = "matmul", unix))]
use crate::fork::HeldLock;
#[cfg(feature = "matmul")]
use crate::kernel::first_call::FirstCall;
use crate::{DType, Element};

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

/// Computes a tile of a type that `gemm` has.
///
/// # Safety
/// That of a `TileKernel`, for `C`: `f32`, `f64`, or complex numbers of these.
pub(super) unsafe fn multiply_floats<C: Element + Number>(part: &TileProduct<u8>) {
    let part = part.cast::<C>();
    let TileProduct { m, n, .. } = part;
    // Rows and columns per call of `gemm`, or `None` if the right factor is packed.
    let sides = if part.b.col == 1 || n == 1 {
        Some([m, n])
    } else if m <= FEW_ROWS && part.b.row == 1 && part.a.col == 1 {
        // Each element is a dot product of contiguous vectors, which `gemm` does well for one row; as many columns as
        // stay in the L2 cache while all rows are computed.
        Some([1, (L2_ELEMENTS / part.k.max(1)).clamp(1, n)])
    } else {
        None
    };
    let Some([height, width]) = sides else {
        // SAFETY: forwarded: same contract as this function.
        return unsafe { multiply_packed(&part) };
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
unsafe fn multiply_packed<C: Element + Number>(part: &TileProduct<C>) {
    let depth = depth(part.n, part.k);
    let mut packer = Packer::<C>::new(C::DTYPE);
    let mut buffer: Vec<C> = scratch(depth * part.n);
    for p in (0..part.k).step_by(depth) {
        let k = depth.min(part.k - p);
        let b = MatPtr::row_major(buffer.as_mut_ptr(), part.n);
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

/// Computes a tile of half-precision numbers.
///
/// # Safety
/// That of a `TileKernel`, for `T`.
pub(super) unsafe fn multiply_halves<T: Element<Wide = f32>>(part: &TileProduct<u8>) {
    let part = part.cast::<T>();
    let (m, n, depth) = (part.m, part.n, depth(part.m.max(part.n), part.k));
    let mut packer = Packer::<T>::new(DType::Float32);
    let mut sums: Vec<f32> = scratch(m * n);
    let (mut left, mut right) = (scratch(m * depth), scratch(depth * n));
    let out = MatPtr::row_major(sums.as_mut_ptr(), n);
    for p in (0..part.k).step_by(depth) {
        let k = depth.min(part.k - p);
        let (a, b) =
            (MatPtr::row_major(left.as_mut_ptr(), k), MatPtr::row_major(right.as_mut_ptr(), n));
        // SAFETY: `p + k` is at most the inner length, so these columns and rows exist; the buffers have room
        // for them and for the sums, which the first iteration writes without reading.
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
    // `gemm` packs blocks of both factors into a buffer, and aborts if it cannot allocate it.
    let packed = k.min(MAX_DEPTH).saturating_mul(m.saturating_add(n));
    if packed > UNCHECKED_ELEMENTS {
        check_memory::<C>(packed);
    }
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
