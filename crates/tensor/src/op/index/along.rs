//! Along one axis, an index of its own for each lane.

use super::{Picked, Way, check_numbers};
use crate::op::operand::{Operand, Target};
use crate::view::Call;
use crate::{Error, Layout, LayoutError, Tensor};
use belvedere_layout::broadcast_shapes;
use std::panic::Location;

impl Tensor {
    /// The elements along an axis that `indices` names, for each lane its own: element `[i, j]` of the
    /// result for axis 1 is `x[i, indices[i, j]]`. All axes but this one are broadcast together. PyTorch's
    /// `take_along_dim`.
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
    /// If there is no such axis or position, the ranks differ, the other axes do not broadcast, or the
    /// indices are no integers.
    ///
    /// # Memory
    /// The result is new.
    pub fn take_along_axis(&self, indices: &Tensor, axis: isize) -> Result<Tensor, Error> {
        lanes("take_along_axis", self, indices, axis, Fit::Both)?.read()
    }

    /// [`Tensor::take_along_axis`] as PyTorch has it: of the other axes, as many positions are taken as the
    /// indices have.
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
    /// If there is no such axis or position, the ranks differ, another axis of the indices is longer than
    /// that of the tensor, or the indices are no integers.
    ///
    /// # Memory
    /// The result is new.
    pub fn gather(&self, axis: isize, indices: &Tensor) -> Result<Tensor, Error> {
        lanes("gather", &narrowed(self, axis, indices)?, indices, axis, Fit::Indices)?.read()
    }

    /// Writes to the elements along an axis that `indices` names, for each lane its own: what
    /// [`Tensor::take_along_axis`] would give becomes `values`. If an element is named twice, the last value
    /// stays. [`Tensor::scatter`] is PyTorch's.
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
    /// If there is no such axis or position, the ranks differ, the other axes of the indices do not
    /// broadcast to those of the tensor, the values do not broadcast or are of a greater kind of type,
    /// or the tensor cannot be written to. Nothing is written then.
    ///
    /// # Memory
    /// Copies the values first if they are of another type, or share elements with this tensor.
    #[track_caller]
    pub fn put_along_axis<'a>(
        &self,
        indices: &Tensor,
        axis: isize,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let call = Call { op: "put_along_axis", caller: Location::caller() };
        let picked = lanes(call.op, self, indices, axis, Fit::Indices)?;
        picked.write(call, values.into(), Way::Assign)
    }

    /// Adds to the elements along an axis that `indices` names, as often as it does, in their order.
    /// [`Tensor::scatter_add`] is PyTorch's.
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
    /// As for [`Tensor::put_along_axis`]; and if the elements are no numbers.
    ///
    /// # Memory
    /// Copies the values first if they are of another type, or share elements with this tensor.
    #[track_caller]
    pub fn add_along_axis<'a>(
        &self,
        indices: &Tensor,
        axis: isize,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let call = Call { op: "add_along_axis", caller: Location::caller() };
        check_numbers(call.op, self.dtype())?;
        let picked = lanes(call.op, self, indices, axis, Fit::Indices)?;
        picked.write(call, values.into(), Way::Add)
    }

    /// Writes to the elements along an axis that `indices` names: what [`Tensor::gather`] would give
    /// becomes `values`. Of the other axes, as many positions are written to as the indices have, and
    /// of longer values the first are taken. If an element is named twice, the last value stays.
    /// PyTorch's `scatter_`.
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
    /// If there is no such axis or position, the ranks differ, an axis of the indices is longer than that
    /// of the values or, but for this one, of the tensor, the values are of a greater kind of type, or
    /// the tensor cannot be written to. Nothing is written then.
    ///
    /// # Memory
    /// Copies the values first if they are of another type, or share elements with this tensor.
    #[track_caller]
    pub fn scatter<'a>(
        &self,
        axis: isize,
        indices: &Tensor,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let call = Call { op: "scatter", caller: Location::caller() };
        self.scattered(call, axis, indices, values.into(), Way::Assign)
    }

    /// Adds to the elements along an axis that `indices` names, as often as it does, in their order, with
    /// the shapes of [`Tensor::scatter`]. PyTorch's `scatter_add_`.
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
    /// As for [`Tensor::scatter`]; and if the elements are no numbers.
    ///
    /// # Memory
    /// Copies the values first if they are of another type, or share elements with this tensor.
    #[track_caller]
    pub fn scatter_add<'a>(
        &self,
        axis: isize,
        indices: &Tensor,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let call = Call { op: "scatter_add", caller: Location::caller() };
        check_numbers(call.op, self.dtype())?;
        self.scattered(call, axis, indices, values.into(), Way::Add)
    }

    fn scattered(
        &self,
        call: Call,
        axis: isize,
        indices: &Tensor,
        values: Operand<'_>,
        way: Way,
    ) -> Result<(), Error> {
        let part = narrowed(self, axis, indices)?;
        let picked = lanes(call.op, &part, indices, axis, Fit::Indices)?;
        picked.write(call, values.first(call.op, &indices.shape())?, way)
    }
}

/// Writes [`Tensor::take_along_axis`] to `out`, which may share memory with `x` and with the indices.
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
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// Makes the result apart first if `out` and `x` share elements.
#[track_caller]
pub fn take_along_axis_into<'a>(
    x: &Tensor,
    indices: &Tensor,
    axis: isize,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let call = Call { op: "take_along_axis", caller: Location::caller() };
    lanes(call.op, x, indices, axis, Fit::Both)?.read_into(call, out.into())
}

/// As much of a tensor as indices have positions of its axes, but for one.
fn narrowed(x: &Tensor, axis: isize, indices: &Tensor) -> Result<Tensor, Error> {
    let k = x.layout().resolve_axis(axis)?;
    let mut part = x.clone();
    for (i, &len) in indices.shape().iter().enumerate().take(x.rank()) {
        if i != k {
            part = part.narrow(i as isize, 0, len)?;
        }
    }
    Ok(part)
}

/// What may be broadcast.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Both,
    Indices,
}

/// What indices pick of a tensor along an axis, with the other axes broadcast.
fn lanes(
    op: &'static str,
    x: &Tensor,
    indices: &Tensor,
    axis: isize,
    fit: Fit,
) -> Result<Picked, Error> {
    let k = x.layout().resolve_axis(axis)?;
    if !indices.dtype().is_integer() {
        return Err(Error::Unsupported { op, dtype: indices.dtype() });
    }
    let rank = x.rank();
    if indices.rank() != rank {
        let (least, most, rank) = (rank, rank, indices.rank());
        return Err(LayoutError::WrongRank { operation: op, least, most, rank }.into());
    }
    let (mut own, mut given) = (x.shape(), indices.shape());
    let (len, n) = (own[k], given[k]);
    (own[k], given[k]) = (1, 1);
    let mut shape = match fit {
        Fit::Both => broadcast_shapes(&[&own, &given])?,
        Fit::Indices => Layout::row_major(&given)?.broadcast_to(&*own)?.shape(),
    };
    shape[k] = n;
    let indices = indices.broadcast_to(&*shape)?;
    shape[k] = len;
    let x = if fit == Fit::Both { x.broadcast_to(&*shape)? } else { x.clone() };
    Picked::lanes(x, &indices, k)
}
