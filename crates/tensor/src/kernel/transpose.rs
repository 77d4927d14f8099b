//! Tiles whose rows become columns.
//!
//! One by one, each element of a transposed tile is a load and a store of its own. Squares of elements
//! that fit in vector registers are loaded by columns, exchanged inside of the registers, and stored
//! by rows: eight elements of four bytes at a time. Squares go down the columns first, so that a cache
//! line of the source is used up before the next one is fetched.

use super::cpu::{self, Level};

/// Copies a tile whose columns are blocks in the source, and whose rows are blocks in the output.
///
/// # Safety
/// All places that the steps (in bytes) lead to must be elements, writable on one side and readable
/// on the other, and the two sides must share no byte: rows of the output are `out_row` apart, and
/// columns of the source `source_col`; elements of a row, and of a column, are neighbours.
pub(super) unsafe fn transpose<E: Copy>(
    out: *mut E,
    out_row: isize,
    source: *const E,
    source_col: isize,
    [rows, cols]: [usize; 2],
) {
    let tile = Tile { out, out_row, source, source_col };
    // SAFETY: the caller's promises.
    unsafe {
        match cpu::level() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => match size_of::<E>() {
                4 => tile.squares::<8>(rows, cols, |square| x86::square_of_4(square)),
                8 => tile.squares::<4>(rows, cols, |square| x86::square_of_8(square)),
                _ => tile.squares::<8>(rows, cols, |square| square.one_by_one([8, 8])),
            },
            Level::Plain => tile.squares::<8>(rows, cols, |square| square.one_by_one([8, 8])),
        }
    }
}

/// Where a tile begins on either side.
#[derive(Clone, Copy)]
struct Tile<E> {
    out: *mut E,
    out_row: isize,
    source: *const E,
    source_col: isize,
}

impl<E: Copy> Tile<E> {
    /// Cuts a tile into squares of `N`, and what is left at the edges.
    ///
    /// # Safety
    /// The tile must have so many rows and columns, as `transpose` says.
    #[inline(always)]
    unsafe fn squares<const N: usize>(self, rows: usize, cols: usize, square: impl Fn(Tile<E>)) {
        for c in (0..cols).step_by(N) {
            for r in (0..rows).step_by(N) {
                // SAFETY: the square begins inside of the tile, and ends there.
                unsafe {
                    let part = self.at(r, c);
                    match [N.min(rows - r), N.min(cols - c)] {
                        [height, width] if height == N && width == N => square(part),
                        edge => part.one_by_one(edge),
                    }
                }
            }
        }
    }

    /// # Safety
    /// The row and the column must be in the tile.
    #[inline(always)]
    unsafe fn at(self, row: usize, col: usize) -> Tile<E> {
        // SAFETY: the caller's promise.
        unsafe {
            Tile {
                out: self.out.byte_offset(row as isize * self.out_row).add(col),
                source: self.source.byte_offset(col as isize * self.source_col).add(row),
                ..self
            }
        }
    }

    /// # Safety
    /// The tile must have so many rows and columns.
    #[inline(always)]
    unsafe fn one_by_one(self, [rows, cols]: [usize; 2]) {
        for r in 0..rows {
            for c in 0..cols {
                // SAFETY: the caller's promise.
                unsafe {
                    let one = self.at(r, c);
                    one.out.write(one.source.read());
                }
            }
        }
    }
}

/// Squares in the registers of processors with AVX2.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Tile;
    use std::arch::x86_64::*;

    /// Eight by eight elements of four bytes.
    ///
    /// # Safety
    /// The tile must have as many rows and columns, and the processor AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn square_of_4<E>(tile: Tile<E>) {
        // SAFETY: each column of the source has eight elements of four bytes, one behind the other;
        // these loads need no alignment.
        let c: [__m256; 8] = std::array::from_fn(|k| unsafe {
            _mm256_loadu_ps(tile.source.byte_offset(k as isize * tile.source_col).cast())
        });
        // Pairs of columns, element by element; then pairs of pairs; then the two halves.
        let pairs: [__m256; 8] = std::array::from_fn(|k| match k % 2 {
            0 => _mm256_unpacklo_ps(c[k], c[k + 1]),
            _ => _mm256_unpackhi_ps(c[k - 1], c[k]),
        });
        let fours: [__m256; 8] = std::array::from_fn(|k| {
            let (low, high) = (pairs[k / 4 * 4 + k % 4 / 2], pairs[k / 4 * 4 + k % 4 / 2 + 2]);
            match k % 2 {
                0 => _mm256_shuffle_ps::<0b01_00_01_00>(low, high),
                _ => _mm256_shuffle_ps::<0b11_10_11_10>(low, high),
            }
        });
        for i in 0..4 {
            let top = _mm256_permute2f128_ps::<0x20>(fours[i], fours[i + 4]);
            let bottom = _mm256_permute2f128_ps::<0x31>(fours[i], fours[i + 4]);
            // SAFETY: rows `i` and `i + 4` of the output have eight elements each.
            unsafe {
                let row = |r: usize| tile.out.byte_offset(r as isize * tile.out_row).cast::<f32>();
                _mm256_storeu_ps(row(i), top);
                _mm256_storeu_ps(row(i + 4), bottom);
            }
        }
    }

    /// Four by four elements of eight bytes.
    ///
    /// # Safety
    /// The tile must have as many rows and columns, and the processor AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn square_of_8<E>(tile: Tile<E>) {
        // SAFETY: each column of the source has four elements of eight bytes, one behind the other;
        // these loads need no alignment.
        let c: [__m256d; 4] = std::array::from_fn(|k| unsafe {
            _mm256_loadu_pd(tile.source.byte_offset(k as isize * tile.source_col).cast())
        });
        let pairs = [
            _mm256_unpacklo_pd(c[0], c[1]),
            _mm256_unpackhi_pd(c[0], c[1]),
            _mm256_unpacklo_pd(c[2], c[3]),
            _mm256_unpackhi_pd(c[2], c[3]),
        ];
        for i in 0..2 {
            let top = _mm256_permute2f128_pd::<0x20>(pairs[i], pairs[i + 2]);
            let bottom = _mm256_permute2f128_pd::<0x31>(pairs[i], pairs[i + 2]);
            // SAFETY: rows `i` and `i + 2` of the output have four elements each.
            unsafe {
                let row = |r: usize| tile.out.byte_offset(r as isize * tile.out_row).cast::<f64>();
                _mm256_storeu_pd(row(i), top);
                _mm256_storeu_pd(row(i + 2), bottom);
            }
        }
    }
}
