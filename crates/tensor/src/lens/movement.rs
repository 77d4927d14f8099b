//! View operations of a lens, which delegate to the layout crate. None of them copies.

use super::Lens;
use crate::dtype::AnyTask;
use crate::op::execute::read_operands;
use crate::trace::{Call, Param, announce_lens, inside};
use crate::view::{AnyView, Cell};
use crate::{
    Axes, Device, Element, Error, Index, Integers, Layout, Operand, Tensor, assign_into,
    with_device,
};
use std::ops::Range;

impl Lens {
    /// Permutes the axes: axis `k` of the result is axis `order[k]` of this lens.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[0, 1, 2], [3, 4, 5]].lens();
    /// assert_eq!(x.permute_dims(&[1, 0])?.copy()?.to_vec::<i32>()?, [0, 3, 1, 4, 2, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `order` is not a permutation of the axes.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn permute_dims(&self, order: impl Integers) -> Result<Lens, Error> {
        Ok(self.lens_through("permute_dims", self.chain.permute(&order)?, || {
            [("order", Param::ints(&order))]
        }))
    }

    /// Exchanges two axes.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[0, 1, 2], [3, 4, 5]].lens();
    /// assert_eq!(x.transpose(0, 1)?.shape(), [3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis does not exist.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn transpose(&self, a: isize, b: isize) -> Result<Lens, Error> {
        Ok(self
            .lens_through("transpose", self.chain.transpose(a, b)?, || [("axes", [a, b].into())]))
    }

    /// Reverses the order of the elements along axes; `()` means all axes.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 3].lens().pad(&[(1, 0)])?;
    /// assert_eq!(x.flip(0)?.copy()?.to_vec::<i32>()?, [3, 2, 1, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an axis does not exist or is given twice.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn flip(&self, axes: impl Into<Axes>) -> Result<Lens, Error> {
        let axes = axes.into();
        Ok(self.lens_through("flip", self.chain.flip(&axes.list(self.rank()))?, || {
            [("axes", (&axes).into())]
        }))
    }

    /// Returns the view of a part, by the rules of Python's slices; see [`s!`](crate::s).
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[0, 1, 2], [3, 4, 5]].t()?.lens().reshape([6])?; // 0 3 1 4 2 5
    /// assert_eq!(x.slice(s![1..;3])?.copy()?.to_vec::<i32>()?, [3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an index is out of range, or there are more of them than axes.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn slice(&self, index: impl AsRef<[Index]>) -> Result<Lens, Error> {
        Ok(self.lens_through("slice", self.chain.slice(index.as_ref())?, || {
            [("index", index.as_ref().into())]
        }))
    }

    /// Returns the view of a range of each axis.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 3].lens().pad(&[(2, 2)])?; // 0 0 1 2 3 0 0
    /// assert_eq!(x.shrink(&[1..4])?.copy()?.to_vec::<i32>()?, [0, 1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not one range for each axis, or one is not inside of its axis.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn shrink(&self, ranges: impl AsRef<[Range<usize>]>) -> Result<Lens, Error> {
        Ok(self.lens_through("shrink", self.chain.shrink(ranges)?, || []))
    }

    /// Returns the view of `count` positions of an axis from `start` on.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[0, 1, 2], [3, 4, 5]].lens();
    /// assert_eq!(x.narrow(1, 1, 2)?.copy()?.to_vec::<i32>()?, [1, 2, 4, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis does not exist or is shorter than `start + count`.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn narrow(&self, axis: isize, start: usize, count: usize) -> Result<Lens, Error> {
        Ok(self.lens_through("narrow", self.chain.narrow(axis, start, count)?, || {
            [("axis", axis.into()), ("start", start.into()), ("count", count.into())]
        }))
    }

    /// Returns the view at one position of an axis, without that axis.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[0, 1, 2], [3, 4, 5]].lens();
    /// assert_eq!(x.select(1, -1)?.copy()?.to_vec::<i32>()?, [2, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis or the position does not exist.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn select(&self, axis: isize, at: isize) -> Result<Lens, Error> {
        Ok(self.lens_through("select", self.chain.select(axis, at)?, || {
            [("axis", axis.into()), ("at", at.into())]
        }))
    }

    /// Removes axes of length 1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([1, 3, 1], DType::Int8)?.lens();
    /// assert_eq!(x.squeeze(0)?.shape(), [3, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an axis does not exist or has another length than 1.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn squeeze(&self, axes: impl Into<Axes>) -> Result<Lens, Error> {
        let axes = axes.into();
        Ok(self.lens_through("squeeze", self.chain.squeeze(&axes.list(self.rank()))?, || {
            [("axes", (&axes).into())]
        }))
    }

    /// Inserts an axis of length 1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].lens().unsqueeze(-1)?.shape(), [2, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the position is out of range.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn unsqueeze(&self, axis: isize) -> Result<Lens, Error> {
        Ok(self
            .lens_through("unsqueeze", self.chain.unsqueeze(axis)?, || [("axes", [axis].into())]))
    }

    /// Broadcasts to a shape; -1 keeps a length.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1], [2]].lens();
    /// assert_eq!(x.broadcast_to([2, 3])?.copy()?.to_vec::<i32>()?, [1, 1, 1, 2, 2, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If this shape does not broadcast to the given one.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn broadcast_to(&self, shape: impl Integers) -> Result<Lens, Error> {
        Ok(self.lens_through("broadcast_to", self.chain.broadcast_to(&shape)?, || {
            [("shape", Param::lengths(&shape))]
        }))
    }

    /// Reshapes without a copy, for any strides; one length may be -1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[0, 1, 2], [3, 4, 5]].t()?.lens();
    /// assert_eq!(x.reshape([-1])?.copy()?.to_vec::<i32>()?, [0, 3, 1, 4, 2, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the number of elements differs.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn reshape(&self, shape: impl Integers) -> Result<Lens, Error> {
        Ok(self.lens_through("reshape", self.chain.reshape(&shape)?, || {
            [("shape", Param::lengths(&shape))]
        }))
    }

    /// Merges the axes from `start` to `end`, both included, into one, without a copy, for any strides.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3, 4], DType::Float32)?.permute_dims(&[2, 0, 1])?;
    /// assert_eq!(x.lens().flatten(0, 1)?.shape(), [8, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an axis does not exist, or `end` is before `start`.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn flatten(&self, start: isize, end: isize) -> Result<Lens, Error> {
        let shape = Layout::row_major(self.chain.shape())?.merge(start, end)?.shape();
        Ok(self.lens_through("flatten", self.chain.reshape(&*shape)?, || {
            [("start", start.into()), ("end", end.into())]
        }))
    }

    /// Pads each axis with `(before, after)` zeros.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 3].lens();
    /// assert_eq!(x.pad(&[(1, 2)])?.copy()?.to_vec::<i32>()?, [0, 1, 2, 3, 0, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not one pair for each axis, the result has too many elements, or the lens is padded with
    /// another value.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn pad(&self, padding: impl AsRef<[(usize, usize)]>) -> Result<Lens, Error> {
        self.padded(Call::new("pad"), padding.as_ref(), Cell::zero(self.dtype()))
    }

    /// Pads each axis with `(before, after)` copies of a value.
    ///
    /// A lens has one padding value: later padding has to use the same value, unless all padding has been
    /// sliced off.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1.0, 2.0].lens().pad_with(&[(1, 0)], -1)?;
    /// assert_eq!(x.copy()?.to_vec::<f64>()?, [-1.0, 1.0, 2.0]);
    /// assert!(x.pad(&[(0, 1)]).is_err());
    /// assert!(x.shrink(&[1..3])?.pad(&[(0, 1)]).is_ok());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Lens::pad`]; and if the dtype cannot hold the value, or the value is not a scalar.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn pad_with<'a>(
        &self,
        padding: impl AsRef<[(usize, usize)]>,
        value: impl Into<Operand<'a>>,
    ) -> Result<Lens, Error> {
        let call = Call::new("pad_with");
        let value: Operand<'a> = value.into();
        // The value is read, so it is in memory.
        let value = with_device(Device::Cpu, || {
            inside(call, || {
                let one = Tensor::zeros([0usize; 0], self.dtype())?;
                assign_into(value, &one)?;
                read_operands(call.part(), &[(&one).into()], |[view]| read_scalar(&view))
            })
        })?;
        self.padded(call, padding.as_ref(), value)
    }

    fn padded(
        &self,
        call: Call<'_>,
        padding: &[(usize, usize)],
        value: Cell,
    ) -> Result<Lens, Error> {
        let chain = self.chain.pad(padding)?;
        if padding.iter().all(|&pair| pair == (0, 0)) {
            return Ok(self.clone());
        }
        if self.is_padded() && self.padding != value {
            return Err(Error::SecondPadding { shape: self.shape().into() });
        }
        let padded = Lens { padding: value, ..self.with_chain(chain) };
        announce_lens(call, self, &padded, || {
            let ends = padding.iter().flat_map(|&(before, after)| [before, after]);
            [("padding", Param::Lengths(ends.collect()))]
        });
        Ok(padded)
    }

    /// Repeats each position of an axis `n` times, like NumPy's `repeat`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2].lens();
    /// assert_eq!(x.repeat(0, 3)?.copy()?.to_vec::<i32>()?, [1, 1, 1, 2, 2, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis does not exist, or the result has too many elements.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn repeat(&self, axis: isize, n: usize) -> Result<Lens, Error> {
        Ok(self.lens_through("repeat", self.chain.repeat(axis, n)?, || {
            [("repeats", n.into()), ("axis", axis.into())]
        }))
    }

    /// Repeats the whole lens `times[k]` times along each axis, aligned at the last one, like NumPy's `tile`.
    /// More numbers than axes add axes in front.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2].lens();
    /// assert_eq!(x.tile(&[3])?.copy()?.to_vec::<i32>()?, [1, 2, 1, 2, 1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the result has too many axes or elements.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn tile(&self, times: impl Integers) -> Result<Lens, Error> {
        Ok(self.lens_through("tile", self.chain.tile(&times)?, || {
            [("repetitions", Param::lengths(&times))]
        }))
    }
}

/// Reads the only element of a 0-d view.
fn read_scalar(view: &AnyView<'_>) -> Cell {
    struct ReadScalar<'a, 'v>(&'a AnyView<'v>);

    impl AnyTask for ReadScalar<'_, '_> {
        type Output = Cell;

        fn run<T: Element>(self) -> Cell {
            let view =
                self.0.typed::<T>().expect("the task was dispatched by the dtype of the view");
            Cell::new(view.get(&[]).expect("a view without axes has one element"))
        }
    }

    view.dtype().with_any(ReadScalar(view))
}
