//! Elements in the order of their indices, a patch at a time.
//!
//! A plan walks its operands in the order that suits their strides. Where one of them is seen through
//! a chain there are no strides to go by, and the one order that all operands have in common is that
//! of the indices. A [`Walk`] gives each operand's elements in that order, from any position on, as
//! patches: a few rows that are one stride apart, of elements that are another stride apart. Where a
//! patch begins takes a few divisions; where its elements are takes none.

use super::split::{GRAIN, PIECES_PER_THREAD};
use super::{BLOCK, Layout};
use crate::{Axis, Chain, ChainRun, Shape};
use belvedere_layout::{ChainRuns, InlineVec, unravel_index};
use std::ops::Range;

/// Elements that follow one another in logical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patch {
    /// The offset of the first one; none if all of them are padding.
    pub start: Option<usize>,
    /// Rows, and elements of a row; never 0.
    pub counts: [usize; 2],
    /// How far apart rows are, and the elements of a row.
    pub strides: [isize; 2],
}

impl Patch {
    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        self.counts[0] * self.counts[1]
    }

    /// Where it begins, if it is elements that lie one behind the other.
    pub(crate) fn block(&self) -> Option<usize> {
        let [rows, cols] = self.counts;
        self.start.filter(|_| rows == 1 && (cols == 1 || self.strides[1] == 1))
    }
}

/// The order in which the elements of an operand follow one another.
#[derive(Clone, Debug)]
pub(crate) enum Walk<'a> {
    /// That of a layout with the fewest axes.
    Strided(Layout),
    /// That of a chain which is no layout.
    Chained(&'a Chain),
}

impl<'a> Walk<'a> {
    /// The walk over a layout.
    pub(crate) fn of_layout(layout: &Layout) -> Walk<'a> {
        Walk::Strided(layout.coalesced())
    }

    /// The walk over a chain.
    pub(crate) fn of_chain(chain: &'a Chain) -> Walk<'a> {
        match chain.as_layout_up_to_reshape() {
            Some(layout) => Walk::Strided(layout.coalesced()),
            None => Walk::Chained(chain),
        }
    }

    /// Whether it stands still: all of its elements are one, or padding.
    pub(crate) fn is_still(&self) -> bool {
        match self {
            Walk::Strided(layout) => layout.axes().iter().all(|axis| axis.stride == 0),
            Walk::Chained(chain) => chain.base().is_none(),
        }
    }

    /// The patches from a position on, which there must be.
    pub(crate) fn patches_from(&self, position: usize) -> Patches<'_> {
        match self {
            Walk::Strided(layout) => Patches::Rows(Rows::from(layout, position)),
            Walk::Chained(chain) => Patches::Runs { runs: chain.runs_from(position), rest: None },
        }
    }
}

/// Where a walk is.
#[derive(Clone, Debug)]
pub(crate) enum Patches<'a> {
    Rows(Rows),
    Runs { runs: ChainRuns<'a>, rest: Option<ChainRun> },
}

impl Patches<'_> {
    /// The next elements: at most so many, at least one. There must be some left.
    pub(crate) fn next(&mut self, most: usize) -> Patch {
        match self {
            Patches::Rows(rows) => rows.next(most),
            Patches::Runs { runs, rest } => {
                let run = rest.take().or_else(|| runs.next()).expect("elements are left");
                let len = run.len().min(most);
                *rest = behind(run, len);
                match run {
                    ChainRun::Padding { .. } => {
                        Patch { start: None, counts: [1, len], strides: [0, 0] }
                    }
                    ChainRun::Elements { offset, stride, .. } => {
                        Patch { start: Some(offset), counts: [1, len], strides: [0, stride] }
                    }
                }
            }
        }
    }
}

/// What is left of a run behind its first `n` positions.
fn behind(run: ChainRun, n: usize) -> Option<ChainRun> {
    let len = run.len() - n;
    (len > 0).then_some(match run {
        ChainRun::Padding { .. } => ChainRun::Padding { len },
        ChainRun::Elements { offset, stride, .. } => {
            let offset = offset.wrapping_add_signed(n as isize * stride);
            ChainRun::Elements { offset, stride, len }
        }
    })
}

