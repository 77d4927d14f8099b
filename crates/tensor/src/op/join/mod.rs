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
pub use roll::Shifts;
pub use tril_triu::*;

use crate::kernel::cast::cast;
use crate::kernel::copy::copy;
use crate::kernel::map::map;
use crate::view::{AnyView, AnyViewMut, Source, Written};

/// Copies `view` to `out`, which has the same shape, with a cast if the dtypes differ.
fn copy_cast<'x>(out: AnyViewMut<'x>, view: &AnyView<'_>) -> Written<'x> {
    match out.dtype() == view.dtype() {
        true => copy(out, view),
        false => map(&cast(view.dtype(), out.dtype()), out, &[Source::View(view.clone())]),
    }
}
