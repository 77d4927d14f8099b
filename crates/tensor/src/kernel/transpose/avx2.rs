//! Register tiles in registers of 256 bits.
//!
//! The unpacking instructions work in the 128-bit halves of a register. So each register holds parts of two
//! columns, and one whole row results; or, where elements are small, two parts of one column, and two rows
//! result: no more than eight or sixteen columns are read at once then, which map to few sets of the
//! first-level cache if they are a power of two bytes apart. No instruction is spent on permuting halves.

use super::RegisterTile;
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
        // SAFETY: forwarded: same contract as this function, for elements of that size.
        unsafe {
            match size_of::<E>() {
                1 => bytes(out, out_row, source, source_col),
                2 => words(out, out_row, source, source_col),
                4 => fours(out, out_row, source, source_col),
                8 => eights(out, out_row, source, source_col),
                _ => sixteens(out, out_row, source, source_col),
            }
        }
    }
}

/// Loads sixteen bytes of each of `N` columns into the lower halves, and of the next `N` into the upper ones.
///
/// # Safety
/// Sixteen bytes must be readable at each of the `2 * N` columns.
#[inline(always)]
unsafe fn columns<const N: usize>(source: *const u8, step: isize) -> [__m256i; N] {
    // SAFETY: forwarded: same contract as this function.
    std::array::from_fn(|k| unsafe {
        let low = source.offset(k as isize * step);
        let high = source.offset((k + N) as isize * step);
        let low = _mm256_castsi128_si256(_mm_loadu_si128(low.cast()));
        _mm256_inserti128_si256::<1>(low, _mm_loadu_si128(high.cast()))
    })
}

/// # Safety
/// Thirty-two bytes must be writable.
#[inline(always)]
unsafe fn store(at: *mut u8, value: __m256i) {
    // SAFETY: forwarded: same contract as this function.
    unsafe { _mm256_storeu_si256(at.cast(), value) }
}

/// Transposes 32 rows of 16 elements of one byte: 16 rows in each half.
///
/// # Safety
/// Sixteen columns of thirty-two bytes must be readable, and thirty-two rows of sixteen writable.
#[inline(always)]
unsafe fn bytes(out: *mut u8, out_row: isize, source: *const u8, step: isize) {
    // SAFETY: the columns that are read and the rows that are written are those of the contract.
    unsafe {
        // Columns 4 k to 4 k + 3 of four rows in each quarter of a half; then 8 k to 8 k + 7 of two.
        let quads = |k: usize| -> [__m256i; 4] {
            let c: [__m256i; 4] = wide_columns(source.offset(4 * k as isize * step), step);
            let a = [_mm256_unpacklo_epi8(c[0], c[1]), _mm256_unpackhi_epi8(c[0], c[1])];
            let b = [_mm256_unpacklo_epi8(c[2], c[3]), _mm256_unpackhi_epi8(c[2], c[3])];
            std::array::from_fn(|i| match i % 2 {
                0 => _mm256_unpacklo_epi16(a[i / 2], b[i / 2]),
                _ => _mm256_unpackhi_epi16(a[i / 2], b[i / 2]),
            })
        };
        let (a, b) = (quads(0), quads(1));
        let (d, e) = (quads(2), quads(3));
        for i in 0..4 {
            let low = [_mm256_unpacklo_epi32(a[i], b[i]), _mm256_unpackhi_epi32(a[i], b[i])];
            let high = [_mm256_unpacklo_epi32(d[i], e[i]), _mm256_unpackhi_epi32(d[i], e[i])];
            for r in 0..2 {
                let at = out.offset((4 * i + 2 * r) as isize * out_row);
                store_halves(at, 16 * out_row, _mm256_unpacklo_epi64(low[r], high[r]));
                let at = at.offset(out_row);
                store_halves(at, 16 * out_row, _mm256_unpackhi_epi64(low[r], high[r]));
            }
        }
    }
}

