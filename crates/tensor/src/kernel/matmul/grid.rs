//! The tiles of a matrix product: which part of the result is computed at once.

use super::batch::MatmulBatch;
use std::ops::Range;

/// Elements of a tile: enough work for the `rows + cols` times the inner length that are read for it, and
/// enough tiles for all threads.
const TILE_ELEMENTS: usize = 1 << 15;

/// The minimum number of columns of a tile, where there are as many and the rows can be divided instead.
/// Tall tiles are as fast as others (512 × 64, of 512³), and the right factor, which may have to be
/// transposed, is read once.
const MIN_COLUMNS: usize = 64;

/// The maximum number of columns of a tile: a row of the tile stays in the L1 cache.
const MAX_COLUMNS: usize = 1024;

/// The maximum number of columns of a result of one row, where narrow tiles gain nothing.
const MAX_COLUMNS_ONE_ROW: usize = 4096;

/// The minimum number of tiles, if there is enough work.
const MIN_TILES: usize = 8;

/// Multiplications above which a tile is divided when there are fewer than `MIN_TILES`: fifty
/// microseconds.
const SPLIT_WORK: usize = 1 << 22;

/// The number of columns of a tile is a multiple of this, which fills vectors of every dtype.
const COLUMN_MULTIPLE: usize = 32;

/// Tiles of at most this many rows are not divided to get `MIN_TILES`.
const MIN_SPLIT_ROWS: usize = 8;

/// The tiles of a batch of results. They depend on its shape alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TileGrid {
    n_products: usize,
    m: usize,
    n: usize,
    /// Rows and columns of a tile; the last tiles may have fewer.
    rows: usize,
    cols: usize,
}

/// A tile of one result of the batch.
pub(super) struct OutputTile {
    pub batch: usize,
    pub rows: Range<usize>,
    pub cols: Range<usize>,
}

impl OutputTile {
    /// Returns the whole result, if the batch is one product that a grid would not divide.
    pub(super) fn whole(batch: &MatmulBatch) -> Option<OutputTile> {
        let is_small =
            batch.m <= MIN_COLUMNS && batch.n <= MIN_COLUMNS && batch.work() <= SPLIT_WORK;
        let is_one = is_small && batch.is_one();
        is_one.then_some(OutputTile { batch: 0, rows: 0..batch.m, cols: 0..batch.n })
    }
}

impl TileGrid {
    /// Divides the results of a batch, which must not be empty, into tiles of at most `max_rows` rows.
    pub(super) fn new(batch: &MatmulBatch, max_rows: usize) -> TileGrid {
        let (m, n, k, n_products) = (batch.m, batch.n, batch.k, batch.len());
        let widest = if m == 1 { MAX_COLUMNS_ONE_ROW } else { MAX_COLUMNS };
        let rows = m.min(max_rows);
        let cols = n.min((TILE_ELEMENTS / rows).clamp(MIN_COLUMNS, widest));
        let mut grid = TileGrid { n_products, m, n, rows, cols };
        while grid.len() < MIN_TILES && (grid.rows * grid.cols).saturating_mul(k) > SPLIT_WORK {
            let (rows, cols) = (grid.rows, grid.cols);
            grid = match cols > MIN_COLUMNS || cols > rows && cols > COLUMN_MULTIPLE {
                true => TileGrid { cols: cols.div_ceil(2), ..grid },
                false if rows > MIN_SPLIT_ROWS => TileGrid { rows: rows.div_ceil(2), ..grid },
                false => break,
            };
        }
        grid.balanced()
    }

    /// Returns the same number of tiles, of about the same size, instead of small ones at the ends.
    fn balanced(self) -> TileGrid {
        let even = |len: usize, part: usize| len.div_ceil(len.div_ceil(part));
        let cols = even(self.n, self.cols).next_multiple_of(COLUMN_MULTIPLE).min(self.n);
        TileGrid { rows: even(self.m, self.rows), cols, ..self }
    }

    /// Returns the rows and columns of a tile that is not at an end.
    pub(super) fn tile_lens(&self) -> [usize; 2] {
        [self.rows, self.cols]
    }

    /// Returns the number of tiles.
    pub(super) fn len(&self) -> usize {
        self.n_products * self.m.div_ceil(self.rows) * self.n.div_ceil(self.cols)
    }

    /// Tile `i`. The tiles of one product are numbered in column-major order.
    pub(super) fn tile(&self, i: usize) -> OutputTile {
        let (n_rows, n_cols) = (self.m.div_ceil(self.rows), self.n.div_ceil(self.cols));
        let (row, rest) = (i % n_rows, i / n_rows);
        let (col, batch) = (rest % n_cols, rest / n_cols);
        let cut = |at: usize, part: usize, len: usize| part * at..(part * (at + 1)).min(len);
        OutputTile { batch, rows: cut(row, self.rows, self.m), cols: cut(col, self.cols, self.n) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;

    fn grid(m: usize, n: usize, k: usize, max_rows: usize) -> TileGrid {
        let layouts = [[m, n], [m, k], [k, n]].map(|shape| Layout::row_major(&shape).unwrap());
        TileGrid::new(&MatmulBatch::new(layouts.each_ref()), max_rows)
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
    fn large_products_have_tiles_for_many_threads() {
        assert_eq!(grid(8, 8, 8, 512).len(), 1);
        assert_eq!(grid(256, 256, 256, 1024).len(), 4);
        assert_eq!(grid(1024, 1024, 1024, 1024).len(), 16);
        assert!(grid(64, 64, 90_000, 512).len() >= 8);
    }
}
