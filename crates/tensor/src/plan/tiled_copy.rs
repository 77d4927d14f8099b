//! Large copies in tiles: which part of a copy is staged in the cache at once.
//!
//! A [`Tile`](super::Tile) of two loops is enough for a small transpose. For a large one the unit is a
//! [`CopyTile`]: rows that are contiguous in the output, a few cache lines each, and as many of them as
//! make the reads from the source a few contiguous lines as well. Where a loop is too short for that, the
//! loop that continues it in memory is added: if all axes of a tensor are reversed, rows and columns of a
//! tile consist of two loops each.

use super::nest::write_tuple;
use super::{CACHE_LINE_BYTES, Loop, Plan};
use std::fmt;

/// Bytes of a row of a tile, and of a contiguous read from the source: as many lines are fetched at one
/// address before another is. More of them, from rows that are a power of two bytes apart, would not fit
/// in the sets of the second-level cache.
pub(crate) const LINE_GROUP_BYTES: usize = 4 * CACHE_LINE_BYTES;

/// The same for a source that is contiguous along the rows.
const SOURCE_RUN_BYTES: usize = 2048;

/// Bytes of a tile, with room for a line before each of its rows: about the first-level cache.
pub(crate) const TILE_BUFFER_BYTES: usize = 48 << 10;

/// Rows of a tile, unless the loop has at most half as many more: then all of them ([`tile_len`]).
const TILE_ROWS: usize = 64;

/// Bytes of a contiguous read across the rows, at least: elements of one byte have more rows in a tile. A transposed copy
/// of 4096² bytes takes four fifths of the time with two lines instead of one.
const MIN_BLOCK_BYTES: usize = 2 * CACHE_LINE_BYTES;

/// Sets and ways of the second-level cache that tiles are chosen for.
const L2_SETS: usize = 2048;
const L2_WAYS: usize = 8;

/// A copy in tiles, in the order in which they are copied.
///
/// ```
/// use belvedere::{Layout, plan::Plan};
///
/// let (out, source) = (Layout::row_major(&[4096, 4096])?, Layout::col_major(&[4096, 4096])?);
/// let copy = Plan::elementwise([&out, &source], [4, 4])?.tiled_copy(4).unwrap();
/// assert_eq!(
///     copy.to_string(),
///     "64 of 4096 × (1, 4096), 64 of 4096 × (4096, 1) from (0, 0), 4096 tiles of 64 × 64"
/// );
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TiledCopy {
    starts: [usize; 2],
    loops: Vec<TiledLoop>,
    /// The loops over the rows of a tile, the one with the larger steps in the source first.
    rows: [Option<usize>; 2],
    /// The loops along a row, the one with the larger steps in the output first.
    cols: [Option<usize>; 2],
}

/// A loop, and how many of its iterations are in a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TiledLoop {
    whole: Loop<2>,
    in_tile: usize,
}

/// A part of the loops that is copied at once. Steps are in elements; operand 0 is the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyTile {
    /// The offsets of its first element in the output and in the source.
    pub starts: [usize; 2],
    /// The loops over its rows.
    pub rows: [Loop<2>; 2],
    /// The loops along a row, which is contiguous in the output.
    pub cols: [Loop<2>; 2],
}

impl CopyTile {
    /// Returns the number of elements of a row.
    ///
    /// ```
    /// use belvedere::{Layout, plan::Plan};
    ///
    /// let (out, source) = (Layout::row_major(&[4096, 4096])?, Layout::col_major(&[4096, 4096])?);
    /// let copy = Plan::elementwise([&out, &source], [4, 4])?.tiled_copy(4).unwrap();
    /// assert_eq!(copy.tile(0).row_len(), 64);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn row_len(&self) -> usize {
        self.cols[0].len * self.cols[1].len
    }

    /// Whether each row of another tile begins in the output where a row of this one ends.
    pub(crate) fn is_continued_by(&self, other: &CopyTile) -> bool {
        other.starts[0] == self.starts[0] + self.row_len() && other.rows == self.rows
    }
}

