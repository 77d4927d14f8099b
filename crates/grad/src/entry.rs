//! [`Entry`]: an operation that read or wrote elements with a gradient.

use crate::error::Line;
use crate::lease::Lease;
use crate::rules::Rule;
use belvedere::trace::Param;
use belvedere::{Chain, DType, Layout, Shape, StorageId, Tensor};

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
#[derive(Clone, Copy)]
pub(crate) enum EntryKind {
    /// Keeps the gradient of the output as it is at this moment.
    Watch,
    /// Sets the gradient of the output to zero: it was overwritten with constants.
    Constant,
    /// Passes the gradient on to the inputs.
    Rule(&'static Rule),
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

/// Which elements an input reads.
pub(crate) enum InputElements {
    Layout(Layout),
    Chain(Chain),
    /// Those at these offsets, each once.
    Offsets(Vec<usize>),
    /// A number, or a view whose storage is not known.
    None,
}

/// The value of an input, kept for the rule.
pub(crate) enum SavedInput {
    Leased(Lease),
    Copied(Tensor),
    Number(Param<'static>),
}
