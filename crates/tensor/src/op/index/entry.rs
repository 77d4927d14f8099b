//! What an index is made of.

use crate::{Index, Slice, Tensor};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// One entry of an index: what [`Index`] can be, or a tensor of integers or of `bool`.
///
/// The [`at!`](crate::at) macro writes lists of them.
#[derive(Clone, Debug)]
pub struct At<'a>(pub(super) Entry<'a>);

#[derive(Clone, Debug)]
pub(super) enum Entry<'a> {
    Plain(Index),
    Tensor(&'a Tensor),
    Owned(Tensor),
}

/// An index with tensors in it: positions, ranges, steps, new axes and an ellipsis as in
/// [`s!`](crate::s), and tensors of integers or of `bool`.
///
/// ```
/// use belvedere::{Index::*, prelude::*};
///
/// let x = Tensor::zeros([4, 5, 6], DType::Int8)?;
/// let rows = tensor![[0, 1], [3, -1]];
/// assert_eq!(x.index(at![&rows])?.shape(), [2, 2, 5, 6]);
/// assert_eq!(x.index(at![.., &rows, ..;2])?.shape(), [4, 2, 2, 3]);
/// assert_eq!(x.index(at![&rows, NewAxis, Ellipsis, 0])?.shape(), [2, 2, 1, 5]);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[macro_export]
macro_rules! at {
    (@entry $entry:expr) => { $crate::At::from($entry) };
    (@entry $entry:expr; $step:expr) => {
        $crate::At::from($crate::Slice::from($entry).by($step))
    };
    ($($entry:expr $(; $step:expr)?),* $(,)?) => {
        // No block: tensors that are made between the brackets live as long as the statement. A
        // field takes the attribute without one. `1..-1` and `4..1;-1` are no mistakes here.
        $crate::Listed {
            #[allow(clippy::reversed_empty_ranges)]
            list: [$($crate::at!(@entry $entry $(; $step)?)),*],
        }
        .list
    };
}

/// What [`at!`](crate::at) lists.
#[doc(hidden)]
pub struct Listed<T> {
    /// The entries.
    pub list: T,
}

impl At<'_> {
    /// A whole axis.
    pub(super) const ALL: At<'static> = At(Entry::Plain(Index::Slice(Slice::ALL)));
}

impl Entry<'_> {
    /// The tensor, if it is one.
    pub(super) fn tensor(&self) -> Option<&Tensor> {
        match self {
            Entry::Plain(_) => None,
            Entry::Tensor(tensor) => Some(tensor),
            Entry::Owned(tensor) => Some(tensor),
        }
    }
}

impl<'a> From<&'a Tensor> for At<'a> {
    fn from(tensor: &'a Tensor) -> At<'a> {
        At(Entry::Tensor(tensor))
    }
}

impl From<Tensor> for At<'_> {
    fn from(tensor: Tensor) -> Self {
        At(Entry::Owned(tensor))
    }
}

/// Everything that is an [`Index`].
macro_rules! plain {
    (of $($int:ty)*) => {
        $(plain! {
            $int Range<$int> RangeFrom<$int> RangeTo<$int> RangeInclusive<$int>
            RangeToInclusive<$int>
        })*
    };
    ($($type:ty)*) => {$(
        impl From<$type> for At<'_> {
            fn from(entry: $type) -> Self {
                At(Entry::Plain(Index::from(entry)))
            }
        }
    )*};
}

plain!(Index Slice RangeFull);
plain!(of isize usize i32);