impl Plan<2> {
    /// Tiles the copy of operand 1 to operand 0, of elements of `size` bytes; returns `None` if the output
    /// is contiguous along none of the loops.
    ///
    /// ```
    /// use belvedere::{Layout, plan::Plan};
    ///
    /// let (out, source) = (Layout::row_major(&[512, 512])?, Layout::col_major(&[512, 512])?);
    /// let copy = Plan::elementwise([&out, &source], [4, 4])?.tiled_copy(4).unwrap();
    /// assert_eq!((copy.n_tiles(), copy.tile(0).row_len()), (64, 64));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn tiled_copy(&self, size: usize) -> Option<TiledCopy> {
        let loops = self.loops();
        let all = 0..loops.len();
        let source = |k: usize| loops[k].steps[1].unsigned_abs();
        let bytes = |k: usize| loops[k].len.saturating_mul(size);
        let c0 = all.clone().find(|&k| loops[k].steps[0] == 1)?;
        let is_run = source(c0) == 1;
        let is_short = bytes(c0) < if is_run { TILE_BUFFER_BYTES / 4 } else { LINE_GROUP_BYTES };
        let follows = |k: &usize| is_short && loops[*k].steps[0] == loops[c0].len as isize;
        let c1 = all.clone().find(follows);
        let others = all.filter(|&k| k != c0 && Some(k) != c1 && source(k) != 0);
        // The source is contiguous across the rows; or along a row, in short runs.
        let r0 = others
            .clone()
            .min_by_key(|&k| source(k))
            .filter(|&k| if is_run { bytes(c0) < SOURCE_RUN_BYTES } else { source(k) < source(c0) })
            .filter(|&k| c1.is_none_or(|c1| source(k) < source(c1)));
        let r1 = r0.filter(|&k| !is_run && bytes(k) <= LINE_GROUP_BYTES / 2).and_then(|r0| {
            let whole = source(r0).saturating_mul(loops[r0].len);
            others.clone().find(|&k| k != r0 && source(k) == whole)
        });
        let mut copy = TiledCopy {
            starts: self.starts(),
            loops: loops.iter().map(|&whole| TiledLoop { whole, in_tile: 1 }).collect(),
            rows: [r1, r0],
            cols: [c1, Some(c0)],
        };
        copy.choose_tile(is_run, size);
        Some(copy)
    }
}

impl TiledCopy {
    /// Chooses how many iterations of each loop are in a tile, and the order of the tiles.
    fn choose_tile(&mut self, is_run: bool, size: usize) {
        let [c1, Some(c0)] = self.cols else { unreachable!("a row has an innermost loop") };
        let Loop { len, steps } = self.loops[c0].whole;
        // The bytes that are contiguous in the source for each row, and how many there should be, in how many rows at most.
        let (mut block, wanted_block, max_rows) = match is_run {
            true => (len.saturating_mul(size), SOURCE_RUN_BYTES, TILE_ROWS),
            false => {
                let max_rows = TILE_ROWS.max(MIN_BLOCK_BYTES / size);
                (size, max_rows * size, max_rows)
            }
        };
        let mut n_rows = 1;
        for k in self.rows.into_iter().rev().flatten() {
            let wanted = wanted_block.div_ceil(block).min(max_rows.div_ceil(n_rows));
            let in_tile = tile_len(self.loops[k].whole.len, wanted);
            self.loops[k].in_tile = in_tile;
            (n_rows, block) = (n_rows * in_tile, block.saturating_mul(in_tile));
        }
        let room = (TILE_BUFFER_BYTES / n_rows - CACHE_LINE_BYTES) / size;
        // Columns that are far apart occupy lines of the cache each: no more of them than its sets hold.
        let step = steps[1].unsigned_abs().saturating_mul(size);
        let wanted = match step > LINE_GROUP_BYTES && block >= CACHE_LINE_BYTES {
            true => LINE_GROUP_BYTES / size,
            false => room / 2,
        };
        let wanted = wanted.clamp(1, room);
        let line = (CACHE_LINE_BYTES / size).min(wanted);
        let whole_lines = wanted / line * line;
        let in_tile = tile_len(len, whole_lines);
        let mut last = c0;
        if in_tile < len || in_tile > room {
            self.loops[c0].in_tile = whole_lines;
        } else {
            self.loops[c0].in_tile = in_tile;
            if let Some(k) = c1 {
                self.loops[k].in_tile =
                    tile_len(self.loops[k].whole.len, wanted / len).min(room / len);
                last = k;
            }
        }
        // Consecutive tiles continue each other's rows in the output where rows share lines. Otherwise they
        // continue each other's reads from the source, unless its lines conflict in the cache.
        match self.rows[1]
            .filter(|_| !self.conflicts(is_run, size) && self.is_in_units(CACHE_LINE_BYTES / size))
        {
            Some(k) => self.move_innermost(k),
            None => self.move_innermost(last),
        }
    }

    /// Whether the columns of a tile, read across, need more lines than the sets of the second-level cache
    /// that they map to.
    fn conflicts(&self, is_run: bool, size: usize) -> bool {
        let cols = || self.cols.into_iter().flatten().map(|k| &self.loops[k]);
        let step = |it: &TiledLoop| it.whole.steps[1].unsigned_abs().saturating_mul(size);
        let n_lines = cols().map(|it| lines_without_conflict(step(it))).max();
        let n_columns = cols().map(|it| it.in_tile).product();
        !is_run && n_lines < Some(n_columns)
    }

    fn move_innermost(&mut self, k: usize) {
        self.loops[k..].rotate_left(1);
        let moved = |it: usize| match it {
            _ if it == k => self.loops.len() - 1,
            _ if it > k => it - 1,
            _ => it,
        };
        self.rows = self.rows.map(|it| it.map(moved));
        self.cols = self.cols.map(|it| it.map(moved));
    }

    /// Whether the source is contiguous along the rows of the output: then nothing is transposed, and the
    /// only gain of a tile is that it can be written with streaming stores.
    pub(crate) fn is_along_rows(&self) -> bool {
        self.rows == [None; 2]
    }

