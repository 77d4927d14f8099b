//! Elements to other elements, with broadcasting and conversion.

use super::operand::{Operand, Target};
use crate::kernel::cast::cast;
use crate::kernel::copy::copy;
use crate::kernel::map::map;
use crate::view::{Call, Same, Source, into};
use crate::{Error, can_cast};
use std::panic::Location;

/// Writes `x` to `out`, broadcast to its shape and converted to its type. They may share memory: the
/// result is as if `x` had been copied first.
///
/// ```
/// use belvedere::prelude::*;
///
/// let out = Tensor::zeros([2, 2], DType::Float64)?;
/// belvedere::assign_into(&tensor![1, 2], &out)?;
/// assert_eq!(out.to_vec::<f64>()?, [1.0, 2.0, 1.0, 2.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the shape does not broadcast to that of `out`, the type is of a greater kind, a number does not
/// fit, or `out` cannot be written to.
///
/// # Memory
/// Copies `x` first if the two share elements, and not each by the same strides.
#[track_caller]
pub fn assign_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    let call = Call { op: "assign", caller: Location::caller() };
    let (x, out) = (x.into(), out.into().output());
    let (shape, to) = (out.layout().shape(), out.dtype());
    if let Some(layout) = x.layout() {
        layout.broadcast_to(&*shape)?;
    }
    let from = x.dtype().unwrap_or(to);
    if !can_cast(from, to) {
        return Err(Error::Cast { from, to });
    }
    let cell = x.cell(to)?;
    into(call, out, [x.input(&cell)], Same::InPlace, |out, [source]| match source {
        Source::Output => {}
        Source::Shifted(_) => drop(map(&cast(from, to), out, &[source])),
        Source::View(view) => {
            let view = view.broadcast_to(&shape).expect("it was broadcast before");
            match from == to {
                true => copy(out, &view),
                false => map(&cast(from, to), out, &[Source::View(view)]),
            };
        }
    })
}
