//! `Grid`: the coordinates of each cell of a view in a picture.
//!
//! The last axis is drawn to the right, the one before it down, the next to the right again, and so on:
//! a view of rank four is a table of tables. Text and SVG differ in their metrics only.

use crate::sketch::Sketch;

/// The sizes of cells and gaps, in characters or pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellMetrics {
    /// Width and height of a cell.
    pub(crate) cell: (usize, usize),
    /// Gap between adjacent cells, to the right and down.
    pub(crate) near: (usize, usize),
    /// Gap between tables.
    pub(crate) far: (usize, usize),
    /// Width and height of the dots for omitted cells.
    pub(crate) dots: (usize, usize),
    /// Height of the heading of a table, if there are several.
    pub(crate) heading: usize,
}

/// The coordinates of a view in a picture, those of upper left corners.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    /// The size of the view.
    pub(crate) size: (usize, usize),
    /// The coordinates of each cell, in the order of the sketch.
    pub(crate) cells: Vec<(usize, usize)>,
    /// The marks for omitted cells.
    pub(crate) dots: Vec<Dots>,
    /// The tables of the grid, if there are several.
    pub(crate) tables: Vec<Table>,
}

/// A mark for omitted cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dots {
    /// Its coordinates.
    pub(crate) at: (usize, usize),
    /// Whether the omitted cells are below it, and not to its right.
    pub(crate) is_down: bool,
}

/// One table of several.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Its coordinates, heading included.
    pub(crate) at: (usize, usize),
    /// The index of the outer axes that selects the table.
    pub(crate) index: Vec<usize>,
}

/// The coordinates of the positions along one axis.
struct AxisPositions {
    /// The start of each shown position.
    starts: Vec<usize>,
    /// The start of the dots, if positions are omitted.
    dots: Option<usize>,
}

impl Grid {
    /// Computes the coordinates of the cells of a sketch.
    pub(crate) fn new(sketch: &Sketch, metrics: &CellMetrics) -> Grid {
        let rank = sketch.shape.len();
        if sketch.cells.is_empty() {
            return Grid::default();
        }
        let heading = if rank > 2 { metrics.heading } else { 0 };
        let mut rulers: Vec<AxisPositions> = Vec::new(); // innermost axis first
        let mut size = metrics.cell;
        for (level, k) in (0..rank).rev().enumerate() {
            let (gaps, extent, dots) = match level % 2 {
                0 => ((metrics.near.0, metrics.far.0), &mut size.0, metrics.dots.0),
                _ => ((metrics.near.1, metrics.far.1), &mut size.1, metrics.dots.1),
            };
            let gap = if level < 2 { gaps.0 } else { gaps.1 * (level / 2) };
            let (ruler, length) =
                AxisPositions::new(&sketch.shown[k], sketch.shape[k], *extent, gap, dots);
            *extent = length;
            rulers.push(ruler);
            if level == 1 {
                size.1 += heading;
            }
        }
        rulers.reverse();
        let mut grid = Grid { size, ..Grid::default() };
        let at = |slots: &[usize]| cell_position(&rulers, slots, heading);
        for_each_slot(&sketch.shown, |slots| grid.cells.push(at(slots)));
        grid.add_dots(sketch, &rulers, heading, metrics);
        if rank > 2 {
            grid.add_tables(sketch, &rulers);
        }
        grid
    }

    fn add_dots(
        &mut self,
        sketch: &Sketch,
        rulers: &[AxisPositions],
        heading: usize,
        metrics: &CellMetrics,
    ) {
        let rank = rulers.len();
        for (k, ruler) in rulers.iter().enumerate() {
            let Some(start) = ruler.dots else { continue };
            let is_down = (rank - k).is_multiple_of(2);
            let level = rank - 1 - k;
            // Between cells there is a mark in each row or column, between tables only one.
            let mut shown = sketch.shown.clone();
            shown[k].truncate(1);
            if level >= 2 {
                shown[k + 1..].iter_mut().for_each(|it| it.truncate(1));
            }
            for_each_slot(&shown, |slots| {
                let mut at = cell_position(rulers, slots, heading);
                let along = if is_down { &mut at.1 } else { &mut at.0 };
                *along += start - ruler.starts[0];
                self.dots
                    .push(Dots { at: (at.0, at.1.min(self.size.1 - metrics.dots.1)), is_down });
            });
        }
    }

