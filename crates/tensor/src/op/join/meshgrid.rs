//! `meshgrid`, `broadcast_arrays` and `atleast_nd`.

use super::operands_of;
use crate::tensor::{reserve, try_collect};
use crate::trace::{Call, composite};
use crate::{Error, Layout, LayoutError, Tensor};
use belvedere_layout::broadcast_shapes;
use std::borrow::Borrow;

/// The order of the first two axes of a [`meshgrid`].
///
/// ```
/// use belvedere::Indexing;
///
/// assert_eq!("ij".parse::<Indexing>()?, Indexing::Ij);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Indexing {
    /// Cartesian: the first coordinate varies along axis 1 and the second along axis 0.
    #[default]
    Xy,
    /// Matrix: coordinate `i` varies along axis `i`.
    Ij,
}

/// Returns the coordinates of all points of a grid, one tensor for each axis, from the coordinates
/// along the axes.
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
/// Fails if a tensor has more than one axis, or the grid has too many points.
///
/// # Memory
/// Never copies: the results are broadcast views. To write to one, call [`Tensor::copy`] first.
#[track_caller]
pub fn meshgrid<T: Borrow<Tensor>>(
    tensors: &[T],
    indexing: Indexing,
) -> Result<Vec<Tensor>, Error> {
    let order = match indexing {
        Indexing::Xy => "xy",
        Indexing::Ij => "ij",
    };
    let params = [("indexing", order.into())];
    composite(Call::new("meshgrid").with(&params), &operands_of(tensors)?, || {
        let rank = tensors.len();
        let mut aligned = Vec::with_capacity(rank);
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
            aligned.push(tensor.view(shape)?);
        }
        broadcast_each(&aligned)
    })
}

/// Returns views of the tensors, broadcast to their common shape.
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
/// Fails if the shapes do not broadcast together.
///
/// # Memory
/// Never copies.
#[track_caller]
pub fn broadcast_arrays<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Vec<Tensor>, Error> {
    composite(Call::new("broadcast_arrays"), &operands_of(tensors)?, || broadcast_each(tensors))
}

/// Broadcasts the tensors to their common shape.
fn broadcast_each<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Vec<Tensor>, Error> {
    let shapes = try_collect(tensors.iter().map(|it| it.borrow().shape()))?;
    let shape = broadcast_shapes(&try_collect(shapes.iter().map(|it| &**it))?)?;
    let mut views = reserve(tensors.len())?;
    for tensor in tensors {
        views.push(tensor.borrow().broadcast_to(&*shape)?);
    }
    Ok(views)
}

/// Returns the layout with at least `rank` axes: axes of length 1 are prepended.
pub(super) fn layout_of_rank(layout: &Layout, rank: usize) -> Result<Layout, LayoutError> {
    let mut layout = layout.clone();
    while layout.rank() < rank {
        layout = layout.unsqueeze(0)?;
    }
    Ok(layout)
}

/// Returns the layout of [`Tensor::atleast_3d`].
pub(super) fn layout_of_rank_3(layout: &Layout) -> Result<Layout, LayoutError> {
    match layout.rank() {
        0 | 1 => layout_of_rank(layout, 2)?.unsqueeze(2),
        2 => layout.unsqueeze(2),
        _ => Ok(layout.clone()),
    }
}

impl Tensor {
    /// Returns a view with at least `rank` axes: axes of length 1 are prepended.
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
    /// Fails if `rank` is greater than the largest supported rank.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn atleast_nd(&self, rank: usize) -> Result<Tensor, Error> {
        let params = [("ndim", rank.into())];
        let call = Call::new("atleast_nd").with(&params);
        Ok(self.view_of_call(call, layout_of_rank(self.layout(), rank)?))
    }

    /// Returns a view with at least one axis.
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
    /// Never fails.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn atleast_1d(&self) -> Result<Tensor, Error> {
        Ok(self.view_through("atleast_1d", layout_of_rank(self.layout(), 1)?, || []))
    }

    /// Returns a view with at least two axes; a 1-D tensor becomes a row.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].atleast_2d()?.shape(), [1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never fails.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn atleast_2d(&self) -> Result<Tensor, Error> {
        Ok(self.view_through("atleast_2d", layout_of_rank(self.layout(), 2)?, || []))
    }

    /// Returns a view with at least three axes, placed as NumPy does: shape `(n,)` becomes `(1, n,
    /// 1)`, and `(m, n)` becomes `(m, n, 1)`.
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
    /// Never fails.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn atleast_3d(&self) -> Result<Tensor, Error> {
        Ok(self.view_through("atleast_3d", layout_of_rank_3(self.layout())?, || []))
    }
}
