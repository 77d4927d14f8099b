//! Tensors put together, repeated, rolled and padded; and views that belong together.

mod concat;
mod grid;
mod pad;
mod repeat;
mod roll;
mod segment;
mod triangle;

pub use concat::*;
pub use grid::*;
pub use pad::PadMode;
pub use roll::Shifts;
pub use triangle::*;

use crate::kernel::cast::cast;
use crate::kernel::copy::copy;
use crate::kernel::map::map;
use crate::view::{AnyView, AnyViewMut, Source, Written};

/// Writes elements to a place of the same shape, converted to its type.
fn transfer<'x>(out: AnyViewMut<'x>, view: &AnyView<'_>) -> Written<'x> {
    match out.dtype() == view.dtype() {
        true => copy(out, view),
        false => map(&cast(view.dtype(), out.dtype()), out, &[Source::View(view.clone())]),
    }
}
