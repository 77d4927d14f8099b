//! Operands as a kernel needs them that knows one type and strides only.

use super::linalg::converted;
use super::operand::Operand;
use crate::view::{Call, Cell, Input};
use crate::{DType, Error, Shape, Tensor};

/// An operand that has strides: a number is put into memory, and what has to be copied is, on the
/// record.
pub(super) struct Settled<'a> {
    operand: Operand<'a>,
    copy: Option<Box<Tensor>>,
    cell: Option<Cell>,
}

impl<'a> Settled<'a> {
    /// An operand as elements of a type: copied if it is of another.
    pub(super) fn of_type(
        operand: Operand<'a>,
        dtype: DType,
        call: Call,
    ) -> Result<Settled<'a>, Error> {
        let (copy, cell) = match operand.dtype() {
            None => (None, operand.cell(dtype)?),
            Some(_) => (converted(&operand, dtype, call)?, None),
        };
        Ok(Settled { operand, copy, cell })
    }

    /// An operand as it is, for a kernel that converts its elements to a type; a number is of it.
    pub(super) fn as_it_is(
        operand: Operand<'a>,
        dtype: DType,
        call: Call,
    ) -> Result<Settled<'a>, Error> {
        let own = operand.dtype().unwrap_or(dtype);
        Settled::of_type(operand, own, call)
    }

    pub(super) fn shape(&self) -> Shape {
        self.operand.shape()
    }

    pub(super) fn input(&self) -> Input<'_> {
        match &self.copy {
            Some(copy) => Input::Tensor(copy),
            None => self.operand.input(&self.cell),
        }
    }
}