    fn add_tables(&mut self, sketch: &Sketch, rulers: &[AxisPositions]) {
        let outer = sketch.shown.len() - 2;
        for_each_slot(&sketch.shown[..outer], |slots| {
            let mut all = slots.to_vec();
            all.extend([0, 0]);
            let index = slots.iter().zip(&sketch.shown).map(|(&slot, shown)| shown[slot]);
            self.tables.push(Table { at: cell_position(rulers, &all, 0), index: index.collect() });
        });
    }
}

impl AxisPositions {
    /// Computes the coordinates of positions of size `extent`, and returns their total size, too.
    fn new(
        shown: &[usize],
        len: usize,
        extent: usize,
        gap: usize,
        dots: usize,
    ) -> (AxisPositions, usize) {
        let mut ruler = AxisPositions { starts: Vec::new(), dots: None };
        let mut end = 0;
        for (i, &position) in shown.iter().enumerate() {
            if i > 0 && position != shown[i - 1] + 1 {
                ruler.dots = Some(end + gap);
                end += gap + dots;
            }
            let start = if i == 0 { 0 } else { end + gap };
            ruler.starts.push(start);
            end = start + extent;
        }
        // A single shown position, with omitted ones after it.
        if shown.last().is_some_and(|&last| last + 1 < len) {
            ruler.dots = Some(end + gap);
            end += gap + dots;
        }
        (ruler, end)
    }
}

/// Returns the coordinates of a cell, given by the numbers of its shown positions.
fn cell_position(rulers: &[AxisPositions], slots: &[usize], heading: usize) -> (usize, usize) {
    let mut at = (0, heading);
    for (k, (ruler, &slot)) in rulers.iter().zip(slots).enumerate() {
        let along = if (rulers.len() - k) % 2 == 1 { &mut at.0 } else { &mut at.1 };
        *along += ruler.starts[slot];
    }
    at
}

/// Calls `f` with the number of each shown position, for every combination, the last axis fastest.
fn for_each_slot(shown: &[Vec<usize>], mut f: impl FnMut(&[usize])) {
    let mut slots = vec![0; shown.len()];
    loop {
        f(&slots);
        let Some(k) = (0..slots.len()).rev().find(|&k| slots[k] + 1 < shown[k].len()) else {
            return;
        };
        slots[k] += 1;
        slots[k + 1..].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use belvedere_layout::{Chain, Layout};

    const UNIT: CellMetrics =
        CellMetrics { cell: (1, 1), near: (0, 0), far: (1, 1), dots: (1, 1), heading: 0 };

    fn grid(shape: &[usize], limits: Limits) -> Grid {
        let chain = Chain::new(Layout::row_major(shape).unwrap());
        Grid::new(&Sketch::new(&chain, limits), &UNIT)
    }

    #[test]
    fn the_last_axis_goes_right_and_the_one_before_it_down() {
        let grid = grid(&[2, 3], Limits::default());
        assert_eq!(grid.cells, [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]);
        assert_eq!(grid.size, (3, 2));
    }

    #[test]
    fn higher_ranks_are_tables_of_tables() {
        let grid = grid(&[2, 2, 2, 2], Limits::default());
        // Axis 1 puts tables side by side, axis 0 below one another.
        assert_eq!(grid.cells[0b0100], (3, 0));
        assert_eq!(grid.cells[0b1000], (0, 3));
        assert_eq!(grid.cells[0b1111], (4, 4));
        assert_eq!(grid.size, (5, 5));
        let corners: Vec<_> = grid.tables.iter().map(|it| it.at).collect();
        assert_eq!(corners, [(0, 0), (3, 0), (0, 3), (3, 3)]);
    }

    #[test]
    fn omitted_cells_are_drawn_as_dots() {
        let grid = grid(&[100, 2], Limits { cells: 12, columns: 4, rows: 4 });
        assert_eq!(grid.cells, [(0, 0), (1, 0), (0, 2), (1, 2)]);
        let dots: Vec<_> = grid.dots.iter().map(|it| (it.at, it.is_down)).collect();
        assert_eq!(dots, [((0, 1), true), ((1, 1), true)]);
    }

    #[test]
    fn no_two_cells_have_the_same_coordinates() {
        for shape in [&[3, 4][..], &[2, 3, 4], &[5, 2, 3, 2], &[2, 1, 2, 1, 3], &[90, 90, 90]] {
            let mut cells = grid(shape, Limits::default()).cells;
            let n = cells.len();
            cells.sort_unstable();
            cells.dedup();
            assert_eq!(cells.len(), n, "{shape:?}");
        }
    }
}