/// Transposes 16 rows of 8 elements of two bytes: 8 rows in each half.
///
/// # Safety
/// Eight columns of sixteen elements must be readable, and sixteen rows of eight writable.
#[inline(always)]
unsafe fn words(out: *mut u8, out_row: isize, source: *const u8, step: isize) {
    // SAFETY: the columns that are read and the rows that are written are those of the contract.
    unsafe {
        let c: [__m256i; 8] = wide_columns(source, step);
        let pairs = |k: usize| {
            [_mm256_unpacklo_epi16(c[k], c[k + 1]), _mm256_unpackhi_epi16(c[k], c[k + 1])]
        };
        let (a, b, d, e) = (pairs(0), pairs(2), pairs(4), pairs(6));
        for i in 0..2 {
            let low = [_mm256_unpacklo_epi32(a[i], b[i]), _mm256_unpackhi_epi32(a[i], b[i])];
            let high = [_mm256_unpacklo_epi32(d[i], e[i]), _mm256_unpackhi_epi32(d[i], e[i])];
            for r in 0..2 {
                let at = out.offset((4 * i + 2 * r) as isize * out_row);
                store_halves(at, 8 * out_row, _mm256_unpacklo_epi64(low[r], high[r]));
                store_halves(
                    at.offset(out_row),
                    8 * out_row,
                    _mm256_unpackhi_epi64(low[r], high[r]),
                );
            }
        }
    }
}

/// Loads 32 bytes of each of `N` columns.
///
/// # Safety
/// 32 bytes must be readable at each of the columns.
#[inline(always)]
unsafe fn wide_columns<const N: usize>(source: *const u8, step: isize) -> [__m256i; N] {
    // SAFETY: forwarded: same contract as this function.
    std::array::from_fn(|k| unsafe { _mm256_loadu_si256(source.offset(k as isize * step).cast()) })
}

/// Stores the two halves of a register, `step` bytes apart.
///
/// # Safety
/// Sixteen bytes must be writable at both.
#[inline(always)]
unsafe fn store_halves(at: *mut u8, step: isize, value: __m256i) {
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        _mm_storeu_si128(at.cast(), _mm256_castsi256_si128(value));
        _mm_storeu_si128(at.offset(step).cast(), _mm256_extracti128_si256::<1>(value));
    }
}

/// Transposes 8 × 8 elements of four bytes.
///
/// # Safety
/// Eight columns of eight elements must be readable, and eight rows of as many writable.
#[inline(always)]
unsafe fn fours(out: *mut u8, out_row: isize, source: *const u8, step: isize) {
    for i in [0, 4] {
        // SAFETY: the caller's contract, for half of the rows.
        unsafe {
            let c = columns::<4>(source.offset(4 * i), step);
            let low = [_mm256_unpacklo_epi32(c[0], c[1]), _mm256_unpackhi_epi32(c[0], c[1])];
            let high = [_mm256_unpacklo_epi32(c[2], c[3]), _mm256_unpackhi_epi32(c[2], c[3])];
            for r in 0..2 {
                let at = out.offset((i + 2 * r as isize) * out_row);
                store(at, _mm256_unpacklo_epi64(low[r], high[r]));
                store(at.offset(out_row), _mm256_unpackhi_epi64(low[r], high[r]));
            }
        }
    }
}

/// Transposes 4 × 4 elements of eight bytes.
///
/// # Safety
/// Four columns of four elements must be readable, and four rows of as many writable.
#[inline(always)]
unsafe fn eights(out: *mut u8, out_row: isize, source: *const u8, step: isize) {
    for i in [0, 2] {
        // SAFETY: the caller's contract, for half of the rows.
        unsafe {
            let c = columns::<2>(source.offset(8 * i), step);
            let at = out.offset(i * out_row);
            store(at, _mm256_unpacklo_epi64(c[0], c[1]));
            store(at.offset(out_row), _mm256_unpackhi_epi64(c[0], c[1]));
        }
    }
}

/// Transposes 2 × 2 elements of sixteen bytes.
///
/// # Safety
/// Two columns of two elements must be readable, and two rows of as many writable.
#[inline(always)]
unsafe fn sixteens(out: *mut u8, out_row: isize, source: *const u8, step: isize) {
    // SAFETY: the columns that are read and the rows that are written are those of the contract.
    unsafe {
        store(out, columns::<1>(source, step)[0]);
        store(out.offset(out_row), columns::<1>(source.add(16), step)[0]);
    }
}
