//! View operations on axes, slices, windows and diagonals. Each delegates to the layout crate; none copies.

use super::{Tensor, reserve, try_collect};
use crate::trace::{Call, Param, announce_parts, announce_view_with};
use crate::{Axes, Error, Index, Integers, Layout};

impl Tensor {
    /// Permutes the axes: axis `k` of the result is axis `order[k]` of this tensor. PyTorch's name is
    /// [`Tensor::permute`].
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
    /// If `order` is not a permutation of the axes.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    #[track_caller]
    pub fn permute_dims(&self, order: impl Integers) -> Result<Tensor, Error> {
        Ok(self.view_through("permute_dims", self.layout.permute(&order)?, || {
            [("order", Param::ints(&order))]
        }))
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
    /// If the axis does not exist.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    #[track_caller]
    pub fn transpose(&self, a: isize, b: isize) -> Result<Tensor, Error> {
        Ok(self
            .view_through("transpose", self.layout.transpose(a, b)?, || [("axes", [a, b].into())]))
    }

    /// Exchanges two axes, like [`Tensor::transpose`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3, 4], DType::Int8)?;
    /// assert_eq!(x.swap_axes(0, 2)?.shape(), [4, 3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis does not exist.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    #[track_caller]
    pub fn swap_axes(&self, a: isize, b: isize) -> Result<Tensor, Error> {
        Ok(self
            .view_through("swap_axes", self.layout.swap_axes(a, b)?, || [("axes", [a, b].into())]))
    }

    /// Transposes a matrix (rank 2 or less).
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
    #[track_caller]
    pub fn t(&self) -> Result<Tensor, Error> {
        Ok(self.view_through("t", self.layout.t()?, || []))
    }

    /// Exchanges the last two axes: transposes each matrix of a stack.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([5, 2, 3], DType::Int8)?;
    /// assert_eq!(x.mt()?.shape(), [5, 3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are fewer than two axes.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    #[track_caller]
    pub fn mt(&self) -> Result<Tensor, Error> {
        Ok(self.view_through("mt", self.layout.mt()?, || []))
    }

    /// Reverses the order of all axes, like NumPy's `T`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3, 4], DType::Int8)?;
    /// assert_eq!(x.reverse_dims().shape(), [4, 3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    #[track_caller]
    pub fn reverse_dims(&self) -> Tensor {
        self.view_through("reverse_dims", self.layout.reverse(), || [])
    }

    /// Moves an axis to another position; the others keep their order. [`Tensor::moveaxis`] moves several.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3, 4], DType::Int8)?;
    /// assert_eq!(x.move_axis(0, -1)?.shape(), [3, 4, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis does not exist.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn move_axis(&self, from: isize, to: isize) -> Result<Tensor, Error> {
        Ok(self.view_through("move_axis", self.layout.move_axis(from, to)?, || {
            [("source", from.into()), ("destination", to.into())]
        }))
    }

    /// Returns the view of a part, by the rules of Python's slices; see [`s!`](crate::s).
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
    #[track_caller]
    pub fn slice(&self, index: impl AsRef<[Index]>) -> Result<Tensor, Error> {
        Ok(self.view_through("slice", self.layout.slice(index.as_ref())?, || {
            [("index", index.as_ref().into())]
        }))
    }

    /// Returns the view at one position of an axis, without that axis.
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
    /// If the axis or the position does not exist.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    #[track_caller]
    pub fn select(&self, axis: isize, at: isize) -> Result<Tensor, Error> {
        Ok(self.view_through("select", self.layout.select(axis, at)?, || {
            [("axis", axis.into()), ("at", at.into())]
        }))
    }

