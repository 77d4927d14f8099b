//! Large copies in tiles that are staged in the cache: a blocked transpose copy.
//!
//! **The problem.** A transposed copy is contiguous on one side only. Transposing in registers uses the
//! lines of a tile well while they are in the cache; but the lines themselves come one by one from addresses
//! far apart, which no hardware prefetcher predicts, and lines that are a power of two bytes apart conflict
//! in the sets of the cache before they are full.
//!
//! **What is done.** A tile of the source ([`CopyTile`]) is read into a small buffer in the order of the
//! output; then its rows, which are a few whole lines each, are written with streaming stores. Meanwhile the
//! lines of the next tile are prefetched. Where both sides are contiguous along the same loop, in long runs
//! or whole lines, the runs are written without the buffer.
//!
//! **What it costs** is one more pass over the first-level cache. A transposed copy of 64 MB takes 1.2
//! times as long as `memcpy` instead of 3 to 4 times (`cargo xtask bench`, "copy of the transpose").

use super::copy::{Steps, copy_tile};
use super::cpu::{self, Level};
use super::prefetch::{PrefetchList, Prefetcher};
use super::streaming_store::{StreamedRows, fence_streaming_stores};
use crate::plan::{
    CACHE_LINE_BYTES, CopyTile, LINE_GROUP_BYTES, Loop, TILE_BUFFER_BYTES, TiledCopy, piece_of,
    pieces_for,
};
use crate::sync_ptr::SyncPtr;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Runs of at least this size are written without the buffer, also if they are not whole lines.
const UNBUFFERED_RUN_BYTES: usize = 1024;

/// A copy in tiles, shared by several threads.
pub(super) struct StagedCopy {
    size: usize,
    /// Offset 0 of both sides.
    out: SyncPtr<u8>,
    source: SyncPtr<u8>,
    tiles: TiledCopy,
    /// Whether runs are copied without the buffer.
    is_direct: bool,
    /// Bytes from one row of the buffer to the next.
    pitch: usize,
}

