//! How an operation on whole lanes along an axis is carried out, whatever it calculates.

use crate::op::operand::{Place, Target};
use crate::plan::output_layout;
use crate::view::{AnyViewMut, Call, Input, Same, Source, Written, fresh, into};
use crate::{DType, Error, Layout, Shape, Tensor, assign_into};
use std::panic::Location;

/// An operation that gives a lane for each lane of a tensor.
pub(super) struct Lanes<K> {
    /// The name, for messages.
    pub name: &'static str,
    /// The shape of the result, which differs from the tensor's in one axis at most.
    pub shape: Shape,
    /// The type of the result.
    pub dtype: DType,
    /// What writes the lanes.
    pub kernel: K,
}

/// What writes the lanes of an output. The source is a view, or the output itself.
pub(super) trait Write {
    fn write<'x>(&self, out: AnyViewMut<'x>, source: &Source<'_>) -> Written<'x>;
}

impl<K: Write> Lanes<K> {
    /// Makes a tensor of the results.
    pub(super) fn of(&self, x: &Tensor) -> Result<Tensor, Error> {
        let layout = match x.shape() == self.shape {
            true => output_layout(&self.shape, &[x.layout()])?,
            false => Layout::row_major(&self.shape)?,
        };
        fresh(layout, self.dtype, [Input::Tensor(x)], |out, [view]| {
            self.kernel.write(out, &Source::View(view))
        })
    }

    /// Writes the results to something that exists.
    pub(super) fn write(
        &self,
        x: &Tensor,
        out: Target<'_>,
        caller: &'static Location<'static>,
    ) -> Result<(), Error> {
        self.check(&out)?;
        if out.dtype() != self.dtype {
            return assign_into(&self.of(x)?, out);
        }
        // A lane that is written where it was read is packed first; one that is not is copied.
        let is_same = |out: &Tensor| {
            (out.storage().ptr(), out.layout(), out.dtype())
                == (x.storage().ptr(), x.layout(), x.dtype())
        };
        let same = match &out.0 {
            Place::Tensor(tensor) if is_same(tensor) => Same::InPlace,
            _ => Same::Buffer,
        };
        let call = Call { op: self.name, caller };
        into(call, out.output(), [Input::Tensor(x)], same, |out, [source]| {
            self.kernel.write(out, &source);
        })
    }

    /// Refuses an output that cannot hold the results.
    pub(super) fn check(&self, out: &Target<'_>) -> Result<(), Error> {
        out.check(self.name, &self.shape, self.dtype)
    }
}
