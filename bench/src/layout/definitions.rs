//! The operations that every engine implements.
//!
//! An engine holds, at one rank, the views that the operations start from. An operation creates a new
//! view from one of them or queries it; the creation of the initial views is not timed. Arguments go
//! through `black_box`, so that no engine can specialise for them.

use std::ops::Range;

use crate::turns::{Batch, batch};

/// The ranks of the views that operations begin with.
pub const RANKS: [usize; 5] = [1, 2, 4, 6, 8];

/// The shape of a new contiguous tensor. Adjacent lengths differ, so that swapped axes are detected.
pub fn full_shape(rank: usize) -> Vec<usize> {
    [6, 5, 4, 7, 6, 5, 4, 7][..rank].to_vec()
}

/// The shape of a contiguous tensor whose first axis has length 1.
pub fn thin_shape(rank: usize) -> Vec<usize> {
    let mut shape = full_shape(rank);
    shape[0] = 1;
    shape
}

/// The full shape with its first axis split in two.
pub fn split_shape(rank: usize) -> Vec<usize> {
    let shape = full_shape(rank);
    [&[2, 3], &shape[1..]].concat()
}

/// The permutation that reverses the axes.
pub fn reversal(rank: usize) -> Vec<usize> {
    (0..rank).rev().collect()
}

/// The number of elements of a tensor with the full shape.
pub fn n_elements(rank: usize) -> usize {
    full_shape(rank).iter().product()
}

/// One engine's part in a row.
pub struct Entry<'a> {
    /// Runs the operation repeatedly and returns its result.
    pub batch: Batch<'a, Answer>,
    /// A note about how this engine performs the operation.
    pub note: &'static str,
}

impl<'a> Entry<'a> {
    /// Returns an entry for `call`; `read` converts its result for the comparison before timing.
    pub fn new<T>(call: impl Fn() -> T + 'a, read: impl Fn(T) -> Answer + 'a) -> Entry<'a> {
        Entry { batch: batch(call, read), note: "" }
    }

    /// The same entry with a note.
    pub fn note(self, note: &'static str) -> Entry<'a> {
        Entry { note, ..self }
    }

    /// Returns the result of the operation.
    pub fn answer(&self) -> Answer {
        (self.batch)(1)
    }
}

/// The result of an operation, in a form that can be compared between engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A view of the memory that all engines share.
    View {
        /// The offset of the first element.
        start: usize,
        /// The length of each axis.
        shape: Vec<usize>,
        /// The stride of each axis; 0 where the length is 1, since that stride has no effect.
        strides: Vec<isize>,
    },
    /// A boolean answer.
    Is(bool),
    /// A range of offsets.
    Offsets(Range<usize>),
}

impl Answer {
    /// A view, with strides of axes of length 1 ignored.
    pub fn view(start: usize, shape: &[usize], strides: &[isize]) -> Answer {
        let pairs = shape.iter().zip(strides);
        let strides = pairs.map(|(&len, &stride)| if len == 1 { 0 } else { stride }).collect();
        Answer::View { start, shape: shape.to_vec(), strides }
    }
}

/// One engine at one rank. What it does not have, or not at this rank, is `None`.
///
/// `full` is a contiguous tensor, `thin` one whose first axis has length 1.
pub trait Engine {
    /// Swaps the first and the last axis of `full`.
    fn transpose(&self) -> Option<Entry<'_>>;

    /// Reverses the axes of `full`, as a permutation that is an argument.
    fn permute(&self) -> Option<Entry<'_>>;

    /// `full[1:-1, 1:-1]`, the whole index expression being one argument; at rank 1 `full[1:-1]`.
    fn slice(&self) -> Option<Entry<'_>>;

    /// The same, one axis after the other.
    fn slice_by_axis(&self) -> Option<Entry<'_>>;

