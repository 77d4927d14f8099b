#![doc = include_str!("README.md")]

mod access;
mod cost;
mod loops;
mod nest;
mod order;
mod output;
mod row_major;
mod split;
mod tile;
mod tiled_copy;

pub use access::Access;
pub use cost::{ESTIMATE_MIN_ELEMENTS, Estimate, Width};
pub(crate) use cost::{compact, copy_layout};
pub use loops::Loop;
pub(crate) use loops::Loops;
pub(crate) use nest::{LoopNest, row_major_steps};
pub(crate) use output::is_inside;
pub use output::output_layout;
pub(crate) use row_major::{RowMajorWalk, WalkCursor, WalkTile};
pub(crate) use split::{PRODUCTS_PER_ELEMENT, SERIAL_ELEMENTS, piece_of, pieces_for, threads_for};
pub use tile::Tile;
pub use tiled_copy::{CopyTile, TiledCopy};
pub(crate) use tiled_copy::{LINE_GROUP_BYTES, TILE_BUFFER_BYTES};

use crate::arrays::array_of;
use crate::{Error, Layout};
use std::fmt;

/// Elements of a tile: few enough that the tiles of all operands stay in the first-level cache, also if
/// an element has sixteen bytes.
pub const BLOCK_ELEMENTS: usize = 1024;

/// Bytes of a cache line.
pub const CACHE_LINE_BYTES: usize = 64;

/// The loops that visit the elements of `N` layouts of one shape together, each index once.
///
/// A plan touches no memory: it can be printed, compared and tested without data. Operand 0 is one
/// that is written.
///
/// ```
/// use belvedere::{Layout, plan::Plan};
///
/// let out = Layout::row_major(&[2, 3, 4])?;
/// let flipped = out.flip(&[0, 1, 2])?;
/// let plan = Plan::elementwise([&out, &flipped], [4, 4])?;
/// assert_eq!(plan.loops().len(), 1, "three axes are fused to one loop");
/// assert_eq!(plan.to_string(), "24 × (1, -1) from (0, 23)");
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan<const N: usize> {
    nest: LoopNest<N>,
    tile: Tile,
}

impl<const N: usize> Plan<N> {
    /// Plans loops in the order that suits the layouts best, for elements of `sizes` bytes.
    ///
    /// ```
    /// use belvedere::{Layout, plan::Plan};
    ///
    /// let x = Layout::col_major(&[2, 3])?;
    /// let plan = Plan::elementwise([&x, &x], [4, 4])?;
    /// assert_eq!(plan.to_string(), "6 × (1, 1) from (0, 0)");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the layouts differ in shape.
    pub fn elementwise(layouts: [&Layout; N], sizes: [usize; N]) -> Result<Plan<N>, Error> {
        let mut plan = Plan::one_loop_per_axis(layouts)?;
        plan.nest.drop_unit_loops();
        plan.orient_forwards(0);
        plan.sort_outermost_first(sizes);
        plan.nest.fuse_adjacent();
        plan.nest.fuse_nonadjacent();
        plan.choose_tile(sizes);
        Ok(plan)
    }

    /// Plans loops in the order of the addresses of operand 0, or in the reverse of it.
    ///
    /// The loops are in that order if each stride of operand 0 is greater than the extent of all smaller
    /// ones together.
    ///
    /// ```
    /// use belvedere::{Layout, plan::Plan};
    ///
    /// let x = Layout::row_major(&[2, 3])?;
    /// let plan = Plan::by_address([&x, &x], true)?;
    /// assert_eq!(plan.to_string(), "6 × (-1, -1) from (5, 5)");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the layouts differ in shape.
    pub fn by_address(layouts: [&Layout; N], backwards: bool) -> Result<Plan<N>, Error> {
        Plan::by_address_of(0, layouts, backwards)
    }

    /// Like [`Plan::by_address`], for the addresses of operand `n`.
    pub(crate) fn by_address_of(
        n: usize,
        layouts: [&Layout; N],
        backwards: bool,
    ) -> Result<Plan<N>, Error> {
        let mut plan = Plan::one_loop_per_axis(layouts)?;
        plan.nest.drop_unit_loops();
        plan.orient_forwards(n);
        plan.nest.loops.sort_by_key(|it| std::cmp::Reverse(it.steps[n]));
        plan.nest.fuse_adjacent();
        if backwards && !plan.is_empty() {
            for k in 0..plan.loops().len() {
                plan.nest.reverse(k);
            }
        }
        plan.tile = Tile::of_rows(plan.loops());
        Ok(plan)
    }

