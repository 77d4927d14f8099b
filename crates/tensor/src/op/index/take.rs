//! `take`, `put` and `index_add`: positions of one axis.

use super::tensor_index::{TensorIndex, index_at_axis};
use super::{WriteMode, check_indices, read, read_into, write};
use crate::op::execute::try_take;
use crate::op::operand::{Operand, Target};
use crate::trace::{Call, is_listening};
use crate::{Error, Tensor};

impl Tensor {
    /// Returns the elements at the positions `indices` of `axis`.
    ///
    /// The axes of `indices` replace `axis` in the result. Negative positions count from the end.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.take(&tensor![2, 0], 1)?.to_vec::<i32>()?, [3, 1, 6, 4]);
    /// assert_eq!(x.take(&tensor![[0, 1], [1, -1]], 0)?.shape(), [2, 2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` or a position is out of range, or `indices` is not of an integer dtype.
    ///
    /// # Memory
    /// The result is a new tensor.
    #[track_caller]
    pub fn take(&self, indices: &Tensor, axis: isize) -> Result<Tensor, Error> {
        if !is_listening()
            && let Some(taken) = try_take(self, indices, axis)
        {
            return Ok(taken);
        }
        let params = [("axis", axis.into())];
        let call = Call::new("take").with(&params);
        read(call, self, &positions_at_axis(call.op, self, indices, axis)?)
    }

    /// Returns [`Tensor::take`]; this is PyTorch's name.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.index_select(1, &tensor![2, 0])?.to_vec::<i32>()?, [3, 1, 6, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::take`].
    ///
    /// # Memory
    /// The result is a new tensor.
    #[track_caller]
    pub fn index_select(&self, axis: isize, indices: &Tensor) -> Result<Tensor, Error> {
        self.take(indices, axis)
    }

    /// Assigns `values` to the positions `indices` of `axis`: to the elements that [`Tensor::take`]
    /// would return.
    ///
    /// The values are broadcast and cast. If a position is listed more than once, the last value is
    /// kept. PyTorch's `index_copy_` and `index_fill_`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3], DType::Int32)?;
    /// x.put(&tensor![2, 0], 1, &tensor![[1, 2], [3, 4]])?;
    /// assert_eq!(x.to_vec::<i32>()?, [2, 0, 1, 4, 0, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::take`]. Also fails if `values` do not broadcast, cannot be cast to the
    /// dtype of this tensor, or this tensor cannot be written to. Nothing is written if an error is
    /// returned.
    ///
    /// # Memory
    /// Copies `values` first if they have another dtype or share elements with this tensor.
    #[track_caller]
    pub fn put<'a>(
        &self,
        indices: &Tensor,
        axis: isize,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("put").with(&params);
        let index = positions_at_axis(call.op, self, indices, axis)?;
        write(call, self, &index, values.into(), WriteMode::Assign)
    }

    /// Adds `values` to the positions `indices` of `axis`, once for each time a position is listed,
    /// in their order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([3, 2], DType::Float32)?;
    /// x.put_add(&tensor![2, 0, 2], 0, &tensor![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]].astype(x.dtype())?)?;
    /// assert_eq!(x.to_vec::<f32>()?, [3.0, 4.0, 0.0, 0.0, 6.0, 8.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::put`]. Also fails if the dtype is `bool`.
    ///
    /// # Memory
    /// Copies `values` first if they have another dtype or share elements with this tensor.
    #[track_caller]
    pub fn put_add<'a>(
        &self,
        indices: &Tensor,
        axis: isize,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("put_add").with(&params);
        let index = positions_at_axis(call.op, self, indices, axis)?;
        write(call, self, &index, values.into(), WriteMode::Add)
    }

    /// Adds `values` to the positions `indices` of `axis`: [`Tensor::put_add`] with the arguments
    /// of PyTorch's `index_add_`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([3], DType::Int32)?;
    /// x.index_add(0, &tensor![2, 0, 2], &tensor![1, 10, 100])?;
    /// assert_eq!(x.to_vec::<i32>()?, [10, 0, 101]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::put_add`].
    ///
    /// # Memory
    /// As for [`Tensor::put_add`].
    #[track_caller]
    pub fn index_add<'a>(
        &self,
        axis: isize,
        indices: &Tensor,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        self.put_add(indices, axis, values)
    }
}

/// Writes [`Tensor::take`] of `x` to `out`, which may share memory with `x` and with the indices.
///
/// ```
/// use belvedere::{prelude::*, take_into};
///
/// let (x, out) = (tensor![[1, 2], [3, 4]], Tensor::zeros([1, 2], DType::Float32)?);
/// take_into(&x, &tensor![-1], 0, &out)?;
/// assert_eq!(out.to_vec::<f32>()?, [3.0, 4.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`Tensor::take`]. Also fails if `out` has another shape than the result, its dtype cannot
/// hold the result, or it cannot be written to.
///
/// # Memory
/// Computes the result in a temporary tensor first if `out` shares elements with `x`.
#[track_caller]
pub fn take_into<'a>(
    x: &Tensor,
    indices: &Tensor,
    axis: isize,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let params = [("axis", axis.into())];
    let call = Call::new("take").with(&params);
    read_into(call, x, &positions_at_axis(call.op, x, indices, axis)?, out.into())
}

/// Returns the index that selects the positions `indices` of `axis`.
fn positions_at_axis<'i>(
    op: &'static str,
    x: &Tensor,
    indices: &'i Tensor,
    axis: isize,
) -> Result<Vec<TensorIndex<'i>>, Error> {
    let index = index_at_axis(x, indices, axis)?;
    check_indices(op, indices)?;
    Ok(index)
}
