//! Views of the bytes as another dtype: bitcast, real and imaginary parts; and copies of unaligned bytes.

use super::Tensor;
use crate::copies::CopyReason;
use crate::trace::{Call, announce_view, composite};
use crate::{DType, Error};

impl Tensor {
    /// Reinterprets the bytes as another dtype. If the sizes differ, the length of the last axis changes.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1.0f32];
    /// assert_eq!(x.bitcast(DType::UInt32)?.to_vec::<u32>()?, [0x3f80_0000]);
    /// assert_eq!(x.bitcast(DType::UInt8)?.shape(), [4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the last axis is not contiguous where the sizes differ, or the memory is unaligned for the dtype.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn bitcast(&self, dtype: DType) -> Result<Tensor, Error> {
        let layout = self.layout.reinterpret(self.dtype.size(), dtype.size())?;
        let view = Tensor::from_storage(self.storage.clone(), layout, dtype)?;
        announce_view(Call::new("bitcast").with(&[("dtype", dtype.into())]), self, &view);
        Ok(view)
    }

    /// Returns the real parts of complex elements as a view; a real tensor itself.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::from_vec(vec![belvedere::Complex::new(1.0, 2.0)], [1])?;
    /// x.imag()?.fill(5.0)?;
    /// assert_eq!(x.real()?.item::<f64>()?, 1.0);
    /// assert_eq!(x.item::<belvedere::Complex<f64>>()?.im, 5.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a stride in real elements overflows.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn real(&self) -> Result<Tensor, Error> {
        let call = Call::new("real");
        if !self.dtype.is_complex() {
            return Ok(self.view_of_call(call, self.layout.clone()));
        }
        self.component(call, 0)
    }

    /// Returns the imaginary parts of complex elements as a view; for a real tensor, a broadcast zero.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.5, 2.5].imag()?.to_vec::<f64>()?, [0.0, 0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a stride in real elements overflows.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn imag(&self) -> Result<Tensor, Error> {
        let call = Call::new("imag");
        if !self.dtype.is_complex() {
            let none: [usize; 0] = [];
            return composite(call, &[self.into()], || {
                Tensor::zeros(none, self.dtype)?.broadcast_to(&*self.shape())
            });
        }
        self.component(call, 1)
    }

    fn component(&self, call: Call<'_>, at: isize) -> Result<Tensor, Error> {
        let layout = self.layout.split_elements(2)?.select(-1, at)?;
        let view = Tensor::from_storage(self.storage.clone(), layout, self.dtype.real())?;
        announce_view(call, self, &view);
        Ok(view)
    }

    /// Converts `uint8` bytes along the last axis to elements of a dtype: for bindings that are given memory which is
    /// unaligned or has the other byte order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// // A header of one byte, followed by two big-endian 16-bit integers.
    /// let file = tensor![9u8, 0, 1, 1, 0];
    /// let bytes = file.slice(s![1..])?.view([2, 2])?;
    /// let is_swapped = cfg!(target_endian = "little");
    /// assert_eq!(bytes.assemble(DType::Int16, is_swapped)?.to_vec::<i16>()?, [1, 256]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the dtype is not `uint8`, the last axis is not as long as an element, or there is not enough memory.
    ///
    /// # Memory
    /// Always copies. [`Tensor::bitcast`] is the view for aligned memory in native byte order.
    #[doc(hidden)]
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
        let call = Call::new("assemble").copying(CopyReason::Unaligned);
        // The unit of the byte order: a complex number has two.
        let unit = if dtype.is_complex() { size / 2 } else { size };
        let bytes = self.layout.unflatten(-1, [size / unit, unit])?;
        let bytes = if is_swapped { bytes.flip(&[-1])? } else { bytes };
        let copied = self.with_layout(bytes).copied(call)?;
        let layout = copied.layout.merge(-2, -1)?.reinterpret(1, size)?.squeeze(&[-1])?;
        Tensor::from_storage(copied.storage, layout, dtype)
    }
}
