//! Transposes of register tiles in registers of 128 bits (SSE2, part of x86-64).

use std::arch::x86_64::*;

/// Transposes 8 × 8 elements of one byte, in the lower halves of the registers.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn transpose_8bit(c: [__m128i; 8]) -> [__m128i; 8] {
    let pairs = |k: usize| _mm_unpacklo_epi8(c[k], c[k + 1]);
    let (low, high) = (unpack_16(pairs(0), pairs(2)), unpack_16(pairs(4), pairs(6)));
    let four_rows = |i: usize| {
        let [a, b] = unpack_32(low[i], high[i]);
        [a, _mm_unpackhi_epi64(a, a), b, _mm_unpackhi_epi64(b, b)]
    };
    let ([a, b, d, e], [f, g, h, i]) = (four_rows(0), four_rows(1));
    [a, b, d, e, f, g, h, i]
}

/// Loads 8 bytes of each of 8 columns into the lower halves of registers.
///
/// # Safety
/// 8 bytes must be readable at each of the columns, `step` bytes apart.
#[inline(always)]
pub(super) unsafe fn load_bytes(source: *const u8, step: isize) -> [__m128i; 8] {
    // SAFETY: forwarded: same contract as this function, for column `k`; SSE2 is part of x86-64.
    std::array::from_fn(|k| unsafe { _mm_loadl_epi64(source.offset(k as isize * step).cast()) })
}

/// Stores the lower halves of registers to 8 rows of 8 bytes.
///
/// # Safety
/// 8 bytes must be writable at each of the rows, `step` bytes apart.
#[inline(always)]
pub(super) unsafe fn store_bytes(out: *mut u8, step: isize, rows: [__m128i; 8]) {
    for (k, row) in rows.into_iter().enumerate() {
        // SAFETY: forwarded: same contract as this function, for row `k`; SSE2 is part of x86-64.
        unsafe { _mm_storel_epi64(out.offset(k as isize * step).cast(), row) };
    }
}

/// Transposes 8 × 8 elements of two bytes.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn transpose_16bit(c: [__m128i; 8]) -> [__m128i; 8] {
    let pairs = |k: usize| unpack_16(c[k], c[k + 1]);
    let (a, b, d, e) = (pairs(0), pairs(2), pairs(4), pairs(6));
    let four_rows = |i: usize| join_rows(unpack_32(a[i], b[i]), unpack_32(d[i], e[i]));
    let ([a, b, d, e], [f, g, h, i]) = (four_rows(0), four_rows(1));
    [a, b, d, e, f, g, h, i]
}

/// Transposes 4 × 4 elements of four bytes.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn transpose_32bit(c: [__m128i; 4]) -> [__m128i; 4] {
    join_rows(unpack_32(c[0], c[1]), unpack_32(c[2], c[3]))
}

/// Transposes 2 × 2 elements of eight bytes.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn transpose_64bit(c: [__m128i; 2]) -> [__m128i; 2] {
    unpack_64(c[0], c[1])
}

/// Joins the left and the right halves of two rows each.
#[inline]
#[target_feature(enable = "sse2")]
fn join_rows(left: [__m128i; 2], right: [__m128i; 2]) -> [__m128i; 4] {
    let ([a, b], [d, e]) = (unpack_64(left[0], right[0]), unpack_64(left[1], right[1]));
    [a, b, d, e]
}

#[inline]
#[target_feature(enable = "sse2")]
fn unpack_16(a: __m128i, b: __m128i) -> [__m128i; 2] {
    [_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)]
}

#[inline]
#[target_feature(enable = "sse2")]
fn unpack_32(a: __m128i, b: __m128i) -> [__m128i; 2] {
    [_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)]
}

#[inline]
#[target_feature(enable = "sse2")]
fn unpack_64(a: __m128i, b: __m128i) -> [__m128i; 2] {
    [_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)]
}