/// Where a walk over a layout is: in a plane of the two innermost axes.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// The axes around the plane, and the position along each.
    outer: InlineVec<Axis>,
    at: Shape,
    /// The offset of the plane's first element.
    plane: usize,
    rows: Axis,
    cols: Axis,
    /// The position in the plane.
    row: usize,
    col: usize,
}

impl Rows {
    fn from(layout: &Layout, position: usize) -> Rows {
        let once = Axis { len: 1, stride: 0 };
        let (outer, rows, cols) = match layout.axes() {
            [] => (&[][..], once, once),
            [cols] => (&[][..], once, *cols),
            [outer @ .., rows, cols] => (outer, *rows, *cols),
        };
        let lengths: Vec<usize> = outer.iter().chain([&rows, &cols]).map(|it| it.len).collect();
        let index = unravel_index(&lengths, position).expect("a position of the layout");
        let (at, inner) = index.split_at(outer.len());
        let steps = at.iter().zip(outer).map(|(&i, axis)| i as isize * axis.stride);
        let plane = layout.start().wrapping_add_signed(steps.sum());
        let (at, outer) = (at.into(), outer.into());
        Rows { outer, at, plane, rows, cols, row: inner[0], col: inner[1] }
    }

    fn next(&mut self, most: usize) -> Patch {
        let Rows { rows, cols, row, col, .. } = *self;
        let step = row as isize * rows.stride + col as isize * cols.stride;
        let start = self.plane.wrapping_add_signed(step);
        let counts = match col == 0 && most >= cols.len {
            true => [(rows.len - row).min(most / cols.len), cols.len],
            false => [1, (cols.len - col).min(most)],
        };
        self.advance(counts);
        Patch { start: Some(start), counts, strides: [rows.stride, cols.stride] }
    }

    /// Goes on behind whole rows, or behind a part of one.
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

/// Into how many ranges of positions it pays to cut a walk for so many threads.
pub(crate) fn n_ranges(len: usize, n_threads: usize) -> usize {
    if n_threads <= 1 || len < 2 * GRAIN {
        return 1;
    }
    (len / GRAIN).min(n_threads * PIECES_PER_THREAD)
}

/// Range `i` of `n` that are all of the positions: whole blocks, but for the last one's end.
pub(crate) fn range(len: usize, i: usize, n: usize) -> Range<usize> {
    let n_blocks = len.div_ceil(BLOCK);
    let cut = |i: usize| (n_blocks * i / n * BLOCK).min(len);
    cut(i)..cut(i + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The offsets of a walk from a position on, in patches of at most so many.
    fn offsets(walk: &Walk<'_>, from: usize, len: usize, most: usize) -> Vec<Option<usize>> {
        let (mut patches, mut offsets) = (walk.patches_from(from), Vec::new());
        while offsets.len() < len - from {
            let patch = patches.next(most.min(len - from - offsets.len()));
            assert!((1..=most).contains(&patch.len()));
            for r in 0..patch.counts[0] as isize {
                for c in 0..patch.counts[1] as isize {
                    let step = r * patch.strides[0] + c * patch.strides[1];
                    offsets.push(patch.start.map(|it| it.wrapping_add_signed(step)));
                }
            }
        }
        offsets
    }

    #[test]
    fn patches_are_the_offsets_in_order_from_anywhere() {
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
                let (walk, truth) = (Walk::of_chain(&chain), chain.offsets().collect::<Vec<_>>());
                for (from, most) in (0..truth.len()).flat_map(|it| [(it, 1), (it, 5), (it, 100)]) {
                    let found = offsets(&walk, from, truth.len(), most);
                    assert_eq!(found, truth[from..], "{chain:?} from {from}");
                }
            }
        }
    }

    #[test]
    fn ranges_are_everything_once() {
        for len in [1, BLOCK, 100 * BLOCK + 17, 3 * GRAIN] {
            for n in 1..10 {
                let ends: Vec<_> = (0..n).map(|i| range(len, i, n)).collect();
                assert_eq!((ends[0].start, ends[n - 1].end), (0, len));
                assert!(ends.windows(2).all(|it| it[0].end == it[1].start));
            }
        }
        assert_eq!(
            (n_ranges(GRAIN, 8), n_ranges(100 * GRAIN, 1), n_ranges(3 * GRAIN, 2)),
            (1, 1, 3)
        );
    }
}
