//! Tensors without memory.

use super::Tensor;
use crate::trace::{Call, composite};
use crate::{DType, Device, Error, Integers, Layout, Storage, with_device};

impl Tensor {
    /// Creates a tensor on a device: zeros in memory, or a tensor without memory.
    ///
    /// ```
    /// use belvedere::{Device, prelude::*};
    ///
    /// let x = Tensor::empty_on([1 << 20, 1 << 20], DType::Float32, Device::Meta)?;
    /// let y = x.matmul(&x.t()?)?.sum(0)?;
    /// assert_eq!((y.shape()[0], y.device()), (1 << 20, Device::Meta));
    /// assert_eq!(
    ///     y.to_vec::<f32>().unwrap_err().to_string(),
    ///     "to_vec needs the values of a tensor of shape [1048576] on device meta, which has no memory"
    /// );
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory, or the size exceeds what can be addressed.
    ///
    /// # Memory
    /// Allocates the result, unless the device is [`Device::Meta`].
    #[track_caller]
    pub fn empty_on(shape: impl Integers, dtype: DType, device: Device) -> Result<Tensor, Error> {
        let (call, layout) = (Call::new("empty"), Layout::row_major(shape)?);
        with_device(device, || Tensor::zeros_in(call, layout, dtype))
    }

    /// Creates a tensor without memory in a layout.
    ///
    /// # Errors
    /// If the size exceeds what can be addressed.
    pub(crate) fn meta_in(layout: Layout, dtype: DType) -> Result<Tensor, Error> {
        let bytes = layout.span().end.saturating_mul(dtype.size());
        if isize::try_from(bytes).is_err() {
            return Err(Error::OutOfMemory { bytes });
        }
        Tensor::from_storage(Storage::meta(bytes), layout, dtype)
    }

    /// Returns the error of an operation that needs the values of this tensor, which has no memory.
    #[cold]
    pub(crate) fn no_values(&self, op: &'static str) -> Error {
        Error::NoValues { op, shape: self.shape().into() }
    }

    /// Returns where the elements are.
    ///
    /// ```
    /// use belvedere::{Device, prelude::*};
    ///
    /// assert_eq!(tensor![1, 2].device(), Device::Cpu);
    /// ```
    #[inline]
    pub fn device(&self) -> Device {
        if self.storage.is_meta() { Device::Meta } else { Device::Cpu }
    }

    /// Returns the tensor on a device: itself if it is there, or a tensor of the same shape, dtype and strides
    /// without memory.
    ///
    /// ```
    /// use belvedere::{Device, prelude::*};
    ///
    /// let x = tensor![[1, 2, 3], [4, 5, 6]].t()?;
    /// let y = x.to_device(Device::Meta)?;
    /// assert_eq!((y.strides(), y.device()), (x.strides(), Device::Meta));
    /// assert!(y.to_device(Device::Cpu).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If values would be needed that the tensor does not have.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn to_device(&self, device: Device) -> Result<Tensor, Error> {
        let call = Call::new("to_device");
        match (self.device(), device) {
            (Device::Meta, Device::Cpu) => Err(self.no_values(call.op)),
            (Device::Cpu, Device::Meta) => {
                composite(call, &[self.into()], || Tensor::meta_in(self.layout.clone(), self.dtype))
            }
            _ => Ok(self.clone()),
        }
    }
}