    /// Plans loops in the order of the indices, the last axis fastest.
    ///
    /// ```
    /// use belvedere::{Layout, plan::Plan};
    ///
    /// let x = Layout::col_major(&[2, 3])?;
    /// let plan = Plan::in_order([&x])?;
    /// assert_eq!(plan.to_string(), "2 × (1), 3 × (2) from (0)");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the layouts differ in shape.
    pub fn in_order(layouts: [&Layout; N]) -> Result<Plan<N>, Error> {
        let mut plan = Plan::one_loop_per_axis(layouts)?;
        plan.nest.drop_unit_loops();
        plan.nest.fuse_adjacent();
        plan.tile = Tile::of_rows(plan.loops());
        Ok(plan)
    }

    fn one_loop_per_axis(layouts: [&Layout; N]) -> Result<Plan<N>, Error> {
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
            .map(|k| Loop { len: first[k].len, steps: array_of(|n| axes[n][k].stride) });
        let nest = LoopNest::new(layouts.map(|layout| layout.start() as isize), loops);
        Ok(Plan { nest, tile: Tile { rows: 1, cols: 1 } })
    }

    /// Reverses the loops in which operand `n`, or the first one after it with a step other than 0, moves
    /// backwards.
    ///
    /// Hardware prefetchers follow rising addresses best, and axes that were flipped in all operands fuse
    /// again.
    fn orient_forwards(&mut self, n: usize) {
        if self.is_empty() {
            return;
        }
        for k in 0..self.loops().len() {
            let leading = self.loops()[k].steps[n..].iter().copied().find(|&step| step != 0);
            if leading.is_some_and(|step| step < 0) {
                self.nest.reverse(k);
            }
        }
    }

    /// Returns the offset of the first element of each operand.
    ///
    /// ```
    /// use belvedere::{Layout, plan::Plan};
    ///
    /// let x = Layout::row_major(&[4])?;
    /// let plan = Plan::elementwise([&x, &x.flip(&[0])?], [4, 4])?;
    /// assert_eq!(plan.starts(), [0, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn starts(&self) -> [usize; N] {
        self.nest.starts.map(|start| start as usize)
    }

    /// Returns the loops, outermost first.
    ///
    /// ```
    /// use belvedere::{Layout, plan::Plan};
    ///
    /// let row = Layout::row_major(&[3])?.broadcast_to([2, 3])?;
    /// let plan = Plan::elementwise([&Layout::row_major(&[2, 3])?, &row], [4, 4])?;
    /// let loops: Vec<_> = plan.loops().iter().map(|it| (it.len, it.steps)).collect();
    /// assert_eq!(loops, [(2, [3, 0]), (3, [1, 1])]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn loops(&self) -> &[Loop<N>] {
        &self.nest.loops
    }

    /// Returns the loops with the offsets at which they begin.
    pub(crate) fn nest(&self) -> &LoopNest<N> {
        &self.nest
    }

    /// Returns the tile: the part of the two innermost loops that is worked on at once.
    ///
    /// ```
    /// use belvedere::{Layout, plan::{Plan, Tile}};
    ///
    /// let x = Layout::row_major(&[512, 512])?;
    /// let plan = Plan::elementwise([&x, &x.t()?], [4, 4])?;
    /// assert_eq!(plan.tile(), Tile { rows: 32, cols: 32 });
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn tile(&self) -> Tile {
        self.tile
    }

    /// Returns the number of indices that are visited.
    ///
    /// ```
    /// use belvedere::{Layout, plan::Plan};
    ///
    /// let x = Layout::row_major(&[2, 3])?;
    /// assert_eq!(Plan::in_order([&x])?.len(), 6);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.loops().iter().map(|it| it.len).product()
    }

    /// Returns whether no index is visited.
    ///
    /// ```
    /// use belvedere::{Layout, plan::Plan};
    ///
    /// let x = Layout::row_major(&[2, 0])?;
    /// assert!(Plan::in_order([&x])?.is_empty());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.nest.is_empty()
    }

    /// Returns the offsets of all operands for every index, in the order of the loops, one index at a
    /// time: the definition of what a plan visits.
    ///
    /// ```
    /// use belvedere::{Layout, plan::Plan};
    ///
    /// let x = Layout::row_major(&[3])?;
    /// let plan = Plan::in_order([&x, &x.flip(&[0])?])?;
    /// assert_eq!(plan.offsets().collect::<Vec<_>>(), [[0, 2], [1, 1], [2, 0]]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn offsets(&self) -> impl Iterator<Item = [usize; N]> {
        (0..self.len()).map(|i| self.nest.offsets_at(i).map(|at| at as usize))
    }
}

/// `2 × (3, -3), 3 × (1, 1) from (0, 3)`: trip counts and steps, outermost first, and starts.
impl<const N: usize> fmt::Display for Plan<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.nest.fmt(f)
    }
}
