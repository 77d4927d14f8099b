//! Transposes of register tiles in registers of 256 bits (AVX2).
//!
//! The unpacking instructions work in the 128-bit halves of a register. So each register holds parts of two
//! columns, and one whole row results; or, where elements are small, two parts of one column, and two rows
//! result: no more than eight or sixteen columns are read at once then, which map to few sets of the
//! first-level cache if they are a power of two bytes apart. No instruction is spent on permuting halves.

use super::{RegisterTile, load, store};
use std::arch::x86_64::*;

/// Register tiles for processors with AVX2.
pub(super) struct Avx2Tile;

/// `super::transpose_tiles`, compiled for AVX2.
///
/// # Safety
/// The contract of `super::transpose_tiles`, on a processor with AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn transpose_tiles<E: Copy>(
    out: *mut E,
    out_row: isize,
    source: *const E,
    source_col: isize,
    counts: [usize; 2],
) {
    // SAFETY: forwarded: same contract as this function.
    unsafe { super::transpose_tiles::<E, Avx2Tile>(out, out_row, source, source_col, counts) }
}

impl RegisterTile for Avx2Tile {
    fn sides(size: usize) -> [usize; 2] {
        match size {
            1 => [32, 16],
            2 => [16, 8],
            4 => [8, 8],
            8 => [4, 4],
            _ => [2, 2],
        }
    }

    #[inline(always)]
    unsafe fn transpose<E: Copy>(out: *mut E, out_row: isize, source: *const E, source_col: isize) {
        let (out, source) = (out.cast::<u8>(), source.cast::<u8>());
        let (to, from) = (out_row, source_col);
        // SAFETY: the tile of the contract has 32 × 16, 16 × 8, 8 × 8, 4 × 4 or 2 × 2 elements (`sides`), and the
        // columns that are loaded and the rows that are stored are those of the tile; the processor has AVX2.
        unsafe {
            match size_of::<E>() {
                1 => {
                    let quads = |k: isize| interleave_quads(load(source.offset(k * from), from));
                    let (a, b, d, e) = (quads(0), quads(4), quads(8), quads(12));
                    // Four rows at a time: all sixteen do not fit in the registers.
                    for i in 0..4 {
                        let four = join_rows(unpack_32(a[i], b[i]), unpack_32(d[i], e[i]));
                        store_halves(out.offset(4 * i as isize * to), to, 16 * to, four);
                    }
                }
                2 => store_halves(out, to, 8 * to, transpose_16bit(load(source, from))),
                4 => {
                    for i in [0, 4] {
                        let rows = transpose_32bit(load_halves(source.offset(4 * i), from));
                        store(out.offset(i * to), to, rows);
                    }
                }
                8 => {
                    for i in [0, 2] {
                        let [a, b] = load_halves(source.offset(8 * i), from);
                        store(out.offset(i * to), to, unpack_64(a, b));
                    }
                }
                _ => {
                    for i in [0, 1] {
                        store(
                            out.offset(i * to),
                            to,
                            load_halves::<1>(source.offset(16 * i), from),
                        );
                    }
                }
            }
        }
    }
}

/// Loads 16 bytes of each of `N` columns into the lower halves, and of the next `N` into the upper ones.
///
/// # Safety
/// 16 bytes must be readable at each of the `2 * N` columns, and the processor must have AVX2.
#[inline(always)]
unsafe fn load_halves<const N: usize>(source: *const u8, step: isize) -> [__m256i; N] {
    // SAFETY: columns `k` and `k + N` are two of the `2 * N`.
    std::array::from_fn(|k| unsafe {
        join(load(source.offset(k as isize * step), N as isize * step))
    })
}

/// Stores the lower halves to `N` rows, and the upper halves to the rows `distance` bytes after these.
///
/// # Safety
/// 16 bytes must be writable at each of the `2 * N` rows, and the processor must have AVX2.
#[inline(always)]
unsafe fn store_halves<const N: usize>(
    out: *mut u8,
    step: isize,
    distance: isize,
    rows: [__m256i; N],
) {
    for (k, row) in rows.into_iter().enumerate() {
        // SAFETY: row `k` and the one `distance` bytes after it are two of the `2 * N`.
        unsafe { store(out.offset(k as isize * step), distance, split(row)) };
    }
}

/// Joins the two halves of a register.
#[inline]
#[target_feature(enable = "avx2")]
fn join([low, high]: [__m128i; 2]) -> __m256i {
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
}

/// Returns the two halves of a register.
#[inline]
#[target_feature(enable = "avx2")]
fn split(it: __m256i) -> [__m128i; 2] {
    [_mm256_castsi256_si128(it), _mm256_extracti128_si256::<1>(it)]
}

/// Interleaves four columns of elements of one byte: a register has four rows of them in each half.
#[inline]
#[target_feature(enable = "avx2")]
fn interleave_quads(c: [__m256i; 4]) -> [__m256i; 4] {
    let (a, b) = (unpack_8(c[0], c[1]), unpack_8(c[2], c[3]));
    let ([a, b], [d, e]) = (unpack_16(a[0], b[0]), unpack_16(a[1], b[1]));
    [a, b, d, e]
}

/// Transposes 16 rows of 8 elements of two bytes: 8 rows in each half.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose_16bit(c: [__m256i; 8]) -> [__m256i; 8] {
    let pairs = |k: usize| unpack_16(c[k], c[k + 1]);
    let (a, b, d, e) = (pairs(0), pairs(2), pairs(4), pairs(6));
    let four_rows = |i: usize| join_rows(unpack_32(a[i], b[i]), unpack_32(d[i], e[i]));
    let ([a, b, d, e], [f, g, h, i]) = (four_rows(0), four_rows(1));
    [a, b, d, e, f, g, h, i]
}

/// Transposes 4 rows of 8 elements of four bytes: columns 0 to 3 in the lower halves, 4 to 7 in the upper ones.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose_32bit(c: [__m256i; 4]) -> [__m256i; 4] {
    join_rows(unpack_32(c[0], c[1]), unpack_32(c[2], c[3]))
}

/// Joins the left and the right parts of two rows each.
#[inline]
#[target_feature(enable = "avx2")]
fn join_rows(left: [__m256i; 2], right: [__m256i; 2]) -> [__m256i; 4] {
    let ([a, b], [d, e]) = (unpack_64(left[0], right[0]), unpack_64(left[1], right[1]));
    [a, b, d, e]
}

#[inline]
#[target_feature(enable = "avx2")]
fn unpack_8(a: __m256i, b: __m256i) -> [__m256i; 2] {
    [_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn unpack_16(a: __m256i, b: __m256i) -> [__m256i; 2] {
    [_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn unpack_32(a: __m256i, b: __m256i) -> [__m256i; 2] {
    [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn unpack_64(a: __m256i, b: __m256i) -> [__m256i; 2] {
    [_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)]
}
