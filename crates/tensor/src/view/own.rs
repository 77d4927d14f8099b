//! A copy that an operation makes for itself.

use super::operate::view_of;
use super::{AnyView, AnyViewMut, Input, Written, fresh};
use crate::{DType, Error, Layout, Tensor};

/// Elements of a view in memory that nobody else has.
pub(crate) struct OwnCopy {
    /// Never handed out, only seen.
    tensor: Tensor,
}

impl OwnCopy {
    /// Copies the elements of a view: a kernel writes them to a dense layout, as elements of a type.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn of(
        view: AnyView<'_>,
        layout: Layout,
        dtype: DType,
        kernel: impl for<'x> FnOnce(AnyViewMut<'x>, AnyView<'x>) -> Written<'x>,
    ) -> Result<OwnCopy, Error> {
        let inputs = [Input::View(view)];
        let tensor = fresh(layout, dtype, inputs, |out, [view]| kernel(out, view))?;
        Ok(OwnCopy { tensor })
    }

    /// The elements.
    pub(crate) fn view(&self) -> AnyView<'_> {
        // SAFETY: the tensor is nobody else's, so nobody writes to it.
        unsafe { view_of(&self.tensor) }
    }
}
