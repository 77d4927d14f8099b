//! `take_along_axis`, `gather`, `scatter` and others: separate indices for each lane along an axis.

use super::{AdvancedSelection, WriteMode, check_indices, check_numbers};
use crate::op::operand::{Operand, Target};
use crate::trace::{Call, Touched, composite, composite_into};
use crate::{Error, Layout, LayoutError, Tensor};
use belvedere_layout::broadcast_shapes;

impl Tensor {
    /// Returns elements along `axis` selected by `indices`, which has indices of its own for each
    /// lane: `result[i, j] = x[i, indices[i, j]]` for axis 1.
    ///
    /// All other axes are broadcast together. PyTorch's `take_along_dim`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[30, 10, 20], [4, 6, 5]];
    /// let greatest = x.argmax(belvedere::keep(1))?;
    /// assert_eq!(x.take_along_axis(&greatest, 1)?.to_vec::<i32>()?, [30, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` or an index is out of range, the ranks differ, the other axes do not
    /// broadcast together, or `indices` is not of an integer dtype.
    ///
    /// # Memory
    /// The result is a new tensor.
    #[track_caller]
    pub fn take_along_axis(&self, indices: &Tensor, axis: isize) -> Result<Tensor, Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("take_along_axis").with(&params).touching(Touched::Gathered);
        composite(call, &[self.into(), indices.into()], || {
            select_along_axis(call, self, indices, axis, LaneBroadcast::Both)?.read(call)
        })
    }

    /// Returns elements along `axis` selected by `indices`, as PyTorch's `gather`:
    /// [`Tensor::take_along_axis`] for the leading positions of all other axes, as many as
    /// `indices` has.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[30, 10, 20], [4, 6, 5]];
    /// assert_eq!(x.gather(1, &tensor![[2, 0]])?.to_vec::<i32>()?, [20, 30]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` or an index is out of range, the ranks differ, another axis of `indices` is
    /// longer than that of this tensor, or `indices` is not of an integer dtype.
    ///
    /// # Memory
    /// The result is a new tensor.
    #[track_caller]
    pub fn gather(&self, axis: isize, indices: &Tensor) -> Result<Tensor, Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("gather").with(&params).touching(Touched::Gathered);
        composite(call, &[self.into(), indices.into()], || {
            let part = narrow_to_indices(self, axis, indices)?;
            select_along_axis(call, &part, indices, axis, LaneBroadcast::Indices)?.read(call)
        })
    }

    /// Assigns `values` to the elements along `axis` selected by `indices`: to those that
    /// [`Tensor::take_along_axis`] would return.
    ///
    /// If an element is selected more than once, the last value is kept. [`Tensor::scatter`] is
    /// PyTorch's variant.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3], DType::Int32)?;
    /// x.put_along_axis(&tensor![[2], [0]], 1, 7)?;
    /// assert_eq!(x.to_vec::<i32>()?, [0, 0, 7, 7, 0, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` or an index is out of range, the ranks differ, the other axes of `indices`
    /// do not broadcast to those of this tensor, `values` do not broadcast or cannot be cast to the
    /// dtype of this tensor, or this tensor cannot be written to. Nothing is written if an error is
    /// returned.
    ///
    /// # Memory
    /// Copies `values` first if they have another dtype or share elements with this tensor.
    #[track_caller]
    pub fn put_along_axis<'a>(
        &self,
        indices: &Tensor,
        axis: isize,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("put_along_axis").with(&params);
        let values = values.into();
        composite_into(call, &[indices.into(), values.clone()], self.into(), |_| {
            let selection = select_along_axis(call, self, indices, axis, LaneBroadcast::Indices)?;
            selection.write(call, values, WriteMode::Assign)
        })
    }

    /// Adds `values` to the elements along `axis` selected by `indices`, once for each time an
    /// element is selected, in their order.
    ///
    /// [`Tensor::scatter_add`] is PyTorch's variant.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3], DType::Int32)?;
    /// x.add_along_axis(&tensor![[2, 2], [0, 1]], 1, &tensor![[1, 10], [100, 1000]])?;
    /// assert_eq!(x.to_vec::<i32>()?, [0, 0, 11, 100, 1000, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::put_along_axis`]. Also fails if the dtype is `bool`.
    ///
    /// # Memory
    /// Copies `values` first if they have another dtype or share elements with this tensor.
    #[track_caller]
    pub fn add_along_axis<'a>(
        &self,
        indices: &Tensor,
        axis: isize,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("add_along_axis").with(&params);
        let values = values.into();
        let inputs: [Operand<'_>; 3] = [self.into(), indices.into(), values.clone()];
        composite_into(call, &inputs, self.into(), |_| {
            check_numbers(call.op, self.dtype())?;
            let selection = select_along_axis(call, self, indices, axis, LaneBroadcast::Indices)?;
            selection.write(call, values, WriteMode::Add)
        })
    }

    /// Assigns `values` to the elements along `axis` selected by `indices`, as PyTorch's
    /// `scatter_`: to those that [`Tensor::gather`] would return.
    ///
    /// All axes of `values` may be longer than those of `indices`; their leading positions are
    /// used. If an element is selected more than once, the last value is kept.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([3, 3], DType::Int32)?;
    /// x.scatter(1, &tensor![[2], [0]], &tensor![[7, 0], [8, 0]])?;
    /// assert_eq!(x.to_vec::<i32>()?, [0, 0, 7, 8, 0, 0, 0, 0, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` or an index is out of range, the ranks differ, an axis of `indices` is
    /// longer than that of `values` or, except for `axis`, than that of this tensor, `values`
    /// cannot be cast to the dtype of this tensor, or this tensor cannot be written to. Nothing is
    /// written if an error is returned.
    ///
    /// # Memory
    /// Copies `values` first if they have another dtype or share elements with this tensor.
    #[track_caller]
    pub fn scatter<'a>(
        &self,
        axis: isize,
        indices: &Tensor,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("scatter").with(&params);
        self.scatter_values(call, axis, indices, values.into(), WriteMode::Assign)
    }

    /// Adds `values` to the elements along `axis` selected by `indices`, as PyTorch's
    /// `scatter_add_`: once for each time an element is selected, in their order, with the shapes
    /// of [`Tensor::scatter`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3], DType::Int32)?;
    /// x.scatter_add(1, &tensor![[2, 2, 0]], &tensor![[1, 10, 100]])?;
    /// assert_eq!(x.to_vec::<i32>()?, [100, 0, 11, 0, 0, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::scatter`]. Also fails if the dtype is `bool`.
    ///
    /// # Memory
    /// Copies `values` first if they have another dtype or share elements with this tensor.
    #[track_caller]
    pub fn scatter_add<'a>(
        &self,
        axis: isize,
        indices: &Tensor,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("scatter_add").with(&params);
        check_numbers(call.op, self.dtype())?;
        self.scatter_values(call, axis, indices, values.into(), WriteMode::Add)
    }

    /// Assigns or adds `values` with the shapes of [`Tensor::scatter`].
    fn scatter_values(
        &self,
        call: Call<'_>,
        axis: isize,
        indices: &Tensor,
        values: Operand<'_>,
        mode: WriteMode,
    ) -> Result<(), Error> {
        let inputs: [Operand<'_>; 3] = [self.into(), indices.into(), values.clone()];
        let inputs = if mode.reads() { &inputs[..] } else { &inputs[1..] };
        composite_into(call, inputs, self.into(), |_| {
            let part = narrow_to_indices(self, axis, indices)?;
            let selection = select_along_axis(call, &part, indices, axis, LaneBroadcast::Indices)?;
            selection.write(call, values.leading_part(call.op, &indices.shape())?, mode)
        })
    }
}

