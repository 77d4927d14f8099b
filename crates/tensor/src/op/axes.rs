//! Which axes to reduce, and whether to keep them.

use crate::{Error, Layout};

/// Axes that a reduction goes over, or that are flipped, moved or put in.
///
/// Such operations take `impl Into<Axes>`: `()` for all of them, a number, or a list; negative ones count
/// from the end. [`keep`] leaves the axes of a reduction in the result with length 1.
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
    which: Which,
    keep: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Which {
    All,
    Some(Vec<isize>),
}

/// The same axes, left in the result with length 1.
pub fn keep(axes: impl Into<Axes>) -> Axes {
    Axes { keep: true, ..axes.into() }
}

impl Axes {
    /// Whether each axis of a layout is among them.
    ///
    /// # Errors
    /// If there is no such axis, or one is named twice.
    pub(super) fn resolve(&self, layout: &Layout) -> Result<Vec<bool>, Error> {
        let Which::Some(axes) = &self.which else {
            return Ok(vec![true; layout.rank()]);
        };
        let mut is_folded = vec![false; layout.rank()];
        for &axis in axes {
            let k = layout.resolve_axis(axis)?;
            if std::mem::replace(&mut is_folded[k], true) {
                return Err(crate::LayoutError::RepeatedAxis { axis: k }.into());
            }
        }
        Ok(is_folded)
    }

    /// The axes as they were given; all of so many if that was asked for.
    pub(crate) fn list(&self, rank: usize) -> Vec<isize> {
        match &self.which {
            Which::All => (0..rank as isize).collect(),
            Which::Some(axes) => axes.clone(),
        }
    }

    /// Whether all axes were asked for, and not one by one.
    pub(super) fn is_all(&self) -> bool {
        self.which == Which::All
    }

    pub(super) fn keeps(&self) -> bool {
        self.keep
    }
}

impl From<()> for Axes {
    fn from((): ()) -> Axes {
        Axes { which: Which::All, keep: false }
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
        Axes { which: Which::Some(axes.to_vec()), keep: false }
    }
}
