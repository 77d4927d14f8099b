//! The view operations of typed views: one line each into the layout crate.

use super::{View, ViewMut, check_injective};
use crate::{Error, Layout};
use belvedere_layout::{Index, Length};

/// A layout that a view operation made of another one, so that it reaches no element which that one
/// does not. It can only be made in this file.
#[doc(hidden)]
pub struct Derived(Layout);

/// Nobody else may implement the trait: a `Derived` of a layout of their own would then reach
/// memory that is not theirs.
mod sealed {
    pub trait Sealed {}

    impl<T: Copy> Sealed for crate::View<'_, T> {}
    impl<T: Copy> Sealed for crate::ViewMut<'_, T> {}
}

/// Operations that see the same elements in another arrangement. They move nothing.
///
/// Both [`View`] and [`ViewMut`] have them; the latter refuses those that would reach an element
/// twice. [`Tensor`](crate::Tensor) has them, and more, as methods of its own. Axes count from the end
/// if they are negative.
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
    /// How the elements are found.
    #[doc(hidden)]
    fn walk(&self) -> &Layout;

    /// The same memory through a layout that a view operation made of this one.
    #[doc(hidden)]
    fn derive(self, layout: Derived) -> Result<Self, Error>;

    /// Axis `k` of the result is axis `order[k]`.
    fn permute_dims(self, order: impl AsRef<[isize]>) -> Result<Self, Error> {
        let layout = self.walk().permute(order.as_ref())?;
        self.derive(Derived(layout))
    }

    /// Exchanges two axes.
    fn transpose(self, a: isize, b: isize) -> Result<Self, Error> {
        let layout = self.walk().transpose(a, b)?;
        self.derive(Derived(layout))
    }

    /// The transposed matrix (rank 2 or less).
    fn t(self) -> Result<Self, Error> {
        let layout = self.walk().t()?;
        self.derive(Derived(layout))
    }

    /// Exchanges the last two axes.
    fn mt(self) -> Result<Self, Error> {
        let layout = self.walk().mt()?;
        self.derive(Derived(layout))
    }

    /// Exchanges two axes, under NumPy's name.
    fn swap_axes(self, a: isize, b: isize) -> Result<Self, Error> {
        self.transpose(a, b)
    }

    /// All axes in reverse order: NumPy's `T`.
    fn reverse_dims(self) -> Result<Self, Error> {
        let layout = self.walk().reverse();
        self.derive(Derived(layout))
    }

    /// Moves an axis to another place.
    fn move_axis(self, from: isize, to: isize) -> Result<Self, Error> {
        let layout = self.walk().move_axis(from, to)?;
        self.derive(Derived(layout))
    }

    /// A part, by the rules of Python's slices; see [`s!`](crate::s).
    fn slice(self, index: &[Index]) -> Result<Self, Error> {
        let layout = self.walk().slice(index)?;
        self.derive(Derived(layout))
    }

    /// The part at one position of an axis, without that axis.
    fn select(self, axis: isize, at: isize) -> Result<Self, Error> {
        let layout = self.walk().select(axis, at)?;
        self.derive(Derived(layout))
    }

    /// `count` positions of an axis from `start` on.
    fn narrow(self, axis: isize, start: usize, count: usize) -> Result<Self, Error> {
        let layout = self.walk().narrow(axis, start, count)?;
        self.derive(Derived(layout))
    }

    /// Every `step`-th position of an axis, backwards if negative.
    fn step(self, axis: isize, step: isize) -> Result<Self, Error> {
        let layout = self.walk().step(axis, step)?;
        self.derive(Derived(layout))
    }

    /// Walks axes backwards.
    fn flip(self, axes: impl AsRef<[isize]>) -> Result<Self, Error> {
        let layout = self.walk().flip(axes.as_ref())?;
        self.derive(Derived(layout))
    }

    /// Turns the plane of two axes by quarter turns.
    fn rot90(self, turns: isize, from: isize, to: isize) -> Result<Self, Error> {
        let layout = self.walk().rot90(turns, from, to)?;
        self.derive(Derived(layout))
    }

    /// Removes axes of length 1.
    fn squeeze(self, axes: impl AsRef<[isize]>) -> Result<Self, Error> {
        let layout = self.walk().squeeze(axes.as_ref())?;
        self.derive(Derived(layout))
    }

    /// Removes all axes of length 1.
    fn squeeze_all(self) -> Result<Self, Error> {
        let layout = self.walk().squeeze_all();
        self.derive(Derived(layout))
    }

    /// Inserts an axis of length 1.
    fn unsqueeze(self, axis: isize) -> Result<Self, Error> {
        let layout = self.walk().unsqueeze(axis)?;
        self.derive(Derived(layout))
    }

    /// Repeats axes of length 1 without copying them.
    fn broadcast_to<L: Length>(self, shape: impl AsRef<[L]>) -> Result<Self, Error> {
        let layout = self.walk().broadcast_to(shape)?;
        self.derive(Derived(layout))
    }

    /// The elements in another shape; refused if that has no strided view.
    fn view<L: Length>(self, shape: impl AsRef<[L]>) -> Result<Self, Error> {
        let layout = self.walk().view(shape)?;
        self.derive(Derived(layout))
    }

    /// Joins neighbouring axes; refused if they have no common stride.
    fn merge(self, start: isize, end: isize) -> Result<Self, Error> {
        let layout = self.walk().merge(start, end)?;
        self.derive(Derived(layout))
    }

    /// Splits an axis into several.
    fn unflatten<L: Length>(self, axis: isize, sizes: impl AsRef<[L]>) -> Result<Self, Error> {
        let layout = self.walk().unflatten(axis, sizes)?;
        self.derive(Derived(layout))
    }

    /// Splits an axis into parts of a size, and the positions in them.
    fn split_axis(self, axis: isize, size: usize) -> Result<Self, Error> {
        let layout = self.walk().split_axis(axis, size)?;
        self.derive(Derived(layout))
    }

    /// Windows of `size` along an axis, `step` apart, as a new last axis.
    fn windows(self, axis: isize, size: usize, step: usize) -> Result<Self, Error> {
        let layout = self.walk().windows(axis, size, step)?;
        self.derive(Derived(layout))
    }

    /// Windows of given sizes over several axes, as new last axes.
    fn sliding_window_view(
        self,
        sizes: impl AsRef<[usize]>,
        axes: impl AsRef<[isize]>,
    ) -> Result<Self, Error> {
        let layout = self.walk().sliding_window(axes.as_ref(), sizes.as_ref())?;
        self.derive(Derived(layout))
    }

    /// A diagonal of two axes, as a new last axis.
    fn diagonal(self, shift: isize, a: isize, b: isize) -> Result<Self, Error> {
        let layout = self.walk().diagonal(shift, a, b)?;
        self.derive(Derived(layout))
    }
}

impl<T: Copy> Strided for View<'_, T> {
    fn walk(&self) -> &Layout {
        self.layout()
    }

    fn derive(self, layout: Derived) -> Result<Self, Error> {
        // SAFETY: the layout reaches only elements of this view, which are readable for its lifetime.
        Ok(unsafe { View::from_parts(self.ptr(), layout.0) })
    }
}

impl<T: Copy> Strided for ViewMut<'_, T> {
    fn walk(&self) -> &Layout {
        self.layout()
    }

    fn derive(self, layout: Derived) -> Result<Self, Error> {
        check_injective(&layout.0)?;
        // SAFETY: the layout reaches only elements of this view, which is consumed, and each by one
        // index.
        Ok(unsafe { ViewMut::from_parts(self.ptr(), layout.0) })
    }
}