    /// Returns the view of `count` positions of an axis from `start` on.
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
    /// If the axis does not exist or is shorter than `start + count`.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn narrow(&self, axis: isize, start: usize, count: usize) -> Result<Tensor, Error> {
        Ok(self.view_through("narrow", self.layout.narrow(axis, start, count)?, || {
            [("axis", axis.into()), ("start", start.into()), ("count", count.into())]
        }))
    }

    /// Returns the view of every `step`-th position of an axis, in reverse order if negative.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?;
    /// assert_eq!(x.step(0, 2)?.to_vec::<i32>()?, [0, 2, 4]);
    /// assert_eq!(x.step(0, -3)?.to_vec::<i32>()?, [5, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis does not exist, or the step is 0.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn step(&self, axis: isize, step: isize) -> Result<Tensor, Error> {
        Ok(self.view_through("step", self.layout.step(axis, step)?, || {
            [("axis", axis.into()), ("step", step.into())]
        }))
    }

    /// Reverses the order of the elements along axes; `()` means all axes.
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
    /// If an axis does not exist or is given twice.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn flip(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        let axes = axes.into();
        Ok(self.view_through("flip", self.layout.flip(&axes.list(self.rank()))?, || {
            [("axes", (&axes).into())]
        }))
    }

    /// Rotates the plane of two axes by `turns` times 90 degrees, from the first axis towards the second.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.rot90(1, 0, 1)?.to_vec::<i32>()?, [2, 4, 1, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an axis does not exist, or both are the same.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn rot90(&self, turns: isize, from: isize, to: isize) -> Result<Tensor, Error> {
        Ok(self.view_through("rot90", self.layout.rot90(turns, from, to)?, || {
            [("turns", turns.into()), ("axes", [from, to].into())]
        }))
    }

    /// Removes axes of length 1. [`Tensor::squeeze_all`] removes all of them.
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
    /// If an axis does not exist or has another length than 1.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn squeeze(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        let axes = axes.into();
        Ok(self.view_through("squeeze", self.layout.squeeze(&axes.list(self.rank()))?, || {
            [("axes", (&axes).into())]
        }))
    }

    /// Removes all axes of length 1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(Tensor::zeros([1, 3, 1], DType::Int8)?.squeeze_all().shape(), [3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn squeeze_all(&self) -> Tensor {
        self.view_through("squeeze_all", self.layout.squeeze_all(), || [])
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
    /// If the position is out of range.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn unsqueeze(&self, axis: isize) -> Result<Tensor, Error> {
        Ok(self
            .view_through("unsqueeze", self.layout.unsqueeze(axis)?, || [("axes", [axis].into())]))
    }

    /// Inserts axes of length 1 at the given positions of the result.
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
    /// If a position is out of range or given twice.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn expand_dims(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
        let axes = axes.into();
        Ok(self.view_through("unsqueeze", self.layout.unsqueeze_axes(&axes.list(0))?, || {
            [("axes", (&axes).into())]
        }))
    }

    /// Broadcasts to a shape: axes of length 1 get stride 0; -1 keeps a length. PyTorch's name is
    /// [`Tensor::expand`].
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
    /// If this shape does not broadcast to the given one.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn broadcast_to(&self, shape: impl Integers) -> Result<Tensor, Error> {
        Ok(self.view_through("broadcast_to", self.layout.broadcast_to(&shape)?, || {
            [("shape", Param::lengths(&shape))]
        }))
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
    /// If the product of the sizes is not the length of the axis.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn unflatten(&self, axis: isize, sizes: impl Integers) -> Result<Tensor, Error> {
        Ok(self.view_through("unflatten", self.layout.unflatten(axis, &sizes)?, || {
            [("axis", axis.into()), ("sizes", Param::lengths(&sizes))]
        }))
    }

    /// Splits an axis into blocks of a size and the positions in them.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?;
    /// assert_eq!(x.split_axis(0, 3)?.shape(), [2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the size does not divide the length of the axis.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn split_axis(&self, axis: isize, size: usize) -> Result<Tensor, Error> {
        Ok(self.view_through("split_axis", self.layout.split_axis(axis, size)?, || {
            [("axis", axis.into()), ("size", size.into())]
        }))
    }

    /// Returns the sliding windows of `size` along an axis, `step` apart, as a new last axis. PyTorch's name is
    /// [`Tensor::unfold`].
    ///
    /// Overlapping windows cannot be written through.
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
    /// If an axis does not exist or is shorter than a window.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn windows(&self, axis: isize, size: usize, step: usize) -> Result<Tensor, Error> {
        Ok(self.view_through("windows", self.layout.windows(axis, size, step)?, || {
            [("axis", axis.into()), ("size", size.into()), ("step", step.into())]
        }))
    }

    /// Returns the sliding windows of given sizes over several axes, as new last axes.
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
    /// If an axis does not exist or is shorter than a window.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn sliding_window_view(
        &self,
        sizes: impl Integers,
        axes: impl Integers,
    ) -> Result<Tensor, Error> {
        Ok(self.view_through("sliding_window", self.layout.sliding_window(&axes, &sizes)?, || {
            [("sizes", Param::lengths(&sizes)), ("axes", Param::ints(&axes))]
        }))
    }

    /// Returns a diagonal of two axes as a new last axis.
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
    /// If the axis or the diagonal does not exist.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn diagonal(&self, shift: isize, a: isize, b: isize) -> Result<Tensor, Error> {
        Ok(self.view_through("diagonal", self.layout.diagonal(shift, a, b)?, || {
            [("offset", shift.into()), ("axes", [a, b].into())]
        }))
    }

    /// Returns a view with any shape, strides and start in the storage, in elements; checked against its length.
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
    /// If the view exceeds the storage, or the storage is unaligned for the dtype.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn as_strided(
        &self,
        shape: impl Integers,
        strides: impl Integers,
        start: usize,
    ) -> Result<Tensor, Error> {
        let memory = self.storage.len() / self.dtype.size();
        let layout = Layout::as_strided(memory, start, &shape, &strides)?;
        // Not `with_layout`: an empty tensor may be unaligned, and the result may have elements.
        let view = Tensor::from_storage(self.storage.clone(), layout, self.dtype)?;
        announce_view_with(Call::new("as_strided"), self, &view, || {
            let strides = Param::ints(&strides);
            [("shape", Param::lengths(&shape)), ("strides", strides), ("start", start.into())]
        });
        Ok(view)
    }

    /// Splits an axis in two at a position.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let (head, tail) = Tensor::arange(0..5)?.split_at(0, 2)?;
    /// assert_eq!((head.len(), tail.to_vec::<i32>()?), (2, vec![2, 3, 4]));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis or the position does not exist.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn split_at(&self, axis: isize, at: usize) -> Result<(Tensor, Tensor), Error> {
        let (first, second) = self.layout.split_at(axis, at)?;
        let params = [("axis", axis.into()), ("at", at.into())];
        let call = Call::new("split_at").with(&params);
        announce_parts(call, self, || [&first, &second].into_iter().cloned());
        Ok((self.with_layout(first), self.with_layout(second)))
    }

    /// Splits an axis into parts of `size`; the last one may be shorter.
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
    /// If the axis does not exist, or the size is 0.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn split(&self, axis: isize, size: usize) -> Result<impl Iterator<Item = Tensor>, Error> {
        let parts = self.layout.split(axis, size)?;
        let params = [("axis", axis.into()), ("size", size.into())];
        announce_parts(Call::new("split").with(&params), self, || parts.clone());
        Ok(parts.map(|part| self.with_layout(part)))
    }

    /// Splits an axis into parts of the given lengths.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let parts = Tensor::arange(0..5)?.split_sizes(0, [1, 4])?;
    /// assert_eq!((parts[0].len(), parts[1].to_vec::<i32>()?), (1, vec![1, 2, 3, 4]));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis does not exist, or the lengths do not add up to its length.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn split_sizes(&self, axis: isize, sizes: impl Integers) -> Result<Vec<Tensor>, Error> {
        let sizes = &*sizes.lengths("sizes")?;
        let len = self.layout.axes()[self.layout.resolve_axis(axis)?].len;
        let sum = sizes.iter().fold(0usize, |sum, &size| sum.saturating_add(size));
        if sum != len {
            let needs = "sizes that add up to the length of the axis";
            return Err(Error::Argument { op: "split", needs, given: sum.into() });
        }
        let (mut start, mut parts) = (0, reserve(sizes.len())?);
        for &size in sizes {
            parts.push(self.layout.narrow(axis, start, size)?);
            start += size;
        }
        let params = [("axis", axis.into()), ("sizes", sizes.into())];
        announce_parts(Call::new("split").with(&params), self, || parts.iter().cloned());
        try_collect(parts.into_iter().map(|part| self.with_layout(part)))
    }

    /// Splits an axis into at most `n` parts of equal length; the last one may be shorter.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..5)?;
    /// let lengths: Vec<usize> = x.chunk(0, 2)?.map(|part| part.len()).collect();
    /// assert_eq!(lengths, [3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis does not exist, or `n` is 0.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn chunk(&self, axis: isize, n: usize) -> Result<impl Iterator<Item = Tensor>, Error> {
        let parts = self.layout.chunk(axis, n)?;
        let params = [("axis", axis.into()), ("n", n.into())];
        announce_parts(Call::new("chunk").with(&params), self, || parts.clone());
        Ok(parts.map(|part| self.with_layout(part)))
    }

    /// Returns an iterator over the views at each position of the first axis.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// for (i, row) in tensor![[0, 1], [10, 11]].rows()?.enumerate() {
    ///     assert_eq!(row.to_vec::<i32>()?, [10 * i as i32, 10 * i as i32 + 1]);
    /// }
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the tensor has no axes.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn rows(&self) -> Result<impl ExactSizeIterator<Item = Tensor>, Error> {
        self.layout.resolve_axis(0)?;
        let n = self.layout.axes()[0].len;
        let row =
            |i: usize| self.layout.select(0, i as isize).expect("positions of the first axis");
        announce_parts(Call::new("rows"), self, || (0..n).map(row));
        Ok((0..n).map(move |i| self.with_layout(row(i))))
    }
}
