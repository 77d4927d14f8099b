//! Broadcasting: axes that repeat their elements with a stride of 0.

use crate::layout::{check_lengths, check_rank};
use crate::{Axis, InlineVec, Integers, Layout, LayoutError, Shape};
use alloc::vec::Vec;

impl Layout {
    /// Broadcasts the layout to a larger shape: axes of length 1 and new leading axes get stride 0.
    ///
    /// A length of -1 keeps the length of the axis.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let column = Layout::row_major(&[3, 1])?;
    /// let table = column.broadcast_to([3, 4])?;
    /// assert_eq!(table.strides(), [1, 0]);
    /// assert_eq!(column.broadcast_to([2, -1, 4])?.shape(), [2, 3, 4]);
    ///
    /// let error = column.broadcast_to([2, 4]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "axis 0 of length 3 does not broadcast to 2"
    /// );
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the shape has fewer axes than the layout, a length other than 1 differs, or the result has
    /// too many elements.
    #[inline]
    pub fn broadcast_to(&self, shape: impl Integers) -> Result<Layout, LayoutError> {
        let n_lengths = shape.n_integers();
        check_rank(n_lengths)?;
        let Some(n_new) = n_lengths.checked_sub(self.rank()) else {
            let (rank, wanted) = (self.rank(), n_lengths);
            return Err(LayoutError::BroadcastRank { operand: None, rank, wanted });
        };
        if let Some(wanted) = shape.as_lengths() {
            return self.expand(wanted, None);
        }
        let mut wanted = InlineVec::repeat(1, n_lengths);
        for (axis, wanted) in wanted.iter_mut().enumerate() {
            *wanted = match shape.length_at(axis) {
                Some(known) => known,
                None => match shape.given_at(axis) {
                    -1 if axis >= n_new => self.axes()[axis - n_new].len,
                    -1 => return Err(LayoutError::NothingToKeep { axis }),
                    len => return Err(LayoutError::NegativeLength { axis, len }),
                },
            };
        }
        self.expand(&wanted, None)
    }

    /// Broadcasts to `shape`, which has at least as many axes; `operand` is its number in errors.
    #[inline]
    fn expand(&self, shape: &[usize], operand: Option<usize>) -> Result<Layout, LayoutError> {
        check_lengths(shape)?;
        let n_new = shape.len() - self.rank();
        let from = self.axes();
        for (axis, (&wanted, &Axis { len, .. })) in shape[n_new..].iter().zip(from).enumerate() {
            if len != wanted && len != 1 {
                return Err(LayoutError::DoesNotBroadcast { operand, axis, len, wanted });
            }
        }
        let is_empty = shape.contains(&0);
        let axes = InlineVec::from_fn(shape.len(), move |k| {
            let len = shape[k];
            let repeats = k < n_new || from[k - n_new].len != len;
            Axis { len, stride: if repeats { 0 } else { from[k - n_new].stride } }
                .canonical_if_empty(is_empty)
        });
        Ok(Layout::with_axes(if is_empty { 0 } else { self.start() }, axes))
    }
}

/// Returns the shape that several shapes broadcast to: aligned at the last axis, lengths are equal or
/// 1.
///
/// ```
/// use belvedere_layout::broadcast_shapes;
///
/// assert_eq!(broadcast_shapes(&[&[5, 1, 4], &[3, 1]])?, [5, 3, 4]);
/// assert_eq!(broadcast_shapes(&[&[1, 3], &[0, 3]])?, [0, 3]);
///
/// let error = broadcast_shapes(&[&[2, 3], &[2]]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "axis 0 of length 2 of operand 1 does not broadcast to 3"
/// );
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
///
/// # Errors
/// When two lengths differ and neither is 1 (the error names the first operand that is incompatible
/// with those before it), or the common shape is too large.
pub fn broadcast_shapes(shapes: &[&[usize]]) -> Result<Shape, LayoutError> {
    let rank = shapes.iter().map(|it| it.len()).max().unwrap_or(0);
    check_rank(rank)?;
    let mut common = InlineVec::repeat(1, rank);
    for (operand, shape) in shapes.iter().enumerate().map(|(n, shape)| (Some(n), shape)) {
        let n_new = rank - shape.len();
        for (axis, (to, &len)) in common[n_new..].iter_mut().zip(*shape).enumerate() {
            if *to == 1 {
                *to = len;
            } else if len != 1 && len != *to {
                let wanted = *to;
                return Err(LayoutError::DoesNotBroadcast { operand, axis, len, wanted });
            }
        }
    }
    check_lengths(&common)?;
    Ok(common)
}

/// Broadcasts several layouts to their common shape.
///
/// ```
/// use belvedere_layout::{Layout, broadcast};
///
/// let batch = Layout::row_major(&[32, 128])?;
/// let bias = Layout::row_major(&[128])?;
/// let both = broadcast(&[&batch, &bias])?;
/// assert_eq!(both[0], batch);
/// assert_eq!(both[1].strides(), [0, 1]);
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
///
/// # Errors
/// As for [`broadcast_shapes`].
pub fn broadcast(layouts: &[&Layout]) -> Result<Vec<Layout>, LayoutError> {
    let shapes: Vec<Shape> = layouts.iter().map(|it| it.shape()).collect();
    let slices: Vec<&[usize]> = shapes.iter().map(|it| &it[..]).collect();
    let common = broadcast_shapes(&slices)?;
    let numbered = layouts.iter().enumerate();
    numbered.map(|(operand, layout)| layout.expand(&common, Some(operand))).collect()
}
