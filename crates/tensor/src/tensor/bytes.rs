//! Elements out of bytes that lie anywhere.

use super::Tensor;
use crate::copies::{self, CopyReason};
use crate::{DType, Error};
use std::panic::Location;

impl Tensor {
    /// Elements of a type, of their bytes along the last axis: for memory that is not aligned for them,
    /// or that has the bytes of each number in the other order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// // Two numbers of 16 bits, most significant byte first, behind a byte of something else.
    /// let file = tensor![9u8, 0, 1, 1, 0];
    /// let bytes = file.slice(s![1..])?.view([2, 2])?;
    /// let is_swapped = cfg!(target_endian = "little");
    /// assert_eq!(bytes.assemble(DType::Int16, is_swapped)?.to_vec::<i16>()?, [1, 256]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the tensor does not hold `uint8`, its last axis is not as long as an element, or there is not
    /// enough memory.
    ///
    /// # Memory
    /// Always copies: who can use the bytes where they are has [`Tensor::bitcast`].
    #[track_caller]
    pub fn assemble(&self, dtype: DType, is_swapped: bool) -> Result<Tensor, Error> {
        if self.dtype != DType::UInt8 {
            return Err(Error::WrongDType { asked: DType::UInt8, found: self.dtype });
        }
        let (shape, size) = (self.shape(), dtype.size());
        if shape.last() != Some(&size) {
            let mut needed = shape.to_vec();
            needed.pop();
            needed.push(size);
            let (needed, given) = (needed.into(), shape.into());
            return Err(Error::ShapeMismatch { op: "assemble", needed, given });
        }
        let caller = Location::caller();
        copies::announce("assemble", CopyReason::Unaligned, &self.layout, 1, caller)?;
        // What is swapped as a whole: half of a complex number.
        let number = if dtype.is_complex() { size / 2 } else { size };
        let bytes = self.unflatten(-1, [size / number, number])?;
        let bytes = if is_swapped { bytes.flip([-1])? } else { bytes };
        bytes.copy_of_elements()?.merge(-2, -1)?.bitcast(dtype)?.squeeze([-1])
    }
}
