//! Positions of one axis: taken, written and added to.

use super::entry::At;
use super::{Way, read_into, write};
use crate::op::operand::{Operand, Target};
use crate::view::Call;
use crate::{Error, Tensor};
use std::panic::Location;

impl Tensor {
    /// The positions of an axis that `indices` names, whose axes take its place. Negative ones count from
    /// the end.
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
    /// If there is no such axis or position, or the indices are no integers.
    ///
    /// # Memory
    /// The result is new.
    pub fn take(&self, indices: &Tensor, axis: isize) -> Result<Tensor, Error> {
        self.index(along("take", self, indices, axis)?)
    }

    /// [`Tensor::take`], under PyTorch's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// The result is new.
    pub fn index_select(&self, axis: isize, indices: &Tensor) -> Result<Tensor, Error> {
        self.take(indices, axis)
    }

    /// Writes to the positions of an axis that `indices` names: what [`Tensor::take`] would give becomes
    /// `values`, broadcast and converted. If a position is there twice, the last value stays. PyTorch's
    /// `index_copy_` and `index_fill_`.
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
    /// As for [`Tensor::take`]; and if the values do not broadcast or are of a greater kind of type, or
    /// the tensor cannot be written to. Nothing is written then.
    ///
    /// # Memory
    /// Copies the values first if they are of another type, or share elements with this tensor.
    #[track_caller]
    pub fn put<'a>(
        &self,
        indices: &Tensor,
        axis: isize,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let call = Call { op: "put", caller: Location::caller() };
        let index = along(call.op, self, indices, axis)?;
        write(call, self, &index, values.into(), Way::Assign)
    }

    /// Adds to the positions of an axis that `indices` names, as often as it does, in their order.
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
    /// As for [`Tensor::put`]; and if the elements are no numbers.
    ///
    /// # Memory
    /// Copies the values first if they are of another type, or share elements with this tensor.
    #[track_caller]
    pub fn put_add<'a>(
        &self,
        indices: &Tensor,
        axis: isize,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let call = Call { op: "put_add", caller: Location::caller() };
        let index = along(call.op, self, indices, axis)?;
        write(call, self, &index, values.into(), Way::Add)
    }

    /// [`Tensor::put_add`], as PyTorch's `index_add_` has it.
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
    /// As for that.
    ///
    /// # Memory
    /// As there.
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

/// Writes [`Tensor::take`] to `out`, which may share memory with `x` and with the indices.
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
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// Makes the result apart first if `out` and `x` share elements.
#[track_caller]
pub fn take_into<'a>(
    x: &Tensor,
    indices: &Tensor,
    axis: isize,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let call = Call { op: "take", caller: Location::caller() };
    read_into(call, x, &along(call.op, x, indices, axis)?, out.into())
}

/// The index that stands at one axis.
pub(super) fn along<'i>(
    op: &'static str,
    x: &Tensor,
    indices: &'i Tensor,
    axis: isize,
) -> Result<Vec<At<'i>>, Error> {
    let k = x.layout().resolve_axis(axis)?;
    if !indices.dtype().is_integer() {
        return Err(Error::Unsupported { op, dtype: indices.dtype() });
    }
    let mut index = vec![At::ALL; k];
    index.push(indices.into());
    Ok(index)
}
