//! Masks: `masked_select`, `masked_fill`, `compress`, `nonzero` and others.

use super::tensor_index::{TensorIndex, index_at_axis};
use super::{AdvancedSelection, WriteMode, read, read_into, write};
use crate::kernel::mask::CountedMask;
use crate::op::element::WHERE;
use crate::op::execute::compute_data_dependent;
use crate::op::operand::{Operand, Target};
use crate::trace::{Call, composite};
use crate::{DType, Error, Layout, LayoutError, Tensor, can_assign};

impl Tensor {
    /// Returns the elements at which `mask` is true, in row-major order, as a 1-D tensor.
    ///
    /// The mask is broadcast to the shape of this tensor. NumPy's `extract`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, -2], [-3, 4]];
    /// assert_eq!(x.masked_select(&x.greater(0)?)?.to_vec::<i32>()?, [1, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `mask` is not of dtype `bool`, or does not broadcast.
    ///
    /// # Memory
    /// The result is a new tensor.
    #[track_caller]
    pub fn masked_select(&self, mask: &Tensor) -> Result<Tensor, Error> {
        let call = Call::new("masked_select");
        let mask = broadcast_mask(call.op, mask, self)?;
        read(call, self, &[TensorIndex::from(&mask)])
    }

    /// Returns a copy of this tensor with the elements at which `mask` is true replaced by `value`.
    ///
    /// Mask and value are broadcast to the shape of this tensor; the value is cast to its dtype.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, -2], [-3, 4]];
    /// assert_eq!(x.masked_fill(&x.less(0)?, 0)?.to_vec::<i32>()?, [1, 0, 0, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `mask` is not of dtype `bool`, an operand does not broadcast, or `value` cannot be
    /// cast to the dtype of this tensor.
    ///
    /// # Memory
    /// The result is a new tensor.
    #[track_caller]
    pub fn masked_fill<'a>(
        &self,
        mask: &'a Tensor,
        value: impl Into<Operand<'a>>,
    ) -> Result<Tensor, Error> {
        let call = Call::new("masked_fill");
        let value = value.into();
        composite(call, &[self.into(), mask.into(), value.clone()], || {
            let mask = broadcast_mask(call.op, mask, self)?;
            Layout::row_major(&value.shape())?.broadcast_to(&*self.shape())?;
            match value.dtype() {
                None => drop(value.cell(self.dtype())?),
                Some(from) if !can_assign(from, self.dtype()) => {
                    return Err(Error::Cast { from, to: self.dtype() });
                }
                Some(_) => {}
            }
            WHERE.compute_in([mask.into(), value, self.into()], self.dtype())
        })
    }

    /// Assigns `values` to the elements at which `mask` is true: one value for each of them, in
    /// row-major order, or one value for all.
    ///
    /// The mask is broadcast to the shape of this tensor.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, -2], [-3, 4]];
    /// x.masked_assign(&x.less(0)?, &tensor![20, 30])?;
    /// assert_eq!(x.to_vec::<i32>()?, [1, 20, 30, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `mask` is not of dtype `bool` or does not broadcast, the number of values is
    /// neither 1 nor the number of selected elements, `values` cannot be cast to the dtype of this
    /// tensor, or this tensor cannot be written to.
    ///
    /// # Memory
    /// Copies `values` first if they have another dtype or share elements with this tensor.
    #[track_caller]
    pub fn masked_assign<'a>(
        &self,
        mask: &Tensor,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let call = Call::new("masked_assign");
        let (mask, values): (_, Operand<'_>) =
            (broadcast_mask(call.op, mask, self)?, values.into());
        if values.dtype().is_none() {
            // A scalar needs no list of positions: select between it and the element.
            values.cell(self.dtype())?;
            return WHERE.compute_into([mask.into(), values, self.into()], self.into(), call);
        }
        write(call, self, &[TensorIndex::from(&mask)], values, WriteMode::Assign)
    }

    /// Returns the positions of `axis` at which the 1-D `mask` is true.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.compress(&tensor![true, false, true], 1)?.to_vec::<i32>()?, [1, 3, 4, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` is out of range, or `mask` is not of dtype `bool`, rank 1 and the length of
    /// the axis.
    ///
    /// # Memory
    /// The result is a new tensor.
    #[track_caller]
    pub fn compress(&self, mask: &Tensor, axis: isize) -> Result<Tensor, Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("compress").with(&params);
        read(call, self, &mask_at_axis(call.op, self, mask, axis)?)
    }

    /// Assigns `values` to the positions of `axis` at which the 1-D `mask` is true: to the elements
    /// that [`Tensor::compress`] would return.
    ///
    /// The values are broadcast and cast.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3], DType::Int32)?;
    /// x.compress_assign(&tensor![true, false, true], 1, &tensor![[1, 2], [3, 4]])?;
    /// assert_eq!(x.to_vec::<i32>()?, [1, 0, 2, 3, 0, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::compress`]. Also fails if `values` do not broadcast, cannot be cast to the
    /// dtype of this tensor, or this tensor cannot be written to. Nothing is written if an error is
    /// returned.
    ///
    /// # Memory
    /// Copies `values` first if they have another dtype or share elements with this tensor.
    #[track_caller]
    pub fn compress_assign<'a>(
        &self,
        mask: &Tensor,
        axis: isize,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("compress_assign").with(&params);
        let index = mask_at_axis(call.op, self, mask, axis)?;
        write(call, self, &index, values.into(), WriteMode::Assign)
    }

    /// Returns the indices of the nonzero elements in row-major order: one `int64` tensor for each
    /// axis.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[0, 5], [6, 7]];
    /// let indices = x.nonzero()?;
    /// assert_eq!(indices[0].to_vec::<i64>()?, [0, 1, 1]);
    /// assert_eq!(indices[1].to_vec::<i64>()?, [1, 0, 1]);
    /// assert_eq!(x.index(at![&indices[0], &indices[1]])?.to_vec::<i32>()?, [5, 6, 7]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the tensor has no axes, or memory cannot be allocated.
    ///
    /// # Memory
    /// Copies nothing; the results are rows of one new tensor.
    #[track_caller]
    pub fn nonzero(&self) -> Result<Vec<Tensor>, Error> {
        let call = Call::new("nonzero");
        if self.rank() == 0 {
            let (operation, most) = (call.op, usize::MAX);
            return Err(LayoutError::WrongRank { operation, least: 1, most, rank: 0 }.into());
        }
        composite(call, &[self.into()], || self.nonzero_coordinates(call)?.unstack(0))
    }

    /// Returns the indices of the nonzero elements in row-major order: one row of `int64` for each
    /// element.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[0, 5], [6, 0]];
    /// assert_eq!(x.argwhere()?.to_vec::<i64>()?, [0, 1, 1, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if memory cannot be allocated.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor in column-major order.
    #[track_caller]
    pub fn argwhere(&self) -> Result<Tensor, Error> {
        let call = Call::new("argwhere");
        composite(call, &[self.into()], || self.nonzero_coordinates(call)?.t())
    }

    /// Returns the indices of the nonzero elements: a row for each axis.
    fn nonzero_coordinates(&self, call: Call<'_>) -> Result<Tensor, Error> {
        compute_data_dependent(call, &[self.into()], |[mask], room| {
            let trues = CountedMask::count(&mask);
            let layout = Layout::row_major(&[mask.layout().rank(), trues.len()])?;
            Ok(trues.coordinates(room.allocate(layout, DType::Int64)?))
        })
    }

    /// Returns the tensor with each position of `axis` repeated as often as `counts` says.
    #[track_caller]
    pub(in crate::op) fn repeat_each(&self, axis: usize, counts: &Tensor) -> Result<Tensor, Error> {
        let call = Call::new("repeat");
        AdvancedSelection::repeated(call, self, axis, counts)?.read(call)
    }
}

