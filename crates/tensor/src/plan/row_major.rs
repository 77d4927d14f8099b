//! The elements of one operand in row-major order of the indices, a tile at a time.
//!
//! A [`Plan`](super::Plan) visits its operands in the order that suits their strides. An operand behind a
//! chain has no strides, and the only order that all operands have in common is that of the indices. A
//! [`RowMajorWalk`] gives the elements of one operand in that order, from any position on, as
//! two-dimensional tiles: rows at one stride, of elements at another stride. Finding the start of a tile
//! takes a division for each axis; the elements inside it need none.

use super::{Layout, Loop, LoopNest};
use crate::{Axis, Chain, ChainRun, Shape};
use belvedere_layout::{ChainRuns, InlineVec, unravel_index};
use std::fmt;

/// Elements that follow one another in row-major order: rows of the same length, or padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WalkTile {
    /// The offset of the first element; `None` if all of them are padding.
    pub start: Option<usize>,
    /// The number of rows, and of elements of a row; never 0.
    pub counts: [usize; 2],
    /// The strides from row to row and from element to element.
    pub strides: [isize; 2],
}

impl WalkTile {
    /// Returns the number of elements.
    pub(crate) fn len(&self) -> usize {
        self.counts[0] * self.counts[1]
    }

    /// Whether the tile is one row of contiguous elements, and not padding.
    pub(crate) fn is_contiguous(&self) -> bool {
        let [rows, cols] = self.counts;
        self.start.is_some() && rows == 1 && (cols == 1 || self.strides[1] == 1)
    }
}

/// `2 × (6), 3 × (1) from (4)`, as a plan of one operand; or `3 × padding`.
impl fmt::Display for WalkTile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(start) = self.start else { return write!(f, "{} × padding", self.len()) };
        let loops = self.counts.into_iter().zip(self.strides);
        let loops = loops.map(|(len, stride)| Loop { len, steps: [stride] });
        let nest = LoopNest::new([start as isize], loops.filter(|it| it.len != 1));
        nest.fmt(f)
    }
}

/// The plan for reading or writing one operand in row-major order of the indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RowMajorWalk<'a> {
    /// Over a layout of the fewest axes.
    Strided(Layout),
    /// Over a chain that is equal to no layout.
    Chained(&'a Chain),
}

impl<'a> RowMajorWalk<'a> {
    /// Plans the walk over a layout.
    pub(crate) fn of_layout(layout: &Layout) -> RowMajorWalk<'a> {
        RowMajorWalk::Strided(layout.coalesced())
    }

    /// Plans the walk over a chain.
    pub(crate) fn of_chain(chain: &'a Chain) -> RowMajorWalk<'a> {
        match chain.as_layout_up_to_reshape() {
            Some(layout) => RowMajorWalk::Strided(layout.coalesced()),
            None => RowMajorWalk::Chained(chain),
        }
    }

    /// Whether every position is the same element, or every position is padding.
    pub(crate) fn is_broadcast(&self) -> bool {
        match self {
            RowMajorWalk::Strided(layout) => layout.axes().iter().all(|axis| axis.stride == 0),
            RowMajorWalk::Chained(chain) => chain.base().is_none(),
        }
    }

    /// Returns a cursor at a position, which must exist.
    pub(crate) fn cursor_at(&self, position: usize) -> WalkCursor<'_> {
        match self {
            RowMajorWalk::Strided(layout) => {
                WalkCursor::Strided(StridedCursor::new(layout, position))
            }
            RowMajorWalk::Chained(chain) => {
                WalkCursor::Chained { runs: chain.runs_from(position), rest: None }
            }
        }
    }
}

/// Runs of a chain that are printed before the rest is left out.
const PRINTED_RUNS: usize = 8;

/// `2 × (4), 3 × (1) from (0)`, as a plan of one operand; the runs of a chain are separated by semicolons.
impl fmt::Display for RowMajorWalk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RowMajorWalk::Strided(layout) => {
                let loops = layout.axes().iter();
                let loops = loops.map(|axis| Loop { len: axis.len, steps: [axis.stride] });
                LoopNest::new([layout.start() as isize], loops).fmt(f)
            }
            RowMajorWalk::Chained(chain) => {
                for (k, run) in chain.runs_from(0).take(PRINTED_RUNS + 1).enumerate() {
                    f.write_str(if k == 0 { "" } else { "; " })?;
                    match k < PRINTED_RUNS {
                        true => tile_from_run(run, run.len()).fmt(f)?,
                        false => f.write_str("…")?,
                    }
                }
                Ok(())
            }
        }
    }
}

