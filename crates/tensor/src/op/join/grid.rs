//! Views that belong together: grids, shapes that meet, and axes that are there at least.

use crate::{Error, LayoutError, Tensor};
use belvedere_layout::broadcast_shapes;
use std::borrow::Borrow;

/// Which axis of a grid belongs to which of its coordinates: for [`meshgrid`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Indexing {
    /// The first coordinate goes along axis 1 and the second along axis 0, as in pictures.
    #[default]
    Xy,
    /// Each coordinate goes along its own axis, as in matrices.
    Ij,
}

/// A tensor for each coordinate of the points of a grid, given the coordinates along its axes.
///
/// ```
/// use belvedere::{Indexing, meshgrid, prelude::*};
///
/// let grid = meshgrid(&[tensor![1, 2, 3], tensor![10, 20]], Indexing::Xy)?;
/// assert_eq!(grid[0].to_vec::<i32>()?, [1, 2, 3, 1, 2, 3]);
/// assert_eq!(grid[1].to_vec::<i32>()?, [10, 10, 10, 20, 20, 20]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If a tensor has more than one axis, or the grid has too many points.
///
/// # Memory
/// Never copies: the results are broadcast views of the tensors. Call [`Tensor::copy`] to write to one.
pub fn meshgrid<T: Borrow<Tensor>>(
    tensors: &[T],
    indexing: Indexing,
) -> Result<Vec<Tensor>, Error> {
    let rank = tensors.len();
    let mut lined = Vec::with_capacity(rank);
    for (i, tensor) in tensors.iter().enumerate() {
        let tensor: &Tensor = tensor.borrow();
        if tensor.rank() > 1 {
            let (operation, rank) = ("meshgrid", tensor.rank());
            return Err(LayoutError::WrongRank { operation, least: 0, most: 1, rank }.into());
        }
        let axis = match (indexing, i) {
            (Indexing::Xy, 0) if rank > 1 => 1,
            (Indexing::Xy, 1) => 0,
            (_, i) => i,
        };
        let mut shape = vec![1; rank];
        shape[axis] = tensor.len();
        lined.push(tensor.view(shape)?);
    }
    broadcast_arrays(&lined)
}

/// The tensors in the shape that they broadcast to.
///
/// ```
/// use belvedere::{broadcast_arrays, prelude::*};
///
/// let both = broadcast_arrays(&[tensor![[1], [2]], tensor![3, 4]])?;
/// assert_eq!(both[0].to_vec::<i32>()?, [1, 1, 2, 2]);
/// assert_eq!(both[1].to_vec::<i32>()?, [3, 4, 3, 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the shapes do not broadcast.
///
/// # Memory
/// Never copies.
pub fn broadcast_arrays<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Vec<Tensor>, Error> {
    let shapes: Vec<_> = tensors.iter().map(|it| it.borrow().shape()).collect();
    let shape = broadcast_shapes(&shapes.iter().map(|it| &**it).collect::<Vec<_>>())?;
    tensors.iter().map(|it| it.borrow().broadcast_to(&*shape)).collect()
}

impl Tensor {
    /// The elements with axes of length 1 in front, so that there are at least so many.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].atleast_nd(3)?.shape(), [1, 1, 2]);
    /// assert_eq!(tensor![1, 2].atleast_nd(0)?.shape(), [2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are too many axes.
    ///
    /// # Memory
    /// Never copies.
    pub fn atleast_nd(&self, rank: usize) -> Result<Tensor, Error> {
        let mut x = self.clone();
        while x.rank() < rank {
            x = x.unsqueeze(0)?;
        }
        Ok(x)
    }

    /// The elements with at least one axis.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let number = tensor![7].select(0, 0)?;
    /// assert_eq!(number.atleast_1d()?.shape(), [1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never: there is always room for one.
    ///
    /// # Memory
    /// Never copies.
    pub fn atleast_1d(&self) -> Result<Tensor, Error> {
        self.atleast_nd(1)
    }

    /// The elements with at least two axes; a vector becomes a row.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].atleast_2d()?.shape(), [1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never: there is always room for two.
    ///
    /// # Memory
    /// Never copies.
    pub fn atleast_2d(&self) -> Result<Tensor, Error> {
        self.atleast_nd(2)
    }

    /// The elements with at least three axes; a vector goes along the one in the middle, and a matrix along
    /// the first two, as in NumPy.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].atleast_3d()?.shape(), [1, 2, 1]);
    /// assert_eq!(tensor![[1, 2]].atleast_3d()?.shape(), [1, 2, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never: there is always room for three.
    ///
    /// # Memory
    /// Never copies.
    pub fn atleast_3d(&self) -> Result<Tensor, Error> {
        match self.rank() {
            0 | 1 => self.atleast_nd(2)?.unsqueeze(2),
            2 => self.unsqueeze(2),
            _ => Ok(self.clone()),
        }
    }
}