/// Writes [`Tensor::masked_select`] of `x` to `out`, which may share memory with `x` and with the
/// mask.
///
/// ```
/// use belvedere::{masked_select_into, prelude::*};
///
/// let (x, out) = (tensor![1, -2, 3], Tensor::zeros([2], DType::Float32)?);
/// masked_select_into(&x, &x.greater(0)?, &out)?;
/// assert_eq!(out.to_vec::<f32>()?, [1.0, 3.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`Tensor::masked_select`]. Also fails if `out` has another shape than the result, its
/// dtype cannot hold the result, or it cannot be written to.
///
/// # Memory
/// Computes the result in a temporary tensor first if `out` shares elements with `x`.
#[track_caller]
pub fn masked_select_into<'a>(
    x: &Tensor,
    mask: &Tensor,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let call = Call::new("masked_select");
    let mask = broadcast_mask(call.op, mask, x)?;
    read_into(call, x, &[TensorIndex::from(&mask)], out.into())
}

/// Returns the index that selects the positions of `axis` at which the 1-D `mask` is true.
fn mask_at_axis<'i>(
    op: &'static str,
    x: &Tensor,
    mask: &'i Tensor,
    axis: isize,
) -> Result<Vec<TensorIndex<'i>>, Error> {
    let index = index_at_axis(x, mask, axis)?;
    check_mask_dtype(op, mask)?;
    if mask.rank() != 1 {
        let (operation, rank) = (op, mask.rank());
        return Err(LayoutError::WrongRank { operation, least: 1, most: 1, rank }.into());
    }
    Ok(index)
}

/// Returns an error if `mask` is not of dtype `bool`.
fn check_mask_dtype(op: &'static str, mask: &Tensor) -> Result<(), Error> {
    match mask.dtype().is_bool() {
        true => Ok(()),
        false => Err(Error::Unsupported { op, dtype: mask.dtype() }),
    }
}

/// Returns `mask` broadcast to the shape of `x`.
fn broadcast_mask(op: &'static str, mask: &Tensor, x: &Tensor) -> Result<Tensor, Error> {
    check_mask_dtype(op, mask)?;
    Ok(mask.with_layout(mask.layout().broadcast_to(&*x.shape())?))
}
