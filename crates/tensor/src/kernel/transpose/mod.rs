//! Register transpose: tiles that are contiguous along the rows on one side and along the columns on the other.
//!
//! The plain solution reads one element and writes one. This one loads a register tile, transposes it with
//! unpacking instructions, and stores it: each instruction moves as many elements as a vector holds. Compilers
//! do not vectorize that, so the register tiles are written with intrinsics: in SSE2, which is part of x86-64, in AVX2 and AVX-512,
//! and in NEON, which is part of AArch64. 1024 × 1024 elements of four bytes take 0.2 ms instead of 0.6 with AVX2.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod sse2;

use super::cpu::{self, Level};

/// Bytes of each column of the source that are read before the next rows: four cache lines, so that each line is
/// fetched once, also if the columns are a power of two bytes apart and conflict in the sets of the cache.
const COLUMN_BLOCK_BYTES: usize = 256;

/// Copies a tile whose columns are contiguous in the source, and whose rows are contiguous in the output.
///
/// # Safety
/// `counts` are rows and columns: all of their elements must be readable at `source`, where columns are
/// `source_col` bytes apart, and writable at `out`, where rows are `out_row` bytes apart. The two sides must
/// share no byte.
pub(super) unsafe fn transpose<E: Copy>(
    out: *mut E,
    out_row: isize,
    source: *const E,
    source_col: isize,
    counts: [usize; 2],
) {
    // SAFETY: forwarded: same contract as this function; the processor supports its own level.
    unsafe { transpose_at(cpu::level(), out, out_row, source, source_col, counts) }
}

/// # Safety
/// The contract of `transpose`, on a processor that supports `level`.
unsafe fn transpose_at<E: Copy>(
    level: Level,
    out: *mut E,
    out_row: isize,
    source: *const E,
    source_col: isize,
    counts: [usize; 2],
) {
    // SAFETY: forwarded: same contract as this function; a register tile fits.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if level == Level::Avx512 && size_of::<E>() == 1 && fits::<E, avx512::ByteTile>(counts) {
            return avx512::transpose_tiles(out, out_row, source, source_col, counts);
        }
        #[cfg(target_arch = "x86_64")]
        if level != Level::Baseline && fits::<E, avx2::Avx2Tile>(counts) {
            return avx2::transpose_tiles(out, out_row, source, source_col, counts);
        }
        #[cfg(target_arch = "aarch64")]
        if size_of::<E>() == 1 && fits::<E, neon::NeonByteTile>(counts) {
            return transpose_tiles::<E, neon::NeonByteTile>(
                out, out_row, source, source_col, counts,
            );
        }
        let _ = level;
        match fits::<E, BaselineTile>(counts) {
            true => transpose_tiles::<E, BaselineTile>(out, out_row, source, source_col, counts),
            false => transpose_elements(out, out_row, source, source_col, counts),
        }
    }
}

/// A transpose in the registers of one instruction set.
trait RegisterTile {
    /// Returns how many rows and columns of elements of `size` bytes are transposed at once: as many as fit in
    /// vector registers.
    fn sides(size: usize) -> [usize; 2];

    /// Transposes one register tile.
    ///
    /// # Safety
    /// The contract of `transpose` for a tile of these sides, on a processor that has the instructions.
    unsafe fn transpose<E: Copy>(out: *mut E, out_row: isize, source: *const E, source_col: isize);
}

/// Whether a tile has room for a register tile.
fn fits<E, S: RegisterTile>(counts: [usize; 2]) -> bool {
    let sides = S::sides(size_of::<E>());
    counts[0] >= sides[0] && counts[1] >= sides[1]
}

/// Transposes a tile in register tiles.
///
/// # Safety
/// The contract of `transpose`, on a processor that has the instructions; a register tile must fit.
#[inline(always)]
unsafe fn transpose_tiles<E: Copy, S: RegisterTile>(
    out: *mut E,
    out_row: isize,
    source: *const E,
    source_col: isize,
    [rows, cols]: [usize; 2],
) {
    let [height, width] = S::sides(size_of::<E>());
    let block = (COLUMN_BLOCK_BYTES / size_of::<E>()).max(height);
    for first in (0..rows).step_by(block) {
        for c in (0..cols).step_by(width) {
            for r in (first..rows.min(first + block)).step_by(height) {
                // The last register tiles overlap those before them: some elements are copied twice.
                let (r, c) = (r.min(rows - height), c.min(cols - width));
                // SAFETY: the register tile is inside the tile.
                unsafe {
                    let out = out.byte_offset(r as isize * out_row).add(c);
                    let source = source.byte_offset(c as isize * source_col).add(r);
                    S::transpose(out, out_row, source, source_col);
                }
            }
        }
    }
}

/// Loads a vector from each of `N` columns, which need not be aligned.
///
/// # Safety
/// A `V` must be readable at each of the `N` columns, `step` bytes apart, and every bit pattern be a value of it.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
unsafe fn load<V, const N: usize>(source: *const u8, step: isize) -> [V; N] {
    // SAFETY: forwarded: same contract as this function, for column `k`.
    std::array::from_fn(|k| unsafe {
        source.offset(k as isize * step).cast::<V>().read_unaligned()
    })
}

