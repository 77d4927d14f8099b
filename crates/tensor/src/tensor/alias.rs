//! Aliases: operations under the names of NumPy, PyTorch and the Array API.

use super::Tensor;
use crate::{Axes, DType, Error, Integers, Limit, Operand};

impl Tensor {
    /// Permutes the axes: PyTorch's name of [`Tensor::permute_dims`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3, 4], DType::Int8)?;
    /// assert_eq!(x.permute([2, 0, 1])?.shape(), [4, 2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::permute_dims`].
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn permute(&self, order: impl Integers) -> Result<Tensor, Error> {
        self.permute_dims(order)
    }

    /// Exchanges two axes: NumPy's name of [`Tensor::transpose`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3], DType::Int8)?;
    /// assert_eq!(x.swapaxes(0, 1)?.shape(), [3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::transpose`].
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn swapaxes(&self, a: isize, b: isize) -> Result<Tensor, Error> {
        self.transpose(a, b)
    }

    /// Moves axes to other positions; the others keep their order. [`Tensor::move_axis`] moves one.
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
    /// If an axis does not exist or is given twice, or the lists differ in length.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn moveaxis(&self, from: impl Into<Axes>, to: impl Into<Axes>) -> Result<Tensor, Error> {
        let [from, to] = [from.into(), to.into()].map(|axes| axes.list(self.rank()));
        Ok(self.view_through("moveaxis", self.layout().move_axes(&from, &to)?, || {
            [("source", from[..].into()), ("destination", to[..].into())]
        }))
    }

    /// Moves axes: PyTorch's name of [`Tensor::moveaxis`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3, 4], DType::Int8)?;
    /// assert_eq!(x.movedim(0, -1)?.shape(), [3, 4, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::moveaxis`].
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn movedim(&self, from: impl Into<Axes>, to: impl Into<Axes>) -> Result<Tensor, Error> {
        self.moveaxis(from, to)
    }

    /// Exchanges the last two axes: the Array API's name of [`Tensor::mt`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([5, 2, 3], DType::Int8)?;
    /// assert_eq!(x.matrix_transpose()?.shape(), [5, 3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::mt`].
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn matrix_transpose(&self) -> Result<Tensor, Error> {
        self.mt()
    }

    /// Broadcasts to a shape: PyTorch's name of [`Tensor::broadcast_to`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1], [2]].expand([-1, 3])?.to_vec::<i32>()?, [1, 1, 1, 2, 2, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::broadcast_to`].
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn expand(&self, shape: impl Integers) -> Result<Tensor, Error> {
        self.broadcast_to(shape)
    }

    /// Returns sliding windows: PyTorch's name of [`Tensor::windows`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(Tensor::arange(0..5)?.unfold(0, 3, 2)?.to_vec::<i32>()?, [0, 1, 2, 2, 3, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::windows`].
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn unfold(&self, axis: isize, size: usize, step: usize) -> Result<Tensor, Error> {
        self.windows(axis, size, step)
    }

    /// Flattens to one axis: NumPy's name of [`Tensor::flatten`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2], [3, 4]].ravel()?.shape(), [4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::flatten`].
    ///
    /// # Memory
    /// Copies if the axes have no common stride.
    #[track_caller]
    pub fn ravel(&self) -> Result<Tensor, Error> {
        self.flatten(0, -1)
    }

    /// Computes `-x`: PyTorch's name of [`Tensor::negative`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, -2].neg()?.to_vec::<i32>()?, [-1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::negative`].
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn neg(&self) -> Result<Tensor, Error> {
        self.negative()
    }

    /// Computes `x - y`: the Array API's name of [`Tensor::sub`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![3, 4].subtract(1)?.to_vec::<i32>()?, [2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::sub`].
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn subtract<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        self.sub(other)
    }

    /// Computes `x * y`: the Array API's name of [`Tensor::mul`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![3, 4].multiply(2)?.to_vec::<i32>()?, [6, 8]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::mul`].
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn multiply<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        self.mul(other)
    }

    /// Computes `x / y`: the Array API's name of [`Tensor::div`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![3.0, 4.0].divide(2.0)?.to_vec::<f64>()?, [1.5, 2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::div`].
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn divide<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        self.div(other)
    }

    /// Limits the elements to a range: PyTorch's name of [`Tensor::clip`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![-5, 1, 9].clamp(0, 3)?.to_vec::<i32>()?, [0, 1, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::clip`].
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn clamp<'a>(&self, min: impl Limit<'a>, max: impl Limit<'a>) -> Result<Tensor, Error> {
        self.clip(min, max)
    }

    /// Computes the cumulative sum along an axis: NumPy's and PyTorch's name of [`Tensor::cumulative_sum`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].cumsum(0)?.to_vec::<i64>()?, [1, 3, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::cumulative_sum`].
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn cumsum(&self, axis: isize) -> Result<Tensor, Error> {
        self.cumulative_sum(axis)
    }

    /// Computes the cumulative product along an axis: NumPy's and PyTorch's name of
    /// [`Tensor::cumulative_prod`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].cumprod(0)?.to_vec::<i64>()?, [1, 2, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::cumulative_prod`].
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn cumprod(&self, axis: isize) -> Result<Tensor, Error> {
        self.cumulative_prod(axis)
    }

    /// Creates a tensor whose values are unspecified. They are zeros: uninitialised memory is never exposed.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(Tensor::empty([2, 3], DType::Float32)?.shape(), [2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::zeros`].
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn empty(shape: impl Integers, dtype: DType) -> Result<Tensor, Error> {
        Tensor::zeros(shape, dtype)
    }

    /// Creates a tensor of unspecified values with the shape and dtype of this one, like [`Tensor::zeros_like`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].empty_like()?.shape(), [2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::zeros_like`].
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn empty_like(&self) -> Result<Tensor, Error> {
        self.zeros_like()
    }

    /// Returns the number of axes: the Array API's name of [`Tensor::rank`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2]].ndim(), 2);
    /// ```
    pub fn ndim(&self) -> usize {
        self.rank()
    }

    /// Returns the number of elements: the Array API's name of [`Tensor::len`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2]].size(), 2);
    /// ```
    pub fn size(&self) -> usize {
        self.len()
    }
}
