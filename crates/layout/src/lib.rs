//! Strided layouts.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod axis;
mod chain;
pub mod elsewhere;
mod error;
mod layout;
mod offsets;
mod order;
mod overlap;
mod pattern;
mod runs;
mod shape;
mod short;
mod span;
mod view;

pub use axis::Axis;
pub use chain::{Chain, ChainRun, ChainRuns, Stage};
pub use error::{ErrorKind, LayoutError, ReinterpretError};
pub use layout::Layout;
pub use offsets::{Offsets, unravel_index};
pub use overlap::{Answer, Bytes, SEARCH_STEPS};
pub use pattern::{Pattern, PatternError, PatternProblem, Rearranged, Recipe};
pub use runs::Run;
pub use shape::Length;
pub use short::Short;
pub use view::{
    Boundary, Explanation, Index, Matched, Refusal, Reshape, Seam, Slice, broadcast,
    broadcast_shapes, explain_view,
};

/// The largest number of axes a layout can have: NumPy's limit, and one bit each in a `u64`.
pub const MAX_RANK: usize = 64;

/// The lengths of a layout's axes.
pub type Shape = Short<usize>;

/// The strides of a layout's axes, in elements.
pub type Strides = Short<isize>;
