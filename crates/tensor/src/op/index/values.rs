//! Values that are written to picked elements.

use crate::copies::{self, CopyReason};
use crate::kernel::cast::cast;
use crate::kernel::map::map;
use crate::op::operand::Operand;
use crate::plan::output_layout;
use crate::view::{Call, Cell, Input, Source, fresh};
use crate::{DType, Error, Tensor, can_assign};

/// Values of the type that they are written as, with strides.
pub(super) enum Values<'a> {
    Number(Cell),
    Made(Tensor),
    Given(Operand<'a>),
}

impl<'a> Values<'a> {
    /// Converts values to a type, and copies lenses, which have no strides. Both are announced.
    ///
    /// # Errors
    /// If the type is of a greater kind, a number does not fit, or the copy is forbidden.
    pub(super) fn new(operand: Operand<'a>, to: DType, call: Call) -> Result<Values<'a>, Error> {
        if let Some(cell) = operand.cell(to)? {
            return Ok(Values::Number(cell));
        }
        let from = operand.dtype().expect("all but numbers have a type");
        if !can_assign(from, to) {
            return Err(Error::Cast { from, to });
        }
        if let Some(lens) = operand.lens() {
            let copied = lens.copied(call.op, CopyReason::NoView, call.caller)?;
            return match from == to {
                true => Ok(Values::Made(copied)),
                false => converted(&Operand::from(&copied), to, call).map(Values::Made),
            };
        }
        match from == to {
            true => Ok(Values::Given(operand)),
            false => converted(&operand, to, call).map(Values::Made),
        }
    }

    pub(super) fn input(&self) -> Input<'_> {
        match self {
            Values::Number(cell) => Input::View(cell.view()),
            Values::Made(tensor) => Input::Tensor(tensor),
            Values::Given(operand) => operand.input(&None),
        }
    }
}

/// A tensor of the same elements in another type.
fn converted(operand: &Operand<'_>, to: DType, call: Call) -> Result<Tensor, Error> {
    let input = operand.input(&None);
    copies::announce(call.op, CopyReason::Cast, input.layout(), to.size(), call.caller)?;
    let layout = output_layout(&input.layout().shape(), &[input.layout()])?;
    let body = cast(input.dtype(), to);
    fresh(layout, to, [input], |out, [view]| map(&body, out, &[Source::View(view)]))
}
