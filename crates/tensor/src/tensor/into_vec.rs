//! `into_vec`: a tensor becomes the vector that it was made from.

use super::Tensor;
use crate::trace::{Call, EventKind};
use crate::{Error, Layout, Value};

impl Tensor {
    /// Converts to a vector, in row-major order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let values = vec![1.0, 2.0, 3.0, 4.0];
    /// let address = values.as_ptr();
    /// let x = Tensor::from_vec(values, [2, 2])?;
    /// x.slice(s![1, ..])?.fill(0.0)?;
    /// let values = x.into_vec::<f64>()?;
    /// assert_eq!(values, [1.0, 2.0, 0.0, 0.0]);
    /// assert_eq!(values.as_ptr(), address);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the dtype differs, a guard holds elements for writing, or there is not enough memory.
    ///
    /// # Memory
    /// Does not copy if the memory is that of a `Vec<T>`, no other tensor or guard shares it, and the elements are
    /// contiguous from its first one on: `capacity` and address stay those of the vector. (For `bool` the bytes are
    /// read once, as a tensor may hold others than 0 and 1.) Otherwise copies, as [`Tensor::to_vec`].
    #[track_caller]
    pub fn into_vec<T: Value>(self) -> Result<Vec<T>, Error> {
        self.into_vec_by(Call::new("into_vec"))
    }

    /// Converts to a vector, as [`Tensor::into_vec`], for a call.
    pub(crate) fn into_vec_by<T: Value>(mut self, call: Call<'_>) -> Result<Vec<T>, Error> {
        self.check_type::<T::Element>()?;
        if self.offset() != 0 || !self.is_contiguous() || !self.can_take_vec::<T>() {
            return self.copied_to_vec(call);
        }
        let (mut values, layout) = self.take_vec(call);
        values.truncate(layout.len());
        Ok(values)
    }

    /// Returns whether the memory is that of a `Vec<T>`, and no other tensor or guard shares it.
    pub(crate) fn can_take_vec<T: Value>(&mut self) -> bool {
        self.dtype == T::DTYPE && self.storage.can_take_vec::<T>()
    }

    /// Returns the vector that the tensor was made from, and the layout, whose offsets are positions in it.
    ///
    /// # Panics
    /// Unless [`Tensor::can_take_vec`] returns true.
    pub(crate) fn take_vec<T: Value>(self, call: Call<'_>) -> (Vec<T>, Layout) {
        // No other code has the memory: an observer has nothing to refuse.
        call.announce().deliver(EventKind::Export, &[(&self).into()], &[]);
        let values = self.storage.take_vec();
        (values.expect("the memory of a vector that is not shared"), self.layout)
    }
}
