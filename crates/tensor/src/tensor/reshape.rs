//! Reshaping and rearranging: views where the strides allow it, copies elsewhere.

use super::Tensor;
use crate::copies::CopyReason;
use crate::trace::{Call, NamedParam, Param};
use crate::{Error, Integers, Layout, LayoutError};
use belvedere_layout::{Rearranged, Reshape};

impl Tensor {
    /// Returns a view in another shape, without a copy; one length may be -1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..12)?.reshape([3, 4])?.t()?;
    /// assert_eq!(x.view([2, 2, 3])?.strides(), [2, 1, 4]);
    /// let refusal = x.view([6, 2]).unwrap_err().to_string();
    /// assert!(refusal.contains("reshape([6, 2]) copies 48 bytes"), "{refusal}");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the number of elements differs, or there is no strided view; the error says why.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    #[track_caller]
    pub fn view(&self, shape: impl Integers) -> Result<Tensor, Error> {
        let layout = self.layout.view(&shape).map_err(|error| self.refused(error))?;
        Ok(self.view_through("view", layout, || [("shape", Param::lengths(&shape))]))
    }

    /// Reshapes, as a view if there is one, else as a copy; one length may be -1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?;
    /// let y = x.reshape([2, 3])?;
    /// assert_eq!(y.shares_memory(&x), Some(true));
    /// let z = y.t()?.reshape([6])?;
    /// assert_eq!(z.shares_memory(&x), Some(false));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the number of elements differs, or a copy is needed but is forbidden or cannot be allocated.
    ///
    /// # Memory
    /// Copies if there is no strided view; `self.layout().reshape(shape)` tells in advance.
    #[inline]
    #[track_caller]
    pub fn reshape(&self, shape: impl Integers) -> Result<Tensor, Error> {
        let shape = self.layout.resolve_shape(shape)?;
        let answer = self.layout.reshape(&*shape)?;
        self.reshaped(Call::new("reshape"), &shape, answer, || [("shape", (&*shape).into())])
    }

    /// Returns the view if there is one, else a copy in the given shape.
    #[inline]
    fn reshaped<'p, const N: usize>(
        &self,
        call: Call<'_>,
        shape: &[usize],
        answer: Reshape,
        params: impl FnOnce() -> [NamedParam<'p>; N],
    ) -> Result<Tensor, Error> {
        match answer {
            Reshape::View(layout) => Ok(self.view_with_params(call, layout, params)),
            Reshape::Copy { .. } => {
                self.copied_as(call.with(&params()).copying(CopyReason::NoView), shape)
            }
        }
    }

    /// Merges the axes from `start` to `end`, both included, into one, as a view if there is one.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3, 4], DType::Float32)?;
    /// assert_eq!(x.flatten(1, -1)?.shape(), [2, 12]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an axis does not exist, or a copy is needed but is forbidden or cannot be allocated.
    ///
    /// # Memory
    /// Copies if the axes have no common stride; [`Tensor::merge`] is an error then.
    #[track_caller]
    pub fn flatten(&self, start: isize, end: isize) -> Result<Tensor, Error> {
        let answer = self.layout.flatten(start, end)?;
        let shape = Layout::row_major(&self.shape())?.merge(start, end)?.shape();
        self.reshaped(Call::new("flatten"), &shape, answer, || {
            [("start", start.into()), ("end", end.into())]
        })
    }

    /// Merges the axes from `start` to `end`, both included, into one, without a copy.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3, 4], DType::Int8)?;
    /// assert_eq!(x.merge(0, 1)?.shape(), [6, 4]);
    /// assert!(x.transpose(0, 1)?.merge(0, 1).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an axis does not exist, or the axes have no common stride.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn merge(&self, start: isize, end: isize) -> Result<Tensor, Error> {
        let layout = self.layout.merge(start, end).map_err(|error| self.refused(error))?;
        Ok(self.view_through("merge", layout, || [("start", start.into()), ("end", end.into())]))
    }

    /// Rearranges axes by a pattern such as `"b (h w) c -> b c h w"`, with the lengths it cannot infer.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..12)?.reshape([6, 2])?;
    /// let y = x.rearrange("(h w) c -> c h w", [("h", 2)])?;
    /// assert_eq!(y.shape(), [2, 2, 3]);
    /// assert_eq!(y.shares_memory(&x), Some(true));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the pattern is invalid or does not match the shape, or a copy is needed but is forbidden or cannot
    /// be allocated.
    ///
    /// # Memory
    /// Copies if merged axes have no common stride.
    #[track_caller]
    pub fn rearrange<'a>(
        &self,
        pattern: &str,
        lengths: impl AsRef<[(&'a str, usize)]>,
    ) -> Result<Tensor, Error> {
        let params = [("pattern", pattern.into())];
        let call = Call::new("rearrange").with(&params);
        match self.layout.rearrange(pattern, lengths)? {
            Rearranged::View(layout) => Ok(self.view_of_call(call, layout)),
            Rearranged::Copy { ordered, shape, .. } => {
                let call = call.copying(CopyReason::NoView);
                self.with_layout(ordered).copied_as(call, &shape)
            }
        }
    }

    /// Returns a contiguous tensor: this one if it is contiguous, else a copy.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]].t()?;
    /// assert!(!x.is_contiguous() && x.contiguous()?.is_contiguous());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a copy is needed but is forbidden or cannot be allocated.
    ///
    /// # Memory
    /// Copies if the tensor is not contiguous.
    #[track_caller]
    pub fn contiguous(&self) -> Result<Tensor, Error> {
        match self.is_contiguous() {
            true => Ok(self.view_through("contiguous", self.layout.clone(), || [])),
            false => self.copied(Call::new("contiguous").copying(CopyReason::NotContiguous)),
        }
    }

    /// Copies the elements to new memory, in row-major order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2];
    /// let y = x.copy()?;
    /// x.fill(0)?;
    /// assert_eq!(y.to_vec::<i32>()?, [1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn copy(&self) -> Result<Tensor, Error> {
        self.copied(Call::new("copy").copying(CopyReason::Requested))
    }

    /// Returns the error for a view that does not exist, with the size of an element for its message.
    fn refused(&self, error: LayoutError) -> Error {
        Error::View { error, size: self.dtype.size() }
    }
}
