//! Register tiles of 8 × 8 elements in registers of 128 bits (SSE2, part of x86-64). Loads and stores need no
//! alignment.

use std::arch::x86_64::*;

/// Loads 16 bytes of each of `N` columns.
///
/// # Safety
/// Sixteen bytes must be readable at each of the `N` columns.
#[inline(always)]
unsafe fn columns<const N: usize>(source: *const u8, step: isize) -> [__m128i; N] {
    // SAFETY: forwarded: same contract as this function.
    std::array::from_fn(|k| unsafe { _mm_loadu_si128(source.offset(k as isize * step).cast()) })
}

/// # Safety
/// Sixteen bytes must be writable.
#[inline(always)]
unsafe fn store(at: *mut u8, value: __m128i) {
    // SAFETY: forwarded: same contract as this function.
    unsafe { _mm_storeu_si128(at.cast(), value) }
}

/// Transposes 8 × 8 elements of one byte.
///
/// # Safety
/// Eight columns of eight bytes must be readable, and eight rows of as many writable.
#[inline(always)]
pub(super) unsafe fn bytes(out: *mut u8, out_row: isize, source: *const u8, step: isize) {
    // SAFETY: the columns that are read and the rows that are written are those of the contract.
    unsafe {
        let c: [__m128i; 8] =
            std::array::from_fn(|k| _mm_loadl_epi64(source.offset(k as isize * step).cast()));
        let pairs: [_; 4] = std::array::from_fn(|k| _mm_unpacklo_epi8(c[2 * k], c[2 * k + 1]));
        let (a, b) = (pairs[0], pairs[2]);
        let low = [_mm_unpacklo_epi16(a, pairs[1]), _mm_unpackhi_epi16(a, pairs[1])];
        let high = [_mm_unpacklo_epi16(b, pairs[3]), _mm_unpackhi_epi16(b, pairs[3])];
        for i in 0..2 {
            let two = _mm_unpacklo_epi32(low[i], high[i]);
            let more = _mm_unpackhi_epi32(low[i], high[i]);
            for (r, rows) in [two, more].into_iter().enumerate() {
                let at = out.offset((4 * i + 2 * r) as isize * out_row);
                _mm_storel_epi64(at.cast(), rows);
                _mm_storel_epi64(at.offset(out_row).cast(), _mm_unpackhi_epi64(rows, rows));
            }
        }
    }
}

/// Transposes 8 × 8 elements of two bytes.
///
/// # Safety
/// Eight columns of eight elements must be readable, and eight rows of as many writable.
#[inline(always)]
pub(super) unsafe fn words(out: *mut u8, out_row: isize, source: *const u8, step: isize) {
    // SAFETY: the columns that are read and the rows that are written are those of the contract.
    unsafe {
        let c = columns::<8>(source, step);
        let pairs =
            |k: usize| [_mm_unpacklo_epi16(c[k], c[k + 1]), _mm_unpackhi_epi16(c[k], c[k + 1])];
        let (a, b, d, e) = (pairs(0), pairs(2), pairs(4), pairs(6));
        for i in 0..2 {
            let low = [_mm_unpacklo_epi32(a[i], b[i]), _mm_unpackhi_epi32(a[i], b[i])];
            let high = [_mm_unpacklo_epi32(d[i], e[i]), _mm_unpackhi_epi32(d[i], e[i])];
            for r in 0..2 {
                let at = out.offset((4 * i + 2 * r) as isize * out_row);
                store(at, _mm_unpacklo_epi64(low[r], high[r]));
                store(at.offset(out_row), _mm_unpackhi_epi64(low[r], high[r]));
            }
        }
    }
}

/// Transposes 8 × 8 elements of four bytes, as four tiles of 4 × 4.
///
/// # Safety
/// Eight columns of eight elements must be readable, and eight rows of as many writable.
#[inline(always)]
pub(super) unsafe fn fours(out: *mut u8, out_row: isize, source: *const u8, step: isize) {
    for (i, k) in [(0, 0), (0, 4), (4, 0), (4, 4)] {
        // SAFETY: each of the four is inside the register tile.
        unsafe {
            let c = columns::<4>(source.offset(k * step + 4 * i), step);
            let low = [_mm_unpacklo_epi32(c[0], c[1]), _mm_unpackhi_epi32(c[0], c[1])];
            let high = [_mm_unpacklo_epi32(c[2], c[3]), _mm_unpackhi_epi32(c[2], c[3])];
            for r in 0..2 {
                let at = out.offset((i + 2 * r as isize) * out_row + 4 * k);
                store(at, _mm_unpacklo_epi64(low[r], high[r]));
                store(at.offset(out_row), _mm_unpackhi_epi64(low[r], high[r]));
            }
        }
    }
}

/// Transposes 8 × 8 elements of eight bytes, as sixteen tiles of 2 × 2.
///
/// # Safety
/// Eight columns of eight elements must be readable, and eight rows of as many writable.
#[inline(always)]
pub(super) unsafe fn eights(out: *mut u8, out_row: isize, source: *const u8, step: isize) {
    for i in [0, 2, 4, 6] {
        for k in [0, 2, 4, 6] {
            // SAFETY: each of the sixteen is inside the register tile.
            unsafe {
                let c = columns::<2>(source.offset(k * step + 8 * i), step);
                let at = out.offset(i * out_row + 8 * k);
                store(at, _mm_unpacklo_epi64(c[0], c[1]));
                store(at.offset(out_row), _mm_unpackhi_epi64(c[0], c[1]));
            }
        }
    }
}