    /// `full[::-2]`.
    fn slice_backwards(&self) -> Option<Entry<'_>> {
        None
    }

    /// `full[2]`, by an index on the first axis.
    fn select(&self) -> Option<Entry<'_>>;

    /// `full[1:4]`, by a start and a length on the first axis.
    fn narrow(&self) -> Option<Entry<'_>>;

    /// Flips the first axis of `full`.
    fn flip(&self) -> Option<Entry<'_>> {
        None
    }

    /// Broadcasts `thin` to the full shape.
    fn expand(&self) -> Option<Entry<'_>>;

    /// Splits the first axis of `full` in two, by a reshape to the whole new shape.
    fn reshape(&self) -> Option<Entry<'_>>;

    /// The same after reversing all axes but the first: not contiguous from rank 3 on.
    fn reshape_permuted(&self) -> Option<Entry<'_>> {
        None
    }

    /// Flattens `full`. At rank 1 it is the identity.
    fn merge(&self) -> Option<Entry<'_>>;

    /// Inserts an axis of length 1 after the first one of `full`.
    fn unsqueeze(&self) -> Option<Entry<'_>>;

    /// Drops the first axis of `thin`.
    fn squeeze(&self) -> Option<Entry<'_>>;

    /// Windows of three elements along the first axis of `full`, as a new last axis.
    fn windows(&self) -> Option<Entry<'_>>;

    /// The diagonal of the first two axes of `full`, as a new last axis.
    fn diagonal(&self) -> Option<Entry<'_>> {
        None
    }

    /// Clones the view `full`.
    fn duplicate(&self) -> Option<Entry<'_>>;

    /// Whether `full` is contiguous; it is, so every axis is checked.
    fn is_contiguous(&self) -> Option<Entry<'_>>;

    /// The span of `full` with its axes reversed.
    fn span(&self) -> Option<Entry<'_>> {
        None
    }

    /// `full` with adjacent axes merged into as few as possible.
    fn coalesced(&self) -> Option<Entry<'_>> {
        None
    }

    /// Whether `full` with its axes reversed visits no element twice.
    fn injective(&self) -> Option<Entry<'_>> {
        None
    }

    /// Whether `full[:3]` and `full[3:]` overlap. Their spans are disjoint.
    fn overlaps_apart(&self) -> Option<Entry<'_>> {
        None
    }

    /// Whether `full[::2]` and `full[1::2]` share an element. Their spans are interleaved.
    fn overlaps_interleaved(&self) -> Option<Entry<'_>> {
        None
    }
}

/// A row of the table at every rank.
pub struct Operation {
    /// The name of the operation in the table.
    pub name: &'static str,
    /// Returns the entry of an engine, if it has the operation.
    pub entry: fn(&dyn Engine) -> Option<Entry<'_>>,
}

/// The operations in the order of the table.
pub const OPERATIONS: &[Operation] = &[
    Operation { name: "transpose", entry: |engine| engine.transpose() },
    Operation { name: "permute", entry: |engine| engine.permute() },
    Operation { name: "slice", entry: |engine| engine.slice() },
    Operation { name: "slice by axis", entry: |engine| engine.slice_by_axis() },
    Operation { name: "slice backwards", entry: |engine| engine.slice_backwards() },
    Operation { name: "select", entry: |engine| engine.select() },
    Operation { name: "narrow", entry: |engine| engine.narrow() },
    Operation { name: "flip", entry: |engine| engine.flip() },
    Operation { name: "expand", entry: |engine| engine.expand() },
    Operation { name: "reshape", entry: |engine| engine.reshape() },
    Operation { name: "reshape permuted", entry: |engine| engine.reshape_permuted() },
    Operation { name: "merge", entry: |engine| engine.merge() },
    Operation { name: "unsqueeze", entry: |engine| engine.unsqueeze() },
    Operation { name: "squeeze", entry: |engine| engine.squeeze() },
    Operation { name: "windows", entry: |engine| engine.windows() },
    Operation { name: "diagonal", entry: |engine| engine.diagonal() },
    Operation { name: "clone", entry: |engine| engine.duplicate() },
    Operation { name: "is contiguous", entry: |engine| engine.is_contiguous() },
    Operation { name: "span", entry: |engine| engine.span() },
    Operation { name: "coalesced", entry: |engine| engine.coalesced() },
    Operation { name: "injective", entry: |engine| engine.injective() },
    Operation { name: "overlaps, apart", entry: |engine| engine.overlaps_apart() },
    Operation { name: "overlaps, interleaved", entry: |engine| engine.overlaps_interleaved() },
];
