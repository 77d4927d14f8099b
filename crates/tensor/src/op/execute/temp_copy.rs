//! [`TempCopy`]: a copy of an operand that an operation makes on its way, and copies for observers.

use super::{BorrowedInputs, NewResult};
use crate::cancel;
use crate::copies::CopyReason;
use crate::kernel::copy::copy;
use crate::op::operand::Operand;
use crate::trace::{Announcement, ClaimedElement, ClaimedMemory};
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, Error, Layout, Tensor};

/// A temporary copy of the elements of a view, which no other code has.
pub(crate) struct TempCopy {
    /// Never handed out, so nothing else can write to it.
    tensor: Tensor,
}

impl TempCopy {
    /// Copies the elements of a view: a kernel writes them to a dense layout, as elements of `dtype`.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(
        view: AnyView<'_>,
        layout: Layout,
        dtype: DType,
        kernel: impl for<'x> FnOnce(AnyViewMut<'x>, AnyView<'_>) -> Written<'x>,
    ) -> Result<TempCopy, Error> {
        let mut result = NewResult::allocate(layout, dtype)?;
        // The lifetime is this call's own, so the proof is for the result: every element is written.
        let view_mut = result.view_mut();
        let _: Written<'_> = cancel::catch(|| kernel(view_mut, view))?;
        Ok(TempCopy { tensor: result.into_tensor() })
    }

    /// Copies the elements of an operand that overlaps the output, in row-major order, and announces the copy.
    pub(super) fn of_operand(
        event: &Announcement<'_>,
        operand: &Operand<'_>,
        view: AnyView<'_>,
    ) -> Result<TempCopy, Error> {
        let (layout, dtype) = (view.layout().to_row_major(), view.dtype());
        let copy = TempCopy::new(view, layout, dtype, |out, view| copy(out, &view))?;
        event.deliver_copy(CopyReason::Overlap, operand, &copy.tensor);
        Ok(copy)
    }

    /// Returns the copy as a tensor.
    pub(super) fn into_tensor(self) -> Tensor {
        self.tensor
    }

    /// Returns the elements.
    pub(crate) fn view(&self) -> AnyView<'_> {
        let tensor = &self.tensor;
        // SAFETY: a tensor's layout fits in its storage, which is initialised and aligned; no other code has this
        // one, so nothing writes to it.
        unsafe {
            AnyView::from_parts(tensor.storage().ptr(), tensor.layout().clone(), tensor.dtype())
        }
    }
}

impl<const M: usize> ClaimedMemory for BorrowedInputs<'_, M> {
    fn copy_elements(&self, of: ClaimedElement) -> Result<Tensor, Error> {
        let view = match of {
            ClaimedElement::Input(n) => self.view(n),
            ClaimedElement::Output(n) => {
                self.borrowed_view(self.outs[n].tensor().expect("the output is a tensor"))
            }
        };
        let (layout, dtype) = (view.layout().to_row_major(), view.dtype());
        Ok(TempCopy::new(view, layout, dtype, |out, view| copy(out, &view))?.into_tensor())
    }
}
