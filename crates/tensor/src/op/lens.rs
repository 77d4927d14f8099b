//! Arithmetic methods of a lens. Reductions are in `reduce/`; other operations take a lens as an operand.

use super::element::{ADD, DIV, MUL, SUB};
use super::operand::Operand;
use crate::{Error, Lens, Tensor};

impl Lens {
    /// [`Tensor::add`] of what is seen.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2].lens().tile(&[2])?;
    /// assert_eq!(x.add(&tensor![10, 20, 30, 40])?.to_vec::<i32>()?, [11, 22, 31, 42]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for the tensor's method.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    #[track_caller]
    pub fn add<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        ADD.compute_two([self.into(), other.into()])
    }

    /// [`Tensor::sub`] from what is seen.
    ///
    /// # Errors
    /// As for the tensor's method.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    #[track_caller]
    pub fn sub<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        SUB.compute_two([self.into(), other.into()])
    }

    /// [`Tensor::mul`] of what is seen.
    ///
    /// # Errors
    /// As for the tensor's method.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    #[track_caller]
    pub fn mul<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        MUL.compute_two([self.into(), other.into()])
    }

    /// [`Tensor::div`] of what is seen.
    ///
    /// # Errors
    /// As for the tensor's method.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    #[track_caller]
    pub fn div<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        DIV.compute_two([self.into(), other.into()])
    }
}