/// Stores a vector to each of `N` rows, which need not be aligned.
///
/// # Safety
/// A `V` must be writable at each of the `N` rows, `step` bytes apart.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
unsafe fn store<V, const N: usize>(out: *mut u8, step: isize, rows: [V; N]) {
    for (k, row) in rows.into_iter().enumerate() {
        // SAFETY: forwarded: same contract as this function, for row `k`.
        unsafe { out.offset(k as isize * step).cast::<V>().write_unaligned(row) };
    }
}

/// # Safety
/// The contract of `transpose`.
#[inline(always)]
unsafe fn transpose_elements<E: Copy>(
    out: *mut E,
    out_row: isize,
    source: *const E,
    source_col: isize,
    [height, width]: [usize; 2],
) {
    for i in 0..height {
        for k in 0..width {
            // SAFETY: row `i` and column `k` are of the tile.
            unsafe {
                let value = source.byte_offset(k as isize * source_col).add(i).read();
                out.byte_offset(i as isize * out_row).add(k).write(value);
            }
        }
    }
}

/// Register tiles for every processor.
struct BaselineTile;

impl RegisterTile for BaselineTile {
    fn sides(_: usize) -> [usize; 2] {
        [8, 8]
    }

    #[inline(always)]
    unsafe fn transpose<E: Copy>(out: *mut E, out_row: isize, source: *const E, source_col: isize) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the tile of the contract has 8 × 8 elements, and the columns that are loaded and the rows that are
        // stored are those of the tile or of a part of it; SSE2 is part of x86-64.
        unsafe {
            let (out, source) = (out.cast::<u8>(), source.cast::<u8>());
            let (to, from) = (out_row, source_col);
            match size_of::<E>() {
                1 => {
                    let rows = sse2::transpose_8bit(sse2::load_bytes(source, from));
                    return sse2::store_bytes(out, to, rows);
                }
                2 => return store(out, to, sse2::transpose_16bit(load(source, from))),
                4 => {
                    for (i, k) in [(0, 0), (0, 4), (4, 0), (4, 4)] {
                        let rows =
                            sse2::transpose_32bit(load(source.offset(k * from + 4 * i), from));
                        store(out.offset(i * to + 4 * k), to, rows);
                    }
                    return;
                }
                8 => {
                    for i in [0, 2, 4, 6] {
                        for k in [0, 2, 4, 6] {
                            let rows =
                                sse2::transpose_64bit(load(source.offset(k * from + 8 * i), from));
                            store(out.offset(i * to + 8 * k), to, rows);
                        }
                    }
                    return;
                }
                _ => {}
            }
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: forwarded: same contract as this function, for elements of this size.
        unsafe {
            let (out, source) = (out.cast::<u8>(), source.cast::<u8>());
            let (to, from) = (out_row, source_col);
            match size_of::<E>() {
                1 => return neon::transpose_8_by_8::<1>(out, to, source, from),
                2 => return neon::transpose_8_by_8::<2>(out, to, source, from),
                4 => return neon::transpose_8_by_8::<4>(out, to, source, from),
                8 => return neon::transpose_8_by_8::<8>(out, to, source, from),
                _ => {}
            }
        }
        // SAFETY: forwarded: same contract as this function.
        unsafe { transpose_elements(out, out_row, source, source_col, [8, 8]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the levels that this processor supports.
    fn levels() -> Vec<Level> {
        let best = cpu::level();
        #[cfg(target_arch = "x86_64")]
        if best == Level::Avx512 {
            return vec![Level::Baseline, Level::Avx2, best];
        }
        vec![Level::Baseline, best]
    }

    /// Transposes a tile with gaps around it at every level, and compares all of memory.
    fn check<E: Copy + PartialEq + std::fmt::Debug>(
        rows: usize,
        cols: usize,
        of: impl Fn(usize) -> E,
    ) {
        let (gap, size) = (3, size_of::<E>() as isize);
        let source: Vec<E> = (0..cols * (rows + gap)).map(&of).collect();
        let (row, col) = ((cols + gap) as isize * size, (rows + gap) as isize * size);
        for level in levels() {
            let mut out = vec![of(0); rows * (cols + gap)];
            // SAFETY: the strides are the lengths of rows and columns plus a gap, as the vectors have them.
            unsafe {
                transpose_at(level, out.as_mut_ptr(), row, source.as_ptr(), col, [rows, cols])
            };
            for (at, &value) in out.iter().enumerate() {
                let (i, k) = (at / (cols + gap), at % (cols + gap));
                let wanted = if k < cols { of(k * (rows + gap) + i) } else { of(0) };
                assert_eq!(value, wanted, "{level:?} {rows} {cols}: {i} {k}");
            }
        }
    }

    #[test]
    fn tiles_of_every_size_are_transposed_and_nothing_else_is_written() {
        let few = (1..=40).flat_map(|rows| (1..=40).map(move |cols| (rows, cols)));
        for (rows, cols) in few.chain([(64, 256), (70, 70), (7, 130), (300, 18)]) {
            check(rows, cols, |i| i as u8 ^ (i >> 8) as u8);
            check(rows, cols, |i| i as u16);
            check(rows, cols, |i| i as u32);
            check(rows, cols, |i| i as u64);
            check(rows, cols, |i| [i as u32, !i as u32]);
            check(rows, cols, |i| [i as u64, !i as u64]);
        }
    }
}
