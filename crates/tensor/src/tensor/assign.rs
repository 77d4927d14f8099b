//! Writing elements: fill, scale, copy and assign to parts.

use super::Tensor;
use crate::kernel::copy::copy;
use crate::op::execute::{InputIsOutput, compute_into, try_write_element, try_write_value};
use crate::trace::{Call, is_listening};
use crate::view::{Cell, Source};
use crate::{ElementIndex, Error, Layout, Operand, Value, assign_into, mul_into};

impl Tensor {
    /// Writes a scalar to every element.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 2], DType::Int16)?;
    /// x.diagonal(0, 0, 1)?.fill(3)?;
    /// assert_eq!(x.to_vec::<i16>()?, [3, 0, 0, 3]);
    /// assert!(x.fill(100_000).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the dtype cannot hold the scalar, or the tensor cannot be written.
    #[track_caller]
    pub fn fill<'a>(&self, value: impl Into<Operand<'a>>) -> Result<(), Error> {
        let value: Operand<'_> = value.into();
        assign_into(value, self)
    }

    /// Writes zero to every element.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2];
    /// x.clear()?;
    /// assert_eq!(x.to_vec::<i32>()?, [0, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the tensor cannot be written.
    #[track_caller]
    pub fn clear(&self) -> Result<(), Error> {
        assign_into(false, self)
    }

    /// Multiplies every element by a scalar, in place.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1.0, 2.0];
    /// x.scale(1.5)?;
    /// assert_eq!(x.to_vec::<f64>()?, [1.5, 3.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the dtype cannot hold the scalar, or the tensor cannot be written.
    #[track_caller]
    pub fn scale<'a>(&self, factor: impl Into<Operand<'a>>) -> Result<(), Error> {
        let factor: Operand<'_> = factor.into();
        mul_into(self, factor, self)
    }

    /// Copies the elements of another tensor of the same shape and dtype into this one. They may share memory:
    /// the result is as if the source had been copied first.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..9)?.reshape([3, 3])?;
    /// x.copy_from(&x.t()?)?;
    /// assert_eq!(x.to_vec::<i32>()?, [0, 3, 6, 1, 4, 7, 2, 5, 8]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes or dtypes differ, or the tensor cannot be written.
    ///
    /// # Memory
    /// Copies the source first if the two share elements, except where they have the same strides.
    #[track_caller]
    pub fn copy_from(&self, source: &Tensor) -> Result<(), Error> {
        if self.shape() != source.shape() {
            let (needed, given) = (self.shape().into(), source.shape().into());
            return Err(Error::ShapeMismatch { op: "copy_from", needed, given });
        }
        if self.dtype != source.dtype {
            return Err(Error::WrongDType { asked: self.dtype, found: source.dtype });
        }
        assign_into(source, self)
    }

    /// Assigns to a part: `x[index] = values`, with broadcasting and implicit casts to this dtype.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..24)?;
    /// x.assign(s![4..20;5], &x.slice(s![6..10])?)?;
    /// assert_eq!(x.slice(s![4..20;5])?.to_vec::<i32>()?, [6, 7, 8, 9]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the index is invalid, the values do not broadcast to the part or cannot be cast implicitly
    /// ([`can_assign`](crate::can_assign)), or the tensor cannot be written.
    #[track_caller]
    pub fn assign<'a>(
        &self,
        index: impl AsRef<[crate::Index]>,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let part = self.with_layout(self.layout.slice(index.as_ref())?);
        let values: Operand<'_> = values.into();
        assign_into(values, &part)
    }

    /// Writes values to the elements that a layout reaches in the same storage: for bindings, which have
    /// indices of their own.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// x.assign_through(x.layout().select(1, 0)?, 7)?;
    /// assert_eq!(x.to_vec::<i32>()?, [7, 2, 7, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the layout exceeds the storage, the values do not broadcast to it or cannot be cast implicitly
    /// ([`can_assign`](crate::can_assign)), or the tensor cannot be written.
    #[doc(hidden)]
    #[track_caller]
    pub fn assign_through<'a>(
        &self,
        layout: Layout,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let part = Tensor::from_storage(self.storage.clone(), layout, self.dtype)?;
        let values: Operand<'_> = values.into();
        assign_into(values, &part)
    }

    /// Writes a number or a tensor of rank 0 to the element at an offset of the storage, if that can be done at once, and
    /// returns whether it was: not if a scope listens, another thread has claimed the memory, the value is of another dtype
    /// or does not fit into it, the storage ends before the element, or it is read-only. The fast path of bindings;
    /// [`Tensor::assign_through`] does the same in every case, and reports the errors.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 3];
    /// assert!(x.try_set_element(2, 7));
    /// assert_eq!(x.to_vec::<i32>()?, [1, 2, 7]);
    /// assert!(!x.try_set_element(2, 0.5) && !x.try_set_element(3, 7));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[doc(hidden)]
    #[inline]
    pub fn try_set_element<'a>(&self, offset: usize, value: impl Into<Operand<'a>>) -> bool {
        !is_listening() && try_write_element(self, offset, &mut value.into())
    }

    /// Like [`Tensor::try_set_element`] for a value of the tensor's own type.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 3];
    /// assert!(x.try_set_value(2, 7));
    /// assert_eq!(x.to_vec::<i32>()?, [1, 2, 7]);
    /// assert!(!x.try_set_value(2, 0.5) && !x.try_set_value(3, 7));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[doc(hidden)]
    #[inline]
    pub fn try_set_value<T: Value>(&self, offset: usize, value: T) -> bool {
        !is_listening() && try_write_value(self, offset, value.into_element())
    }

    /// Writes one element.
    ///
    /// Every call claims the memory, as [`Tensor::get`] does; a loop borrows the tensor once with [`Tensor::write`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// x.set([1, 0], 7)?;
    /// assert_eq!(x.to_vec::<i32>()?, [1, 2, 7, 4]);
    /// assert!(tensor![1].broadcast_to([3])?.set(&[0], 2).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the index is out of range, the dtype differs, or the tensor cannot be written: in a broadcast tensor
    /// other elements would change, too.
    #[track_caller]
    pub fn set<T: Value>(&self, index: impl ElementIndex, value: T) -> Result<(), Error> {
        let call = Call::new("set");
        let at = self.with_layout(Layout::scalar(index.offset(&self.layout)?)?);
        if self.dtype != T::DTYPE {
            return Err(Error::WrongDType { asked: T::DTYPE, found: self.dtype });
        }
        self.check_writable()?;
        let cell = Cell::new(value.into_element());
        let (out, inputs) = ((&at).into(), &[cell.view().into()]);
        compute_into(call, out, inputs, InputIsOutput::InPlace, |out, [source]| {
            if let Source::View(value) = source {
                copy(out, &value);
            }
        })
    }
}