/// Writes [`Tensor::take_along_axis`] of `x` to `out`, which may share memory with `x` and with the
/// indices.
///
/// ```
/// use belvedere::{prelude::*, take_along_axis_into};
///
/// let (x, out) = (tensor![[30, 10, 20], [4, 6, 5]], Tensor::zeros([2, 1], DType::Int64)?);
/// take_along_axis_into(&x, &tensor![[1], [-1]], 1, &out)?;
/// assert_eq!(out.to_vec::<i64>()?, [10, 5]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`Tensor::take_along_axis`]. Also fails if `out` has another shape than the result, its
/// dtype cannot hold the result, or it cannot be written to.
///
/// # Memory
/// Computes the result in a temporary tensor first if `out` shares elements with `x`.
#[track_caller]
pub fn take_along_axis_into<'a>(
    x: &Tensor,
    indices: &Tensor,
    axis: isize,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let params = [("axis", axis.into())];
    let call = Call::new("take_along_axis").with(&params).touching(Touched::Gathered);
    composite_into(call, &[x.into(), indices.into()], out.into(), |out| {
        select_along_axis(call, x, indices, axis, LaneBroadcast::Both)?.read_into(call, out)
    })
}

/// Returns `x` narrowed to the lengths of `indices` in all axes but `axis`.
fn narrow_to_indices(x: &Tensor, axis: isize, indices: &Tensor) -> Result<Tensor, Error> {
    let k = x.layout().resolve_axis(axis)?;
    let mut part = x.layout().clone();
    for (i, &len) in indices.shape().iter().enumerate().take(x.rank()) {
        if i != k {
            part = part.narrow(i as isize, 0, len)?;
        }
    }
    Ok(x.with_layout(part))
}

/// Which operands may be broadcast.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LaneBroadcast {
    Both,
    Indices,
}

/// Resolves the elements of `x` that `indices` selects along `axis`, with the other axes broadcast.
fn select_along_axis(
    call: Call<'_>,
    x: &Tensor,
    indices: &Tensor,
    axis: isize,
    broadcast: LaneBroadcast,
) -> Result<AdvancedSelection, Error> {
    let k = x.layout().resolve_axis(axis)?;
    check_indices(call.op, indices)?;
    let rank = x.rank();
    if indices.rank() != rank {
        let (least, most, rank) = (rank, rank, indices.rank());
        return Err(LayoutError::WrongRank { operation: call.op, least, most, rank }.into());
    }
    let (mut x_shape, mut index_shape) = (x.shape(), indices.shape());
    let (len, n) = (x_shape[k], index_shape[k]);
    (x_shape[k], index_shape[k]) = (1, 1);
    let mut shape = match broadcast {
        LaneBroadcast::Both => broadcast_shapes(&[&x_shape, &index_shape])?,
        LaneBroadcast::Indices => Layout::row_major(&index_shape)?.broadcast_to(&*x_shape)?.shape(),
    };
    shape[k] = len;
    let x = match broadcast {
        LaneBroadcast::Both => x.with_layout(x.layout().broadcast_to(&*shape)?),
        LaneBroadcast::Indices => x.clone(),
    };
    shape[k] = n;
    AdvancedSelection::along_axis(call, x, indices, shape, k)
}
