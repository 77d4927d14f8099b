//! Assignment to existing elements, with broadcasting and casts.

use super::execute::{InputIsOutput, compute_into, compute_small_into};
use super::operand::{Operand, Target};
use crate::kernel::cast::cast;
use crate::kernel::copy::copy;
use crate::kernel::map::map;
use crate::kernel::map_lens::{self, RowMajorSource};
use crate::kernel::small::copy_small;
use crate::trace::Call;
use crate::view::Source;
use crate::{DType, Error, Layout, can_assign};

/// Writes `x` to `out`, broadcast to its shape and cast to its dtype.
///
/// They may share memory: the result is as if `x` had been copied first.
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
/// If the shape does not broadcast to that of `out`, the dtype is of a greater kind
/// ([`can_assign`]), a scalar does not fit into the dtype, or `out` cannot be written to.
///
/// # Memory
/// Copies `x` first if it overlaps `out` with other strides.
#[track_caller]
pub fn assign_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    let call = Call::new("assign");
    assign(call, x.into(), out.into(), can_assign)
}

/// Writes `x` to `out` as [`assign_into`] does, with the casts of
/// [`Tensor::astype`](crate::Tensor::astype): also to a lesser kind of dtype.
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
/// If the shape does not broadcast to that of `out`, complex elements would be cast to a real dtype, or `out`
/// cannot be written to.
///
/// # Memory
/// Copies `x` first if it overlaps `out` with other strides.
#[track_caller]
pub fn astype_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    let call = Call::new("astype");
    let allows = |from: DType, to: DType| !from.is_complex() || to.is_complex() || to.is_bool();
    assign(call, x.into(), out.into(), allows)
}

/// Writes `x` to `out`, if its dtype may be cast to that of `out`.
fn assign(
    call: Call<'_>,
    mut x: Operand<'_>,
    out: Target<'_>,
    allows: fn(DType, DType) -> bool,
) -> Result<(), Error> {
    let (shape, to) = (out.layout().shape(), out.dtype());
    let from = x.dtype().unwrap_or(to);
    let event = call.announce();
    if let Some(tensor) = out.tensor()
        && x.set_scalar_dtype(to).is_ok()
        && from == to
        && compute_small_into(&event, tensor, std::array::from_ref(&x), copy_small)?
    {
        return Ok(());
    }
    Layout::row_major(&x.shape())?.broadcast_to(&*shape)?;
    if !allows(from, to) {
        return Err(Error::Cast { from, to });
    }
    x.set_scalar_dtype(to)?;
    let operands = std::array::from_ref(&x);
    let call = event.continued(call).planned();
    compute_into(call, out, operands, InputIsOutput::InPlace, |out, [source]| {
        let convert = || cast(from, to);
        match (x.stream(source, &shape), from == to) {
            (RowMajorSource::Source(Source::Output(_)), _) => return,
            (RowMajorSource::Source(Source::View(view)), true) => copy(out, &view),
            (RowMajorSource::Source(source), _) => map(&convert(), out, &[source]),
            (RowMajorSource::Lens(lens), true) => map_lens::copy(out, &lens),
            (stream, false) => map_lens::map(&convert(), out, &[stream]),
        };
    })
}
