//! Joining and rearranging: `concat`, `stack`, `pad`, `repeat`, `tile`, `roll`, `meshgrid`, `tril`.

mod concat;
mod meshgrid;
mod pad;
mod repeat;
mod roll;
mod segments;
mod tril_triu;

pub(super) use concat::check_other_axes;
pub use concat::*;
pub use meshgrid::*;
pub use pad::PadMode;
pub use tril_triu::*;

use crate::copies::CopyReason;
use crate::kernel::cast::cast;
use crate::kernel::copy::copy;
use crate::kernel::map::map;
use crate::op::operand::Operand;
use crate::tensor::try_collect;
use crate::trace::Call;
use crate::view::{AnyView, AnyViewMut, Source, Written};
use crate::{Error, Tensor};
use belvedere_layout::Reshape;
use std::borrow::Borrow;

/// Copies `view` to `out`, which has the same shape, with a cast if the dtypes differ.
fn copy_cast<'x>(out: AnyViewMut<'x>, view: &AnyView<'_>) -> Written<'x> {
    match out.dtype() == view.dtype() {
        true => copy(out, view),
        false => map(&cast(view.dtype(), out.dtype()), out, &[Source::View(view.clone())]),
    }
}

/// Returns the tensors as operands.
fn operands_of<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Vec<Operand<'_>>, Error> {
    try_collect(tensors.iter().map(|it| Operand::from(Borrow::<Tensor>::borrow(it))))
}

/// Returns the tensor with one axis, as a view if there is one, else as a copy.
fn flattened(x: &Tensor, call: Call<'_>) -> Result<Tensor, Error> {
    match x.layout().reshape([-1])? {
        Reshape::View(layout) => Ok(x.with_layout(layout)),
        Reshape::Copy { .. } => {
            let copied = x.copied(call.part().copying(CopyReason::NoView))?;
            Ok(copied.with_layout(copied.layout().view([-1])?))
        }
    }
}
