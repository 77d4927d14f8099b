//! The movements of a lens: one line each into the layout crate. None of them moves an element.

use super::Lens;
use crate::dtype::AnyTask;
use crate::view::{AnyView, Cell, Input, read};
use crate::{Axes, Element, Error, Index, Layout, Length, Operand, Tensor, assign_into};
use std::ops::Range;

impl Lens {
    /// Axis `k` of the result is axis `order[k]` of this one.
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
    /// If the list does not name each axis once.
    ///
    /// # Memory
    /// Never copies.
    pub fn permute_dims(&self, order: impl AsRef<[isize]>) -> Result<Lens, Error> {
        Ok(self.moved(self.chain.permute(order.as_ref())?))
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
    /// If there is no such axis.
    ///
    /// # Memory
    /// Never copies.
    pub fn transpose(&self, a: isize, b: isize) -> Result<Lens, Error> {
        Ok(self.moved(self.chain.transpose(a, b)?))
    }

    /// Walks axes backwards.
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
    /// If there is no such axis, or one is named twice.
    ///
    /// # Memory
    /// Never copies.
    pub fn flip(&self, axes: impl Into<Axes>) -> Result<Lens, Error> {
        Ok(self.moved(self.chain.flip(&axes.into().list(self.rank()))?))
    }

    /// A part, by the rules of Python's slices; see [`s!`](crate::s).
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
    pub fn slice(&self, index: impl AsRef<[Index]>) -> Result<Lens, Error> {
        Ok(self.moved(self.chain.slice(index.as_ref())?))
    }

    /// A range of each axis.
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
    /// If there is not one range for each axis, or one does not lie inside of its axis.
    ///
    /// # Memory
    /// Never copies.
    pub fn shrink(&self, ranges: &[Range<usize>]) -> Result<Lens, Error> {
        Ok(self.moved(self.chain.shrink(ranges)?))
    }

    /// `count` positions of an axis from `start` on.
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
    /// If there is no such axis, or it is shorter.
    ///
    /// # Memory
    /// Never copies.
    pub fn narrow(&self, axis: isize, start: usize, count: usize) -> Result<Lens, Error> {
        Ok(self.moved(self.chain.narrow(axis, start, count)?))
    }

    /// The part at one position of an axis, without that axis.
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
    /// If there is no such axis or position.
    ///
    /// # Memory
    /// Never copies.
    pub fn select(&self, axis: isize, at: isize) -> Result<Lens, Error> {
        Ok(self.moved(self.chain.select(axis, at)?))
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
    /// If there is no such axis, or it is longer.
    ///
    /// # Memory
    /// Never copies.
    pub fn squeeze(&self, axes: impl Into<Axes>) -> Result<Lens, Error> {
        Ok(self.moved(self.chain.squeeze(&axes.into().list(self.rank()))?))
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
    /// If the place is out of range.
    ///
    /// # Memory
    /// Never copies.
    pub fn unsqueeze(&self, axis: isize) -> Result<Lens, Error> {
        Ok(self.moved(self.chain.unsqueeze(axis)?))
    }

    /// Repeats axes of length 1, and all of it along new axes in front; -1 keeps a length.
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
    /// If the shape is not reached that way.
    ///
    /// # Memory
    /// Never copies.
    pub fn broadcast_to<L: Length>(&self, shape: impl AsRef<[L]>) -> Result<Lens, Error> {
        Ok(self.moved(self.chain.broadcast_to(shape)?))
    }

    /// The elements in another shape, whatever their strides; one length may be -1.
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
    pub fn reshape<L: Length>(&self, shape: impl AsRef<[L]>) -> Result<Lens, Error> {
        Ok(self.moved(self.chain.reshape(shape)?))
    }

    /// Joins the axes from `start` to `end`, both included, into one, whatever their strides.
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
    /// If there is no such axis, or the last comes before the first.
    ///
    /// # Memory
    /// Never copies.
    pub fn flatten(&self, start: isize, end: isize) -> Result<Lens, Error> {
        let shape = Layout::row_major(self.chain.shape())?.merge(start, end)?.shape();
        Ok(self.moved(self.chain.reshape(&*shape)?))
    }

    /// Puts `(before, after)` positions of zero around each axis.
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
    /// If there is not one pair for each axis, the result has too many elements, or the lens is
    /// padded with something else.
    ///
    /// # Memory
    /// Never copies.
    pub fn pad(&self, padding: &[(usize, usize)]) -> Result<Lens, Error> {
        self.padded(padding, Cell::zero(self.dtype()))
    }

    /// Puts `(before, after)` positions of a value around each axis.
    ///
    /// A lens has one such value: a second [`Lens::pad`] has to be with the same, unless none of
    /// the first is left.
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
    /// As for [`Lens::pad`]; and if the type cannot hold the value, or it has axes.
    ///
    /// # Memory
    /// Never copies.
    pub fn pad_with<'a>(
        &self,
        padding: &[(usize, usize)],
        value: impl Into<Operand<'a>>,
    ) -> Result<Lens, Error> {
        let value: Operand<'a> = value.into();
        let one = Tensor::zeros([0usize; 0], self.dtype())?;
        assign_into(value, &one)?;
        let value = read([Input::Tensor(&one)], |[view]| cell_of(&view))?;
        self.padded(padding, value)
    }

    fn padded(&self, padding: &[(usize, usize)], value: Cell) -> Result<Lens, Error> {
        let chain = self.chain.pad(padding)?;
        if padding.iter().all(|&pair| pair == (0, 0)) {
            return Ok(self.clone());
        }
        if self.is_padded() && self.padding != value {
            return Err(Error::SecondPadding { shape: self.shape().into() });
        }
        Ok(Lens { padding: value, ..self.moved(chain) })
    }

    /// Each position of an axis `n` times in a row: NumPy's `repeat`.
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
    /// If there is no such axis, or the result has too many elements.
    ///
    /// # Memory
    /// Never copies.
    pub fn repeat(&self, axis: isize, n: usize) -> Result<Lens, Error> {
        Ok(self.moved(self.chain.repeat(axis, n)?))
    }

    /// The whole `times[k]` times along each axis, counted from the last; more numbers than axes put
    /// axes in front: NumPy's `tile`.
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
    pub fn tile(&self, times: impl AsRef<[usize]>) -> Result<Lens, Error> {
        Ok(self.moved(self.chain.tile(times.as_ref())?))
    }
}

/// The only element of a view of rank 0.
fn cell_of(view: &AnyView<'_>) -> Cell {
    struct Take<'a, 'v>(&'a AnyView<'v>);

    impl AnyTask for Take<'_, '_> {
        type Output = Cell;

        fn run<T: Element>(self) -> Cell {
            let view = self.0.typed::<T>().expect("the task was chosen by the view's own type");
            Cell::new(view.get(&[]).expect("a view without axes has one element"))
        }
    }

    view.dtype().with_any(Take(view))
}
