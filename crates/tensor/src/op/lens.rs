//! Arithmetic methods of a lens. Reductions are in `reduce/`; other operations take a lens as an operand.

use super::element::{ADD, DIV, MUL, SUB};
use super::operand::Operand;
use crate::{Error, Lens, Tensor};

impl Lens {
    /// Returns [`Tensor::add`] of the elements the lens shows and `other`.
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
    /// Those of [`Tensor::add`].
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn add<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        ADD.compute_two([self.into(), other.into()])
    }

    /// Returns [`Tensor::sub`] of the elements the lens shows and `other`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2].lens().tile(&[2])?;
    /// assert_eq!(x.sub(&tensor![10, 20, 30, 40])?.to_vec::<i32>()?, [-9, -18, -29, -38]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Tensor::sub`].
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn sub<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        SUB.compute_two([self.into(), other.into()])
    }

    /// Returns [`Tensor::mul`] of the elements the lens shows and `other`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2].lens().tile(&[2])?;
    /// assert_eq!(x.mul(&tensor![10, 20, 30, 40])?.to_vec::<i32>()?, [10, 40, 30, 80]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Tensor::mul`].
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn mul<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        MUL.compute_two([self.into(), other.into()])
    }

    /// Returns [`Tensor::div`] of the elements the lens shows and `other`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2].lens().tile(&[2])?;
    /// assert_eq!(x.div(&tensor![2, 4, 4, 8])?.to_vec::<f64>()?, [0.5, 0.5, 0.25, 0.25]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Tensor::div`].
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn div<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        DIV.compute_two([self.into(), other.into()])
    }
}
