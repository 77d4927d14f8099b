//! Which part of a large copy goes through the cache at once.
//!
//! A tile of two loops is enough where both are long. Here the unit is a *sheet*: rows that are blocks
//! of the output, of a few cache lines each, and so many of them that blocks of the source are a few
//! lines as well. Where a loop is too short for that, the one that continues it in memory is added:
//! if all axes of a tensor are reversed, both sides of a sheet are made of two loops.

use super::{CACHE_LINE, Loop, Plan};

/// Bytes of a row of a sheet, and of the source's blocks: so many lines are fetched at one place
/// before memory is asked for another. More would not fit side by side in the second-level cache
/// where rows are powers of two apart.
pub(crate) const STRETCH: usize = 4 * CACHE_LINE;

/// The same for a source that runs along the rows.
const RUNS: usize = 2048;

/// Bytes of a sheet, with room for a line before each of its rows: about the first-level cache.
pub(crate) const SHEET: usize = 48 << 10;

/// Rows of a sheet, unless there are few more.
const ROWS: usize = 64;

/// A copy cut into sheets, in the order in which they are copied.
#[derive(Clone, Debug)]
pub(crate) struct Relay {
    starts: [usize; 2],
    loops: Vec<Cut>,
    /// Which loops the rows of a sheet are, the one with the larger steps in the source first.
    rows: [Option<usize>; 2],
    /// Which loops a row is, the one with the larger steps in the output first.
    cols: [Option<usize>; 2],
}

/// A loop, and how many of its turns are in a sheet.
#[derive(Clone, Copy, Debug)]
struct Cut {
    it: Loop<2>,
    take: usize,
}

/// A part of the loops that is copied at once. Steps are in elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sheet {
    /// Where it begins, on both sides.
    pub starts: [usize; 2],
    /// The loops of its rows, and those of a row, which is one block of the output.
    pub rows: [Loop<2>; 2],
    pub cols: [Loop<2>; 2],
}

impl Sheet {
    /// How many elements a row has.
    pub(crate) fn row_len(&self) -> usize {
        self.cols[0].len * self.cols[1].len
    }

    /// Whether each row of another sheet begins where a row of this one ends.
    pub(crate) fn ends_at(&self, other: &Sheet) -> bool {
        other.starts[0] == self.starts[0] + self.row_len() && other.rows == self.rows
    }
}

impl Plan<2> {
    /// Cuts the copy of operand 1 to operand 0, of elements of `size` bytes, into sheets; none if the
    /// output has no blocks.
    pub(crate) fn relay(&self, size: usize) -> Option<Relay> {
        let loops = &self.loops;
        let all = 0..loops.len();
        let source = |k: usize| loops[k].steps[1].unsigned_abs();
        let bytes = |k: usize| loops[k].len.saturating_mul(size);
        let c0 = all.clone().find(|&k| loops[k].steps[0] == 1)?;
        let is_run = source(c0) == 1;
        let is_short = bytes(c0) < if is_run { SHEET / 4 } else { STRETCH };
        let follows = |k: &usize| is_short && loops[*k].steps[0] == loops[c0].len as isize;
        let c1 = all.clone().find(follows);
        let others = all.filter(|&k| k != c0 && Some(k) != c1 && source(k) != 0);
        // Blocks of the source lie across the rows; or along a row, and are short.
        let r0 = others
            .clone()
            .min_by_key(|&k| source(k))
            .filter(|&k| if is_run { bytes(c0) < RUNS } else { source(k) < source(c0) })
            .filter(|&k| c1.is_none_or(|c1| source(k) < source(c1)));
        let r1 = r0.filter(|&k| !is_run && bytes(k) <= STRETCH / 2).and_then(|r0| {
            let whole = source(r0).saturating_mul(loops[r0].len);
            others.clone().find(|&k| k != r0 && source(k) == whole)
        });
        let mut relay = Relay {
            starts: self.starts,
            loops: loops.iter().map(|&it| Cut { it, take: 1 }).collect(),
            rows: [r1, r0],
            cols: [c1, Some(c0)],
        };
        relay.take(is_run, size);
        Some(relay)
    }
}

