//! Masks, and where they are true.

use super::entry::At;
use super::{Picked, Way, read_into, write};
use crate::kernel::mask::Trues;
use crate::op::element::WHERE;
use crate::op::operand::{Operand, Target};
use crate::view::{Call, Input, fresh_found};
use crate::{DType, Error, Layout, LayoutError, Tensor, can_assign, where_into};
use std::panic::Location;

impl Tensor {
    /// The elements at which a mask is true, in the order of the indices. The mask is broadcast to the
    /// shape. NumPy's `extract`.
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
    /// If the mask is not of `bool`, or does not broadcast.
    ///
    /// # Memory
    /// The result is new.
    pub fn masked_select(&self, mask: &Tensor) -> Result<Tensor, Error> {
        let mask = fitting("masked_select", mask, self)?;
        self.index([At::from(&mask)])
    }

    /// The elements, with those at which a mask is true replaced by a value. The mask and the value are
    /// broadcast to the shape, and the value is converted to the type.
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
    /// If the mask is not of `bool`, something does not broadcast, or the value is of a greater kind
    /// of type.
    ///
    /// # Memory
    /// The result is new.
    #[track_caller]
    pub fn masked_fill<'a>(
        &self,
        mask: &'a Tensor,
        value: impl Into<Operand<'a>>,
    ) -> Result<Tensor, Error> {
        let mask = fitting("masked_fill", mask, self)?;
        let value = value.into();
        Layout::row_major(&value.shape())?.broadcast_to(&*self.shape())?;
        match value.dtype() {
            None => drop(value.cell(self.dtype())?),
            Some(from) if !can_assign(from, self.dtype()) => {
                return Err(Error::Cast { from, to: self.dtype() });
            }
            Some(_) => {}
        }
        WHERE.of_as([mask.into(), value, self.into()], self.dtype())
    }

    /// Writes values to the elements at which a mask is true: as many as there are, in their order, or
    /// one for all. The mask is broadcast to the shape.
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
    /// If the mask is not of `bool` or does not broadcast, there are neither one value nor as many as are
    /// needed, they are of a greater kind of type, or the tensor cannot be written to.
    ///
    /// # Memory
    /// Copies the values first if they are of another type, or share elements with this tensor.
    #[track_caller]
    pub fn masked_assign<'a>(
        &self,
        mask: &Tensor,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let call = Call { op: "masked_assign", caller: Location::caller() };
        let (mask, values): (_, Operand<'_>) = (fitting(call.op, mask, self)?, values.into());
        if values.dtype().is_none() {
            // A number: no list of places is needed.
            values.cell(self.dtype())?;
            return where_into::<'_>(mask, values, self, self);
        }
        write(call, self, &[At::from(&mask)], values, Way::Assign)
    }

    /// The positions of an axis at which a mask of rank 1 is true.
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
    /// If there is no such axis, or the mask is not of `bool`, rank 1 and the length of the axis.
    ///
    /// # Memory
    /// The result is new.
    pub fn compress(&self, mask: &Tensor, axis: isize) -> Result<Tensor, Error> {
        self.index(along("compress", self, mask, axis)?)
    }

    /// Writes to the positions of an axis at which a mask of rank 1 is true: what [`Tensor::compress`]
    /// would give becomes `values`, broadcast and converted.
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
    /// As for [`Tensor::compress`]; and if the values do not broadcast or are of a greater kind of type, or
    /// the tensor cannot be written to. Nothing is written then.
    ///
    /// # Memory
    /// Copies the values first if they are of another type, or share elements with this tensor.
    #[track_caller]
    pub fn compress_assign<'a>(
        &self,
        mask: &Tensor,
        axis: isize,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let call = Call { op: "compress_assign", caller: Location::caller() };
        let index = along(call.op, self, mask, axis)?;
        write(call, self, &index, values.into(), Way::Assign)
    }

    /// The positions of all elements that are not zero, in the order of the indices: for each axis a
    /// tensor of `int64`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[0, 5], [6, 7]];
    /// let places = x.nonzero()?;
    /// assert_eq!(places[0].to_vec::<i64>()?, [0, 1, 1]);
    /// assert_eq!(places[1].to_vec::<i64>()?, [1, 0, 1]);
    /// assert_eq!(x.index(at![&places[0], &places[1]])?.to_vec::<i32>()?, [5, 6, 7]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are no axes, or not enough memory.
    ///
    /// # Memory
    /// Copies nothing; the results are rows of one new tensor.
    pub fn nonzero(&self) -> Result<Vec<Tensor>, Error> {
        if self.rank() == 0 {
            let (operation, most) = ("nonzero", usize::MAX);
            return Err(LayoutError::WrongRank { operation, least: 1, most, rank: 0 }.into());
        }
        self.places()?.unstack(0)
    }

    /// The positions of all elements that are not zero, in the order of the indices: a row of `int64` for each.
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
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Copies nothing; the result is new, with the columns one behind the other.
    pub fn argwhere(&self) -> Result<Tensor, Error> {
        self.places()?.t()
    }

    /// The coordinates of all elements that are not zero: a row for each axis.
    fn places(&self) -> Result<Tensor, Error> {
        fresh_found([Input::Tensor(self)], |[mask], room| {
            let trues = Trues::count(&mask);
            let layout = Layout::row_major(&[mask.layout().rank(), trues.len()])?;
            Ok(trues.coordinates(room.make(layout, DType::Int64)?))
        })
    }

    /// Each position of an axis as often as the counts say.
    pub(in crate::op) fn repeat_each(&self, axis: usize, counts: &Tensor) -> Result<Tensor, Error> {
        Picked::repeated(self, axis, counts)?.read()
    }
}

/// Writes [`Tensor::masked_select`] to `out`, which may share memory with `x` and with the mask.
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
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// Makes the result apart first if `out` and `x` share elements.
#[track_caller]
pub fn masked_select_into<'a>(
    x: &Tensor,
    mask: &Tensor,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let call = Call { op: "masked_select", caller: Location::caller() };
    let mask = fitting(call.op, mask, x)?;
    read_into(call, x, &[At::from(&mask)], out.into())
}

/// The index of a mask that stands at one axis.
fn along<'i>(
    op: &'static str,
    x: &Tensor,
    mask: &'i Tensor,
    axis: isize,
) -> Result<Vec<At<'i>>, Error> {
    let k = x.layout().resolve_axis(axis)?;
    check_type(op, mask)?;
    if mask.rank() != 1 {
        let (operation, rank) = (op, mask.rank());
        return Err(LayoutError::WrongRank { operation, least: 1, most: 1, rank }.into());
    }
    let mut index = vec![At::ALL; k];
    index.push(mask.into());
    Ok(index)
}

fn check_type(op: &'static str, mask: &Tensor) -> Result<(), Error> {
    match mask.dtype().is_bool() {
        true => Ok(()),
        false => Err(Error::Unsupported { op, dtype: mask.dtype() }),
    }
}

/// A mask in the shape of a tensor.
fn fitting(op: &'static str, mask: &Tensor, x: &Tensor) -> Result<Tensor, Error> {
    check_type(op, mask)?;
    mask.broadcast_to(&*x.shape())
}
