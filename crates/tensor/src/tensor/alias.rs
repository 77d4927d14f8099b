//! Operations under the names that other libraries have for them. Each says which is ours.

use super::Tensor;
use crate::{Axes, DType, Error, Length, Limit, Operand};

impl Tensor {
    /// [`Tensor::permute_dims`], under PyTorch's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// Never copies.
    pub fn permute(&self, order: impl AsRef<[isize]>) -> Result<Tensor, Error> {
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

    /// Moves axes to other places, each to its own; the others keep their order. For one,
    /// there is [`Tensor::move_axis`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3, 4], DType::Int8)?;
    /// assert_eq!(x.moveaxis(0, -1)?.shape(), [3, 4, 2]);
    /// assert_eq!(x.moveaxis([0, 1], [-1, 0])?.shape(), [3, 4, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, one is named twice, or the lists differ in length.
    ///
    /// # Memory
    /// Never copies.
    pub fn moveaxis(&self, from: impl Into<Axes>, to: impl Into<Axes>) -> Result<Tensor, Error> {
        let [from, to] = [from.into(), to.into()].map(|axes| axes.list(self.rank()));
        Ok(self.with_layout(self.layout().move_axes(&from, &to)?))
    }

    /// [`Tensor::moveaxis`], under PyTorch's name.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// Never copies.
    pub fn movedim(&self, from: impl Into<Axes>, to: impl Into<Axes>) -> Result<Tensor, Error> {
        self.moveaxis(from, to)
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

    /// A new tensor whose elements have not been chosen. Memory that nobody has written to is never
    /// shown here, so it holds zeros, as [`Tensor::zeros`] does.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// Makes a new tensor.
    pub fn empty<L: Length>(shape: impl AsRef<[L]>, dtype: DType) -> Result<Tensor, Error> {
        Tensor::zeros(shape, dtype)
    }

    /// [`Tensor::zeros_like`], for elements that have not been chosen.
    ///
    /// # Errors
    /// As for that.
    ///
    /// # Memory
    /// Makes a new tensor.
    pub fn empty_like(&self) -> Result<Tensor, Error> {
        self.zeros_like()
    }

    /// [`Tensor::rank`], under the Array API's name.
    pub fn ndim(&self) -> usize {
        self.rank()
    }

    /// [`Tensor::len`], under the Array API's name.
    pub fn size(&self) -> usize {
        self.len()
    }
}
