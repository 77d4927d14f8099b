//! Creation of tensors with the shape, dtype and memory order of another one.

use super::Tensor;
use super::create::CastCell;
use crate::trace::{Call, Param, composite};
use crate::{DType, Error, Layout, Operand, with_device};

impl Tensor {
    /// Creates zeros with the shape, dtype and memory order of this tensor.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].zeros_like()?.to_vec::<i32>()?, [0, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn zeros_like(&self) -> Result<Tensor, Error> {
        self.zeros_like_as(self.dtype)
    }

    /// Creates zeros with the shape and memory order of this tensor, and another dtype.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].zeros_like_as(DType::Float32)?.to_vec::<f32>()?, [0.0, 0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn zeros_like_as(&self, dtype: DType) -> Result<Tensor, Error> {
        let call = Call::new("zeros_like");
        with_device(self.device(), || Tensor::zeros_in(call, self.layout_like()?, dtype))
    }

    /// Creates ones with the shape, dtype and memory order of this tensor.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.5, 2.0].ones_like()?.to_vec::<f64>()?, [1.0, 1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn ones_like(&self) -> Result<Tensor, Error> {
        self.ones_like_as(self.dtype)
    }

    /// Creates ones with the shape and memory order of this tensor, and another dtype.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.5, 2.0].ones_like_as(DType::Bool)?.to_vec::<bool>()?, [true, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn ones_like_as(&self, dtype: DType) -> Result<Tensor, Error> {
        let call = Call::new("ones_like");
        with_device(self.device(), || {
            Tensor::fresh_full(call, self.layout_like()?, 1u8.cast_cell(dtype), Param::None)
        })
    }

    /// Creates a tensor of one value with the shape, dtype and memory order of this tensor.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.5, 2.0].full_like(7)?.to_vec::<f64>()?, [7.0, 7.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the dtype cannot hold the value, or there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn full_like<'a>(&self, value: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        self.full_like_as(value, self.dtype)
    }

    /// Creates a tensor of one value with the shape and memory order of this tensor, and another dtype.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].full_like_as(0.5, DType::Float64)?.to_vec::<f64>()?, [0.5, 0.5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the dtype cannot hold the value, or there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn full_like_as<'a>(
        &self,
        value: impl Into<Operand<'a>>,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        let value: Operand<'_> = value.into();
        let params =
            [("fill_value", Param::if_heard(|| value.to_param())), ("dtype", dtype.into())];
        composite(Call::new("full_like").with(&params), std::slice::from_ref(&value), || {
            let result = self.zeros_like_as(dtype)?;
            result.fill(value.clone())?;
            Ok(result)
        })
    }

    fn layout_like(&self) -> Result<Layout, Error> {
        crate::plan::output_layout(&self.shape(), &[&self.layout])
    }
}
