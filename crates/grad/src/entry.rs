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

/// An entry of a tape, as `backward` and the reports see it; [`EntryLog`](crate::entry_log::EntryLog) keeps it in less memory.
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
    Checkpoint(Arc<Recomputation>),
}

/// An input of an entry.
pub(crate) struct EntryInput {
    pub source: InputSource,
    pub dtype: Option<DType>,
    /// The storage that its gradient belongs to, if it has one.
    pub tracked: Option<StorageId>,
}

/// Which elements an input reads, and what is saved of them.
pub(crate) enum InputSource {
    /// The elements of a leased tensor.
    Leased(Lease),
    /// The elements of a tensor, which are not saved.
    Unsaved(Layout),
    /// A number, which is in no storage; with its value, if it is saved.
    Number(Option<Param<'static>>),
    Other(Box<OtherSource>),
}

/// An input that is not a tensor whose elements are leased or not saved.
#[derive(Clone)]
pub(crate) struct OtherSource {
    pub elements: InputElements,
    pub shape: Shape,
    /// A copy of the elements, if they are saved.
    pub copy: Option<Tensor>,
}

/// Which elements an input reads.
#[derive(Clone)]
pub(crate) enum InputElements {
    Layout(Layout),
    Chain(Chain),
    /// Those at these offsets, each once.
    Offsets(Vec<usize>),
    /// Those of a view whose storage is not known.
    Unknown,
}

impl EntryInput {
    /// Returns the layout of a tensor.
    pub(crate) fn layout(&self) -> Option<&Layout> {
        match &self.source {
            InputSource::Leased(lease) => Some(lease.tensor().layout()),
            InputSource::Unsaved(layout) => Some(layout),
            InputSource::Number(_) => None,
            InputSource::Other(other) => match &other.elements {
                InputElements::Layout(layout) => Some(layout),
                _ => None,
            },
        }
    }

    /// Returns the elements of an input that is not a tensor.
    pub(crate) fn other_elements(&self) -> Option<&InputElements> {
        match &self.source {
            InputSource::Other(other) => Some(&other.elements),
            _ => None,
        }
    }

    pub(crate) fn shape(&self) -> Shape {
        match &self.source {
            InputSource::Leased(lease) => lease.tensor().shape(),
            InputSource::Unsaved(layout) => layout.shape(),
            InputSource::Number(_) => Shape::from([0usize; 0]),
            InputSource::Other(other) => other.shape.clone(),
        }
    }

    /// Returns the lease, if the elements are leased.
    pub(crate) fn lease(&self) -> Option<&Lease> {
        match &self.source {
            InputSource::Leased(lease) => Some(lease),
            _ => None,
        }
    }

    /// Returns the copy of the elements, if they were copied when they were saved.
    pub(crate) fn saved_copy(&self) -> Option<&Tensor> {
        match &self.source {
            InputSource::Other(other) => other.copy.as_ref(),
            _ => None,
        }
    }

    /// Returns the offsets that the elements are in; none of a number, or of a view whose storage is not known.
    pub(crate) fn span(&self) -> Range<usize> {
        match (self.layout(), self.other_elements()) {
            (Some(layout), _) => layout.span(),
            (None, Some(InputElements::Chain(chain))) => span_of_offsets(chain.offsets().flatten()),
            (None, Some(InputElements::Offsets(offsets))) => {
                span_of_offsets(offsets.iter().copied())
            }
            (None, _) => 0..0,
        }
    }

    /// Returns a layout that contains the elements, and perhaps others between them.
    pub(crate) fn covering_layout(&self) -> Result<Layout, Error> {
        match self.layout() {
            Some(layout) => Ok(layout.clone()),
            None => {
                let span = self.span();
                Ok(Layout::new(span.start, &[Axis::new(span.len(), 1)])?)
            }
        }
    }
}

/// Returns the range that offsets are in.
pub(crate) fn span_of_offsets(offsets: impl Iterator<Item = usize>) -> Range<usize> {
    let (low, high) =
        offsets.fold((usize::MAX, 0), |(low, high), it| (low.min(it), high.max(it + 1)));
    low.min(high)..high
}
