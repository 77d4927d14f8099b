//! Tiles by the `gemm` crate.
//!
//! It takes any strides, and packs what it reads into buffers of its own. Two things are done for it:
//!
//! - The columns of the right factor are put beside each other if they are not: its packing is fast
//!   along them and slow across. Ours transposes in squares.
//! - Half-precision numbers are widened to `f32` and summed up in `f32` over the whole inner length, and
//!   rounded once. Its own kernels for them round partial sums.

use super::tile::{Loader, Matrix, Part};
use crate::dtype::Number;
use crate::{DType, Element};

/// Elements of a factor that are brought into a buffer at once.
const STAGE: usize = 1 << 17;

/// The most inner indices that this may be; the library works on as many at once.
const DEEP: usize = 512;

/// The fewest, however wide a tile is.
const SHALLOW: usize = 32;

/// Rows up to which it is faster to multiply one by one than to transpose the right factor.
const FEW: usize = 6;

/// Elements of the right factor that stay close while a few rows pass by.
const NEAR: usize = 1 << 15;

/// A kernel for the types that the library has.
///
/// # Safety
/// That of a `Kernel`, for `C`: `f32`, `f64`, or complex numbers of these.
pub(super) unsafe fn floats<C: Element + Number>(part: &Part<u8>) {
    let part = part.of::<C>();
    if part.b.col == 1 || part.n == 1 {
        // SAFETY: the caller's promises.
        return unsafe { call(&part) };
    }
    if part.m <= FEW && part.b.row == 1 && part.a.col == 1 {
        // SAFETY: as above.
        return unsafe { dots(&part) };
    }
    let depth = depth(part.n, part.k);
    let mut loader = Loader::<C>::to(C::DTYPE);
    let mut buffer: Vec<C> = Vec::with_capacity(depth * part.n);
    for p in (0..part.k).step_by(depth) {
        let k = depth.min(part.k - p);
        let b = Matrix::dense(buffer.as_mut_ptr(), part.n);
        // SAFETY: rows `p..p + k` of the right factor exist and the buffer has room for them; they
        // and the columns of the left factor make a part of the caller's.
        unsafe {
            loader.load(b, part.b.from(p, 0), [k, part.n]);
            call(&Part { k, a: part.a.from(0, p), b, add: part.add || p > 0, ..part });
        }
    }
}

/// Calculates a part of few rows, where both factors lie along the inner axis: each element is the
/// product of two blocks, which the library knows how to do for a row.
///
/// # Safety
/// That of a `Kernel`, for `C`.
unsafe fn dots<C: Number>(part: &Part<C>) {
    // As many columns as stay in the second-level cache while the rows pass by.
    let width = (NEAR / part.k.max(1)).clamp(1, part.n);
    for j in (0..part.n).step_by(width) {
        for i in 0..part.m {
            let n = width.min(part.n - j);
            // SAFETY: the row and the columns are the caller's.
            unsafe {
                let (out, a, b) = (part.out.from(i, j), part.a.from(i, 0), part.b.from(0, j));
                call(&Part { m: 1, n, out, a, b, ..*part });
            }
        }
    }
}

/// A kernel for half-precision numbers.
///
/// # Safety
/// That of a `Kernel`, for `T`.
pub(super) unsafe fn halves<T: Element<Wide = f32>>(part: &Part<u8>) {
    let part = part.of::<T>();
    let (m, n, depth) = (part.m, part.n, depth(part.m.max(part.n), part.k));
    let mut loader = Loader::<T>::to(DType::Float32);
    let mut sums: Vec<f32> = Vec::with_capacity(m * n);
    let (mut left, mut right) = (Vec::with_capacity(m * depth), Vec::with_capacity(depth * n));
    let out = Matrix::dense(sums.as_mut_ptr(), n);
    for p in (0..part.k).step_by(depth) {
        let k = depth.min(part.k - p);
        let (a, b) = (Matrix::dense(left.as_mut_ptr(), k), Matrix::dense(right.as_mut_ptr(), n));
        // SAFETY: the columns of the left factor and the rows of the right one exist, and the
        // buffers have room for them and for the sums, which the first turn writes.
        unsafe {
            loader.load(a, part.a.from(0, p), [m, k]);
            loader.load(b, part.b.from(p, 0), [k, n]);
            call(&Part { m, n, k, out, a, b, add: p > 0 });
        }
    }
    for i in 0..m {
        // SAFETY: all sums are written, as there is at least one inner index; the row is the caller's.
        unsafe { round(part.out.from(i, 0), out.from(i, 0), n, part.add) };
    }
}

/// How many inner indices of a factor are brought into a buffer at once, if each has so many elements.
fn depth(width: usize, k: usize) -> usize {
    (STAGE / width).clamp(SHALLOW, DEEP).min(k)
}

/// Rounds a row of sums, and writes or adds it.
///
/// # Safety
/// Both rows must have `len` elements, readable in `sums`, writable in `out`, and initialised there if
/// `add`.
unsafe fn round<T: Element<Wide = f32>>(out: Matrix<T>, sums: Matrix<f32>, len: usize, add: bool) {
    for j in 0..len {
        // SAFETY: the caller's promise.
        unsafe {
            let (at, sum) = (out.from(0, j).at, sums.at.add(j).read());
            at.write(T::narrow(if add { at.read().widen() + sum } else { sum }));
        }
    }
}

/// Calculates a part.
///
/// # Safety
/// That of a `Kernel`, for `C`: `f32`, `f64`, or complex numbers of these.
#[cfg(feature = "matmul")]
unsafe fn call<C: Number>(part: &Part<C>) {
    let &Part { m, n, k, out, a, b, add } = part;
    // SAFETY: all indices of the three matrices are elements (the caller's promise). With `add` off
    // the library writes the result without reading it. It uses no threads of its own.
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
            C::ONE, // what `out` is multiplied with, if it is read
            C::ONE, // what the product is multiplied with
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
/// That of a `Kernel`, for `C`.
#[cfg(not(feature = "matmul"))]
unsafe fn call<C: Number>(part: &Part<C>) {
    const BLOCK_COLUMNS: usize = 32;
    let &Part { m, n, k, out, a, b, add } = part;
    for j in (0..n).step_by(BLOCK_COLUMNS) {
        let width = BLOCK_COLUMNS.min(n - j);
        for i in 0..m {
            let mut sums = [C::ZERO; BLOCK_COLUMNS];
            for p in 0..k {
                // SAFETY: `i < m`, `p < k` and `j + t < n`, so these are elements of the factors, which are
                // readable (contract).
                unsafe {
                    let x = a.from(i, p).at.read();
                    let row = b.from(p, j);
                    for (t, sum) in sums[..width].iter_mut().enumerate() {
                        *sum = sum.plus(x.times(row.from(0, t).at.read()));
                    }
                }
            }
            for (t, &sum) in sums[..width].iter().enumerate() {
                // SAFETY: `i < m` and `j + t < n`, so it is an element of the result, which is writable, and
                // initialised if `add` (contract).
                unsafe {
                    let at = out.from(i, j + t).at;
                    at.write(if add { at.read().plus(sum) } else { sum });
                }
            }
        }
    }
}
