//! Masks, and where they are true.

use super::entry::At;
use super::{Picked, Way, write};
use crate::kernel::mask::Trues;
use crate::op::operand::Operand;
use crate::view::{Call, Input, fresh_found};
use crate::{DType, Error, Layout, LayoutError, Tensor, can_cast, where_, where_into};
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
    /// broadcast to the shape.
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
            Some(from) if !can_cast(from, self.dtype()) => {
                return Err(Error::Cast { from, to: self.dtype() });
            }
            Some(_) => {}
        }
        where_(mask, value, self.clone())
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
        let k = self.layout().resolve_axis(axis)?;
        check_type("compress", mask)?;
        if mask.rank() != 1 {
            let (operation, rank) = ("compress", mask.rank());
            return Err(LayoutError::WrongRank { operation, least: 1, most: 1, rank }.into());
        }
        let mut index = vec![At::ALL; k];
        index.push(mask.into());
        self.index(index)
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
    /// The results are rows of one new tensor.
    #[track_caller]
    pub fn nonzero(&self) -> Result<Vec<Tensor>, Error> {
        if self.rank() == 0 {
            let (operation, most) = ("nonzero", usize::MAX);
            return Err(LayoutError::WrongRank { operation, least: 1, most, rank: 0 }.into());
        }
        self.places(Call { op: "nonzero", caller: Location::caller() })?.unstack(0)
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
    /// The result is new, with the columns one behind the other.
    #[track_caller]
    pub fn argwhere(&self) -> Result<Tensor, Error> {
        self.places(Call { op: "argwhere", caller: Location::caller() })?.t()
    }

    /// The coordinates of all elements that are not zero: a row for each axis.
    fn places(&self, call: Call) -> Result<Tensor, Error> {
        let mask = super::values::as_type(self, DType::Bool, call)?;
        fresh_found([Input::Tensor(&mask)], |[mask], room| {
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