/// A buffer for the elements of a tile.
#[repr(align(64))]
struct TileBuffer(#[expect(dead_code, reason = "written by address")] [u8; TILE_BUFFER_BYTES]);

impl StagedCopy {
    pub(super) fn new(
        size: usize,
        out: *mut u8,
        source: *const u8,
        tiles: TiledCopy,
    ) -> StagedCopy {
        let first = tiles.tile(0);
        let run = first.cols[1].len * size;
        let is_run = first.cols[1].steps == [1, 1];
        let is_lines = |bytes: usize| bytes.is_multiple_of(CACHE_LINE_BYTES);
        let is_aligned = is_lines(out.addr() + first.starts[0] * size)
            && tiles.is_in_units(CACHE_LINE_BYTES / size);
        let is_direct = is_run && (run >= UNBUFFERED_RUN_BYTES || is_lines(run) && is_aligned);
        // The first tile is as large as any; the tail of a row is stored in the line before it.
        let pitch = first.cols[0].len * run + CACHE_LINE_BYTES;
        let (out, source) = (SyncPtr::new(out), SyncPtr::new(source.cast_mut()));
        StagedCopy { size, out, source, tiles, is_direct, pitch }
    }

    /// Returns into how many pieces to split the tiles.
    pub(super) fn n_pieces(&self) -> usize {
        pieces_for(self.tiles.n_elements(), self.tiles.n_tiles())
    }

    /// Returns the tiles of piece `i` of `n`.
    pub(super) fn piece(&self, i: usize, n: usize) -> Range<usize> {
        piece_of(self.tiles.n_tiles(), 1, i, n)
    }

    /// Copies a range of the tiles.
    ///
    /// # Safety
    /// The offsets of the tiled plan must be elements of `size` bytes, writable at `out` and readable at
    /// `source`, and the two sides share none. No other thread may access the elements of the output in these
    /// tiles.
    pub(super) unsafe fn run(&self, tiles: Range<usize>) {
        // SAFETY: forwarded: same contract as this function; the processor supports its own level.
        unsafe { self.run_at(cpu::level(), tiles) }
    }

    /// # Safety
    /// The contract of `run`, on a processor that supports `level`.
    unsafe fn run_at(&self, level: Level, tiles: Range<usize>) {
        let mut buffer = MaybeUninit::<TileBuffer>::uninit();
        let mut list = PrefetchList::new();
        let mut shape = None;
        let mut tile = self.tiles.tile(tiles.start);
        let mut is_joined = false;
        for i in tiles.clone() {
            let next = (i + 1 < tiles.end).then(|| self.tiles.tile(i + 1));
            if let Some(next) = next.as_ref().filter(|next| shape != Some((next.rows, next.cols))) {
                shape = Some((next.rows, next.cols));
                self.list_reads(next, &mut list);
            }
            let mut ahead = match &next {
                Some(next) => list.at(self.source_of(next), self.n_groups(&tile)),
                None => Prefetcher::none(),
            };
            // SAFETY: the caller's contract, for one of the tiles. A tile fits in the buffer, and tails that
            // are stored in it are those of the previous tile.
            unsafe {
                if self.is_direct {
                    self.copy_runs(level, &tile, &mut ahead);
                } else {
                    // The tail of a row is written with the next tile, together with the line it is in: all of
                    // that line must be in the buffer then, so a row has to be joined itself or to span lines.
                    let joins_next = next.as_ref().is_some_and(|next| tile.is_continued_by(next))
                        && (is_joined || tile.row_len() * self.size >= CACHE_LINE_BYTES);
                    let buffer = buffer.as_mut_ptr().cast();
                    self.read_tile(&tile, buffer);
                    self.write_tile(level, &tile, buffer, [is_joined, joins_next], &mut ahead);
                    is_joined = joins_next;
                }
            }
            if let Some(next) = next {
                tile = next;
            }
        }
        fence_streaming_stores();
    }

    /// Returns how many groups of lines the rows of a tile are written in.
    fn n_groups(&self, tile: &CopyTile) -> usize {
        let ([r1, r0], [c1, c0]) = (tile.rows, tile.cols);
        match self.is_direct {
            true => r0.len * c1.len * (c0.len * self.size).div_ceil(LINE_GROUP_BYTES),
            false => r1.len * r0.len * (tile.row_len() * self.size).div_ceil(LINE_GROUP_BYTES),
        }
    }

    /// Returns the address of a tile's first element in the source.
    fn source_of(&self, tile: &CopyTile) -> *const u8 {
        self.source.get().wrapping_add(tile.starts[1] * self.size)
    }

    /// Returns the address of a tile's first element in the output.
    fn out_of(&self, tile: &CopyTile) -> *mut u8 {
        self.out.get().wrapping_add(tile.starts[0] * self.size)
    }

    /// Lists the lines of the source that a tile of this shape reads.
    fn list_reads(&self, tile: &CopyTile, list: &mut PrefetchList) {
        let bytes = |it: Loop<2>| (it.len, it.steps[1] * self.size as isize);
        let ([r1, r0], [c1, c0]) = (tile.rows, tile.cols);
        let is_contiguous = |it: Loop<2>| it.steps[1].unsigned_abs() == 1;
        let (run, loops) = match (is_contiguous(c0), is_contiguous(r0), is_contiguous(c1)) {
            (true, ..) => (c0, [r0, c1, r1]),
            (false, true, _) => (r0, [c0, c1, r1]),
            (false, false, true) => (c1, [c0, r0, r1]),
            _ => (Loop::UNIT, [r0, c0, c1]),
        };
        // The lowest address of a run with a negative step is that of its last element.
        let first = bytes(run).1.min(0) * (run.len as isize - 1);
        list.set(self.source_of(tile), first, run.len * self.size, loops.map(bytes));
    }

    /// Reads the source of a tile into the buffer, as rows of the output.
    ///
    /// # Safety
    /// The contract of `run`, and the buffer must have room for the tile.
    unsafe fn read_tile(&self, tile: &CopyTile, buffer: *mut u8) {
        let size = self.size as isize;
        let ([r1, r0], [c1, c0]) = (tile.rows, tile.cols);
        let source = self.source_of(tile);
        let run = (c0.len * self.size) as isize;
        let pitch = self.pitch as isize;
        // The two loops of a register transpose are the rows; or, of a single row, its two loops.
        let (rows, step, between) = match r0.len {
            1 => (c1, run, Loop::UNIT),
            _ => (r0, pitch, c1),
        };
        let (to, from) = (
            Steps { rows: step, cols: size },
            Steps { rows: rows.steps[1] * size, cols: c0.steps[1] * size },
        );
        for i in 0..r1.len as isize {
            for k in 0..between.len as isize {
                // SAFETY: these rows are a part of the tile, and have a part of the buffer of their own.
                unsafe {
                    let to_at =
                        buffer.offset(i * r0.len as isize * pitch + k * run).add(CACHE_LINE_BYTES);
                    let from_at = source.offset((i * r1.steps[1] + k * between.steps[1]) * size);
                    copy_tile(self.size, to_at, to, from_at, from, [rows.len, c0.len]);
                }
            }
        }
    }

    /// Writes the rows of a tile from the buffer to the output.
    ///
    /// If the rows of the previous tile end where these begin (`joined[0]`), their tails are in front of these
    /// rows; if those of the next tile begin where these end (`joined[1]`), the tails are left for it.
    ///
    /// # Safety
    /// The contract of `run`, and the buffer must hold the tile.
    unsafe fn write_tile(
        &self,
        level: Level,
        tile: &CopyTile,
        buffer: *mut u8,
        joined: [bool; 2],
        ahead: &mut Prefetcher<'_>,
    ) {
        let [r1, r0] = tile.rows;
        let len = tile.row_len() * self.size;
        let source_step = self.pitch as isize;
        let [step, out_step] = [r1, r0].map(|it| it.steps[0] * self.size as isize);
        for i in 0..r1.len as isize {
            // SAFETY: the rows are the tile's, contiguous in the output, and there is a line in front of each
            // of them in the buffer. `run_at` fences the stores.
            unsafe {
                let source = buffer.offset(i * r0.len as isize * source_step).add(CACHE_LINE_BYTES);
                let out = self.out_of(tile).wrapping_offset(i * step);
                let n = r0.len;
                let rows = StreamedRows { out, out_step, source, source_step, n, len, joined };
                rows.copy(level, ahead);
            }
        }
    }

    /// Copies the runs of a tile from the source to the output, without the buffer.
    ///
    /// # Safety
    /// The contract of `run`; runs must be contiguous on both sides.
    unsafe fn copy_runs(&self, level: Level, tile: &CopyTile, ahead: &mut Prefetcher<'_>) {
        let size = self.size as isize;
        let ([_, r0], [c1, c0]) = (tile.rows, tile.cols);
        let [out_step, source_step] = c1.steps.map(|step| step * size);
        for i in 0..r0.len as isize {
            let [to, from] = r0.steps.map(|step| i * step * size);
            let out = self.out_of(tile).wrapping_offset(to);
            let source = self.source_of(tile).wrapping_offset(from);
            let (n, len, joined) = (c1.len, c0.len * self.size, [false; 2]);
            let rows = StreamedRows { out, out_step, source, source_step, n, len, joined };
            // SAFETY: the runs are the tile's, and not joined. `run_at` fences the stores.
            unsafe { rows.copy(level, ahead) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;
    use crate::plan::Plan;

    /// Copies in pieces, at every level, and compares all of memory with a copy of one element at a time.
    fn check(size: usize, to: &Layout, from: &Layout, first: usize) {
        let plan = Plan::elementwise([to, from], [size, size]).unwrap();
        let Some(tiles) = plan.tiled_copy(size) else { return };
        let last = |n: usize| plan.offsets().map(|at| at[n]).max().map_or(0, |at| at + 1);
        let n_words = |n: usize| (last(n) + first + 8) * size / 8 + 8;
        let words: Vec<u64> =
            (0..n_words(1) as u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
        let source = words.as_ptr().cast::<u8>().wrapping_add(first * size);
        let mut expected = vec![0x0707_0707_0707_0707_u64; n_words(0)];
        let out = expected.as_mut_ptr().cast::<u8>().wrapping_add(first * size);
        for [to, from] in plan.offsets() {
            // SAFETY: the vectors have room for the largest offsets.
            unsafe { out.add(to * size).copy_from(source.add(from * size), size) };
        }
        for (level, n) in [(Level::Baseline, 3), (cpu::level(), 1)] {
            let mut found = vec![0x0707_0707_0707_0707_u64; n_words(0)];
            let out = found.as_mut_ptr().cast::<u8>().wrapping_add(first * size);
            let staged = StagedCopy::new(size, out, source, tiles.clone());
            for i in 0..n {
                // SAFETY: as above; both sides are aligned to eight bytes.
                unsafe { staged.run_at(level, staged.piece(i, n)) };
            }
            assert!(found == expected, "{level:?} {size}: {to:?} from {from:?}");
        }
    }

    #[test]
    fn tiles_cover_everything_once_at_every_level_and_nothing_else() {
        let shapes: [&[usize]; 7] = [
            &[130, 67],
            &[5, 300],
            &[3, 70, 40],
            &[9, 2, 4, 33],
            &[64, 3, 5],
            &[4, 3, 2, 5, 3, 8],
            &[1100, 4],
        ];
        for shape in shapes {
            let rank = shape.len() as isize;
            let row_major = Layout::row_major(shape).unwrap();
            for turn in 0..rank {
                let mut order: Vec<isize> = (0..rank).map(|k| (k + turn) % rank).collect();
                for _ in 0..2 {
                    order.reverse();
                    let from = row_major.permute(&order).unwrap();
                    let to = Layout::row_major(&from.shape()).unwrap();
                    // Every other line is not part of the output.
                    let mut wide = from.shape().to_vec();
                    wide[0] *= 2;
                    *wide.last_mut().unwrap() += 3;
                    let mut apart = Layout::row_major(&wide).unwrap();
                    apart = apart.narrow(0, 0, from.shape()[0]).unwrap();
                    apart = apart.narrow(-1, 1, wide[wide.len() - 1] - 3).unwrap();
                    for size in [1, 2, 4, 8, 16] {
                        check(size, &to, &from, 0);
                        check(size, &apart, &from, 16 / size);
                        check(size, &apart, &from.flip(&[turn]).unwrap(), 8 / size.min(8));
                    }
                }
            }
        }
    }
}
