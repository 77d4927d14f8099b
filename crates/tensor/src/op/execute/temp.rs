//! A temporary copy that an operation makes of an operand.

use super::{compute_new, view_of};
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, Error, Layout, Tensor};

/// A copy of the elements of a view, which no other code has.
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
        kernel: impl for<'x> FnOnce(AnyViewMut<'x>, AnyView<'x>) -> Written<'x>,
    ) -> Result<TempCopy, Error> {
        let operands = [view.into()];
        let tensor = compute_new(layout, dtype, &operands, |out, [view]| kernel(out, view))?;
        Ok(TempCopy { tensor })
    }

    /// Returns the elements.
    pub(crate) fn view(&self) -> AnyView<'_> {
        // SAFETY: the tensor is not shared with any other code, as it is never handed out.
        unsafe { view_of(&self.tensor) }
    }
}
