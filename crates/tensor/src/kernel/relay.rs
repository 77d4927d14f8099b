//! Large copies, sheet by sheet, by way of a buffer in the cache.
//!
//! **The problem.** A transposed copy reads or writes against the grain. Squares in registers use the
//! lines of a tile well while they are in the cache; but the lines themselves come one by one from places far
//! apart, which the processor does not foresee, and rows that are powers of two apart crowd each other out
//! of the cache before they are full.
//!
//! **The way round.** A sheet of the source ([`Sheet`]) is brought into a small buffer in the order of the
//! output; then its rows, which are a few whole lines each, are written one after the other, past the
//! cache. While they are written the lines of the next sheet are asked for, so
//! that it is there when its turn comes. Where both sides run along the same loop, and its runs are long
//! or whole lines, they are written without the buffer.
//!
//! **What it costs** is one more pass over the first-level cache. A transposed copy of 64 MB takes 1.2
//! times as long as `memcpy` instead of 3 to 4 times (`cargo xtask bench`, "copy of the transpose").

use super::cache::{Ahead, Rows, Soon, finish_streaming};
use super::copy::{Steps, copy_tile};
use super::cpu::{self, Level};
use crate::plan::{CACHE_LINE, GRAIN, Loop, PIECES_PER_THREAD, Relay, SHEET, STRETCH, Sheet};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Bytes of a run that is not copied twice, also if it is not whole lines.
const LONG_RUN: usize = 1024;

/// A copy in sheets, for several threads.
pub(super) struct Relayed {
    size: usize,
    /// Where offset 0 of both sides is.
    out: *mut u8,
    source: *const u8,
    relay: Relay,
    /// Whether runs go straight from one side to the other.
    is_direct: bool,
    /// Bytes from one row of the buffer to the next.
    pitch: usize,
}

// SAFETY: whoever calls `run` promises that what is reached may be, from the thread that calls.
unsafe impl Sync for Relayed {}

