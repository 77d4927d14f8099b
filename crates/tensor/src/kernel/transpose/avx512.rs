//! Transposes of register tiles in registers of 512 bits (AVX-512), of elements of one byte.
//!
//! As in AVX2, each 128-bit part of a register is transposed by itself: the four parts of sixteen columns are the rows of four
//! tiles of 16 × 16. A load is a whole cache line, so no line has to stay in the first-level cache until the next rows are read,
//! where columns a power of two bytes apart compete for few sets. Larger elements gain nothing: half of a line is enough
//! work for the registers of AVX2.

use super::{RegisterTile, load, store};
use std::arch::x86_64::*;

/// Register tiles of 64 × 16 elements of one byte.
pub(super) struct ByteTile;

/// `super::transpose_tiles`, compiled for AVX-512.
///
/// # Safety
/// The contract of `super::transpose_tiles` for elements of one byte, on a processor with AVX-512.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn transpose_tiles<E: Copy>(
    out: *mut E,
    out_row: isize,
    source: *const E,
    source_col: isize,
    counts: [usize; 2],
) {
    // SAFETY: forwarded: same contract as this function.
    unsafe { super::transpose_tiles::<E, ByteTile>(out, out_row, source, source_col, counts) }
}

impl RegisterTile for ByteTile {
    fn sides(_: usize) -> [usize; 2] {
        [64, 16]
    }

    #[inline(always)]
    unsafe fn transpose<E: Copy>(out: *mut E, out_row: isize, source: *const E, source_col: isize) {
        // SAFETY: the tile of the contract has 64 × 16 elements of one byte, and the columns that are loaded and the rows that
        // are stored are those of the tile; the processor has AVX-512.
        unsafe {
            store_parts(out.cast(), out_row, transpose_parts(load(source.cast(), source_col)))
        }
    }
}

/// Stores the four parts of each register to rows that are 16 apart.
///
/// # Safety
/// 16 bytes must be writable at each of the 64 rows, and the processor must have AVX-512.
#[inline(always)]
unsafe fn store_parts(out: *mut u8, step: isize, rows: [__m512i; 16]) {
    for (k, row) in rows.into_iter().enumerate() {
        // SAFETY: the four rows from `k` on are four of the 64.
        unsafe { store(out.offset(k as isize * step), 16 * step, split(row)) };
    }
}

/// Splits a register into its parts.
#[inline]
#[target_feature(enable = "avx512f")]
fn split(row: __m512i) -> [__m128i; 4] {
    [
        _mm512_castsi512_si128(row),
        _mm512_extracti32x4_epi32::<1>(row),
        _mm512_extracti32x4_epi32::<2>(row),
        _mm512_extracti32x4_epi32::<3>(row),
    ]
}

/// Transposes 16 × 16 elements of one byte in each part.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn transpose_parts(c: [__m512i; 16]) -> [__m512i; 16] {
    let pairs = |k: usize| unpack_8(c[k], c[k + 1]);
    let quads = |k: usize| {
        let ([a, b], [d, e]) = (pairs(k), pairs(k + 2));
        let ([a, b], [d, e]) = (unpack_16(a, d), unpack_16(b, e));
        [a, b, d, e]
    };
    let (a, b, d, e) = (quads(0), quads(4), quads(8), quads(12));
    let mut rows = c;
    for i in 0..4 {
        let four = join_rows(unpack_32(a[i], b[i]), unpack_32(d[i], e[i]));
        rows[4 * i..4 * i + 4].copy_from_slice(&four);
    }
    rows
}

/// Joins the left and the right halves of two rows each.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn join_rows(left: [__m512i; 2], right: [__m512i; 2]) -> [__m512i; 4] {
    let ([a, b], [d, e]) = (unpack_64(left[0], right[0]), unpack_64(left[1], right[1]));
    [a, b, d, e]
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn unpack_8(a: __m512i, b: __m512i) -> [__m512i; 2] {
    [_mm512_unpacklo_epi8(a, b), _mm512_unpackhi_epi8(a, b)]
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn unpack_16(a: __m512i, b: __m512i) -> [__m512i; 2] {
    [_mm512_unpacklo_epi16(a, b), _mm512_unpackhi_epi16(a, b)]
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn unpack_32(a: __m512i, b: __m512i) -> [__m512i; 2] {
    [_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b)]
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn unpack_64(a: __m512i, b: __m512i) -> [__m512i; 2] {
    [_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)]
}