/// A position in a walk.
#[derive(Clone, Debug)]
pub(crate) enum WalkCursor<'a> {
    Strided(StridedCursor),
    /// The runs that follow, and what is left of the current one.
    Chained {
        runs: ChainRuns<'a>,
        rest: Option<ChainRun>,
    },
}

impl WalkCursor<'_> {
    /// Returns the next elements: at least one, at most `max`. There must be some left.
    pub(crate) fn next(&mut self, max: usize) -> WalkTile {
        match self {
            WalkCursor::Strided(cursor) => cursor.next(max),
            WalkCursor::Chained { runs, rest } => {
                let run = rest.take().or_else(|| runs.next()).expect("elements are left");
                let len = run.len().min(max);
                *rest = rest_of(run, len);
                tile_from_run(run, len)
            }
        }
    }
}

/// Returns the first `len` positions of a run.
fn tile_from_run(run: ChainRun, len: usize) -> WalkTile {
    match run {
        ChainRun::Padding { .. } => WalkTile { start: None, counts: [1, len], strides: [0, 0] },
        ChainRun::Elements { offset, stride, .. } => {
            WalkTile { start: Some(offset), counts: [1, len], strides: [0, stride] }
        }
    }
}

/// Returns what is left of a run after its first `n` positions.
fn rest_of(run: ChainRun, n: usize) -> Option<ChainRun> {
    let len = run.len() - n;
    (len > 0).then_some(match run {
        ChainRun::Padding { .. } => ChainRun::Padding { len },
        ChainRun::Elements { offset, stride, .. } => {
            let offset = offset.wrapping_add_signed(n as isize * stride);
            ChainRun::Elements { offset, stride, len }
        }
    })
}

/// A position in a layout: in a plane of the two innermost axes.
#[derive(Clone, Debug)]
pub(crate) struct StridedCursor {
    /// The axes around the plane, and the index along each.
    outer: InlineVec<Axis>,
    at: Shape,
    /// The offset of the plane's first element.
    plane: usize,
    rows: Axis,
    cols: Axis,
    /// The indices in the plane.
    row: usize,
    col: usize,
}

impl StridedCursor {
    fn new(layout: &Layout, position: usize) -> StridedCursor {
        let unit = Axis { len: 1, stride: 0 };
        let (outer, rows, cols) = match layout.axes() {
            [] => (&[][..], unit, unit),
            [cols] => (&[][..], unit, *cols),
            [outer @ .., rows, cols] => (outer, *rows, *cols),
        };
        let lengths: Vec<usize> = outer.iter().chain([&rows, &cols]).map(|it| it.len).collect();
        let index = unravel_index(&lengths, position).expect("a position of the layout");
        let (at, inner) = index.split_at(outer.len());
        let steps = at.iter().zip(outer).map(|(&i, axis)| i as isize * axis.stride);
        let plane = layout.start().wrapping_add_signed(steps.sum());
        let (at, outer) = (at.into(), outer.into());
        StridedCursor { outer, at, plane, rows, cols, row: inner[0], col: inner[1] }
    }

    fn next(&mut self, max: usize) -> WalkTile {
        let StridedCursor { rows, cols, row, col, .. } = *self;
        let step = row as isize * rows.stride + col as isize * cols.stride;
        let start = self.plane.wrapping_add_signed(step);
        let counts = match col == 0 && max >= cols.len {
            true => [(rows.len - row).min(max / cols.len), cols.len],
            false => [1, (cols.len - col).min(max)],
        };
        self.advance(counts);
        WalkTile { start: Some(start), counts, strides: [rows.stride, cols.stride] }
    }