    /// Returns the number of tiles.
    ///
    /// ```
    /// use belvedere::{Layout, plan::Plan};
    ///
    /// let (out, source) = (Layout::row_major(&[512, 512])?, Layout::col_major(&[512, 512])?);
    /// let copy = Plan::elementwise([&out, &source], [4, 4])?.tiled_copy(4).unwrap();
    /// assert_eq!(copy.n_tiles(), 64);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn n_tiles(&self) -> usize {
        self.loops.iter().map(TiledLoop::n_tiles).product()
    }

    /// Returns the number of elements that are copied.
    ///
    /// ```
    /// use belvedere::{Layout, plan::Plan};
    ///
    /// let (out, source) = (Layout::row_major(&[512, 512])?, Layout::col_major(&[512, 512])?);
    /// let copy = Plan::elementwise([&out, &source], [4, 4])?.tiled_copy(4).unwrap();
    /// assert_eq!(copy.n_elements(), 512 * 512);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn n_elements(&self) -> usize {
        self.loops.iter().map(|it| it.whole.len).product()
    }

    /// Whether the rows of all tiles begin at a multiple of `unit` elements from the start, and have a
    /// multiple of `unit` elements.
    pub(crate) fn is_in_units(&self, unit: usize) -> bool {
        let are_rows = self.loops.iter().enumerate().all(|(k, it)| {
            let step = it.whole.steps[0].unsigned_abs();
            match self.cols.contains(&Some(k)) {
                true => it.in_tile == it.whole.len || (step * it.in_tile).is_multiple_of(unit),
                false => step.is_multiple_of(unit),
            }
        });
        let whole = self.cols.iter().flatten().map(|&k| self.loops[k].whole.len).product::<usize>();
        are_rows && whole.is_multiple_of(unit)
    }

    /// Returns tile `i`, which must be less than [`n_tiles`](TiledCopy::n_tiles).
    ///
    /// ```
    /// use belvedere::{Layout, plan::Plan};
    ///
    /// let (out, source) = (Layout::row_major(&[512, 512])?, Layout::col_major(&[512, 512])?);
    /// let copy = Plan::elementwise([&out, &source], [4, 4])?.tiled_copy(4).unwrap();
    /// let second = copy.tile(1);
    /// assert_eq!(second.starts, [64 * 512, 64], "64 rows further down, read from contiguous elements");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn tile(&self, i: usize) -> CopyTile {
        let mut rest = i;
        let mut starts = self.starts;
        let mut tile = CopyTile { starts, rows: [Loop::UNIT; 2], cols: [Loop::UNIT; 2] };
        for (k, it) in self.loops.iter().enumerate().rev() {
            let n = it.n_tiles();
            let first = rest % n * it.in_tile;
            rest /= n;
            for (start, step) in starts.iter_mut().zip(it.whole.steps) {
                *start = start.wrapping_add_signed(first as isize * step);
            }
            let part = Loop { len: it.in_tile.min(it.whole.len - first), steps: it.whole.steps };
            let loops =
                self.rows.iter().zip(&mut tile.rows).chain(self.cols.iter().zip(&mut tile.cols));
            for (_, slot) in loops.filter(|(role, _)| **role == Some(k)) {
                *slot = part;
            }
        }
        CopyTile { starts, ..tile }
    }
}

/// `64 of 4096 × (1, 4096) … from (0, 0), 4096 tiles of 64 × 64`: the iterations of each loop that are in a
/// tile, its trip count and steps, outermost first; the starts; the number of tiles, rows and columns.
impl fmt::Display for TiledCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, it) in self.loops.iter().enumerate() {
            f.write_str(if k == 0 { "" } else { ", " })?;
            if it.in_tile < it.whole.len {
                write!(f, "{} of ", it.in_tile)?;
            }
            write!(f, "{}", it.whole)?;
        }
        f.write_str(" from ")?;
        write_tuple(f, &self.starts)?;
        let [rows, cols] = [self.rows, self.cols]
            .map(|it| it.into_iter().flatten().map(|k| self.loops[k].in_tile).product::<usize>());
        write!(f, ", {} tiles of {rows} × {cols}", self.n_tiles())
    }
}

/// Returns how many iterations of a loop of `len` to put in a tile if `wanted` are wanted: all of them if
/// there are at most half as many more.
fn tile_len(len: usize, wanted: usize) -> usize {
    let wanted = wanted.max(1);
    if len <= wanted + wanted / 2 { len } else { wanted }
}

/// Returns how many lines that are `step` bytes apart fit in the second-level cache at once: those of a
/// power of two bytes map to few of its sets.
fn lines_without_conflict(step: usize) -> usize {
    match step.is_multiple_of(CACHE_LINE_BYTES) {
        true => {
            L2_WAYS * (L2_SETS >> (step / CACHE_LINE_BYTES).trailing_zeros().min(L2_SETS.ilog2()))
        }
        false => L2_WAYS * L2_SETS,
    }
}

impl TiledLoop {
    fn n_tiles(&self) -> usize {
        self.whole.len.div_ceil(self.in_tile)
    }
}
