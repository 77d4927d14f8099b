//! [`Entry`]: an operation that read or wrote elements with a gradient.

use crate::checkpoint::Recomputation;
use crate::custom::PullFunction;
use crate::error::Line;
use crate::lease::Lease;
use crate::rules::Rule;
use belvedere::trace::Param;
use belvedere::{Axis, Chain, DType, Error, Layout, Shape, StorageId, Tensor};
use std::ops::Range;
use std::sync::Arc;

/// Elements of a storage. It does not keep the storage alive.
#[derive(Clone)]
pub(crate) struct Region {
    pub storage: StorageId,
    pub layout: Layout,
    pub dtype: DType,
}

impl Region {
    /// Returns the elements of a tensor.
    pub(crate) fn of(x: &Tensor) -> Region {
        Region { storage: x.storage().id(), layout: x.layout().clone(), dtype: x.dtype() }
    }
}

/// An entry of a tape.
pub(crate) struct Entry {
    pub op: &'static str,
    pub kind: EntryKind,
    pub params: Vec<(&'static str, Param<'static>)>,
    pub inputs: Vec<EntryInput>,
    pub outputs: Vec<Region>,
    /// Whether the outputs are new storages.
    pub is_fresh: bool,
    pub line: Line,
    pub time: u64,
    /// Whether it was recorded while the gradient of another tape was computed.
    pub is_of_backward: bool,
}

/// What `backward` does with an entry.
#[derive(Clone)]
pub(crate) enum EntryKind {
    /// Keeps the gradient of the output as it is at this moment.
    Watch,
    /// Sets the gradient of the output to zero: it was overwritten with constants.
    Constant,
    /// Passes the gradient on to the inputs.
    Rule(&'static Rule),
    /// Passes the gradient on by the rule of a user's function.
    Custom(Arc<PullFunction>),
    /// Calls the function again.
    Checkpoint(Recomputation),
}

/// An input of an entry.
pub(crate) struct EntryInput {
    pub elements: InputElements,
    pub shape: Shape,
    pub dtype: Option<DType>,
    /// The storage that its gradient belongs to, if it has one.
    pub tracked: Option<StorageId>,
    pub saved: Option<SavedInput>,
}

impl EntryInput {
    /// Returns the tensor whose elements are leased, which may have been overwritten since.
    pub(crate) fn leased_tensor(&self) -> Option<&Tensor> {
        match &self.saved {
            Some(SavedInput::Leased(lease)) => Some(lease.tensor()),
            _ => None,
        }
    }
}

/// Which elements an input reads.
pub(crate) enum InputElements {
    Layout(Layout),
    Chain(Chain),
    /// Those at these offsets, each once.
    Offsets(Vec<usize>),
    /// A number, or a view whose storage is not known.
    None,
}

impl InputElements {
    /// Returns the offsets that the elements are in.
    pub(crate) fn span(&self) -> Range<usize> {
        match self {
            InputElements::Layout(layout) => layout.span(),
            InputElements::Chain(chain) => span_of(chain.offsets().flatten()),
            InputElements::Offsets(offsets) => span_of(offsets.iter().copied()),
            InputElements::None => 0..0,
        }
    }

    /// Returns a layout that contains the elements, and perhaps others between them.
    pub(crate) fn covering_layout(&self) -> Result<Layout, Error> {
        match self {
            InputElements::Layout(layout) => Ok(layout.clone()),
            other => {
                let span = other.span();
                Ok(Layout::new(span.start, &[Axis::new(span.len(), 1)])?)
            }
        }
    }
}

/// Returns the range that offsets are in.
fn span_of(offsets: impl Iterator<Item = usize>) -> Range<usize> {
    let (low, high) =
        offsets.fold((usize::MAX, 0), |(low, high), it| (low.min(it), high.max(it + 1)));
    low.min(high)..high
}

/// The value of an input, kept for the rule.
pub(crate) enum SavedInput {
    Leased(Lease),
    Copied(Tensor),
    Number(Param<'static>),
}
