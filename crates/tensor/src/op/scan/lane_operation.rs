//! [`LaneOperation`]: runs a kernel on each lane (1-D slice) of a tensor along an axis.

use crate::op::execute::{InputIsOutput, compute_into, compute_new};
use crate::op::operand::{Target, TargetRepr};
use crate::plan::output_layout;
use crate::trace::{Call, composite_into};
use crate::view::{AnyViewMut, Source, Written};
use crate::{DType, Error, Layout, Shape, Tensor, assign_into};

/// An operation that computes one lane of the result from each lane of a tensor.
pub(super) struct LaneOperation<K> {
    /// The name of the operation in error messages.
    pub name: &'static str,
    /// The shape of the result, which differs from the tensor's in the length of one axis at most.
    pub shape: Shape,
    /// The dtype of the result.
    pub dtype: DType,
    /// The kernel that computes the lanes.
    pub kernel: K,
}

/// A kernel that writes all lanes of an output. The source is a view, or the output itself.
pub(super) trait LaneKernel {
    fn write<'x>(&self, out: AnyViewMut<'x>, source: &Source<'_>) -> Written<'x>;
}

impl<K: LaneKernel> LaneOperation<K> {
    /// Computes the operation into a new tensor.
    pub(super) fn compute(&self, call: Call<'_>, x: &Tensor) -> Result<Tensor, Error> {
        let layout = match x.shape() == self.shape {
            true => output_layout(&self.shape, &[x.layout()])?,
            false => Layout::row_major(&self.shape)?,
        };
        compute_new(call, layout, self.dtype, &[x.into()], |out, [view]| {
            self.kernel.write(out, &Source::View(view))
        })
    }

    /// Computes the operation and writes the result to `out`.
    pub(super) fn compute_into(
        &self,
        call: Call<'_>,
        x: &Tensor,
        out: Target<'_>,
    ) -> Result<(), Error> {
        self.check_output(&out)?;
        if out.dtype() != self.dtype {
            return composite_into(call, &[x.into()], out, |out| {
                assign_into(&self.compute(call, x)?, out)
            });
        }
        // In place, the kernel packs each lane before it writes it. An input that overlaps the output in
        // any other way is copied first.
        let is_same = |out: &Tensor| {
            (out.storage().ptr(), out.layout(), out.dtype())
                == (x.storage().ptr(), x.layout(), x.dtype())
        };
        let same = match &out.0 {
            TargetRepr::Tensor(tensor) if is_same(tensor) => InputIsOutput::InPlace,
            _ => InputIsOutput::Copy,
        };
        compute_into(call, out, &[x.into()], same, |out, [source]| {
            self.kernel.write(out, &source);
        })
    }

    /// Checks that `out` has the shape of the result and a dtype that can hold it.
    pub(super) fn check_output(&self, out: &Target<'_>) -> Result<(), Error> {
        out.check(self.name, &self.shape, self.dtype)
    }
}
