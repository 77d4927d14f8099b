//! SKaiNET's flatten view: from an index of the flattened shape back to one of the parent.

use crate::offsets::unravel;
use crate::{InlineVec, Layout, LayoutError, Reshape, Shape, Strides};

/// The way from an index of a flattened layout back to an index of its parent.
///
/// It exists for every parent; where the parent's strides allow it, the flattened layout has strides
/// of its own, and where they do not, [`strides`](FlattenMap::strides) is `None`. The digits are taken
/// from the last axis backwards: row-major, as everywhere else.
///
/// ```
/// use belvedere_layout::{Layout, compat::FlattenMap};
///
/// let map = FlattenMap::new(&Layout::row_major(&[2, 3, 4, 5])?, 1, 3)?;
/// assert_eq!(map.shape(), [2, 60]);
/// assert_eq!(map.to_parent(&[1, 25])?, [1, 1, 1, 0]);
/// assert_eq!(map.strides().unwrap(), [60, 1]);
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlattenMap {
    parent: Layout,
    flattened: Reshape,
    shape: Shape,
    first: usize,
}

impl FlattenMap {
    /// The map for axes `start` to `end` of `parent`, both included.
    ///
    /// # Errors
    /// As for [`Layout::flatten`].
    pub fn new(parent: &Layout, start: isize, end: isize) -> Result<FlattenMap, LayoutError> {
        let shape = parent.flattened_shape(start, end)?;
        let flattened = parent.reshape_to(&shape)?;
        let first = if parent.rank() == 0 { 0 } else { parent.resolve_axis(start)? };
        Ok(FlattenMap { parent: parent.clone(), flattened, shape, first })
    }

    /// The flattened shape.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The index of the parent's element that `child`, an index of the flattened shape, stands for.
    ///
    /// # Errors
    /// When there are not as many indices as axes, or one is out of range.
    pub fn to_parent(&self, child: &[usize]) -> Result<Shape, LayoutError> {
        Layout::row_major(&self.shape)?.offset(child)?;
        let n_joined = (self.parent.rank() + 1) - self.shape.len();
        let lengths = self.parent.shape();
        let joined = &lengths[self.first..self.first + n_joined];
        let mut index: Shape = InlineVec::from(&child[..self.first]);
        unravel(joined, child[self.first]).iter().for_each(|&i| index.push(i));
        child[self.first + 1..].iter().for_each(|&i| index.push(i));
        Ok(index)
    }

    /// The strides of the flattened layout, when it has any.
    pub fn strides(&self) -> Option<Strides> {
        match &self.flattened {
            Reshape::View(view) => Some(view.strides()),
            Reshape::Copy { .. } => None,
        }
    }

    /// Whether the flattened layout is contiguous.
    pub fn is_contiguous(&self) -> bool {
        matches!(&self.flattened, Reshape::View(view) if view.is_contiguous())
    }
}
