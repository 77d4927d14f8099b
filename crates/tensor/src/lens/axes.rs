//! Orders of a lens' axes, and other movements that are made of the plain ones.

use super::Lens;
use crate::{Axes, Error, Layout, Length, Value};

impl Lens {
    /// The transposed matrix (rank 2 or less).
    ///
    /// # Errors
    /// If there are more than two axes.
    ///
    /// # Memory
    /// Never copies.
    pub fn t(&self) -> Result<Lens, Error> {
        self.plain()?.t()?;
        Ok(self.reverse_dims())
    }

    /// Exchanges the last two axes: each matrix of a batch is transposed.
    ///
    /// # Errors
    /// If there are fewer than two axes.
    ///
    /// # Memory
    /// Never copies.
    pub fn mt(&self) -> Result<Lens, Error> {
        self.plain()?.mt()?;
        self.transpose(-1, -2)
    }

    /// Exchanges two axes: [`Lens::transpose`] under its other name.
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Never copies.
    pub fn swap_axes(&self, a: isize, b: isize) -> Result<Lens, Error> {
        self.transpose(a, b)
    }

    /// All axes in reverse order: NumPy's `T`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3, 4], DType::Int8)?.lens().pad(&[(0, 1), (0, 0), (0, 0)])?;
    /// assert_eq!(x.reverse_dims().shape(), [4, 3, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Memory
    /// Never copies.
    pub fn reverse_dims(&self) -> Lens {
        let order: Vec<isize> = (0..self.rank() as isize).rev().collect();
        self.permute_dims(&order).expect("each axis is named once")
    }

    /// Moves an axis to another place; the others keep their order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3, 4], DType::Int8)?.lens().tile(&[1, 1, 2])?;
    /// assert_eq!(x.move_axis(0, -1)?.shape(), [3, 8, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Never copies.
    pub fn move_axis(&self, from: isize, to: isize) -> Result<Lens, Error> {
        let plain = self.plain()?;
        let (from, to) = (plain.resolve_axis(from)?, plain.resolve_axis(to)?);
        let mut order: Vec<isize> = (0..self.rank() as isize).collect();
        let axis = order.remove(from);
        order.insert(to, axis);
        self.permute_dims(&order)
    }

    /// Removes all axes of length 1.
    ///
    /// # Memory
    /// Never copies.
    pub fn squeeze_all(&self) -> Lens {
        let shape = self.shape();
        let units: Vec<isize> =
            (0..shape.len()).filter(|&k| shape[k] == 1).map(|k| k as isize).collect();
        self.squeeze(&units).expect("these axes have length 1")
    }

    /// Inserts axes of length 1, which become the given axes of the result.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2].lens().pad(&[(1, 1)])?;
    /// assert_eq!(x.expand_dims(0)?.shape(), [1, 4]);
    /// assert_eq!(x.expand_dims([-1, 0])?.shape(), [1, 4, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a place is out of range, or named twice.
    ///
    /// # Memory
    /// Never copies.
    pub fn expand_dims(&self, axes: impl Into<Axes>) -> Result<Lens, Error> {
        let axes = axes.into().list(0);
        let whole = self.plain()?.unsqueeze_axes(&axes)?;
        let mut places = Vec::with_capacity(axes.len());
        for axis in axes {
            places.push(whole.resolve_axis(axis)?);
        }
        // From the front, so that each finds those before it in place.
        places.sort_unstable();
        places.iter().try_fold(self.clone(), |lens, &k| lens.unsqueeze(k as isize))
    }

    /// Splits an axis into several; one size may be -1.
    ///
    /// # Errors
    /// If the sizes do not multiply to its length.
    ///
    /// # Memory
    /// Never copies.
    pub fn unflatten<L: Length>(&self, axis: isize, sizes: impl AsRef<[L]>) -> Result<Lens, Error> {
        let shape = self.plain()?.unflatten(axis, sizes)?.shape();
        self.reshape(&*shape)
    }

    /// What is seen, in logical order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2].lens().pad(&[(1, 1)])?;
    /// assert_eq!(x.to_vec::<i32>()?, [0, 1, 2, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the elements are of another type, a guard is writing to them, or there is not enough memory.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn to_vec<T: Value>(&self) -> Result<Vec<T>, Error> {
        self.copy()?.to_vec()
    }

    /// The shape with the strides of a fresh tensor, for questions about axes alone.
    fn plain(&self) -> Result<Layout, Error> {
        Ok(Layout::row_major(&self.shape())?)
    }
}
