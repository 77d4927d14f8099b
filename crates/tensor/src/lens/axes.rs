//! View operations of a lens that are composed of the basic ones.

use super::Lens;
use crate::copies::CopyReason;
use crate::kernel::map_lens;
use crate::op::execute::{TempCopy, read_operands};
use crate::tensor::reserve;
use crate::trace::Call;
use crate::view::AnyLens;
use crate::{Axes, Error, Integers, Layout, Operand, Value};

impl Lens {
    /// Transposes a matrix (rank 2 or less).
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2, 3]].lens().t()?;
    /// assert_eq!(x.shape(), [3, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are more than two axes.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn t(&self) -> Result<Lens, Error> {
        self.frame()?.t()?;
        Ok(self.reverse_dims())
    }

    /// Exchanges the last two axes: transposes each matrix of a stack.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([5, 2, 3], DType::Int8)?.lens();
    /// assert_eq!(x.mt()?.shape(), [5, 3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are fewer than two axes.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn mt(&self) -> Result<Lens, Error> {
        self.frame()?.mt()?;
        self.transpose(-1, -2)
    }

    /// Exchanges two axes, like [`Lens::transpose`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3, 4], DType::Int8)?.lens();
    /// assert_eq!(x.swap_axes(0, 2)?.shape(), [4, 3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an axis does not exist.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn swap_axes(&self, a: isize, b: isize) -> Result<Lens, Error> {
        self.transpose(a, b)
    }

    /// Reverses the order of all axes, like NumPy's `T`.
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
    #[track_caller]
    pub fn reverse_dims(&self) -> Lens {
        let order: Vec<isize> = (0..self.rank() as isize).rev().collect();
        self.permute_dims(&order).expect("each axis is named once")
    }

    /// Moves an axis to another position; the others keep their order.
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
    /// If an axis does not exist.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn move_axis(&self, from: isize, to: isize) -> Result<Lens, Error> {
        let frame = self.frame()?;
        let (from, to) = (frame.resolve_axis(from)?, frame.resolve_axis(to)?);
        let mut order: Vec<isize> = (0..self.rank() as isize).collect();
        let axis = order.remove(from);
        order.insert(to, axis);
        self.permute_dims(&order)
    }

    /// Removes all axes of length 1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([1, 3, 1], DType::Int8)?.lens();
    /// assert_eq!(x.squeeze_all().shape(), [3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn squeeze_all(&self) -> Lens {
        let shape = self.shape();
        let units: Vec<isize> =
            (0..shape.len()).filter(|&k| shape[k] == 1).map(|k| k as isize).collect();
        self.squeeze(&units).expect("these axes have length 1")
    }

    /// Inserts axes of length 1 at the given positions of the result.
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
    /// If a position is out of range or given twice.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn expand_dims(&self, axes: impl Into<Axes>) -> Result<Lens, Error> {
        let axes = axes.into().list(0);
        let whole = self.frame()?.unsqueeze_axes(&axes)?;
        let mut positions = Vec::with_capacity(axes.len());
        for &axis in &axes {
            positions.push(whole.resolve_axis(axis)?);
        }
        // In ascending order, so that each position is final when its axis is inserted.
        positions.sort_unstable();
        let mut chain = self.chain.clone();
        for k in positions {
            chain = chain.unsqueeze(k as isize)?;
        }
        Ok(self.lens_through("expand_dims", chain, || [("axes", axes[..].into())]))
    }

    /// Splits an axis into several; one size may be -1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?.lens();
    /// assert_eq!(x.unflatten(0, [2, -1])?.shape(), [2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the product of the sizes is not the length of the axis.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn unflatten(&self, axis: isize, sizes: impl Integers) -> Result<Lens, Error> {
        let shape = self.frame()?.unflatten(axis, sizes)?.shape();
        self.reshape(&*shape)
    }

    /// Copies the elements and the padding to a vector, in row-major order.
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
    /// If the dtype differs, a guard holds elements for writing, or there is not enough memory.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn to_vec<T: Value>(&self) -> Result<Vec<T>, Error> {
        if let Some(tensor) = self.strided() {
            return tensor.to_vec();
        }
        self.tensor().check_type::<T::Element>()?;
        let call = Call::new("to_vec").copying(CopyReason::Requested);
        read_operands(call, &[Operand::from_reached(self)], |[view]| {
            let mut values = reserve(self.len())?;
            let copy = TempCopy::new(view, self.frame()?, self.dtype(), |out, view| {
                map_lens::copy(out, &AnyLens::new(&view, self))
            })?;
            for run in copy.view().typed::<T::Element>()?.runs() {
                values.extend(run.map(T::from_element));
            }
            Ok(values)
        })?
    }

    /// Returns the row-major layout of this shape, whose operations check axis arguments for the lens.
    fn frame(&self) -> Result<Layout, Error> {
        Ok(Layout::row_major(&self.shape())?)
    }
}
