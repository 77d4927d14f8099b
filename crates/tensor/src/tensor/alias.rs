//! Operations under the names that other libraries have for them. Each says which is ours.

use super::Tensor;
use crate::{Error, Length, Limit, Operand};

impl Tensor {
    /// [`Tensor::permute_dims`], under PyTorch's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// Never copies.
    pub fn permute(&self, order: &[isize]) -> Result<Tensor, Error> {
        self.permute_dims(order)
    }

    /// [`Tensor::transpose`], under NumPy's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// Never copies.
    pub fn swapaxes(&self, a: isize, b: isize) -> Result<Tensor, Error> {
        self.transpose(a, b)
    }

    /// [`Tensor::move_axis`], under the Array API's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// Never copies.
    pub fn moveaxis(&self, from: isize, to: isize) -> Result<Tensor, Error> {
        self.move_axis(from, to)
    }

    /// [`Tensor::move_axis`], under PyTorch's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// Never copies.
    pub fn movedim(&self, from: isize, to: isize) -> Result<Tensor, Error> {
        self.move_axis(from, to)
    }

    /// [`Tensor::mt`], under the Array API's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// Never copies.
    pub fn matrix_transpose(&self) -> Result<Tensor, Error> {
        self.mt()
    }

    /// [`Tensor::broadcast_to`], under PyTorch's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// Never copies.
    pub fn expand<L: Length>(&self, shape: impl AsRef<[L]>) -> Result<Tensor, Error> {
        self.broadcast_to(shape)
    }

    /// [`Tensor::windows`], under PyTorch's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// Never copies.
    pub fn unfold(&self, axis: isize, size: usize, step: usize) -> Result<Tensor, Error> {
        self.windows(axis, size, step)
    }

    /// [`Tensor::flatten`], under NumPy's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// Copies when the axes have no common stride.
    #[track_caller]
    pub fn ravel(&self) -> Result<Tensor, Error> {
        self.flatten(0, -1)
    }

    /// [`Tensor::negative`], under PyTorch's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// The result is new.
    pub fn neg(&self) -> Result<Tensor, Error> {
        self.negative()
    }

    /// [`Tensor::sub`], under the Array API's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// The result is new.
    pub fn subtract<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        self.sub(other)
    }

    /// [`Tensor::mul`], under the Array API's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// The result is new.
    pub fn multiply<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        self.mul(other)
    }

    /// [`Tensor::div`], under the Array API's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// The result is new.
    pub fn divide<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        self.div(other)
    }

    /// [`Tensor::clip`], under PyTorch's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// The result is new.
    pub fn clamp<'a>(&self, min: impl Limit<'a>, max: impl Limit<'a>) -> Result<Tensor, Error> {
        self.clip(min, max)
    }
}
