#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod chain;
pub mod compat;
mod error;
mod inline_vec;
mod integers;
mod layout;
mod offsets;
mod order;
mod overlap;
mod pattern;
mod runs;
#[cfg(feature = "serde")]
mod serde;
mod shape;
mod view;

pub use chain::{Chain, ChainRun, ChainRuns, Stage};
pub use error::{ErrorKind, LayoutError, ReinterpretError};
pub use inline_vec::InlineVec;
pub use integers::{Integer, Integers, Lengths};
pub use layout::{Axis, Layout};
pub use offsets::{Offsets, unravel_index};
pub use overlap::{Answer, Bytes, SEARCH_STEPS};
pub use pattern::{Pattern, PatternError, PatternProblem, Rearranged, Recipe};
pub use runs::Run;
pub use view::{
    Boundary, Explanation, Index, MatchedAxis, Parts, Refusal, Reshape, Seam, Slice, Slicer,
    broadcast, broadcast_shapes, explain_view,
};

/// The largest number of axes of a layout: NumPy's limit, and the number of bits in a `u64`.
pub const MAX_RANK: usize = 64;

/// The lengths of a layout's axes.
pub type Shape = InlineVec<usize>;

/// The strides of a layout's axes, in elements.
pub type Strides = InlineVec<isize>;