/// A buffer for the elements of a sheet.
#[repr(align(64))]
struct Room(#[expect(dead_code, reason = "written by address")] [u8; SHEET]);

impl Relayed {
    pub(super) fn new(size: usize, out: *mut u8, source: *const u8, relay: Relay) -> Relayed {
        let first = relay.sheet(0);
        let run = first.cols[1].len * size;
        let is_run = first.cols[1].steps == [1, 1];
        let is_lines = |bytes: usize| bytes.is_multiple_of(CACHE_LINE);
        let is_lined =
            is_lines(out.addr() + first.starts[0] * size) && relay.is_in_units(CACHE_LINE / size);
        let is_direct = is_run && (run >= LONG_RUN || is_lines(run) && is_lined);
        // The first sheet is as large as any, and what is left over of a row stays where it is.
        let pitch = first.cols[0].len * run + CACHE_LINE;
        Relayed { size, out, source, relay, is_direct, pitch }
    }

    /// Into how many pieces it pays to cut the work for so many threads.
    pub(super) fn n_pieces(&self, n_threads: usize) -> usize {
        let wanted = match n_threads {
            1 => 1,
            _ => (self.relay.n_elements() / GRAIN).clamp(1, n_threads * PIECES_PER_THREAD),
        };
        wanted.min(self.relay.len())
    }

    /// The sheets of piece `i` of `n`.
    pub(super) fn piece(&self, i: usize, n: usize) -> Range<usize> {
        let [from, to] =
            [i, i + 1].map(|i| (self.relay.len() as u128 * i as u128 / n as u128) as usize);
        from..to
    }

    /// Copies some of the sheets.
    ///
    /// # Safety
    /// The offsets of the plan that was cut must be elements of the two sides, of `size` bytes, writable
    /// and readable, and the two share none. Nobody else reads or writes elements of the output in these
    /// sheets.
    pub(super) unsafe fn run(&self, sheets: Range<usize>) {
        // SAFETY: the caller's promises; the processor has the level.
        unsafe { self.at_level(cpu::level(), sheets) }
    }

    /// # Safety
    /// That of `run`, on a processor of at least the level.
    unsafe fn at_level(&self, level: Level, sheets: Range<usize>) {
        let mut room = MaybeUninit::<Room>::uninit();
        let mut ahead = Ahead::nothing();
        let mut shape = None;
        let mut sheet = self.relay.sheet(sheets.start);
        let mut is_continued = false;
        for i in sheets.clone() {
            let next = (i + 1 < sheets.end).then(|| self.relay.sheet(i + 1));
            if let Some(next) = next.as_ref().filter(|next| shape != Some((next.rows, next.cols))) {
                shape = Some((next.rows, next.cols));
                self.look_ahead(next, &mut ahead);
            }
            let mut soon = match &next {
                Some(next) => ahead.soon(self.source_of(next), self.n_stretches(&sheet)),
                None => Soon::nothing(),
            };
            // SAFETY: the caller's promises, for a part of the plan. A sheet fits in the buffer, and what
            // is left over in it is of the sheet before.
            unsafe {
                if self.is_direct {
                    self.straight(level, &sheet, &mut soon);
                } else {
                    // What is left over of a row is written with the line it is in: all of that line
                    // must be at hand then, so a row has to be joined itself or reach another line.
                    let continues = next.as_ref().is_some_and(|next| sheet.ends_at(next))
                        && (is_continued || sheet.row_len() * self.size >= CACHE_LINE);
                    let room = room.as_mut_ptr().cast();
                    self.fill(&sheet, room);
                    self.empty(level, &sheet, room, [is_continued, continues], &mut soon);
                    is_continued = continues;
                }
            }
            if let Some(next) = next {
                sheet = next;
            }
        }
        finish_streaming();
    }

    /// Into how many stretches the rows of a sheet are written.
    fn n_stretches(&self, sheet: &Sheet) -> usize {
        let ([r1, r0], [c1, c0]) = (sheet.rows, sheet.cols);
        match self.is_direct {
            true => r0.len * c1.len * (c0.len * self.size).div_ceil(STRETCH),
            false => r1.len * r0.len * (sheet.row_len() * self.size).div_ceil(STRETCH),
        }
    }

    /// Where the source of a sheet begins.
    fn source_of(&self, sheet: &Sheet) -> *const u8 {
        self.source.wrapping_add(sheet.starts[1] * self.size)
    }

    /// Finds out which stretches of the source a sheet of this shape reads.
    fn look_ahead(&self, sheet: &Sheet, ahead: &mut Ahead) {
        let bytes = |it: Loop<2>| (it.len, it.steps[1] * self.size as isize);
        let ([r1, r0], [c1, c0]) = (sheet.rows, sheet.cols);
        let is_along = |it: Loop<2>| it.steps[1].unsigned_abs() == 1;
        let (run, loops) = match (is_along(c0), is_along(r0), is_along(c1)) {
            (true, ..) => (c0, [r0, c1, r1]),
            (false, true, _) => (r0, [c0, c1, r1]),
            (false, false, true) => (c1, [c0, r0, r1]),
            _ => (Loop { len: 1, steps: [0, 0] }, [r0, c0, c1]),
        };
        // A run that is walked backwards begins with its last element.
        let first = bytes(run).1.min(0) * (run.len as isize - 1);
        ahead.set(self.source_of(sheet), first, run.len * self.size, loops.map(bytes));
    }

    /// Brings the source of a sheet into the buffer, as rows of the output.
    ///
    /// # Safety
    /// That of `run`, and the buffer must have room for the sheet.
    unsafe fn fill(&self, sheet: &Sheet, room: *mut u8) {
        let size = self.size as isize;
        let ([r1, r0], [c1, c0]) = (sheet.rows, sheet.cols);
        let source = self.source_of(sheet);
        let run = (c0.len * self.size) as isize;
        let pitch = self.pitch as isize;
        // Tiles are of the rows; or of the two loops of a single row.
        let (rows, step, between) = match r0.len {
            1 => (c1, run, Loop { len: 1, steps: [0, 0] }),
            _ => (r0, pitch, c1),
        };
        let (to, from) = (
            Steps { rows: step, cols: size },
            Steps { rows: rows.steps[1] * size, cols: c0.steps[1] * size },
        );
        for i in 0..r1.len as isize {
            for k in 0..between.len as isize {
                // SAFETY: the tile is a part of the sheet, and has a part of the buffer of its own.
                unsafe {
                    let to_at = room.offset(i * r0.len as isize * pitch + k * run).add(CACHE_LINE);
                    let from_at = source.offset((i * r1.steps[1] + k * between.steps[1]) * size);
                    copy_tile(self.size, to_at, to, from_at, from, [rows.len, c0.len]);
                }
            }
        }
    }

    /// Writes the rows of a sheet from the buffer to the output.
    ///
    /// If the sheet before ended where this one begins, what it had left over is in front of the rows; if
    /// the next one begins where this one ends, all but whole lines is left over for it.
    ///
    /// # Safety
    /// That of `run`, and the buffer must hold the sheet.
    unsafe fn empty(
        &self,
        level: Level,
        sheet: &Sheet,
        room: *mut u8,
        joined: [bool; 2],
        soon: &mut Soon<'_>,
    ) {
        let [r1, r0] = sheet.rows;
        let len = sheet.row_len() * self.size;
        let source_step = self.pitch as isize;
        let [step, out_step] = [r1, r0].map(|it| it.steps[0] * self.size as isize);
        for i in 0..r1.len as isize {
            // SAFETY: the rows are the sheet's, and blocks of the output. There is room for a line in
            // front of each of them.
            unsafe {
                let source = room.offset(i * r0.len as isize * source_step).add(CACHE_LINE);
                let out = self.out_of(sheet).wrapping_offset(i * step);
                let rows = Rows { out, out_step, source, source_step, n: r0.len, len, joined };
                rows.stream(level, soon);
            }
        }
    }

    /// Writes the runs of a sheet from the source to the output.
    ///
    /// # Safety
    /// That of `run`; runs must be blocks on both sides.
    unsafe fn straight(&self, level: Level, sheet: &Sheet, soon: &mut Soon<'_>) {
        let size = self.size as isize;
        let ([_, r0], [c1, c0]) = (sheet.rows, sheet.cols);
        let [out_step, source_step] = c1.steps.map(|step| step * size);
        for i in 0..r0.len as isize {
            let [to, from] = r0.steps.map(|step| i * step * size);
            let (out, source) = (
                self.out_of(sheet).wrapping_offset(to),
                self.source_of(sheet).wrapping_offset(from),
            );
            let len = c0.len * self.size;
            let joined = [false; 2];
            let rows = Rows { out, out_step, source, source_step, n: c1.len, len, joined };
            // SAFETY: the runs are the sheet's.
            unsafe { rows.stream(level, soon) };
        }
    }

    /// Where the output of a sheet begins.
    fn out_of(&self, sheet: &Sheet) -> *mut u8 {
        self.out.wrapping_add(sheet.starts[0] * self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;
    use crate::plan::Plan;

    /// Copies in pieces, at every level, and compares all of memory with a copy
    /// of one element at a time.
    fn check(size: usize, to: &Layout, from: &Layout, first: usize) {
        let plan = Plan::elementwise([to, from], [size, size]).unwrap();
        let Some(relay) = plan.relay(size) else { return };
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
            let relayed = Relayed::new(size, out, source, relay.clone());
            for i in 0..n {
                // SAFETY: as above; both sides are aligned to eight bytes.
                unsafe { relayed.at_level(level, relayed.piece(i, n)) };
            }
            assert!(found == expected, "{level:?} {size}: {to:?} from {from:?}");
        }
    }

    #[test]
    fn sheets_are_everything_once_at_every_level_and_nothing_else() {
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
                    // Every other line of the output is somebody else's.
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