    /// Moves past whole rows, or past a part of one.
    fn advance(&mut self, [n_rows, n_cols]: [usize; 2]) {
        self.col += n_cols;
        if self.col == self.cols.len {
            self.col = 0;
            self.row += n_rows;
        }
        if self.row < self.rows.len {
            return;
        }
        self.row = 0;
        for (i, axis) in self.at.iter_mut().zip(&self.outer).rev() {
            *i += 1;
            self.plane = self.plane.wrapping_add_signed(axis.stride);
            if *i < axis.len {
                return;
            }
            *i = 0;
            self.plane = self.plane.wrapping_add_signed(-(axis.len as isize * axis.stride));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The offsets of a walk from a position on, in tiles of at most `max` elements.
    fn offsets(walk: &RowMajorWalk<'_>, from: usize, len: usize, max: usize) -> Vec<Option<usize>> {
        let (mut cursor, mut offsets) = (walk.cursor_at(from), Vec::new());
        while offsets.len() < len - from {
            let tile = cursor.next(max.min(len - from - offsets.len()));
            assert!((1..=max).contains(&tile.len()));
            for r in 0..tile.counts[0] as isize {
                for c in 0..tile.counts[1] as isize {
                    let step = r * tile.strides[0] + c * tile.strides[1];
                    offsets.push(tile.start.map(|it| it.wrapping_add_signed(step)));
                }
            }
        }
        offsets
    }

    #[test]
    fn tiles_are_the_offsets_in_order_from_every_position() {
        let row = |shape: &[usize]| Layout::row_major(shape).unwrap();
        let layouts = [
            Layout::scalar(3).unwrap(),
            row(&[7]),
            row(&[2, 3, 4]).permute(&[2, 0, 1]).unwrap(),
            row(&[2, 3, 4, 5]).permute(&[3, 1, 0, 2]).unwrap(),
            row(&[4, 6]).slice(&crate::s![..;-1, ..;-2]).unwrap(),
            row(&[3, 1, 2]).broadcast_to([3, 4, 2]).unwrap(),
            row(&[5, 6]).sliding_window(&[0, 1], &[3, 2]).unwrap(),
        ];
        for layout in layouts {
            let chain = Chain::new(layout.clone());
            let flat = chain.reshape([layout.len()]).unwrap();
            let padded = flat.pad(&[(2, 3)]).unwrap();
            for chain in [chain, flat, padded] {
                let (walk, truth) =
                    (RowMajorWalk::of_chain(&chain), chain.offsets().collect::<Vec<_>>());
                for (from, max) in (0..truth.len()).flat_map(|it| [(it, 1), (it, 5), (it, 100)]) {
                    let found = offsets(&walk, from, truth.len(), max);
                    assert_eq!(found, truth[from..], "{chain:?} from {from}");
                }
            }
        }
    }

    #[test]
    fn walks_and_their_tiles_are_printed_as_plans_are() {
        let layout = Layout::row_major(&[2, 3, 4]).unwrap().permute(&[2, 0, 1]).unwrap();
        let walk = RowMajorWalk::of_layout(&layout);
        assert_eq!(walk.to_string(), "4 × (1), 6 × (4) from (0)");
        assert_eq!(walk, RowMajorWalk::of_chain(&Chain::new(layout.clone())));
        let mut cursor = walk.cursor_at(5);
        assert_eq!(cursor.next(100).to_string(), "once from (20)");
        assert_eq!(cursor.next(13).to_string(), "2 × (1), 6 × (4) from (1)");
        assert_eq!(cursor.next(3).to_string(), "3 × (4) from (3)");
        let chain = Chain::new(layout).reshape([24]).unwrap().pad(&[(2, 3)]).unwrap();
        let walk = RowMajorWalk::of_chain(&chain);
        assert_eq!(
            walk.to_string(),
            "2 × padding; 3 × (4) from (0); 3 × (4) from (12); 3 × (4) from (1); 3 × (4) from (13); \
             3 × (4) from (2); 3 × (4) from (14); 3 × (4) from (3); …"
        );
        assert_eq!(walk.cursor_at(1).next(9).to_string(), "1 × padding");
        let one = Layout::scalar(3).unwrap();
        assert_eq!(RowMajorWalk::of_layout(&one).to_string(), "once from (3)");
    }
}
