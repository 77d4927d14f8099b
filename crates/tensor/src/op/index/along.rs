//! Along one axis, an index of its own for each lane.

use super::{Picked, Way, check_numbers};
use crate::op::operand::Operand;
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
        let k = self.layout().resolve_axis(axis)?;
        let mut part = self.clone();
        for (i, &len) in indices.shape().iter().enumerate().take(self.rank()) {
            if i != k {
                part = part.narrow(i as isize, 0, len)?;
            }
        }
        part.take_along_axis(indices, axis)
    }

    /// Writes to the elements along an axis that `indices` names, for each lane its own: what
    /// [`Tensor::take_along_axis`] would give becomes `values`. If an element is named twice, the last value
    /// stays. PyTorch's `scatter_`.
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
    /// PyTorch's `scatter_add_`.
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
