//! `FlattenMap`: the index map of SKaiNET's flatten view.

use crate::offsets::unravel;
use crate::{InlineVec, Layout, LayoutError, Reshape, Shape, Strides};

/// The map from an index of a flattened layout to the index of its parent.
///
/// It exists for every parent. [`strides`](FlattenMap::strides) is `None` if the flattened layout is
/// not a strided view of the parent. Indices are in row-major order, as everywhere in the crate.
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
    /// Creates the map that flattens axes `start` to `end` (inclusive) of `parent`.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, compat::FlattenMap};
    /// let map = FlattenMap::new(&Layout::row_major(&[2, 3, 4])?, 0, 1)?;
    /// assert_eq!(map.shape(), [6, 4]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Layout::flatten`].
    pub fn new(parent: &Layout, start: isize, end: isize) -> Result<FlattenMap, LayoutError> {
        let shape = parent.flattened_shape(start, end)?;
        let flattened = parent.reshape_to(&shape)?;
        let first = if parent.rank() == 0 { 0 } else { parent.resolve_axis(start)? };
        Ok(FlattenMap { parent: parent.clone(), flattened, shape, first })
    }

    /// Returns the flattened shape.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, compat::FlattenMap};
    /// assert_eq!(FlattenMap::new(&Layout::row_major(&[2, 3, 4])?, 0, -1)?.shape(), [24]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Converts `child`, an index of the flattened shape, to the index of the same element in the
    /// parent.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, compat::FlattenMap};
    /// let map = FlattenMap::new(&Layout::row_major(&[2, 3, 4])?, 1, 2)?;
    /// assert_eq!(map.to_parent(&[1, 7])?, [1, 1, 3]);
    /// assert!(map.to_parent(&[1, 12]).is_err());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the number of indices is not the rank, or an index is out of range.
    pub fn to_parent(&self, child: &[usize]) -> Result<Shape, LayoutError> {
        Layout::row_major(&self.shape)?.offset(child)?;
        let n_merged = (self.parent.rank() + 1) - self.shape.len();
        let lengths = self.parent.shape();
        let merged = &lengths[self.first..self.first + n_merged];
        let mut index: Shape = InlineVec::from(&child[..self.first]);
        unravel(merged, child[self.first]).iter().for_each(|&i| index.push(i));
        child[self.first + 1..].iter().for_each(|&i| index.push(i));
        Ok(index)
    }

    /// Returns the strides of the flattened layout, or `None` if it is not a strided view.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, compat::FlattenMap};
    /// let rows = Layout::row_major(&[3, 4])?;
    /// assert_eq!(FlattenMap::new(&rows, 0, 1)?.strides().unwrap(), [1]);
    /// assert_eq!(FlattenMap::new(&rows.t()?, 0, 1)?.strides(), None);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn strides(&self) -> Option<Strides> {
        match &self.flattened {
            Reshape::View(view) => Some(view.strides()),
            Reshape::Copy { .. } => None,
        }
    }

    /// Returns whether the flattened layout is a contiguous view.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, compat::FlattenMap};
    /// let rows = Layout::row_major(&[3, 4])?;
    /// assert!(FlattenMap::new(&rows, 0, 1)?.is_contiguous());
    /// assert!(!FlattenMap::new(&rows.t()?, 0, 1)?.is_contiguous());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn is_contiguous(&self) -> bool {
        matches!(&self.flattened, Reshape::View(view) if view.is_contiguous())
    }
}