impl Relay {
    /// Chooses how much of each loop is in a sheet.
    fn take(&mut self, is_run: bool, size: usize) {
        let [c1, Some(c0)] = self.cols else { unreachable!("a row runs along a loop") };
        let Loop { len, steps } = self.loops[c0].it;
        // What lies in one piece of the source for each row, and is wanted to.
        let (mut block, stretch) = match is_run {
            true => (len.saturating_mul(size), RUNS),
            false => (size, ROWS * size),
        };
        let mut n_rows = 1;
        for k in self.rows.into_iter().rev().flatten() {
            let wanted = stretch.div_ceil(block).min(ROWS.div_ceil(n_rows));
            let take = most(self.loops[k].it.len, wanted);
            self.loops[k].take = take;
            (n_rows, block) = (n_rows * take, block.saturating_mul(take));
        }
        let room = (SHEET / n_rows - CACHE_LINE) / size;
        // Columns that are far apart take lines of the cache each: no more than there are places for.
        let step = steps[1].unsigned_abs().saturating_mul(size);
        let wanted = match step > STRETCH && block >= CACHE_LINE {
            true => STRETCH / size,
            false => room / 2,
        };
        let wanted = wanted.clamp(1, room);
        let line = (CACHE_LINE / size).min(wanted);
        let whole_lines = wanted / line * line;
        let take = most(len, whole_lines);
        let mut last = c0;
        if take < len || take > room {
            self.loops[c0].take = whole_lines;
        } else {
            self.loops[c0].take = take;
            if let Some(k) = c1 {
                self.loops[k].take = most(self.loops[k].it.len, wanted / len).min(room / len);
                last = k;
            }
        }
        let far = |k: usize| self.loops[k].it.steps[1].unsigned_abs().saturating_mul(size);
        let nearest = [c1, Some(c0)].into_iter().flatten().map(|k| places(far(k))).max();
        let n_columns = self.cols.into_iter().flatten().map(|k| self.loops[k].take).product();
        let is_crowded = !is_run && nearest < Some(n_columns);
        // Sheets that continue the rows of another come after it where rows share lines. Otherwise those
        // do that continue its blocks of the source, unless these crowd each other out of the cache.
        match self.rows[1].filter(|_| !is_crowded && self.is_in_units(CACHE_LINE / size)) {
            Some(k) => self.move_inside(k),
            None => self.move_inside(last),
        }
    }

    /// Makes a loop the innermost one.
    fn move_inside(&mut self, k: usize) {
        self.loops[k..].rotate_left(1);
        let moved = |it: usize| match it {
            _ if it == k => self.loops.len() - 1,
            _ if it > k => it - 1,
            _ => it,
        };
        self.rows = self.rows.map(|it| it.map(moved));
        self.cols = self.cols.map(|it| it.map(moved));
    }

    /// Whether the source runs along the rows of the output: then nothing is turned round, and all that
    /// a sheet is good for is to be written past the cache.
    pub(crate) fn is_along(&self) -> bool {
        self.rows == [None; 2]
    }

    /// How many sheets there are.
    pub(crate) fn len(&self) -> usize {
        self.loops.iter().map(Cut::len).product()
    }

    /// How many elements are copied.
    pub(crate) fn n_elements(&self) -> usize {
        self.loops.iter().map(|cut| cut.it.len).product()
    }

    /// Whether the rows of all sheets begin a multiple of so many elements after the start, and are as many
    /// long.
    pub(crate) fn is_in_units(&self, unit: usize) -> bool {
        let are_rows = self.loops.iter().enumerate().all(|(k, cut)| {
            let step = cut.it.steps[0].unsigned_abs();
            match self.cols.contains(&Some(k)) {
                true => cut.take == cut.it.len || (step * cut.take).is_multiple_of(unit),
                false => step.is_multiple_of(unit),
            }
        });
        let whole = self.cols.iter().flatten().map(|&k| self.loops[k].it.len).product::<usize>();
        are_rows && whole.is_multiple_of(unit)
    }

    /// Sheet `i`.
    pub(crate) fn sheet(&self, i: usize) -> Sheet {
        let mut rest = i;
        let mut starts = self.starts;
        let once = Loop { len: 1, steps: [0, 0] };
        let mut sheet = Sheet { starts, rows: [once; 2], cols: [once; 2] };
        for (k, cut) in self.loops.iter().enumerate().rev() {
            let n = cut.len();
            let first = rest % n * cut.take;
            rest /= n;
            for (start, step) in starts.iter_mut().zip(cut.it.steps) {
                *start = start.wrapping_add_signed(first as isize * step);
            }
            let taken = Loop { len: cut.take.min(cut.it.len - first), steps: cut.it.steps };
            for (role, of) in self.rows.iter().zip(&mut sheet.rows) {
                if *role == Some(k) {
                    *of = taken;
                }
            }
            for (role, of) in self.cols.iter().zip(&mut sheet.cols) {
                if *role == Some(k) {
                    *of = taken;
                }
            }
        }
        Sheet { starts, ..sheet }
    }
}

/// How many turns of a loop to take at once if so many are wanted: all, if there are few more.
fn most(len: usize, wanted: usize) -> usize {
    let wanted = wanted.max(1);
    if len <= wanted + wanted / 2 { len } else { wanted }
}

/// How many lines that are so many bytes apart fit side by side in a second-level cache of 2048 sets of eight.
fn places(step: usize) -> usize {
    match step.is_multiple_of(CACHE_LINE) {
        true => 8 * (2048 >> (step / CACHE_LINE).trailing_zeros().min(11)),
        false => 8 * 2048,
    }
}

impl Cut {
    fn len(&self) -> usize {
        self.it.len.div_ceil(self.take)
    }
}
