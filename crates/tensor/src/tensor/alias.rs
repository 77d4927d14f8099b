//! Operations under the names that other libraries have for them. Each says which is ours.

use super::Tensor;
use crate::{Error, Length};

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
    /// [`Tensor::cumulative_sum`], under NumPy's and PyTorch's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// The result is new.
    pub fn cumsum(&self, axis: isize) -> Result<Tensor, Error> {
        self.cumulative_sum(axis)
    }

    /// [`Tensor::cumulative_prod`], under NumPy's and PyTorch's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// The result is new.
    pub fn cumprod(&self, axis: isize) -> Result<Tensor, Error> {
        self.cumulative_prod(axis)
    }
}
