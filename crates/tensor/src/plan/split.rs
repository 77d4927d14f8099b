//! A plan in pieces, for several threads.

use super::{Loop, Plan};

/// Elements that are worth a thread of their own: some ten microseconds of memory traffic, which is
/// several times what it takes to wake one.
pub(crate) const GRAIN: usize = 1 << 15;

/// Pieces for each thread: some, so that one that is slow does not keep the others waiting.
pub(crate) const PIECES_PER_THREAD: usize = 4;

/// Cuts are at multiples of so many turns of a lone loop, so that no two threads write to one
/// cache line.
const CUT: usize = 64;

impl<const N: usize> Plan<N> {
    /// Into how many pieces it pays to cut the plan for so many threads.
    pub(crate) fn n_pieces(&self, n_threads: usize) -> usize {
        let len = self.len();
        if n_threads <= 1 || len < 2 * GRAIN {
            return 1;
        }
        let wanted = (len / GRAIN).min(n_threads * PIECES_PER_THREAD);
        wanted.min(self.turns_to_cut().max(1))
    }

    /// Piece `i` of `n`: together they visit everything once.
    pub(crate) fn piece(&self, i: usize, n: usize) -> Plan<N> {
        if n <= 1 {
            return self.clone();
        }
        let k = self.loop_to_cut();
        let Loop { len, steps } = self.loops[k];
        let unit = self.cut_unit();
        let turns = len.div_ceil(unit);
        let from = (turns * i / n * unit).min(len);
        let to = (turns * (i + 1) / n * unit).min(len);
        let mut piece = self.clone();
        piece.loops[k].len = to - from;
        for (start, step) in piece.starts.iter_mut().zip(steps) {
            *start = start.wrapping_add_signed(from as isize * step);
        }
        piece
    }

    /// How many cuts are possible.
    fn turns_to_cut(&self) -> usize {
        self.loops.get(self.loop_to_cut()).map_or(1, |it| it.len.div_ceil(self.cut_unit()))
    }

    /// The outermost loop unless a longer one follows: cutting far outside leaves each thread a
    /// compact part of memory.
    fn loop_to_cut(&self) -> usize {
        let enough = |it: &Loop<N>| it.len >= 64;
        let first = self.loops.iter().position(enough);
        let longest = || (0..self.loops.len()).max_by_key(|&k| (self.loops[k].len, usize::MAX - k));
        first.or_else(longest).unwrap_or(0)
    }

    /// The turns that stay together: whole tiles of rows, and cache lines of a row.
    fn cut_unit(&self) -> usize {
        match self.loops.len() - self.loop_to_cut().min(self.loops.len()) {
            1 => CUT,
            2 => self.tile.rows,
            _ => 1,
        }
    }
}
