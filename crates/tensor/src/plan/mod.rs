#![doc = include_str!("README.md")]

mod cost;
mod fuse;
mod loops;
mod order;
mod output;
mod patch;
mod relay;
mod split;
mod tile;
mod way;

pub use cost::{Estimate, WORTH_ASKING, Width};
pub(crate) use cost::{compact, copy_layout};
pub use loops::{Loop, Loops};
pub use output::output_layout;
pub(crate) use patch::{Patch, Patches, Walk, n_ranges, range};
pub(crate) use relay::{Relay, SHEET, STRETCH, Sheet};
pub(crate) use split::{GRAIN, PIECES_PER_THREAD};
pub use tile::Tile;
pub use way::Way;

use crate::{Error, Layout};
use std::fmt;

/// How many elements of a tile are worked on at once: few enough that the tiles of all operands stay
/// in the first-level cache, also if an element has sixteen bytes.
pub const BLOCK: usize = 1024;

/// The bytes that memory moves at once.
pub const CACHE_LINE: usize = 64;

/// The loops that visit the elements of `N` layouts of one shape together, each index once.
///
/// A plan touches no memory: it can be printed, compared and tested without data. Operand 0 is the
/// one that is written.
///
/// ```
/// use belvedere::{Layout, plan::Plan};
///
/// let out = Layout::row_major(&[2, 3, 4])?;
/// let flipped = out.flip(&[0, 1, 2])?;
/// let plan = Plan::elementwise([&out, &flipped], [4, 4])?;
/// assert_eq!(plan.loops().len(), 1, "three axes are one loop");
/// assert_eq!(plan.to_string(), "24 × (1, -1) from (0, 23)");
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan<const N: usize> {
    starts: [usize; N],
    loops: Loops<N>,
    tile: Tile,
}

impl<const N: usize> Plan<N> {
    /// Plans a walk in any order, for elements of so many bytes.
    ///
    /// # Errors
    /// If the layouts differ in shape.
    pub fn elementwise(layouts: [&Layout; N], sizes: [usize; N]) -> Result<Plan<N>, Error> {
        let mut plan = Plan::in_index_order(layouts)?;
        plan.drop_single_turns();
        plan.walk_forwards();
        plan.sort_outermost_first(sizes);
        plan.fuse_neighbours();
        plan.fuse_apart();
        plan.choose_tile(sizes);
        Ok(plan)
    }

    /// Plans a walk in the order of the addresses of operand 0, or in the reverse of it.
    ///
    /// That is the order if each of its strides reaches beyond all that the smaller ones reach.
    ///
    /// # Errors
    /// If the layouts differ in shape.
    pub fn by_address(layouts: [&Layout; N], backwards: bool) -> Result<Plan<N>, Error> {
        let mut plan = Plan::in_index_order(layouts)?;
        plan.drop_single_turns();
        plan.walk_forwards();
        plan.loops.sort_by_key(|it| std::cmp::Reverse(it.steps[0]));
        plan.fuse_neighbours();
        if backwards && !plan.is_empty() {
            for k in 0..plan.loops.len() {
                plan.turn_round(k);
            }
        }
        plan.tile = Tile::of_rows(&plan.loops);
        Ok(plan)
    }

    /// Plans a walk in the order of the indices, the last axis fastest.
    ///
    /// # Errors
    /// If the layouts differ in shape.
    pub fn in_order(layouts: [&Layout; N]) -> Result<Plan<N>, Error> {
        let mut plan = Plan::in_index_order(layouts)?;
        plan.drop_single_turns();
        plan.fuse_neighbours();
        plan.tile = Tile::of_rows(&plan.loops);
        Ok(plan)
    }

    /// One loop for each axis.
    fn in_index_order(layouts: [&Layout; N]) -> Result<Plan<N>, Error> {
        const { assert!(N > 0, "a plan is for at least one layout") };
        let first = layouts[0].axes();
        for layout in &layouts[1..] {
            if !first.iter().map(|axis| axis.len).eq(layout.axes().iter().map(|axis| axis.len)) {
                let (needed, given) = (layouts[0].shape().into(), layout.shape().into());
                return Err(Error::ShapeMismatch { op: "plan", needed, given });
            }
        }
        let axes = layouts.map(|layout| layout.axes());
        let loops = (0..first.len())
            .map(|k| Loop { len: first[k].len, steps: std::array::from_fn(|n| axes[n][k].stride) });
        Ok(Plan {
            starts: layouts.map(|layout| layout.start()),
            loops: loops.collect(),
            tile: Tile { rows: 1, cols: 1 },
        })
    }

    fn drop_single_turns(&mut self) {
        if self.loops.iter().any(|it| it.len == 1) {
            self.loops.retain(|it| it.len != 1);
        }
    }

    /// Turns the loops round in which the output, or the first operand that moves, walks backwards.
    ///
    /// Memory is read ahead in the direction of rising addresses, and axes that were flipped in all
    /// operands fuse again.
    fn walk_forwards(&mut self) {
        if self.is_empty() {
            return;
        }
        for k in 0..self.loops.len() {
            let leading = self.loops[k].steps.iter().copied().find(|&step| step != 0);
            if leading.is_some_and(|step| step < 0) {
                self.turn_round(k);
            }
        }
    }

    /// Walks a loop from its last turn to its first.
    fn turn_round(&mut self, k: usize) {
        let it = &mut self.loops[k];
        for (start, step) in self.starts.iter_mut().zip(&mut it.steps) {
            *start = start.wrapping_add_signed(*step * (it.len as isize - 1));
            *step = -*step;
        }
    }

    /// Where each operand begins.
    pub fn starts(&self) -> [usize; N] {
        self.starts
    }

    /// The loops, outermost first.
    pub fn loops(&self) -> &[Loop<N>] {
        &self.loops
    }

    /// The part of the two innermost loops that is worked on at once.
    pub fn tile(&self) -> Tile {
        self.tile
    }

    /// How many elements are visited.
    pub fn len(&self) -> usize {
        self.loops.iter().map(|it| it.len).product()
    }

    /// Whether nothing is visited.
    pub fn is_empty(&self) -> bool {
        self.loops.iter().any(|it| it.len == 0)
    }

    /// Every tuple of offsets in the order of the walk, one by one: the slow truth about a plan.
    pub fn offsets(&self) -> impl Iterator<Item = [usize; N]> {
        let lengths: Vec<usize> = self.loops.iter().map(|it| it.len).collect();
        (0..self.len()).map(move |flat| {
            let mut rest = flat;
            let mut at = self.starts;
            for (k, it) in self.loops.iter().enumerate().rev() {
                let i = (rest % lengths[k]) as isize;
                rest /= lengths[k];
                for (at, step) in at.iter_mut().zip(it.steps) {
                    *at = at.wrapping_add_signed(i * step);
                }
            }
            at
        })
    }
}

impl<const N: usize> fmt::Display for Plan<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, it) in self.loops.iter().enumerate() {
            write!(f, "{}{} × ", if k == 0 { "" } else { ", " }, it.len)?;
            write_tuple(f, &it.steps)?;
        }
        f.write_str(if self.loops.is_empty() { "once " } else { " " })?;
        f.write_str("from ")?;
        write_tuple(f, &self.starts)
    }
}

fn write_tuple(f: &mut fmt::Formatter<'_>, items: &[impl fmt::Display]) -> fmt::Result {
    f.write_str("(")?;
    for (n, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if n == 0 { "" } else { ", " })?;
    }
    f.write_str(")")
}
