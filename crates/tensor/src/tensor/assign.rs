//! Writing to elements.

use super::Tensor;
use crate::kernel::copy::copy;
use crate::view::{Call, Cell, Input, Output, Same, Source, into};
use crate::{Error, Layout, Operand, Value, assign_into, mul_into};
use std::panic::Location;

impl Tensor {
    /// Writes a number to every element.
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
    /// If the type cannot hold the number, or the tensor cannot be written to.
    #[track_caller]
    pub fn fill<'a>(&self, value: impl Into<Operand<'a>>) -> Result<(), Error> {
        let value: Operand<'_> = value.into();
        assign_into(value, self)
    }

    /// Writes zero to every element.
    ///
    /// # Errors
    /// If the tensor cannot be written to.
    #[track_caller]
    pub fn clear(&self) -> Result<(), Error> {
        assign_into(false, self)
    }

    /// Multiplies every element by a number.
    ///
    /// # Errors
    /// If the type cannot hold the number, or the tensor cannot be written to.
    #[track_caller]
    pub fn scale<'a>(&self, factor: impl Into<Operand<'a>>) -> Result<(), Error> {
        let factor: Operand<'_> = factor.into();
        mul_into(self, factor, self)
    }

    /// Writes the elements of another tensor of the same shape and type. They may share memory:
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
    /// If the shapes or types differ, or the tensor cannot be written to.
    ///
    /// # Memory
    /// Copies the source first if the two share elements, and not each by the same strides.
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

    /// Writes to a part: `x[index] = values`, with broadcasting and conversion to this type.
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
    /// If the index is wrong, the values do not broadcast to the part or are of a greater kind of
    /// type, or the tensor cannot be written to.
    #[track_caller]
    pub fn assign<'a>(
        &self,
        index: impl AsRef<[crate::Index]>,
        values: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let (part, values) = (self.slice(index)?, values.into());
        assign_into::<'_>(values, &part)
    }

    /// Writes one element.
    ///
    /// # Errors
    /// If there is no such element, it is of another type, or the tensor cannot be written to: in a
    /// broadcast tensor other elements would change with it.
    #[track_caller]
    pub fn set<T: Value>(&self, index: &[usize], value: T) -> Result<(), Error> {
        let call = Call { op: "set", caller: Location::caller() };
        let at = self.with_layout(Layout::scalar(self.layout.offset(index)?)?);
        if self.dtype != T::DTYPE {
            return Err(Error::WrongDType { asked: T::DTYPE, found: self.dtype });
        }
        self.check_writable()?;
        let cell = Cell::new(value.into_element());
        let (out, inputs) = (Output::Tensor(&at), [Input::View(cell.view())]);
        into(call, out, inputs, Same::InPlace, |out, [source]| {
            if let Source::View(value) = source {
                copy(out, &value);
            }
        })
    }
}
