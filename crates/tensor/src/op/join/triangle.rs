//! Triangles of matrices.

use crate::{Error, LayoutError, Tensor, where_};

impl Tensor {
    /// The elements on and below a diagonal of the last two axes, and zeros above it. Diagonals are counted
    /// upwards from the main one.
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
    /// If there are fewer than two axes, or not enough memory.
    ///
    /// # Memory
    /// The result is new.
    pub fn tril(&self, diagonal: isize) -> Result<Tensor, Error> {
        let (rows, cols) = plane("tril", self)?;
        where_(below(rows, cols, diagonal)?, self.clone(), false)
    }

    /// The elements on and above a diagonal of the last two axes, and zeros below it. Diagonals are counted
    /// upwards from the main one.
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
    /// If there are fewer than two axes, or not enough memory.
    ///
    /// # Memory
    /// The result is new.
    pub fn triu(&self, diagonal: isize) -> Result<Tensor, Error> {
        let (rows, cols) = plane("triu", self)?;
        where_(below(rows, cols, diagonal.saturating_sub(1))?, false, self.clone())
    }
}

/// The rows and columns of the elements on and below a diagonal of a matrix, for [`Tensor::index`].
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
/// If there is not enough memory.
///
/// # Memory
/// Always makes new tensors.
pub fn tril_indices(rows: usize, cols: usize, diagonal: isize) -> Result<[Tensor; 2], Error> {
    places(&below(rows, cols, diagonal)?)
}

/// The rows and columns of the elements on and above a diagonal of a matrix, for [`Tensor::index`].
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
/// If there is not enough memory.
///
/// # Memory
/// Always makes new tensors.
pub fn triu_indices(rows: usize, cols: usize, diagonal: isize) -> Result<[Tensor; 2], Error> {
    places(&below(rows, cols, diagonal.saturating_sub(1))?.logical_not()?)
}

fn places(mask: &Tensor) -> Result<[Tensor; 2], Error> {
    let places = mask.nonzero()?;
    Ok([places[0].clone(), places[1].clone()])
}

/// The lengths of the last two axes.
fn plane(operation: &'static str, x: &Tensor) -> Result<(usize, usize), Error> {
    match x.shape()[..] {
        [.., rows, cols] => Ok((rows, cols)),
        _ => {
            let (rank, most) = (x.rank(), usize::MAX);
            Err(LayoutError::WrongRank { operation, least: 2, most, rank }.into())
        }
    }
}

/// Where a matrix is on or below a diagonal.
fn below(rows: usize, cols: usize, diagonal: isize) -> Result<Tensor, Error> {
    // Beyond the corners all diagonals are alike; within, nothing overflows.
    let most = rows.max(cols).min(isize::MAX as usize) as isize;
    let diagonal = diagonal.clamp(-most, most) as i64;
    let rows = Tensor::arange(0..rows as i64)?.unsqueeze(1)?;
    rows.greater_equal(&Tensor::arange(-diagonal..(cols as i64).saturating_sub(diagonal))?)
}
