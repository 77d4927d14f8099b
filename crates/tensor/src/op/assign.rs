//! Elements to other elements, with broadcasting and conversion.

use super::operand::{Operand, Target};
use crate::kernel::cast::cast;
use crate::kernel::copy::copy;
use crate::kernel::line::copy_line;
use crate::kernel::map::map;
use crate::kernel::stream::{self, Stream};
use crate::view::{Call, Same, Source, assign_line, fill_line, into};
use crate::{DType, Error, Layout, Tensor, can_assign};
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
    assign(call, x.into(), out.into(), can_assign)
}

/// Writes `x` to `out` as [`assign_into`] does, converted as by
/// [`Tensor::astype`](crate::Tensor::astype): also to a lesser kind of type.
///
/// ```
/// use belvedere::prelude::*;
///
/// let out = Tensor::zeros([2], DType::Int8)?;
/// belvedere::astype_into(&tensor![1.9, -300.0], &out)?;
/// assert_eq!(out.to_vec::<i8>()?, [1, -128]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the shape does not broadcast to that of `out`, complex numbers should become real, or `out` cannot
/// be written to.
///
/// # Memory
/// Copies `x` first if the two share elements, and not each by the same strides.
#[track_caller]
pub fn astype_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    let call = Call { op: "astype", caller: Location::caller() };
    let allows = |from: DType, to: DType| !from.is_complex() || to.is_complex() || to.is_bool();
    assign(call, x.into(), out.into(), allows)
}

/// Writes `x` to `out`, if its type may become that of `out`.
fn assign(
    call: Call,
    x: Operand<'_>,
    out: Target<'_>,
    allows: fn(DType, DType) -> bool,
) -> Result<(), Error> {
    if let Some(tensor) = out.tensor()
        && assign_along(&x, tensor)
    {
        return Ok(());
    }
    let out = out.output();
    let (shape, to) = (out.layout().shape(), out.dtype());
    Layout::row_major(&x.shape())?.broadcast_to(&*shape)?;
    let from = x.dtype().unwrap_or(to);
    if !allows(from, to) {
        return Err(Error::Cast { from, to });
    }
    let cell = x.cell(to)?;
    into(call, out, [x.input_or_lens(&cell)], Same::InPlace, |out, [source]| {
        let convert = || cast(from, to);
        match (x.stream(source, &shape), from == to) {
            (Stream::Source(Source::Output), _) => return,
            (Stream::Source(Source::View(view)), true) => copy(out, &view),
            (Stream::Source(source), _) => map(&convert(), out, &[source]),
            (Stream::Lens(lens), true) => stream::copy(out, &lens),
            (stream, false) => stream::map(&convert(), out, &[stream]),
        };
    })
}

/// Writes `x` to a tensor without a plan: a number, or as many elements of the same type, along a line. False
/// if it is anything else; nothing has happened then.
fn assign_along(x: &Operand<'_>, out: &Tensor) -> bool {
    match x.tensor() {
        Some(tensor) => tensor.dtype() == out.dtype() && assign_line(out, tensor, copy_line),
        None => x.cell_if_fits(out.dtype()).is_some_and(|it| fill_line(out, &it, copy_line)),
    }
}
