//! The records of an [`EntryLog`](crate::entry_log::EntryLog): entries and their parts in little memory.

use crate::entry::{EntryKind, OtherSource};
use crate::lease::{Lease, LeaseRight};
use belvedere::trace::Param;
use belvedere::{Axis, DType, Layout, StorageId};

/// An entry, whose parts begin at positions of the arrays and end where those of the next entry begin.
pub(crate) struct EntryRecord {
    pub op: &'static str,
    pub kind: EntryKind,
    pub time: u64,
    pub begin: LogPosition,
    pub line: u32,
    pub is_fresh: bool,
    pub is_of_backward: bool,
}

/// The lengths of the arrays of a log before an entry.
#[derive(Clone, Copy, Default)]
pub(crate) struct LogPosition {
    pub inputs: u32,
    pub outputs: u32,
    pub params: u32,
    pub axes: u32,
}

/// A layout: its axes are in the array of all axes.
#[derive(Clone, Copy)]
pub(crate) struct LayoutRecord {
    pub start: usize,
    pub first_axis: u32,
    pub rank: u32,
}

pub(crate) struct RegionRecord {
    pub storage: StorageId,
    pub layout: LayoutRecord,
    pub dtype: DType,
}

/// An input of an entry.
pub(crate) struct InputRecord {
    pub source: SourceRecord,
    pub tracked: Option<StorageId>,
    pub dtype: Option<DType>,
}

/// Which elements an input reads, and what is saved of them.
pub(crate) enum SourceRecord {
    /// Leased elements, whose components are the elements.
    Leased(LeaseRight),
    /// Leased elements of which the table of leases does not know all: complex ones.
    LeasedWhole(Box<Lease>),
    Unsaved(LayoutRecord),
    Number(Option<NumberRecord>),
    Other(Box<OtherSource>),
}

/// A number.
pub(crate) enum NumberRecord {
    Int(i64),
    Float(f64),
    Other(Box<Param<'static>>),
}

// Each recorded operation writes one, and one for each operand.
const _: () = assert!(size_of::<EntryRecord>() <= 80);
const _: () = assert!(size_of::<InputRecord>() <= 48);
const _: () = assert!(size_of::<RegionRecord>() <= 32);

impl NumberRecord {
    pub(crate) fn new(value: Param<'static>) -> NumberRecord {
        match value {
            Param::Float(value) => NumberRecord::Float(value),
            Param::Int(value) if i64::try_from(value).is_ok() => NumberRecord::Int(value as i64),
            value => NumberRecord::Other(Box::new(value)),
        }
    }

    pub(crate) fn value(&self) -> Param<'static> {
        match self {
            NumberRecord::Int(value) => Param::Int((*value).into()),
            NumberRecord::Float(value) => Param::Float(*value),
            NumberRecord::Other(value) => Param::clone(value),
        }
    }
}

impl LayoutRecord {
    /// Returns the layout, whose axes are among those of a log.
    pub(crate) fn layout(self, axes: &[Axis]) -> Layout {
        let first = self.first_axis as usize;
        let axes = &axes[first..first + self.rank as usize];
        Layout::new(self.start, axes).expect("it was a layout")
    }
}

/// Returns a length of an array as a position.
pub(crate) fn position(len: usize) -> u32 {
    u32::try_from(len).expect("a tape holds fewer than 2^32 records of each kind")
}
