//! Results cut into tiles.

use super::batch::Batch;
use std::ops::Range;

/// Elements of a tile: much work for what has to be read for it, which is `rows + cols` times the
/// inner length, and enough tiles for all threads.
const AREA: usize = 1 << 15;

/// The least columns of a tile, where there are as many and rows to cut. High and narrow tiles are as
/// fast as any (512 × 64, of 512³), and the right factor, which may have to be transposed, is read once.
const NARROW: usize = 64;

/// The most columns of a tile: a stretch of the result that stays in the first-level cache.
const WIDE: usize = 1024;

/// The most columns if there is one row only, and nothing to be gained from narrow tiles.
const WIDE_ROW: usize = 4096;

/// Tiles there should be at least, if the work is worth it.
const COUNT: usize = 8;

/// Multiplications beyond which a tile is cut when there are too few of them: some fifty
/// microseconds.
const WORTH: usize = 1 << 22;

/// Tiles are cut to multiples of so many columns, which fill vectors of every type.
const CUT: usize = 32;

/// Tiles of no more rows than this are not cut for the sake of their number.
const LOW: usize = 8;

/// The tiles of a batch of results, which depend on its shape and on nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    n_products: usize,
    m: usize,
    n: usize,
    /// Rows and columns of a tile, except for the last ones.
    rows: usize,
    cols: usize,
}

/// A part of one result.
pub(super) struct Tile {
    pub batch: usize,
    pub rows: Range<usize>,
    pub cols: Range<usize>,
}

impl Tile {
    /// All of a batch, if it is one product so small that no grid would cut it.
    pub(super) fn whole(batch: &Batch) -> Option<Tile> {
        let is_small = batch.m <= NARROW && batch.n <= NARROW && batch.work() <= WORTH;
        let is_one = is_small && batch.is_one();
        is_one.then_some(Tile { batch: 0, rows: 0..batch.m, cols: 0..batch.n })
    }
}

impl Grid {
    /// Cuts the results of a batch, which are not empty, into tiles of at most so many rows.
    pub(super) fn new(batch: &Batch, most_rows: usize) -> Grid {
        let (m, n, k, n_products) = (batch.m, batch.n, batch.k, batch.len());
        let widest = if m == 1 { WIDE_ROW } else { WIDE };
        let rows = m.min(most_rows);
        let cols = n.min((AREA / rows).clamp(NARROW, widest));
        let mut grid = Grid { n_products, m, n, rows, cols };
        while grid.len() < COUNT && (grid.rows * grid.cols).saturating_mul(k) > WORTH {
            let (rows, cols) = (grid.rows, grid.cols);
            grid = match cols > NARROW || cols > rows && cols > CUT {
                true => Grid { cols: cols.div_ceil(2), ..grid },
                false if rows > LOW => Grid { rows: rows.div_ceil(2), ..grid },
                false => break,
            };
        }
        grid.evened()
    }

    /// The same with tiles of about one size, instead of small ones at the ends.
    fn evened(self) -> Grid {
        let even = |len: usize, part: usize| len.div_ceil(len.div_ceil(part));
        let cols = even(self.n, self.cols).next_multiple_of(CUT).min(self.n);
        Grid { rows: even(self.m, self.rows), cols, ..self }
    }

    /// How many tiles there are.
    pub(super) fn len(&self) -> usize {
        self.n_products * self.m.div_ceil(self.rows) * self.n.div_ceil(self.cols)
    }

    /// Tile `i`; those of one product follow one another, column by column.
    pub(super) fn tile(&self, i: usize) -> Tile {
        let (n_rows, n_cols) = (self.m.div_ceil(self.rows), self.n.div_ceil(self.cols));
        let (row, rest) = (i % n_rows, i / n_rows);
        let (col, batch) = (rest % n_cols, rest / n_cols);
        let cut = |at: usize, part: usize, len: usize| part * at..(part * (at + 1)).min(len);
        Tile { batch, rows: cut(row, self.rows, self.m), cols: cut(col, self.cols, self.n) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;

    fn grid(m: usize, n: usize, k: usize, most_rows: usize) -> Grid {
        let layouts = [[m, n], [m, k], [k, n]].map(|shape| Layout::row_major(&shape).unwrap());
        Grid::new(&Batch::new(layouts.each_ref()), most_rows)
    }

    #[test]
    fn tiles_cover_every_element_once() {
        for (m, n, k) in [(1, 1, 1), (1, 9000, 300), (700, 500, 9), (64, 64, 90_000), (513, 3, 2)] {
            let grid = grid(m, n, k, 128);
            let mut seen = vec![0; m * n];
            for tile in (0..grid.len()).map(|i| grid.tile(i)) {
                for i in tile.rows {
                    tile.cols.clone().for_each(|j| seen[i * n + j] += 1);
                }
            }
            assert!(seen.iter().all(|&times| times == 1), "{m} {n} {k}");
        }
    }

    #[test]
    fn there_are_tiles_for_many_threads_if_the_work_is_worth_it() {
        assert_eq!(grid(8, 8, 8, 512).len(), 1);
        assert_eq!(grid(256, 256, 256, 1024).len(), 4);
        assert_eq!(grid(1024, 1024, 1024, 1024).len(), 16);
        assert!(grid(64, 64, 90_000, 512).len() >= 8);
    }
}
