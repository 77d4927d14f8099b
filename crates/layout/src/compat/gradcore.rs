//! The limits of GradCore-Tensor, for ported code that relies on its errors.
//!
//! GradCore has no scalars, no lengths of 0 and no more than ten axes, and reshapes contiguous
//! tensors only ([`Layout::reshape_contiguous`]). [`Layout`] has none of these limits.

use crate::{Layout, LayoutError};

/// The largest number of axes of a GradCore tensor.
pub const MAX_TENSOR_DIMS: usize = 10;

/// Creates the row-major layout of a GradCore tensor: `tensor_create`.
///
/// ```
/// use belvedere_layout::compat::gradcore;
///
/// assert_eq!(gradcore::create(&[3, 4])?.strides(), [4, 1]);
/// assert!(gradcore::create(&[]).is_err());
/// assert!(gradcore::create(&[3, 0]).is_err());
/// assert!(gradcore::create(&[1; 11]).is_err());
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
///
/// # Errors
/// When there are no axes, more than [`MAX_TENSOR_DIMS`] axes, or an axis of length 0.
pub fn create(shape: &[usize]) -> Result<Layout, LayoutError> {
    let rank = shape.len();
    if !(1..=MAX_TENSOR_DIMS).contains(&rank) {
        let (operation, least, most) = ("tensor_create", 1, MAX_TENSOR_DIMS);
        return Err(LayoutError::WrongRank { operation, least, most, rank });
    }
    if let Some(axis) = shape.iter().position(|&len| len == 0) {
        return Err(LayoutError::Zero { what: "length", axis });
    }
    Layout::row_major(shape)
}
