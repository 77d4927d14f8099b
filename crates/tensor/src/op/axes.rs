//! The axes argument of reductions and other operations over several axes.

use crate::{Error, Layout};

/// The axes that an operation applies to, such as a reduction or a flip.
///
/// Such operations take `impl Into<Axes>`: `()` for all axes, one axis, or a list of axes; negative axes
/// count from the end. [`keep`] keeps reduced axes in the result with length 1, as `keepdims=True` does in
/// NumPy.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = Tensor::ones([2, 3, 4], DType::Float32)?;
/// assert_eq!(x.sum(())?.shape(), [0usize; 0]);
/// assert_eq!(x.sum(1)?.shape(), [2, 4]);
/// assert_eq!(x.sum([0, -1])?.shape(), [3]);
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

impl From<isize> for Axes {
    fn from(axis: isize) -> Axes {
        [axis].into()
    }
}

impl<const N: usize> From<[isize; N]> for Axes {
    fn from(axes: [isize; N]) -> Axes {
        axes.as_slice().into()
    }
}

impl<const N: usize> From<&[isize; N]> for Axes {
    fn from(axes: &[isize; N]) -> Axes {
        axes.as_slice().into()
    }
}

impl From<&Vec<isize>> for Axes {
    fn from(axes: &Vec<isize>) -> Axes {
        axes.as_slice().into()
    }
}

impl From<&[isize]> for Axes {
    fn from(axes: &[isize]) -> Axes {
        Axes { selection: AxisSelection::Listed(axes.to_vec()), keep: false }
    }
}
