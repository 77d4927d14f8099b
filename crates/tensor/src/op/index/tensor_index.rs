//! [`TensorIndex`], an entry of an index that may be a tensor, and the macro `at!`.

use crate::trace::{Param, is_listening};
use crate::{Error, Index, Slice, Tensor};

/// One entry of an index for [`Tensor::index`]: an [`Index`], or an integer or `bool` tensor.
///
/// The macro [`at!`](crate::at) builds lists of entries.
#[derive(Clone, Debug)]
pub struct TensorIndex<'a>(pub(super) IndexEntry<'a>);

#[derive(Clone, Debug)]
pub(super) enum IndexEntry<'a> {
    /// Basic indexing: a position, a range, a new axis or an ellipsis.
    Basic(Index),
    Tensor(&'a Tensor),
    Owned(Tensor),
}

/// Builds an index that may contain tensors: positions, ranges, steps, new axes and an ellipsis as in
/// [`s!`](crate::s), and integer or `bool` tensors.
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
    (@entry $entry:expr) => { $crate::TensorIndex::from($entry) };
    (@entry $entry:expr; $step:expr) => {
        $crate::TensorIndex::from($crate::Slice::from($entry).by($step))
    };
    ($($entry:expr $(; $step:expr)?),* $(,)?) => {
        // Not a block expression, so that temporary tensors between the brackets live until the end of
        // the statement; the attribute is on a struct field because it is not allowed on an expression.
        // `1..-1` and `4..1;-1` are valid indices.
        $crate::AtList {
            #[allow(clippy::reversed_empty_ranges)]
            list: [$($crate::at!(@entry $entry $(; $step)?)),*],
        }
        .list
    };
}

/// The list that [`at!`](crate::at) builds.
#[doc(hidden)]
pub struct AtList<T> {
    /// The entries.
    pub list: T,
}

impl TensorIndex<'_> {
    /// The entry `..`: a whole axis.
    pub(super) const ALL: TensorIndex<'static> =
        TensorIndex(IndexEntry::Basic(Index::Slice(Slice::ALL)));
}

/// Returns the index that is `tensor` for `axis` and `..` for the axes before it.
pub(super) fn index_at_axis<'i>(
    x: &Tensor,
    tensor: &'i Tensor,
    axis: isize,
) -> Result<Vec<TensorIndex<'i>>, Error> {
    let k = x.layout().resolve_axis(axis)?;
    let mut index = vec![TensorIndex::ALL; k];
    index.push(tensor.into());
    Ok(index)
}

impl IndexEntry<'_> {
    /// Returns the tensor if the entry is one.
    pub(super) fn tensor(&self) -> Option<&Tensor> {
        match self {
            IndexEntry::Basic(_) => None,
            IndexEntry::Tensor(tensor) => Some(tensor),
            IndexEntry::Owned(tensor) => Some(tensor),
        }
    }
}

/// An index as a parameter of an event. It has no entries unless a scope listens.
pub(super) struct EventIndex {
    /// The entries, with `..` in place of each tensor.
    entries: Vec<Index>,
    /// The positions of the tensors among the entries. The tensors are inputs of the event, in this order.
    tensors: Vec<usize>,
}

impl EventIndex {
    pub(super) fn new(index: &[TensorIndex<'_>]) -> EventIndex {
        let index = if is_listening() { index } else { &[] };
        let entry = |it: &TensorIndex<'_>| match it.0 {
            IndexEntry::Basic(entry) => entry,
            IndexEntry::Tensor(_) | IndexEntry::Owned(_) => Index::Slice(Slice::ALL),
        };
        let is_tensor = |&at: &usize| index[at].0.tensor().is_some();
        EventIndex {
            entries: index.iter().map(entry).collect(),
            tensors: (0..index.len()).filter(is_tensor).collect(),
        }
    }

    /// Returns the parameters of the event.
    pub(super) fn params(&self) -> [(&'static str, Param<'_>); 2] {
        [("index", self.entries.as_slice().into()), ("tensors", self.tensors.as_slice().into())]
    }
}

impl<'a> From<&'a Tensor> for TensorIndex<'a> {
    fn from(tensor: &'a Tensor) -> TensorIndex<'a> {
        TensorIndex(IndexEntry::Tensor(tensor))
    }
}

impl From<Tensor> for TensorIndex<'_> {
    fn from(tensor: Tensor) -> Self {
        TensorIndex(IndexEntry::Owned(tensor))
    }
}

/// Integers, ranges, [`Slice`] and [`Index`] itself.
impl<T: Into<Index>> From<T> for TensorIndex<'_> {
    fn from(entry: T) -> Self {
        TensorIndex(IndexEntry::Basic(entry.into()))
    }
}
