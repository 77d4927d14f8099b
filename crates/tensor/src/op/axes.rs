//! The axes argument of reductions and other operations over several axes.

use crate::{Error, Integers, Layout};
use belvedere_layout::{InlineVec, Integer};

/// The axes that an operation applies to, such as a reduction or a flip.
///
/// Such operations take `impl Into<Axes>`: `()` for all axes, one axis, or a list of axes as an array, tuple,
/// slice or vector of any integer type; negative axes count from the end. [`keep`] keeps reduced axes in the result with length 1, as `keepdims=True` does in
/// NumPy.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = Tensor::ones([2, 3, 4], DType::Float32)?;
/// assert_eq!(x.sum(())?.shape(), [0usize; 0]);
/// assert_eq!(x.sum(1)?.shape(), [2, 4]);
/// assert_eq!(x.sum([0, -1])?.shape(), [3]);
/// assert_eq!(x.sum((0, -1))?.shape(), [3]);
/// assert_eq!(x.sum(belvedere::keep([0, -1]))?.shape(), [1, 3, 1]);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axes {
    selection: AxisSelection,
    keep: bool,
}

/// Which axes [`Axes`] holds.
#[derive(Clone, Debug, PartialEq, Eq)]
enum AxisSelection {
    All,
    Listed(Vec<isize>),
}

/// Returns the same axes, to be kept in the result of a reduction with length 1: NumPy's `keepdims`.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!(x.sum(keep(1))?.shape(), [2, 1]);
/// assert_eq!(x.sub(&x.mean(keep(1))?)?.to_vec::<f64>()?, [-0.5, 0.5, -0.5, 0.5]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn keep(axes: impl Into<Axes>) -> Axes {
    Axes { keep: true, ..axes.into() }
}

impl Axes {
    /// Returns for each axis of `layout` whether it is among these axes.
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    pub(super) fn resolve(&self, layout: &Layout) -> Result<Vec<bool>, Error> {
        let AxisSelection::Listed(axes) = &self.selection else {
            return Ok(vec![true; layout.rank()]);
        };
        let mut is_reduced = vec![false; layout.rank()];
        for &axis in axes {
            let k = layout.resolve_axis(axis)?;
            if std::mem::replace(&mut is_reduced[k], true) {
                return Err(crate::LayoutError::RepeatedAxis { axis: k }.into());
            }
        }
        Ok(is_reduced)
    }

    /// Returns the axes as they were given, or all `rank` axes.
    pub(crate) fn list(&self, rank: usize) -> Vec<isize> {
        match &self.selection {
            AxisSelection::All => (0..rank as isize).collect(),
            AxisSelection::Listed(axes) => axes.clone(),
        }
    }

    /// Returns the axes as they were given; `None` for all axes.
    pub(crate) fn listed(&self) -> Option<&[isize]> {
        match &self.selection {
            AxisSelection::All => None,
            AxisSelection::Listed(axes) => Some(axes),
        }
    }

    /// Returns whether these are all axes, given as `()`.
    pub(super) fn is_all(&self) -> bool {
        self.selection == AxisSelection::All
    }

    /// Returns whether reduced axes stay in the result.
    pub(super) fn keeps(&self) -> bool {
        self.keep
    }
}

impl From<()> for Axes {
    fn from((): ()) -> Axes {
        Axes { selection: AxisSelection::All, keep: false }
    }
}

/// Converts lists of axes, which are [`Integers`]. Not one implementation for all of them: `()` is all axes.
macro_rules! from_lists {
    ($([$($generics:tt)*] $list:ty;)*) => {$(
        impl<$($generics)*> From<$list> for Axes {
            fn from(axes: $list) -> Axes {
                let axes = Integers::to_signed(&axes).to_vec();
                Axes { selection: AxisSelection::Listed(axes), keep: false }
            }
        }
    )*};
}

/// Converts tuples of axes.
macro_rules! from_tuples {
    ($($($name:ident)*;)*) => { from_lists! { $([$($name: Integer),*] ($($name,)*);)* } };
}

from_lists! {
    [] usize; [] isize; [] u8; [] i8; [] u16; [] i16; [] u32; [] i32; [] u64; [] i64;
    [L: Integer, const N: usize] [L; N];
    [L: Integer] Vec<L>;
    [L: Integer] Box<[L]>;
    [L: Integer] InlineVec<L>;
    [T: Integers + ?Sized] &T;
}

from_tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
}
