//! Operands as a kernel needs them that knows one type and strides only.

use super::operand::Operand;
use crate::copies::{self, CopyReason};
use crate::kernel::cast::cast;
use crate::kernel::map::map;
use crate::plan::output_layout;
use crate::view::{Call, Cell, Input, Source, fresh};
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

/// An operand as another type, unless it is of that type. A lens without strides is
/// copied. Both are on the record.
pub(super) fn converted(
    operand: &Operand<'_>,
    to: DType,
    call: Call,
) -> Result<Option<Box<Tensor>>, Error> {
    if let Some(lens) = operand.lens() {
        let copied = lens.copied(call.op, CopyReason::NoView, call.caller)?;
        let copied = Box::new(copied);
        let converted = converted(&Operand::from(&*copied), to, call)?;
        return Ok(Some(converted.unwrap_or(copied)));
    }
    let (Some(from), Some(layout)) = (operand.dtype(), operand.layout()) else {
        unreachable!("numbers have no type to be converted from");
    };
    if from == to {
        return Ok(None);
    }
    copies::announce(call.op, CopyReason::Cast, layout, to.size(), call.caller)?;
    let result = output_layout(&layout.shape(), &[layout])?;
    let body = cast(from, to);
    fresh(result, to, [operand.input(&None)], |out, [view]| map(&body, out, &[Source::View(view)]))
        .map(|tensor| Some(Box::new(tensor)))
}

/// A tensor as another type: a copy on the record, unless it is of that type.
pub(super) fn as_type(x: &Tensor, dtype: DType, call: Call) -> Result<Tensor, Error> {
    let converted = converted(&x.into(), dtype, call)?;
    Ok(converted.map_or_else(|| x.clone(), |it| *it))
}
