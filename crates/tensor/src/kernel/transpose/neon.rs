//! Transposes of register tiles in registers of 128 bits (NEON, part of AArch64).
//!
//! `zip1` and `zip2` interleave the lower and the upper halves of two registers, as the unpacking instructions of SSE2 do.

use super::{RegisterTile, load, store};
use std::arch::aarch64::*;

/// Register tiles of 16 × 16 elements of one byte: whole registers are loaded and stored.
pub(super) struct NeonByteTile;

impl RegisterTile for NeonByteTile {
    fn sides(_: usize) -> [usize; 2] {
        [16, 16]
    }

    #[inline(always)]
    unsafe fn transpose<E: Copy>(out: *mut E, out_row: isize, source: *const E, source_col: isize) {
        // SAFETY: the tile of the contract has 16 × 16 elements of one byte, and the columns that are loaded and the rows that
        // are stored are those of the tile; NEON is part of AArch64.
        unsafe { store(out.cast(), out_row, transpose_bytes(load(source.cast(), source_col))) }
    }
}

/// Transposes 8 × 8 elements of one, two, four or eight bytes.
///
/// # Safety
/// The contract of `super::transpose` for such a tile of elements of `SIZE` bytes.
#[inline(always)]
pub(super) unsafe fn transpose_8_by_8<const SIZE: usize>(
    out: *mut u8,
    to: isize,
    source: *const u8,
    from: isize,
) {
    // SAFETY: the columns that are loaded and the rows that are stored are those of the tile or of a part of it; NEON is part
    // of AArch64.
    unsafe {
        match SIZE {
            1 => {
                let rows = transpose_8bit(load::<uint8x8_t, 8>(source, from));
                store(out, to, rows);
            }
            2 => store(out, to, transpose_16bit(load(source, from))),
            4 => {
                for (i, k) in [(0, 0), (0, 4), (4, 0), (4, 4)] {
                    let rows = transpose_32bit(load(source.offset(k * from + 4 * i), from));
                    store(out.offset(i * to + 4 * k), to, rows);
                }
            }
            _ => {
                for i in [0, 2, 4, 6] {
                    for k in [0, 2, 4, 6] {
                        let [a, b] = load(source.offset(k * from + 8 * i), from);
                        store(out.offset(i * to + 8 * k), to, zip_64(a, b));
                    }
                }
            }
        }
    }
}

/// Transposes 16 × 16 elements of one byte.
#[inline]
#[target_feature(enable = "neon")]
fn transpose_bytes(c: [uint8x16_t; 16]) -> [uint8x16_t; 16] {
    let pairs = |k: usize| zip_8(c[k], c[k + 1]);
    let quads = |k: usize| {
        let ([a, b], [d, e]) = (pairs(k), pairs(k + 2));
        let ([a, b], [d, e]) = (zip_16(a, d), zip_16(b, e));
        [a, b, d, e]
    };
    let (a, b, d, e) = (quads(0), quads(4), quads(8), quads(12));
    let mut rows = c;
    for i in 0..4 {
        let four = join_rows(zip_32(a[i], b[i]), zip_32(d[i], e[i]));
        rows[4 * i..4 * i + 4].copy_from_slice(&four);
    }
    rows
}

/// Transposes 8 × 8 elements of one byte.
#[inline]
#[target_feature(enable = "neon")]
fn transpose_8bit(c: [uint8x8_t; 8]) -> [uint8x8_t; 8] {
    let pairs = |k: usize| {
        let pair = vzip_u8(c[k], c[k + 1]);
        vcombine_u8(pair.0, pair.1)
    };
    let (low, high) = (zip_16(pairs(0), pairs(2)), zip_16(pairs(4), pairs(6)));
    let mut rows = c;
    for (i, rows) in rows.chunks_exact_mut(4).enumerate() {
        let [a, b] = zip_32(low[i], high[i]);
        let four = [vget_low_u8(a), vget_high_u8(a), vget_low_u8(b), vget_high_u8(b)];
        rows.copy_from_slice(&four);
    }
    rows
}

/// Transposes 8 × 8 elements of two bytes.
#[inline]
#[target_feature(enable = "neon")]
fn transpose_16bit(c: [uint8x16_t; 8]) -> [uint8x16_t; 8] {
    let pairs = |k: usize| zip_16(c[k], c[k + 1]);
    let (a, b, d, e) = (pairs(0), pairs(2), pairs(4), pairs(6));
    let four_rows = |i: usize| join_rows(zip_32(a[i], b[i]), zip_32(d[i], e[i]));
    let ([a, b, d, e], [f, g, h, i]) = (four_rows(0), four_rows(1));
    [a, b, d, e, f, g, h, i]
}

/// Transposes 4 × 4 elements of four bytes.
#[inline]
#[target_feature(enable = "neon")]
fn transpose_32bit(c: [uint8x16_t; 4]) -> [uint8x16_t; 4] {
    join_rows(zip_32(c[0], c[1]), zip_32(c[2], c[3]))
}

/// Joins the left and the right halves of two rows each.
#[inline]
#[target_feature(enable = "neon")]
fn join_rows(left: [uint8x16_t; 2], right: [uint8x16_t; 2]) -> [uint8x16_t; 4] {
    let ([a, b], [d, e]) = (zip_64(left[0], right[0]), zip_64(left[1], right[1]));
    [a, b, d, e]
}

#[inline]
#[target_feature(enable = "neon")]
fn zip_8(a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] {
    [vzip1q_u8(a, b), vzip2q_u8(a, b)]
}

#[inline]
#[target_feature(enable = "neon")]
fn zip_16(a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] {
    let (a, b) = (vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b));
    [vzip1q_u16(a, b), vzip2q_u16(a, b)].map(|it| vreinterpretq_u8_u16(it))
}

#[inline]
#[target_feature(enable = "neon")]
fn zip_32(a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] {
    let (a, b) = (vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b));
    [vzip1q_u32(a, b), vzip2q_u32(a, b)].map(|it| vreinterpretq_u8_u32(it))
}

#[inline]
#[target_feature(enable = "neon")]
fn zip_64(a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] {
    let (a, b) = (vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b));
    [vzip1q_u64(a, b), vzip2q_u64(a, b)].map(|it| vreinterpretq_u8_u64(it))
}
