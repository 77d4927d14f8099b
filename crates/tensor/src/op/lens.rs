//! Operations of a lens that make a tensor. Others take a lens as an operand.

use super::axes::Axes;
use super::element::{ADD, DIV, MUL, SUB};
use super::operand::Operand;
use super::reduce::{ALL, ANY, ARGMAX, ARGMIN, MAX, MEAN, MIN, SUM};
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
        ADD.of([self.into(), other.into()])
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
        SUB.of([self.into(), other.into()])
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
        MUL.of([self.into(), other.into()])
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
        DIV.of([self.into(), other.into()])
    }

    /// [`Tensor::sum`] of what is seen, padding included.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]].lens().pad_with(&[(0, 1), (0, 0)], 10)?;
    /// assert_eq!(x.sum(0)?.to_vec::<i64>()?, [14, 16]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for the tensor's method.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn sum(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        SUM.of(self.into(), axes.into())
    }

    /// [`Tensor::mean`] of what is seen, padding included.
    ///
    /// # Errors
    /// As for the tensor's method.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn mean(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        MEAN.of(self.into(), axes.into())
    }

    /// [`Tensor::min`] of what is seen, padding included.
    ///
    /// # Errors
    /// As for the tensor's method.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn min(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        MIN.of(self.into(), axes.into())
    }

    /// [`Tensor::max`] of what is seen, padding included: with a padding of the least number there is,
    /// pooling.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![3, 1, -4, 1, -5].lens().pad_with(&[(0, 1)], i32::MIN)?;
    /// assert_eq!(x.reshape([3, 2])?.max(1)?.to_vec::<i32>()?, [3, 1, -5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for the tensor's method.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn max(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        MAX.of(self.into(), axes.into())
    }

    /// [`Tensor::argmin`] of what is seen, padding included.
    ///
    /// # Errors
    /// As for the tensor's method.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn argmin(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        ARGMIN.of(self.into(), axes.into())
    }

    /// [`Tensor::argmax`] of what is seen, padding included.
    ///
    /// # Errors
    /// As for the tensor's method.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn argmax(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        ARGMAX.of(self.into(), axes.into())
    }

    /// [`Tensor::any`] of what is seen, padding included.
    ///
    /// # Errors
    /// As for the tensor's method.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn any(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        ANY.of(self.into(), axes.into())
    }

    /// [`Tensor::all`] of what is seen, padding included.
    ///
    /// # Errors
    /// As for the tensor's method.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn all(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        ALL.of(self.into(), axes.into())
    }
}
