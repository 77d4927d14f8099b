//! Iteration over all offsets of a layout, the reference implementation for the tests; `unravel_index`.

use crate::{InlineVec, Layout, LayoutError, Shape};

impl Layout {
    /// Iterates over all offsets in logical (row-major) order.
    ///
    /// It computes each offset from its index, without shortcuts. Everything else is tested against it.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let columns = Layout::row_major(&[2, 3])?.transpose(0, 1)?;
    /// assert!(columns.offsets().eq([0, 3, 1, 4, 2, 5]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn offsets(&self) -> Offsets<'_> {
        Offsets { layout: self, index: InlineVec::repeat(0, self.rank()), left: self.len() }
    }
}

/// An iterator over the offsets of a layout in logical order. See [`Layout::offsets`].
#[derive(Clone, Debug)]
pub struct Offsets<'a> {
    layout: &'a Layout,
    index: Shape,
    left: usize,
}

impl Iterator for Offsets<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let steps = self.index.iter().zip(self.layout.axes());
        let distance: isize = steps.map(|(&i, axis)| i as isize * axis.stride).sum();
        for (i, axis) in self.index.iter_mut().zip(self.layout.axes()).rev() {
            *i += 1;
            if *i < axis.len {
                break;
            }
            *i = 0;
        }
        Some((self.layout.start() as isize + distance) as usize)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Offsets<'_> {}

impl core::iter::FusedIterator for Offsets<'_> {}

/// Returns the index of the `flat`-th element of a shape in row-major order: NumPy's `unravel_index`.
///
/// ```
/// use belvedere_layout::unravel_index;
///
/// assert_eq!(unravel_index(&[3, 4], 5)?, [1, 1]);
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
///
/// # Errors
/// When `flat` is not less than the number of elements, or the shape is too large for a layout.
pub fn unravel_index(shape: &[usize], flat: usize) -> Result<Shape, LayoutError> {
    let n_elements = Layout::row_major(shape)?.len();
    if flat >= n_elements {
        return Err(LayoutError::PositionOutOfRange { position: flat, n_elements });
    }
    Ok(unravel(shape, flat))
}

/// Returns the index of the `flat`-th element without checking `flat`, which must be less than the
/// number of elements.
pub(crate) fn unravel(shape: &[usize], mut flat: usize) -> Shape {
    let mut index = InlineVec::repeat(0, shape.len());
    for (i, &len) in index.iter_mut().zip(shape).rev() {
        *i = flat % len;
        flat /= len;
    }
    index
}
