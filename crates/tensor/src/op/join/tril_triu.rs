//! `tril`, `triu` and their indices.

use crate::trace::{Call, composite};
use crate::{Error, LayoutError, Tensor, where_};

impl Tensor {
    /// Returns the lower triangle of the last two axes, with zeros above `diagonal`.
    ///
    /// Diagonal 0 is the main one; positive diagonals are above it.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.tril(0)?.to_vec::<i32>()?, [1, 0, 0, 4, 5, 0]);
    /// assert_eq!(x.tril(1)?.to_vec::<i32>()?, [1, 2, 0, 4, 5, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if there are fewer than two axes, or memory cannot be allocated.
    ///
    /// # Memory
    /// The result is a new tensor.
    #[track_caller]
    pub fn tril(&self, diagonal: isize) -> Result<Tensor, Error> {
        let params = [("k", diagonal.into())];
        let call = Call::new("tril").with(&params);
        composite(call, &[self.into()], || {
            let (rows, cols) = matrix_shape(call.op, self)?;
            where_(lower_mask(rows, cols, diagonal)?, self, false)
        })
    }

    /// Returns the upper triangle of the last two axes, with zeros below `diagonal`.
    ///
    /// Diagonal 0 is the main one; positive diagonals are above it.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.triu(0)?.to_vec::<i32>()?, [1, 2, 3, 0, 5, 6]);
    /// assert_eq!(x.triu(1)?.to_vec::<i32>()?, [0, 2, 3, 0, 0, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if there are fewer than two axes, or memory cannot be allocated.
    ///
    /// # Memory
    /// The result is a new tensor.
    #[track_caller]
    pub fn triu(&self, diagonal: isize) -> Result<Tensor, Error> {
        let params = [("k", diagonal.into())];
        let call = Call::new("triu").with(&params);
        composite(call, &[self.into()], || {
            let (rows, cols) = matrix_shape(call.op, self)?;
            where_(lower_mask(rows, cols, diagonal.saturating_sub(1))?, false, self)
        })
    }
}

/// Returns the row and column indices of the lower triangle of a matrix, for [`Tensor::index`].
///
/// ```
/// use belvedere::{prelude::*, tril_indices};
///
/// let x = tensor![[1, 2], [3, 4]];
/// let [rows, cols] = tril_indices(2, 2, 0)?;
/// assert_eq!(x.index(at![&rows, &cols])?.to_vec::<i32>()?, [1, 3, 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// Fails if memory cannot be allocated.
///
/// # Memory
/// Always allocates new tensors.
#[track_caller]
pub fn tril_indices(rows: usize, cols: usize, diagonal: isize) -> Result<[Tensor; 2], Error> {
    let params = [("n", rows.into()), ("k", diagonal.into()), ("m", cols.into())];
    composite(Call::new("tril_indices").with(&params), &[], || {
        nonzero_pair(&lower_mask(rows, cols, diagonal)?)
    })
}

/// Returns the row and column indices of the upper triangle of a matrix, for [`Tensor::index`].
///
/// ```
/// use belvedere::{prelude::*, triu_indices};
///
/// let [rows, cols] = triu_indices(2, 3, 1)?;
/// assert_eq!(rows.to_vec::<i64>()?, [0, 0, 1]);
/// assert_eq!(cols.to_vec::<i64>()?, [1, 2, 2]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// Fails if memory cannot be allocated.
///
/// # Memory
/// Always allocates new tensors.
#[track_caller]
pub fn triu_indices(rows: usize, cols: usize, diagonal: isize) -> Result<[Tensor; 2], Error> {
    let params = [("n", rows.into()), ("k", diagonal.into()), ("m", cols.into())];
    composite(Call::new("triu_indices").with(&params), &[], || {
        nonzero_pair(&lower_mask(rows, cols, diagonal.saturating_sub(1))?.logical_not()?)
    })
}

/// Returns the row and column indices at which a 2-D mask is true.
fn nonzero_pair(mask: &Tensor) -> Result<[Tensor; 2], Error> {
    let indices = mask.nonzero()?;
    Ok([indices[0].clone(), indices[1].clone()])
}

/// Returns the lengths of the last two axes.
fn matrix_shape(operation: &'static str, x: &Tensor) -> Result<(usize, usize), Error> {
    match x.shape()[..] {
        [.., rows, cols] => Ok((rows, cols)),
        _ => {
            let (rank, most) = (x.rank(), usize::MAX);
            Err(LayoutError::WrongRank { operation, least: 2, most, rank }.into())
        }
    }
}

/// Returns the mask of the elements on and below a diagonal.
fn lower_mask(rows: usize, cols: usize, diagonal: isize) -> Result<Tensor, Error> {
    // Diagonals beyond the corners are all equivalent; clamping to the corners avoids overflow.
    let most = rows.max(cols).min(isize::MAX as usize) as isize;
    let diagonal = diagonal.clamp(-most, most) as i64;
    let rows = Tensor::arange(0..rows as i64)?.unsqueeze(1)?;
    rows.greater_equal(&Tensor::arange(-diagonal..(cols as i64).saturating_sub(diagonal))?)
}
