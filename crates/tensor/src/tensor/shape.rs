//! The view operations: one line each into the layout crate. None of them moves an element.

use super::Tensor;
use crate::copies::{self, CopyReason};
use crate::{Axes, DType, Error, Index, Layout, LayoutError, Length};
use belvedere_layout::{Rearranged, Reshape};
use std::panic::Location;

impl Tensor {
    /// Axis `k` of the result is axis `order[k]` of this one. PyTorch's name is [`Tensor::permute`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// assert_eq!(x.permute_dims(&[1, 0])?.to_vec::<i32>()?, [0, 3, 1, 4, 2, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the list does not name each axis once.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    pub fn permute_dims(&self, order: impl AsRef<[isize]>) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.permute(order.as_ref())?))
    }

    /// Exchanges two axes.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// assert_eq!(x.transpose(0, 1)?.shape(), [3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    pub fn transpose(&self, a: isize, b: isize) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.transpose(a, b)?))
    }

    /// Exchanges two axes: [`Tensor::transpose`] under its other name.
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    pub fn swap_axes(&self, a: isize, b: isize) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.swap_axes(a, b)?))
    }

    /// The transposed matrix (rank 2 or less).
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// assert_eq!(x.t()?.strides(), [1, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are more than two axes.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    pub fn t(&self) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.t()?))
    }

    /// Exchanges the last two axes: each matrix of a batch is transposed.
    ///
    /// # Errors
    /// If there are fewer than two axes.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    pub fn mt(&self) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.mt()?))
    }

    /// All axes in reverse order: NumPy's `T`.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    pub fn reverse_dims(&self) -> Tensor {
        self.with_layout(self.layout.reverse())
    }

    /// Moves an axis to another place; the others keep their order. For several, see
    /// [`Tensor::moveaxis`].
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Never copies.
    pub fn move_axis(&self, from: isize, to: isize) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.move_axis(from, to)?))
    }

    /// A part, by the rules of Python's slices; see [`s!`](crate::s). What is written to it is written to this
    /// tensor.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// assert_eq!(x.slice(s![.., 1])?.to_vec::<i32>()?, [1, 4]);
    /// assert_eq!(x.slice(s![1, ..;-1])?.to_vec::<i32>()?, [5, 4, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an index is out of range, or there are more of them than axes.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    pub fn slice(&self, index: impl AsRef<[Index]>) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.slice(index.as_ref())?))
    }

    /// The part at one position of an axis, without that axis.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// assert_eq!(x.select(0, -1)?.to_vec::<i32>()?, [3, 4, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis or position.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    pub fn select(&self, axis: isize, at: isize) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.select(axis, at)?))
    }

    /// `count` positions of an axis from `start` on.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// assert_eq!(x.narrow(1, 1, 2)?.to_vec::<i32>()?, [1, 2, 4, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or it is shorter.
    ///
    /// # Memory
    /// Never copies.
    pub fn narrow(&self, axis: isize, start: usize, count: usize) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.narrow(axis, start, count)?))
    }

    /// Every `step`-th position of an axis, backwards if negative.
    ///
    /// # Errors
    /// If there is no such axis, or the step is 0.
    ///
    /// # Memory
    /// Never copies.
    pub fn step(&self, axis: isize, step: isize) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.step(axis, step)?))
    }

    /// Walks axes backwards; `()` stands for all of them.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// assert_eq!(x.flip(1)?.to_vec::<i32>()?, [2, 1, 0, 5, 4, 3]);
    /// assert_eq!(x.flip(())?.to_vec::<i32>()?, [5, 4, 3, 2, 1, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or one is named twice.
    ///
    /// # Memory
    /// Never copies.
    pub fn flip(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.flip(&axes.into().list(self.rank()))?))
    }

    /// Turns the plane of two axes by quarter turns, from the first towards the second.
    ///
    /// # Errors
    /// If there is no such axis, or both are the same.
    ///
    /// # Memory
    /// Never copies.
    pub fn rot90(&self, turns: isize, from: isize, to: isize) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.rot90(turns, from, to)?))
    }

    /// Removes axes of length 1. For all that there are, see [`Tensor::squeeze_all`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([1, 3, 1], DType::Int8)?;
    /// assert_eq!(x.squeeze(0)?.shape(), [3, 1]);
    /// assert_eq!(x.squeeze([0, -1])?.shape(), [3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or it is longer.
    ///
    /// # Memory
    /// Never copies.
    pub fn squeeze(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.squeeze(&axes.into().list(self.rank()))?))
    }

    /// Removes all axes of length 1.
    ///
    /// # Memory
    /// Never copies.
    pub fn squeeze_all(&self) -> Tensor {
        self.with_layout(self.layout.squeeze_all())
    }

    /// Inserts an axis of length 1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// assert_eq!(x.unsqueeze(-1)?.shape(), [2, 3, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the place is out of range.
    ///
    /// # Memory
    /// Never copies.
    pub fn unsqueeze(&self, axis: isize) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.unsqueeze(axis)?))
    }

    /// Inserts axes of length 1, which become the given axes of the result.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// assert_eq!(x.expand_dims(0)?.shape(), [1, 2, 3]);
    /// assert_eq!(x.expand_dims([0, -1])?.shape(), [1, 2, 3, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a place is out of range, or named twice.
    ///
    /// # Memory
    /// Never copies.
    pub fn expand_dims(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.unsqueeze_axes(&axes.into().list(0))?))
    }

    /// Repeats axes of length 1 without copying them; -1 keeps a length. PyTorch's
    /// name is [`Tensor::expand`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1], [2]];
    /// assert_eq!(x.broadcast_to([2, 3])?.to_vec::<i32>()?, [1, 1, 1, 2, 2, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shape is not reached that way.
    ///
    /// # Memory
    /// Never copies.
    pub fn broadcast_to<L: Length>(&self, shape: impl AsRef<[L]>) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.broadcast_to(shape)?))
    }

    /// Splits an axis into several; one size may be -1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// assert_eq!(x.unflatten(1, [3, 1])?.shape(), [2, 3, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the sizes do not multiply to its length.
    ///
    /// # Memory
    /// Never copies.
    pub fn unflatten<L: Length>(
        &self,
        axis: isize,
        sizes: impl AsRef<[L]>,
    ) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.unflatten(axis, sizes)?))
    }

    /// Splits an axis into parts of a size, and the positions in them.
    ///
    /// # Errors
    /// If the size does not divide its length.
    ///
    /// # Memory
    /// Never copies.
    pub fn split_axis(&self, axis: isize, size: usize) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.split_axis(axis, size)?))
    }

    /// Windows of `size` along an axis, `step` apart, as a new last axis: PyTorch's
    /// [`Tensor::unfold`]. They may
    /// overlap, and cannot be written through then.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..5)?;
    /// assert_eq!(x.windows(0, 3, 1)?.to_vec::<i32>()?, [0, 1, 2, 1, 2, 3, 2, 3, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or it is shorter than a window.
    ///
    /// # Memory
    /// Never copies.
    pub fn windows(&self, axis: isize, size: usize, step: usize) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.windows(axis, size, step)?))
    }

    /// Windows of given sizes over several axes, as new last axes, under NumPy's name.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let image = Tensor::arange(0..20)?.reshape([4, 5])?;
    /// let patches = image.sliding_window_view([3, 3], [0, 1])?;
    /// assert_eq!(patches.shape(), [2, 3, 3, 3]);
    /// assert!(patches.storage().is_same(image.storage()));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or it is shorter than a window.
    ///
    /// # Memory
    /// Never copies.
    pub fn sliding_window_view(
        &self,
        sizes: impl AsRef<[usize]>,
        axes: impl AsRef<[isize]>,
    ) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.sliding_window(axes.as_ref(), sizes.as_ref())?))
    }

    /// A diagonal of two axes, as a new last axis.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// assert_eq!(x.diagonal(0, 0, 1)?.to_vec::<i32>()?, [0, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis or diagonal.
    ///
    /// # Memory
    /// Never copies.
    pub fn diagonal(&self, shift: isize, a: isize, b: isize) -> Result<Tensor, Error> {
        Ok(self.with_layout(self.layout.diagonal(shift, a, b)?))
    }

    /// Any strides from any start in the storage, in elements; checked against its end.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?;
    /// assert_eq!(x.as_strided(&[2, 2], &[3, 1], 1)?.to_vec::<i32>()?, [1, 2, 4, 5]);
    /// assert!(x.as_strided(&[2, 4], &[3, 1], 0).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it reaches outside of the storage, or that is not aligned for the type.
    ///
    /// # Memory
    /// Never copies.
    pub fn as_strided(
        &self,
        shape: impl AsRef<[usize]>,
        strides: impl AsRef<[isize]>,
        start: usize,
    ) -> Result<Tensor, Error> {
        let memory = self.storage.len() / self.dtype.size();
        let layout = Layout::as_strided(memory, start, shape.as_ref(), strides.as_ref())?;
        // Not `with_layout`: an empty tensor may lie at any address, and this need not be empty.
        Tensor::from_storage(self.storage.clone(), layout, self.dtype)
    }

    /// The elements in another shape, without a copy; one length may be -1.
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
    /// If the number of elements differs, or no strided view exists; the error says why.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    pub fn view<L: Length>(&self, shape: impl AsRef<[L]>) -> Result<Tensor, Error> {
        let layout = self.layout.view(shape);
        Ok(self.with_layout(layout.map_err(|error| self.refused(error))?))
    }

    /// The elements in another shape; one length may be -1.
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
    /// If the number of elements differs, or a copy is needed and forbidden or has no memory.
    ///
    /// # Memory
    /// Copies when no strided view exists; `self.layout().reshape(shape)` tells in advance.
    #[inline]
    #[track_caller]
    pub fn reshape<L: Length>(&self, shape: impl AsRef<[L]>) -> Result<Tensor, Error> {
        let shape = self.layout.resolve_shape(shape)?;
        self.reshaped("reshape", &shape, self.layout.reshape(&*shape)?, Location::caller())
    }

    /// The view if there is one, and else a copy in another shape.
    #[inline]
    fn reshaped(
        &self,
        op: &'static str,
        shape: &[usize],
        answer: Reshape,
        caller: &'static Location<'static>,
    ) -> Result<Tensor, Error> {
        match answer {
            Reshape::View(layout) => Ok(self.with_layout(layout)),
            Reshape::Copy { .. } => self.copied_as(op, shape, caller),
        }
    }

    /// A copy in another shape. Apart, so that views are made where they are needed.
    #[inline(never)]
    fn copied_as(
        &self,
        op: &'static str,
        shape: &[usize],
        caller: &'static Location<'static>,
    ) -> Result<Tensor, Error> {
        let copied = self.copied(op, CopyReason::NoView, caller)?;
        Ok(copied.with_layout(copied.layout.view(shape)?))
    }

    /// Joins the axes from `start` to `end`, both included, into one.
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
    /// If there is no such axis, or a copy is needed and forbidden or has no memory.
    ///
    /// # Memory
    /// Copies when the axes have no common stride; `merge` refuses then.
    #[track_caller]
    pub fn flatten(&self, start: isize, end: isize) -> Result<Tensor, Error> {
        let answer = self.layout.flatten(start, end)?;
        let shape = Layout::row_major(&self.shape())?.merge(start, end)?.shape();
        self.reshaped("flatten", &shape, answer, Location::caller())
    }

    /// Joins the axes from `start` to `end`, both included, into one, without a copy.
    ///
    /// # Errors
    /// If there is no such axis, or they have no common stride.
    ///
    /// # Memory
    /// Never copies.
    pub fn merge(&self, start: isize, end: isize) -> Result<Tensor, Error> {
        let layout = self.layout.merge(start, end);
        Ok(self.with_layout(layout.map_err(|error| self.refused(error))?))
    }

    /// Rearranges axes by a pattern: `"b (h w) c -> b c h w"`, with the lengths it cannot infer.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..12)?.reshape([6, 2])?;
    /// let y = x.rearrange("(h w) c -> c h w", &[("h", 2)])?;
    /// assert_eq!(y.shape(), [2, 2, 3]);
    /// assert_eq!(y.shares_memory(&x), Some(true));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the pattern is wrong or does not fit, or a copy is needed and forbidden or has no memory.
    ///
    /// # Memory
    /// Copies when axes that are joined have no common stride.
    #[track_caller]
    pub fn rearrange(&self, pattern: &str, lengths: &[(&str, usize)]) -> Result<Tensor, Error> {
        match self.layout.rearrange(pattern, lengths)? {
            Rearranged::View(layout) => Ok(self.with_layout(layout)),
            Rearranged::Copy { ordered, shape, .. } => {
                let ordered = self.with_layout(ordered);
                let copied = ordered.copied("rearrange", CopyReason::NoView, Location::caller())?;
                Ok(copied.with_layout(copied.layout.view(&*shape)?))
            }
        }
    }

    /// The parts before and from position `at` of an axis.
    ///
    /// # Errors
    /// If there is no such axis or position.
    ///
    /// # Memory
    /// Never copies.
    pub fn split_at(&self, axis: isize, at: usize) -> Result<(Tensor, Tensor), Error> {
        let (first, second) = self.layout.split_at(axis, at)?;
        Ok((self.with_layout(first), self.with_layout(second)))
    }

    /// Parts of `size` along an axis; the last one may be shorter.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..5)?;
    /// let lengths: Vec<usize> = x.split(0, 2)?.map(|part| part.len()).collect();
    /// assert_eq!(lengths, [2, 2, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or the size is 0.
    ///
    /// # Memory
    /// Never copies.
    pub fn split(&self, axis: isize, size: usize) -> Result<impl Iterator<Item = Tensor>, Error> {
        Ok(self.layout.split(axis, size)?.map(|part| self.with_layout(part)))
    }

    /// At most `n` parts of one length along an axis; the last one may be shorter.
    ///
    /// # Errors
    /// If there is no such axis, or `n` is 0.
    ///
    /// # Memory
    /// Never copies.
    pub fn chunk(&self, axis: isize, n: usize) -> Result<impl Iterator<Item = Tensor>, Error> {
        Ok(self.layout.chunk(axis, n)?.map(|part| self.with_layout(part)))
    }

    /// The same bytes as elements of another type. If their sizes differ, the last axis becomes
    /// longer or shorter.
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
    /// If the bytes of an element do not lie together, or are not aligned for the other type.
    ///
    /// # Memory
    /// Never copies.
    pub fn bitcast(&self, dtype: DType) -> Result<Tensor, Error> {
        let layout = self.layout.reinterpret(self.dtype.size(), dtype.size())?;
        Tensor::from_storage(self.storage.clone(), layout, dtype)
    }

    /// The real parts of complex numbers, in place; real numbers are their own.
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
    /// If a stride cannot be counted in real numbers.
    ///
    /// # Memory
    /// Never copies.
    pub fn real(&self) -> Result<Tensor, Error> {
        if !self.dtype.is_complex() {
            return Ok(self.clone());
        }
        self.component(0)
    }

    /// The imaginary parts of complex numbers, in place; of real numbers zeros, which are one zero
    /// that all indices lead to.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.5, 2.5].imag()?.to_vec::<f64>()?, [0.0, 0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a stride cannot be counted in real numbers.
    ///
    /// # Memory
    /// Never copies.
    pub fn imag(&self) -> Result<Tensor, Error> {
        if !self.dtype.is_complex() {
            let none: [usize; 0] = [];
            return Tensor::zeros(none, self.dtype)?.broadcast_to(&*self.shape());
        }
        self.component(1)
    }

    fn component(&self, at: isize) -> Result<Tensor, Error> {
        let layout = self.layout.split_elements(2)?.select(-1, at)?;
        Tensor::from_storage(self.storage.clone(), layout, self.dtype.real())
    }

    /// A tensor whose elements lie one behind the other: this one, or a copy.
    ///
    /// # Errors
    /// If a copy is needed and forbidden or has no memory.
    ///
    /// # Memory
    /// Copies when it is not contiguous.
    #[track_caller]
    pub fn contiguous(&self) -> Result<Tensor, Error> {
        match self.is_contiguous() {
            true => Ok(self.clone()),
            false => self.copied("contiguous", CopyReason::NotContiguous, Location::caller()),
        }
    }

    /// A copy in memory of its own, in row-major order.
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn copy(&self) -> Result<Tensor, Error> {
        self.copied("copy", CopyReason::Requested, Location::caller())
    }

    /// A copy in row-major order, which is announced first.
    pub(crate) fn copied(
        &self,
        op: &'static str,
        reason: CopyReason,
        caller: &'static Location<'static>,
    ) -> Result<Tensor, Error> {
        copies::announce(op, reason, &self.layout, self.dtype.size(), caller)?;
        self.copy_of_elements()
    }

    /// The error for a view that does not exist, with the bytes that a copy would take.
    fn refused(&self, error: LayoutError) -> Error {
        Error::View { error, size: self.dtype.size() }
    }
}
