//! How work is split for several threads: into how many pieces, and where.
//!
//! Every kernel asks [`pieces_for`] (or [`threads_for`]) how many pieces to make, and cuts ranges with
//! [`piece_of`].

use super::{Loop, LoopNest, Plan};
use crate::pool;
use std::ops::Range;

/// The minimum number of elements in a piece: about 10 µs of memory traffic, several times what it takes
/// to wake a thread.
const PIECE_ELEMENTS: usize = 1 << 15;

/// Operations on fewer elements run on the calling thread alone.
pub(crate) const SERIAL_ELEMENTS: usize = 2 * PIECE_ELEMENTS;

/// Pieces for each thread: more than one, so that a slow thread does not keep the others waiting.
const PIECES_PER_THREAD: usize = 4;

/// The maximum number of elements in a piece, several milliseconds: an operation can be interrupted between pieces.
const MAX_PIECE_ELEMENTS: usize = 1 << 23;

/// The maximum number of pieces. The results of pieces are kept in lists of this length.
const MAX_PIECES: usize = 1 << 12;

/// Multiplications of a matrix product that take as long as reading and writing an element: 2¹⁸ of them are a
/// piece, five microseconds if the operands are in registers, some twenty if one is fetched from memory for
/// each.
pub(crate) const PRODUCTS_PER_ELEMENT: usize = 8;

/// A contiguous innermost loop is cut at multiples of 64 elements, so that no two threads write to one
/// cache line.
const CUT_ELEMENTS: usize = 64;

/// A loop with at least this many iterations is split rather than one inside it.
const LONG_LOOP: usize = 64;

/// Returns into how many pieces to split work that costs as much as reading and writing `work` elements:
/// at least 1, and at most `max` unless that is 0.
pub(crate) fn pieces_for(work: usize, max: usize) -> usize {
    n_pieces(work, max, pool::num_threads())
}

/// Like [`pieces_for`], but at most one piece per thread: for work in which each piece has a fixed cost,
/// whatever its size.
pub(crate) fn threads_for(work: usize) -> usize {
    let n_threads = pool::num_threads();
    n_pieces(work, n_threads, n_threads)
}

fn n_pieces(work: usize, max: usize, n_threads: usize) -> usize {
    let balanced = match n_threads {
        1 => 1,
        _ => (work / PIECE_ELEMENTS).min(n_threads * PIECES_PER_THREAD),
    };
    balanced.max((work / MAX_PIECE_ELEMENTS).min(MAX_PIECES)).min(max).max(1)
}

/// Returns piece `i` of `n` of the range `0..len`, cut at multiples of `unit`. Together the pieces are the
/// whole range; some may be empty.
pub(crate) fn piece_of(len: usize, unit: usize, i: usize, n: usize) -> Range<usize> {
    let n_units = len.div_ceil(unit);
    // `n_units * i / n`, without a product that could overflow.
    let cut = |i: usize| ((n_units / n * i + n_units % n * i / n) * unit).min(len);
    cut(i)..cut(i + 1)
}

impl<const N: usize> LoopNest<N> {
    /// Returns into how many pieces to split the nest if each position costs as much as `work` elements.
    /// Of the loop around the innermost one, `tile_rows` iterations stay together.
    pub(crate) fn n_pieces(&self, work: usize, tile_rows: usize) -> usize {
        let (k, unit) = self.split_loop(tile_rows);
        let n_units = self.loops.get(k).map_or(1, |it| it.len.div_ceil(unit));
        pieces_for(self.len().saturating_mul(work), n_units)
    }

    /// Returns piece `i` of `n`. Together the pieces visit every position once.
    pub(crate) fn piece(&self, i: usize, n: usize, tile_rows: usize) -> LoopNest<N> {
        let mut piece = self.clone();
        let (k, unit) = self.split_loop(tile_rows);
        match self.loops.get(k).filter(|_| n > 1) {
            Some(it) => {
                let range = piece_of(it.len, unit, i, n);
                piece.starts = it.advance(self.starts, range.start);
                piece.loops[k].len = range.len();
            }
            // A nest of one position cannot be split: it is the first piece, and the others are empty.
            None if n > 1 && i > 0 => {
                piece.loops = [Loop { len: 0, steps: [0; N] }].into_iter().collect();
            }
            None => {}
        }
        piece
    }

    /// The loop to split, and how many of its iterations stay together: the outermost loop, unless it is
    /// short and a longer one follows. Splitting far outside leaves each thread a compact part of memory.
    fn split_loop(&self, tile_rows: usize) -> (usize, usize) {
        let loops = &self.loops;
        let first = loops.iter().position(|it| it.len >= LONG_LOOP);
        let longest = || (0..loops.len()).max_by_key(|&k| (loops[k].len, usize::MAX - k));
        let k = first.or_else(longest).unwrap_or(0);
        let unit = match loops.len() - k.min(loops.len()) {
            1 if loops[k].steps[0].unsigned_abs() == 1 => CUT_ELEMENTS,
            2 => tile_rows,
            _ => 1,
        };
        (k, unit)
    }
}

impl<const N: usize> Plan<N> {
    /// Returns into how many pieces to split the plan.
    pub(crate) fn n_pieces(&self) -> usize {
        self.nest.n_pieces(1, self.tile.rows)
    }

    /// Returns piece `i` of `n`. Together the pieces visit every position once.
    pub(crate) fn piece(&self, i: usize, n: usize) -> Plan<N> {
        Plan { nest: self.nest.piece(i, n, self.tile.rows), tile: self.tile }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_work_is_one_piece_and_long_work_at_most_four_a_thread() {
        let piece = PIECE_ELEMENTS;
        assert_eq!(n_pieces(SERIAL_ELEMENTS - 1, usize::MAX, 8), 1);
        assert_eq!(n_pieces(SERIAL_ELEMENTS, usize::MAX, 8), 2);
        assert_eq!(n_pieces(100 * piece, usize::MAX, 1), 1);
        assert_eq!(n_pieces(3 * piece, usize::MAX, 2), 3);
        assert_eq!(n_pieces(100 * piece, usize::MAX, 2), 8);
        assert_eq!(n_pieces(10 * MAX_PIECE_ELEMENTS, usize::MAX, 1), 10);
        assert_eq!(n_pieces(usize::MAX, usize::MAX, 2), MAX_PIECES);
        assert_eq!(n_pieces(usize::MAX, 3, 1), 3);
        assert_eq!((n_pieces(100 * piece, 5, 2), n_pieces(100 * piece, 0, 2)), (5, 1));
    }

    #[test]
    fn pieces_of_a_range_are_everything_once() {
        for len in [0, 1, 1000, 100_017, usize::MAX / 2] {
            for (unit, n) in (1..10).flat_map(|n| [(1, n), (64, n), (1024, n)]) {
                let pieces: Vec<_> = (0..n).map(|i| piece_of(len, unit, i, n)).collect();
                assert_eq!((pieces[0].start, pieces[n - 1].end), (0, len));
                assert!(pieces.windows(2).all(|it| it[0].end == it[1].start));
            }
        }
    }
}
