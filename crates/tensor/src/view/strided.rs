//! View operations of typed views: transposes, slices, reshapes and others, without a copy.

use super::{Elements, View, ViewMut, check_injective};
use crate::{Error, Layout};
use belvedere_layout::{Index, Integers};

/// A layout that a view operation derived from another one, so that it reaches only elements of that one.
/// Only this file constructs it.
#[doc(hidden)]
pub struct Derived(Layout);

/// Keeps other crates from implementing the trait: with a `Derived` of another layout they could reach
/// memory outside of a view.
mod sealed {
    pub trait Sealed {}

    impl<T: Copy> Sealed for &crate::Elements<T> {}
    impl<T: Copy> Sealed for &crate::View<'_, T> {}
    impl<T: Copy> Sealed for crate::ViewMut<'_, T> {}
}

/// View operations: the same elements with other axes, without a copy.
///
/// A [`View`] is borrowed by an operation, and its result has the lifetime of the view. A [`ViewMut`] is consumed, as the
/// result takes its place ([`Elements::reborrow`] keeps it); it refuses operations after which an element would
/// have two indices. Guards have the operations by dereferencing to [`Elements`], with views for reading as results.
/// [`Tensor`](crate::Tensor) has them, and more, as methods of its own. Negative axes count from the end.
///
/// ```
/// use belvedere::{Layout, Strided, View};
///
/// let data = [1, 2, 3, 4, 5, 6];
/// let view = View::new(&data, Layout::row_major(&[2, 3])?)?;
/// let corner = view.flip(&[0])?.permute_dims(&[1, 0])?.narrow(0, 1, 2)?;
/// assert_eq!(corner.iter().collect::<Vec<_>>(), [5, 2, 6, 3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub trait Strided: Sized + sealed::Sealed {
    /// The view that the operations return.
    type Output;

    /// Returns the layout.
    #[doc(hidden)]
    fn walk(&self) -> &Layout;

    /// Returns a view of the same memory with a layout derived from its own.
    #[doc(hidden)]
    fn derive(self, layout: Derived) -> Result<Self::Output, Error>;

    /// Permutes the axes: axis `k` of the result is axis `order[k]`.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.permute_dims(&[1, 0])?.to_vec()?, [0, 3, 1, 4, 2, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `order` is not a permutation of the axes.
    fn permute_dims(self, order: impl Integers) -> Result<Self::Output, Error> {
        let layout = self.walk().permute(order)?;
        self.derive(Derived(layout))
    }

    /// Exchanges the axes `a` and `b`.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.transpose(0, -1)?.shape(), [3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    fn transpose(self, a: isize, b: isize) -> Result<Self::Output, Error> {
        let layout = self.walk().transpose(a, b)?;
        self.derive(Derived(layout))
    }

    /// Transposes a matrix (rank ≤ 2).
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.t()?.to_vec()?, [0, 3, 1, 4, 2, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the rank is greater than 2.
    fn t(self) -> Result<Self::Output, Error> {
        let layout = self.walk().t()?;
        self.derive(Derived(layout))
    }

    /// Transposes the last two axes.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.mt()?.shape(), [3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the rank is less than 2.
    fn mt(self) -> Result<Self::Output, Error> {
        let layout = self.walk().mt()?;
        self.derive(Derived(layout))
    }

    /// Exchanges the axes `a` and `b`, under NumPy's name.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.swap_axes(0, 1)?.shape(), [3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    fn swap_axes(self, a: isize, b: isize) -> Result<Self::Output, Error> {
        self.transpose(a, b)
    }

    /// Reverses the order of the axes: NumPy's `T`.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.reverse_dims()?.shape(), [3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// None: the `Result` is that of all view operations.
    fn reverse_dims(self) -> Result<Self::Output, Error> {
        let layout = self.walk().reverse();
        self.derive(Derived(layout))
    }

    /// Moves an axis to another position.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.move_axis(0, -1)?.shape(), [3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis or position.
    fn move_axis(self, from: isize, to: isize) -> Result<Self::Output, Error> {
        let layout = self.walk().move_axis(from, to)?;
        self.derive(Derived(layout))
    }

    /// Slices with Python's index expressions; see [`s!`](crate::s).
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.slice(belvedere::s![1, ..2])?.to_vec()?, [3, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an index is out of bounds or there are more of them than axes.
    fn slice(self, index: impl AsRef<[Index]>) -> Result<Self::Output, Error> {
        let layout = self.walk().slice(index.as_ref())?;
        self.derive(Derived(layout))
    }

    /// Selects position `at` of an axis and removes the axis.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.select(1, -1)?.to_vec()?, [2, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis or position.
    fn select(self, axis: isize, at: isize) -> Result<Self::Output, Error> {
        let layout = self.walk().select(axis, at)?;
        self.derive(Derived(layout))
    }

    /// Restricts an axis to `count` positions from `start` on.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.narrow(1, 1, 2)?.to_vec()?, [1, 2, 4, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis or range.
    fn narrow(self, axis: isize, start: usize, count: usize) -> Result<Self::Output, Error> {
        let layout = self.walk().narrow(axis, start, count)?;
        self.derive(Derived(layout))
    }

    /// Takes every `step`-th position of an axis, from the end if `step` is negative.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.step(1, -2)?.to_vec()?, [2, 0, 5, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis or `step` is 0.
    fn step(self, axis: isize, step: isize) -> Result<Self::Output, Error> {
        let layout = self.walk().step(axis, step)?;
        self.derive(Derived(layout))
    }

    /// Reverses the order of elements along axes.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.flip(&[1])?.to_vec()?, [2, 1, 0, 5, 4, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or one is named twice.
    fn flip(self, axes: impl Integers) -> Result<Self::Output, Error> {
        let layout = self.walk().flip(axes)?;
        self.derive(Derived(layout))
    }

    /// Rotates by 90° in the plane of two axes, `turns` times, from axis `from` towards axis `to`.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.rot90(1, 0, 1)?.to_vec()?, [2, 5, 1, 4, 0, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or the two are the same.
    fn rot90(self, turns: isize, from: isize, to: isize) -> Result<Self::Output, Error> {
        let layout = self.walk().rot90(turns, from, to)?;
        self.derive(Derived(layout))
    }

    /// Removes axes of length 1.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[1, 6])?)?;
    /// assert_eq!(x.squeeze(&[0])?.shape(), [6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an axis does not exist or has another length.
    fn squeeze(self, axes: impl Integers) -> Result<Self::Output, Error> {
        let layout = self.walk().squeeze(axes)?;
        self.derive(Derived(layout))
    }

    /// Removes all axes of length 1.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[1, 6, 1])?)?;
    /// assert_eq!(x.squeeze_all()?.shape(), [6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// None: the `Result` is that of all view operations.
    fn squeeze_all(self) -> Result<Self::Output, Error> {
        let layout = self.walk().squeeze_all();
        self.derive(Derived(layout))
    }

    /// Inserts an axis of length 1.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.unsqueeze(1)?.shape(), [2, 1, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such position.
    fn unsqueeze(self, axis: isize) -> Result<Self::Output, Error> {
        let layout = self.walk().unsqueeze(axis)?;
        self.derive(Derived(layout))
    }

    /// Broadcasts to a shape: axes of length 1 and missing axes get the stride 0.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[6])?)?;
    /// assert_eq!(x.broadcast_to(&[2, 6])?.to_vec()?, [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the view's shape does not broadcast to `shape`; for a [`ViewMut`] also if an element would have two indices.
    fn broadcast_to(self, shape: impl Integers) -> Result<Self::Output, Error> {
        let layout = self.walk().broadcast_to(shape)?;
        self.derive(Derived(layout))
    }

    /// Reshapes without a copy.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.view(&[3, -1])?.shape(), [3, 2]);
    /// assert!(x.t()?.view(&[6]).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shape has another number of elements, or no strides describe it.
    fn view(self, shape: impl Integers) -> Result<Self::Output, Error> {
        let layout = self.walk().view(shape)?;
        self.derive(Derived(layout))
    }

    /// Merges the axes `start` to `end` (inclusive) into one.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.merge(0, 1)?.shape(), [6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are no such axes, or they have no common stride.
    fn merge(self, start: isize, end: isize) -> Result<Self::Output, Error> {
        let layout = self.walk().merge(start, end)?;
        self.derive(Derived(layout))
    }

    /// Splits an axis into several, of the given lengths.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[6])?)?;
    /// assert_eq!(x.unflatten(0, &[3, 2])?.shape(), [3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or the lengths do not multiply to its length.
    fn unflatten(self, axis: isize, sizes: impl Integers) -> Result<Self::Output, Error> {
        let layout = self.walk().unflatten(axis, sizes)?;
        self.derive(Derived(layout))
    }

    /// Splits an axis into blocks of `size` and the positions in them.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[6])?)?;
    /// assert_eq!(x.split_axis(0, 2)?.shape(), [3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or its length is not a multiple of `size`.
    fn split_axis(self, axis: isize, size: usize) -> Result<Self::Output, Error> {
        let layout = self.walk().split_axis(axis, size)?;
        self.derive(Derived(layout))
    }

    /// Returns sliding windows of `size` along an axis, `step` apart, as a new last axis.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[6])?)?;
    /// assert_eq!(x.windows(0, 3, 2)?.to_vec()?, [0, 1, 2, 2, 3, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, it is shorter than `size`, or `step` is 0; for a [`ViewMut`] if windows overlap.
    fn windows(self, axis: isize, size: usize, step: usize) -> Result<Self::Output, Error> {
        let layout = self.walk().windows(axis, size, step)?;
        self.derive(Derived(layout))
    }

    /// Returns sliding windows over several axes, as new last axes.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.sliding_window_view(&[2, 2], &[0, 1])?.shape(), [1, 2, 2, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or one is shorter than its window; for a [`ViewMut`] if windows overlap.
    fn sliding_window_view(
        self,
        sizes: impl Integers,
        axes: impl Integers,
    ) -> Result<Self::Output, Error> {
        let layout = self.walk().sliding_window(axes, sizes)?;
        self.derive(Derived(layout))
    }

    /// Returns a diagonal of two axes as a new last axis; `shift` > 0 is above the main diagonal.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.diagonal(1, 0, 1)?.to_vec()?, [1, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or the two are the same.
    fn diagonal(self, shift: isize, a: isize, b: isize) -> Result<Self::Output, Error> {
        let layout = self.walk().diagonal(shift, a, b)?;
        self.derive(Derived(layout))
    }
}

