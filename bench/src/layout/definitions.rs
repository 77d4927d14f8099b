//! The operations that every engine implements.
//!
//! An engine holds, at one rank, the views that the operations start from. An operation creates a new
//! view from one of them or queries it; the creation of the initial views is not timed. Arguments go
//! through `black_box`, so that no engine can specialise for them.

use std::ops::Range;

use crate::turns::{Batch, batch};

/// The ranks of the views that operations begin with.
pub const RANKS: [usize; 5] = [1, 2, 4, 6, 8];

/// The shape of a fresh tensor. Neighbouring lengths differ, so that a mistake shows.
pub fn full_shape(rank: usize) -> Vec<usize> {
    [6, 5, 4, 7, 6, 5, 4, 7][..rank].to_vec()
}

/// The shape of a contiguous tensor whose first axis has length 1.
pub fn thin_shape(rank: usize) -> Vec<usize> {
    let mut shape = full_shape(rank);
    shape[0] = 1;
    shape
}

/// The full shape with its first axis cut in two.
pub fn split_shape(rank: usize) -> Vec<usize> {
    let shape = full_shape(rank);
    [&[2, 3], &shape[1..]].concat()
}

/// The full shape's axes in the opposite order.
pub fn reversal(rank: usize) -> Vec<usize> {
    (0..rank).rev().collect()
}

/// How many elements a fresh tensor has.
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
        /// Where in memory the first element is.
        start: usize,
        /// The length of each axis.
        shape: Vec<usize>,
        /// The stride of each axis; 0 where the length is 1, since every stride is right there.
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

    /// Position 2 of the first axis of `full`, which is dropped.
    fn select(&self) -> Option<Entry<'_>>;

    /// Three positions from 1 on along the first axis of `full`.
    fn narrow(&self) -> Option<Entry<'_>>;

    /// Flips the first axis of `full`.
    fn flip(&self) -> Option<Entry<'_>> {
        None
    }

    /// Stretches `thin` to the full shape.
    fn expand(&self) -> Option<Entry<'_>>;

    /// Cuts the first axis of `full` in two, by naming the whole new shape.
    fn reshape(&self) -> Option<Entry<'_>>;

    /// The same with all axes but the first reversed before: not contiguous from rank 3 on.
    fn reshape_permuted(&self) -> Option<Entry<'_>> {
        None
    }

    /// Flattens `full`. At rank 1 it is the identity.
    fn merge(&self) -> Option<Entry<'_>>;

    /// Inserts an axis of length 1 after the first one of `full`.
    fn unsqueeze(&self) -> Option<Entry<'_>>;

    /// Drops the first axis of `thin`.
    fn squeeze(&self) -> Option<Entry<'_>>;

    /// Windows of three along the first axis of `full`, their positions as a new last axis.
    fn windows(&self) -> Option<Entry<'_>>;

    /// The diagonal of the first two axes of `full`, as a new last axis.
    fn diagonal(&self) -> Option<Entry<'_>> {
        None
    }

    /// Another view like `full`.
    fn duplicate(&self) -> Option<Entry<'_>>;

    /// Whether `full` is contiguous; it is, so every axis is checked.
    fn is_contiguous(&self) -> Option<Entry<'_>>;

    /// The span of `full` with its axes reversed.
    fn span(&self) -> Option<Entry<'_>> {
        None
    }

    /// `full` with the fewest axes.
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
    /// Its name there.
    pub name: &'static str,
    /// Where an engine has it.
    pub of: fn(&dyn Engine) -> Option<Entry<'_>>,
}

/// The operations in the order of the table.
pub const OPERATIONS: &[Operation] = &[
    Operation { name: "transpose", of: |engine| engine.transpose() },
    Operation { name: "permute", of: |engine| engine.permute() },
    Operation { name: "slice", of: |engine| engine.slice() },
    Operation { name: "slice by axis", of: |engine| engine.slice_by_axis() },
    Operation { name: "slice backwards", of: |engine| engine.slice_backwards() },
    Operation { name: "select", of: |engine| engine.select() },
    Operation { name: "narrow", of: |engine| engine.narrow() },
    Operation { name: "flip", of: |engine| engine.flip() },
    Operation { name: "expand", of: |engine| engine.expand() },
    Operation { name: "reshape", of: |engine| engine.reshape() },
    Operation { name: "reshape permuted", of: |engine| engine.reshape_permuted() },
    Operation { name: "merge", of: |engine| engine.merge() },
    Operation { name: "unsqueeze", of: |engine| engine.unsqueeze() },
    Operation { name: "squeeze", of: |engine| engine.squeeze() },
    Operation { name: "windows", of: |engine| engine.windows() },
    Operation { name: "diagonal", of: |engine| engine.diagonal() },
    Operation { name: "clone", of: |engine| engine.duplicate() },
    Operation { name: "is contiguous", of: |engine| engine.is_contiguous() },
    Operation { name: "span", of: |engine| engine.span() },
    Operation { name: "coalesced", of: |engine| engine.coalesced() },
    Operation { name: "injective", of: |engine| engine.injective() },
    Operation { name: "overlaps, apart", of: |engine| engine.overlaps_apart() },
    Operation { name: "overlaps, interleaved", of: |engine| engine.overlaps_interleaved() },
];