impl<'a, T: Copy> Strided for &View<'a, T> {
    type Output = View<'a, T>;

    fn walk(&self) -> &Layout {
        self.layout()
    }

    fn derive(self, layout: Derived) -> Result<View<'a, T>, Error> {
        // SAFETY: the derived layout reaches only elements of this view, which are initialised and readable
        // for `'a`.
        Ok(unsafe { View::from_parts(self.ptr(), layout.0) })
    }
}

impl<'v, T: Copy> Strided for &'v Elements<T> {
    type Output = View<'v, T>;

    fn walk(&self) -> &Layout {
        self.layout()
    }

    fn derive(self, layout: Derived) -> Result<View<'v, T>, Error> {
        // SAFETY: the derived layout reaches only elements of this one, which are initialised and readable
        // while they are borrowed.
        Ok(unsafe { View::from_parts(self.ptr(), layout.0) })
    }
}

impl<T: Copy> Strided for ViewMut<'_, T> {
    type Output = Self;

    fn walk(&self) -> &Layout {
        self.layout()
    }

    fn derive(self, layout: Derived) -> Result<Self, Error> {
        check_injective(&layout.0)?;
        // SAFETY: the derived layout reaches only elements of this view, which is consumed, and was just
        // found to be injective.
        Ok(unsafe { ViewMut::from_parts(self.ptr(), layout.0) })
    }
}
